//! Rules about synchronization on one statement of inline assembly, in languages other than C++.

use crate::checker::FragmentCache;
use crate::inline_asm::{HostSource, check_module};
use analysis::effects::Trigger;
use diagnostics::registry::{
    CLUSTER_SCOPE, MISSING_PROXY_FENCE, NC_OF_WRITTEN, POLL_WITHOUT_ACQUIRE, SIGNAL_WITHOUT_RELEASE, UNACQUIRED_FLAG,
    UNCOMMITTED_ASYNC, UNRELEASED_FLAG,
};
use diagnostics::{Diagnostic, Rule};
use hosts::inline_asm::AsmFragment;
use legality::ordering::OrderingFacts;

/// The rules that apply. The mbarriers and the earlier accesses of a statement are not known.
const RULES: [&Rule; 8] = [
    &CLUSTER_SCOPE,
    &MISSING_PROXY_FENCE,
    &NC_OF_WRITTEN,
    &POLL_WITHOUT_ACQUIRE,
    &SIGNAL_WITHOUT_RELEASE,
    &UNACQUIRED_FLAG,
    &UNCOMMITTED_ASYNC,
    &UNRELEASED_FLAG,
];

/// Checks a statement of a language other than C++ as a function of its own, whose operands are registers; `None` if the check is cancelled. The diagnostics are on the text of its template.
pub(super) fn check(
    fragment: &AsmFragment,
    source: &HostSource,
    last: &FragmentCache,
    fragments: &mut FragmentCache,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Diagnostic>> {
    let (template, settings) = (&fragment.template, &source.settings);
    let is_known = !template.has_placeholder && template.incomplete.is_empty() && fragment.statement.finished;
    if !is_known || fragment.instructions().len() < 2 || !may_lack_order(fragment) {
        return Some(Vec::new());
    }
    // The empty line tells it from the same text as a fragment.
    let text = format!("{}\n", template.text);
    check_module(&text, (settings, &RULES), last, fragments, cancelled)
}

/// Whether one of the rules may report something: each is about two accesses, a loop, or an operation that is one of several.
fn may_lack_order(fragment: &AsmFragment) -> bool {
    const SEVERAL: Trigger = Trigger::SYNCHRONISATION.without(Trigger::STRONG).without(Trigger::FENCE);
    let triggers = |opcode: &str| OrderingFacts::of(opcode).triggers;
    let mnemonic = |opcode: &str| opcode.split('.').next().unwrap_or_default().trim().to_owned();
    let accesses = |opcode: &str| {
        triggers(opcode).has(Trigger::STRONG)
            || matches!(&*mnemonic(opcode), "ld" | "ldu" | "st" | "red" | "multimem" | "ldmatrix" | "stmatrix")
    };
    let opcodes = || fragment.instructions().iter().map(|instruction| &*instruction.text);
    fragment.file().has_syntax_error()
        || opcodes().any(|opcode| mnemonic(opcode).starts_with("br") || triggers(opcode).has(SEVERAL))
        || opcodes().filter(|opcode| accesses(opcode)).nth(1).is_some()
}
