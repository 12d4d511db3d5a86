//! Calls.

use crate::lower::function::FunctionLowering;
use crate::lower::operands::ConstantKind;
use crate::module::names::{Meaning, Register};
use program::{CallTarget, Formal, MachineAction, MachineCall, MemorySpace, Source, SystemFunction};
use syntax::{Instruction, Operand, OperandKind};

/// Lowers `call`.
pub fn call(lowering: &mut FunctionLowering<'_, '_>, instruction: &Instruction) -> Option<()> {
    let call = instruction.call()?;
    let name = &*call.function.token.text;
    let is_register = matches!(lowering.names.find(name), Some(Meaning::Register(_)));
    let target = if is_register {
        CallTarget::Register(lowering.source(&call.function, ConstantKind::Bits)?)
    } else {
        match system_function(name) {
            Some(function) if !lowering.module.is_defined(name) => CallTarget::System(function),
            _ if lowering.module.is_defined(name) => CallTarget::Function(lowering.module.function_index(name)),
            _ => return None,
        }
    };
    let mut arguments = Vec::new();
    for argument in &call.arguments {
        arguments.push(formal(lowering, argument)?);
    }
    let results: Option<Vec<_>> = call.results.iter().map(|result| formal(lowering, result)).collect();
    lowering.emit(MachineAction::Call(Box::new(MachineCall { target, arguments, results: results? })));
    Some(())
}

/// An argument, or what takes a result.
fn formal(lowering: &mut FunctionLowering<'_, '_>, operand: &Operand) -> Option<Formal> {
    if operand.kind == OperandKind::Sink {
        return Some(Formal::Unused);
    }
    if let Some(Register { slot, .. }) = lowering.register(operand) {
        return Some(Formal::Register(slot));
    }
    if operand.kind == OperandKind::Name
        && let Some(symbol) = lowering.symbol(&operand.token.text)
        && symbol.space == MemorySpace::Frame
    {
        return Some(Formal::Memory { offset: symbol.address as u32, size: symbol.size });
    }
    match lowering.source(operand, ConstantKind::Bits)? {
        Source::Constant(at) => Some(Formal::Constant(at)),
        Source::Register(slot) => Some(Formal::Register(slot)),
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
