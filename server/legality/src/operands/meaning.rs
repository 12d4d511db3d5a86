//! Resolves written operands: names in scope and types of constants.

use crate::operands::KnownNames;
use crate::operands::types::{Class, RegisterType};
use crate::undeclared_name::{declared_later, undeclared_name};
use diagnostics::Rule;
use diagnostics::registry::{OPERAND_KIND, OPERAND_TYPE};
use diagnostics::{CheckResult, Diagnostic, replace};
use isa::special;
use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;
use syntax::{
    ConstantType, Declaration, DeclarationKind, FunctionType, LabelKind, Names, Operand, OperandKind, Token,
    constant_type,
};

/// The meaning of an operand.
#[derive(Debug)]
pub(super) enum OperandMeaning<'n, 'a> {
    /// A register, or one element of a vector register.
    Register { ty: RegisterType, declaration: Option<&'n Declaration<'a>>, element: bool },
    /// A special register or an element of one, and the widths that `mov` reads it with.
    Special { ty: RegisterType, element: bool, widths: &'static [u32] },
    /// A whole vector register.
    VectorRegister { ty: RegisterType, lanes: u8, declaration: &'n Declaration<'a> },
    /// A whole special register that has elements, `%tid`.
    SpecialVector { widths: &'static [u32] },
    /// A variable in memory, or a parameter.
    Variable(&'n Declaration<'a>),
    /// A function's name.
    Function(&'n Declaration<'a>),
    /// A label.
    Label(&'n Declaration<'a>),
    /// A literal or an expression of literals.
    Constant(ConstantType),
    /// A name plus a constant. The assembler treats it as a constant of the type of the name.
    Sum { constant: Constant, register: Option<RegisterType> },
    /// `_`
    Sink,
    /// `[…]`
    Memory,
    /// `{…}`
    List,
    /// `-a`, `!p`, `a[1]`, `p|q` and other operands that no atomic supports.
    Foreign(&'static str),
}

/// The type of the sum of a name and a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constant {
    /// Valid for every type.
    Any,
    /// A number of a register class.
    Like(Class),
}

/// Finds a later declaration by its name, and its range.
pub(super) type Ahead<'n> = dyn Fn(&str) -> Option<(DeclarationKind, Range<usize>)> + 'n;

/// Finds what a function, or the prototype after a label, takes and returns.
pub(super) type FunctionTypes<'n> = dyn Fn(&Declaration) -> Option<Rc<FunctionType>> + 'n;

/// Resolves names at one instruction.
#[derive(Clone, Copy)]
pub(super) struct Lookup<'n, 'a> {
    pub names: &'n Names<'a>,
    /// Whether all declarations are visible, except after syntax errors.
    pub certain: bool,
    /// Which names of other items are declared.
    pub known: KnownNames,
    /// Finds a later declaration, including labels in scope.
    pub ahead: &'n Ahead<'n>,
    /// Finds the type of a function.
    pub function_type: &'n FunctionTypes<'n>,
    /// Set if a name is that of a special register.
    pub reads_special: &'n Cell<bool>,
}

impl<'n, 'a> Lookup<'n, 'a> {
    /// The meaning of an operand; `Ok(None)` if it is unknown. The error is an undeclared name, or an operand that
    /// is invalid in every instruction.
    pub(super) fn meaning(&self, operand: &Operand<'a>) -> CheckResult<Option<OperandMeaning<'n, 'a>>> {
        Ok(Some(match operand.kind {
            OperandKind::Name => return self.name(&operand.token),
            OperandKind::Element => return self.element(operand),
            OperandKind::Sum => return self.sum(operand),
            OperandKind::Constant => OperandMeaning::Constant(self.constant(operand)?),
            OperandKind::Sink => OperandMeaning::Sink,
            OperandKind::Address => OperandMeaning::Memory,
            OperandKind::Vector => OperandMeaning::List,
            OperandKind::Subscript => OperandMeaning::Foreign("an element of an array"),
            OperandKind::Negation => OperandMeaning::Foreign("a negated register"),
            OperandKind::Pair => OperandMeaning::Foreign("a pair of destinations"),
            OperandKind::Other => return Ok(None),
        }))
    }

    /// The type of a constant.
    pub(super) fn constant(&self, operand: &Operand) -> CheckResult<ConstantType> {
        constant_type(&operand.token).map_err(|error| {
            Diagnostic::new(&OPERAND_TYPE, error.range, error.message)
                .help("write the number, or an expression of integers only")
        })
    }

    fn name(&self, name: &Token<'a>) -> CheckResult<Option<OperandMeaning<'n, 'a>>> {
        let Some(declaration) = self.names.find(&name.text) else {
            if let Some(special) = special::find(&name.text) {
                self.reads_special.set(true);
                return Ok(Some(if special.parts {
                    OperandMeaning::SpecialVector { widths: special.widths() }
                } else {
                    OperandMeaning::Special { ty: of_special(special.ty), element: false, widths: special.widths() }
                }));
            }
            return self.unknown(name).map(|()| None);
        };
        Ok(OperandMeaning::of(declaration))
    }

    fn element(&self, operand: &Operand<'a>) -> CheckResult<Option<OperandMeaning<'n, 'a>>> {
        let Some((name, selector)) = operand.element() else { return Ok(None) };
        let known = ["x", "y", "z", "w", "r", "g", "b", "a"].contains(&&*selector.text);
        match self.name(&name)? {
            Some(OperandMeaning::VectorRegister { ty, declaration, .. }) if known => {
                Ok(Some(OperandMeaning::Register { ty, declaration: Some(declaration), element: true }))
            }
            // Measured: these two selectors of video instructions have no effect elsewhere.
            Some(register @ OperandMeaning::Register { ty, .. })
                if ty.bits == 32 && matches!(&*selector.text, "b01" | "b23") =>
            {
                Ok(Some(register))
            }
            Some(OperandMeaning::SpecialVector { widths }) if known => Ok(Some(OperandMeaning::Special {
                ty: RegisterType { class: Class::Bits, bits: 32 },
                element: true,
                widths,
            })),
            Some(OperandMeaning::VectorRegister { declaration, .. }) => Err(Diagnostic::new(
                &OPERAND_KIND,
                selector.range.clone(),
                format!("unknown vector element `.{}`", selector.text),
            )
            .help("use `.x`, `.y`, `.z` or `.w`")
            .declared(Some(declaration))),
            Some(OperandMeaning::SpecialVector { .. }) => {
                Err(Diagnostic::new(&OPERAND_KIND, selector.range, format!("unknown element of `{}`", name.text))
                    .help("use `.x`, `.y` or `.z`"))
            }
            Some(other) => {
                let whole = Token { range: operand.token.range.clone(), ..name };
                Err(other
                    .unexpected(&OPERAND_KIND, &whole, "a vector register")
                    .help("declare a vector register (`.reg .v2 .b32 v`), or remove the element"))
            }
            None => Ok(None),
        }
    }

    fn sum(&self, operand: &Operand<'a>) -> CheckResult<Option<OperandMeaning<'n, 'a>>> {
        let Some((base, offset)) = operand.parts() else { return Ok(None) };
        self.offset(&offset)?;
        if let Some((DeclarationKind::Label, _)) = self.label_ahead(&base.token) {
            return Ok(Some(OperandMeaning::Sum { constant: Constant::Any, register: None }));
        }
        Ok(Some(match self.name(&base.token)? {
            Some(OperandMeaning::Register { ty, .. } | OperandMeaning::Special { ty, .. }) => {
                let constant = if ty.class == Class::Bits { Constant::Any } else { Constant::Like(ty.class) };
                OperandMeaning::Sum { constant, register: Some(ty) }
            }
            Some(OperandMeaning::Variable(_)) => {
                OperandMeaning::Sum { constant: Constant::Like(Class::Unsigned), register: None }
            }
            Some(OperandMeaning::Function(_)) => OperandMeaning::Sum { constant: Constant::Any, register: None },
            // Measured: only a label that is declared later may begin a sum.
            Some(OperandMeaning::Label(_)) => OperandMeaning::Foreign("a sum with a label"),
            Some(_) => OperandMeaning::Foreign("a sum with a vector"),
            None => return Ok(None),
        }))
    }

    /// Checks that an offset is an integer.
    pub(super) fn offset(&self, offset: &Operand) -> CheckResult {
        if offset.kind == OperandKind::Constant && self.constant(offset)? != ConstantType::Integer {
            let message = format!("expected an integer offset in bytes, found `{}`", offset.token.text);
            return Err(Diagnostic::new(&OPERAND_TYPE, offset.token.range.clone(), message).help("write an integer"));
        }
        Ok(())
    }

    /// A label that is in scope before its declaration.
    fn label_ahead(&self, name: &Token) -> Option<(DeclarationKind, Range<usize>)> {
        let unknown = self.names.find(&name.text).is_none() && special::find(&name.text).is_none();
        if !unknown {
            return None;
        }
        (self.ahead)(&name.text).filter(|(kind, _)| *kind == DeclarationKind::Label)
    }

    /// Reports an undeclared name.
    fn unknown(&self, name: &Token) -> CheckResult {
        if !self.certain {
            return Ok(());
        }
        let text = &name.text;
        let report = undeclared_name(name);
        if self.known == KnownNames::Some {
            return Err(report);
        }
        match (self.ahead)(text) {
            Some((DeclarationKind::Label, range)) => {
                let help = "use a register or a constant; a label is only a branch target";
                return Err(report.help(help).related(range, "label declared here"));
            }
            Some((_, range)) => return Err(declared_later(name, range)),
            None => {}
        }
        let lower = text.to_lowercase();
        let register = special::find(&lower).map(|_| lower);
        Err(match register.or_else(|| self.similar(text)) {
            Some(near) => report
                .help(format!("did you mean `{near}`?"))
                .fix(format!("Replace with `{near}`"), [replace(name.range.clone(), near)]),
            None if text.starts_with('%') => report
                .help(format!("declare it, for example with `.reg .b32 {text};`, or in a range `.reg .b32 %r<10>;`")),
            None => report.help(format!("declare it, for example with `.reg .b32 {text};`")),
        })
    }

    /// A declared name or special register that differs by one letter. Declared names are skipped if there are very many, because each would be compared.
    fn similar(&self, name: &str) -> Option<String> {
        if name.len() <= 2 {
            return None;
        }
        let few = self.names.visible().nth(MOST_COMPARED).is_none();
        let declared = self.names.visible().filter(|_| few).map(|declaration| &*declaration.name.text);
        let near = declared.filter(|near| one_letter_apart(near, name)).min().map(str::to_owned);
        near.or_else(|| similar_special(name))
    }
}

/// The maximum number of declared names to compare with an unknown one.
const MOST_COMPARED: usize = 1000;

/// The special register that a name differs from by one letter, or by the dot of an element.
fn similar_special(name: &str) -> Option<String> {
    let element = name.char_indices().next_back().filter(|(_, element)| matches!(element, 'x' | 'y' | 'z'));
    let whole = element.map(|(at, element)| (name[..at].trim_end_matches('_'), element));
    if let Some((whole, element)) = whole.filter(|(whole, _)| special::find(whole).is_some_and(|found| found.parts)) {
        return Some(format!("{whole}.{element}"));
    }
    let registers = special::registers().iter().map(|register| register.name);
    registers.filter(|near| one_letter_apart(near, name)).min().map(str::to_owned)
}

/// Whether one letter is inserted, removed or replaced.
fn one_letter_apart(a: &str, b: &str) -> bool {
    let before = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let (a, b) = (a.chars().skip(before), b.chars().skip(before));
    let (shorter_a, shorter_b) = (a.clone().skip(1), b.clone().skip(1));
    shorter_a.clone().eq(shorter_b.clone()) || a.eq(shorter_b) || shorter_a.eq(b)
}

impl<'n, 'a> OperandMeaning<'n, 'a> {
    /// The meaning of a declared name; `None` if the declaration is broken or its type unknown.
    pub(super) fn of(declaration: &'n Declaration<'a>) -> Option<Self> {
        Some(match declaration.kind {
            _ if declaration.broken => return None,
            DeclarationKind::Label => OperandMeaning::Label(declaration),
            DeclarationKind::Function => OperandMeaning::Function(declaration),
            DeclarationKind::Variable => OperandMeaning::Variable(declaration),
            DeclarationKind::Register => {
                let ty = RegisterType::parse(&declaration.ty.text)?;
                match declaration.vector.text.trim_start_matches(".v").parse() {
                    Ok(lanes) => OperandMeaning::VectorRegister { ty, lanes, declaration },
                    Err(_) => OperandMeaning::Register { ty, declaration: Some(declaration), element: false },
                }
            }
        })
    }

    /// A description for messages.
    pub(super) fn describe(&self) -> String {
        match self {
            OperandMeaning::Register { ty, element: false, .. } => format!("a `{ty}` register"),
            OperandMeaning::Register { ty, .. } => format!("an element of a `{ty}` vector register"),
            OperandMeaning::Special { .. } => "a special register".to_owned(),
            OperandMeaning::SpecialVector { .. } => "a special register with components `.x`, `.y` and `.z`".to_owned(),
            OperandMeaning::VectorRegister { ty, lanes, .. } => format!("a vector register of {lanes} `{ty}`"),
            OperandMeaning::Variable(Declaration { ty, .. }) if isa::types::is_opaque(&ty.text) => {
                format!("a `{}` variable", ty.text)
            }
            OperandMeaning::Variable(declaration) => match &*declaration.space.text {
                ".param" => "a parameter".to_owned(),
                space => format!("a variable in `{space}` memory"),
            },
            OperandMeaning::Function(_) => "a function".to_owned(),
            OperandMeaning::Label(declaration) => match declaration.label() {
                Some(LabelKind::BranchTargets) => "a list of labels".to_owned(),
                Some(LabelKind::CallTargets) => "a list of functions".to_owned(),
                Some(LabelKind::CallPrototype) => "a prototype".to_owned(),
                Some(LabelKind::Target) | None => "a label".to_owned(),
            },
            OperandMeaning::Constant(ConstantType::Integer) => "an integer constant".to_owned(),
            OperandMeaning::Constant(_) => "a floating-point constant".to_owned(),
            OperandMeaning::Sum { .. } => "a sum".to_owned(),
            OperandMeaning::Sink => "`_`".to_owned(),
            OperandMeaning::Memory => "an address".to_owned(),
            OperandMeaning::List => "a list of elements".to_owned(),
            OperandMeaning::Foreign(what) => (*what).to_owned(),
        }
    }

    /// The diagnostic for an operand with this meaning where something else is expected.
    pub(super) fn unexpected(&self, rule: &'static Rule, token: &Token, expected: impl fmt::Display) -> Diagnostic {
        let message = format!("expected {expected}, found `{}`, {}", token.text, self.describe());
        Diagnostic::new(rule, token.range.clone(), message).declared(self.declaration())
    }

    /// Its declaration.
    pub(super) fn declaration(&self) -> Option<&'n Declaration<'a>> {
        match self {
            OperandMeaning::Register { declaration, .. } => *declaration,
            OperandMeaning::VectorRegister { declaration, .. }
            | OperandMeaning::Variable(declaration)
            | OperandMeaning::Function(declaration)
            | OperandMeaning::Label(declaration) => Some(declaration),
            _ => None,
        }
    }
}

/// The type of a special register: a predicate, or untyped bits.
fn of_special(ty: &str) -> RegisterType {
    match RegisterType::parse(ty) {
        Some(ty) if ty.class == Class::Predicate => ty,
        Some(ty) => RegisterType { class: Class::Bits, bits: ty.bits },
        None => RegisterType { class: Class::Bits, bits: 32 },
    }
}
