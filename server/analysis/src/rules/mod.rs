//! The rules: what each code means, how bad it is, and the one pass that checks them.

mod address_size;
mod evaluation_mismatch;
mod header;
mod legality;
mod modifier_order;
mod operands;
mod syntax_error;

use crate::module::Context;
use crate::{Finding, Severity, Snapshot};
use syntax::{Event, Item};

/// What a code stands for.
#[derive(Debug)]
pub struct Rule {
    /// Stable kebab-case name.
    pub code: &'static str,
    /// How bad its findings are, unless somebody says otherwise.
    pub severity: Severity,
    /// The smallest preset that it belongs to.
    pub preset: Preset,
    /// Its documentation, Markdown with examples that are run as tests.
    pub page: &'static str,
}

/// A choice of rules; each holds those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Preset {
    /// What every project wants: mistakes, and nothing that a reviewer would call a matter of taste.
    #[default]
    Recommended,
    /// Also what is suspicious, old or avoidable, and right often enough that not everybody wants to hear of it.
    Strict,
    /// Also style.
    All,
}

impl Preset {
    /// All of them, the smallest first.
    pub const EVERY: [Preset; 3] = [Preset::Recommended, Preset::Strict, Preset::All];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Recommended => "recommended",
            Preset::Strict => "strict",
            Preset::All => "all",
        }
    }
}

// A line: severity, code, page, and the smallest preset where that is not `Recommended`.
macro_rules! rules {
    ($($severity:ident $code:literal $page:literal $($preset:ident)?;)*) => {
        /// Every rule, ordered by code.
        pub static RULES: &[Rule] = &[$(Rule {
            code: $code,
            severity: Severity::$severity,
            preset: rules!(@preset $($preset)?),
            page: include_str!($page),
        }),*];
    };
    (@preset) => { Preset::Recommended };
    (@preset $preset:ident) => { Preset::$preset };
}

rules! {
    Error "conflicting-modifiers" "conflicting_modifiers.md";
    Error "duplicate-modifier" "duplicate_modifier.md";
    Error "evaluation-mismatch" "evaluation_mismatch.md";
    Error "evaluation-unreadable" "evaluation_unreadable.md";
    Error "guard-type" "guard_type.md";
    Error "illegal-address-size" "illegal_address_size.md";
    Error "illegal-modifier" "illegal_modifier.md";
    Error "illegal-target-option" "illegal_target_option.md";
    Error "illegal-type" "illegal_type.md";
    Error "missing-directive" "missing_directive.md";
    Error "missing-modifier" "missing_modifier.md";
    Hint "modifier-order" "modifier_order.md" All;
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
    Warning "unreadable-suppression" "unreadable_suppression.md";
    Warning "unused-suppression" "unused_suppression.md";
    Error "vector-size" "vector_size.md";
    Error "wrong-space" "wrong_space.md";
}

/// How many instructions pass between two looks at whether anybody still waits.
const PATIENCE: usize = 4096;

/// The rule of a code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.binary_search_by_key(&code, |rule| rule.code).ok().map(|at| &RULES[at])
}

/// What holds for a whole module, whichever of its items is being checked.
pub(crate) struct Pass<'a> {
    snapshot: &'a Snapshot,
    pub(crate) context: Context<'a>,
    /// Where the parser first had to guess; beyond the text where it never had to.
    pub(crate) unreadable: usize,
    operands: operands::Operands<'a>,
}

impl<'a> Pass<'a> {
    /// At the start of a check: what concerns the text as a whole is found at once.
    pub(crate) fn new(snapshot: &'a Snapshot, findings: &mut Vec<Finding>) -> Self {
        let context = Context::new(snapshot);
        let before = findings.len();
        syntax_error::check(&snapshot.file, findings);
        let unreadable = findings[before..].iter().map(|error| error.range.start).min().unwrap_or(usize::MAX);
        let operands = operands::Operands::new(&snapshot.file, &context, unreadable);
        Pass { snapshot, context, unreadable, operands }
    }

    /// Takes an item's names up without checking it.
    pub(crate) fn declare(&mut self, item: &Item<'a>) {
        for declaration in item.declarations() {
            self.operands.follow(&Event::Declare(declaration));
        }
    }

    /// The findings in one item, in no order. Says whether it holds an instruction; `None` as soon as nobody waits any more.
    pub(crate) fn check(
        &mut self,
        item: &Item<'a>,
        cancelled: &dyn Fn() -> bool,
        findings: &mut Vec<Finding>,
    ) -> Option<bool> {
        let (mut seen, mut abandoned) = (0usize, false);
        let Pass { snapshot, context, operands, .. } = self;
        item.walk(|event| {
            operands.follow(&event);
            if let Event::Instruction(instruction) = event
                && !abandoned
            {
                seen += 1;
                abandoned = seen.is_multiple_of(PATIENCE) && cancelled();
                if let Some((opcode, resolved)) = legality::check(&instruction, context, findings) {
                    modifier_order::check(&opcode, &resolved, findings);
                    operands.check(&instruction, &opcode, &resolved, context, findings);
                }
            }
        });
        evaluation_mismatch::check(snapshot, item.range(), context, findings);
        (!abandoned).then_some(seen > 0)
    }

    /// What is found of the module's head, once it is known whether there is an instruction.
    pub(crate) fn finish(self, has_instruction: bool, findings: &mut Vec<Finding>) {
        header::check(&self.context, has_instruction, findings);
        address_size::check(&self.context, findings);
    }
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
