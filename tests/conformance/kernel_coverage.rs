//! Which instructions the emulator executes, against what `explain coverage` says: an instruction of each family and type that the assembler accepts.

use isa::Module;
use isa::target::{Target, Version};
use kernel::Kernel;
use kernel::reports::coverage::ends_run;
use program::{MachineAction, TensorAction, TileElements, WarpgroupInstruction};
use std::collections::BTreeSet;
use support::{evidence, gunzip};
use syntax::LintFile;

/// Whether a run ends at an instruction; `None` if the kernel cannot be lowered for another reason.
fn is_unsupported(declarations: &str, target: &str, instruction: &str) -> Option<bool> {
    let text = format!(".version 9.5\n.target {target}\n.address_size 64\n{declarations}\n{instruction}\nret; }}\n");
    let module = Module { target: Target::parse(target), version: Version::parse("9.5") };
    let kernel = Kernel::lower(&LintFile::parse(&text), module, "k").ok()?;
    let code = kernel.program.functions.iter().flat_map(|function| &function.code);
    // `check` follows what `tcgen05` accesses; a run ends there.
    let ends = |action: &MachineAction| match action {
        MachineAction::Unsupported(_) => true,
        MachineAction::Warpgroup(WarpgroupInstruction::Multiply(multiply)) => multiply.product.is_none(),
        MachineAction::Tensor(instruction) => match &instruction.action {
            TensorAction::Load(tile, _) | TensorAction::Store(tile, _) => tile.elements == TileElements::Spread,
            TensorAction::Multiply(_) | TensorAction::Copy(_) | TensorAction::Shift(..) => true,
            _ => false,
        },
        _ => false,
    };
    Some(code.into_iter().any(|one| ends(&one.action)))
}

#[test]
fn what_ends_a_run_is_listed() {
    let folder = std::fs::read_dir(evidence("operands").join("kinds")).expect("the recordings");
    let (mut asked, mut wrong) = (BTreeSet::new(), Vec::new());
    for group in folder {
        let recorded = gunzip(&group.expect("an entry").path());
        let mut lines = recorded.lines();
        let declarations = lines.next().expect("the declarations");
        for line in lines.skip(1) {
            let [target, _, instruction, _] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            if !asked.insert(instruction.to_owned()) {
                continue;
            }
            let opcode = instruction.split([' ', ';']).next().unwrap_or_default();
            let is_listed = ends_run(opcode);
            if is_unsupported(declarations, target, instruction) == Some(!is_listed) {
                wrong.push(format!("{} {instruction}", if is_listed { "runs:" } else { "ends a run:" }));
            }
        }
    }
    assert!(asked.len() > 1_200, "{}", asked.len());
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
