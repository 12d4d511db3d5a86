//! Signature help: the operands of an instruction or a directive, and the one at the cursor.

mod directive;

use super::names::in_comment;
use super::statement_prefix::StatementPrefix;
use diagnostics::Context;
use diagnostics::Snapshot;
use isa::{Resolution, ResolvedInstruction, Role, Spelling};
use std::ops::Range;
use syntax::{Opcode, Token};

/// The operand list of an instruction or a directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The syntax of the instruction, such as `atom.global.cas.b32 d, [a], b, c`.
    pub label: String,
    /// Markdown.
    pub documentation: String,
    /// The operands in order.
    pub parameters: Vec<SignatureParameter>,
    /// The operand at the cursor; `None` after the last.
    pub active: Option<usize>,
}

/// One operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureParameter {
    /// Its byte range in the label.
    pub range: Range<usize>,
    /// Markdown.
    pub documentation: String,
}

/// Computes signature help.
pub trait SignatureHelpProvider {
    /// The operands of the instruction or directive at an offset.
    fn signature_help(&self, _offset: usize) -> Option<Signature> {
        None
    }
}

impl SignatureHelpProvider for Snapshot {
    fn signature_help(&self, offset: usize) -> Option<Signature> {
        let file = &self.file;
        let offset = file.clamp(offset);
        if in_comment(file, offset) {
            return None;
        }
        let typed = StatementPrefix::before(file, offset);
        let Some(operands) = typed.operands() else { return directive::signature(typed.text()) };
        let token = Token { range: 0..operands.opcode.len(), text: operands.opcode.into() };
        let opcode = Opcode::split(&token);
        let words = opcode.words();
        let spelling = Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words };
        let module = Context::new(self).module;
        // An instruction that requires a newer target has operands, too.
        let found =
            [module, isa::Module::default()].iter().find_map(|module| match isa::resolve(&spelling, module) {
                Resolution::Legal(instruction) => Some(instruction),
                _ => None,
            })?;
        Some(signature(operands.opcode, &found, operands.index))
    }
}

fn signature(opcode: &str, instruction: &ResolvedInstruction, operand: usize) -> Signature {
    let mut label: String = opcode.split_whitespace().collect();
    let mut parameters = Vec::new();
    for (index, operand) in instruction.operands().enumerate() {
        label += if index == 0 { " " } else { ", " };
        let start = label.len();
        label += &match operand.role {
            Role::Address => format!("[{}]", operand.name.trim_matches(['[', ']'])),
            _ => operand.name.to_owned(),
        };
        let matrix = instruction.matrix_operand(operand.name).map(|matrix| matrix.summary() + "\n\n");
        let documentation = matrix.unwrap_or_default() + &operand.description();
        parameters.push(SignatureParameter { range: start..label.len(), documentation });
    }
    let active = (operand < parameters.len()).then_some(operand);
    Signature { label, documentation: instruction.family.summary.to_owned(), parameters, active }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::{marked, snapshot};

    fn help(text: &str) -> Option<String> {
        let (plain, marks) = marked(&format!(".version 8.6\n.target sm_90\n.entry k()\n{{\n{text}"));
        let help = snapshot(&plain).signature_help(marks[0])?;
        let mut label = help.label.clone();
        if let Some(active) = help.active {
            let range = help.parameters[active].range.clone();
            label.replace_range(range.clone(), &format!("<{}>", &help.label[range]));
        }
        Some(label)
    }

    #[test]
    fn the_operand_at_the_cursor_is_marked() {
        assert_eq!(help("atom.global.cas.b32 $0").unwrap(), "atom.global.cas.b32 <d>, [a], b, c");
        assert_eq!(
            help("atom.global.cas.b32 %r1, [%rd1+$04], %r2, %r3;").unwrap(),
            "atom.global.cas.b32 d, <[a]>, b, c"
        );
        assert_eq!(help("@!%p1 atom.global.cas.b32 %r1, [%rd1], $0").unwrap(), "atom.global.cas.b32 d, [a], <b>, c");
        assert_eq!(help("L1: L2: red.global.add.u32 [a], $0\n ret; }").unwrap(), "red.global.add.u32 [a], <b>");
        assert_eq!(help("red.global.add.u32 [a], b, $0").unwrap(), "red.global.add.u32 [a], b");
    }

    #[test]
    fn vectors_and_comments_are_passed_over() {
        assert_eq!(
            help("atom.global.v2.f32.add {%f1, %f2}, [a], {%f3, $0").unwrap(),
            "atom.global.v2.f32.add d, [a], <b>"
        );
        assert_eq!(help("atom.global.v2.f32.add {%f1, $0").unwrap(), "atom.global.v2.f32.add <d>, [a], b");
        assert_eq!(help("atom.global.add.u32 a /* , ; */, // ,\n $0").unwrap(), "atom.global.add.u32 d, <[a]>, b");
    }

    #[test]
    fn directives_have_operands() {
        let help = |text: &str| {
            let (plain, marks) = marked(text);
            let help = snapshot(&plain).signature_help(marks[0])?;
            Some((help.label, help.active))
        };
        let shown = |label: &str, active| Some((label.to_owned(), active));
        assert_eq!(help(".entry k() .maxntid 128, $0"), shown(".maxntid x{, y{, z}}", Some(1)));
        assert_eq!(help(".entry k() .maxntid 8, 4, 2, $0"), shown(".maxntid x{, y{, z}}", None));
        assert_eq!(help(".version 9.5 .target sm_90, debug, $0"), shown(".target architecture{, option}", Some(1)));
        assert_eq!(help(".file 1 \"a b\"$0"), shown(".file number \"path\"{, timestamp, size}", Some(1)));
        assert_eq!(help(".version $0"), shown(".version major.minor", Some(0)));
        assert_eq!(
            help(".entry k() { .loc 1 2$0"),
            shown(".loc file line column{, function_name label, inlined_at file line column}", Some(1))
        );
        assert_eq!(help(".vers$0ion 9.5"), None);
        assert_eq!(help(".visible $0"), None);
    }

    #[test]
    fn elsewhere_there_is_none() {
        for text in [
            "$0",
            "atom.glo$0bal.add.u32",
            "atom.global.add.u32 a, b; $0",
            "unknown.b8.b2 a, $0",
            "// atom.global.add.u32 $0",
            ".reg .b32 $0",
            "atom.global.add.u32 a, [b], c; }\n.entry j() { $0",
        ] {
            assert_eq!(help(text), None, "{text}");
        }
        assert_eq!(snapshot("").signature_help(7), None);
    }

    #[test]
    fn every_parameter_lies_in_the_label() {
        let (plain, marks) =
            marked(".version 8.6\n.target sm_90\n.entry k() { atom.global.L2::cache_hint.add.u32 a, [b], c, $0");
        let help = snapshot(&plain).signature_help(marks[0]).unwrap();
        let names: Vec<_> = help.parameters.iter().map(|one| &help.label[one.range.clone()]).collect();
        assert_eq!(names.len(), 4, "{names:?}");
        assert_eq!(help.active, Some(3));
        assert!(help.parameters[3].documentation.contains("policy"));
    }
}
