//! `clusterlaunchcontrol`.

use crate::lower::function::FunctionLowering;
use crate::lower::opcode::InstructionWords;
use crate::module::names::Register;
use program::{AnswerRecipients, CancelLaunch, MachineAction, Source};
use syntax::Operand;

/// The bit of the upper half of an answer that says that a cluster was cancelled.
const CANCELLED: u64 = 63;

/// Lowers the attempt to cancel a cluster, and the questions about its answer.
pub fn launch_control(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    let [first, second] = operands else { return None };
    if words.has("try_cancel") {
        let (answer, barrier) = (lowering.address(first, words.space())?, lowering.address(second, words.space())?);
        let to_all = words.has("multicast::cluster::all");
        let recipients = if to_all { AnswerRecipients::Cluster } else { AnswerRecipients::Own };
        lowering.emit(MachineAction::CancelLaunch(Box::new(CancelLaunch { answer, barrier, recipients })));
        return Some(());
    }
    let [low, high] = answer(lowering, second)?;
    let (bit, zero) = (lowering.constant(CANCELLED), lowering.constant(0));
    let is_cancelled = lowering.computed("shr", "u64", [high, bit, zero, zero])?;
    if words.has("is_canceled") {
        lowering.emit(MachineAction::LearnAnswer(is_cancelled));
        lowering.emit(MachineAction::Move(lowering.destination(first)?, is_cancelled));
        return Some(());
    }
    let [x, y, z, unspecified] = match () {
        () if words.has("get_first_ctaid") => <[_; 4]>::try_from(lowering.destinations(first, 32)?).ok()?,
        () if words.has("get_first_ctaid::x") => [lowering.optional_destination(first)?, None, None, None],
        () if words.has("get_first_ctaid::y") => [None, lowering.optional_destination(first)?, None, None],
        () if words.has("get_first_ctaid::z") => [None, None, lowering.optional_destination(first)?, None],
        () => return None,
    };
    // Nothing is written to this register: the position in an answer to an attempt that has failed is undefined.
    let undefined = Source::Register(lowering.temporary().slot);
    let low = lowering.computed("selp", "b64", [low, undefined, is_cancelled, zero])?;
    let high = lowering.computed("selp", "b64", [high, undefined, is_cancelled, zero])?;
    lowering.emit(MachineAction::Unpack(low, vec![(x, 32), (y, 32)]));
    lowering.emit(MachineAction::Unpack(high, vec![(z, 32), (unspecified, 32)]));
    Some(())
}

/// The halves of an answer: a register of 128 bits.
fn answer(lowering: &FunctionLowering<'_, '_>, operand: &Operand) -> Option<[Source; 2]> {
    let Register { slot, bits: 128, .. } = lowering.register(operand)? else { return None };
    Some([Source::Register(slot), Source::Register(slot + 1)])
}
