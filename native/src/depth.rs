//! Refuses text that would overflow the compiler's stack: an overflow ends the process, unlike a panic.

use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Measured: up to 1.4 MB of stack a level (nested `for`), 0.5 MB a level (a chain of operators).
pub const DEEPEST_EXPRESSION: usize = 512;

/// The parser needs far less stack a level, but it runs before any tree can be measured.
const DEEPEST_BRACKET: usize = 8192;

struct Depth {
    now: usize,
    first_too_deep: Option<LineColumn>,
}

impl<'ast> Visit<'ast> for Depth {
    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        self.now += 1;
        if self.now <= DEEPEST_EXPRESSION {
            visit::visit_expr(self, expr);
        } else if self.first_too_deep.is_none() {
            self.first_too_deep = Some(expr.span().start());
        }
        self.now -= 1;
    }
}

/// Where `module` nests expressions deeper than the compiler can take.
pub fn too_deep(module: &syn::ItemMod) -> Option<LineColumn> {
    let mut depth = Depth {
        now: 0,
        first_too_deep: None,
    };
    depth.visit_item_mod(module);
    depth.first_too_deep
}

/// Whether brackets alone, those in comments and strings included, could overflow the parser.
pub fn has_too_many_open_brackets(text: &str) -> bool {
    let mut open = 0usize;
    text.bytes().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' | b'<' => open += 1,
            b')' | b']' | b'}' | b'>' => open = open.saturating_sub(1),
            _ => {}
        }
        open > DEEPEST_BRACKET
    })
}
