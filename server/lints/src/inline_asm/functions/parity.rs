//! Whether the parity of a wait is certainly the same in every iteration of a loop of C++.

use crate::inline_asm::functions::FunctionModule;
use crate::inline_asm::functions::operands::{LETTERS, unwrapped, words};
use hosts::cpp::FunctionStep;
use hosts::inline_asm::{AsmOperand, ScannedHost};
use std::ops::Range;

/// What the opcodes of waits for a parity have.
pub(super) const PARITY: &str = ".parity";

impl FunctionModule<'_> {
    /// The parity that a wait is given: it is the same in every iteration only if it is certainly a number.
    pub(super) fn parity(&mut self, operand: &AsmOperand, scanned: &ScannedHost) -> Option<String> {
        let expression = unwrapped(&self.host[operand.expression.clone()]);
        let is_number = |text: &str| text.trim_end_matches(['u', 'U', 'l', 'L']).parse::<i64>().is_ok();
        let value = self.aliases.get(expression).copied();
        if is_number(expression) || value.is_some_and(is_number) && self.is_only_defined(expression, scanned) {
            return self.operand(operand);
        }
        let letter = operand.letter().filter(|letter| LETTERS.contains(letter))?;
        Some(self.changing(letter))
    }

    /// Whether a variable is nowhere in the function but where it is defined, and in inputs of statements.
    fn is_only_defined(&self, name: &str, scanned: &ScannedHost) -> bool {
        let count = |range: &Range<usize>| words(&self.host[range.clone()]).filter(|word| *word == name).count();
        let statements = self.function.steps.iter().filter_map(|step| match step {
            FunctionStep::Statement(number) => Some(&scanned.statements[*number]),
            _ => None,
        });
        let inputs = statements.flat_map(|one| &one.operands).filter(|operand| !operand.output);
        let read: usize = inputs.map(|operand| count(&operand.expression)).sum();
        count(&self.function.range) == read + 1
    }

    /// Whether a step is the test of a loop that ends after one iteration.
    pub(super) fn is_once(&self, before: Option<&FunctionStep>, step: &FunctionStep) -> bool {
        let (Some(FunctionStep::Label(_)), FunctionStep::Branch(_, Some(condition))) = (before, step) else {
            return false;
        };
        let tested = self.host[condition.expression.clone()].split_once(['<', '!']);
        tested.is_some_and(|(_, bound)| {
            let (bound, last) = bound.strip_prefix('=').map_or((bound, "1"), |bound| (bound, "0"));
            let bound = self.resolved(bound);
            bound.trim() == "1" || bound.trim() == last
        })
    }
}

/// Whether an operand of a template is an address.
pub(super) fn is_address(template: &str, operand: usize) -> bool {
    let placeholder = format!("[%{operand}");
    template.match_indices(&placeholder).any(|(at, _)| {
        let after = template[at + placeholder.len()..].chars().next();
        !after.is_some_and(|letter| letter.is_ascii_digit())
    })
}
