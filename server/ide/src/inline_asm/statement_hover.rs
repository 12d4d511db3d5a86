//! Hover on an `asm` statement: its instructions, its operands, and its targets.

use crate::Hover;
use diagnostics::Settings;
use diagnostics::TargetSource;
use hosts::inline_asm::{AsmFragment, FragmentInstruction, HostLanguage};
use lints::inline_asm::targets;
use std::fmt::Write;

/// The number of instructions that are listed; further ones are counted.
const MOST: usize = 12;

/// The hover on the keyword, and between the literals.
pub(super) fn hover(embedded: &AsmFragment, settings: &Settings, language: HostLanguage) -> Hover {
    let mut text = format!("**PTX in {}**\n\n", language.name());
    for inner in embedded.instructions().iter().take(MOST) {
        let _ = writeln!(text, "1. `{}{}`{}", if inner.guarded { "@… " } else { "" }, inner.text, about(inner));
    }
    if let Some(more) = embedded.instructions().len().checked_sub(MOST).filter(|more| *more > 0) {
        let _ = writeln!(text, "\n… and {more} more");
    }
    if embedded.template.has_placeholder {
        text += match language {
            HostLanguage::Cpp => "\nParts of the text are macros with unknown values.\n",
            _ => "\nParts of the text have unknown values.\n",
        };
    }
    if !embedded.operands.is_empty() {
        text += "\n";
    }
    for (number, operand) in embedded.operands.iter().enumerate() {
        let expression = embedded.host.get(operand.expression.clone()).unwrap_or_default();
        let kind = match operand.constraint.as_deref() {
            Some(constraint) if constraint.starts_with('+') || constraint.starts_with("rw") => "read and written",
            _ if operand.output => "written",
            _ => "read",
        };
        let register = operand.register.map_or(String::new(), |ty| format!(" `{ty}`,"));
        let shown: String = expression.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "'");
        let shown = if shown.is_empty() { shown } else { format!(", `{shown}`") };
        let name = operand.ptx_name(embedded.template.dialect, number);
        let _ = writeln!(text, "- `{name}`:{register} {kind}{shown}");
    }
    for (target, source) in targets(embedded, settings) {
        let Some(target) = target else { continue };
        let _ = match source {
            TargetSource::Module | TargetSource::Settings | TargetSource::Build => {
                writeln!(text, "\nChecked for {target}.")
            }
            TargetSource::AtLeast => writeln!(text, "\nCompiled for sm_{} and newer.", target.number()),
            TargetSource::AtMost => writeln!(text, "\nCompiled for targets up to {target}."),
        };
    }
    Hover::new(embedded.statement.keyword.clone(), text.trim_end().to_owned())
}

/// The summary of an instruction.
fn about(inner: &FragmentInstruction) -> String {
    if let Some(resolved) = &inner.resolved {
        let mut about = format!(": {}", resolved.family.summary);
        let words = [
            resolved.op.map(|op| format!("operation `.{}`", op.word())),
            resolved.ty.map(|ty| format!("type `.{}`", ty.word())),
        ];
        let words: Vec<_> = words.into_iter().flatten().collect();
        if !words.is_empty() {
            let _ = write!(about, " ({})", words.join(", "));
        }
        return about;
    }
    isa::unchecked::find(&inner.text).map_or(String::new(), |other| format!(": {}", other.summary))
}
