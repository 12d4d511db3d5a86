//! Instructions on mbarriers.

use crate::kernel::lower::function::FunctionLowering;
use crate::kernel::lower::opcode::InstructionWords;
use crate::kernel::lower::operands::ConstantKind;
use emulator::machine::{
    AccessOrder, MachineAction, MbarrierAction, MbarrierInstruction, MemorySpace, Participation, PendingCount,
    TestedPhase,
};
use isa::types::{Scope, Sem};
use syntax::{Operand, OperandKind};

impl FunctionLowering<'_, '_> {
    /// Lowers the `mbarrier` instructions.
    pub fn mbarrier(&mut self, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
        let name = words.modifiers.first().map(String::as_str)?;
        if name == "pending_count" {
            return self.pending_count(operands);
        }
        if words.has("multicast") {
            return None;
        }
        let at = operands.iter().position(|operand| operand.kind == OperandKind::Address)?;
        let (before, after) = (&operands[..at], &operands[at + 1..]);
        let operand = |lowering: &mut Self| lowering.source(after.first()?, ConstantKind::Bits);
        let operation = match name {
            "init" => MbarrierAction::Initialize(operand(self)?),
            "inval" => MbarrierAction::Invalidate,
            "expect_tx" => MbarrierAction::ExpectBytes(operand(self)?),
            "complete_tx" => MbarrierAction::CompleteBytes(operand(self)?),
            "arrive" | "arrive_drop" => self.arrival(words, name, before, after)?,
            "test_wait" | "try_wait" => {
                let phase = operand(self)?;
                let phase = if words.has("parity") { TestedPhase::Parity(phase) } else { TestedPhase::State(phase) };
                MbarrierAction::Test(self.destination(before.first()?)?, phase)
            }
            _ => return None,
        };
        let order = mbarrier_order(words, name);
        let address = self.address(&operands[at], words.space())?;
        self.emit(MachineAction::Mbarrier(Box::new(MbarrierInstruction { address, operation, order })));
        Some(())
    }

    fn arrival(
        &mut self,
        words: &InstructionWords,
        name: &str,
        before: &[Operand],
        after: &[Operand],
    ) -> Option<MbarrierAction> {
        let participation = if name == "arrive_drop" { Participation::Ends } else { Participation::Continues };
        let state = match before.first() {
            Some(state) => self.optional_destination(state)?,
            None => None,
        };
        let one = self.constant(1);
        let operand = match after.first() {
            Some(operand) => Some(self.source(operand, ConstantKind::Bits)?),
            None => None,
        };
        let (count, bytes) = if words.has("expect_tx") { (one, operand) } else { (operand.unwrap_or(one), None) };
        Some(MbarrierAction::Arrive { count, bytes, participation, state })
    }

    /// The pending arrivals are the low bits of a state.
    fn pending_count(&mut self, operands: &[Operand]) -> Option<()> {
        let [to, state] = operands else { return None };
        let state = self.source(state, ConstantKind::Bits)?;
        let destination = self.destination(to)?;
        self.emit(MachineAction::Unpack(state, vec![(Some(destination), 32)]));
        Some(())
    }

    /// Lowers `cp.async.mbarrier.arrive`.
    pub fn arrive_after_copies(&mut self, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
        let pending = if words.has("noinc") { PendingCount::Kept } else { PendingCount::Incremented };
        let address = self.address(operands.first()?, words.space())?;
        let operation = MbarrierAction::ArriveAfterCopies(pending);
        let order = AccessOrder::WEAK;
        self.emit(MachineAction::Mbarrier(Box::new(MbarrierInstruction { address, operation, order })));
        Some(())
    }

    /// The space of an mbarrier that the instruction does not name.
    pub const fn mbarrier_space() -> MemorySpace {
        MemorySpace::SharedCluster
    }
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
