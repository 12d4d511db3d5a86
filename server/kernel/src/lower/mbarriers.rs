//! Instructions on mbarriers.

use crate::lower::function::FunctionLowering;
use crate::lower::opcode::InstructionWords;
use crate::lower::operands::ConstantKind;
use isa::types::{Scope, Sem};
use program::{
    AccessOrder, MachineAction, MbarrierAction, MbarrierInstruction, MemorySpace, Participation, PendingCount,
    TestedPhase,
};
use syntax::{Operand, OperandKind};

/// Lowers the `mbarrier` instructions.
pub fn mbarrier(lowering: &mut FunctionLowering<'_, '_>, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
    let name = words.modifiers.first().map(String::as_str)?;
    if name == "pending_count" {
        return pending_count(lowering, operands);
    }
    if words.has("multicast") {
        return None;
    }
    let at = operands.iter().position(|operand| operand.kind == OperandKind::Address)?;
    let (before, after) = (&operands[..at], &operands[at + 1..]);
    let operand = |lowering: &mut FunctionLowering| lowering.source(after.first()?, ConstantKind::Bits);
    let operation = match name {
        "init" => MbarrierAction::Initialize(operand(lowering)?),
        "inval" => MbarrierAction::Invalidate,
        "expect_tx" => MbarrierAction::ExpectBytes(operand(lowering)?),
        "complete_tx" => MbarrierAction::CompleteBytes(operand(lowering)?),
        "arrive" | "arrive_drop" => arrival(lowering, words, name, before, after)?,
        "test_wait" | "try_wait" => {
            let phase = operand(lowering)?;
            let phase = if words.has("parity") { TestedPhase::Parity(phase) } else { TestedPhase::State(phase) };
            MbarrierAction::Test(lowering.destination(before.first()?)?, phase)
        }
        _ => return None,
    };
    let order = mbarrier_order(words, name);
    let address = lowering.address(&operands[at], words.space())?;
    lowering.emit(MachineAction::Mbarrier(Box::new(MbarrierInstruction { address, operation, order })));
    Some(())
}

fn arrival(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    name: &str,
    before: &[Operand],
    after: &[Operand],
) -> Option<MbarrierAction> {
    let participation = if name == "arrive_drop" { Participation::Ends } else { Participation::Continues };
    let state = match before.first() {
        Some(state) => lowering.optional_destination(state)?,
        None => None,
    };
    let one = lowering.constant(1);
    let operand = match after.first() {
        Some(operand) => Some(lowering.source(operand, ConstantKind::Bits)?),
        None => None,
    };
    let (count, bytes) = if words.has("expect_tx") { (one, operand) } else { (operand.unwrap_or(one), None) };
    Some(MbarrierAction::Arrive { count, bytes, participation, state })
}

/// The pending arrivals are the low bits of a state.
fn pending_count(lowering: &mut FunctionLowering<'_, '_>, operands: &[Operand]) -> Option<()> {
    let [to, state] = operands else { return None };
    let state = lowering.source(state, ConstantKind::Bits)?;
    let destination = lowering.destination(to)?;
    lowering.emit(MachineAction::Unpack(state, vec![(Some(destination), 32)]));
    Some(())
}

/// Lowers `cp.async.mbarrier.arrive`.
pub fn arrive_after_copies(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    let pending = if words.has("noinc") { PendingCount::Kept } else { PendingCount::Incremented };
    let address = lowering.address(operands.first()?, words.space())?;
    let operation = MbarrierAction::ArriveAfterCopies(pending);
    let order = AccessOrder::WEAK;
    lowering.emit(MachineAction::Mbarrier(Box::new(MbarrierInstruction { address, operation, order })));
    Some(())
}

/// The space of an mbarrier that the instruction does not name.
pub const fn mbarrier_space() -> MemorySpace {
    MemorySpace::SharedCluster
}

/// Arrivals release and waits acquire, in scope `.cta`, unless the words say something else.
fn mbarrier_order(words: &InstructionWords, name: &str) -> AccessOrder {
    let sem = match name {
        _ if words.has("relaxed") => Sem::Relaxed,
        "arrive" | "arrive_drop" => Sem::Release,
        "test_wait" | "try_wait" => Sem::Acquire,
        _ => Sem::Relaxed,
    };
    AccessOrder::new(sem, words.scope().unwrap_or(Scope::Cta))
}
