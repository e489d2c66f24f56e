"""A kernel.rs holds one module of kernel functions: what leads out of it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from ferrotile.core import FerrotileError
from ferrotile.workflow.stages.kernel_text import require_plain

GOLDEN = sorted((Path(__file__).parents[1] / "golden" / "lift").glob("*.rs"))
PLAIN = """\
// A comment with extern "C" and std::process in it.
#[cutile::module]
pub mod add {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Adds; see `std::ops` /* and */ "extern".
    #[cutile::entry()]
    #[allow(clippy::too_many_arguments)]
    pub unsafe fn add(x: &Tensor<f32, { [-1] }>, n: i32) {
        let a: Tile<f32, { [16] }> = load(x, [0], shape![16]);
        let b: i32 = if n != 1 { 2 } else { i32::MAX };
        let c: Tile<f32, { [16] }> = a + constant(f32::INFINITY, const_shape![16]);
    }
}
"""
ADDED = {
    "foreign functions": 'extern "C" { fn system(s: *const u8) -> i32; }',
    "static": "static X: i32 = 1;",
    "other crate": "use std::process::Command;",
    "all of cutile": "use cutile::api::*;",
    "path": "pub fn f() { std::process::exit(0) }",
    "path of the core": "pub fn f() { core::arch::x() }",
    "path from the root": "pub fn f() { ::libc::fork(); }",
    "outward path": "pub fn f() { super::g() }",
    "included text": 'pub fn f() { include!("/etc/passwd") }',
    "included reference": 'const R: &[u8] = include_bytes!("reference.tileirbc");',
    "assembler": 'pub fn f() { asm!("ret") }',
    "own macro": "macro_rules! m { () => { } }",
    "inner module": "mod inner { pub fn f() { } }",
    "attribute": "#[no_mangle] pub fn f() { }",
    "attribute with a comment": "#[/* x */ link_section = 2] pub fn f() { }",
    "inner attribute": "#![feature(asm)]",
    "raw name": "pub fn f() { r#extern() }",
    "trait": "impl Drop for X { fn drop(&mut self) { } }",
}


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_lifted_kernels_are_plain(path: Path):
    require_plain(path.read_text())


def test_words_in_comments_and_strings_lead_nowhere():
    require_plain(PLAIN)


@pytest.mark.parametrize("what", ADDED)
def test_what_leads_out_is_refused_inside_the_module(what: str):
    text = PLAIN.replace("    #[cutile::entry()]", f"    {ADDED[what]}\n    #[cutile::entry()]")
    with pytest.raises(FerrotileError, match="FT826"):
        require_plain(text)


@pytest.mark.parametrize("item", ["fn main() { }", "#[cutile::module] mod other { }", "#[ctor] fn start() { }"])
@pytest.mark.parametrize("where", ["before", "behind"])
def test_nothing_stands_beside_the_module(item: str, where: str):
    with pytest.raises(FerrotileError, match="FT826"):
        require_plain(f"{item}\n{PLAIN}" if where == "before" else f"{PLAIN}\n{item}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PASS COMPILED cutile::module entry load store softmax",
        PLAIN.removesuffix("}\n"),
        PLAIN + "/* ",
        PLAIN.replace('"extern"', '"extern"\n    extern crate libc; //'),
    ],
)
def test_text_that_is_no_module_is_refused(text: str):
    with pytest.raises(FerrotileError, match="FT826"):
        require_plain(text)


def test_quotes_do_not_hide_code():
    hidden = PLAIN.replace("let b:", "let q = '\"'; std::process::abort(); let r = '\"'; let b:")
    with pytest.raises(FerrotileError, match=r"FT826.*std"):
        require_plain(hidden)
    fenced = PLAIN.replace("let b:", 'let q = r#"x" y"#; std::process::abort(); let b:')
    with pytest.raises(FerrotileError, match=r"FT826.*std"):
        require_plain(fenced)
