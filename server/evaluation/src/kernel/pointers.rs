//! Pointers into buffers, as arguments and as elements of buffers: `&a`, `&a+256`.

use super::arguments::shape_of;

/// What pointers point into.
pub struct PointerTargets<'a> {
    /// How many bytes an address has.
    pub address_bytes: u32,
    /// The address of a buffer by its name, and its length in bytes.
    pub find: &'a dyn Fn(&str) -> Option<(u64, u64)>,
}

/// Whether an argument is a pointer into a buffer, or has some as elements.
pub fn has_pointers(spec: &str) -> bool {
    let values = spec.split_once('=').map_or(spec, |(_, values)| values);
    values.split(',').any(|value| value.trim_start().starts_with('&'))
}

/// An argument with addresses in place of pointers into buffers.
///
/// # Errors
/// A message with what to write instead.
pub fn with_addresses(spec: &str, targets: &PointerTargets) -> Result<String, String> {
    let bytes = targets.address_bytes;
    let Some((declared, list)) = spec.split_once('=') else {
        return Ok(format!("u{}={:#x}", 8 * bytes, pointer(spec, targets)?));
    };
    let ty = declared.split('[').next().unwrap_or_default().trim();
    if shape_of(ty).is_none_or(|shape| shape.bytes() != bytes || shape.element().is_float()) {
        return Err(format!("addresses have {bytes} bytes: write `u{}` in place of `{ty}`", 8 * bytes));
    }
    let element = |text: &str| match text.trim() {
        one if one.starts_with('&') => Ok(format!("{:#x}", pointer(one, targets)?)),
        other => Ok(other.to_owned()),
    };
    let list = list.split(',').map(element).collect::<Result<Vec<String>, String>>()?;
    Ok(format!("{declared}={}", list.join(",")))
}

/// The address that a pointer is. It may be the end of a buffer.
fn pointer(text: &str, targets: &PointerTargets) -> Result<u64, String> {
    let target = text.trim().trim_start_matches('&');
    let (name, offset) = target.split_once('+').unwrap_or((target, "0"));
    let (name, offset) = (name.trim(), offset.trim());
    let number = syntax::integer_value(offset).and_then(|offset| u64::try_from(offset).ok());
    let number = number.ok_or_else(|| format!("`{text}`: `{offset}` is not a number of bytes"))?;
    match (targets.find)(name) {
        Some((address, length)) if number <= length => Ok(address + number),
        Some((_, length)) => Err(format!("`{text}` is outside of `{name}`, which has {length} bytes")),
        None => Err(format!("`{text}`: no buffer `{name}` among the arguments")),
    }
}
