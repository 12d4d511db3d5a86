//! Which registers and literals are valid for the type of an instruction, as measured with the assembler.

use isa::types::{Type, TypeKind};
use std::fmt;
use syntax::ConstantType;

/// The class of a register type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Predicate,
    Bits,
    Unsigned,
    Signed,
    Float,
    /// Two half-precision numbers, `.f16x2`.
    Packed,
}

/// The type of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RegisterType {
    pub class: Class,
    /// The width in bits. The assembler treats a predicate as 32 bits wide.
    pub bits: u32,
}

const INTEGERS: &[Class] = &[Class::Bits, Class::Unsigned, Class::Signed];
const NUMBERS: &[Class] = &[Class::Bits, Class::Unsigned, Class::Signed, Class::Float];
const ALL: &[Class] = &[Class::Bits, Class::Unsigned, Class::Signed, Class::Float, Class::Packed];

/// The register classes that are valid for the types of instructions, as scalars and as vector elements. The width must be the same.
static HOLD: &[(&[Type], &[Class], &[Class])] = &[
    (&[Type::B8, Type::B16, Type::B32, Type::B64, Type::B128], ALL, ALL),
    // A wider register of packed numbers holds the narrow ones.
    (
        &[Type::U8, Type::S8, Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64],
        &[Class::Bits, Class::Unsigned, Class::Signed, Class::Packed],
        &[Class::Bits, Class::Unsigned, Class::Signed, Class::Packed],
    ),
    // Measured: a predicate counts as 32 bits, and so does a pair of 16-bit floats.
    (&[Type::Pred], &[Class::Predicate, Class::Packed], &[]),
    (&[Type::F16, Type::F32, Type::F64], &[Class::Bits, Class::Float], NUMBERS),
    (
        &[Type::F16x2, Type::U16x2, Type::S16x2, Type::U8x4, Type::S8x4],
        &[Class::Bits, Class::Packed],
        &[Class::Bits, Class::Packed],
    ),
    (&[Type::Bf16, Type::Bf16x2, Type::F32x2], &[Class::Bits], &[Class::Bits]),
    (&[Type::E4m3, Type::E4m3x2, Type::E4m3x4, Type::E5m2, Type::E5m2x2, Type::E5m2x4], ALL, ALL),
];

/// The types of instructions that accept a literal.
static LITERALS: &[(ConstantType, &[Type])] = &[
    (
        ConstantType::Integer,
        &[
            Type::B8,
            Type::U8,
            Type::S8,
            Type::B16,
            Type::B32,
            Type::B64,
            Type::B128,
            Type::U16,
            Type::S16,
            Type::Pred,
            Type::U32,
            Type::S32,
            Type::U64,
            Type::S64,
            Type::E4m3x4,
            Type::E5m2x4,
        ],
    ),
    (ConstantType::Single, &[Type::B32, Type::F32, Type::F64, Type::E4m3x4, Type::E5m2x4]),
    (ConstantType::Double, &[Type::B64, Type::F32, Type::F64]),
];

/// Where a register is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RegisterPosition {
    /// As an operand of its own.
    Scalar,
    /// As an element of a vector.
    Element,
}

fn classes(ty: Type, position: RegisterPosition) -> &'static [Class] {
    let row = HOLD.iter().find(|(types, ..)| types.contains(&ty));
    row.map_or(&[], |(_, scalar, element)| match position {
        RegisterPosition::Scalar => scalar,
        RegisterPosition::Element => element,
    })
}

/// How wide a register must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RegisterWidth {
    /// As wide as the type.
    Exact,
    /// As wide as the type or wider, but for a floating-point register.
    AtLeast,
}

/// Whether a register is valid for a type.
pub(super) fn holds(register: RegisterType, ty: Type, position: RegisterPosition) -> bool {
    register.bits == ty.bits() && classes(ty, position).contains(&register.class)
}

/// Whether a register of the type's width, or a wider one where that is valid, is valid for a type.
pub(super) fn holds_with(width: RegisterWidth, register: RegisterType, ty: Type, position: RegisterPosition) -> bool {
    let wider = width == RegisterWidth::AtLeast && register.bits > ty.bits();
    let float = register.class == Class::Float && ty.kind() == TypeKind::Float;
    holds(register, ty, position) || wider && !float && classes(ty, position).contains(&register.class)
}

/// Whether a literal is valid for a type.
pub(super) fn takes(literal: ConstantType, ty: Type) -> bool {
    LITERALS.iter().any(|(given, types)| *given == literal && types.contains(&ty))
}

/// The valid register types of a type, for messages: `.b32, .u32 or .s32`.
pub(super) fn holders(ty: Type, position: RegisterPosition) -> String {
    let classes = classes(ty, position).iter().map(|class| RegisterType { class: *class, bits: ty.bits() });
    let names: Vec<_> = classes.filter(|ty| ty.exists()).map(|ty| format!("`{ty}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

impl RegisterType {
    /// Parses the type in a declaration, such as `.b32`; `None` if it is not a register type.
    pub(super) fn parse(word: &str) -> Option<Self> {
        let (class, bits) = match word.strip_prefix('.')? {
            "pred" => (Class::Predicate, 32),
            "f16x2" => (Class::Packed, 32),
            word => {
                let class = match word.as_bytes().first()? {
                    b'b' => Class::Bits,
                    b'u' => Class::Unsigned,
                    b's' => Class::Signed,
                    b'f' => Class::Float,
                    _ => return None,
                };
                (class, word[1..].parse().ok()?)
            }
        };
        Some(RegisterType { class, bits })
    }

    /// Whether it is an integer or untyped.
    pub(super) fn is_integer(self) -> bool {
        INTEGERS.contains(&self.class)
    }

    fn exists(self) -> bool {
        match self.class {
            Class::Float => self.bits >= 16 && self.bits <= 64,
            Class::Unsigned | Class::Signed => self.bits <= 64,
            Class::Packed => self.bits == 32,
            Class::Bits | Class::Predicate => true,
        }
    }
}

impl fmt::Display for RegisterType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.class {
            Class::Predicate => return f.write_str(".pred"),
            Class::Packed => return f.write_str(".f16x2"),
            Class::Bits => 'b',
            Class::Unsigned => 'u',
            Class::Signed => 's',
            Class::Float => 'f',
        };
        write!(f, ".{letter}{}", self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_an_instruction_has_one_row() {
        for ty in Type::ALL {
            assert_eq!(HOLD.iter().filter(|(types, ..)| types.contains(ty)).count(), 1, "{ty:?}");
        }
        assert_eq!(holders(Type::U32, RegisterPosition::Scalar), "`.b32`, `.u32`, `.s32` or `.f16x2`");
        assert_eq!(holders(Type::Bf16, RegisterPosition::Element), "`.b16`");
    }

    #[test]
    fn types_read_and_print_alike() {
        for word in [".pred", ".b8", ".u16", ".s64", ".f16", ".f16x2", ".b128"] {
            assert_eq!(RegisterType::parse(word).unwrap().to_string(), word);
        }
        assert_eq!(RegisterType::parse(".texref"), None);
    }
}
