//! The operands of Hidet's `asm(template, outputs=[…], inputs=[…])`, of which its compiler makes a statement of CUDA C++.

use super::call_arguments::CallArguments;
use super::tree::{PythonNode, children};
use crate::inline_asm::{AsmOperand, Clobber};
use crate::llvm::LlvmConstraints;
use std::ops::Range;

/// The lists in the order of the operands' numbers, and whether they are written.
const LISTS: [(&str, bool); 3] = [("outputs", true), ("output_inputs", true), ("inputs", false)];

/// Whether a text may call the function.
pub(super) fn is_used_in(text: &str) -> bool {
    text.contains("hidet") && text.contains("asm(")
}

/// The operands of a call. Their types are not known, nor whether the statement clobbers memory.
pub(super) fn operands(arguments: &CallArguments, keyword: Range<usize>) -> LlvmConstraints {
    let mut made = LlvmConstraints { open: arguments.is_open(), ..LlvmConstraints::default() };
    made.clobbers.push(Clobber { range: keyword, name: None, branches: Vec::new() });
    for (name, output) in LISTS {
        let Some(list) = arguments.named(name) else { continue };
        let values = children(list);
        if list.kind() != "list" || values.iter().any(|value| value.kind() == "list_splat") {
            made.open = true;
            break;
        }
        made.operands.extend(values.into_iter().map(|value| operand(value, output)));
    }
    made
}

fn operand(value: PythonNode, output: bool) -> AsmOperand {
    AsmOperand {
        output,
        name: None,
        constraint_at: value.byte_range(),
        constraint: None,
        register: None,
        bits: None,
        expression: value.byte_range(),
        branches: Vec::new(),
    }
}
