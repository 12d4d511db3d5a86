//! What is wrong with a tensor map, or a copy with it.

use crate::copies::tensor_map::ROW_ALIGNMENT;
use isa::types::{Op, Type};
use std::fmt;

/// Why a tensor copy does not fit its tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorMistake {
    /// What it names is no tensor map.
    NoMap,
    /// It has another number of coordinates than the tensor has dimensions.
    Dimensions {
        /// The number of coordinates.
        coordinates: usize,
        /// The number of dimensions.
        dimensions: usize,
    },
    /// The update is not defined for the elements.
    Update(Op, Type),
    /// The first row of the box does not begin at a multiple of 16 bytes, which is an illegal instruction.
    Row {
        /// The innermost coordinate.
        coordinate: i64,
        /// The bytes of an element.
        element: u64,
    },
    /// The map is of the other mode.
    Mode,
    /// The first pixel is after the last one of an image, which is an illegal instruction.
    OutsideColumn {
        /// Its coordinate.
        coordinate: i64,
        /// The last one.
        last: i64,
    },
    /// What was replaced leaves a map that the host does not make.
    Property,
    /// A box that is written begins before the tensor, which is an illegal instruction.
    NegativeCoordinate(i64),
    /// Pixels that are written have a lower corner before the tensor, which is an illegal instruction.
    NegativeCorner(i16),
}

impl fmt::Display for TensorMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMap => f.write_str("no tensor map at this address"),
            Self::Dimensions { coordinates, dimensions } => {
                write!(f, "{coordinates} coordinates for a tensor map with {dimensions} dimensions")
            }
            Self::Update(op, ty) => {
                write!(f, "`.{}` is not defined for the `.{}` elements of the tensor map", op.word(), ty.word())
            }
            Self::Row { coordinate, element } => write!(
                f,
                "innermost coordinate {coordinate}: with elements of {element} bytes it must be a multiple of {}, so that rows begin at \
                 multiples of 16 bytes",
                ROW_ALIGNMENT / element
            ),
            Self::OutsideColumn { coordinate, last } => {
                write!(
                    f,
                    "coordinate {coordinate} of the first pixel is after {last}, the last one by the upper corner of the map"
                )
            }
            Self::Mode => {
                f.write_str("a map for boxes (`box=`) is for `.tile`, one for pixels (`im2col`) for `.im2col`")
            }
            Self::Property => f.write_str("the property gets a value that a tensor map cannot have"),
            Self::NegativeCoordinate(coordinate) => {
                write!(f, "coordinate {coordinate} of a box that is written: it must not be negative")
            }
            Self::NegativeCorner(corner) => {
                write!(f, "lower corner {corner} of the map of pixels that are written: it must not be negative")
            }
        }
    }
}
