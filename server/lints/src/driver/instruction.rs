//! Checks one instruction: its opcode, then its operands.

use crate::checker::BlockRecorder;
use crate::driver::lint_driver::{ItemWalk, LintDriver};
use crate::driver::lint_module::LintModule;
use crate::rules::module::undeclared_register;
use crate::rules::module::undeclared_register::DeclarationPlace;
use crate::rules::order::{deprecated_membar, short_loop};
use crate::rules::scopes::volatile_access;
use analysis::effects::Trigger;
use diagnostics::registry::{MODIFIER_ORDER, UNKNOWN_NAME};
use diagnostics::{Diagnostic, Severity};
use legality::directives;
use legality::instructions::forms;
use legality::instructions::forms::OpcodeFacts;
use legality::instructions::modifier_order;
use legality::operands::LazyOpcode;
use legality::ordering::OrderingFacts;
use std::sync::Arc;
use syntax::Instruction;

impl<'a> LintDriver<'a> {
    /// The labels of the last item that branches in it lead to. Where another item declares such a name earlier, the branches mean that name.
    pub(crate) fn take_reached_labels(&mut self) -> Vec<Arc<str>> {
        self.operands.take_reached_labels()
    }

    /// Checks one instruction.
    pub(super) fn check_instruction(
        &mut self,
        instruction: &Instruction<'a>,
        blocks: &mut BlockRecorder,
        walk: &mut ItemWalk,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let context = &self.module.context;
        let facts = forms::check(instruction, context, &mut self.opcodes, diagnostics);
        self.coverage.instruction(facts.as_ref().is_none_or(|(_, facts)| facts.ordering.has_rows));
        let Some((token, facts)) = facts else {
            walk.triggers |= Trigger::ILLEGAL;
            return blocks.invalidate();
        };
        walk.triggers |= facts.ordering.triggers;
        let lazy = LazyOpcode::new(token);
        let found = diagnostics.len();
        if let (false, Some(resolved)) = (facts.is_conventional, &facts.resolved)
            && facts.is_atomic
            && self.module.reports(&MODIFIER_ORDER)
        {
            modifier_order::check(&lazy, resolved, diagnostics);
        }
        let before = diagnostics.len();
        self.check_operands(instruction, &lazy, &facts, &mut walk.place, diagnostics);
        if facts.is_atomic {
            let mut new = diagnostics[before..].iter();
            let is_legal = !instruction.has_error() && new.all(|diagnostic| diagnostic.severity != Severity::Error);
            let resolved = facts.resolved.as_ref().filter(|_| is_legal).map(Arc::clone);
            match &resolved {
                Some(resolved) if diagnostics.len() == found => {
                    let triggers = facts.ordering.triggers;
                    blocks.record(OrderingFacts { triggers, ..OrderingFacts::default() });
                    blocks.record_atomic(instruction.range().start, resolved);
                }
                _ => blocks.invalidate(),
            }
            walk.atomics.extend(resolved.map(|resolved| (instruction.range().start, resolved)));
            return;
        }
        let mut facts = facts.ordering;
        if instruction.opcode_token().text.starts_with("bra")
            && short_loop::may_poll(&self.module.snapshot.file, instruction)
        {
            facts.triggers |= Trigger::PLAIN_POLL;
            walk.triggers |= Trigger::PLAIN_POLL;
        }
        blocks.record(facts);
        if diagnostics.len() > before {
            blocks.invalidate();
        }
        if facts.membar {
            diagnostics.extend(deprecated_membar::check(&lazy, context));
        }
        if facts.volatile {
            diagnostics.extend(volatile_access::check(&lazy, context));
        }
        walk.summary.order(facts);
    }

    /// Checks the operands of one instruction, and adds declarations as fixes.
    fn check_operands(
        &self,
        instruction: &Instruction<'a>,
        opcode: &LazyOpcode<'a>,
        facts: &OpcodeFacts,
        place: &mut DeclarationPlace,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let Some(resolved) = &facts.resolved else { return };
        let shape = self.operands.shape(instruction, facts.comparison);
        if shape.is_some_and(|shape| self.operands.is_accepted(shape)) {
            return;
        }
        let before = diagnostics.len();
        let LintModule { snapshot, context, .. } = self.module;
        for register in self.operands.check(instruction, opcode, resolved, context, diagnostics) {
            directives::check_requirement(&register.text, register.range, context, diagnostics);
        }
        let has_new = diagnostics.len() > before;
        if !has_new && let Some(shape) = shape {
            self.operands.accept(shape);
        }
        if let Some(last) = diagnostics.pop_if(|last| has_new && *last.rule == UNKNOWN_NAME) {
            let module = (&snapshot.file, self.operands.names(), context);
            diagnostics.push(undeclared_register::with_fix(last, instruction, resolved, module, place));
        }
    }
}
