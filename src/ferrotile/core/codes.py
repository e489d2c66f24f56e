"""The table of error codes: one row each, never reused; `ferrotile explain CODE` prints a row.

A room appends rows to its own block: FT0xx core, FT1xx capture, FT2xx ir, FT3xx lift, FT4xx lower,
FT5xx check, FT6xx host, FT61x bundle, FT7xx bench, FT8xx workflow, FT9xx report and cli.
"""
# ruff: noqa: E501

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """One row: what went wrong in general, and what cures it."""

    code: str
    title: str
    meaning: str
    cure: str


CODES: dict[str, Code] = {}


def _row(code: str, title: str, meaning: str, cure: str) -> None:
    assert code not in CODES, f"code `{code}` declared twice"
    CODES[code] = Code(code, title, meaning, cure)


# fmt: off
# FT0xx core (tools, store, parameters)
_row("FT001", "tool missing", "A tool that this step needs was not found.", "Run `ferrotile doctor`; it prints the command that installs it.")
_row("FT002", "tool timed out", "A tool did not finish within its time limit.", "Try again on a quieter machine, or leave out `--sass`.")
_row("FT003", "tool failed", "A tool ended with an error on input that it should accept.", "Run `ferrotile doctor`; if all is well there, report the printed first line.")
_row("FT004", "cannot write", "A file or folder could not be written.", "Check that the folder exists, is writable, and the disk is not full.")
_row("FT005", "bad parameter map", "The parameter map is not valid JSON of the documented form.", "Compare it with the `parameters` entry of a proof.json that translate wrote.")
_row("FT006", "bad cubin", "A file that should be a cubin is not a 64-bit ELF file, or is cut short.", "Clear the cubin cache and run again; if it stays, report it.")
_row("FT020", "no plain file", "A folder that should hold plain files holds a link, a device, or more than it may.", "Remove the named file; nothing that leads out of the folder is read.")
_row("FT021", "folder in use", "Another process of ferrotile works in this folder.", "Wait until it has ended, or name another folder.")
_row("FT008", "several kernels", "Machine code is compared of modules with one kernel each, and this one has another number.", "Export each specialization to a file of its own.")

# FT1xx capture
_row("FT101", "no such file", "The Python file or folder of an input does not exist.", "Check the path; an input is `file.py::kernel`, or a folder.")
_row("FT102", "file fails to load", "Running the Python file raised an exception; the place is its line.", "Make `python file.py` work first; imports that only host code needs can move into the host function.")
_row("FT103", "no such kernel", "The Python file has no `ct.kernel` of that name.", "Use one of the names that the message lists.")
_row("FT104", "front end refuses", "cuda.tile does not compile the kernel for this signature; the message is its own.", "Change the Python line, or the types and constants of the signature.")
_row("FT105", "no signature", "Nothing says for which dtypes, ranks and constants to compile.", "Write a spec file beside the Python file, or give `--signature`; docs/signatures.md shows how.")
_row("FT106", "spec unreadable", "The spec file cannot be read, or is not TOML.", "Check the path and the line that the message names.")
_row("FT107", "spec wrong", "A field of the spec file is missing, unknown, or has a wrong value.", "Compare the named field with docs/signatures.md.")
_row("FT108", "symbol wrong", "The text given as a signature is not a mangled symbol, or is one of another kernel.", "Copy the symbol from cuda.tile; a spec file needs the ending `.toml`.")
_row("FT109", "front end failed", "cuda.tile broke down on a kernel, or wrote nothing; this is a fault of that package.", "Try a simpler form of the named line, and report it to cuTile Python.")
_row("FT110", "front end missing", "The Python package `cuda-tile` is not installed, or cannot be imported.", "pip install cuda-tile==1.7.0")
_row("FT111", "bad target", "The target is not the name of a GPU architecture.", "Use a name such as `sm_90` or `sm_100`.")
_row("FT112", "command failed", "The command that was to be captured ended with an error; its own messages say why.", "Make the command run by itself; `--keep-going` keeps what it launched before it failed.")
_row("FT113", "no launch captured", "The command ended well, and launched no kernel that could be seen.", "Run code that calls `ct.launch`, with a Python that imports `cuda.tile` and is not started with -I, -E or -S.")
_row("FT114", "folder in use", "The folder for the capture holds other files.", "Give `--out` a new or empty folder, or an earlier capture, which is replaced.")
_row("FT115", "record unreadable", "What the recorded processes left cannot be read.", "Run the command again; if it stays, report it with the version of cuda-tile in its environment.")
_row("FT116", "capture damaged", "The index of a capture has another form, or a file of it is missing or another one.", "Capture again; a capture is read as it was written.")
_row("FT117", "command does not start", "The command after `--` is not a program that can be started.", "Check its name and path; write it as in a shell, `-- python file.py`.")

# FT2xx ir
_row("FT200", "not Tile IR bytecode", "The file is empty, is text, or is no Tile IR bytecode.", "Give a `.tileirbc` file, or `file.py::kernel` for a kernel in Python.")
_row("FT201", "unknown bytecode version", "The bytecode has a version that this ferrotile does not read.", "Export the kernel again for a version from 13.1 to 13.5, or update ferrotile.")
_row("FT203", "bytecode cut short", "The bytecode ends in the middle of a record, or announces more than it holds.", "Copy or export the file again; it is not complete.")
_row("FT204", "malformed section", "A section, table or record of the bytecode is not well formed.", "Export the file again; if `tileirdisasm` accepts it, report it.")
_row("FT205", "bad reference", "The bytecode refers to a string, type, constant, value or debug record that does not exist.", "Export the file again; if `tileirdisasm` accepts it, report it.")
_row("FT206", "unknown operation", "The bytecode holds an operation or function that the table does not have, or at a place where it cannot stand.", "Run `ferrotile ops` for the table; export with an older cuda-tile, or update ferrotile.")
_row("FT207", "malformed type", "A type of the bytecode is unknown, or holds a type that it cannot hold.", "Export the file again; if `tileirdisasm` accepts it, report it.")
_row("FT208", "malformed attribute", "An attribute, flag or debug record of the bytecode is unknown or does not fit its field.", "Export the file again; if `tileirdisasm` accepts it, report it.")
_row("FT209", "nested too deep", "Types, attributes, debug records or regions contain themselves or are nested too deep.", "Export the file again; if `tileirdisasm` accepts it, report it.")
_row("FT210", "operation needs newer bytecode", "An operation does not exist in the bytecode version that is read or asked for.", "Ask for the bytecode version that `ferrotile ops` names for it.")
_row("FT211", "attribute needs newer bytecode", "An attribute, operand or result cannot be written in the bytecode version that is asked for.", "Ask for a newer bytecode version, or leave the attribute at its default.")
_row("FT212", "type needs newer bytecode", "A type does not exist in the bytecode version that is read or asked for.", "Ask for a newer bytecode version.")
_row("FT213", "wrong number of parts", "An operation has another number of operands, results, regions or blocks than its row says.", "Export the file again; if `tileirdisasm` accepts it, report it.")
_row("FT214", "string not UTF-8", "A string of the bytecode is not UTF-8.", "Export the file again; names of kernels and files must be UTF-8.")
_row("FT220", "wrong operand type", "An operand has a type that its operation does not take.", "Compare the operation with its row in docs/ops.md.")
_row("FT221", "wrong attribute", "An attribute is missing, or has a value that its operation does not take.", "Compare the operation with its row in docs/ops.md.")
_row("FT222", "value out of scope", "An operation uses a value that is not made before it.", "Make the value before the operation, in the same region or one around it.")
_row("FT223", "wrong result type", "A result has a type that its operation does not give.", "Compare the operation with its row in docs/ops.md.")
_row("FT224", "wrong region", "A region, its arguments or its last operation do not fit the operation around it.", "Compare the operation with its row in docs/ops.md.")
_row("FT250", "cannot be interpreted", "The interpreter has no meaning for an operation, or for an operation on this type.", "Run the kernel on a GPU, or report the kernel if it is public Tile IR.")
_row("FT251", "wrong arguments", "The arguments given to the interpreter do not fit the parameters of the kernel.", "Give one array or number for each parameter, as the kernel's signature lists them.")
_row("FT252", "does not end", "A block ran more loop rounds than the limit allows; it may wait for another block, and blocks run one after the other.", "Give a larger limit, or a block order in which the block that is waited for runs first.")
_row("FT226", "no such kernel", "A module of several kernels has none of the name that was asked for, or none was named.", "Use one of the names that the message lists, or the file without `::` for all of them.")
_row("FT225", "wrong symbol", "A name is declared twice, or used without being declared.", "Give each kernel and global a name of its own.")

# FT3xx lift
_row("FT301", "type without a Rust form", "A value has a type that cutile 0.5.0 cannot spell.", "Use one of the element types and views that docs/ops.md lists.")
_row("FT302", "operation without a Rust form", "cutile 0.5.0 has no way to write this operation, or not with these attributes.", "Rewrite the Python line with the operations that the message names; docs/ops.md lists what translates.")
_row("FT303", "constant without a Rust form", "A constant holds different elements, or a value that no Rust literal gives.", "Build the tile from `ct.arange`, `ct.full` and arithmetic.")
_row("FT304", "control flow without a Rust form", "A loop or branch leaves in a way that cutile 0.5.0 does not accept.", "Move the early `return` or `break` to the end of its block, or use a flag.")
_row("FT305", "reduction without a Rust form", "cutile 0.5.0 folds one tile, of at most 64 bits an element, by a function of these elements alone, and a kernel can define two such functions for reductions.", "Fold narrower elements or one tile at a time, apply values of the kernel before or after, or split the kernel.")
# FT306 and FT307 were refusals of arrays and views that have Rust forms now.

# FT4xx lower
_row("FT401", "no native extension", "The compiled part of ferrotile is missing or does not load.", "Run `make build`; on an installed package, install it again.")
_row("FT402", "no such entry", "The Rust text has no module or no function of the name that was asked for.", "Check the names in the request, or in proof.json.")
_row("FT403", "Rust syntax", "The Rust text does not parse.", "Correct the text at the named line.")
_row("FT404", "compiler refuses", "cutile's compiler refuses the Rust text for this target.", "Read its sentence and change the named line; a form that cutile lacks has no cure but another form.")
_row("FT405", "compiler broke off", "cutile's compiler panicked on the Rust text.", "Report it with the kernel text; another form of the named part may pass.")
_row("FT406", "environment changes code", "An environment variable of cutile is set that changes what kernels lower to.", "Unset the named variable.")
_row("FT407", "nested too deeply", "The Rust text nests expressions deeper than cutile's recursive compiler can take.", "Split the expression with `let`.")

# FT5xx check
_row("FT501", "map does not fit", "The parameter map gives another number of roles than the kernel has parameters, or one role twice in the reference.", "Use the `parameters` entry of the proof.json that belongs to these two files.")
_row("FT502", "not one kernel", "One of the two files holds no kernel, or more than one.", "Compare files with one kernel each, or name one: `file.tileirbc::kernel`.")
_row("FT503", "no fact of a launch", "A comparison is to assume a fact that it has no use for.", "Assume one block along an axis of the grid, as in `grid.y == 1`.")

# FT6xx host
_row("FT601", "no kernels", "A folder that should hold translated kernels holds no `kernel.rs`.", "Name the folder that `translate --out` wrote.")
_row("FT602", "not proved", "A translation that is to be exported is not EQUAL or REFINES.", "Translate it again; what differs or was refused is not exported.")
_row("FT603", "no form in C", "A parameter of a kernel cannot be passed by the C ABI, or a kernel has too many of them.", "Export the kernel without it, or give an array or a number in its place; docs/c-abi.md lists what is passed.")
_row("FT604", "specializations apart", "Two specializations of one kernel take other parameters, or answer the same calls.", "Export them as two libraries.")
_row("FT605", "no machine code", "tileiras does not compile a translated program for its target.", "Export the others; the message has tileiras' first line.")
_row("FT606", "no runtime", "The sources of the runtime that every exported library holds were not found.", "Name the source tree of ferrotile with `--runtime`.")
_row("FT607", "library does not build", "cargo did not make a library of the exported crate.", "Run `cargo build --release` in the folder for all that it says.")
_row("FT608", "target not translated", "Machine code is asked for an architecture that no bundle was translated for.", "Translate with `--target` for it, and name both folders.")
_row("FT609", "fact cannot be checked", "A proof assumes a fact of the launch that no check can be made of.", "Report it with the bundle; the library would launch what is not proved.")

# FT61x bundle
_row("FT610", "no proof", "A bundle has no proof.json, or it is not JSON of ours.", "Name a folder that `ferrotile translate --out` wrote, or the folder of such folders.")
_row("FT611", "proof of another format", "proof.json was written by another version of ferrotile.", "Verify it with the version that it names, or translate again.")
_row("FT612", "proof incomplete", "A claim in proof.json is missing, has a wrong form, or stands without the evidence that it needs.", "Translate again; a proof that was edited by hand proves nothing.")
_row("FT613", "file is not the proved one", "A file of the bundle is missing, or is another one than proof.json was written for.", "Get the bundle again from where it was made; do not trust this one.")
_row("FT614", "proof was edited", "The claims in proof.json are not those that its seal was made for.", "Get the bundle again from where it was made; do not trust this one.")
_row("FT615", "Rust is another program", "kernel.rs, lowered again, gives other bytecode or other checks than the bundle holds.", "Do not trust this bundle: its Rust text is not what was compared.")
_row("FT616", "claim does not hold", "Comparing the two bytecode files again gives another answer than proof.json claims.", "Do not trust this bundle; `ferrotile diff` shows the answer at length.")
_row("FT617", "other machine code", "The same version of tileiras makes other machine code of the two files than proof.json claims.", "Do not trust this bundle; `ferrotile diff --sass` shows the answer at length.")
_row("FT618", "results differ", "Reference and lowered program leave different numbers on the same inputs, although they are claimed to be equal.", "Report it with the bundle: either the claim or the interpreter is wrong.")
_row("FT619", "blocks not proved apart", "A kernel's Rust text has no `unsafe`, and nothing proves that what one block writes no other reads or writes.", "Store at block ids and numbers, or write the store in an `unsafe` block.")

# FT62x backend
_row("FT620", "kernel not proved", "A kernel that is to be launched in place of the reference was not proved to be it, or its kernel.rs was edited into another program.", "Change kernel.rs until it is EQUAL or REFINES, or remove its folder; `FERROTILE_REFUSED=reference` leaves refused kernels to cuTile Python.")
_row("FT621", "launch cannot be answered", "A launch passes a number that its parameter cannot hold, or has an option that is not supported.", "Change the argument or option; nothing was launched.")
_row("FT622", "driver refuses", "The CUDA driver is not there, or refused a call of a launch.", "Look up the driver's name for the error; `nvidia-smi` shows whether there is a GPU.")
_row("FT623", "TileGym not as known", "TileGym is not installed, or keeps its backends in another way than the versions that are known.", "Install the version that `pip install ferrotile[tilegym]` names.")
_row("FT624", "launch does not fit its kernel", "What is launched is no kernel, has another number of parameters, or cuda.tile refuses the arguments.", "Change the call; cuda.tile's own words are in the message.")
_row("FT625", "array cannot be used there", "An array of a launch is not on the stream's device, or its address, extents or strides cannot be those of an array.", "Move it to the device of the stream; look for who made the array.")
_row("FT626", "no such grid or stream", "The grid of a launch is no tuple of up to three numbers within the limits, or its stream is none.", "Change the call; a grid of no blocks launches nothing, so leave the launch out.")
_row("FT627", "launch lacks a fact", "A program was proved for launches with a fact about the grid or an array, and this launch does not have it.", "Launch with a grid that the message allows, or translate at `--level faithful`.")

# FT63x crate
_row("FT630", "unsafe without a reason", "A kernel's Rust text calls a function in an `unsafe` block for which the list of reasons has no row.", "Report it with the bundle; what the call may do to memory is not known.")

# FT64x transplant
_row("FT640", "no case", "A folder to transplant from has no case, or the case or a file of it is wrong.", "Write it again with `ferrotile transplant BUNDLE --pack FOLDER`.")
_row("FT641", "nothing to transplant", "A bundle has one program only, no launch can be made for it, or cuTile Python passes other things for the arguments.", "Name a bundle that is not refused; give arrays with `--inputs` that its signature takes.")
_row("FT642", "no GPU to transplant on", "There is no GPU, one of another architecture than the case is of, or torch is missing.", "Write the case with `--pack` here, and run `ferrotile transplant` on it where such a GPU is.")

# FT7xx bench
_row("FT701", "no figures in the run", "The file is not the JSON lines of a translate run, or nothing was translated in it.", "Write it with `ferrotile translate INPUT --json > run.jsonl`.")
_row("FT710", "no pack", "A folder to measure from has no plan, or the plan or a file of it is wrong.", "Make it again with `ferrotile bench pack`.")
_row("FT711", "bench package missing", "A package that device time is measured with is not installed.", "Install the named package on the machine with the GPU.")
_row("FT712", "driver error", "The CUDA driver refused a call, or there is no GPU.", "Look up the driver's name for the error; `nvidia-smi` shows whether there is a GPU.")
_row("FT713", "events lost", "CUPTI gave another number of kernel records than kernels were launched, so the run counts for nothing.", "Run it again, with nothing else using CUPTI on the machine.")
_row("FT714", "measurement broke off", "The process that measured a pair died, or did not end in time.", "Run that pair alone; a kernel that reaches outside its arrays ends its process.")
_row("FT715", "harness not trusted", "Device times of kernels whose ratio is known came out wrong, so nothing was measured.", "Look for another program on the GPU, or a clock that changes; then run it again.")
_row("FT716", "no device times", "A file of device times cannot be read, or every pair in it is void.", "Name the file that `ferrotile bench run --out` wrote; the reason stands in each void line.")

# FT8xx workflow
_row("FT801", "no such input", "An input path does not exist, or a folder holds no `.tileirbc` file.", "Check the path; a kernel in Python is written `file.py::kernel`.")
_row("FT802", "worker died", "The process that translated this input ended without an answer.", "Run this input alone with `--jobs 1`; report it with the input file.")
_row("FT805", "took too long", "A step did not come to an end on this input.", "Report it with the input file.")
_row("FT804", "no kernel", "The bytecode holds no kernel.", "Give the bytecode of a module with a `ct.kernel` in it.")
_row("FT803", "unexpected exception", "A part of ferrotile raised an exception that it should not.", "Report it with the input file and the printed exception.")
_row("FT806", "wrong arguments", "The arrays and numbers given for a kernel are not those that its signature asks for.", "Give each parameter by its name: `--inputs x=x.npy`, `--inputs y=100x64` for an array that the kernel fills, `--scalar n=3`.")
_row("FT807", "no such name", "No value of the kernel has the name that is to be watched.", "Use one of the names that the message lists: variables of the Python source.")
_row("FT810", "another run's folder", "The folder holds a run of something else, or files that belong to no run.", "Name another folder; a run goes on only with the request that it began with.")
_row("FT811", "artifact malformed", "A file of a run is missing, or is not by its JSON Schema.", "Run the stage again; files of a run are not to be edited.")
_row("FT812", "artifact untrue", "A file of a run claims what the files that it is about do not give.", "Do not trust this run; begin it anew.")
_row("FT813", "run was changed", "A file of a finished stage is not the one that the journal recorded.", "`ferrotile run` makes the stage again; do not accept this folder.")
_row("FT814", "no run", "The folder holds no run.", "Name the folder that `ferrotile run --out` wrote.")
_row("FT815", "contract broken", "A run lacks a file of the output contract, has one that is not in it, or did not follow the route table.", "Begin the run anew; docs/workflow.md has the contract and the table.")
_row("FT820", "command fails", "The command that was given a stage does not start, cannot be confined, or ends with an error.", "Run it by hand with the prompt in `prompt.txt`; what it printed is beside that.")
_row("FT821", "wrote elsewhere", "The command left files or links in its folder that its stage may not write.", "Name in its instructions the files that TASK.md lists; scratch files belong into TMPDIR.")
_row("FT822", "changed what it read", "The command changed a file of the run, or of the input, that it may only read.", "Do not use this command without bubblewrap or Landlock; `ferrotile run` makes changed stages again.")
_row("FT823", "no verdict in form", "The command left no verdict.json, or one that is not by its schema or of another stage.", "TASK.md has the form; one repair of it is asked for by itself.")
_row("FT824", "command took too long", "The command did not end within its time, and was ended with all that it started.", "Give it more with `--agent-time`.")
_row("FT825", "command printed too much", "The command printed more than it may, and was ended.", "Let it print less; files are for results.")
_row("FT826", "more than a kernel", "A kernel.rs holds more than one cuTile module of plain kernel functions.", "Leave out what the message names: nothing but the kernel belongs into this file.")
_row("FT827", "verdict not true", "The verdict that the command gave is not what its files give.", "Read the reasons; the next try gets them too.")
_row("FT828", "no such stage", "An option names a stage that there is not, or that cannot be given to a command.", "Use one of the names that the message lists.")
_row("FT840", "no such operator", "A batch was asked for an operator that its inputs do not hold, or that two of them hold.", "Use the names that the message lists, or `--ops all`.")
_row("FT841", "no checkout", "`--repo` names no git checkout with a commit, or `--into` no folder in it.", "Name the folder of a checkout; `--into` is relative to it and ends with a name that holds `{op}`.")
_row("FT842", "git fails", "A git command on the checkout of a batch did not succeed.", "Run it by hand; `git worktree prune` and `git worktree list` show what is there.")
_row("FT843", "branch is there", "The branch for an operator is there already, with commits that are not of this batch.", "Rename or delete it, or name others with `--branches`.")
_row("FT844", "checkout changed", "An operator's checkout was changed while its run worked elsewhere, so nothing was committed.", "Do not use this command without bubblewrap or Landlock; begin the operator anew.")
_row("FT845", "no dask", "`--scheduler` needs the package dask.distributed.", "pip install 'ferrotile[cluster]'.")
_row("FT846", "no such worker", "No dask scheduler answers there, or none of its workers has the label that operators ask for.", "Start workers with `--resources cpu=1` or `gpu=1`, and name the label with `--label`.")
_row("FT847", "attempted, not judged", "A worker died before an operator of a batch was judged.", "Run the same command again: it goes on with what is not judged.")

# FT9xx report and cli
_row("FT901", "unknown code", "`explain` was asked for a code that is not in the table.", "Run `ferrotile explain` without a code for the list.")
_row("FT902", "wrong option", "An option of the command line has a value that it cannot have.", "Run the command with `--help` for what it takes.")
