//! How many bytes accesses and variables have.

use syntax::Declaration;

/// The bytes of an access.
pub(crate) fn size(legal: &isa::ResolvedInstruction) -> i64 {
    i64::from(legal.ty.map_or(0, isa::types::Type::bits) / 8) * i64::from(legal.lanes)
}

/// The bytes of an element of a variable.
fn element(variable: &Declaration) -> Option<i64> {
    let digits = variable.ty.text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let (bits, packed) = match digits.split_once('x') {
        Some((bits, packed)) => (bits.parse::<i64>().ok()?, packed.parse::<i64>().ok()?),
        None => (digits.parse::<i64>().ok()?, 1),
    };
    let lanes = match &*variable.vector.text {
        "" => 1,
        vector => vector.trim_start_matches(".v").parse::<i64>().ok()?,
    };
    (bits / 8).checked_mul(packed)?.checked_mul(lanes)
}

/// The bytes of a variable, where its size is written.
pub(crate) fn bytes(variable: &Declaration) -> Option<i64> {
    element(variable)?.checked_mul(i64::try_from(variable.elements?).ok()?)
}

/// The alignment of a variable in bytes: that of its type where none is written.
pub(crate) fn aligned(variable: &Declaration) -> i64 {
    let alignment = variable.alignment.and_then(|bytes| i64::try_from(bytes).ok());
    alignment.or_else(|| element(variable)).unwrap_or(1).max(1)
}
