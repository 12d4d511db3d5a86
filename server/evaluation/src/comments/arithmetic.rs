//! Simple integer instructions on known values.
//!
//! Floating-point instructions are excluded, because the assembler may fuse them.

use crate::comments::known_state::{KnownState, RegisterState};
use isa::types::Type;
use syntax::Operand;
use values::{Element, Shape, Value};

/// The result of an instruction that computes one register from known sources; `None` for any other.
pub fn compute(known: &KnownState, mnemonic: &str, words: &[&str], sources: &[Operand]) -> Option<RegisterState> {
    match (mnemonic, words) {
        ("mov", [ty]) => known.read(sources.first()?, Shape::scalar(Type::parse(ty)?)),
        ("cvt", [to, from]) => convert(known, integer(to)?, integer(from)?, sources),
        ("mul" | "mad", ["wide", ty]) => {
            let narrow = integer(ty)?;
            let wide = Shape::of(widened(narrow.element())?);
            let (first, others) = sources.split_at_checked(2)?;
            let [a, b] = first else { return None };
            let values = [extended(known, a, narrow)?, extended(known, b, narrow)?];
            product(known, mnemonic, wide, values, others)
        }
        ("mul" | "mad", ["lo", ty]) => {
            let shape = integer(ty)?;
            let (first, others) = sources.split_at_checked(2)?;
            let [a, b] = first else { return None };
            let values = [extended(known, a, shape)?, extended(known, b, shape)?];
            product(known, mnemonic, shape, values, others)
        }
        ("mul" | "mad", _) => None,
        (_, [ty]) => one_or_two(known, mnemonic, integer(ty)?, sources),
        _ => None,
    }
}

/// A known value, extended to 64 bits according to its type.
#[derive(Clone, Copy)]
struct ExtendedValue {
    value: i128,
    assumed: bool,
}

fn extended(known: &KnownState, operand: &Operand, shape: Shape) -> Option<ExtendedValue> {
    let register = known.read(operand, shape)?;
    let unsigned = register.bits as i128;
    let negative = matches!(shape.element(), Element::Signed(_)) && register.bits >> (shape.width() - 1) == 1;
    let value = if negative { unsigned - (1 << shape.width()) } else { unsigned };
    Some(ExtendedValue { value, assumed: register.assumed })
}

fn cut(value: i128, shape: Shape, assumed: bool) -> RegisterState {
    RegisterState { bits: Value::new(shape, value as u128).bits(), width: shape.width(), assumed }
}

/// The shape of an integer or bit type of at most 64 bits.
fn integer(ty: &str) -> Option<Shape> {
    let shape = Shape::scalar(Type::parse(ty)?);
    (shape.elements() == 1 && !shape.element().is_float() && shape.width() <= 64).then_some(shape)
}

fn widened(element: Element) -> Option<Element> {
    match element {
        Element::Unsigned(width @ (16 | 32)) => Some(Element::Unsigned(2 * width)),
        Element::Signed(width @ (16 | 32)) => Some(Element::Signed(2 * width)),
        _ => None,
    }
}

fn convert(known: &KnownState, to: Shape, from: Shape, sources: &[Operand]) -> Option<RegisterState> {
    let [source] = sources else { return None };
    let source = extended(known, source, from)?;
    Some(cut(source.value, to, source.assumed))
}

fn product(
    known: &KnownState,
    mnemonic: &str,
    shape: Shape,
    [a, b]: [ExtendedValue; 2],
    rest: &[Operand],
) -> Option<RegisterState> {
    let product = a.value.wrapping_mul(b.value);
    match (mnemonic, rest) {
        ("mul", []) => Some(cut(product, shape, a.assumed || b.assumed)),
        ("mad", [c]) => {
            let c = extended(known, c, shape)?;
            Some(cut(product.wrapping_add(c.value), shape, a.assumed || b.assumed || c.assumed))
        }
        _ => None,
    }
}

fn one_or_two(known: &KnownState, mnemonic: &str, shape: Shape, sources: &[Operand]) -> Option<RegisterState> {
    if let [source] = sources {
        let source = extended(known, source, shape)?;
        let value = match mnemonic {
            "not" => !source.value,
            "neg" => -source.value,
            _ => return None,
        };
        return Some(cut(value, shape, source.assumed));
    }
    let [a, b] = sources else { return None };
    let second = if matches!(mnemonic, "shl" | "shr") { Shape::of(Element::Unsigned(32)) } else { shape };
    let (x, y) = (extended(known, a, shape)?, extended(known, b, second)?);
    // Larger amounts shift out all bits too.
    let amount = y.value.clamp(0, 64) as u32;
    let value = match mnemonic {
        "add" => x.value + y.value,
        "sub" => x.value - y.value,
        "and" => x.value & y.value,
        "or" => x.value | y.value,
        "xor" => x.value ^ y.value,
        "min" => x.value.min(y.value),
        "max" => x.value.max(y.value),
        "shl" => ((x.value as u128) << amount) as i128,
        "shr" => x.value >> amount,
        _ => return None,
    };
    Some(cut(value, shape, x.assumed || y.assumed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::{SourceFile, Token, WalkEvent, walk};

    fn after(code: &str) -> KnownState {
        let file = SourceFile::parse(&format!(".version 8.6\n.target sm_90\n.entry k() {{ {code} }}"));
        let mut known = KnownState::default();
        walk(&file, |event| {
            if let WalkEvent::Instruction(instruction) = event {
                known.follow(&instruction);
            }
        });
        known
    }

    fn holds(code: &str, name: &str) -> Option<u128> {
        let operand = Operand::new(Token { text: name.into(), range: 0..name.len() });
        after(code).read(&operand, Shape::of(Element::Bits(32))).map(|register| register.bits)
    }

    #[test]
    fn constants_are_computed() {
        for (code, value) in [
            ("mov.u32 r, 5;", Some(5)),
            ("mov.s32 r, -1;", Some(0xffff_ffff)),
            ("mov.f32 r, 0f3F800000;", Some(0x3f80_0000)),
            ("mov.u32 a, 5; add.u32 r, a, 0xffffffff;", Some(4)),
            ("mov.u32 a, 5; sub.s32 r, 2, a;", Some(0xffff_fffd)),
            ("mov.u32 a, 7; mul.lo.u32 r, a, a;", Some(49)),
            ("mov.u32 a, 1; shl.b32 r, a, 31;", Some(0x8000_0000)),
            ("mov.u32 a, 1; shl.b32 r, a, 32;", Some(0)),
            ("mov.s32 a, -8; shr.s32 r, a, 40;", Some(0xffff_ffff)),
            ("mov.s32 a, -8; shr.u32 r, a, 28;", Some(15)),
            ("mov.b32 a, 12; xor.b32 r, a, 10;", Some(6)),
            ("mov.s32 a, -3; mov.s32 b, 5; min.s32 r, a, b;", Some(0xffff_fffd)),
            ("mov.s32 a, -3; mov.s32 b, 5; min.u32 r, a, b;", Some(5)),
            ("mov.b32 a, 5; not.b32 r, a;", Some(0xffff_fffa)),
            ("mov.s32 a, -2147483648; neg.s32 r, a;", Some(0x8000_0000)),
            ("mov.u32 a, 3; mad.lo.u32 r, a, 5, 7;", Some(22)),
            ("mov.u64 a, 0x100000005; cvt.u32.u64 r, a;", Some(5)),
            ("mov.s16 a, -2; cvt.s32.s16 r, a;", Some(0xffff_fffe)),
            ("mov.u16 a, 65534; mul.wide.u16 r, a, 2;", Some(131_068)),
            ("mov.s16 a, -2; mov.s16 b, 3; mul.wide.s16 r, a, b;", Some(0xffff_fffa)),
            ("mov.u32 a, 9; st.global.u32 [p+4], a; ld.global.u32 r, [p+4];", Some(9)),
            ("st.shared.u64 [p], 0x700000009; ld.shared.u32 r, [p+4];", Some(7)),
            ("mov.b16 a, 1; mov.b16 b, 2; mov.b32 r, {a, b};", Some(0x2_0001)),
        ] {
            assert_eq!(holds(code, "r"), value, "{code}");
        }
    }

    #[test]
    fn unknown_values_stay_unknown() {
        for code in [
            "",
            "mov.u32 r, a;",
            "mov.u32 r, 5; ld.global.u32 r, [p];",
            "mov.u32 r, 5; @q mov.u32 r, 6;",
            "mov.u32 r, 5; call f;",
            "mov.u32 r, 5; setp.eq.u32 r|s, a, b;",
            "mov.u32 r, 5; ld.global.v2.u32 {s, r}, [p];",
            "mov.u32 a, 5; mul.hi.u32 r, a, a;",
            "mov.f32 a, 1.5; add.f32 r, a, a;",
            "mov.u32 a, 5; cvt.sat.u32.u32 r, a;",
            "st.global.u32 [p], 9; st.global.u32 [q], s; ld.global.u32 r, [p];",
            "st.global.u32 [p], 9; ld.shared.u32 r, [p];",
            "@q st.global.u32 [p], 9; ld.global.u32 r, [p];",
            "st.global.v2.u32 [p], {9, 9}; ld.global.u32 r, [p];",
            "st.u32 [p], 9; ld.u32 r, [p];",
            "mov.u32 a, 5; add.sat.s32 r, a, a;",
            "mov.b16 r, 5;",
        ] {
            assert_eq!(holds(code, "r"), None, "{code}");
        }
    }
}
