//! The rules, and the one pass that checks them.

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
mod invalid_constant;
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
mod syntax_error;
mod torn_access;
mod truncated_immediate;
mod unguarded_store;
mod unknown_to_toolkit;
mod unordered_lock;
mod unordered_sum;
mod unused_result;
mod volatile_access;

use crate::Coverage;
use crate::checker::BlockRecorder;
use crate::flow::Flow;
use crate::summary::Summary;
use diagnostics::Context;
use diagnostics::Snapshot;
use diagnostics::registry::{UNKNOWN_INSTRUCTION, UNKNOWN_NAME};
use diagnostics::rows;
use diagnostics::{Diagnostic, Severity};
use legality::Classified;
use std::cell::RefCell;
use std::ops::Range;
use syntax::{Item, LintFile, Opcode, Recovery, WalkEvent};

/// How many instructions pass between two looks at whether anybody still waits.
const PATIENCE: usize = 4096;

/// What holds for a whole module, whichever of its items is being checked.
pub(crate) struct Pass<'a> {
    snapshot: &'a Snapshot<LintFile>,
    pub(crate) context: Context<'a>,
    /// What syntax errors leave uncertain.
    recovery: Recovery,
    /// Whether there may be evaluation comments.
    pub(crate) evaluates: bool,
    /// What was looked at so far.
    pub(crate) coverage: Coverage,
    operands: operands::OperandChecks<'a>,
    settled: legality::Settled,
}

impl<'a> Pass<'a> {
    /// At the start of a check: what concerns the text as a whole is found at once.
    pub(crate) fn new(snapshot: &'a Snapshot<LintFile>, findings: &mut Vec<Diagnostic>) -> Self {
        let context = Context::new(snapshot);
        syntax_error::check(&snapshot.file, findings);
        let operands = operands::OperandChecks::new(snapshot, &context);
        let (recovery, coverage) = (Recovery::of(&snapshot.file), Coverage::default());
        let settled = legality::Settled::default();
        Pass { snapshot, context, recovery, evaluates: true, coverage, operands, settled }
    }

    /// Whether an item holds a syntax error, and whether its broken statements can be told from the others: the text around it decides too.
    pub(crate) fn is_broken(&self, item: Range<usize>) -> (bool, bool) {
        (self.recovery.is_broken(item.clone()), self.recovery.statements(item).is_some())
    }

    /// Drops names that may be declared where the text could not be read, and operands of a broken statement that were read as an instruction.
    pub(crate) fn drop_uncertain(&self, findings: &mut Vec<Diagnostic>) {
        findings.retain(|finding| {
            let name = || self.text().byte_slice(finding.range.clone()).to_string();
            match finding.rule {
                rule if *rule == UNKNOWN_NAME => !self.recovery.may_declare(&name(), finding.range.start),
                rule if *rule == UNKNOWN_INSTRUCTION => !self.recovery.is_in_statement(finding.range.start),
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
            self.operands.follow(&WalkEvent::Declare(declaration));
        }
    }

    /// The findings in one item, in no order, and what else is learnt of it; `None` as soon as nobody waits any more. Blocks
    /// that the last check kept are skipped.
    pub(crate) fn check(
        &mut self,
        item: &Item<'a>,
        cancelled: &dyn Fn() -> bool,
        blocks: &mut BlockRecorder,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<CheckedItem> {
        let (mut seen, mut abandoned, mut has_atomic) = (0usize, false, false);
        let (mut atomics, mut summary) = (Vec::new(), Summary::default());
        let Pass { snapshot, context, operands, recovery, evaluates, coverage, settled } = self;
        invalid_constant::check(snapshot.file.text(), item.range(), recovery, findings);
        let blocks = RefCell::new(blocks);
        let see = |event: WalkEvent<'a>| {
            operands.follow(&event);
            let mut blocks = blocks.borrow_mut();
            blocks.see(&event);
            if let WalkEvent::Instruction(instruction) = event
                && !abandoned
            {
                seen += 1;
                abandoned = seen.is_multiple_of(PATIENCE) && cancelled();
                let known = legality::check(&instruction, context, settled, findings);
                coverage.instruction(!matches!(known, Classified::Other(_, interest) if !interest.has_rows));
                match known {
                    Classified::Atomic(opcode, resolved) => {
                        has_atomic = true;
                        blocks.invalidate();
                        modifier_order::check(&opcode, &resolved, findings);
                        let before = findings.len();
                        operands.check(&instruction, &opcode, &resolved, context, findings);
                        let sound = !instruction.has_error()
                            && findings[before..].iter().all(|finding| finding.severity != Severity::Error);
                        if sound {
                            atomics.push((instruction.range().start, *resolved));
                        }
                    }
                    Classified::Other(token, interest) => {
                        blocks.record(interest);
                        if interest.membar {
                            findings.extend(deprecated_membar::check(&Opcode::split(&token), context));
                        }
                        if interest.volatile {
                            findings.extend(volatile_access::check(&Opcode::split(&token), context));
                        }
                        summary.order(interest);
                    }
                    Classified::Illegal => blocks.invalidate(),
                }
            }
        };
        item.walk_blocks(see, |range| blocks.borrow_mut().block(snapshot.file.text(), range));
        let skipped = blocks.into_inner().take_skipped();
        seen += usize::from(skipped.has_instruction);
        summary.order(skipped.interest);
        let broken = recovery.statements(item.range());
        if !atomics.is_empty()
            && !abandoned
            && !snapshot.fragment
            && let Some(broken) = broken
        {
            let flow = Flow::new(&snapshot.file, item, operands.names(), context.module, atomics, broken);
            ON_DATA_FLOW.iter().for_each(|check| check(&flow, findings));
            summary.take_up(&flow, item.range().start);
        }
        if *evaluates {
            evaluation_mismatch::check(snapshot, item.range(), context, findings);
        }
        (!abandoned).then_some(CheckedItem { has_instruction: seen > 0, has_atomic, summary })
    }

    /// What is found of the module as a whole: of its head, of its items, each with its beginning, and of its litmus tests, if
    /// there may be any.
    pub(crate) fn finish(self, items: &[(usize, &CheckedItem)], litmus: bool, findings: &mut Vec<Diagnostic>) {
        let has_instruction = items.iter().any(|(_, item)| item.has_instruction);
        header::check(&self.context, has_instruction, findings);
        unknown_to_toolkit::check(&self.context, findings);
        address_size::check(&self.context, findings);
        let summaries: Vec<_> = items.iter().map(|(base, item)| (*base, &item.summary)).collect();
        // A counterpart may be lost behind an error.
        if self.recovery.is_empty() && !self.snapshot.fragment {
            one_sided_order::check(&summaries, findings);
            if litmus {
                outcomes::check(&self.snapshot.file, &self.context.module, findings);
            }
        }
        mixed_scopes::check(&summaries, findings);
    }
}

// The rules that know a function's data flow.
macro_rules! on_data_flow {
    ($($name:ident = $severity:ident($code:expr, $page:literal) $(.$what:ident($($how:expr)?))*
        $(, flow $check:ident)? $(, asm $asm:ident)?;)*) => {
        const ON_DATA_FLOW: &[fn(&Flow, &mut Vec<Diagnostic>)] = &[$($($check::check,)?)*];
    };
}

rows!(on_data_flow);

/// What is learnt of an item beside its findings.
#[derive(Debug)]
pub(crate) struct CheckedItem {
    has_instruction: bool,
    /// Whether a legal atomic is in it, whose operands were looked up.
    pub(crate) has_atomic: bool,
    summary: Summary,
}
