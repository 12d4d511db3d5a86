//! Checks `asm` statements: operands, constraints and clobbers.

mod braces;
mod clobber;
mod comma;
mod constraint;
mod cute;
mod llvm;
mod memory;
mod operand_number;
mod order;
mod partial_arrival;
mod purity;
mod read_write;
mod replicated;
mod template;
mod uninitialized;
mod unused;
mod volatile;
mod width;

use diagnostics::{Diagnostic, rows};
use hosts::inline_asm::{AsmDialect, AsmFragment, FragmentInstruction};
use isa::types::Sem;

// The rules that check a statement that nvcc reads.
macro_rules! on_statements {
    ($($name:ident = $severity:ident($code:expr, $page:literal) $(.$what:ident($($how:expr)?))*
        $(, flow $($flow:ident)::+)? $(, sync $($sync:ident)::+)? $(, asm $check:ident)?;)*) => {
        const ON_STATEMENTS: &[fn(&AsmFragment, &mut Vec<Diagnostic>)] = &[$($($check::check,)?)*];
    };
}

rows!(on_statements);

/// Checks one statement.
pub(crate) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    match fragment.statement.dialect {
        AsmDialect::Nvcc => ON_STATEMENTS.iter().for_each(|check| check(fragment, diagnostics)),
        AsmDialect::Llvm => {
            llvm::check(fragment, diagnostics);
            braces::check(fragment, diagnostics);
            purity::check(fragment, diagnostics);
            replicated::check(fragment, diagnostics);
            partial_arrival::check(fragment, diagnostics);
            uninitialized::check(fragment, diagnostics);
            unused::check_outputs(fragment, diagnostics);
            width::check(fragment, diagnostics);
        }
        AsmDialect::Cute => {
            cute::check(fragment, diagnostics);
            partial_arrival::check(fragment, diagnostics);
        }
        AsmDialect::Rust | AsmDialect::Attributes | AsmDialect::Module | AsmDialect::Excerpt => {}
    }
}

/// The side effect of an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// It writes to memory without ordering other accesses.
    Write,
    /// It orders other accesses: a fence, a barrier, an acquire or a release.
    Order,
}

impl Effect {
    /// What the instruction does, for messages.
    fn description(self) -> &'static str {
        match self {
            Effect::Write => "writes to memory",
            Effect::Order => "orders memory accesses",
        }
    }
}

/// Whether a statement clobbers memory, or something unknown.
fn clobbers_memory(fragment: &AsmFragment) -> bool {
    fragment.clobbers.iter().any(|clobber| clobber.name.as_deref().is_none_or(|name| name == "memory"))
}

/// The instructions of a statement with side effects, in order.
fn effects<'a>(fragment: &'a AsmFragment) -> impl Iterator<Item = (&'a FragmentInstruction, Effect)> {
    fragment.instructions().iter().filter_map(|instruction| Some((instruction, effect(instruction)?)))
}

/// The side effect of an instruction; `None` if it has none or is unknown.
fn effect(instruction: &FragmentInstruction) -> Option<Effect> {
    let resolved = instruction.resolved.as_ref()?;
    let sem = resolved.sem.map(|sem| sem.value);
    let orders = matches!(sem, Some(Sem::Acquire | Sem::Release | Sem::AcqRel));
    match resolved.family.name {
        // It orders the initialization of barriers, which is never in C++.
        "fence" if instruction.text.starts_with("fence.mbarrier_init") => None,
        // It announces the bytes of a copy. Code that also releases C++ writes with it makes `.release` explicit.
        "mbarrier.arrive.expect_tx" | "mbarrier.arrive_drop.expect_tx" if !instruction.text.contains(".release") => {
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
        "griddepcontrol" if instruction.text.ends_with(".wait") => Some(Effect::Order),
        "atom" | "red" | "red.async" | "st" | "st.async" | "st.bulk" | "multimem.red" | "multimem.st" => {
            Some(Effect::Write)
        }
        _ => None,
    }
}
