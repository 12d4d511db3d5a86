//! What is computed of registers.
//!
//! Must not know memory.

use super::source_instruction::SourceInstruction;
use super::thread::Lower;
use crate::litmus::modifiers;
use crate::litmus::test::LitmusError;
use isa::types::TypeKind;
use memory_model::arithmetic::{Alu, AluOp, Compare};
use memory_model::{ModelInstruction, ModelOperand};

impl Lower<'_> {
    /// Any other instruction than those of memory and of control.
    pub fn arithmetic(&mut self, written: &SourceInstruction) -> Result<(), LitmusError> {
        let ty = written.ty();
        let floats = ty.is_some_and(|ty| ty.kind() == TypeKind::Float);
        let width = match ty {
            Some(ty) => ty.bits().min(64) as u8,
            None if written.has("pred") => 1,
            None => return Err(written.unknown()),
        };
        let signed = ty.is_some_and(|ty| ty.kind() == TypeKind::Signed);
        let number = (width, signed);
        let mnemonic = written.mnemonic();
        let op = match mnemonic {
            "cvta" | "setp" | "selp" | "cvt" => AluOp::Move,
            "mad" => AluOp::Mul,
            "not" => AluOp::Xor,
            "neg" => AluOp::Sub,
            _ => modifiers::arithmetic(mnemonic).ok_or_else(|| written.unknown())?,
        };
        if floats && !matches!(mnemonic, "mov" | "selp") {
            return Err(written.error("floating-point arithmetic is not supported in litmus tests".into()));
        }
        let to = self.destination(written)?;
        match mnemonic {
            "mov" | "cvta" => {
                let a = self.operand(written, 1)?;
                self.compute(written, to, op, number, a, ModelOperand::Constant(0));
            }
            "cvt" => {
                // The last type is the source's; what is narrower is cut when it is used.
                let a = self.operand(written, 1)?;
                self.compute(written, to, op, number, a, ModelOperand::Constant(0));
                if signed && width < 64 {
                    let shift = ModelOperand::Constant(u32::from(64 - width).into());
                    self.compute(written, to, AluOp::Shl, (64, true), ModelOperand::Register(to), shift);
                    self.compute(written, to, AluOp::Shr, (64, true), ModelOperand::Register(to), shift);
                }
            }
            "not" | "neg" => {
                let a = self.operand(written, 1)?;
                let all = ModelOperand::Constant(u64::MAX.into());
                let (a, b) = if mnemonic == "not" { (a, all) } else { (ModelOperand::Constant(0), a) };
                self.compute(written, to, op, number, a, b);
            }
            "setp" => {
                // Unsigned ones have words of their own.
                let compare = match written.words.get(1).map(String::as_str) {
                    Some("lo") => Some(Compare::Lt),
                    Some("ls") => Some(Compare::Le),
                    Some("hi") => Some(Compare::Gt),
                    Some("hs") => Some(Compare::Ge),
                    word => word.and_then(modifiers::comparison),
                };
                let op = AluOp::Compare(compare.ok_or_else(|| written.unknown())?);
                if written.operands.len() != 3 || written.operands[0].0.contains('|') {
                    return Err(written.unknown());
                }
                let (a, b) = (self.operand(written, 1)?, self.operand(written, 2)?);
                self.compute(written, to, op, number, a, b);
            }
            "selp" => {
                let [a, b, when] = [1, 2, 3].map(|at| self.operand(written, at));
                self.push(written, ModelInstruction::Select { to, when: when?, a: a?, b: b? });
            }
            "mad" | "mul" if written.has("hi") => return Err(written.unknown()),
            "mad" | "mul" => {
                let (a, b) = (self.operand(written, 1)?, self.operand(written, 2)?);
                let number = if written.has("wide") { (64, signed) } else { number };
                if written.has("wide") && signed {
                    return Err(written.error("signed `.wide` products are not supported in litmus tests".into()));
                }
                if mnemonic == "mul" {
                    self.compute(written, to, AluOp::Mul, number, a, b);
                } else {
                    let product = self.register("(product)");
                    self.compute(written, product, AluOp::Mul, number, a, b);
                    let c = self.operand(written, 3)?;
                    self.compute(written, to, AluOp::Add, number, ModelOperand::Register(product), c);
                }
            }
            _ => {
                let (a, b) = (self.operand(written, 1)?, self.operand(written, 2)?);
                self.compute(written, to, op, number, a, b);
            }
        }
        Ok(())
    }

    /// Adds a computation.
    pub fn compute(
        &mut self,
        written: &SourceInstruction,
        to: usize,
        op: AluOp,
        (width, signed): (u8, bool),
        a: ModelOperand,
        b: ModelOperand,
    ) {
        self.push(written, ModelInstruction::Compute { to, alu: Alu { op, width, signed }, a, b });
    }
}
