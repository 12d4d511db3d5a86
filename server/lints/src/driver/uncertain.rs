//! Diagnostics that a syntax error makes uncertain.

use crate::driver::LintModule;
use diagnostics::Diagnostic;
use diagnostics::registry::{
    EVALUATION_MISMATCH, EVALUATION_UNREADABLE, INVALID_DECLARATION, OPERAND_COUNT, OPERAND_KIND, OPERAND_TYPE,
    UNKNOWN_INSTRUCTION, UNKNOWN_NAME, UNSUPPORTED_DIRECTIVE,
};

impl LintModule<'_> {
    /// Drops unknown names that broken text may declare, operands of a broken statement that were parsed as an instruction, and
    /// evaluation comments in the line of a broken statement.
    pub(crate) fn drop_uncertain(&self, diagnostics: &mut Vec<Diagnostic>) {
        let (text, recovery) = (self.text(), &self.recovery);
        diagnostics.retain(|diagnostic| {
            let name = || text.byte_slice(diagnostic.range.clone()).to_string();
            match diagnostic.rule {
                rule if *rule == UNKNOWN_NAME => !recovery.may_declare(&name(), diagnostic.range.start),
                rule if *rule == UNKNOWN_INSTRUCTION => !recovery.is_in_statement(diagnostic.range.start),
                rule if *rule == EVALUATION_MISMATCH || *rule == EVALUATION_UNREADABLE => {
                    let line = text.byte_to_line(diagnostic.range.start);
                    !recovery.overlaps_statement(text.line_to_byte(line)..diagnostic.range.start)
                }
                rule if [&OPERAND_COUNT, &OPERAND_KIND, &OPERAND_TYPE].into_iter().any(|one| *rule == *one) => {
                    !recovery.changes_target(text, diagnostic.range.clone())
                }
                // An unmatched brace moves declarations out of their function.
                rule if *rule == INVALID_DECLARATION || *rule == UNSUPPORTED_DIRECTIVE => recovery.is_empty(),
                _ => true,
            }
        });
    }
}
