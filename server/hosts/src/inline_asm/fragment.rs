//! The PTX of one `asm` statement, for one choice of the branches of its `#if`s.

use super::dialect::AsmDialect;
use super::ptx_detection::{is_of_amd, is_ptx, may_become_ptx};
use super::statement::{AsmOperand, AsmStatement, Clobber};
use super::template::Template;
use super::unread::UnknownText;
use crate::cpp::CompilerBarriers;
use isa::target::Target;
use isa::{Module, Resolution, Spelling};
use std::ops::Range;
use std::sync::OnceLock;
use syntax::{InstructionText, Opcode, ScannedFunction, SourceFile, Token, instructions};

/// A statement and its PTX.
#[derive(Debug)]
pub struct AsmFragment<'a> {
    /// The host text.
    pub host: &'a str,
    /// The statement.
    pub statement: &'a AsmStatement,
    /// Its operands for this choice, in the order of their numbers.
    pub operands: Vec<&'a AsmOperand>,
    /// Its clobbers for this choice.
    pub clobbers: Vec<&'a Clobber>,
    /// Its text as PTX, with the source map.
    pub template: Template,
    /// That text, parsed when it is first asked for: to parse it takes longer than the rest.
    file: OnceLock<SourceFile>,
    instructions: OnceLock<Vec<FragmentInstruction>>,
    /// The name of the macro whose use is checked, if the statement is in the body of one.
    pub invocation: Option<&'a Range<usize>>,
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
    /// Whether it has a guard.
    pub guarded: bool,
    /// Its operands as written; empty if the statement has no `atom`, because they are only used for `atom`.
    pub operands: Vec<String>,
}

impl FragmentInstruction {
    fn new(token: &Token, guarded: bool) -> Self {
        let opcode = Opcode::split(token);
        let words = opcode.words();
        let spelling = Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words };
        let (resolved, is_known) = match isa::resolve(&spelling, &Module::default()) {
            Resolution::Legal(resolved) => (Some(resolved), true),
            Resolution::Illegal(_) => (None, true),
            Resolution::Unknown => (None, false),
        };
        let (opcode, text) = (token.range.clone(), token.text.to_string());
        FragmentInstruction { opcode, text, resolved, is_known, guarded, operands: Vec::new() }
    }

    /// Whether a target has it, in some version of PTX.
    pub fn is_legal_on(&self, target: Target) -> bool {
        let mut words = self.text.split('.').map(str::trim);
        let mnemonic = words.next().unwrap_or_default();
        let modifiers: Vec<&str> = words.collect();
        let module = Module { target: Some(target), ..Module::default() };
        matches!(isa::resolve(&Spelling { mnemonic, modifiers: &modifiers }, &module), Resolution::Legal(_))
    }

    /// Whether it returns the old value.
    pub fn is_atom(&self) -> bool {
        self.resolved.as_ref().is_some_and(|resolved| resolved.family.name == "atom")
    }
}

impl<'a> AsmFragment<'a> {
    /// A statement of a host text under a choice of branches, one for each `#if` inside.
    pub fn new(host: &'a str, statement: &'a AsmStatement, choice: &[usize]) -> Self {
        AsmFragment::of(host, statement, choice, statement.template(host, choice))
    }

    /// The statement while its literal at `cursor` is typed; `None` if no literal is written there.
    pub fn typed_at(host: &'a str, statement: &'a AsmStatement, choice: &[usize], cursor: usize) -> Option<Self> {
        Some(AsmFragment::of(host, statement, choice, statement.template_at(host, choice, cursor)?))
    }

    fn of(host: &'a str, statement: &'a AsmStatement, choice: &[usize], template: Template) -> Self {
        let there = |branches| AsmStatement::chosen(choice, branches);
        AsmFragment {
            host,
            statement,
            operands: statement.operands.iter().filter(|operand| there(&operand.branches)).collect(),
            clobbers: statement.clobbers.iter().filter(|clobber| there(&clobber.branches)).collect(),
            template,
            file: OnceLock::new(),
            instructions: OnceLock::new(),
            invocation: statement.invocation(choice),
            barriers: None,
        }
    }

    /// Its text as PTX, parsed.
    pub fn file(&self) -> &SourceFile {
        self.file.get_or_init(|| SourceFile::parse(&self.template.text))
    }

    /// Its instructions.
    pub fn instructions(&self) -> &[FragmentInstruction] {
        // To scan a text takes a fraction of the time that its tree takes.
        self.instructions.get_or_init(|| match ScannedFunction::of(&self.template.text) {
            Some(function) => scanned_instructions(&function),
            None => parsed_instructions(self.file()),
        })
    }

    /// Whether it is PTX, not another assembly language: the code around it is for devices, or it has an instruction or declaration that only PTX
    /// has and may be compiled for a device.
    pub fn is_ptx(&self) -> bool {
        self.statement.dialect == AsmDialect::Module
            || self.is_for_devices()
                && (self.is_certainly_ptx()
                    || is_ptx(self.opcodes(), self.template.unterminated.is_none())
                    || self.file().holds(self.template.body.clone(), ".reg "))
    }

    /// Why nothing of it is read, if it certainly is PTX.
    pub fn unknown_text(&self) -> Option<UnknownText> {
        let parts = &self.statement.template;
        let open = parts.iter().filter_map(|part| part.literal.as_ref()).find(|literal| !literal.closed);
        if let Some(open) = open.filter(|_| self.statement.embedded.is_some() && self.statement.for_devices) {
            let is_broken = self.host[open.inner.end..].starts_with(['\\', '\n', '\r']);
            return Some(if is_broken { UnknownText::LineBreak } else { UnknownText::Computed });
        }
        if self.is_ptx() || !parts.iter().any(|part| part.literal.is_none()) || self.statement.guard.host {
            return None;
        }
        match self.statement.dialect {
            AsmDialect::Nvcc if !self.statement.for_devices => None,
            AsmDialect::Nvcc => Some(UnknownText::Macro),
            _ => Some(UnknownText::Computed),
        }
    }

    /// Whether it is PTX whatever its words are, by the code around it: nvcc reads it.
    pub fn is_certainly_ptx(&self) -> bool {
        let is_of_nvcc = |operand: &&AsmOperand| {
            operand.constraint.is_none() || operand.letter().is_some_and(|letter| NVCC_LETTERS.contains(letter))
        };
        self.statement.for_devices
            && self.opcodes().any(|opcode| !opcode.is_empty())
            && self.operands.iter().all(is_of_nvcc)
            && !self.opcodes().any(is_of_amd)
    }

    /// The opcodes of its instructions, as far as they are known.
    fn opcodes(&self) -> impl Iterator<Item = &str> + Clone {
        let known = self.instructions().iter().map(|inner| &*inner.text);
        let literals = self.statement.template.iter().filter_map(|part| part.literal.as_ref());
        // A literal without its end has the code behind it, too.
        let unfinished = self.template.unfinished.as_deref().filter(|_| literals.clone().all(|one| one.closed));
        known.chain(self.template.unknown.iter().map(String::as_str)).chain(unfinished)
    }

    /// Whether it is PTX, or the words before the cursor may become PTX.
    pub fn may_become_ptx(&self, cursor: usize) -> bool {
        let typed = self.template.text.get(self.template.body.start..cursor).unwrap_or_default();
        self.is_for_devices() && (may_become_ptx(typed) || self.is_ptx())
    }

    fn is_for_devices(&self) -> bool {
        !self.statement.guard.host && !self.statement.guard.may.is_empty()
    }

    /// Whether the PTX rules do not apply: no instruction that they cover, no comment, and no unknown name. Such statements
    /// are skipped.
    pub fn is_plain(&self) -> bool {
        let text = &self.template.text;
        self.statement.dialect != AsmDialect::Module
            && !self.is_certainly_ptx()
            && !self.instructions().iter().any(|inner| inner.is_known)
            && !self.file().has_syntax_error()
            && !text.contains("//")
            && !text.contains("/*")
    }
}

/// The letters of constraints that nvcc has. Others are for a compiler of another device.
const NVCC_LETTERS: &str = "hrlqfdnC";

/// The instructions of a scanned text.
fn scanned_instructions(function: &ScannedFunction) -> Vec<FragmentInstruction> {
    let new = |instruction: InstructionText| FragmentInstruction::new(&instruction.opcode, instruction.is_guarded);
    let mut found: Vec<_> = function.instructions().map(new).collect();
    if found.iter().any(FragmentInstruction::is_atom) {
        for (inner, instruction) in found.iter_mut().zip(function.instructions()) {
            inner.operands = instruction.operands().map(str::to_owned).collect();
        }
    }
    found
}

/// The instructions of a parsed text.
fn parsed_instructions(file: &SourceFile) -> Vec<FragmentInstruction> {
    let whole = 0..file.text().len_bytes();
    let mut found = Vec::new();
    instructions(file, whole.clone(), |instruction| {
        found.push(FragmentInstruction::new(&instruction.opcode_token(), instruction.guard().is_some()));
    });
    if found.iter().any(FragmentInstruction::is_atom) {
        let mut all = found.iter_mut();
        instructions(file, whole, |instruction| {
            if let Some(inner) = all.next() {
                let operands = instruction.operands();
                inner.operands = operands.iter().map(|operand| operand.token.text.to_string()).collect();
            }
        });
    }
    found
}
