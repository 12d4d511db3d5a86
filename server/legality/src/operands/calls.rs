//! Checks calls: the function, its arguments and results, and the prototype of a call through a register.
//!
//! Measured (`tests/evidence/operands/targets.txt`): an argument has the size and the alignment of its parameter; an untyped one fits every type of its
//! size, and signed and unsigned integers fit each other. Arrays fit only arrays.

use crate::operands::OperandSite;
use crate::operands::meaning::OperandMeaning;
use crate::operands::types::{Class, RegisterType};
use diagnostics::registry::{OPERAND_COUNT, OPERAND_KIND, OPERAND_TYPE, UNKNOWN_NAME};
use diagnostics::{CheckResult, Diagnostic};
use std::fmt;
use std::rc::Rc;
use syntax::{CallOperands, ConstantType, Declaration, FunctionType, Instruction, LabelKind, Operand, Parameter};

/// What an argument passes, or a parameter takes.
#[derive(Clone, Copy, Debug)]
struct Passed {
    class: Class,
    /// The size; `None` for an array without one.
    bytes: Option<u64>,
    alignment: u64,
    array: bool,
}

/// The position of an operand of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Argument,
    Result,
}

/// Checks a call.
pub(super) fn check(site: &OperandSite, instruction: &Instruction) -> CheckResult {
    let Some(call) = instruction.call() else { return Ok(()) };
    let Some(callee) = site.lookup.meaning(&call.function).map_err(|error| no_function(error, &call.function))? else {
        return Ok(());
    };
    let signature = match (&callee, &call.prototype) {
        (OperandMeaning::Function(_), Some(prototype)) => {
            let (name, range) = (&call.function.token.text, prototype.token.range.clone());
            let message = format!("unexpected prototype `{}`: `{name}` is a function", prototype.token.text);
            return Err(Diagnostic::new(&OPERAND_KIND, range, message)
                .help("remove the prototype, or call through a register that has the address of the function"));
        }
        (OperandMeaning::Function(function), None) => (site.lookup.function_type)(function),
        (OperandMeaning::Register { ty, .. }, Some(prototype)) if is_address(*ty) => of_prototype(site, prototype)?,
        (OperandMeaning::Register { ty, .. }, None) if is_address(*ty) => {
            let message = format!("call through register `{}` requires a prototype", call.function.token.text);
            return Err(Diagnostic::new(&OPERAND_COUNT, call.function.token.range.clone(), message)
                .help("declare one (`P: .callprototype _ (.param .b32 _);`) and name it as the last operand"));
        }
        _ => {
            let expected = "a function, or a register with the address of one";
            return Err(callee.unexpected(&OPERAND_KIND, &call.function.token, expected));
        }
    };
    let Some(signature) = signature else { return Ok(()) };
    if signature.is_kernel {
        let message = format!("`{}` is a kernel, which cannot be called", call.function.token.text);
        return Err(Diagnostic::new(&OPERAND_KIND, call.function.token.range.clone(), message)
            .help("call a `.func`")
            .declared(callee.declaration()));
    }
    operands(site, &call, &signature, callee.declaration())
}

/// Adds to the diagnostic for an undeclared function how to declare one.
fn no_function(error: Diagnostic, function: &Operand) -> Diagnostic {
    if *error.rule == UNKNOWN_NAME && error.related.is_empty() && error.fixes.is_empty() {
        return error.help(format!("declare the function before: `.extern .func {};`", function.token.text));
    }
    error
}

/// Whether a register may have the address of a function.
fn is_address(ty: RegisterType) -> bool {
    ty.is_integer() && matches!(ty.bits, 32 | 64)
}

/// The signature that the last operand of a call through a register names; `None` if it is not known.
fn of_prototype(site: &OperandSite, operand: &Operand) -> CheckResult<Option<Rc<FunctionType>>> {
    let Some(meaning) = site.lookup.meaning(operand)? else { return Ok(None) };
    match &meaning {
        OperandMeaning::Label(label) if label.label() == Some(LabelKind::CallPrototype) => {
            Ok((site.lookup.function_type)(label))
        }
        // All functions of a list, or of an array of addresses, have one signature.
        OperandMeaning::Label(label) if label.label() == Some(LabelKind::CallTargets) => Ok(None),
        OperandMeaning::Variable(table) if is_table(table) => Ok(None),
        _ => Err(meaning
            .unexpected(&OPERAND_KIND, &operand.token, "a prototype or a list of functions")
            .help("write the name of a `.callprototype` or of a list of `.calltargets`")),
    }
}

/// Whether a variable may be an array of the addresses of functions.
fn is_table(variable: &Declaration) -> bool {
    variable.array
        && [".u8", ".u32", ".u64"].contains(&&*variable.ty.text)
        && [".global", ".const"].contains(&&*variable.space.text)
}

/// Checks the arguments and results.
fn operands(
    site: &OperandSite,
    call: &CallOperands,
    signature: &FunctionType,
    callee: Option<&Declaration>,
) -> CheckResult {
    counted(call, &call.arguments, &signature.parameters, "argument").map_err(|error| error.declared(callee))?;
    counted(call, &call.results, &signature.results, "result").map_err(|error| error.declared(callee))?;
    let arguments = call.arguments.iter().zip(&signature.parameters);
    let mut all = arguments.map(|(operand, parameter)| (operand, parameter, Direction::Argument)).chain(
        call.results.iter().zip(&signature.results).map(|(operand, result)| (operand, result, Direction::Result)),
    );
    all.try_for_each(|(operand, parameter, direction)| passed(site, operand, parameter, direction))
}

/// Checks how many arguments or results there are.
fn counted(call: &CallOperands, written: &[Operand], wanted: &[Parameter], noun: &str) -> CheckResult {
    if written.len() == wanted.len() {
        return Ok(());
    }
    let range = match written {
        [first, .., last] => first.token.range.start..last.token.range.end,
        [only] => only.token.range.clone(),
        [] => call.function.token.range.clone(),
    };
    let number = match wanted.len() {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    };
    let message = format!("`{}` has {number}, found {}", call.function.token.text, written.len());
    let list = wanted.iter().map(|one| format!("{} {}", Described(one), one.name)).collect::<Vec<_>>().join(", ");
    let help = if wanted.is_empty() { format!("remove the {noun}s") } else { format!("write `({list})`") };
    Err(Diagnostic::new(&OPERAND_COUNT, range, message).help(help))
}

/// Checks an argument or a result.
fn passed(site: &OperandSite, operand: &Operand, parameter: &Parameter, direction: Direction) -> CheckResult {
    let Some(meaning) = site.lookup.meaning(operand)? else { return Ok(()) };
    let Some(wanted) = Passed::by(&parameter.ty, parameter.lanes, parameter.alignment, sizes(parameter)) else {
        return Ok(());
    };
    let expected =
        format!("a `{}` {}", Described(parameter), if direction == Direction::Result { "result" } else { "argument" });
    let mismatch = || Err(meaning.unexpected(&OPERAND_TYPE, &operand.token, &expected));
    let declaration = match &meaning {
        OperandMeaning::Sink if direction == Direction::Result => return Ok(()),
        OperandMeaning::Constant(literal) if wanted.takes(*literal) => return Ok(()),
        OperandMeaning::Constant(_) => return mismatch(),
        OperandMeaning::Register { declaration: Some(declaration), .. }
        | OperandMeaning::VectorRegister { declaration, .. } => *declaration,
        OperandMeaning::Variable(declaration) if declaration.space.text == ".param" => {
            if declaration.parameter.is_some() {
                let message = format!("parameter `{}` of this function cannot be passed on", operand.token.text);
                return Err(Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), message)
                    .help("load it into a register, and pass the register")
                    .declared(Some(declaration)));
            }
            *declaration
        }
        _ => return Err(meaning.unexpected(&OPERAND_KIND, &operand.token, &expected)),
    };
    let lanes = syntax::lanes(&declaration.vector.text);
    let size = (declaration.array, declaration.elements);
    let Some(given) = Passed::by(&declaration.ty.text, lanes, declaration.alignment, size) else { return Ok(()) };
    if !given.fits(wanted) {
        return mismatch();
    }
    if given.alignment != wanted.alignment {
        let (text, name) = (&operand.token.text, &parameter.name);
        let message = format!(
            "`{text}` is aligned to {} bytes, but parameter `{name}` to {} bytes",
            given.alignment, wanted.alignment
        );
        return Err(Diagnostic::new(&OPERAND_TYPE, operand.token.range.clone(), message)
            .help(format!("declare it with `.align {}`", wanted.alignment))
            .declared(Some(declaration)));
    }
    Ok(())
}

/// Whether a parameter is an array, and the number of its elements.
fn sizes(parameter: &Parameter) -> (bool, Option<u64>) {
    (parameter.array, parameter.elements)
}

impl Passed {
    /// By the name of a type; `None` if it is not a type of registers.
    fn by(ty: &str, lanes: u64, alignment: Option<u64>, (array, elements): (bool, Option<u64>)) -> Option<Passed> {
        let ty = RegisterType::parse(ty)?;
        let element = u64::from(ty.bits / 8) * lanes;
        // Measured: packed registers and vectors fit every type of their size.
        let class = if lanes > 1 { Class::Packed } else { ty.class };
        let bytes = elements.and_then(|elements| elements.checked_mul(element));
        Some(Passed { class, bytes, alignment: syntax::alignment(alignment, element), array })
    }

    fn fits(self, wanted: Passed) -> bool {
        let integers = [Class::Unsigned, Class::Signed];
        let class = self.class == wanted.class
            || [self.class, wanted.class].iter().any(|class| matches!(class, Class::Packed))
            || (self.class != Class::Predicate && wanted.class != Class::Predicate)
                && (self.class == Class::Bits || wanted.class == Class::Bits)
            || integers.contains(&self.class) && integers.contains(&wanted.class);
        let size = wanted.bytes.is_none() || self.bytes.is_none() || self.bytes == wanted.bytes;
        class && size && self.array == wanted.array
    }

    /// Whether a constant fits.
    fn takes(self, literal: ConstantType) -> bool {
        !self.array
            && match self.class {
                Class::Bits | Class::Packed => true,
                Class::Unsigned | Class::Signed => literal == ConstantType::Integer,
                Class::Float => literal != ConstantType::Integer,
                Class::Predicate => false,
            }
    }
}

/// A parameter without its name, for messages.
struct Described<'p>(&'p Parameter);

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parameter { ty, alignment, lanes, array, elements, .. } = self.0;
        if let Some(alignment) = alignment {
            write!(f, ".align {alignment} ")?;
        }
        if *lanes > 1 {
            write!(f, ".v{lanes} ")?;
        }
        f.write_str(ty)?;
        match (array, elements) {
            (false, _) => Ok(()),
            (true, Some(elements)) => write!(f, "[{elements}]"),
            (true, None) => f.write_str("[]"),
        }
    }
}
