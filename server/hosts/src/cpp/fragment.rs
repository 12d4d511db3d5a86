//! The PTX that one `asm` statement stands for, under one choice among the `#if`s inside.

use crate::cpp::ptx_detection::is_ptx;
use crate::cpp::{AsmOperand, AsmStatement, Clobber, CompilerBarriers, Template};
use isa::{Module, Resolution, Spelling};
use std::ops::Range;
use syntax::{SourceFile, instructions};

/// A statement with what it stands for.
#[derive(Debug)]
pub struct AsmFragment<'a> {
    /// The text that the statement stands in.
    pub host: &'a str,
    /// The statement.
    pub statement: &'a AsmStatement,
    /// Its operands after the choice, in the order of their numbers.
    pub operands: Vec<&'a AsmOperand>,
    /// Its clobbers after the choice.
    pub clobbers: Vec<&'a Clobber>,
    /// Its text as PTX, and where each byte of it is written.
    pub template: Template,
    /// That text, parsed.
    pub file: SourceFile,
    /// Its instructions.
    pub instructions: Vec<FragmentInstruction>,
    /// The compiler barriers around it.
    pub barriers: Option<&'a CompilerBarriers<'a>>,
}

/// An instruction of a statement.
#[derive(Debug)]
pub struct FragmentInstruction {
    /// The opcode's range in the inner text.
    pub opcode: Range<usize>,
    /// The opcode.
    pub text: String,
    /// Its resolution by the tables for a target that supports everything.
    pub resolved: Option<isa::ResolvedInstruction>,
    /// Whether the tables have rows for it.
    pub is_known: bool,
    /// Whether it stands behind a guard.
    pub guarded: bool,
    /// Its operands as they are written; none where the statement has no `atom`, of which alone they are asked.
    pub operands: Vec<String>,
}

impl FragmentInstruction {
    /// Whether it gives back what was there.
    pub fn is_atom(&self) -> bool {
        self.resolved.as_ref().is_some_and(|resolved| resolved.family.name == "atom")
    }
}

impl<'a> AsmFragment<'a> {
    /// A statement of a host text under a choice of branches, one for each `#if` inside.
    pub fn new(host: &'a str, statement: &'a AsmStatement, choice: &[usize]) -> Self {
        let template = statement.template(host, choice);
        let file = SourceFile::parse(&template.text);
        let mut found = Vec::new();
        instructions(&file, 0..template.text.len(), |instruction| {
            let token = instruction.opcode_token();
            let opcode = instruction.opcode();
            let words = opcode.words();
            let spelling = Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words };
            let (resolved, is_known) = match isa::resolve(&spelling, &Module::default()) {
                Resolution::Legal(resolved) => (Some(resolved), true),
                Resolution::Illegal(_) => (None, true),
                Resolution::Unknown => (None, false),
            };
            found.push(FragmentInstruction {
                opcode: token.range.clone(),
                text: token.text.to_string(),
                resolved,
                is_known,
                guarded: instruction.guard().is_some(),
                operands: Vec::new(),
            });
        });
        if found.iter().any(FragmentInstruction::is_atom) {
            let mut all = found.iter_mut();
            instructions(&file, 0..template.text.len(), |instruction| {
                if let Some(inner) = all.next() {
                    let operands = instruction.operands();
                    inner.operands = operands.iter().map(|operand| operand.token.text.to_string()).collect();
                }
            });
        }
        let there = |branches| AsmStatement::chosen(choice, branches);
        AsmFragment {
            host,
            statement,
            operands: statement.operands.iter().filter(|operand| there(&operand.branches)).collect(),
            clobbers: statement.clobbers.iter().filter(|clobber| there(&clobber.branches)).collect(),
            template,
            file,
            instructions: found,
            barriers: None,
        }
    }

    /// Whether it is PTX, and not another assembler's language: it has an instruction or a declaration that PTX alone has, and is compiled
    /// for a device.
    pub fn is_ptx(&self) -> bool {
        let guard = &self.statement.guard;
        !guard.host
            && !guard.may.is_empty()
            && (is_ptx(self.instructions.iter().map(|inner| &*inner.text), self.template.unterminated.is_none())
                || self.file.holds(self.template.body.clone(), ".reg "))
    }

    /// Whether the rules on PTX have nothing to look at: no instruction that they speak of, no comment, and nothing misspelt. Most statements of
    /// libraries for matrices are so, and long.
    pub fn is_plain(&self) -> bool {
        let text = &self.template.text;
        !self.instructions.iter().any(|inner| inner.is_known)
            && !self.file.has_syntax_error()
            && !text.contains("//")
            && !text.contains("/*")
    }
}
