//! The instructions in a part of the text.

use crate::instruction::Instruction;
use crate::node_kinds::KINDS;
use crate::source::SourceFile;
use std::ops::Range;
use tree_sitter::TreeCursor;

/// Visits the instructions that touch a byte range, in order.
pub fn instructions<'a>(file: &'a SourceFile, within: Range<usize>, mut see: impl FnMut(Instruction<'a>)) {
    let mut cursor = file.root().walk();
    let mut depth = 0usize;
    let mut more = descend(&mut cursor, within.start);
    while more {
        let node = cursor.node();
        let past = node.start_byte() > within.end;
        if !past && node.end_byte() >= within.start {
            let kind = node.kind_id();
            if kind == KINDS.instruction {
                if let Some(instruction) = Instruction::new(file, node) {
                    see(instruction);
                }
            } else if ([KINDS.function, KINDS.block, KINDS.basic_block, KINDS.misplaced_code].contains(&kind)
                || node.is_error())
                && descend(&mut cursor, within.start)
            {
                depth += 1;
                continue;
            }
        }
        more = !past && cursor.goto_next_sibling();
        while !more && depth > 0 {
            depth -= 1;
            cursor.goto_parent();
            more = cursor.goto_next_sibling();
        }
    }
}

/// Moves to the first child that may touch an offset.
fn descend(cursor: &mut TreeCursor, offset: usize) -> bool {
    let from = offset.saturating_sub(1);
    if cursor.node().start_byte() < from {
        cursor.goto_first_child_for_byte(from).is_some() || cursor.goto_first_child()
    } else {
        cursor.goto_first_child()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_of_a_range() {
        let text = ".entry a() { ret; }\n.entry b() { trap; { exit; } L: bra L; }\n.entry c() { ret; }";
        let file = SourceFile::parse(text);
        let opcodes = |within: Range<usize>| {
            let mut opcodes = Vec::new();
            instructions(&file, within, |instruction| opcodes.push(instruction.opcode_token().text.into_owned()));
            opcodes
        };
        assert_eq!(opcodes(0..text.len()), ["ret", "trap", "exit", "bra", "ret"]);
        let exit = text.find("exit").unwrap();
        assert_eq!(opcodes(exit..exit), ["exit"]);
        let label = text.find("L:").unwrap();
        assert_eq!(opcodes(exit..label), ["exit"]);
        assert_eq!(opcodes(text.len()..text.len()), Vec::<String>::new());
        let stray = SourceFile::parse(".version 8.0\n.target sm_90\nadd.u32 a, b, 1;\n");
        let mut found = 0;
        instructions(&stray, 0..40, |_| found += 1);
        assert_eq!(found, 1);
    }
}
