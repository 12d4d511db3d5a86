//! Checks the targets of branches: labels, and lists of labels.
//!
//! Measured (`tests/evidence/operands/targets.txt`): a label may be declared later, in the block of the branch or in one around it. What a name means at
//! the branch comes first: a register hides a label. A list of labels is declared before the branch.

use crate::operands::meaning::OperandMeaning;
use crate::operands::{OperandChecks, OperandSite, StaleBlock, integers, unfinished};
use crate::undeclared_name::{declared_later, undeclared_name};
use diagnostics::registry::{OPERAND_KIND, UNKNOWN_NAME};
use diagnostics::{CheckResult, Diagnostic};
use isa::{ControlClass, ResolvedInstruction, special};
use std::ops::Range;
use std::sync::Arc;
use syntax::{Declaration, Instruction, LabelKind, Names, Operand, OperandKind, Token};

/// The number of open scopes in the body of a function: the function, whose parameters are one, and the body.
const BODY: usize = 2;

/// How far after a label its directive is searched, in bytes.
const MAX_DISTANCE: usize = 256;

/// A branch to a label.
#[derive(Debug)]
pub(super) struct PendingBranch {
    pub label: Arc<str>,
    /// The byte range of the label's name; `None` for a branch in a cached block.
    pub at: Option<Range<usize>>,
}

/// The branches of a function, whose labels may be declared later.
#[derive(Debug, Default)]
pub(super) struct PendingBranches {
    /// Those of each open scope, the outermost first.
    scopes: Vec<Vec<PendingBranch>>,
    /// The labels that the current basic block needs from the body of the function.
    needed: Vec<Arc<str>>,
    /// The branches of the last function to labels that it does not declare.
    missing: Vec<PendingBranch>,
    /// The labels of the last function that branches outside of cached blocks lead to.
    reached: Vec<Arc<str>>,
}

impl PendingBranches {
    /// Enters a scope.
    pub(super) fn enter(&mut self) {
        self.scopes.push(Vec::new());
    }

    /// Leaves the innermost scope, whose names are still known. What it does not declare is searched in the scope around it.
    pub(super) fn leave(&mut self, names: &Names) {
        for branch in self.scopes.pop().into_iter().flatten() {
            if names.innermost_label(&branch.label) != Some(LabelKind::Target) {
                self.add(branch);
            } else if branch.at.is_some() {
                self.reached.push(branch.label);
            }
        }
    }

    /// Adds a branch in the innermost scope.
    pub(super) fn add(&mut self, branch: PendingBranch) {
        if self.scopes.len() == BODY && branch.at.is_some() {
            self.needed.push(branch.label.clone());
        }
        self.scopes.last_mut().unwrap_or(&mut self.missing).push(branch);
    }
}

impl OperandChecks<'_> {
    /// Returns and forgets the labels of the function that the instructions checked since the last call branch to.
    pub fn take_needed_labels(&mut self) -> Vec<Arc<str>> {
        std::mem::take(&mut self.branches.get_mut().needed)
    }

    /// Returns and forgets the labels of functions that the instructions checked since the last call branch to, each in its own function.
    pub fn take_reached_labels(&mut self) -> Vec<Arc<str>> {
        std::mem::take(&mut self.branches.get_mut().reached)
    }

    /// Adds the branches of a cached block to labels of the function.
    pub fn add_cached_branches(&mut self, labels: Vec<Arc<str>>) {
        labels.into_iter().for_each(|label| self.branches.get_mut().add(PendingBranch { label, at: None }));
    }

    /// Checks the labels that a `.branchtargets` lists. Measured: they are found as those of branches are; the list may name itself.
    pub fn check_list(&mut self, list: &Declaration, diagnostics: &mut Vec<Diagnostic>) {
        if !self.certain || list.label() != Some(LabelKind::BranchTargets) {
            return;
        }
        let Some(directive) = self.directive(list) else { return };
        let tokens = Operand::new(directive).tokens();
        let names = tokens[1..].split(|token| matches!(&*token.text, "," | ";"));
        for name in names {
            // A range `L<4>` is not checked.
            let [name] = name else { continue };
            if name.text == list.name.text {
                continue;
            }
            match target(&self.names, name) {
                Ok(()) => self
                    .branches
                    .get_mut()
                    .add(PendingBranch { label: (*name.text).into(), at: Some(name.range.clone()) }),
                Err(error) => diagnostics.push(error),
            }
        }
    }

    /// The directive after a label, in its place.
    fn directive<'d>(&self, label: &'d Declaration) -> Option<Token<'d>> {
        let after = label.name.range.end;
        let near = after..self.file.clamp(after + MAX_DISTANCE);
        let start = self.file.find_code(near, b".")?;
        let range = start..start + label.directive.len();
        (range.end <= self.file.text().len_bytes()).then(|| Token { text: (&*label.directive).into(), range })
    }

    /// Reports the branches of the last function to labels that it does not declare.
    ///
    /// # Errors
    /// One of them is in a cached block, which has to be checked again.
    pub fn check_labels(&mut self, diagnostics: &mut Vec<Diagnostic>) -> Result<(), StaleBlock> {
        for PendingBranch { label, at } in std::mem::take(&mut self.branches.get_mut().missing) {
            let name = Token { range: at.ok_or(StaleBlock)?, text: (*label).into() };
            match self.names.find(&label) {
                // A brace too many leaves labels in the module.
                Some(declaration) if is_target(declaration) => {}
                Some(declaration) => diagnostics.push(no_label(&name, OperandMeaning::of(declaration).as_ref())),
                None => {
                    let elsewhere = self.ahead(&label, name.range.start).map(|(_, range)| range);
                    diagnostics.push(unfinished::before_instruction(undeclared(&name, elsewhere), self.file));
                }
            }
        }
        Ok(())
    }
}

/// Whether a declaration is that of a branch target.
fn is_target(declaration: &Declaration) -> bool {
    declaration.label() == Some(LabelKind::Target)
}

/// The branch of a valid instruction, if it is one to a label.
pub(super) fn branch(instruction: &Instruction, legal: &ResolvedInstruction) -> Option<PendingBranch> {
    if legal.family.name != "bra" {
        return None;
    }
    let target = instruction.operands().into_iter().next()?;
    Some(PendingBranch { label: target.token.text.into(), at: Some(target.token.range) })
}

/// Checks an operand of control flow or of the stack.
pub(super) fn operand(site: &OperandSite, class: ControlClass, operand: &Operand) -> CheckResult {
    match class {
        ControlClass::Label => label(site, operand),
        ControlClass::LabelList => list(site, operand),
        ControlClass::Alignment => integers::alignment(site, operand),
        ControlClass::Call => Ok(()),
    }
}

/// Checks the target of `bra`. A label that is declared later is found at the end of its scope.
fn label(site: &OperandSite, operand: &Operand) -> CheckResult {
    match operand.kind {
        OperandKind::Name => target(site.lookup.names, &operand.token),
        _ => Err(no_label(&operand.token, None)),
    }
}

/// Checks what a name means where a label is expected.
fn target(names: &Names, name: &Token) -> CheckResult {
    // Measured: a name of the module hides a label that is declared later.
    match names.find_label(&name.text) {
        Some(Some(LabelKind::Target)) => Ok(()),
        Some(_) => match names.find(&name.text) {
            Some(declaration) if !declaration.broken => Err(no_label(name, OperandMeaning::of(declaration).as_ref())),
            _ => Ok(()),
        },
        None if special::find(&name.text).is_some() => Err(no_label(name, None)),
        None => Ok(()),
    }
}

/// The diagnostic for a label that a function does not declare; `elsewhere` is a later declaration of the name.
fn undeclared(name: &Token, elsewhere: Option<Range<usize>>) -> Diagnostic {
    let label = &name.text;
    let report = Diagnostic::new(&UNKNOWN_NAME, name.range.clone(), format!("undeclared label `{label}`"))
        .help(format!("declare the label in this block or in one around it: `{label}:`"));
    match elsewhere {
        Some(range) => report.related(range, "declared here, but not as a branch target"),
        None => report,
    }
}

fn no_label(name: &Token, found: Option<&OperandMeaning>) -> Diagnostic {
    unexpected(name, found, "a label").help("write the name of a label of this function")
}

/// Checks the list of labels of `brx.idx`.
fn list(site: &OperandSite, operand: &Operand) -> CheckResult {
    let name = &operand.token;
    match site.lookup.names.find(&name.text) {
        _ if operand.kind != OperandKind::Name => Err(no_list(name, None)),
        Some(found) if found.broken || found.label() == Some(LabelKind::BranchTargets) => Ok(()),
        Some(found) => Err(no_list(name, OperandMeaning::of(found).as_ref())),
        None if special::find(&name.text).is_some() => Err(no_list(name, None)),
        None if !site.lookup.certain => Ok(()),
        None => Err(match (site.lookup.ahead)(&name.text) {
            Some((_, range)) => declared_later(name, range),
            None => undeclared_name(name).help(format!("declare it before: `{}: .branchtargets L1, L2;`", name.text)),
        }),
    }
}

fn no_list(name: &Token, found: Option<&OperandMeaning>) -> Diagnostic {
    unexpected(name, found, "a list of labels").help("write the name of a list that `.branchtargets` declares")
}

fn unexpected(name: &Token, found: Option<&OperandMeaning>, expected: &str) -> Diagnostic {
    match found {
        Some(meaning) => meaning.unexpected(&OPERAND_KIND, name, expected),
        None => {
            let message = format!("expected {expected}, found `{}`", name.text);
            Diagnostic::new(&OPERAND_KIND, name.range.clone(), message)
        }
    }
}
