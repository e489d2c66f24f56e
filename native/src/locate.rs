//! Walks over a lowered module: the kernel line for errors of the bytecode writer, and a stable order of hints.

use cutile_ir::ir::{Attribute, Location, Module, OpId, RegionId};

use crate::lower::Failure;

/// The operations of `module` in program order, nested ones after their parent.
fn operations(module: &Module) -> Vec<OpId> {
    let mut found = Vec::new();
    let mut waiting: Vec<OpId> = module.functions.iter().rev().copied().collect();
    while let Some(id) = waiting.pop() {
        found.push(id);
        for &region in module.op(id).regions.iter().rev() {
            waiting.extend(region_operations(module, region).into_iter().rev());
        }
    }
    found
}

fn region_operations(module: &Module, region: RegionId) -> Vec<OpId> {
    let blocks = &module.region(region).blocks;
    blocks
        .iter()
        .flat_map(|&block| module.block(block).ops.iter().copied())
        .collect()
}

fn position(location: &Location) -> Option<(&str, u32, u32)> {
    match location {
        Location::FileLineCol {
            filename,
            line,
            column,
        } => Some((filename, *line, *column)),
        Location::DebugInfo(info) => Some((&info.filename, info.line, info.column)),
        Location::CallSite { callee, caller } => position(callee).or_else(|| position(caller)),
        Location::Unknown => None,
    }
}

/// Gives a writer's `missing attribute 'x' on op Y` the line of the first such operation.
pub fn fill_place(mut failure: Failure, module: &Module) -> Failure {
    let Some((before, opcode)) = failure.message.rsplit_once(" on op ") else {
        return failure;
    };
    let attribute = before.rsplit('\'').nth(1).unwrap_or("");
    let mut operations = operations(module).into_iter().map(|id| module.op(id));
    let culprit = operations.find(|op| {
        format!("{:?}", op.opcode) == opcode.trim()
            && !op.attributes.iter().any(|(name, _)| name == attribute)
    });
    if let Some((file, line, column)) = culprit.and_then(|op| position(&op.location)) {
        (failure.file, failure.line, failure.column) =
            (file.to_string(), line as usize, column as usize);
    }
    failure
}

/// Sorts each operation's hints by name: cutile 0.5.0 leaves them in the order of a hash table, another
/// one at each compile.
pub fn settle_hints(module: &mut Module) {
    for id in operations(module) {
        for (_, attribute) in &mut module.op_mut(id).attributes {
            if let Attribute::OptimizationHints(hints) = attribute {
                for (_, values) in &mut hints.entries {
                    values.sort_by(|a, b| a.0.cmp(&b.0));
                }
            }
        }
    }
}
