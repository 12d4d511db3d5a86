//! The requests `readMemory` and `writeMemory`.

use crate::frame_view::moved;
use crate::memory_reference::{address_of, parse_reference};
use crate::protocol::{DebugAnswer, base64, from_base64, number};
use machine::{ObservedMemory, RunState, StateEdit};
use serde_json::{Value, json};

/// The most bytes of an answer.
const MOST_BYTES: u64 = 1 << 20;

/// Reads memory.
///
/// # Errors
/// A message, if an argument is missing or refers to nothing.
pub fn read_memory(arguments: &Value, state: &RunState) -> DebugAnswer {
    let from = first_byte(arguments)?;
    let count = number(arguments, "count")?.min(MOST_BYTES);
    let address = format!("{:#x}", address_of(from));
    let bytes = state.read(from, count as usize).map_or_else(Vec::new, |(bytes, _)| bytes);
    let unreadable = count - bytes.len() as u64;
    let mut answer = json!({ "address": address });
    if !bytes.is_empty() {
        answer["data"] = json!(base64(&bytes));
    }
    if unreadable > 0 {
        answer["unreadableBytes"] = json!(unreadable);
    }
    Ok(answer)
}

/// The edit that a request to write memory asks for, and the answer to it.
///
/// # Errors
/// A message, if an argument is missing, or not all bytes can be written and that is not allowed.
pub fn written(arguments: &Value, state: &RunState) -> Result<(StateEdit, Value), String> {
    let memory = first_byte(arguments)?;
    let mut bytes =
        from_base64(arguments["data"].as_str().ok_or("missing `data`")?).ok_or("`data` is not in Base64")?;
    let found = state.read(memory, bytes.len()).map_or(0, |(bytes, _)| bytes.len());
    if found < bytes.len() && (found == 0 || arguments["allowPartial"] != true) {
        return Err(format!("{} bytes do not fit: {found} bytes of memory at this address", bytes.len()));
    }
    bytes.truncate(found);
    Ok((StateEdit::Memory { memory, bytes }, json!({ "offset": 0, "bytesWritten": found })))
}

/// The first byte that a request means.
fn first_byte(arguments: &Value) -> Result<ObservedMemory, String> {
    let text = arguments["memoryReference"].as_str().ok_or("missing `memoryReference`")?;
    let memory = parse_reference(text).ok_or_else(|| format!("unknown memory `{text}`"))?;
    let offset = arguments["offset"].as_i64().unwrap_or(0);
    by_offset(memory, offset).ok_or_else(|| "the address is out of range".to_owned())
}

fn by_offset(memory: ObservedMemory, offset: i64) -> Option<ObservedMemory> {
    if offset >= 0 {
        return moved(memory, offset as u64);
    }
    let back = |at: u64| at.checked_add_signed(offset);
    Some(match memory {
        ObservedMemory::Global(address) => ObservedMemory::Global(back(address)?),
        ObservedMemory::Shared { cta, offset } => ObservedMemory::Shared { cta, offset: back(offset)? },
        ObservedMemory::Local { thread, offset } => ObservedMemory::Local { thread, offset: back(offset)? },
    })
}
