//! Lowers asynchronous copies, the waits for them, and mbarriers.
//!
//! A copy becomes a thread of its own. It copies each location that some thread accesses, so its code is known once all functions are lowered.

use crate::lower::copies::{CopiedShape, CopiedValue, MBARRIER_BYTES, SignalledMbarrier, UnresolvedCopy};
use crate::lower::source_instruction::SourceInstruction;
use crate::lower::tensor_copies;
use crate::lower::thread::Lower;
use crate::parse::{AsyncGroup, mbarrier};
use crate::test::LitmusError;
use isa::types::Op;
use kernel::repairs::modifiers;
use memory_model::arithmetic::{Alu, AluOp};
use memory_model::mbarrier::MbarrierState;
use memory_model::{Access, AwaitedPart, FencedSpace, ModelInstruction, ModelOperand, Proxy, Scope, Sem, Update};
use values::{AccessedSpace, Operation, Shape, Subnormals};

/// Lowers an asynchronous operation, a wait for one, or an operation on an mbarrier; `None` if it is neither.
pub fn asynchronous(lower: &mut Lower<'_>, source: &SourceInstruction) -> Option<Result<(), LitmusError>> {
    let words: Vec<&str> = source.words.iter().map(String::as_str).collect();
    Some(match words[..] {
        ["cp", "async", "bulk", "commit_group"] => lower.commit(source, AsyncGroup::Bulk),
        ["cp", "async", "commit_group"] => lower.commit(source, AsyncGroup::Copy),
        ["cp", "async", "bulk", "wait_group"] => wait_group(lower, source, AsyncGroup::Bulk, AwaitedPart::All),
        ["cp", "async", "bulk", "wait_group", "read"] => {
            wait_group(lower, source, AsyncGroup::Bulk, AwaitedPart::Reads)
        }
        ["cp", "async", "wait_group"] => wait_group(lower, source, AsyncGroup::Copy, AwaitedPart::All),
        ["cp", "async", "wait_all"] => wait_all(lower, source),
        ["cp", "async", "ca" | "cg", ..] => copy(lower, source, Proxy::Generic),
        ["cp", "async", "bulk", "prefetch", ..] if !source.has("tensor") => Ok(()),
        ["cp", "async", "bulk", "tensor", ..] | ["cp", "reduce", "async", "bulk", "tensor", ..] => {
            tensor_copies::tensor_copy(lower, source)
        }
        ["cp", "async", "bulk", "shared::cta" | "shared::cluster" | "global", ..] => copy(lower, source, Proxy::Async),
        ["cp", "reduce", "async", "bulk", "shared::cta" | "shared::cluster" | "global", ..] => {
            copy(lower, source, Proxy::Async)
        }
        ["st" | "red", "async", ..] => store(lower, source),
        ["griddepcontrol", "launch_dependents"] => Ok(()),
        ["griddepcontrol", "wait"] => {
            let at = lower.next_index();
            lower.operations.wait_for_grids(lower.number, at);
            lower.push(source, ModelInstruction::Await { operations: Vec::new() });
            Ok(())
        }
        ["mbarrier", "init", ..] => mbarrier_init(lower, source),
        ["mbarrier", "arrive" | "expect_tx", ..] => mbarrier_update(lower, source),
        ["mbarrier", "test_wait" | "try_wait", ..] => mbarrier_test(lower, source),
        _ => return None,
    })
}

fn wait_group(
    lower: &mut Lower<'_>,
    source: &SourceInstruction,
    kind: AsyncGroup,
    part: AwaitedPart,
) -> Result<(), LitmusError> {
    let left = lower.number_operand(source, 0)?;
    let before = lower.operations.committed(lower.number, kind).saturating_sub(left as usize);
    let operations = lower.operations.awaited(lower.number, kind, before, part);
    lower.push(source, ModelInstruction::Await { operations });
    Ok(())
}

fn wait_all(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let operations = lower.operations.awaited(lower.number, AsyncGroup::Copy, usize::MAX, AwaitedPart::All);
    lower.push(source, ModelInstruction::Await { operations });
    Ok(())
}

/// `cp.async`, `cp.async.bulk` and `cp.reduce.async.bulk` without a tensor.
fn copy(lower: &mut Lower<'_>, source: &SourceInstruction, proxy: Proxy) -> Result<(), LitmusError> {
    let spaces: Vec<FencedSpace> = source.words.iter().filter_map(|word| space(word)).collect();
    let space = |at: usize| spaces.get(at).copied();
    let [to, from] = [0, 1].map(|at| lower.copied_address(source, at, space(at)));
    let (to, from) = (to?, from?);
    let bytes = lower.number_operand(source, 2)? as u64;
    let reduction = if source.has("reduce") { Some((reduction(source)?, Scope::Gpu)) } else { None };
    let signals = source.has("mbarrier::complete_tx::bytes");
    let ranks = match source.has("multicast::cluster") {
        true => Some(lower.number_operand(source, 4)? as u32),
        false => None,
    };
    let has_policy = source.words.iter().any(|word| word.starts_with("L2::cache_hint"));
    // Sizes of sources, masks and predicates leave out parts of the copy.
    let expected = 3 + usize::from(signals) + usize::from(ranks.is_some()) + usize::from(has_policy);
    if source.has("cp_mask") || source.operands.len() != expected {
        return Err(source.unsupported());
    }
    let kind = match (proxy, signals) {
        (Proxy::Generic, _) => Some(AsyncGroup::Copy),
        (_, false) => Some(AsyncGroup::Bulk),
        (_, true) => None,
    };
    let ranks: Vec<Option<u32>> = match ranks {
        Some(mask) => (0..u32::BITS).filter(|rank| mask >> rank & 1 == 1).map(Some).collect(),
        None => vec![None],
    };
    for rank in ranks {
        if let Some(rank) = rank {
            lower.check_rank(source, rank.into())?;
        }
        let signal = match signals {
            true => Some(SignalledMbarrier { at: lower.address_parts(source, 3)?, bytes: bytes.into() }),
            false => None,
        };
        let from = CopiedValue::Memory(from.clone());
        lower.issue(source, kind, (to.clone(), from, CopiedShape::Bytes(bytes)), |copy| UnresolvedCopy {
            proxy,
            reduction,
            signal,
            rank,
            ..copy
        });
    }
    Ok(())
}

/// `st.async` and `red.async` with an mbarrier.
fn store(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let is_vector = ["v2", "v4", "v8"].iter().any(|word| source.has(word));
    let Some(ty) = source.ty().filter(|_| source.has("mbarrier::complete_tx::bytes") && !is_vector) else {
        return Err(source.unsupported());
    };
    let bytes = u64::from(ty.bits() / 8);
    let to = lower.copied_address(source, 0, Some(FencedSpace::Shared))?;
    let value = CopiedValue::Operand(lower.operand(source, 1)?);
    let signal = Some(SignalledMbarrier { at: lower.address_parts(source, 2)?, bytes: bytes.into() });
    let reduction = match source.mnemonic() {
        "red" => Some((reduction(source)?, Scope::Cluster)),
        _ => None,
    };
    lower.issue(source, None, (to, value, CopiedShape::Bytes(bytes)), |copy| UnresolvedCopy {
        reduction,
        signal,
        ..copy
    });
    Ok(())
}

fn mbarrier_init(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let at = lower.address(source, 0, MBARRIER_BYTES)?;
    let state = MbarrierState::new(lower.number_operand(source, 1)?).bits();
    let value = ModelOperand::Constant(state);
    lower.push(source, ModelInstruction::Store { at, value, bytes: MBARRIER_BYTES, access: Access::weak() });
    Ok(())
}

/// `mbarrier.arrive`, `mbarrier.arrive.expect_tx` and `mbarrier.expect_tx`.
fn mbarrier_update(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let arrives = source.has("arrive");
    if source.has("noComplete") {
        return Err(source.unsupported());
    }
    let access = mbarrier_access(source, if arrives { Sem::Release } else { Sem::Relaxed });
    // Without a state as its result, the mbarrier is the first operand.
    let first = usize::from(source.operands.first().is_some_and(|(text, _)| !text.starts_with('[')));
    let to = match source.operands.first() {
        Some((text, _)) if first == 1 && text != "_" => Some(lower.destination(source)?),
        _ => None,
    };
    let at = lower.address(source, first, MBARRIER_BYTES)?;
    let count = match source.operands.len() > first + 1 {
        true => Some(lower.number_operand(source, first + 1)?),
        false => None,
    };
    let instruction = match (source.has("expect_tx"), count) {
        (true, None) => return Err(source.unsupported()),
        (true, Some(bytes)) => mbarrier(at, u64::from(arrives).into(), bytes, access, to),
        (false, count) => mbarrier(at, count.unwrap_or(1), 0, access, to),
    };
    lower.push(source, instruction);
    Ok(())
}

/// `mbarrier.test_wait` and `try_wait`, with a state or the parity of a phase.
fn mbarrier_test(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let access = mbarrier_access(source, Sem::Acquire);
    let to = lower.destination(source)?;
    let at = lower.address(source, 1, MBARRIER_BYTES)?;
    let mut phase = lower.operand(source, 2)?;
    if source.has("parity") {
        phase = match phase {
            ModelOperand::Constant(parity) => ModelOperand::Constant(MbarrierState::in_phase(parity)),
            register => {
                let state = lower.register("(phase)");
                let alu = Alu { op: AluOp::Shl, width: 64, signed: false };
                let b = ModelOperand::Constant(63);
                lower.push(source, ModelInstruction::Compute { to: state, alu, a: register, b });
                ModelOperand::Register(state)
            }
        };
    }
    lower.push(source, ModelInstruction::TestPhase { to, at, bytes: MBARRIER_BYTES, phase, access });
    Ok(())
}

/// The order and scope of an operation on an mbarrier.
fn mbarrier_access(source: &SourceInstruction, default: Sem) -> Access {
    let mut access = Access::strong(default, Scope::Cta);
    for word in source.modifiers() {
        if let Some(scope) = Scope::parse(word) {
            access.scope = scope;
        }
        if let Some((order, _)) = modifiers::order(word) {
            access.order = order;
        }
    }
    access
}

/// The state space that a word names.
fn space(word: &str) -> Option<FencedSpace> {
    match word {
        "global" => Some(FencedSpace::Global),
        "shared" | "shared::cta" | "shared::cluster" => Some(FencedSpace::Shared),
        _ => None,
    }
}

/// The update of a reduction.
fn reduction(source: &SourceInstruction) -> Result<Update, LitmusError> {
    let operation = source.words.iter().find_map(|word| Op::parse(word)).zip(source.ty()).and_then(|(op, ty)| {
        let subnormals = Subnormals::of(source.has("noftz"));
        Operation::new(op, Shape::scalar(ty), subnormals, AccessedSpace::Global).ok()
    });
    operation.map(Update::Ptx).ok_or_else(|| source.unsupported())
}
