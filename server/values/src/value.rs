//! Typed bit patterns: the values of memory, operands and destinations.
//!
//! A type and a vector qualifier determine the layout of elements in up to 128 bits; `literal` reads and `display` writes them.

use crate::float::SmallFloat;
use isa::types::Type;

/// The type of one element; the number is its width in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// Untyped bits (`.b8` to `.b128`).
    Bits(u32),
    /// An unsigned integer (`.u8` to `.u64`).
    Unsigned(u32),
    /// A two's complement integer (`.s8` to `.s64`).
    Signed(u32),
    /// A floating-point format of 8 or 16 bits.
    Small(SmallFloat),
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Element {
    /// The width in bits: 8 to 128.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bits(width) | Self::Unsigned(width) | Self::Signed(width) => width,
            Self::Small(format) => format.bits(),
            Self::F32 => 32,
            Self::F64 => 64,
        }
    }

    /// The PTX name of a scalar of this element, without a dot.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bits(8) => "b8",
            Self::Bits(16) => "b16",
            Self::Bits(32) => "b32",
            Self::Bits(64) => "b64",
            Self::Bits(_) => "b128",
            Self::Unsigned(8) => "u8",
            Self::Unsigned(16) => "u16",
            Self::Unsigned(32) => "u32",
            Self::Unsigned(_) => "u64",
            Self::Signed(8) => "s8",
            Self::Signed(16) => "s16",
            Self::Signed(32) => "s32",
            Self::Signed(_) => "s64",
            Self::Small(format) => format.name(),
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Whether the element is a floating-point number.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::Small(_) | Self::F32 | Self::F64)
    }

    /// Whether `bits` is a NaN of this element; never for integers and untyped bits.
    pub fn is_nan(self, bits: u64) -> bool {
        match self {
            Self::Bits(_) | Self::Unsigned(_) | Self::Signed(_) => false,
            Self::Small(format) => format.is_nan(bits as u16),
            Self::F32 => f32::from_bits(bits as u32).is_nan(),
            Self::F64 => f64::from_bits(bits).is_nan(),
        }
    }
}

/// The layout of a value: element 0 is at the lowest address and in the lowest bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    element: Element,
    packed: u32,
    vector: u32,
}

impl Shape {
    /// The shape of `vector` times the type; 1 for a scalar.
    ///
    /// # Errors
    /// `None` if the value would be wider than 128 bits or have no lane: no PTX atomic has such a form.
    pub fn new(ty: Type, vector: u32) -> Option<Self> {
        let (element, packed) = split(ty);
        let width = element.bits().checked_mul(packed)?.checked_mul(vector)?;
        (1..=128).contains(&width).then_some(Self { element, packed, vector })
    }

    /// The shape of one value of the type.
    pub fn scalar(ty: Type) -> Self {
        let (element, packed) = split(ty);
        Self { element, packed, vector: 1 }
    }

    /// The shape of a single element.
    pub const fn of(element: Element) -> Self {
        Self { element, packed: 1, vector: 1 }
    }

    /// The shape of one lane of a vector: a register with its packed elements.
    pub const fn lane(self) -> Self {
        Self { vector: 1, ..self }
    }

    /// The type of an element.
    pub const fn element(self) -> Element {
        self.element
    }

    /// Elements in one register: 2 for `.f16x2`, 4 for `.e4m3x4`, else 1.
    pub const fn packed(self) -> u32 {
        self.packed
    }

    /// Registers in a braced operand: 2, 4 or 8 with a vector qualifier, else 1.
    pub const fn vector(self) -> u32 {
        self.vector
    }

    /// The total number of elements: packed ones times vector lanes.
    pub const fn elements(self) -> u32 {
        self.packed * self.vector
    }

    /// The width of the whole value in bits: 8 to 128.
    pub const fn width(self) -> u32 {
        self.element.bits() * self.elements()
    }

    /// The size of the whole value in bytes, which is also the required alignment.
    pub const fn bytes(self) -> u32 {
        self.width() / 8
    }

    /// A mask of the value's bits.
    pub const fn mask(self) -> u128 {
        low_bits(self.width())
    }
}

/// The lowest `width` bits set; `width` is 1 to 128.
pub const fn low_bits(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

/// The type of an element, and the number of packed ones.
const fn split(ty: Type) -> (Element, u32) {
    let element = match ty {
        Type::B8 | Type::B16 | Type::B32 | Type::B64 | Type::B128 => Element::Bits(ty.bits()),
        Type::U8 | Type::U16 | Type::U32 | Type::U64 => Element::Unsigned(ty.bits()),
        Type::S8 | Type::S16 | Type::S32 | Type::S64 => Element::Signed(ty.bits()),
        Type::F16 | Type::F16x2 => Element::Small(SmallFloat::F16),
        Type::Bf16 | Type::Bf16x2 => Element::Small(SmallFloat::Bf16),
        Type::E4m3 | Type::E4m3x2 | Type::E4m3x4 => Element::Small(SmallFloat::E4m3),
        Type::E5m2 | Type::E5m2x2 | Type::E5m2x4 => Element::Small(SmallFloat::E5m2),
        Type::U8x4 => Element::Unsigned(8),
        Type::S8x4 => Element::Signed(8),
        Type::U16x2 => Element::Unsigned(16),
        Type::S16x2 => Element::Signed(16),
        Type::Pred => Element::Bits(1),
        Type::F32 | Type::F32x2 => Element::F32,
        Type::F64 => Element::F64,
    };
    (element, ty.packed())
}

/// A bit pattern and its shape. Bits above the width are always zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    shape: Shape,
    bits: u128,
}

impl Value {
    /// The value with these bits; bits above the width are dropped, as a register of that width would.
    pub const fn new(shape: Shape, bits: u128) -> Self {
        Self { shape, bits: bits & shape.mask() }
    }

    /// The value with these elements, element 0 first; missing ones are zero.
    pub fn from_elements(shape: Shape, elements: impl IntoIterator<Item = u64>) -> Self {
        let width = shape.element.bits();
        let mut bits = 0;
        for (index, element) in (0..shape.elements()).zip(elements) {
            bits |= (u128::from(element) & low_bits(width)) << (index * width);
        }
        Self { shape, bits }
    }

    /// The layout of the bits.
    pub const fn shape(self) -> Shape {
        self.shape
    }

    /// All bits, element 0 in the lowest.
    pub const fn bits(self) -> u128 {
        self.bits
    }

    /// The bits of one element of at most 64 bits; 0 beyond the last. (Of a `.b128` it is the low half.)
    pub const fn element(self, index: u32) -> u64 {
        if index >= self.shape.elements() {
            return 0;
        }
        let width = self.shape.element.bits();
        (self.bits >> (index * width) & low_bits(width)) as u64
    }
}
