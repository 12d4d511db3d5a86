//! Calls.

use crate::kernel::lower::function::FunctionLowering;
use crate::kernel::lower::operands::ConstantKind;
use crate::kernel::module::names::{Meaning, Register};
use emulator::machine::{CallTarget, Formal, MachineAction, MachineCall, MemorySpace, Source, SystemFunction};
use syntax::{Instruction, Operand, OperandKind};

impl FunctionLowering<'_, '_> {
    /// Lowers `call`.
    pub fn call(&mut self, instruction: &Instruction) -> Option<()> {
        let call = instruction.call()?;
        let name = &*call.function.token.text;
        let is_register = matches!(self.names.find(name), Some(Meaning::Register(_)));
        let target = if is_register {
            CallTarget::Register(self.source(&call.function, ConstantKind::Bits)?)
        } else {
            match system_function(name) {
                Some(function) if !self.module.is_defined(name) => CallTarget::System(function),
                _ if self.module.is_defined(name) => CallTarget::Function(self.module.function_index(name)),
                _ => return None,
            }
        };
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            arguments.push(self.formal(argument)?);
        }
        let results: Option<Vec<_>> = call.results.iter().map(|result| self.formal(result)).collect();
        self.emit(MachineAction::Call(Box::new(MachineCall { target, arguments, results: results? })));
        Some(())
    }

    /// An argument, or what takes a result.
    fn formal(&mut self, operand: &Operand) -> Option<Formal> {
        if operand.kind == OperandKind::Sink {
            return Some(Formal::Unused);
        }
        if let Some(Register { slot, .. }) = self.register(operand) {
            return Some(Formal::Register(slot));
        }
        if operand.kind == OperandKind::Name
            && let Some(symbol) = self.symbol(&operand.token.text)
            && symbol.space == MemorySpace::Frame
        {
            return Some(Formal::Memory { offset: symbol.address as u32, size: symbol.size });
        }
        match self.source(operand, ConstantKind::Bits)? {
            Source::Constant(at) => Some(Formal::Constant(at)),
            Source::Register(slot) => Some(Formal::Register(slot)),
        }
    }
}

/// The functions that every device provides, by their names.
fn system_function(name: &str) -> Option<SystemFunction> {
    Some(match name {
        "vprintf" => SystemFunction::Printf,
        "malloc" => SystemFunction::Allocate,
        "free" => SystemFunction::Free,
        "__assertfail" => SystemFunction::AssertionFailed,
        _ => return None,
    })
}
