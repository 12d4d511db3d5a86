//! `--trace`: what a thread executes, and who accesses an address.

use kernel::Kernel;
use kernel::arguments::launch_memory::{KernelMemory, bytes_at};
use machine::{GlobalMemory, Trace, TraceEvent, TraceEventKind, TracedAccess};
use program::{Launch, ThreadId, TraceRequest, TracedThreads};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;
use std::ops::Range;
use syntax::LintFile;

/// The largest access whose value is one number, in bytes.
const MAX_NUMBER_BYTES: usize = 8;

/// Reads what `--trace` names: `thread=5`, `thread=CTA:5`, a buffer or variable, an element of one, or an address.
///
/// # Errors
/// A message with what to write instead.
pub fn request(
    texts: &[String],
    launches: &[&Launch],
    (kernel, memory): (&Kernel, &KernelMemory),
) -> Result<TraceRequest, String> {
    let (mut threads, mut traced_addresses) = (Vec::new(), Vec::new());
    for text in texts {
        match text.strip_prefix("thread=") {
            Some(thread) => threads.push(thread_id(thread, launches)?),
            None => traced_addresses.push(addresses(text, kernel, memory)?),
        }
    }
    Ok(TraceRequest { threads: TracedThreads::Listed(threads), addresses: traced_addresses })
}

/// A thread of one of the launches.
fn thread_id(text: &str, launches: &[&Launch]) -> Result<ThreadId, String> {
    let (cta, thread) = text.split_once(':').unwrap_or(("0", text));
    let number = |text: &str, what: &str, count: u64| {
        let number = text.parse::<u32>().ok().filter(|number| u64::from(*number) < count);
        number.ok_or_else(|| format!("--trace thread={}: no {what} `{text}`, there are {count}", text.trim()))
    };
    let ctas = |launch: &Launch| launch.all_sizes().map(|sizes| sizes.grid.count()).sum::<u64>();
    let cta = number(cta, "CTA", launches.iter().map(|launch| ctas(launch)).max().unwrap_or_default())?;
    let threads = |launch: &Launch| {
        let mut begin = 0;
        let of_cta = launch.all_sizes().find(|sizes| {
            begin += sizes.grid.count();
            u64::from(cta) < begin
        });
        of_cta.map_or(0, |sizes| sizes.block.count())
    };
    let thread = number(thread, "thread", launches.iter().map(|launch| threads(launch)).max().unwrap_or_default())?;
    Ok(ThreadId { cta, thread })
}

fn addresses(text: &str, kernel: &Kernel, memory: &KernelMemory) -> Result<Range<u64>, String> {
    if text.starts_with("0x") {
        let address = syntax::integer_value(text).and_then(|address| u64::try_from(address).ok());
        return address.map(|at| at..at + 1).ok_or_else(|| format!("`{text}` is not an address"));
    }
    let (name, index) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((name, index)) => (name, Some(index.parse::<u64>().map_err(|_| format!("`{index}` is not an index"))?)),
        None => (text, None),
    };
    let (shape, address) = memory.named(name, kernel).map_err(|message| {
        format!("--trace {text}: {message}; write thread=5 for a thread, out[3] or 0x… for memory")
    })?;
    let (size, length) = (u64::from(shape.bytes()), bytes_at(&memory.memory, address).len() as u64);
    match index {
        None => Ok(address..address + length),
        Some(index) if index < length / size => Ok(address + index * size..address + (index + 1) * size),
        Some(index) => Err(format!("--trace {text}: `{name}` has {} elements, no element {index}", length / size)),
    }
}

/// A trace with what it refers to.
pub struct RunTrace<'r> {
    /// The name of the file.
    pub name: &'r str,
    /// The module.
    pub file: &'r LintFile,
    /// The kernel.
    pub kernel: &'r Kernel,
    /// The trace.
    pub trace: &'r Trace,
    /// Memory at the end.
    pub memory: &'r GlobalMemory,
}

/// An event as it is shown: several events of one instruction are one.
struct ShownEvent<'r> {
    event: &'r TraceEvent,
    registers: Vec<(String, u64)>,
}

impl RunTrace<'_> {
    fn events(&self) -> Vec<ShownEvent<'_>> {
        let mut shown: Vec<ShownEvent> = Vec::new();
        for event in &self.trace.events {
            let TraceEventKind::Executed(slots) = &event.kind else {
                shown.push(ShownEvent { event, registers: Vec::new() });
                continue;
            };
            let name = |slot: u32| self.kernel.register_name(event.place.function, slot);
            let registers: Vec<_> = slots.iter().filter_map(|(slot, value)| Some((name(*slot)?, *value))).collect();
            match shown.last_mut().filter(|last| self.continues(last.event, event)) {
                Some(last) => {
                    last.event = event;
                    last.registers.extend(registers);
                }
                None => shown.push(ShownEvent { event, registers }),
            }
        }
        shown
    }

    /// Whether an event is about the next part of the same instruction of the module.
    fn continues(&self, last: &TraceEvent, event: &TraceEvent) -> bool {
        let same = last.thread == event.thread && last.place.function == event.place.function;
        same && matches!(last.kind, TraceEventKind::Executed(_))
            && last.place.instruction + 1 == event.place.instruction
            && self.kernel.range(last.place) == self.kernel.range(event.place)
    }

    fn line(&self, event: &TraceEvent) -> usize {
        self.file.position(self.kernel.range(event.place).start).line + 1
    }

    fn instruction(&self, event: &TraceEvent) -> String {
        let text = self.file.slice(&self.kernel.range(event.place));
        text.trim_end_matches(';').split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The memory at an address: its name and the offset.
    fn named_memory(&self, address: u64) -> Option<(String, u64)> {
        let place = self.memory.find(address, 1, 0)?;
        let allocation = &self.memory.allocations()[place.allocation];
        Some((allocation.name.to_string(), address - allocation.address))
    }

    /// The events for people, a line each.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for ShownEvent { event, registers } in self.events() {
            let ThreadId { cta, thread } = event.thread;
            let _ = write!(text, "{}:{}: thread {thread} of CTA {cta}: ", self.name, self.line(event));
            match &event.kind {
                TraceEventKind::Executed(_) => {
                    text.push_str(&self.instruction(event));
                    for (at, (name, value)) in registers.iter().enumerate() {
                        let separator = if at == 0 { " →" } else { "," };
                        let _ = write!(text, "{separator} {name} = {value:#x}");
                    }
                }
                TraceEventKind::Accessed(TracedAccess { kind, space, address, bytes }) => {
                    let _ = write!(text, "{kind} of {} bytes of {space} memory at {address:#x}", bytes.len());
                    if let Some((name, offset)) = self.named_memory(*address) {
                        let _ = write!(text, " (byte {offset} of `{name}`)");
                    }
                    let _ = write!(
                        text,
                        ": 0x{}",
                        bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>()
                    );
                }
            }
            text.push('\n');
        }
        match self.trace.dropped {
            0 => {}
            more => {
                let _ = writeln!(text, "… and {more} more events");
            }
        }
        text
    }

    /// The events as JSON.
    pub fn json(&self) -> Vec<Json> {
        self.events().iter().map(|shown| self.event_json(shown)).collect()
    }

    fn event_json(&self, ShownEvent { event, registers }: &ShownEvent) -> Json {
        let ThreadId { cta, thread } = event.thread;
        let mut object = json!({ "line": self.line(event), "thread": { "cta": cta, "thread": thread } });
        match &event.kind {
            TraceEventKind::Executed(_) => {
                let registers: Map<String, Json> =
                    registers.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
                object["instruction"] = json!(self.instruction(event));
                object["registers"] = registers.into();
            }
            TraceEventKind::Accessed(TracedAccess { kind, space, address, bytes }) => {
                object["access"] = json!(kind.to_string());
                object["space"] = json!(space);
                object["address"] = json!(address);
                object["size"] = json!(bytes.len());
                if let Some((name, offset)) = self.named_memory(*address) {
                    object["memory"] = json!(name);
                    object["offset"] = json!(offset);
                }
                object["value"] = if bytes.len() <= MAX_NUMBER_BYTES {
                    json!(bytes.iter().rev().fold(0_u64, |value, byte| value << 8 | u64::from(*byte)))
                } else {
                    json!(bytes)
                };
            }
        }
        object
    }
}
