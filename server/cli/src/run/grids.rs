//! Which CTAs are of which kernel, if several run at the same time: CTAs are counted through all of them.

use super::PreparedKernel;
use program::{GridSizes, Processor};
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// The CTAs of a kernel.
struct KernelCtas<'p> {
    kernel: &'p str,
    first: u64,
    count: u64,
    processor: Processor,
}

/// Those of each kernel; none if only one runs.
fn kernel_ctas(prepared: &PreparedKernel) -> Vec<KernelCtas<'_>> {
    let (launch, mut next) = (&prepared.launch, 0);
    if launch.beside.is_empty() {
        return Vec::new();
    }
    let processors = std::iter::once(Processor::Device).chain(launch.beside.iter().map(|one| one.processor));
    let of_kernel = |(GridSizes { kernel, grid, .. }, processor)| {
        let (first, count) = (next, grid.count());
        next += count;
        KernelCtas { kernel: &prepared.kernel.program.functions[kernel].name, first, count, processor }
    };
    launch.all_sizes().zip(processors).map(of_kernel).collect()
}

/// For people, a line for each kernel.
pub fn text(prepared: &PreparedKernel) -> String {
    let mut text = String::new();
    for KernelCtas { kernel, first, count, processor } in kernel_ctas(prepared) {
        let place = if processor == Processor::Host { " on the host" } else { "" };
        let _ = match count {
            1 => writeln!(text, "CTA {first}: `{kernel}`{place}"),
            count => writeln!(text, "CTAs {first} to {}: `{kernel}`{place}", first + count - 1),
        };
    }
    text
}

/// As JSON; `None` if only one kernel runs.
pub fn json(prepared: &PreparedKernel) -> Option<Json> {
    let all: Vec<Json> = kernel_ctas(prepared)
        .iter()
        .map(|one| {
            let is_host = one.processor == Processor::Host;
            json!({ "kernel": one.kernel, "first": one.first, "ctas": one.count, "host": is_host })
        })
        .collect();
    (!all.is_empty()).then(|| json!(all))
}
