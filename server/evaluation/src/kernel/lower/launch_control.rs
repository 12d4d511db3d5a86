//! `clusterlaunchcontrol`.

use crate::kernel::lower::function::FunctionLowering;
use crate::kernel::lower::opcode::InstructionWords;
use crate::kernel::module::names::Register;
use emulator::machine::{AnswerRecipients, CancelLaunch, MachineAction, Source};
use syntax::Operand;

/// The bit of the upper half of an answer that says that a cluster was cancelled.
const CANCELLED: u64 = 63;

impl FunctionLowering<'_, '_> {
    /// Lowers the attempt to cancel a cluster, and the questions about its answer.
    pub fn launch_control(&mut self, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
        let [first, second] = operands else { return None };
        if words.has("try_cancel") {
            let (answer, barrier) = (self.address(first, words.space())?, self.address(second, words.space())?);
            let to_all = words.has("multicast::cluster::all");
            let recipients = if to_all { AnswerRecipients::Cluster } else { AnswerRecipients::Own };
            self.emit(MachineAction::CancelLaunch(Box::new(CancelLaunch { answer, barrier, recipients })));
            return Some(());
        }
        let [low, high] = self.answer(second)?;
        let (bit, zero) = (self.constant(CANCELLED), self.constant(0));
        let is_cancelled = self.computed("shr", "u64", [high, bit, zero, zero])?;
        if words.has("is_canceled") {
            self.emit(MachineAction::LearnAnswer(is_cancelled));
            self.emit(MachineAction::Move(self.destination(first)?, is_cancelled));
            return Some(());
        }
        let [x, y, z, unspecified] = match () {
            () if words.has("get_first_ctaid") => <[_; 4]>::try_from(self.destinations(first, 32)?).ok()?,
            () if words.has("get_first_ctaid::x") => [self.optional_destination(first)?, None, None, None],
            () if words.has("get_first_ctaid::y") => [None, self.optional_destination(first)?, None, None],
            () if words.has("get_first_ctaid::z") => [None, None, self.optional_destination(first)?, None],
            () => return None,
        };
        // Nothing is written to this register: the position in an answer to an attempt that has failed is undefined.
        let undefined = Source::Register(self.temporary().slot);
        let low = self.computed("selp", "b64", [low, undefined, is_cancelled, zero])?;
        let high = self.computed("selp", "b64", [high, undefined, is_cancelled, zero])?;
        self.emit(MachineAction::Unpack(low, vec![(x, 32), (y, 32)]));
        self.emit(MachineAction::Unpack(high, vec![(z, 32), (unspecified, 32)]));
        Some(())
    }

    /// The halves of an answer: a register of 128 bits.
    fn answer(&self, operand: &Operand) -> Option<[Source; 2]> {
        let Register { slot, bits: 128, .. } = self.register(operand)? else { return None };
        Some([Source::Register(slot), Source::Register(slot + 1)])
    }
}
