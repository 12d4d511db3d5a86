//! `asm-partial-arrival`: one lane that arrives, releases or fences for the stores of all threads, in Python.

use diagnostics::Diagnostic;
use diagnostics::registry::ASM_PARTIAL_ARRIVAL;
use foldhash::{HashSet, HashSetExt};
use hosts::inline_asm::{AsmFragment, FragmentInstruction};
use isa::types::Sem;
use syntax::{Instruction, instructions};

/// Checks the statements that all threads store before.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    let Some(store) = &fragment.statement.store_before else { return };
    if fragment.template.has_placeholder || !(fragment.statement.elementwise || fragment.statement.elected) {
        return;
    }
    let lanes = ElectedLanes::of(fragment);
    for (instruction, is_elected) in fragment.instructions().iter().zip(&lanes.elected) {
        if joins_threads(instruction) {
            return;
        }
        if releases(instruction)
            && (*is_elected || fragment.statement.elected)
            && let Some(range) = fragment.template.region.to_host(&instruction.opcode)
        {
            let message = format!(
                "one lane executes `{}` for the stores of all threads without a barrier before",
                instruction.text
            );
            let help = if fragment.statement.elementwise {
                "add `tl.debug_barrier()` after the stores, or `bar.sync 0;` at the beginning of the assembly"
            } else {
                "add `cute.arch.sync_warp()` between the stores and the `with` statement"
            };
            let found = Diagnostic::new(&ASM_PARTIAL_ARRIVAL, range, message).help(help);
            diagnostics.push(found.related(store.clone(), "all threads store here"));
            return;
        }
    }
}

/// Whether an instruction orders accesses before it for other threads.
fn releases(instruction: &FragmentInstruction) -> bool {
    let Some(resolved) = &instruction.resolved else { return false };
    let sem = resolved.sem.map(|sem| sem.value);
    match resolved.family.name {
        "fence" | "membar" => !matches!(sem, Some(Sem::Acquire)) && !instruction.text.contains("mbarrier_init"),
        "mbarrier.arrive" => !matches!(sem, Some(Sem::Relaxed)),
        _ => matches!(sem, Some(Sem::Release | Sem::AcqRel)),
    }
}

/// Whether threads wait for each other, or may do so.
fn joins_threads(instruction: &FragmentInstruction) -> bool {
    let name = instruction.resolved.as_ref().map_or(&*instruction.text, |resolved| resolved.family.name);
    ["bar", "barrier", "call", "bra", "mbarrier.test", "mbarrier.try", "shfl", "vote", "match", "redux"]
        .iter()
        .any(|start| name == *start || name.strip_prefix(start).is_some_and(|rest| rest.starts_with(['.', '_'])))
}

/// Which instructions one lane executes.
struct ElectedLanes {
    /// For each instruction of the statement.
    elected: Vec<bool>,
    /// Registers that have the number of the thread or the lane.
    numbers: HashSet<String>,
    /// Predicates that are true in one lane, and those that are false in it.
    is_one: HashSet<String>,
    is_other: HashSet<String>,
}

impl ElectedLanes {
    fn of(fragment: &AsmFragment) -> Self {
        let mut made = ElectedLanes {
            elected: Vec::new(),
            numbers: HashSet::new(),
            is_one: HashSet::new(),
            is_other: HashSet::new(),
        };
        instructions(fragment.file(), 0..fragment.template.text.len(), |instruction| made.visit(&instruction));
        made
    }

    fn visit(&mut self, instruction: &Instruction) {
        let chosen = if instruction.is_negated() { &self.is_other } else { &self.is_one };
        let guard = instruction.guard().map(|guard| guard.text.trim_start_matches(['@', '!']).trim().to_owned());
        self.elected.push(guard.as_ref().is_some_and(|guard| chosen.contains(guard)));
        let operands: Vec<String> =
            instruction.operands().iter().map(|operand| operand.token.text.trim().to_string()).collect();
        let Some((written, read)) = operands.split_first() else { return };
        // `elect.sync d|p, mask` writes a predicate after the bar.
        let written = written.rsplit('|').next().unwrap_or_default().trim().to_owned();
        self.numbers.remove(&written);
        self.is_one.remove(&written);
        self.is_other.remove(&written);
        let opcode = instruction.opcode_token().text.to_string();
        let reads_number =
            || read.first().is_some_and(|x| self.numbers.contains(x) || x.starts_with("%tid.") || x == "%laneid");
        match opcode.split('.').take(2).collect::<Vec<_>>()[..] {
            ["mov", _] if reads_number() => self.numbers.insert(written),
            ["setp", "eq"] if reads_number() => self.is_one.insert(written),
            ["setp", "ne"] if reads_number() => self.is_other.insert(written),
            ["elect", "sync"] => self.is_one.insert(written),
            _ => false,
        };
    }
}
