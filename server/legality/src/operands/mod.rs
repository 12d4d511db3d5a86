//! Checks the operands of instructions with legal modifiers: count, kind, type and names.
//!
//! The rules are measured with the assembler (`tests/evidence/operands`). At most one error is reported per instruction.

mod accepted;
mod address;
mod barriers;
mod branches;
mod calls;
mod coordinates;
mod copies;
mod count;
mod dispatch;
mod fixes;
mod guard;
mod integers;
mod matrix;
mod meaning;
mod moved;
mod predicate;
mod range;
mod register_fixes;
mod scalar;
mod texture;
mod types;
mod unfinished;
mod vector;
mod video;

use crate::operands::accepted::AcceptedShapes;
use crate::operands::branches::PendingBranches;
use crate::operands::meaning::Lookup;
use crate::operands::texture::SamplerMode;
use diagnostics::registry::{NARROW_ADDRESS, UNKNOWN_NAME};
use diagnostics::{Cause, CheckResult, Context, Diagnostic, Snapshot};
use isa::types::Op;
use isa::{CopyClass, Module, MoveClass, OperandClass, OperandSpec, Role, SynchronizationClass, VideoClass};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::{Deref, Range};
use std::rc::Rc;
use syntax::{
    Declaration, DeclarationKind, FunctionType, Instruction, LintFile, Names, Opcode, Operand, OperandKind, Scopes,
    Token, WalkEvent,
};

/// The state that the operand checks of a module share.
pub struct OperandChecks<'a> {
    file: &'a LintFile,
    names: Names<'a>,
    branches: RefCell<PendingBranches>,
    accepted: AcceptedShapes,
    /// The types of functions that were called, by the offsets of their names.
    function_types: RefCell<HashMap<usize, Option<Rc<FunctionType>>>>,
    scopes: OnceCell<Scopes<'a>>,
    /// Whether all declarations are visible, except after syntax errors.
    certain: bool,
    known: KnownNames,
    addresses_of_64_bits: bool,
    samplers: SamplerMode,
    /// Whether the operands of an `asm` statement are untyped registers. Measured: for sm_100 and
    /// newer, nvcc 13.5 declares `"f"` as `.b32` and `"d"` as `.b64`.
    untyped_host_operands: bool,
}

/// The first number of targets for which nvcc declares the operands of `asm` statements without types.
const UNTYPED_OPERANDS: u16 = 100;

/// The declaration of a floating-point operand of an `asm` statement, without its type; `None` of other declarations.
fn untyped_operand<'a>(declared: &Declaration<'a>) -> Option<Declaration<'a>> {
    let is_operand = declared.name.text.strip_prefix('%').is_some_and(|number| number.parse::<usize>().is_ok());
    let ty = match &*declared.ty.text {
        ".f32" if is_operand => ".b32",
        ".f64" if is_operand => ".b64",
        _ => return None,
    };
    Some(Declaration { ty: Token { text: ty.into(), range: declared.ty.range.clone() }, ..declared.clone() })
}

/// Which names of other items are declared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum KnownNames {
    /// All.
    All,
    /// Some: if one is undeclared, the item is checked again, so its diagnostic need not say more.
    Some,
}

/// An opcode that is split into its words only if a diagnostic needs them.
pub struct LazyOpcode<'a> {
    token: Token<'a>,
    words: OnceCell<Opcode<'a>>,
}

impl<'a> LazyOpcode<'a> {
    /// The opcode of a token.
    pub fn new(token: Token<'a>) -> Self {
        LazyOpcode { token, words: OnceCell::new() }
    }
}

impl<'a> Deref for LazyOpcode<'a> {
    type Target = Opcode<'a>;

    fn deref(&self) -> &Opcode<'a> {
        self.words.get_or_init(|| Opcode::split(&self.token))
    }
}

/// The instruction under check.
#[derive(Clone, Copy)]
struct OperandSite<'s, 'a> {
    opcode: &'s LazyOpcode<'a>,
    legal: &'s isa::ResolvedInstruction,
    module: Module,
    samplers: SamplerMode,
    lookup: Lookup<'s, 'a>,
}

/// A cached block has a diagnostic after all.
pub struct StaleBlock;

/// Why operands do not fit a list, and how many of them do.
struct ListMismatch {
    /// 0 for a wrong number of operands, else the number of the first operand that does not fit.
    operand: usize,
    error: Box<Diagnostic>,
}

impl<'a> OperandChecks<'a> {
    /// The state at the start of a module.
    pub fn new(snapshot: &'a Snapshot<LintFile>, context: &Context) -> Self {
        let size = context.header.address_size.as_ref().map(|size| &*size.text);
        let new = context.module.target.is_some_and(|target| target.number() >= 90);
        OperandChecks {
            file: &snapshot.file,
            names: Names::default(),
            branches: RefCell::default(),
            accepted: AcceptedShapes::default(),
            function_types: RefCell::default(),
            scopes: OnceCell::new(),
            certain: !snapshot.fragment,
            known: KnownNames::All,
            addresses_of_64_bits: size == Some("64") || size.is_none() && new,
            samplers: SamplerMode::of(context),
            untyped_host_operands: snapshot.fragment
                && context.module.target.is_some_and(|target| target.number() >= UNTYPED_OPERANDS),
        }
    }

    /// Sets which names of other items are declared from now on.
    pub fn set_known(&mut self, known: KnownNames) {
        self.known = known;
    }

    /// The names in scope.
    pub fn names(&self) -> &Names<'a> {
        &self.names
    }

    /// Updates the names in scope.
    pub fn follow(&mut self, event: &WalkEvent<'a>) {
        match event {
            WalkEvent::EnterFunction | WalkEvent::EnterBlock => self.branches.get_mut().enter(),
            WalkEvent::Leave => self.branches.get_mut().leave(&self.names),
            WalkEvent::Declare(declared) if self.untyped_host_operands => {
                if let Some(untyped) = untyped_operand(declared) {
                    return self.names.declare(untyped);
                }
            }
            WalkEvent::Declare(_) | WalkEvent::Instruction(_) => {}
        }
        self.names.follow(event);
    }

    /// Checks the operands of an instruction whose modifiers are legal. Returns the special registers that it reads, if it has no error.
    pub fn check(
        &self,
        instruction: &Instruction<'a>,
        opcode: &LazyOpcode<'a>,
        legal: &isa::ResolvedInstruction,
        context: &Context,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<Token<'a>> {
        if instruction.has_error() {
            return Vec::new();
        }
        let range = instruction.range();
        let reads_special = Cell::new(false);
        let ahead = |name: &str| self.ahead(name, range.start);
        let function_type = |function: &Declaration| self.function_type(function);
        let lookup = Lookup {
            names: &self.names,
            certain: self.certain,
            known: self.known,
            ahead: &ahead,
            function_type: &function_type,
            reads_special: &reads_special,
        };
        let site = OperandSite { opcode, legal, module: context.module, samplers: self.samplers, lookup };
        let check_width = || if self.addresses_of_64_bits { site.check_address_width(instruction) } else { Ok(()) };
        if let Err(error) = site.check(instruction).and_then(|()| check_width()) {
            if self.known == KnownNames::Some && *error.rule == UNKNOWN_NAME {
                diagnostics.push(error);
                return Vec::new();
            }
            let mut error = match fixes::modifier_fix(&site, instruction, error.rule) {
                Some((title, edit)) => error.fix(title, [edit]),
                None => error,
            };
            let text = self.file.text().byte_slice(range.clone()).to_string();
            error.fixes.retain(|fix| fixes::leaves_legal(&site, &text, range.start, fix));
            let error = unfinished::before_instruction(error, self.file);
            diagnostics.push(register_fixes::with_fixes(&site, instruction, &text, error));
            return Vec::new();
        }
        if let Some(branch) = branches::branch(instruction, legal).filter(|_| self.certain) {
            self.branches.borrow_mut().add(branch);
        }
        if reads_special.get() { self.special_registers(instruction, legal) } else { Vec::new() }
    }

    /// The special registers that a move or conversion without an error reads.
    fn special_registers(&self, instruction: &Instruction<'a>, legal: &isa::ResolvedInstruction) -> Vec<Token<'a>> {
        if !matches!(legal.family.name, "mov" | "cvt") {
            return Vec::new();
        }
        let sources = instruction.operands().into_iter().skip(1);
        let named = sources.filter(|operand| operand.token.text.starts_with('%'));
        let names = named.map(|operand| operand.element().map_or(operand.token, |(name, _)| name));
        names.filter(|name| self.names.find(&name.text).is_none()).collect()
    }

    /// What a function, or the prototype after a label, takes and returns.
    fn function_type(&self, function: &Declaration) -> Option<Rc<FunctionType>> {
        let mut known = self.function_types.borrow_mut();
        let read = || FunctionType::of(self.file, function).map(Rc::new);
        known.entry(function.name.range.start).or_insert_with(read).clone()
    }

    /// A later declaration of a name, and its range.
    fn ahead(&self, name: &str, at: usize) -> Option<(DeclarationKind, Range<usize>)> {
        if self.known == KnownNames::Some {
            return None;
        }
        let scopes = self.scopes.get_or_init(|| Scopes::new(self.file.whole(), 0..self.file.text().len_bytes()));
        let found = &scopes.symbols()[scopes.find(name, at)?.symbol];
        Some((found.kind(), found.first().name.range.clone()))
    }
}

impl<'a> OperandSite<'_, 'a> {
    /// Checks the guard and the operands, except for the width of the address register.
    fn check(&self, instruction: &Instruction<'a>) -> CheckResult {
        if let Some(guard) = instruction.guard() {
            guard::check(&self.lookup, &guard)?;
        }
        // Other instructions were not measured.
        if !self.legal.family.has_operand_rules() {
            return Ok(());
        }
        if self.legal.family.name == "call" {
            return calls::check(self, instruction);
        }
        let written: Vec<_> = instruction.operands();
        let mut lists = self.legal.operand_lists();
        let Some(Err(mut closest)) = lists.next().map(|wanted| self.check_list(wanted, &written)) else {
            return Ok(());
        };
        for wanted in lists {
            match self.check_list(wanted, &written) {
                Ok(()) => return Ok(()),
                Err(mismatch) if mismatch.operand > closest.operand => closest = mismatch,
                Err(_) => {}
            }
        }
        Err(*closest.error)
    }

    /// Checks the operands against one of the lists that the instruction accepts.
    fn check_list(&self, mut wanted: Vec<OperandSpec>, written: &[Operand<'a>]) -> Result<(), ListMismatch> {
        let at = |operand: usize| move |error| ListMismatch { operand, error: Box::new(error) };
        self.third_value(&mut wanted, written).map_err(at(0))?;
        count::check(self, &wanted, written).map_err(at(0))?;
        for (index, (wanted, written)) in wanted.iter().zip(written).enumerate() {
            let first = without_sink(written).filter(|_| wanted.class != OperandClass::WithPredicate);
            self.operand(wanted, first.as_ref().unwrap_or(written)).map_err(at(index + 1))?;
            count::since(self, wanted, written).map_err(at(index + 1))?;
        }
        for (index, (wanted, pair)) in wanted.iter().skip(1).zip(written.windows(2)).enumerate() {
            let related = match wanted.class {
                OperandClass::Copy(CopyClass::SourceSize) => copies::source_fits(&pair[0], &pair[1]),
                OperandClass::Synchronization(SynchronizationClass::TotalSize) => {
                    integers::total_fits(&pair[0], &pair[1])
                }
                _ => Ok(()),
            };
            related.map_err(at(index + 2))?;
        }
        match &*wanted {
            [wanted, ..] if wanted.class == OperandClass::Move(MoveClass::Packed) => {
                moved::one_vector(self, written).map_err(at(written.len()))
            }
            [.., last] if last.class == OperandClass::Video(VideoClass::Negatable) => {
                video::negations(self, written).map_err(at(written.len()))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the address register has 64 bits.
    fn check_address_width(&self, instruction: &Instruction<'a>) -> CheckResult {
        if !self.legal.family.is_atomic() {
            return Ok(());
        }
        let address_at = self.legal.place(Role::Address);
        let written = instruction.operands();
        let address = address_at.and_then(|address_at| written.get(address_at));
        match address.and_then(|address| address::narrow(self, address)) {
            Some((ty, range)) => {
                let cause = Cause::NarrowAddress { register: ty.to_string(), in_asm_statement: false };
                Err(Diagnostic::because(&NARROW_ADDRESS, range, cause))
            }
            None => Ok(()),
        }
    }

    /// Measured: bitwise `atom` and `exch` accept a third value, like `cas`, unless it may be a cache policy.
    fn third_value(&self, wanted: &mut Vec<OperandSpec>, written: &[Operand<'a>]) -> CheckResult {
        let bitwise = matches!(self.legal.op, Some(Op::And | Op::Or | Op::Xor | Op::Exch));
        if !bitwise || self.legal.family.name != "atom" || self.legal.hint || written.len() != wanted.len() + 1 {
            return Ok(());
        }
        if let (Some(value), Some(further)) = (wanted.last().copied(), written.last())
            && let Some(meaning) = self.lookup.meaning(further)?
            && !scalar::is_policy(&meaning)
            && scalar::value(self, further, value.ty).is_ok()
        {
            wanted.push(value);
        }
        Ok(())
    }
}

/// The first operand of a pair `d|_`, which the assembler accepts like `d`.
fn without_sink<'a>(operand: &Operand<'a>) -> Option<Operand<'a>> {
    let (first, second) = operand.pair()?;
    (second.kind == OperandKind::Sink).then_some(first)
}
