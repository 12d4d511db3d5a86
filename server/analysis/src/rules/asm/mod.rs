//! `asm` statements themselves: operands, constraints and clobbers against what the compiler takes and what the PTX inside does.
//!
//! Must not know how statements are found, nor PTX beyond what was read of it.

mod clobber;
mod constraint;
mod memory;
mod operand_number;
mod read_write;
mod template;
mod unused;
mod volatile;

use crate::Finding;
use crate::cuda::{Embedded, Inner};
use crate::report::{self, With};
use isa::types::Sem;
use std::ops::Range;

/// Checks one statement.
pub(crate) fn check(embedded: &Embedded, findings: &mut Vec<Finding>) {
    template::check(embedded, findings);
    operand_number::check(embedded, findings);
    constraint::check(embedded, findings);
    clobber::check(embedded, findings);
    memory::check(embedded, findings);
    volatile::check(embedded, findings);
    unused::check(embedded, findings);
    read_write::check(embedded, findings);
}

/// What an instruction does beside filling registers, for a sentence; `None` where it does nothing else, or nobody knows it.
fn effect(inner: &Inner) -> Option<&'static str> {
    let resolved = inner.resolved.as_ref()?;
    let sem = resolved.sem.map(|sem| sem.value);
    let orders = matches!(sem, Some(Sem::Acquire | Sem::Release | Sem::AcqRel));
    match resolved.family.name {
        // A plain store is as its type in C++ is: whether others look is not known here.
        "st" if sem != Some(Sem::Relaxed) && !orders => None,
        "atom" | "red" | "red.async" | "multimem.red" | "multimem.st" | "st" => {
            Some(if orders { "writes to memory and orders accesses" } else { "writes to memory" })
        }
        "fence" | "membar" | "fence.proxy" | "membar.proxy" => Some("orders accesses to memory"),
        _ if orders => Some("orders accesses to memory"),
        _ => None,
    }
}

/// A finding of a rule.
fn finding(code: &str, range: &Range<usize>, message: String, help: &str) -> Finding {
    *report::finding(code, range.clone(), message).help(help)
}
