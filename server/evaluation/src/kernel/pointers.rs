//! Pointers into buffers, as arguments and as elements of buffers: `&a`, `&a+256`.

use super::arguments::shape_of;
use super::launch_memory::{KernelMemory, bytes_at};

/// Whether an argument is a pointer into a buffer, or has some as elements.
pub fn has_pointers(spec: &str) -> bool {
    let values = spec.split_once('=').map_or(spec, |(_, values)| values);
    values.split(',').any(|value| value.trim_start().starts_with('&'))
}

/// An argument with addresses in place of pointers into buffers.
///
/// # Errors
/// A message with what to write instead.
pub fn with_addresses(spec: &str, memory: &KernelMemory) -> Result<String, String> {
    let bytes = memory.memory.addresses().bytes();
    let Some((declared, list)) = spec.split_once('=') else {
        return Ok(format!("u{}={:#x}", 8 * bytes, pointer(spec, memory)?));
    };
    let ty = declared.split('[').next().unwrap_or_default().trim();
    if shape_of(ty).is_none_or(|shape| shape.bytes() != bytes || shape.element().is_float()) {
        return Err(format!("addresses have {bytes} bytes: write `u{}` in place of `{ty}`", 8 * bytes));
    }
    let element = |text: &str| match text.trim() {
        one if one.starts_with('&') => Ok(format!("{:#x}", pointer(one, memory)?)),
        other => Ok(other.to_owned()),
    };
    let list = list.split(',').map(element).collect::<Result<Vec<String>, String>>()?;
    Ok(format!("{declared}={}", list.join(",")))
}

/// The address that a pointer is. It may be the end of a buffer.
fn pointer(text: &str, memory: &KernelMemory) -> Result<u64, String> {
    let target = text.trim().trim_start_matches('&');
    let (name, offset) = target.split_once('+').unwrap_or((target, "0"));
    let (name, offset) = (name.trim(), offset.trim());
    let number = syntax::integer_value(offset).and_then(|offset| u64::try_from(offset).ok());
    let number = number.ok_or_else(|| format!("`{text}`: `{offset}` is not a number of bytes"))?;
    let (_, address) = memory.find(name).ok_or_else(|| format!("`{text}`: no buffer `{name}` among the arguments"))?;
    match bytes_at(&memory.memory, address).len() as u64 {
        length if number <= length => Ok(address + number),
        length => Err(format!("`{text}` is outside of `{name}`, which has {length} bytes")),
    }
}
