//! Lowers instructions that access or order memory.

use crate::lower::cut;
use crate::lower::source_instruction::SourceInstruction;
use crate::lower::tensor_memory;
use crate::lower::thread::Lower;
use crate::test::LitmusError;
use isa::{Resolution, Spelling};
use kernel::repairs::modifiers;
use memory_model::arithmetic::AluOp;
use memory_model::{Access, BarrierLevel, FenceKind, ModelInstruction, ModelOperand, NO_ID, Proxy, Scope, Sem, Update};
use values::{AccessedSpace as Space, Computation};

/// Lowers a load or a store.
pub fn access(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let Some(ty) = source.ty() else { return Err(source.unsupported()) };
    if ["v2", "v4", "v8", "const", "local"].iter().any(|word| source.has(word)) {
        return Err(source.unsupported());
    }
    let bytes = ty.bits() / 8;
    let access = access_of(source, Sem::Weak);
    if source.mnemonic() == "ld" {
        let to = lower.destination(source)?;
        let at = lower.address(source, 1, bytes)?;
        let allocated = tensor_memory::allocated_address(lower, source, 1);
        let loaded = match &allocated {
            Some((variable, _)) => tensor_memory::loaded_address(lower, variable),
            None => to,
        };
        lower.push(source, ModelInstruction::Load { to: Some(loaded), at, bytes, access });
        if let Some((_, address)) = allocated {
            // Addresses in tensor memory have to be known here, so what a load sees that comes too early is in a register of its own.
            let [address, zero] = [address.into(), 0].map(ModelOperand::Constant);
            lower.compute(source, to, AluOp::Move, (64, false), address, zero);
        }
    } else {
        let at = lower.address(source, 0, bytes)?;
        let value = match lower.operand(source, 1)? {
            ModelOperand::Constant(value) => ModelOperand::Constant(cut(value, bytes * 8)),
            register => register,
        };
        lower.push(source, ModelInstruction::Store { at, value, bytes, access });
    }
    Ok(())
}

/// Lowers an `atom` or a `red`.
pub fn update(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let spelling = Spelling { mnemonic: source.mnemonic(), modifiers: &source.modifiers() };
    let Resolution::Legal(instruction) = isa::resolve(&spelling, &isa::Module::default()) else {
        return Err(source.unsupported());
    };
    let computation = Computation::of(&instruction, Space::Global);
    let Ok(Computation::Update { operation, returns }) = computation else { return Err(source.unsupported()) };
    if instruction.lanes > 1 {
        return Err(source.unsupported());
    }
    let bytes = operation.shape().bytes();
    let access = access_of(source, Sem::Relaxed);
    let first = usize::from(returns);
    let to = match returns {
        true if source.operands.first().is_some_and(|(text, _)| text != "_") => Some(lower.destination(source)?),
        _ => None,
    };
    let at = lower.address(source, first, bytes)?;
    let b = lower.operand(source, first + 1)?;
    let c = match operation.op() {
        isa::types::Op::Cas => lower.operand(source, first + 2)?,
        _ => ModelOperand::Constant(0),
    };
    let update = Update::Ptx(operation);
    lower.push(source, ModelInstruction::Update { to, at, update, b, c, bytes, access, reduction: !returns });
    Ok(())
}

pub fn fence(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    if let ("fence", ["proxy", rest @ ..]) = (source.mnemonic(), &source.modifiers()[..])
        && let Some(fences) = modifiers::ordered_proxy_fence(rest)
    {
        fences.into_iter().for_each(|fence| lower.push(source, ModelInstruction::Fence(fence)));
        return Ok(());
    }
    let reach = match (source.mnemonic(), &source.modifiers()[..]) {
        ("membar", [level]) => modifiers::membar(level),
        (_, ["proxy", rest @ ..]) if *rest != ["alias"] => modifiers::proxy_fence(rest).map(FenceKind::Proxy),
        ("membar", ["proxy", ..]) | ("fence", _) => modifiers::fence(&source.modifiers()),
        _ => None,
    };
    let reach = reach.ok_or_else(|| source.unsupported())?;
    lower.push(source, ModelInstruction::Fence(reach));
    Ok(())
}

pub fn barrier(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let level = if source.has("cluster") { BarrierLevel::Cluster } else { BarrierLevel::Cta };
    let mode = source.modifiers().into_iter().find_map(modifiers::mode).ok_or_else(|| source.unsupported())?;
    let id = match level {
        BarrierLevel::Cta => lower.operand(source, 0)?,
        BarrierLevel::Cluster => ModelOperand::Constant(NO_ID),
    };
    // Counts of PTX barriers are multiples of the warp size, so a test cannot use them: all its threads take part.
    let orders = !source.has("relaxed");
    lower.push(source, ModelInstruction::Barrier { level, instance: 0, id, quorum: None, mode, orders });
    Ok(())
}

/// The qualifiers of a memory operation. Volatile accesses are relaxed in system scope.
fn access_of(source: &SourceInstruction, default_order: Sem) -> Access {
    let (mut order, mut scope) = (default_order, Scope::Gpu);
    for word in source.modifiers() {
        if let Some(known) = Scope::parse(word) {
            scope = known;
        }
        if let Some((known, also)) = modifiers::order(word) {
            (order, scope) = (known, also.unwrap_or(scope));
        }
    }
    Access { order, scope, proxy: Proxy::Generic }
}
