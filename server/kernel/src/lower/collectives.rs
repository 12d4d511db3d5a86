//! Barriers, and exchanges between the lanes of a warp.

use crate::lower::function::{FunctionLowering, register_mask};
use crate::lower::opcode::InstructionWords;
use crate::lower::operands::ConstantKind;
use isa::types::Sem;
use program::{
    BarrierAction, BarrierInstruction, BarrierReduction, Collective, CollectiveOperation, Convergence,
    CtaBarrierInstruction, Destination, FloatReduction, LaneReduction, MachineAction, Shuffle, Source, Vote,
};
use syntax::{Operand, OperandKind};

/// Lowers `bar` and `barrier`.
pub fn barrier(lowering: &mut FunctionLowering<'_, '_>, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
    let aligned = words.has("aligned") || words.mnemonic == "bar";
    let convergence = if aligned { Convergence::Required } else { Convergence::NotRequired };
    let instruction = if words.has("warp") {
        BarrierInstruction::Warp(lowering.source(operands.first()?, ConstantKind::Bits)?)
    } else if words.has("cluster") {
        match words.has("relaxed") {
            _ if words.has("wait") => BarrierInstruction::ClusterWait(convergence),
            true => BarrierInstruction::ClusterArrive(convergence, Sem::Relaxed),
            false => BarrierInstruction::ClusterArrive(convergence, Sem::Release),
        }
    } else {
        BarrierInstruction::Cta(cta_barrier(lowering, words, operands, convergence)?)
    };
    lowering.emit(MachineAction::Barrier(instruction));
    Some(())
}

fn cta_barrier(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
    convergence: Convergence,
) -> Option<CtaBarrierInstruction> {
    let reductions = [("popc", BarrierReduction::Count), ("and", BarrierReduction::All), ("or", BarrierReduction::Any)];
    let (mode, operands) = match words.one_of(&reductions).filter(|_| words.has("red")) {
        Some(reduction) => {
            let [destination, middle @ .., predicate] = operands else { return None };
            let predicate = lowering.source(predicate, ConstantKind::Bits)?;
            (BarrierAction::Reduce(reduction, predicate, lowering.destination(destination)?), middle)
        }
        None if words.has("arrive") => (BarrierAction::Arrive, operands),
        None => (BarrierAction::Wait, operands),
    };
    let barrier = lowering.source(operands.first()?, ConstantKind::Bits)?;
    let threads = match operands.get(1) {
        Some(threads) => Some(lowering.source(threads, ConstantKind::Bits)?),
        None => None,
    };
    Some(CtaBarrierInstruction { barrier, threads, mode, convergence })
}

/// Lowers `shfl`, `vote`, `match`, `redux`, `elect` and `activemask`.
pub fn collective(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    let operation = collective_operation(words)?;
    let is_elect = operation == CollectiveOperation::Elect;
    let (first, rest) = operands.split_first()?;
    let (destination, predicate) = collective_results(lowering, first)?;
    let (members, values) = match rest.split_last() {
        Some((members, values)) if words.has("sync") => {
            (Some(lowering.source(members, ConstantKind::Bits)?), if is_elect { &[] } else { values })
        }
        _ => (None, rest),
    };
    let zero = lowering.constant(0);
    let mut sources: [Source; 3] = [zero; 3];
    for (source, value) in sources.iter_mut().zip(values) {
        *source = lowering.source(value, ConstantKind::Bits)?;
    }
    let collective = Collective { operation, members, sources, destination, predicate };
    lowering.emit(MachineAction::Collective(Box::new(collective)));
    Some(())
}

fn collective_results(
    lowering: &FunctionLowering<'_, '_>,
    operand: &Operand,
) -> Option<(Option<Destination>, Option<Destination>)> {
    if operand.kind != OperandKind::Pair {
        return Some((lowering.optional_destination(operand)?, None));
    }
    let (value, predicate) = operand.parts()?;
    Some((lowering.optional_destination(&value)?, lowering.optional_destination(&predicate)?))
}

fn collective_operation(words: &InstructionWords) -> Option<CollectiveOperation> {
    let shuffles =
        [("up", Shuffle::Up), ("down", Shuffle::Down), ("bfly", Shuffle::Butterfly), ("idx", Shuffle::Index)];
    let votes = [("all", Vote::All), ("any", Vote::Any), ("uni", Vote::Uniform), ("ballot", Vote::Ballot)];
    Some(match &*words.mnemonic {
        "shfl" => CollectiveOperation::Shuffle(words.one_of(&shuffles)?),
        "vote" => CollectiveOperation::Vote(words.one_of(&votes)?),
        "match" if words.has("all") => CollectiveOperation::MatchAll(register_mask(words.bits()?)),
        "match" => CollectiveOperation::MatchAny(register_mask(words.bits()?)),
        "redux" => CollectiveOperation::Reduce(lane_reduction(words)?),
        "elect" => CollectiveOperation::Elect,
        "activemask" => CollectiveOperation::ActiveMask,
        _ => return None,
    })
}

fn lane_reduction(words: &InstructionWords) -> Option<LaneReduction> {
    let signed = words.last() == "s32";
    Some(match () {
        () if words.last() == "f32" => LaneReduction::Float(FloatReduction {
            is_maximum: words.has("max"),
            is_absolute: words.has("abs"),
            keeps_nan: words.has("NaN"),
        }),
        () if words.has("add") => LaneReduction::Add,
        () if words.has("min") && signed => LaneReduction::MinSigned,
        () if words.has("max") && signed => LaneReduction::MaxSigned,
        () if words.has("min") => LaneReduction::MinUnsigned,
        () if words.has("max") => LaneReduction::MaxUnsigned,
        () if words.has("and") => LaneReduction::And,
        () if words.has("or") => LaneReduction::Or,
        () if words.has("xor") => LaneReduction::Xor,
        () => return None,
    })
}
