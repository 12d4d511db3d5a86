//! The read-modify-write operations, bit for bit as an H100 computes them (tests/evidence/hardware).
//!
//! Knows what `.op` does to a value in memory. Must not know instruction text nor which combinations are legal PTX:
//! it computes whatever has a meaning.

use crate::float::Format;
use crate::memory::{AccessError, Memory};
use crate::note::{self, Note};
use crate::value::{Element, Shape, Value, low_bits};
use isa::types::{Op, Space};

/// Where an address points once a generic one is resolved; global unless said. It decides how f32 and f64 are added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Location {
    /// Global memory: f32 sums flush subnormals unless `.noftz` says otherwise.
    #[default]
    Global,
    /// Shared memory, of the own CTA or of another in the cluster: subnormals are kept.
    Shared,
}

impl Location {
    /// Where an instruction with this space works; `generic` says where a generic address points.
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

/// An operation that has no meaning on a type, such as the minimum of untyped bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The operation asked for.
    pub op: Op,
    /// The element it was asked for.
    pub element: Element,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} has no meaning for {}", self.op.word(), self.element.name())
    }
}

impl std::error::Error for Unsupported {}

/// What is computed: an operation on an element, with everything settled that decides the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
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
    AddSmall(Format),
    MinSmall(Format),
    MaxSmall(Format),
    AddF32 { flush: bool },
    AddF64 { at: Location },
}

impl Rule {
    fn of(op: Op, element: Element, flush: bool, at: Location) -> Option<Self> {
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

/// One read-modify-write, ready to be applied to any number of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    op: Op,
    shape: Shape,
    location: Location,
    rule: Rule,
}

impl Operation {
    /// The operation of an `atom` or `red` on values of this shape at this location.
    ///
    /// `noftz` matters for f32 on global memory alone; every other sum keeps subnormals anyway.
    ///
    /// # Errors
    /// [`Unsupported`] where the operation has no meaning for the element.
    pub fn new(op: Op, shape: Shape, noftz: bool, location: Location) -> Result<Self, Unsupported> {
        let element = shape.element();
        let flush = location == Location::Global && !noftz;
        let rule = Rule::of(op, element, flush, location).ok_or(Unsupported { op, element })?;
        Ok(Self { op, shape, location, rule })
    }

    /// What is done.
    pub const fn op(self) -> Op {
        self.op
    }

    /// What it is done to.
    pub const fn shape(self) -> Shape {
        self.shape
    }

    /// Where it is done.
    pub const fn location(self) -> Location {
        self.location
    }

    /// Whether subnormal inputs and results become zero of the same sign.
    pub const fn flushes(self) -> bool {
        matches!(self.rule, Rule::AddF32 { flush: true })
    }

    /// The new memory value. The destination of an `atom` is always `memory` itself.
    ///
    /// All three are bit patterns of the shape's width with nothing above it. For cas, `b` is compared and `c` is the
    /// new value; the others ignore `c`.
    #[inline]
    pub fn apply(self, memory: u128, b: u128, c: u128) -> u128 {
        let width = self.shape.element().bits();
        match self.rule {
            Rule::And => memory & b,
            Rule::Or => memory | b,
            Rule::Xor => memory ^ b,
            Rule::Exch => b,
            Rule::Cas => pick(memory == b, c, memory),
            Rule::AddInteger => self.each(memory, b, |x, y| x.wrapping_add(y) & low_bits(width) as u64),
            Rule::Inc => self.each(memory, b, |x, y| pick(x >= y, 0, x.wrapping_add(1))),
            Rule::Dec => self.each(memory, b, |x, y| pick(x == 0 || x > y, y, x.wrapping_sub(1))),
            Rule::MinUnsigned => self.each(memory, b, u64::min),
            Rule::MaxUnsigned => self.each(memory, b, u64::max),
            Rule::MinSigned => self.each(memory, b, |x, y| pick(signed(y, width) < signed(x, width), y, x)),
            Rule::MaxSigned => self.each(memory, b, |x, y| pick(signed(y, width) > signed(x, width), y, x)),
            Rule::AddSmall(format) => self.each(memory, b, |x, y| format.add(x as u16, y as u16).into()),
            Rule::MinSmall(format) => self.each(memory, b, |x, y| format.min(x as u16, y as u16).into()),
            Rule::MaxSmall(format) => self.each(memory, b, |x, y| format.max(x as u16, y as u16).into()),
            Rule::AddF32 { flush } => self.each(memory, b, |x, y| add_f32(x as u32, y as u32, flush).into()),
            Rule::AddF64 { at } => self.each(memory, b, |x, y| add_f64(x, y, at)),
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

/// Moved to the top of 64 bits, an integer compares as its own type does.
#[inline]
const fn signed(bits: u64, width: u32) -> i64 {
    (bits << (64 - width)) as i64
}

/// The NaN that a sum of f32 gives.
pub(crate) const NAN_F32: u32 = 0x7fff_ffff;
/// What infinity minus infinity of f64 gives.
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
fn add_f64(a: u64, b: u64, location: Location) -> u64 {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let sum = x + y;
    if !sum.is_nan() {
        return sum.to_bits();
    }
    match location {
        Location::Global if y.is_nan() => b,
        Location::Global if x.is_nan() => a,
        Location::Shared if x.is_nan() => a | QUIET_F64,
        Location::Shared if y.is_nan() => b | QUIET_F64,
        Location::Global | Location::Shared => NAN_F64,
    }
}

/// What an atomic did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The value in memory afterwards.
    pub memory: Value,
    /// The value before, which `atom` returns and `red` does not.
    pub destination: Value,
    /// What happened on the way, element 0 first.
    pub notes: Vec<Note>,
}

/// Applies an operation and says what happened. `c` is the new value of cas and ignored by all others.
///
/// The operands' bits count, whatever shape they come with.
pub fn evaluate(operation: Operation, memory: Value, b: Value, c: Option<Value>) -> Outcome {
    let shape = operation.shape();
    let (old, b) = (Value::new(shape, memory.bits()), Value::new(shape, b.bits()));
    let c = Value::new(shape, c.map_or(0, Value::bits));
    let new = Value::new(shape, operation.apply(old.bits(), b.bits(), c.bits()));
    Outcome { memory: new, destination: old, notes: note::of(operation, old, b, new) }
}

/// Applies an operation to the value at an address of memory, and says what happened. Operands as in [`evaluate`].
///
/// # Errors
/// [`AccessError`] where the address is misaligned or a byte lies outside; memory is unchanged then.
pub fn execute(
    operation: Operation,
    memory: &mut Memory,
    address: u64,
    b: Value,
    c: Option<Value>,
) -> Result<Outcome, AccessError> {
    let outcome = evaluate(operation, memory.load(address, operation.shape())?, b, c);
    memory.store(address, outcome.memory)?;
    Ok(outcome)
}
