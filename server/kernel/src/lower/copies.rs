//! Asynchronous copies.

use crate::lower::function::FunctionLowering;
use crate::lower::mbarriers;
use crate::lower::opcode::InstructionWords;
use crate::lower::operands::ConstantKind;
use crate::lower::tensor_copies;
use isa::types::{Op, Type};
use program::{
    AsyncCopy, Completion, CopyPart, CopySource, Fill, GroupAction, GroupKind, GroupWait, MachineAction,
    MachineAddress, MemorySpace, Source,
};
use syntax::{Operand, OperandKind, integer_value};
use values::{AccessedSpace, Operation, Shape, Subnormals};

/// Lowers the `cp` instructions.
pub fn copy(lowering: &mut FunctionLowering<'_, '_>, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
    let bulk = words.has("bulk");
    let kind = if bulk { GroupKind::Bulk } else { GroupKind::Copies };
    let groups = |operands: &[Operand]| {
        let count = operands.first().map_or(Some(0), |count| integer_value(&count.token.text));
        count.map(|count| count as u32)
    };
    let action = match () {
        () if words.has("mbarrier") && words.has("arrive") => {
            return mbarriers::arrive_after_copies(lowering, words, operands);
        }
        () if words.has("commit_group") => GroupAction::Commit,
        () if words.has("wait_all") => GroupAction::WaitAll,
        () if words.has("wait_group") && words.has("read") => GroupAction::WaitRead(groups(operands)?),
        () if words.has("wait_group") => GroupAction::Wait(groups(operands)?),
        () if words.has("prefetch") => {
            lowering.emit(MachineAction::Nothing);
            return Some(());
        }
        () if words.has("tensor") => return tensor_copies::tensor_copy(lowering, words, operands),
        () if bulk => return bulk_copy(lowering, words, operands),
        () => return small_copy(lowering, words, operands),
    };
    lowering.emit(MachineAction::CopyGroup(GroupWait { kind, action }));
    Some(())
}

/// `cp.async`: with the number of bytes, and perhaps that of the source or a predicate to ignore it.
fn small_copy(lowering: &mut FunctionLowering<'_, '_>, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
    let [to, from, size, rest @ ..] = operands else { return None };
    let (destination, source) =
        (lowering.address(to, MemorySpace::SharedCta)?, lowering.address(from, MemorySpace::Global)?);
    let bytes = lowering.source(size, ConstantKind::Bits)?;
    let has_policy = words.has("L2::cache_hint");
    let given = match (rest, has_policy) {
        ([], _) | ([_], true) => None,
        ([given, ..], _) => Some(given),
    };
    let read = match given {
        None => None,
        Some(given) if is_predicate(lowering, given) => {
            // The source is ignored where the predicate holds.
            let predicate = lowering.source(given, ConstantKind::Bits)?;
            Some(zero_where(lowering, predicate, bytes)?)
        }
        Some(given) => Some(lowering.source(given, ConstantKind::Bits)?),
    };
    let source = CopySource::Memory { address: source, bytes: read };
    let copy = AsyncCopy {
        destination,
        source,
        bytes,
        reduction: None,
        completion: Completion::Group,
        multicast: None,
        part: CopyPart::All,
    };
    lowering.emit(MachineAction::Copy(Box::new(copy)));
    Some(())
}

fn is_predicate(lowering: &FunctionLowering<'_, '_>, operand: &Operand) -> bool {
    operand.kind == OperandKind::Negation || lowering.register(operand).is_some_and(|register| register.bits == 1)
}

/// A value, or zero in the lanes in which a predicate holds.
fn zero_where(lowering: &mut FunctionLowering<'_, '_>, predicate: Source, value: Source) -> Option<Source> {
    let zero = lowering.constant(0);
    lowering.computed("selp", "b32", [zero, value, predicate, zero])
}

/// `cp.async.bulk` and `cp.reduce.async.bulk`.
fn bulk_copy(lowering: &mut FunctionLowering<'_, '_>, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
    let [to, from, size, rest @ ..] = operands else { return None };
    let (part, rest) = copy_part(lowering, words, rest)?;
    let mut spaces = words.modifiers.iter().filter_map(|word| copy_space(word));
    let (to_space, from_space) = (spaces.next()?, spaces.next()?);
    let destination = lowering.address(to, to_space)?;
    let source = CopySource::Memory { address: lowering.address(from, from_space)?, bytes: None };
    let bytes = lowering.source(size, ConstantKind::Bits)?;
    let completion = if words.has("bulk_group") {
        Completion::BulkGroup
    } else {
        Completion::Mbarrier(lowering.address(rest.first()?, mbarriers::mbarrier_space())?)
    };
    let reduction = if words.has("reduce") { Some(reduction(words, to_space)?) } else { None };
    let multicast = match rest.get(1) {
        Some(ranks) if words.has("multicast::cluster") => Some(lowering.source(ranks, ConstantKind::Bits)?),
        _ => None,
    };
    let copy = AsyncCopy { destination, source, bytes, reduction, completion, multicast, part };
    lowering.emit(MachineAction::Copy(Box::new(copy)));
    Some(())
}

/// Which bytes a bulk copy copies, and the other operands after its size.
fn copy_part<'o, 't>(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &'o [Operand<'t>],
) -> Option<(CopyPart, &'o [Operand<'t>])> {
    let mut source = |operand| lowering.source(operand, ConstantKind::Bits);
    match operands {
        [left, right, rest @ ..] if words.has("ignore_oob") => {
            Some((CopyPart::Inner(source(left)?, source(right)?), rest))
        }
        [rest @ .., mask] if words.has("cp_mask") => Some((CopyPart::Masked(source(mask)?), rest)),
        _ => Some((CopyPart::All, operands)),
    }
}

/// `st.bulk`
pub fn store_bulk(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    let [to, size, ..] = operands else { return None };
    let (address, bytes) = (lowering.address(to, words.space())?, lowering.source(size, ConstantKind::Bits)?);
    lowering.emit(MachineAction::Fill(Box::new(Fill { address, bytes })));
    Some(())
}

/// `st.async`
pub fn store_async(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    registers_to_memory(lowering, words, operands, None)
}

/// `red.async`
pub fn reduce_async(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    let reduction = reduction(words, MemorySpace::SharedCluster)?;
    registers_to_memory(lowering, words, operands, Some(reduction))
}

fn registers_to_memory(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
    reduction: Option<Operation>,
) -> Option<()> {
    let [to, from, barrier] = operands else { return None };
    let bits = words.bits()?;
    let destination = lowering.address(to, MemorySpace::SharedCluster)?;
    let sources = lowering.sources(from, bits, ConstantKind::Bits)?;
    let element_bytes = bits.min(64) / 8;
    let bytes = lowering.constant(u64::from(element_bytes) * sources.len() as u64);
    let barrier: MachineAddress = lowering.address(barrier, mbarriers::mbarrier_space())?;
    let source = CopySource::Registers(sources, element_bytes);
    let copy = AsyncCopy {
        destination,
        source,
        bytes,
        reduction,
        completion: Completion::Mbarrier(barrier),
        multicast: None,
        part: CopyPart::All,
    };
    lowering.emit(MachineAction::Copy(Box::new(copy)));
    Some(())
}

fn copy_space(word: &str) -> Option<MemorySpace> {
    Some(match word {
        "global" => MemorySpace::Global,
        "shared::cta" => MemorySpace::SharedCta,
        "shared::cluster" => MemorySpace::SharedCluster,
        _ => return None,
    })
}

/// The update of a reduction.
fn reduction(words: &InstructionWords, space: MemorySpace) -> Option<Operation> {
    let op = words.modifiers.iter().find_map(|word| Op::parse(word))?;
    let ty = Type::parse(words.last())?;
    let location = if space == MemorySpace::Global { AccessedSpace::Global } else { AccessedSpace::Shared };
    // An H100 preserves subnormals in sums of `.f32`, too, unlike in `red`.
    Operation::new(op, Shape::scalar(ty), Subnormals::Preserved, location).ok()
}
