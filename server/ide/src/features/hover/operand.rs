//! What an operand is to its instruction: the matrix whose part it holds, the bytes that it selects, the function that it is the table of.

use super::truth_table;
use crate::Hover;
use diagnostics::{Context, Snapshot};
use isa::{MatrixRole, OperandSpec, Resolution, ResolvedInstruction, Spelling};
use std::ops::Range;
use syntax::{Instruction, Operand, OperandKind, integer_value};

/// The hover on a name or a number, with what it is to the instruction at an offset. Signs of an operand have a hover only then.
pub(super) fn with_role(snapshot: &Snapshot, offset: usize, hover: Option<Hover>) -> Option<Hover> {
    let Some((range, role)) = role_at(snapshot, offset) else { return hover };
    Some(match hover {
        Some(hover) => Hover { markdown: format!("{role}\n\n{}", hover.markdown), ..hover },
        None => Hover::new(range, role),
    })
}

/// The operand at an offset, and what it is.
fn role_at(snapshot: &Snapshot, offset: usize) -> Option<(Range<usize>, String)> {
    let instruction = snapshot.file.instruction_at(offset)?;
    let covers = |range: &Range<usize>| range.start <= offset && offset <= range.end;
    let operands = instruction.operands();
    let at = operands.iter().position(|operand| covers(&operand.token.range))?;
    let resolved = resolved(snapshot, &instruction)?;
    let spec = specs(&resolved, operands.len()).into_iter().nth(at)?;
    let operand = &operands[at];
    // The name of an address has its brackets.
    let role = match (resolved.family.name, spec.name.trim_matches(['[', ']'])) {
        ("lop3", "immLut") => function(operand)?,
        ("prmt", "c") => selected_bytes(&resolved, operand)?,
        (_, name) => matrix(&resolved, name, operand, offset)?,
    };
    Some((operand.token.range.clone(), role))
}

/// The instruction by the tables, on any target.
fn resolved(snapshot: &Snapshot, instruction: &Instruction) -> Option<ResolvedInstruction> {
    let opcode = instruction.opcode();
    let words = opcode.words();
    let spelling = Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words };
    [Context::new(snapshot).module, isa::Module::default()].iter().find_map(|module| {
        match isa::resolve(&spelling, module) {
            Resolution::Legal(resolved) => Some(resolved),
            _ => None,
        }
    })
}

/// The list of operands with a number of them; the first if there is none.
fn specs(resolved: &ResolvedInstruction, count: usize) -> Vec<OperandSpec> {
    let fitting = resolved.operand_lists().find(|list| list.len() == count);
    fitting.unwrap_or_else(|| resolved.operands().collect())
}

/// The matrix whose part an operand holds.
fn matrix(resolved: &ResolvedInstruction, name: &str, operand: &Operand, offset: usize) -> Option<String> {
    if resolved.family.name.starts_with("tcgen05.mma") {
        return tensor_operand(name, operand);
    }
    let matrix = resolved.matrix_operand(name)?;
    let summary = matrix.summary();
    if operand.kind != OperandKind::Vector {
        return Some(format!("{summary}, by its descriptor."));
    }
    let lanes = operand.lanes();
    let covers = |lane: &Operand| lane.token.range.start <= offset && offset <= lane.token.range.end;
    let register = lanes.iter().position(covers);
    let which = match register {
        Some(register) => format!(", register {register} of {}.", lanes.len()),
        None => format!(", in {} registers of each thread.", lanes.len()),
    };
    let layout = matrix.layout_page(register.map(|register| register as u32));
    Some([Some(summary + &which), layout].into_iter().flatten().collect::<Vec<_>>().join("\n\n"))
}

/// An operand of a product in tensor memory, whose descriptor says how large the matrices are.
fn tensor_operand(name: &str, operand: &Operand) -> Option<String> {
    if name == "idesc" {
        return Some("**Instruction descriptor**: the types, the majors and the sizes of the matrices.".to_owned());
    }
    let role = MatrixRole::of(name)?;
    let place = match operand.kind {
        OperandKind::Address => "in tensor memory",
        _ => "in shared memory, by its descriptor",
    };
    Some(format!(
        "**Matrix {}**, {}, {place}. The instruction descriptor has its size and type.",
        role.letter(),
        role.summary()
    ))
}

/// The function whose truth table the immediate of `lop3` is.
fn function(operand: &Operand) -> Option<String> {
    let table = u8::try_from(integer_value(&operand.token.text)?).ok()?;
    Some(format!("`0x{table:02X}`: `{}`", truth_table::expression(table)))
}

/// The bytes that the selector of `prmt` takes, the highest first.
fn selected_bytes(resolved: &ResolvedInstruction, operand: &Operand) -> Option<String> {
    let selector = integer_value(&operand.token.text)?;
    if resolved.word("mode").is_some() {
        return None;
    }
    let byte = |at: u32| {
        let nibble = selector >> (4 * at) & 15;
        let (register, number) = (if nibble & 4 == 0 { "a" } else { "b" }, nibble & 3);
        match nibble & 8 {
            0 => format!("{register}.b{number}"),
            _ => format!("sign of {register}.b{number}"),
        }
    };
    let bytes: Vec<String> = (0..4).rev().map(byte).collect();
    Some(format!("`0x{:04X}`: the bytes of the result, the highest first: `{}`", selector & 0xFFFF, bytes.join(", ")))
}

#[cfg(test)]
mod tests {
    use crate::features::HoverProvider;
    use crate::features::names::tests::{marked, snapshot};

    fn hover(statement: &str) -> Option<String> {
        let head = ".version 8.6\n.target sm_90a\n.entry k()\n{\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n.reg .pred p;\n";
        let (plain, marks) = marked(&format!("{head}{statement}\nret;\n}}\n"));
        snapshot(&plain).hover(marks[0]).map(|hover| hover.markdown)
    }

    #[test]
    fn operands_of_a_product_have_their_matrix_and_layout() {
        let mma = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};";
        let d = hover(&mma.replacen("%f2", "%f$02", 1)).expect("a hover");
        assert!(
            d.starts_with("**Matrix D**, the result: 16 × 8 elements of `.f32`, register 1 of 4.\n\nLane `t` holds"),
            "{d}"
        );
        assert!(d.contains("| **0** | t0 r0 | **t0 r1** | t1 r0 |"), "{d}");
        assert!(d.contains("Register `%f2`"), "the declaration stays: {d}");
        let b = hover(&mma.replace("%r6", "%r$06")).expect("a hover");
        assert!(b.starts_with("**Matrix B**, the right factor: 16 × 8 elements of `.f16`, register 1 of 2."), "{b}");
        let brace = hover(&mma.replace("{%r5", "$0{%r5")).expect("a hover");
        assert!(
            brace.starts_with("**Matrix B**, the right factor: 16 × 8 elements of `.f16`, in 2 registers"),
            "{brace}"
        );
    }

    #[test]
    fn operands_of_a_warpgroup_are_told_too() {
        let wgmma =
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, p, 1, 1, 0, 0;";
        let d = hover(&wgmma.replace("%f3", "%f$03")).expect("a hover");
        assert!(
            d.contains("**Matrix D**, the result: 64 × 8 elements of `.f32`") && d.contains("Thread `t` holds"),
            "{d}"
        );
        let a = hover(&wgmma.replace("%rd1", "%rd$01")).expect("a hover");
        assert!(a.starts_with("**Matrix A**, the left factor: 64 × 16 elements of `.f16`, by its descriptor."), "{a}");
        let registers = wgmma.replace("%rd1,", "{%r1, %r2, %r$03, %r4},").replace("1, 1, 0, 0", "1, 1, 0");
        let a = hover(&registers).expect("a hover");
        assert!(a.contains("Matrix A") && a.contains("| **8** | t0 r1 |") && a.contains("**t0 r2**"), "{a}");
    }

    #[test]
    fn operands_in_tensor_memory_have_their_role() {
        let head = ".version 8.7\n.target sm_100a\n.entry k()\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred p;\n";
        let mma = "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, p;";
        for (cursor, expected) in [
            ("[%r$01]", "**Matrix D**, the result, in tensor memory."),
            ("%rd$01,", "**Matrix A**, the left factor, in shared memory, by its descriptor."),
            ("%rd$02,", "**Matrix B**, the right factor, in shared memory"),
            ("%r$02,", "**Instruction descriptor**: "),
        ] {
            let (plain, marks) =
                marked(&format!("{head}{}\nret;\n}}\n", mma.replace(&cursor.replace("$0", ""), cursor)));
            let said = snapshot(&plain).hover(marks[0]).map(|hover| hover.markdown).unwrap_or_default();
            assert!(said.starts_with(expected), "{cursor}: {said}");
        }
    }

    #[test]
    fn immediates_are_read_as_their_instruction_reads_them() {
        let table = hover("lop3.b32 %r1, %r2, %r3, %r4, 0x$0E8;").expect("a hover");
        assert!(table.starts_with("`0xE8`: `(a & b) | (a & c) | (b & c)`\n\n"), "{table}");
        let bytes = hover("prmt.b32 %r1, %r2, %r3, 0x54$010;").expect("a hover");
        assert!(
            bytes.starts_with("`0x5410`: the bytes of the result, the highest first: `b.b1, b.b0, a.b1, a.b0`"),
            "{bytes}"
        );
        let sign = hover("prmt.b32 %r1, %r2, 0, 0x9$0991;").expect("a hover");
        assert!(sign.contains("`sign of a.b1, sign of a.b1, sign of a.b1, a.b1`"), "{sign}");
        let number = hover("add.u32 %r1, %r2, 0x$0E8;").expect("a hover");
        assert!(number.starts_with("| as 32 bits"), "{number}");
    }
}
