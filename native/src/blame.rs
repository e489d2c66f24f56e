//! Finds the statement behind a fault that the compiler reports without a place, a panic above all.
//!
//! The compiler takes statements in order, so the first prefix of the entry that fails in the same way
//! ends with the culprit. Only faults pay for this.

use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::{Block, Expr, ItemMod, Stmt};

use crate::lower::{entry_of, Failure, Lowered};
use crate::request::Request;

/// A prefix of a block: `[2]` keeps two statements; `[2, 1]` those, and of the third, a `for`, one statement.
type Cut = Vec<usize>;

fn loop_body(statement: &mut Stmt) -> Option<&mut Block> {
    match statement {
        Stmt::Expr(Expr::ForLoop(each), _) => Some(&mut each.body),
        _ => None,
    }
}

fn shorten(block: &mut Block, cut: &[usize]) {
    let (&keep, inner) = cut.split_first().expect("a cut has a first part");
    block.stmts.truncate(keep + usize::from(!inner.is_empty()));
    if !inner.is_empty() {
        if let Some(body) = block.stmts.last_mut().and_then(loop_body) {
            shorten(body, inner);
        }
    }
}

/// The statements of the block that the cut's last part counts in.
fn innermost<'a>(mut block: &'a mut Block, cut: &[usize]) -> &'a mut Vec<Stmt> {
    for &index in &cut[..cut.len() - 1] {
        block = loop_body(&mut block.stmts[index]).expect("a cut descends into loops only");
    }
    &mut block.stmts
}

/// The first count of statements at the cut's last part for which `fails`, if it needs any statement.
fn first_failing(mut cut: Cut, total: usize, fails: &dyn Fn(&Cut) -> bool) -> Option<Cut> {
    let last = cut.len() - 1;
    let mut at = |keep: usize| {
        cut[last] = keep;
        fails(&cut)
    };
    if at(0) || !at(total) {
        return None;
    }
    let (mut good, mut bad) = (0, total);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if at(middle) {
            bad = middle;
        } else {
            good = middle;
        }
    }
    cut[last] = bad - 1;
    Some(cut)
}

/// The start of the innermost statement whose removal, with all after it, makes the fault go away.
pub fn statement(
    request: &Request,
    module: &ItemMod,
    fault: &Failure,
    attempt: &dyn Fn(ItemMod) -> Result<Lowered, Failure>,
) -> Option<LineColumn> {
    let fails = |cut: &Cut| {
        let mut shorter = module.clone();
        if let Some(entry) = entry_of(&mut shorter, &request.entry) {
            shorten(&mut entry.block, cut);
        }
        let found = attempt(shorter).err();
        found.is_some_and(|f| f.kind == fault.kind && f.message == fault.message)
    };
    let mut module = module.clone();
    let block = &mut entry_of(&mut module, &request.entry)?.block;
    let mut cut = vec![0];
    let mut found = None;
    loop {
        let total = innermost(block, &cut).len();
        let Some(culprit) = first_failing(cut, total, &fails) else {
            return found;
        };
        let index = culprit[culprit.len() - 1];
        let statement = &mut innermost(block, &culprit)[index];
        found = Some(statement.span().start());
        if loop_body(statement).is_none() {
            return found;
        }
        cut = culprit;
        cut.push(0);
    }
}
