//! Sizes of accesses and variables, in bytes.

use syntax::Declaration;

/// The size of an access in bytes.
pub fn access_size(legal: &isa::ResolvedInstruction) -> i64 {
    i64::from(legal.ty.map_or(0, isa::types::Type::bits) / 8) * i64::from(legal.lanes)
}

/// The size of a variable in bytes, if it is declared.
pub fn byte_size(variable: &Declaration) -> Option<i64> {
    i64::try_from(variable.bytes()?).ok()
}

/// The alignment of a variable in bytes; by default, that of its type.
pub fn alignment(variable: &Declaration) -> i64 {
    let bytes = variable.alignment.or_else(|| variable.element_bytes());
    bytes.and_then(|bytes| i64::try_from(bytes).ok()).unwrap_or(1).max(1)
}
