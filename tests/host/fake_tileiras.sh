#!/bin/sh
# Stands for tileiras in tests: does what the file `mode` beside it says, and writes each run down in `runs`.
here=$(dirname "$0")
case "$*" in
--version)
    echo "--version" >>"$here/runs"
    echo "tileiras, release 13.5, V$(cat "$here/version")"
    exit 0
    ;;
esac
echo "$*" >>"$here/runs"
env >"$here/environment"
{ stat -c %a .; pwd; } >"$here/folder"
cp kernel.tileirbc "$here/compiled.tileirbc"
out=
while [ $# -gt 0 ]; do
    case "$1" in
    --gpu-name) target=$2 ;;
    -o) out=$2 ;;
    esac
    shift
done
case "$(cat "$here/mode")" in
fail) echo "error: the moon is full" >&2; echo "  and the tide is high" >&2; exit 3 ;;
silent) exit 4 ;;
hang) sleep 600 & echo "$$ $!" >"$here/processes"; wait ;;
garbage) echo "this is no machine code" >"$out" ;;
cut) # two sections are announced, and there is none
    { printf '\177ELF\002'; head -c 13 /dev/zero; printf '\276'; head -c 39 /dev/zero; printf '\100\0\002\0\0\0'; } >"$out"
    ;;
nothing) ;;
*)
    sleep "$(cat "$here/mode")"
    { printf '\177ELF\002'; head -c 13 /dev/zero; printf '\276'; head -c 45 /dev/zero; printf '%s' "compiled-for-$target 0"; } >"$out"
    head -c 1 /dev/zero >>"$out"
    ;;
esac
