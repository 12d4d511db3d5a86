//! How much memory the buffers of a launch may take: as much as the machine has, which is asked before any is taken.

use kernel::arguments::argument_values::{MOST_BYTES, declared_bytes};

/// How many times the bytes of its buffers a launch takes: what is remembered of the accesses to them, and a copy of what they were.
const TIMES: u64 = 4;

/// The most bytes of a buffer, if buffers may be larger than by default.
///
/// # Errors
/// A message if the buffers of some arguments, each as `NAME=SPEC`, are larger than the memory of the machine.
pub fn most_buffer_bytes(arguments: &[String]) -> Result<Option<u64>, String> {
    let spec = |argument: &String| argument.split_once('=').map_or(0, |(_, spec)| declared_bytes(spec));
    let all = arguments.iter().map(spec).fold(0, u64::saturating_add);
    let Some(available) = available_bytes().filter(|_| all > MOST_BYTES) else { return Ok(None) };
    if all.saturating_mul(TIMES) > available {
        return Err(format!(
            "buffers of {all} bytes: a launch takes about {TIMES} times as much memory, and {available} bytes are available"
        ));
    }
    Ok(Some(all))
}

/// The bytes of memory that programs can still take; `None` where the system does not say.
fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
