//! Dot products of small integers.

use crate::scalar::lanes::Apply;
use crate::scalar::types::Words;

/// `dp4a` and `dp2a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DotProduct {
    /// The width of an element of the first source: 8 or 16.
    width: u32,
    /// The first of the bytes of the second source.
    first_byte: u32,
    signed: [bool; 2],
}

impl DotProduct {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let width = match words.mnemonic {
            "dp4a" => 8,
            "dp2a" => 16,
            _ => return None,
        };
        let &[a, b] = words.types.as_slice() else { return None };
        let first_byte = if words.has("hi") { 2 } else { 0 };
        Some(Self { width, first_byte, signed: [a.is_signed(), b.is_signed()] })
    }

    pub(super) const fn is_signed(self) -> bool {
        self.signed[0] || self.signed[1]
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        apply.value(move |[a, b, c, _]| {
            let products = (0..32 / self.width).map(|index| {
                let x = field(a as u32, index * self.width, self.width, self.signed[0]);
                let y = field(b as u32, (index + self.first_byte) * 8, 8, self.signed[1]);
                x.wrapping_mul(y)
            });
            let sum = products.fold(c as i32, i32::wrapping_add);
            if self.is_signed() { sum as u64 } else { u64::from(sum as u32) }
        })
    }
}

#[inline]
fn field(bits: u32, shift: u32, width: u32, signed: bool) -> i32 {
    let top = bits >> shift << (32 - width);
    if signed { top as i32 >> (32 - width) } else { (top >> (32 - width)) as i32 }
}
