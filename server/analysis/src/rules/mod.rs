//! The rules: what each code means, how bad it is, and the one pass that checks them.

mod address_size;
mod address_space;
pub(crate) mod asm;
mod assembler_crash;
mod dead_atomic;
mod deprecated_membar;
mod doubled_fence;
mod duplicate_lane;
mod evaluation_mismatch;
mod flushed_subnormals;
mod generic_red;
mod handmade_atomic;
mod header;
mod hidden_loop;
mod implicit_cta;
mod implicit_scope;
mod legality;
mod misaligned_offset;
mod mixed_scopes;
mod modifier_order;
mod multimem_address;
mod narrow_scope;
mod offset_outside;
mod one_sided_order;
mod operands;
mod outcomes;
mod quiet;
mod syntax_error;
mod torn_access;
mod truncated_immediate;
mod unguarded_store;
mod unknown_to_toolkit;
mod unordered_lock;
mod unordered_sum;
mod unused_result;
mod volatile_access;

use crate::flow::Flow;
use crate::module::Context;
use crate::summary::Summary;
use crate::{Coverage, Finding, Severity, Snapshot};
use legality::Known;
pub(crate) use quiet::{Piece, Quiet};
use std::cell::RefCell;
use std::ops::Range;
use syntax::{Doubt, Event, Item, Opcode};

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
    Warning "address-space" "address_space.md";
    Error "asm-clobber" "asm/clobber.md";
    Error "asm-constraint" "asm/constraint.md";
    Info "asm-hidden-write" "asm/hidden_write.md" Strict;
    Warning "asm-missing-memory" "asm/memory.md";
    Warning "asm-missing-volatile" "asm/volatile.md";
    Warning "asm-needless-read" "asm/read_write.md" Strict;
    Error "asm-operand-number" "asm/operand_number.md";
    Error "asm-template" "asm/template.md";
    Warning "asm-unused-operand" "asm/unused.md" Strict;
    Warning "assembler-crash" "assembler_crash.md";
    Error "conflicting-modifiers" "conflicting_modifiers.md";
    Warning "dead-atomic" "dead_atomic.md";
    Hint "deprecated-membar" "deprecated_membar.md" All;
    Info "doubled-fence" "doubled_fence.md" Strict;
    Warning "duplicate-lane" "duplicate_lane.md";
    Error "duplicate-modifier" "duplicate_modifier.md";
    Info "emulated-atomic" "emulated_atomic.md" Strict;
    Error "evaluation-mismatch" "evaluation_mismatch.md";
    Error "evaluation-unreadable" "evaluation_unreadable.md";
    Info "flushed-subnormals" "flushed_subnormals.md" Strict;
    Info "generic-red" "generic_red.md" Strict;
    Error "guard-type" "guard_type.md";
    Info "handmade-atomic" "handmade_atomic.md" Strict;
    Warning "hidden-loop" "hidden_loop.md";
    Error "illegal-address-size" "illegal_address_size.md";
    Error "illegal-modifier" "illegal_modifier.md";
    Error "illegal-target-option" "illegal_target_option.md";
    Error "illegal-type" "illegal_type.md";
    Hint "implicit-cta" "implicit_cta.md" All;
    Hint "implicit-scope" "implicit_scope.md" All;
    Error "misaligned-address" "misaligned_address.md";
    Warning "misaligned-offset" "misaligned_offset.md";
    Error "missing-directive" "missing_directive.md";
    Error "missing-modifier" "missing_modifier.md";
    Warning "mixed-scopes" "mixed_scopes.md" Strict;
    Hint "modifier-order" "modifier_order.md" All;
    Warning "multimem-address" "multimem_address.md" Strict;
    Warning "narrow-address" "narrow_address.md";
    Warning "narrow-scope" "narrow_scope.md" Strict;
    Warning "offset-outside" "offset_outside.md";
    Error "offset-range" "offset_range.md";
    Warning "one-sided-order" "one_sided_order.md" Strict;
    Error "operand-count" "operand_count.md";
    Error "operand-kind" "operand_kind.md";
    Error "operand-type" "operand_type.md";
    Error "outcome-allowed" "outcome_allowed.md";
    Error "outcome-forbidden" "outcome_forbidden.md";
    Error "outcome-undecided" "outcome_undecided.md";
    Error "register-pair" "register_pair.md";
    Error "requires-ptx-version" "requires_ptx_version.md";
    Error "requires-target" "requires_target.md";
    Error "syntax-error" "syntax_error.md";
    Warning "torn-access" "torn_access.md";
    Warning "truncated-immediate" "truncated_immediate.md";
    Warning "unguarded-store" "unguarded_store.md";
    Error "unknown-instruction" "unknown_instruction.md";
    Error "unknown-modifier" "unknown_modifier.md";
    Error "unknown-name" "unknown_name.md";
    Error "unknown-target" "unknown_target.md";
    Error "unknown-to-toolkit" "unknown_to_toolkit.md";
    Error "unknown-version" "unknown_version.md";
    Warning "unordered-lock" "unordered_lock.md";
    Hint "unordered-sum" "unordered_sum.md" All;
    Warning "unreadable-suppression" "unreadable_suppression.md";
    Info "unused-result" "unused_result.md" Strict;
    Warning "unused-suppression" "unused_suppression.md";
    Error "vector-size" "vector_size.md";
    Hint "volatile-access" "volatile_access.md" All;
    Error "wrong-space" "wrong_space.md";
}

/// How many instructions pass between two looks at whether anybody still waits.
const PATIENCE: usize = 4096;

/// How an editor may draw what a rule finds, beside its severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// It could be left out.
    Unnecessary,
    /// It is the old way.
    Deprecated,
}

/// How to draw what the rule of a code finds.
pub fn tag(code: &str) -> Option<Tag> {
    match code {
        "dead-atomic" | "doubled-fence" | "unused-suppression" => Some(Tag::Unnecessary),
        "deprecated-membar" | "implicit-cta" | "volatile-access" => Some(Tag::Deprecated),
        _ => None,
    }
}

/// The code under which the findings of another were reported until it was split: settings and comments that name it count for both.
pub(crate) fn former(code: &str) -> Option<&'static str> {
    match code {
        "asm-hidden-write" => Some("asm-missing-memory"),
        "emulated-atomic" => Some("hidden-loop"),
        _ => None,
    }
}

/// The rule of a code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.binary_search_by_key(&code, |rule| rule.code).ok().map(|at| &RULES[at])
}

/// What holds for a whole module, whichever of its items is being checked.
pub(crate) struct Pass<'a> {
    snapshot: &'a Snapshot,
    pub(crate) context: Context<'a>,
    /// What syntax errors leave uncertain.
    doubt: Doubt,
    /// Whether there may be evaluation comments.
    pub(crate) evaluates: bool,
    /// What was looked at so far.
    pub(crate) coverage: Coverage,
    operands: operands::Operands<'a>,
}

impl<'a> Pass<'a> {
    /// At the start of a check: what concerns the text as a whole is found at once.
    pub(crate) fn new(snapshot: &'a Snapshot, findings: &mut Vec<Finding>) -> Self {
        let context = Context::new(snapshot);
        syntax_error::check(&snapshot.file, findings);
        let operands = operands::Operands::new(snapshot, &context);
        let (doubt, coverage) = (Doubt::of(&snapshot.file), Coverage::default());
        Pass { snapshot, context, doubt, evaluates: true, coverage, operands }
    }

    /// Whether an item holds a syntax error.
    pub(crate) fn is_broken(&self, item: Range<usize>) -> bool {
        self.doubt.is_broken(item)
    }

    /// Drops names that may be declared where the text could not be read, and operands of a broken statement that were read as an instruction.
    pub(crate) fn drop_doubtful(&self, findings: &mut Vec<Finding>) {
        findings.retain(|finding| {
            let name = || self.text().byte_slice(finding.range.clone()).to_string();
            match finding.code {
                "unknown-name" => !self.doubt.may_declare(&name(), finding.range.start),
                "unknown-instruction" => !self.doubt.is_in_statement(finding.range.start),
                _ => true,
            }
        });
    }

    /// The text that is checked.
    pub(crate) fn text(&self) -> &'a syntax::Rope {
        self.snapshot.file.text()
    }

    /// Takes an item's names up without checking it.
    pub(crate) fn declare(&mut self, item: &Item<'a>) {
        for declaration in item.declarations() {
            self.operands.follow(&Event::Declare(declaration));
        }
    }

    /// The findings in one item, in no order, and what else is learnt of it; `None` as soon as nobody waits any more. What is `quiet` of it
    /// is passed over.
    pub(crate) fn check(
        &mut self,
        item: &Item<'a>,
        cancelled: &dyn Fn() -> bool,
        quiet: &mut Quiet,
        findings: &mut Vec<Finding>,
    ) -> Option<Checked> {
        let (mut seen, mut abandoned, mut has_atomic) = (0usize, false, false);
        let (mut atomics, mut summary) = (Vec::new(), Summary::default());
        let Pass { snapshot, context, operands, doubt, evaluates, coverage } = self;
        let quiet = RefCell::new(quiet);
        let see = |event: Event<'a>| {
            operands.follow(&event);
            let mut quiet = quiet.borrow_mut();
            quiet.see(&event);
            if let Event::Instruction(instruction) = event
                && !abandoned
            {
                seen += 1;
                abandoned = seen.is_multiple_of(PATIENCE) && cancelled();
                let known = legality::check(&instruction, context, findings);
                coverage.instruction(!matches!(known, Known::Other(_, interest) if !interest.has_rows));
                match known {
                    Known::Atomic(opcode, resolved) => {
                        has_atomic = true;
                        quiet.disturb();
                        modifier_order::check(&opcode, &resolved, findings);
                        let before = findings.len();
                        operands.check(&instruction, &opcode, &resolved, context, findings);
                        let sound = !instruction.has_error()
                            && findings[before..].iter().all(|finding| finding.severity != Severity::Error);
                        if sound {
                            atomics.push((instruction.range().start, resolved));
                        }
                    }
                    Known::Other(token, interest) => {
                        quiet.take_up(interest);
                        if interest.membar {
                            findings.extend(deprecated_membar::check(&Opcode::split(&token), context));
                        }
                        if interest.volatile {
                            findings.extend(volatile_access::check(&Opcode::split(&token), context));
                        }
                        summary.order(interest);
                    }
                    Known::Illegal => quiet.disturb(),
                }
            }
        };
        item.walk_straight(see, |piece| quiet.borrow_mut().piece(snapshot.file.text(), piece));
        let passed = quiet.into_inner().passed();
        seen += usize::from(passed.has_instruction);
        summary.order(passed.interest);
        // What a broken statement does, and where it leads, nobody knows.
        if !atomics.is_empty() && !abandoned && !snapshot.fragment && !doubt.is_broken(item.range()) {
            let flow = Flow::new(&snapshot.file, item, operands.names(), context.module, atomics);
            dataflow(&flow, findings);
            summary.take_up(&flow, item.range().start);
        }
        if *evaluates {
            evaluation_mismatch::check(snapshot, item.range(), context, findings);
        }
        (!abandoned).then_some(Checked { has_instruction: seen > 0, has_atomic, summary })
    }

    /// What is found of the module as a whole: of its head, of its items, each with its beginning, and of its litmus tests, if
    /// there may be any.
    pub(crate) fn finish(self, items: &[(usize, &Checked)], litmus: bool, findings: &mut Vec<Finding>) {
        let has_instruction = items.iter().any(|(_, item)| item.has_instruction);
        header::check(&self.context, has_instruction, findings);
        unknown_to_toolkit::check(&self.context, findings);
        address_size::check(&self.context, findings);
        let summaries: Vec<_> = items.iter().map(|(base, item)| (*base, &item.summary)).collect();
        // A counterpart may be lost behind an error.
        if self.doubt.is_empty() && !self.snapshot.fragment {
            one_sided_order::check(&summaries, findings);
            if litmus {
                outcomes::check(&self.snapshot.file, &self.context.module, findings);
            }
        }
        mixed_scopes::check(&summaries, findings);
    }
}

/// The rules that know a function's data flow.
fn dataflow(flow: &Flow, findings: &mut Vec<Finding>) {
    address_space::check(flow, findings);
    assembler_crash::check(flow, findings);
    dead_atomic::check(flow, findings);
    doubled_fence::check(flow, findings);
    duplicate_lane::check(flow, findings);
    flushed_subnormals::check(flow, findings);
    generic_red::check(flow, findings);
    handmade_atomic::check(flow, findings);
    hidden_loop::check(flow, findings);
    implicit_cta::check(flow, findings);
    implicit_scope::check(flow, findings);
    misaligned_offset::check(flow, findings);
    multimem_address::check(flow, findings);
    narrow_scope::check(flow, findings);
    offset_outside::check(flow, findings);
    torn_access::check(flow, findings);
    truncated_immediate::check(flow, findings);
    unguarded_store::check(flow, findings);
    unordered_lock::check(flow, findings);
    unordered_sum::check(flow, findings);
    unused_result::check(flow, findings);
}

/// What is learnt of an item beside its findings.
#[derive(Debug)]
pub(crate) struct Checked {
    has_instruction: bool,
    /// Whether a legal atomic is in it, whose operands were looked up.
    pub(crate) has_atomic: bool,
    summary: Summary,
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

    #[test]
    fn every_tagged_code_is_a_rule() {
        let tagged = RULES.iter().filter(|rule| tag(rule.code).is_some()).count();
        assert_eq!(tagged, 6, "a code in `tag` is not that of any rule");
    }
}
