"""A checkout for one operator: a worktree and a branch of its own, without what is there already in Rust.

`git` runs one command at a time for all operators of a batch, since they share a repository.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ferrotile.core import InputError, folders, store, tools
from ferrotile.workflow.operators.records import BatchRequest, Checkout, Committed

TIME_S, PATIENCE_S = 300.0, 900.0
MARK = "Ferrotile-Batch"


@dataclass(frozen=True, slots=True)
class Tree:
    """An operator's worktree. `branch` is its branch; `lock` the folder to hold while git works."""

    checkout: Checkout
    folder: Path
    branch: str
    mark: str
    lock: Path


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    """What a git command prints. Raises: FT001, FT002, FT842."""
    ran = tools.run("git", ["-C", str(folder), *arguments], timeout_s=TIME_S, stdin=stdin, keep=_KEPT)
    if ran.code != 0:
        raise InputError("FT842", f"`git {arguments[0]}` fails in `{folder}`: {ran.first_line}")
    return ran.stdout.decode(errors="replace").strip()


_KEPT = ("SSH_AUTH_SOCK",)


def commit_of(folder: Path) -> tuple[Path, str]:
    """The top folder of a checkout and the commit it stands at. Raises: FT001, FT841."""
    try:
        return Path(git(folder, "rev-parse", "--show-toplevel")), git(folder, "rev-parse", "--verify", "HEAD^{commit}")
    except InputError as error:
        raise InputError("FT841", f"`{folder}` is no git checkout with a commit: {error.message}") from None


def tree_of(request: BatchRequest, place: Path) -> Tree | None:
    """The worktree of the operator that works in `place`, if the batch has a checkout."""
    checkout = request.checkout
    if checkout is None:
        return None
    branch = f"{checkout.branches}/{place.name}"
    return Tree(checkout, place / "checkout", branch, f"{MARK}: {request.id}", place.parent / ".git-lock")


def opened(tree: Tree) -> None:
    """Make worktree and branch afresh; what a cut-off batch left of them goes. Raises: FT842, FT843, FT004."""
    with folders.awaited(tree.lock, PATIENCE_S):
        _removed(tree)
        git(_repository(tree), "worktree", "add", "--quiet", "-b", tree.branch, str(tree.folder), tree.checkout.base)
        patterns = [f":(glob){_filled(tree, pattern)}" for pattern in tree.checkout.hide]
        hidden = git(tree.folder, "ls-files", "-z", "--", *patterns).split("\0") if patterns else []
        _skip(tree, [name for name in hidden if name])


def closed(tree: Tree, *, keep_branch: bool) -> None:
    """Remove the worktree, and the branch unless something was committed to it. Raises: FT842, FT843, FT004."""
    with folders.awaited(tree.lock, PATIENCE_S):
        if not keep_branch:
            _removed(tree)
            return
        git(_repository(tree), "worktree", "remove", "--force", str(tree.folder))


def committed(tree: Tree, files: dict[str, bytes], message: str) -> Committed:
    """Write files below the operator's folder, commit them and nothing else, push if asked.

    Raises: FT842 git fails, FT844 somebody changed the checkout meanwhile, FT004.
    """
    with folders.awaited(tree.lock, PATIENCE_S):
        if changed := git(tree.folder, "status", "--porcelain", "--untracked-files=all"):
            raise InputError("FT844", f"somebody changed the checkout: `{changed.splitlines()[0]}`")
        into = _filled(tree, tree.checkout.into)
        there = [name for name in git(tree.folder, "ls-files", "-z", "--", f":(literal){into}").split("\0") if name]
        _skip(tree, there, again=True)
        folders.discard(tree.folder / into)
        for name, data in files.items():
            store.write_bytes(tree.folder / into / name, data)
        git(tree.folder, "add", "--all", "--", f":(literal){into}")
        if git(tree.folder, "diff", "--cached", "--name-only"):
            text = f"{message}\n\n{tree.mark}\n"
            git(tree.folder, "commit", "--quiet", "--cleanup=verbatim", "--file=-", stdin=text.encode())
        made = Committed(branch=tree.branch, commit=git(tree.folder, "rev-parse", "HEAD"))
        if (remote := tree.checkout.push) is None:
            return made
        git(tree.folder, "push", "--quiet", remote, f"HEAD:refs/heads/{tree.branch}")
        return made.model_copy(update={"pushed": remote})


def _removed(tree: Tree) -> None:
    """Remove worktree and branch; a branch with commits of others stays. Raises: FT842, FT843, FT004."""
    repository = _repository(tree)
    folders.discard(tree.folder)
    git(repository, "worktree", "prune")
    tip = git(repository, "for-each-ref", "--format=%(objectname)", f"refs/heads/{tree.branch}")
    if not tip:
        return
    if tip != tree.checkout.base and tree.mark not in git(repository, "log", "-1", "--format=%B", tip):
        raise InputError("FT843", f"the branch `{tree.branch}` is there already, and not of this batch")
    git(repository, "branch", "--quiet", "-D", tree.branch)


def _skip(tree: Tree, names: Sequence[str], *, again: bool = False) -> None:
    """Take files out of the checkout without a change to commit, or (`again`) let git look at them once more."""
    flag = "--no-skip-worktree" if again else "--skip-worktree"
    git(tree.folder, "update-index", flag, "-z", "--stdin", stdin="\0".join(names).encode())
    for name in () if again else names:
        folders.discard(tree.folder / name)


def _repository(tree: Tree) -> Path:
    return Path(tree.checkout.folder)


def _filled(tree: Tree, text: str) -> str:
    return text.replace("{op}", tree.branch.rpartition("/")[2])
