//! Changes of tensor maps.

use super::operand::{MachineAddress, Source};
use super::tensor_map::{
    MAX_BOX, MAX_DIMENSIONS, MAX_STEP, OutsideFill, ROW_ALIGNMENT, STRIDE_END, Swizzle, TensorDimension, TensorMap,
};
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

/// A map with another property; `None` if it is none that the host makes.
pub fn replaced(mut map: TensorMap, property: TensorProperty, value: u64) -> Option<TensorMap> {
    let number = u32::try_from(value).ok();
    match property {
        TensorProperty::Address => map.address = Some(value).filter(|value| value.is_multiple_of(ROW_ALIGNMENT))?,
        TensorProperty::Rank => {
            let rank = usize::try_from(value).ok()?.checked_add(1).filter(|rank| *rank <= MAX_DIMENSIONS)?;
            map.dimensions.resize(rank, TensorDimension { size: 1, stride: 0, box_size: 1, step: 1 });
        }
        TensorProperty::Box(at) => {
            let size = number.and_then(|number| u16::try_from(number).ok());
            map.dimensions.get_mut(at)?.box_size = size.filter(|size| (1..=MAX_BOX).contains(size))?;
        }
        TensorProperty::Size(at) => map.dimensions.get_mut(at)?.size = number.filter(|size| *size > 0)?,
        TensorProperty::Stride(at) => {
            let is_stride = |stride: &u64| *stride < STRIDE_END && stride.is_multiple_of(ROW_ALIGNMENT);
            map.dimensions.get_mut(at + 1)?.stride = Some(value).filter(is_stride)?;
        }
        TensorProperty::Step(at) => {
            let step = number.and_then(|number| u8::try_from(number).ok());
            map.dimensions.get_mut(at)?.step = step.filter(|step| (1..=MAX_STEP).contains(step))?;
        }
        TensorProperty::Element(ty) => {
            map.element = ty;
            map.dimensions.first_mut()?.stride = u64::from(ty.bits()) / 8;
        }
        TensorProperty::Swizzle(swizzle) => map.swizzle = swizzle,
        TensorProperty::Fill(fill) => map.fill = fill,
    }
    Some(map)
}
