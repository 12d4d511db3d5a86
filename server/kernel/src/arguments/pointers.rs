//! Pointers into buffers, as arguments and as elements of buffers: `&a`, `&a+256`.

use crate::arguments::argument_values::shape_of;

/// Whether an argument is a pointer into a buffer, or has some as elements.
pub fn has_pointers(spec: &str) -> bool {
    let values = spec.split_once('=').map_or(spec, |(_, values)| values);
    values.split(',').any(|value| value.trim_start().starts_with('&'))
}

/// The address and the bytes of the buffer with a name, or a message.
pub type FindBuffer<'f> = &'f dyn Fn(&str) -> Result<(u64, u64), String>;

/// An argument with addresses of so many bytes in place of pointers into buffers.
///
/// # Errors
/// A message with what to write instead.
pub fn with_addresses(spec: &str, bytes: u32, find: FindBuffer) -> Result<String, String> {
    let Some((declared, list)) = spec.split_once('=') else {
        return Ok(format!("u{}={:#x}", 8 * bytes, pointer(spec, find)?));
    };
    let ty = declared.split('[').next().unwrap_or_default().trim();
    if shape_of(ty).is_none_or(|shape| shape.bytes() != bytes || shape.element().is_float()) {
        return Err(format!("addresses have {bytes} bytes: write `u{}` in place of `{ty}`", 8 * bytes));
    }
    let element = |text: &str| match text.trim() {
        one if one.starts_with('&') => Ok(format!("{:#x}", pointer(one, find)?)),
        other => Ok(other.to_owned()),
    };
    let list = list.split(',').map(element).collect::<Result<Vec<String>, String>>()?;
    Ok(format!("{declared}={}", list.join(",")))
}

/// The address that a pointer is. It may be the end of a buffer.
fn pointer(text: &str, find: FindBuffer) -> Result<u64, String> {
    let target = text.trim().trim_start_matches('&');
    let (name, offset) = target.split_once('+').unwrap_or((target, "0"));
    let (name, offset) = (name.trim(), offset.trim());
    let number = syntax::integer_value(offset).and_then(|offset| u64::try_from(offset).ok());
    let number = number.ok_or_else(|| format!("`{text}`: `{offset}` is not a number of bytes"))?;
    let (address, length) = find(name).map_err(|error| format!("`{text}`: {error}"))?;
    match number <= length {
        true => Ok(address + number),
        false => Err(format!("`{text}` is outside of `{name}`, which has {length} bytes")),
    }
}
