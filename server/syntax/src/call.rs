//! Calls, and the signatures of functions and prototypes.

use crate::declaration::{Declaration, DeclarationKind};
use crate::instruction::Instruction;
use crate::item_head::{DeclaredParameter, FunctionSignature};
use crate::lexer::{Lexer, Number};
use crate::operand::{Operand, at_commas};
use crate::reader::Token;
use crate::source::LintFile;
use std::ops::Range;

/// The parts of a `call`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOperands<'a> {
    /// What takes the results.
    pub results: Vec<Operand<'a>>,
    /// The function, or the register with its address.
    pub function: Operand<'a>,
    /// The arguments.
    pub arguments: Vec<Operand<'a>>,
    /// The prototype, or the list of functions, of a call through a register.
    pub prototype: Option<Operand<'a>>,
}

/// What a function takes and returns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// Whether it is a kernel, which nobody can call.
    pub is_kernel: bool,
    /// The results.
    pub results: Vec<Parameter>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
}

/// A parameter or a result of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// The name; `_` in a prototype.
    pub name: String,
    /// The type with its dot.
    pub ty: String,
    /// The bytes of its `.align`, if it has one.
    pub alignment: Option<u64>,
    /// How many elements a vector has; 1 for scalars.
    pub lanes: u64,
    /// Whether it has dimensions.
    pub array: bool,
    /// The number of elements of an array; `None` if it is open.
    pub elements: Option<u64>,
}

impl<'a> Instruction<'a> {
    /// The parts of a `call` without a syntax error.
    pub fn call(&self) -> Option<CallOperands<'a>> {
        let token = self.behind_opcode();
        let tokens: Vec<_> = Lexer::code(&token.text).map(|(_, range)| range).collect();
        let (_, tokens) = tokens.split_last()?;
        let mut parts = at_commas(&token.text, tokens).into_iter().peekable();
        let is_list = |part: &&[Range<usize>]| part.first().is_some_and(|first| token.text[first.clone()] == *"(");
        let operand = |part: &[Range<usize>]| {
            let (first, last) = (part.first()?, part.last()?);
            Some(Operand::new(token.part(first.start..last.end)))
        };
        let list = |part: Option<&[Range<usize>]>| {
            let inner = part.and_then(|part| part.get(1..part.len() - 1)).unwrap_or_default();
            at_commas(&token.text, inner).into_iter().filter_map(operand).collect::<Vec<_>>()
        };
        let results = list(parts.next_if(is_list));
        let function = operand(parts.next()?)?;
        let arguments = list(parts.next_if(is_list));
        Some(CallOperands { results, function, arguments, prototype: parts.next().and_then(operand) })
    }
}

impl FunctionType {
    /// The signature of a function, or of the prototype after a label; `None` if it has another form.
    pub fn of(file: &LintFile, declaration: &Declaration) -> Option<Self> {
        if declaration.kind != DeclarationKind::Function {
            return FunctionType::read(&declaration.directive);
        }
        FunctionType::read(&head(file, declaration.space.range.start)?)
    }

    fn read(text: &str) -> Option<Self> {
        let FunctionSignature { kind, returns, parameters, .. } =
            FunctionSignature::read(Token { text: text.into(), range: 0..text.len() })?;
        let all = |list: Vec<DeclaredParameter>| list.iter().map(parameter).collect::<Option<_>>();
        Some(FunctionType { is_kernel: kind.text == ".entry", results: all(returns)?, parameters: all(parameters)? })
    }
}

/// The text of a function from its start to its body or `;`. Most are short, so little of a long file is read.
fn head(file: &LintFile, start: usize) -> Option<String> {
    let length = file.text().len_bytes();
    let mut size = 1 << 10;
    loop {
        let end = file.clamp((start + size).min(length));
        match file.find_code(start..end, b"{;") {
            Some(end) => return Some(file.slice(&(start..end))),
            None if end == length => return None,
            None => size *= 4,
        }
    }
}

/// A parameter without what only its declaration needs; `None` if its alignment is no number.
fn parameter(declared: &DeclaredParameter) -> Option<Parameter> {
    let DeclaredParameter { storage, declarator, .. } = declared;
    let alignment = storage.alignment.as_ref().map(|number| Number::integer(&number.text));
    Some(Parameter {
        name: declarator.name.text.to_string(),
        ty: storage.ty.text.to_string(),
        alignment: alignment.map_or(Some(None), |number| number.map(Some))?,
        lanes: storage.lanes().unwrap_or(1),
        array: !declarator.dimensions.is_empty(),
        elements: match *declarator.dimensions {
            [] => Some(1),
            [size] if size > 0 => Some(size),
            _ => None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SourceFile, WalkEvent, walk};

    /// The signatures of the functions and prototypes of a module.
    fn signatures(text: &str) -> Vec<Option<FunctionType>> {
        let file = SourceFile::parse(text);
        let mut found = Vec::new();
        walk(&file, |event| match event {
            WalkEvent::Declare(name) if name.kind == DeclarationKind::Function || !name.directive.is_empty() => {
                found.push(FunctionType::of(&file, &name));
            }
            _ => {}
        });
        found
    }

    #[test]
    fn signatures_of_functions_and_prototypes() {
        let text = ".func (.reg .f32 y) f(.param .align 8 .b8 x[16], .param .u64 .ptr .global .align 4 p)\n{ ret; }\n\
                    .entry k { P: .callprototype (.param .b32 _) _ (.param .v2 .b32 _[]) .noreturn; ret; }\n.func g;\n";
        let found: Vec<FunctionType> = signatures(text).into_iter().map(|found| found.expect("a signature")).collect();
        let parameter = |name: &str, ty: &str| Parameter {
            name: name.to_owned(),
            ty: ty.to_owned(),
            lanes: 1,
            elements: Some(1),
            ..Parameter::default()
        };
        let array = Parameter { alignment: Some(8), array: true, elements: Some(16), ..parameter("x", ".b8") };
        assert_eq!(found[0].results, [parameter("y", ".f32")]);
        assert_eq!(found[0].parameters, [array, parameter("p", ".u64")]);
        assert!(found[1].is_kernel && found[1].parameters.is_empty());
        assert_eq!(found[2].results, [parameter("_", ".b32")]);
        let open = Parameter { lanes: 2, array: true, elements: None, ..parameter("_", ".b32") };
        assert_eq!(found[2].parameters, [open]);
        assert_eq!(found[3], FunctionType { is_kernel: false, results: Vec::new(), parameters: Vec::new() });
    }

    #[test]
    fn parts_of_calls() {
        let text = ".entry k() { call (r, _), f, (a, (1+2)*3), P; call.uni g; call g, (); }";
        let file = SourceFile::parse(text);
        let mut found = Vec::new();
        walk(&file, |event| {
            if let WalkEvent::Instruction(instruction) = event {
                let call = instruction.call().expect("a call");
                let texts = |list: &[Operand]| list.iter().map(|one| one.token.text.to_string()).collect::<Vec<_>>();
                let prototype = call.prototype.map(|one| one.token.text.to_string());
                let function = call.function.token.text.to_string();
                found.push((texts(&call.results), function, texts(&call.arguments), prototype));
            }
        });
        let expected = |results: &[&str], function: &str, arguments: &[&str], prototype: Option<&str>| {
            let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
            (texts(results), function.to_owned(), texts(arguments), prototype.map(str::to_owned))
        };
        assert_eq!(
            found,
            [
                expected(&["r", "_"], "f", &["a", "(1+2)*3"], Some("P")),
                expected(&[], "g", &[], None),
                expected(&[], "g", &[], None)
            ]
        );
    }
}
