//! Lowers arithmetic on registers.

use crate::lower::source_instruction::SourceInstruction;
use crate::lower::thread::Lower;
use crate::test::LitmusError;
use isa::types::TypeKind;
use kernel::repairs::modifiers;
use memory_model::arithmetic::{AluOp, Compare};
use memory_model::{ModelInstruction, ModelOperand};

/// Lowers an arithmetic instruction.
pub fn arithmetic(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let ty = source.ty();
    let floats = ty.is_some_and(|ty| ty.kind() == TypeKind::Float);
    let width = match ty {
        Some(ty) => ty.bits().min(64) as u8,
        None if source.has("pred") => 1,
        None => return Err(source.unsupported()),
    };
    let signed = ty.is_some_and(|ty| ty.kind() == TypeKind::Signed);
    let number = (width, signed);
    let mnemonic = source.mnemonic();
    let op = match mnemonic {
        "cvta" | "setp" | "selp" | "cvt" => AluOp::Move,
        "mad" => AluOp::Mul,
        "not" => AluOp::Xor,
        "neg" => AluOp::Sub,
        _ => modifiers::arithmetic(mnemonic).ok_or_else(|| source.unsupported())?,
    };
    if floats && !matches!(mnemonic, "mov" | "selp") {
        return Err(source.error("floating-point arithmetic is not supported in litmus tests".into()));
    }
    let to = lower.destination(source)?;
    match mnemonic {
        "mov" | "cvta" => {
            let a = lower.operand(source, 1)?;
            lower.compute(source, to, op, number, a, ModelOperand::Constant(0));
        }
        "cvt" => {
            // The last type is that of the source. A narrower destination is truncated where it is used.
            let a = lower.operand(source, 1)?;
            lower.compute(source, to, op, number, a, ModelOperand::Constant(0));
            if signed && width < 64 {
                let shift = ModelOperand::Constant(u32::from(64 - width).into());
                lower.compute(source, to, AluOp::Shl, (64, true), ModelOperand::Register(to), shift);
                lower.compute(source, to, AluOp::Shr, (64, true), ModelOperand::Register(to), shift);
            }
        }
        "not" | "neg" => {
            let a = lower.operand(source, 1)?;
            let all = ModelOperand::Constant(u64::MAX.into());
            let (a, b) = if mnemonic == "not" { (a, all) } else { (ModelOperand::Constant(0), a) };
            lower.compute(source, to, op, number, a, b);
        }
        "setp" => set_predicate(lower, source, to, number)?,
        "selp" => {
            let [a, b, when] = [1, 2, 3].map(|at| lower.operand(source, at));
            lower.push(source, ModelInstruction::Select { to, when: when?, a: a?, b: b? });
        }
        "mad" | "mul" => product(lower, source, to, number)?,
        _ => {
            let (a, b) = (lower.operand(source, 1)?, lower.operand(source, 2)?);
            lower.compute(source, to, op, number, a, b);
        }
    }
    Ok(())
}

/// Lowers a `setp`.
fn set_predicate(
    lower: &mut Lower<'_>,
    source: &SourceInstruction,
    to: usize,
    number: (u8, bool),
) -> Result<(), LitmusError> {
    // Unsigned comparisons have their own modifiers.
    let compare = match source.words.get(1).map(String::as_str) {
        Some("lo") => Some(Compare::Lt),
        Some("ls") => Some(Compare::Le),
        Some("hi") => Some(Compare::Gt),
        Some("hs") => Some(Compare::Ge),
        word => word.and_then(modifiers::comparison),
    };
    let op = AluOp::Compare(compare.ok_or_else(|| source.unsupported())?);
    if source.operands.len() != 3 || source.operands[0].0.contains('|') {
        return Err(source.unsupported());
    }
    let (a, b) = (lower.operand(source, 1)?, lower.operand(source, 2)?);
    lower.compute(source, to, op, number, a, b);
    Ok(())
}

/// Lowers a `mul` or a `mad`.
fn product(
    lower: &mut Lower<'_>,
    source: &SourceInstruction,
    to: usize,
    number: (u8, bool),
) -> Result<(), LitmusError> {
    if source.has("hi") {
        return Err(source.unsupported());
    }
    let (a, b) = (lower.operand(source, 1)?, lower.operand(source, 2)?);
    let (_, signed) = number;
    let number = if source.has("wide") { (64, signed) } else { number };
    if source.has("wide") && signed {
        return Err(source.error("signed `.wide` products are not supported in litmus tests".into()));
    }
    if source.mnemonic() == "mul" {
        lower.compute(source, to, AluOp::Mul, number, a, b);
        return Ok(());
    }
    let product = lower.register("(product)");
    lower.compute(source, product, AluOp::Mul, number, a, b);
    let c = lower.operand(source, 3)?;
    lower.compute(source, to, AluOp::Add, number, ModelOperand::Register(product), c);
    Ok(())
}
