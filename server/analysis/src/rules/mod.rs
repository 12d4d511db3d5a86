//! The rules: what each code means, how bad it is, and the one pass that checks them.

mod evaluation_mismatch;
mod header;
mod legality;
mod modifier_order;
mod operands;
mod syntax_error;

use crate::module::Context;
use crate::{Finding, Severity, Snapshot};
use syntax::{Event, walk};

/// What a code stands for.
#[derive(Debug)]
pub struct Rule {
    /// Stable kebab-case name.
    pub code: &'static str,
    /// How bad its findings are.
    pub severity: Severity,
    /// Whether its findings are shown unless somebody asks for them.
    pub default: bool,
    /// Its documentation, Markdown with examples that are run as tests.
    pub page: &'static str,
}

macro_rules! rules {
    ($($severity:ident $code:literal $page:literal $($off:ident)?;)*) => {
        /// Every rule, ordered by code.
        pub static RULES: &[Rule] = &[$(Rule {
            code: $code,
            severity: Severity::$severity,
            default: concat!($(stringify!($off))?).is_empty(),
            page: include_str!($page),
        }),*];
    };
}

rules! {
    Error "conflicting-modifiers" "conflicting_modifiers.md";
    Error "duplicate-modifier" "duplicate_modifier.md";
    Error "evaluation-mismatch" "evaluation_mismatch.md";
    Error "evaluation-unreadable" "evaluation_unreadable.md";
    Error "guard-type" "guard_type.md";
    Error "illegal-modifier" "illegal_modifier.md";
    Error "illegal-target-option" "illegal_target_option.md";
    Error "illegal-type" "illegal_type.md";
    Error "missing-directive" "missing_directive.md";
    Error "missing-modifier" "missing_modifier.md";
    Hint "modifier-order" "modifier_order.md" off;
    Warning "narrow-address" "narrow_address.md";
    Error "operand-count" "operand_count.md";
    Error "operand-kind" "operand_kind.md";
    Error "operand-type" "operand_type.md";
    Error "requires-ptx-version" "requires_ptx_version.md";
    Error "requires-target" "requires_target.md";
    Error "syntax-error" "syntax_error.md";
    Error "unknown-modifier" "unknown_modifier.md";
    Error "unknown-name" "unknown_name.md";
    Error "unknown-target" "unknown_target.md";
    Error "unknown-version" "unknown_version.md";
    Error "vector-size" "vector_size.md";
    Error "wrong-space" "wrong_space.md";
}

/// The rule of a code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.binary_search_by_key(&code, |rule| rule.code).ok().map(|at| &RULES[at])
}

/// How many instructions pass between two looks at whether anybody still waits.
const PATIENCE: usize = 4096;

/// All findings of all rules, ordered by position, then code; `None` as soon as nobody waits for them any more.
pub(crate) fn check(snapshot: &Snapshot, cancelled: &dyn Fn() -> bool) -> Option<Vec<Finding>> {
    let context = Context::new(snapshot);
    let mut findings = Vec::new();
    syntax_error::check(&snapshot.file, &mut findings);
    let mut seen = 0usize;
    let mut abandoned = false;
    let mut operands = operands::Operands::new(&snapshot.file, &context);
    walk(&snapshot.file, |event| {
        operands.follow(&event);
        if let Event::Instruction(instruction) = event
            && !abandoned
        {
            seen += 1;
            abandoned = seen.is_multiple_of(PATIENCE) && cancelled();
            if let Some((opcode, resolved)) = legality::check(&instruction, &context, &mut findings) {
                modifier_order::check(&opcode, &resolved, &mut findings);
                operands.check(&instruction, &opcode, &resolved, &context, &mut findings);
            }
        }
    });
    if abandoned || cancelled() {
        return None;
    }
    header::check(&context, seen > 0, &mut findings);
    evaluation_mismatch::check(snapshot, &mut findings);
    findings.retain(|finding| snapshot.settings.shows(finding.code));
    findings.sort_by(|a, b| (a.range.start, a.range.end, a.code).cmp(&(b.range.start, b.range.end, b.code)));
    Some(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_ordered_and_holds_every_code_of_the_tables() {
        assert!(RULES.is_sorted_by_key(|rule| rule.code));
        for code in isa::Code::all() {
            assert!(rule(code.as_str()).is_some(), "{} has no page", code.as_str());
        }
    }
}
