//! The PTX that one `asm` statement stands for, under one choice among the `#if`s inside.

use super::evidence::is_ptx;
use crate::diagnostics::{Diagnostic, Subject, TargetSource};
use crate::{Settings, Snapshot};
use isa::target::{Suffix, Target};
use isa::{Module, Resolution, Spelling};
use std::ops::Range;
use syntax::cuda::{AsmOperand, AsmStatement, Clobber, Surroundings, Template};
use syntax::{SourceFile, instructions};

/// A statement with what it stands for.
#[derive(Debug)]
pub(crate) struct Embedded<'a> {
    /// The text that the statement stands in.
    pub host: &'a str,
    pub statement: &'a AsmStatement,
    /// Its operands after the choice, in the order of their numbers.
    pub operands: Vec<&'a AsmOperand>,
    /// Its clobbers after the choice.
    pub clobbers: Vec<&'a Clobber>,
    pub template: Template,
    pub file: SourceFile,
    /// Its instructions.
    pub instructions: Vec<Inner>,
    /// What stands around it, for rules that ask.
    pub surroundings: Option<&'a Surroundings<'a>>,
}

/// An instruction of a statement.
#[derive(Debug)]
pub(crate) struct Inner {
    /// The opcode's range in the inner text.
    pub opcode: Range<usize>,
    /// The opcode.
    pub text: String,
    /// What the tables make of it, for a target that has everything.
    pub resolved: Option<isa::Instruction>,
    /// Whether the tables have rows for it.
    pub is_known: bool,
    /// Whether it stands behind a guard.
    pub guarded: bool,
    /// Its operands as they are written; none where the statement has no `atom`, of which alone they are asked.
    pub operands: Vec<String>,
}

impl Inner {
    /// Whether it gives back what was there.
    pub fn is_atom(&self) -> bool {
        self.resolved.as_ref().is_some_and(|resolved| resolved.family.name == "atom")
    }
}

impl<'a> Embedded<'a> {
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
            found.push(Inner {
                opcode: token.range.clone(),
                text: token.text.to_string(),
                resolved,
                is_known,
                guarded: instruction.guard().is_some(),
                operands: Vec::new(),
            });
        });
        if found.iter().any(Inner::is_atom) {
            let mut all = found.iter_mut();
            instructions(&file, 0..template.text.len(), |instruction| {
                if let Some(inner) = all.next() {
                    let operands = instruction.operands();
                    inner.operands = operands.iter().map(|operand| operand.token.text.to_string()).collect();
                }
            });
        }
        let there = |branches| AsmStatement::chosen(choice, branches);
        Embedded {
            host,
            statement,
            operands: statement.operands.iter().filter(|operand| there(&operand.branches)).collect(),
            clobbers: statement.clobbers.iter().filter(|clobber| there(&clobber.branches)).collect(),
            template,
            file,
            instructions: found,
            surroundings: None,
        }
    }

    /// Whether it is PTX, and not another assembler's language: it has an instruction or a declaration that PTX alone has, and is compiled
    /// for a device.
    pub fn is_ptx(&self) -> bool {
        let guard = &self.statement.guard;
        !guard.host
            && !guard.may.is_empty()
            && (is_ptx(self.instructions.iter().map(|inner| &*inner.text), self.template.unended.is_none())
                || self.file.holds(self.template.body.clone(), ".reg "))
    }

    /// Whether a finding says of a word that PTX has none such, where the word may be one of another assembly that has some names in common with PTX.
    pub fn is_doubtful(&self, finding: &Diagnostic) -> bool {
        if !matches!(finding.rule.subject, Subject::Name | Subject::Modifier) {
            return false;
        }
        let at = finding.range.start;
        let inner = self.instructions.iter().find(|inner| inner.opcode.start <= at && at < inner.opcode.end);
        inner.is_some_and(|inner| {
            let mut words = inner.text.split('.').map(str::trim);
            let mnemonic = words.next().unwrap_or_default();
            let modifiers: Vec<&str> = words.collect();
            let has_rows = isa::mnemonics().any(|known| known == mnemonic);
            !has_rows && !isa::names::is_surely_ptx(&Spelling { mnemonic, modifiers: &modifiers })
        })
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

    /// The snapshot of the inner text for a target.
    pub fn snapshot(&self, settings: &Settings, target: Option<Target>) -> Snapshot {
        let settings = Settings { target, also: Vec::new(), ..settings.clone() };
        Snapshot::fragment(self.file.clone(), settings)
    }

    /// The targets that it is checked for, and who wants it.
    pub fn targets(&self, settings: &Settings) -> Vec<(Option<Target>, TargetSource)> {
        let guard = &self.statement.guard;
        let wanted: Vec<Target> = settings.target.iter().chain(&settings.also).copied().collect();
        let compiled = wanted.iter().copied().filter(|target| guard.may.contains(arch(*target)));
        let set: Vec<_> = compiled.map(|target| (Some(target), TargetSource::Build)).collect();
        if !set.is_empty() {
            return set;
        }
        // What none of the targets compiles, no build for them refuses.
        if !wanted.is_empty() {
            return vec![(None, TargetSource::Build)];
        }
        if let Some(least) = guard.must.least()
            && let Some(target) = plain().find(|target| arch(*target) >= least)
        {
            return vec![(Some(target), TargetSource::AtLeast)];
        }
        if let Some(most) = guard.must.greatest()
            && guard.may.greatest() == Some(most)
            && let Some(target) =
                Target::all().filter(|target| arch(*target) <= most).max_by_key(|target| promise(*target))
        {
            return vec![(Some(target), TargetSource::AtMost)];
        }
        vec![(None, TargetSource::Build)]
    }

    /// The one that what depends on a single target is shown for.
    pub fn first_snapshot(&self, settings: &Settings) -> Snapshot {
        let target = self.targets(settings).first().and_then(|(target, _)| *target);
        self.snapshot(settings, target)
    }
}

/// The value of `__CUDA_ARCH__` for a target.
pub(super) fn arch(target: Target) -> u32 {
    u32::from(target.number()) * 10
}

/// The targets without a suffix, the oldest first.
fn plain() -> impl Iterator<Item = Target> {
    let mut all: Vec<Target> = Target::all().filter(|target| target.suffix() == Suffix::None).collect();
    all.sort_by_key(|target| target.number());
    all.into_iter()
}

/// The order of targets by what they have.
fn promise(target: Target) -> (u16, Suffix) {
    (target.number(), target.suffix())
}
