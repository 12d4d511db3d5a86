//! The read-modify-write operations, bit for bit as an H100 computes them (tests/evidence/hardware).
//!
//! Which combinations are legal PTX is not checked here: every defined one is computed.

use crate::float::SmallFloat;
use crate::value::{Element, Shape, low_bits};
use isa::types::{Op, Space};

/// The space of an address, also of a generic one; global by default. It determines how f32 and f64 are added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AccessedSpace {
    /// Global memory: f32 sums flush subnormals without `.noftz`.
    #[default]
    Global,
    /// Shared memory, of the own CTA or of another in the cluster: subnormals are kept.
    Shared,
}

impl AccessedSpace {
    /// The accessed space of an instruction with this space; `generic` is the space of a generic address.
    pub const fn of(space: Space, generic: Self) -> Self {
        match space {
            Space::Generic => generic,
            Space::Global => Self::Global,
            Space::SharedCta | Space::SharedCluster => Self::Shared,
        }
    }

    /// `global` or `shared`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Shared => "shared",
        }
    }
}

/// An operation that is not defined for a type, such as the minimum of untyped bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedOperation {
    /// The operation.
    pub op: Op,
    /// The element type.
    pub element: Element,
}

impl std::fmt::Display for UnsupportedOperation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`.{}` is not defined for `.{}`", self.op.word(), self.element.name())
    }
}

impl std::error::Error for UnsupportedOperation {}

/// An operation on an element, with all properties that determine the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ElementOp {
    And,
    Or,
    Xor,
    Exch,
    Cas,
    AddInteger,
    Inc,
    Dec,
    MinUnsigned,
    MaxUnsigned,
    MinSigned,
    MaxSigned,
    AddSmall(SmallFloat),
    MinSmall(SmallFloat),
    MaxSmall(SmallFloat),
    AddF32 { flush: bool },
    AddF64 { at: AccessedSpace },
}

impl ElementOp {
    fn of(op: Op, element: Element, flush: bool, at: AccessedSpace) -> Option<Self> {
        match op {
            Op::And => Some(Self::And),
            Op::Or => Some(Self::Or),
            Op::Xor => Some(Self::Xor),
            Op::Exch => Some(Self::Exch),
            Op::Cas => Some(Self::Cas),
            Op::Add => match element {
                Element::Bits(_) => None,
                Element::Unsigned(_) | Element::Signed(_) => Some(Self::AddInteger),
                Element::Small(format) => Some(Self::AddSmall(format)),
                Element::F32 => Some(Self::AddF32 { flush }),
                Element::F64 => Some(Self::AddF64 { at }),
            },
            Op::Inc | Op::Dec => match element {
                Element::Unsigned(_) => Some(if op == Op::Inc { Self::Inc } else { Self::Dec }),
                Element::Bits(_) | Element::Signed(_) | Element::Small(_) | Element::F32 | Element::F64 => None,
            },
            Op::Min => match element {
                Element::Unsigned(_) => Some(Self::MinUnsigned),
                Element::Signed(_) => Some(Self::MinSigned),
                Element::Small(format) => Some(Self::MinSmall(format)),
                Element::Bits(_) | Element::F32 | Element::F64 => None,
            },
            Op::Max => match element {
                Element::Unsigned(_) => Some(Self::MaxUnsigned),
                Element::Signed(_) => Some(Self::MaxSigned),
                Element::Small(format) => Some(Self::MaxSmall(format)),
                Element::Bits(_) | Element::F32 | Element::F64 => None,
            },
        }
    }
}

/// A read-modify-write operation, which can be applied to any number of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    op: Op,
    shape: Shape,
    location: AccessedSpace,
    element_op: ElementOp,
}

impl Operation {
    /// The operation of an `atom` or `red` on values of this shape at this location.
    ///
    /// `subnormals` matters for sums of f32 in global memory only; every other operation preserves them.
    ///
    /// # Errors
    /// [`UnsupportedOperation`] if the operation is not defined for the element.
    pub fn new(
        op: Op,
        shape: Shape,
        subnormals: Subnormals,
        location: AccessedSpace,
    ) -> Result<Self, UnsupportedOperation> {
        let element = shape.element();
        let flush = location == AccessedSpace::Global && subnormals == Subnormals::Default;
        let element_op = ElementOp::of(op, element, flush, location).ok_or(UnsupportedOperation { op, element })?;
        Ok(Self { op, shape, location, element_op })
    }

    /// The operation.
    pub const fn op(self) -> Op {
        self.op
    }

    /// The shape of the values.
    pub const fn shape(self) -> Shape {
        self.shape
    }

    /// The accessed space.
    pub const fn location(self) -> AccessedSpace {
        self.location
    }

    /// Whether subnormal inputs and results become zero of the same sign.
    pub const fn flushes(self) -> bool {
        matches!(self.element_op, ElementOp::AddF32 { flush: true })
    }

    /// The new memory value. The destination of an `atom` is always `memory` itself.
    ///
    /// All three are bit patterns of the shape's width; higher bits are zero. For cas, `b` is compared and `c` is the
    /// new value; the others ignore `c`.
    #[inline]
    pub fn apply(self, memory: u128, b: u128, c: u128) -> u128 {
        let width = self.shape.element().bits();
        match self.element_op {
            ElementOp::And => memory & b,
            ElementOp::Or => memory | b,
            ElementOp::Xor => memory ^ b,
            ElementOp::Exch => b,
            ElementOp::Cas => pick(memory == b, c, memory),
            ElementOp::AddInteger => self.each(memory, b, |x, y| x.wrapping_add(y) & low_bits(width) as u64),
            ElementOp::Inc => self.each(memory, b, |x, y| pick(x >= y, 0, x.wrapping_add(1))),
            ElementOp::Dec => self.each(memory, b, |x, y| pick(x == 0 || x > y, y, x.wrapping_sub(1))),
            ElementOp::MinUnsigned => self.each(memory, b, u64::min),
            ElementOp::MaxUnsigned => self.each(memory, b, u64::max),
            ElementOp::MinSigned => self.each(memory, b, |x, y| pick(signed(y, width) < signed(x, width), y, x)),
            ElementOp::MaxSigned => self.each(memory, b, |x, y| pick(signed(y, width) > signed(x, width), y, x)),
            ElementOp::AddSmall(format) => self.each(memory, b, |x, y| format.add(x as u16, y as u16).into()),
            ElementOp::MinSmall(format) => self.each(memory, b, |x, y| format.min(x as u16, y as u16).into()),
            ElementOp::MaxSmall(format) => self.each(memory, b, |x, y| format.max(x as u16, y as u16).into()),
            ElementOp::AddF32 { flush } => self.each(memory, b, |x, y| add_f32(x as u32, y as u32, flush).into()),
            ElementOp::AddF64 { at } => self.each(memory, b, |x, y| add_f64(x, y, at)),
        }
    }

    #[inline]
    fn each(self, memory: u128, b: u128, update: impl Fn(u64, u64) -> u64) -> u128 {
        if self.shape.elements() == 1 {
            return update(memory as u64, b as u64).into();
        }
        let width = self.shape.element().bits();
        let mask = low_bits(width);
        let mut result = 0;
        for shift in (0..self.shape.width()).step_by(width as usize) {
            let updated = update((memory >> shift & mask) as u64, (b >> shift & mask) as u64);
            result |= u128::from(updated) << shift;
        }
        result
    }
}

#[inline]
fn pick<T>(condition: bool, yes: T, no: T) -> T {
    if condition { yes } else { no }
}

/// Shifted to the top of 64 bits, an integer compares as in its own type.
#[inline]
const fn signed(bits: u64, width: u32) -> i64 {
    (bits << (64 - width)) as i64
}

/// The NaN of f32 sums.
pub(crate) const NAN_F32: u32 = 0x7fff_ffff;
/// The result of infinity minus infinity in f64.
const NAN_F64: u64 = 0xfff8_0000_0000_0000;
/// The bit that makes a NaN of f64 a quiet one.
pub(crate) const QUIET_F64: u64 = 0x0008_0000_0000_0000;

/// Zero of the same sign for a subnormal, else the bits themselves.
pub(crate) const fn flushed(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

#[inline]
fn add_f32(a: u32, b: u32, flush: bool) -> u32 {
    let through = |bits| if flush { flushed(bits) } else { bits };
    let sum = f32::from_bits(through(a)) + f32::from_bits(through(b));
    if sum.is_nan() { NAN_F32 } else { through(sum.to_bits()) }
}

#[inline]
fn add_f64(a: u64, b: u64, location: AccessedSpace) -> u64 {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let sum = x + y;
    if !sum.is_nan() {
        return sum.to_bits();
    }
    match location {
        AccessedSpace::Global if y.is_nan() => b,
        AccessedSpace::Global if x.is_nan() => a,
        AccessedSpace::Shared if x.is_nan() => a | QUIET_F64,
        AccessedSpace::Shared if y.is_nan() => b | QUIET_F64,
        AccessedSpace::Global | AccessedSpace::Shared => NAN_F64,
    }
}

/// How a sum of f32 in global memory treats subnormal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subnormals {
    /// They are flushed to zero.
    Default,
    /// They are preserved, as `.noftz` requires.
    Preserved,
}

impl Subnormals {
    /// For an instruction with or without `.noftz`.
    pub const fn of(noftz: bool) -> Self {
        if noftz { Self::Preserved } else { Self::Default }
    }
}
