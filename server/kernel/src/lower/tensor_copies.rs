//! Copies of boxes and pixels of tensors, and changes of tensor maps.

use crate::lower::function::FunctionLowering;
use crate::lower::mbarriers;
use crate::lower::opcode::InstructionWords;
use crate::lower::operands::ConstantKind;
use isa::types::{Op, Scope, Type};
use program::{
    BarrierInstruction, FenceSemantics, FencedMemory, MachineAction, MachineAddress, MemorySpace, MulticastSignal,
    OrderedMemory, OutsideFill, Source, Swizzle, TensorCopy, TensorCopyMode, TensorDirection, TensorMapInstruction,
    TensorProperty,
};
use syntax::{Operand, OperandKind, integer_value};

/// The begins of modifiers of copies that are not emulated: other ways to find pixels, and other maps.
const NOT_EMULATED: [&str; 4] = ["report", "override", "override_sizes", "im2col::w"];

/// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`.
pub fn tensor_copy(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    let is_other = |word: &String| NOT_EMULATED.iter().any(|one| word.starts_with(one));
    if words.modifiers.iter().any(is_other) {
        return None;
    }
    let (map, coordinates, shared, direction, mode) = if words.has("bulk_group") {
        let [tensor, from, ..] = operands else { return None };
        let (map, coordinates) = tensor_and_coordinates(lowering, tensor)?;
        let direction = match words.has("reduce") {
            true => TensorDirection::Reduce(words.modifiers.iter().find_map(|word| Op::parse(word))?),
            false => TensorDirection::Store,
        };
        let mode = tensor_mode(lowering, words, None)?;
        (map, coordinates, lowering.address(from, MemorySpace::SharedCta)?, direction, mode)
    } else {
        let [to, tensor, barrier, rest @ ..] = operands else { return None };
        let (map, coordinates) = tensor_and_coordinates(lowering, tensor)?;
        let is_pixels = words.has("im2col");
        let (offsets, rest) = if is_pixels { rest.split_first().unzip() } else { (None, Some(rest)) };
        let mode = tensor_mode(lowering, words, offsets)?;
        let multicast = match rest.and_then(<[Operand]>::first) {
            Some(ranks) if words.has("multicast::cluster") => {
                let of_pair = words.has("cta_group::2");
                let signal = if of_pair { MulticastSignal::OneOfPair } else { MulticastSignal::Each };
                Some((lowering.source(ranks, ConstantKind::Bits)?, signal))
            }
            _ => None,
        };
        let space = if words.has("shared::cta") { MemorySpace::SharedCta } else { MemorySpace::SharedCluster };
        let barrier = lowering.address(barrier, mbarriers::mbarrier_space())?;
        (map, coordinates, lowering.address(to, space)?, TensorDirection::Load { barrier, multicast }, mode)
    };
    lowering.emit(MachineAction::TensorCopy(Box::new(TensorCopy { map, coordinates, shared, direction, mode })));
    Some(())
}

/// How the elements are found; `offsets` are those of pixels.
fn tensor_mode(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    offsets: Option<&Operand>,
) -> Option<TensorCopyMode> {
    Some(match () {
        () if words.has("im2col") => TensorCopyMode::Pixels(lowering.sources(offsets?, 16, ConstantKind::Bits)?),
        () if words.has("im2col_no_offs") => TensorCopyMode::Pixels(Vec::new()),
        () if words.has("tile::gather4") || words.has("tile::scatter4") => TensorCopyMode::Rows,
        () => TensorCopyMode::Tile,
    })
}

/// `tensormap.replace` and `tensormap.cp_fenceproxy`
pub fn tensor_map(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    if words.has("cp_fenceproxy") {
        let [to, from, ..] = operands else { return None };
        let (to, from) = (lowering.address(to, MemorySpace::Global)?, lowering.address(from, MemorySpace::SharedCta)?);
        let everyone = lowering.constant(u32::MAX.into());
        lowering.emit(MachineAction::TensorMap(Box::new(TensorMapInstruction::Copy { to, from })));
        // Nothing says that the threads of the warp see before it what others of them have written.
        lowering.emit(MachineAction::Barrier(BarrierInstruction::Warp(everyone)));
        lowering.emit(MachineAction::ProxyFence(FencedMemory::ReleasedTensorMap));
        let (scope, is_sequential, memory) = (words.scope().unwrap_or(Scope::Sys), false, OrderedMemory::All);
        let release = FenceSemantics { releases: true, acquires: false, scope, is_sequential, memory };
        lowering.emit(MachineAction::Fence(release));
        return Some(());
    }
    let [address, rest @ ..] = operands else { return None };
    let ordinal = || usize::try_from(integer_value(&rest.first()?.token.text)?).ok();
    let number = || integer_value(&rest.last()?.token.text);
    let property = match () {
        () if !words.has("replace") => return None,
        () if words.has("global_address") => TensorProperty::Address,
        () if words.has("rank") => TensorProperty::Rank,
        () if words.has("box_dim") => TensorProperty::Box(ordinal()?),
        () if words.has("global_dim") => TensorProperty::Size(ordinal()?),
        () if words.has("global_stride") => TensorProperty::Stride(ordinal()?),
        () if words.has("element_stride") => TensorProperty::Step(ordinal()?),
        () if words.has("elemtype") => TensorProperty::Element(element_type(number()?)?),
        () if words.has("swizzle_mode") => {
            TensorProperty::Swizzle(*Swizzle::ALL.get(usize::try_from(number()?).ok()?)?)
        }
        () if words.has("fill_mode") => {
            TensorProperty::Fill(if number()? == 0 { OutsideFill::Zero } else { OutsideFill::Nan })
        }
        () => return None,
    };
    let map = lowering.address(address, words.space())?;
    let value = lowering.source(rest.last()?, ConstantKind::Bits)?;
    lowering.emit(MachineAction::TensorMap(Box::new(TensorMapInstruction::Replace { map, property, value })));
    Some(())
}

/// `[map, {x, y}]`
fn tensor_and_coordinates(
    lowering: &mut FunctionLowering<'_, '_>,
    operand: &Operand,
) -> Option<(MachineAddress, Vec<Source>)> {
    let parts = operand.address_parts();
    let [map, coordinates] = &parts[..] else { return None };
    let map = lowering.address(map, MemorySpace::Generic)?;
    let coordinates = match coordinates.kind {
        OperandKind::Vector => coordinates.lanes(),
        _ => vec![coordinates.clone()],
    };
    let coordinates: Option<Vec<Source>> =
        coordinates.iter().map(|one| lowering.source(one, ConstantKind::Bits)).collect();
    Some((map, coordinates?))
}

/// The type of elements by its number in `tensormap.replace`; `None` of those that no argument can have.
fn element_type(number: i128) -> Option<Type> {
    Some(match number {
        0 => Type::U8,
        1 => Type::U16,
        2 => Type::U32,
        3 => Type::S32,
        4 => Type::U64,
        5 => Type::S64,
        6 => Type::F16,
        7 => Type::F32,
        9 => Type::F64,
        10 => Type::Bf16,
        _ => return None,
    })
}
