//! `guard-admits-target`: conditions around a statement that hold for targets on which its instructions do not exist.

use crate::inline_asm::targets::arch;
use diagnostics::registry::GUARD_ADMITS_TARGET;
use diagnostics::{Diagnostic, Settings};
use hosts::inline_asm::{ArchGuard, AsmDialect, AsmFragment, FragmentInstruction};
use isa::target::Target;

/// Targets with the same number, and whether they have the instructions of a statement.
struct AdmittedNumber {
    number: u16,
    is_supported: bool,
}

/// Checks the condition around a statement, unless the settings name the targets of the build.
pub(super) fn check(fragment: &AsmFragment, settings: &Settings) -> Option<Diagnostic> {
    let guard = &fragment.statement.guard;
    // Where another name is a part of the condition, it may leave those targets out.
    let is_exact = guard.may == guard.must && guard.must.least().is_some();
    if !is_exact || settings.target.is_some() || fragment.statement.dialect == AsmDialect::Module {
        return None;
    }
    let instructions: Vec<&FragmentInstruction> =
        fragment.instructions().iter().filter(|instruction| instruction.resolved.is_some()).collect();
    let admitted = admitted(guard, &instructions);
    // Of the first one, it is an error that a later target is required.
    if !admitted.first()?.is_supported {
        return None;
    }
    let missing: Vec<u16> =
        admitted.iter().filter(|admitted| !admitted.is_supported).map(|admitted| admitted.number).collect();
    let culprit =
        instructions.iter().find(|instruction| !has_number(&[**instruction], *missing.first().unwrap_or(&0)))?;
    let range = fragment.template.region.to_host(&culprit.opcode).filter(|_| !missing.is_empty())?;
    // So may the condition of an `#if` inside the statement, whose names are not read.
    if fragment.statement.template.iter().any(|part| part.contains(range.start) && !part.branches.is_empty()) {
        return None;
    }
    let names: Vec<String> = missing.iter().map(|number| format!("sm_{number}")).collect();
    let message = format!(
        "the condition around `{}` holds for {}, which {} not have it",
        culprit.text,
        names.join(", "),
        if names.len() == 1 { "does" } else { "do" }
    );
    let help = format!("write `#if {}`", condition(guard, &admitted));
    Some(Diagnostic::new(&GUARD_ADMITS_TARGET, range, message).help(help))
}

/// The number of sm_101, which is called sm_110 since CUDA 13: no current compiler has a build for it.
const RENAMED: u16 = 101;

/// The targets that current compilers have.
fn current() -> impl Iterator<Item = Target> {
    Target::all().filter(|target| target.number() != RENAMED)
}

/// The numbers of targets for which a condition holds, in order.
fn admitted(guard: &ArchGuard, instructions: &[&FragmentInstruction]) -> Vec<AdmittedNumber> {
    let mut numbers: Vec<u16> =
        current().filter(|target| guard.must.contains(arch(*target))).map(Target::number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let admitted = |number| AdmittedNumber { number, is_supported: has_number(instructions, number) };
    numbers.into_iter().map(admitted).collect()
}

/// Whether a target with a number has all of some instructions.
fn has_number(instructions: &[&FragmentInstruction], number: u16) -> bool {
    let has_all = |target: Target| instructions.iter().all(|instruction| instruction.is_legal_on(target));
    current().filter(|target| target.number() == number).any(has_all)
}

/// The condition that holds only for supported targets.
fn condition(guard: &ArchGuard, admitted: &[AdmittedNumber]) -> String {
    let value = |number: u16| u32::from(number) * 10;
    let mut ranges: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(length) = admitted.get(at..).filter(|rest| !rest.is_empty()).map(run) {
        let (first, next) = (&admitted[at], admitted.get(at + length));
        if first.is_supported {
            let low = if at == 0 { guard.must.least() } else { None }.unwrap_or(value(first.number));
            let low = format!("__CUDA_ARCH__ >= {low}");
            ranges.push(match (next, guard.must.greatest()) {
                (Some(next), _) => format!("{low} && __CUDA_ARCH__ < {}", value(next.number)),
                (None, Some(greatest)) => format!("{low} && __CUDA_ARCH__ <= {greatest}"),
                (None, None) => low,
            });
        }
        at += length;
    }
    match ranges.as_slice() {
        [only] => only.clone(),
        several => several.iter().map(|range| format!("({range})")).collect::<Vec<_>>().join(" || "),
    }
}

/// How many numbers at the beginning are supported or not, as the first one is.
fn run(admitted: &[AdmittedNumber]) -> usize {
    admitted.iter().take_while(|one| one.is_supported == admitted[0].is_supported).count()
}
