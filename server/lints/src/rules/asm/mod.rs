//! `asm` statements themselves: operands, constraints and clobbers against what the compiler takes and what the PTX inside does.
//!
//! Must not know how statements are found, nor PTX beyond what was read of it.

mod clobber;
mod constraint;
mod memory;
mod operand_number;
mod order;
mod read_write;
mod template;
mod unused;
mod volatile;

use diagnostics::Diagnostic;
use diagnostics::rows;
use hosts::cpp::{AsmFragment, FragmentInstruction};
use isa::types::Sem;

// The rules that look at a statement.
macro_rules! on_statements {
    ($($name:ident = $severity:ident($code:expr, $page:literal) $(.$what:ident($($how:expr)?))*
        $(, flow $flow:ident)? $(, asm $check:ident)?;)*) => {
        const ON_STATEMENTS: &[fn(&AsmFragment, &mut Vec<Diagnostic>)] = &[$($($check::check,)?)*];
    };
}

rows!(on_statements);

/// Checks one statement.
pub(crate) fn check(embedded: &AsmFragment, findings: &mut Vec<Diagnostic>) {
    ON_STATEMENTS.iter().for_each(|check| check(embedded, findings));
}

/// What an instruction does beside filling registers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// It writes to memory, and orders nothing else.
    Write,
    /// It orders accesses to other memory: it is a fence, waits for other threads, acquires or releases.
    Order,
}

/// The instructions of a statement that have an effect beside their outputs, in order.
fn effects<'a>(embedded: &'a AsmFragment) -> impl Iterator<Item = (&'a FragmentInstruction, Effect)> {
    embedded.instructions.iter().filter_map(|inner| Some((inner, effect(inner)?)))
}

/// What an instruction does beside filling registers; `None` where it does nothing else, or nobody knows it.
fn effect(inner: &FragmentInstruction) -> Option<Effect> {
    let resolved = inner.resolved.as_ref()?;
    let sem = resolved.sem.map(|sem| sem.value);
    let orders = matches!(sem, Some(Sem::Acquire | Sem::Release | Sem::AcqRel));
    match resolved.family.name {
        // What it orders, the setting up of barriers, is never in C++.
        "fence" if inner.text.starts_with("fence.mbarrier_init") => None,
        // It announces bytes that a copy will bring; who releases writes of C++ by it too spells the order out.
        "mbarrier.arrive.expect_tx" | "mbarrier.arrive_drop.expect_tx" if !inner.text.contains(".release") => {
            Some(Effect::Write)
        }
        _ if orders => Some(Effect::Order),
        "fence" | "membar" | "fence.proxy" | "membar.proxy" => Some(Effect::Order),
        "bar" | "bar.arrive" | "bar.red" | "bar.cta" | "bar.cta.arrive" | "bar.cta.red" | "bar.warp" => {
            Some(Effect::Order)
        }
        "barrier" | "barrier.arrive" | "barrier.red" | "barrier.cta" | "barrier.cta.arrive" | "barrier.cta.red" => {
            Some(Effect::Order)
        }
        "griddepcontrol" if inner.text.ends_with(".wait") => Some(Effect::Order),
        "atom" | "red" | "red.async" | "st" | "st.async" | "st.bulk" | "multimem.red" | "multimem.st" => {
            Some(Effect::Write)
        }
        _ => None,
    }
}
