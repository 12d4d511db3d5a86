//! Changes of tensor maps.

use crate::copies::tensor_map::{
    MAX_BOX, MAX_DIMENSIONS, MAX_STEP, OutsideFill, ROW_ALIGNMENT, STRIDE_END, Swizzle, TENSOR_MAP_BYTES,
    TensorMapBytes,
};
use crate::copies::tensor_map_mistake::TensorMistake;
use crate::operand::{MachineAddress, Source};
use isa::types::Type;

/// An instruction that changes or copies a tensor map.
#[derive(Debug)]
pub enum TensorMapInstruction {
    /// Replaces a property.
    Replace {
        /// The map.
        map: MachineAddress,
        /// The property.
        property: TensorProperty,
        /// Its new value.
        value: Source,
    },
    /// Copies a map, a part in each lane of a warp.
    Copy {
        /// Where to.
        to: MachineAddress,
        /// Where from.
        from: MachineAddress,
    },
}

/// A property of a tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorProperty {
    /// The address of the first element.
    Address,
    /// The number of dimensions, less one.
    Rank,
    /// The size of the box in a dimension.
    Box(usize),
    /// The size of a dimension.
    Size(usize),
    /// The stride of a dimension after the first one, in bytes.
    Stride(usize),
    /// The step of a box in a dimension.
    Step(usize),
    /// The type of the elements, whatever the value.
    Element(Type),
    /// The swizzle, whatever the value.
    Swizzle(Swizzle),
    /// What is read outside, whatever the value.
    Fill(OutsideFill),
}

/// The bytes of a map with another property.
///
/// A kernel can make a map of zeros, property by property, in any order: only copies need all of them.
pub fn replaced(
    mut bytes: [u8; TENSOR_MAP_BYTES],
    property: TensorProperty,
    value: u64,
) -> Result<[u8; TENSOR_MAP_BYTES], TensorMistake> {
    let mut map = TensorMapBytes::of(&mut bytes).ok_or(TensorMistake::NoMap)?;
    let has_replaced = match property {
        TensorProperty::Address => value.is_multiple_of(ROW_ALIGNMENT).then(|| map.set_address(value)),
        TensorProperty::Rank => {
            let rank = value.checked_add(1).filter(|rank| *rank <= MAX_DIMENSIONS as u64);
            rank.map(|rank| map.set_rank(rank as usize))
        }
        TensorProperty::Box(at) => {
            let size = u16::try_from(value).ok().filter(|size| (1..=MAX_BOX).contains(size));
            size.and_then(|size| map.change(at, |one| one.box_size = size))
        }
        TensorProperty::Size(at) => {
            let size = u32::try_from(value).ok().filter(|size| *size > 0);
            size.and_then(|size| map.change(at, |one| one.size = size))
        }
        TensorProperty::Stride(at) => {
            let is_stride = value < STRIDE_END && value.is_multiple_of(ROW_ALIGNMENT);
            if is_stride { map.change(at.saturating_add(1), |one| one.stride = value) } else { None }
        }
        TensorProperty::Step(at) => {
            let step = u8::try_from(value).ok().filter(|step| (1..=MAX_STEP).contains(step));
            step.and_then(|step| map.change(at, |one| one.step = step))
        }
        TensorProperty::Element(ty) => {
            map.set_element(ty);
            map.change(0, |one| one.stride = u64::from(ty.bits()) / 8)
        }
        TensorProperty::Swizzle(swizzle) => {
            map.set_swizzle(swizzle);
            Some(())
        }
        TensorProperty::Fill(fill) => {
            map.set_fill(fill);
            Some(())
        }
    };
    has_replaced.map(|()| bytes).ok_or(TensorMistake::Property)
}
