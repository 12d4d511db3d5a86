//! Sizes of accesses and variables, in bytes.

use syntax::Declaration;

/// The size of an access in bytes.
pub(crate) fn access_size(legal: &isa::ResolvedInstruction) -> i64 {
    i64::from(legal.ty.map_or(0, isa::types::Type::bits) / 8) * i64::from(legal.lanes)
}

/// The size of an element of a variable in bytes.
fn element_size(variable: &Declaration) -> Option<i64> {
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

/// The size of a variable in bytes, if it is declared.
pub(crate) fn byte_size(variable: &Declaration) -> Option<i64> {
    element_size(variable)?.checked_mul(i64::try_from(variable.elements?).ok()?)
}

/// The alignment of a variable in bytes; by default, that of its type.
pub(crate) fn alignment(variable: &Declaration) -> i64 {
    let alignment = variable.alignment.and_then(|bytes| i64::try_from(bytes).ok());
    alignment.or_else(|| element_size(variable)).unwrap_or(1).max(1)
}
