//! Initial values: their shape and their types.

use crate::directives::{requires, storage};
use crate::undeclared_name::undeclared_name;
use diagnostics::registry::INVALID_INITIAL_VALUE;
use diagnostics::{Context, Diagnostic};
use foldhash::HashSet;
use std::cell::OnceCell;
use std::iter::Peekable;
use std::ops::Range;
use syntax::{ConstantType, DeclarationKind, Declarator, ItemHead, Names, Number, Token, VariableHead, constant_type};

/// The maximum nesting of lists.
const DEPTH: usize = 16;

/// A value as it is written.
enum InitialValue<'a> {
    /// A list in braces, with its `{`.
    List(Token<'a>, Vec<InitialValue<'a>>),
    /// The tokens of anything else.
    Single(Vec<Token<'a>>),
}

impl InitialValue<'_> {
    /// The range of its first token.
    fn start(&self) -> Range<usize> {
        match self {
            InitialValue::List(brace, _) => brace.range.clone(),
            InitialValue::Single(tokens) => tokens[0].range.clone(),
        }
    }
}

/// What the check of a value needs.
pub(super) struct ValueCheck<'c, 'a> {
    pub(super) head: &'c ItemHead<'a>,
    pub(super) variable: &'c VariableHead<'a>,
    /// The names of its variables. Made on demand, once for all of them.
    pub(super) own_names: &'c OnceCell<HashSet<String>>,
    pub(super) names: &'c Names<'a>,
    pub(super) context: &'c Context<'a>,
    pub(super) diagnostics: &'c mut Vec<Diagnostic>,
}

impl<'a> ValueCheck<'_, 'a> {
    /// Checks the value of a variable of a module.
    pub(super) fn check(&mut self, declarator: &Declarator) {
        let storage = &self.variable.storage;
        let Some(start) = declarator.value.filter(|_| !isa::types::is_opaque(&storage.ty.text)) else { return };
        let Some(value) = read(&mut self.head.tokens_from(start).peekable(), 0) else { return };
        let mut dimensions = declarator.dimensions.clone();
        dimensions.extend(storage.lanes());
        if let InitialValue::List(_, values) = &value
            && values.is_empty()
            && declarator.dimensions.first() == Some(&0)
        {
            return self.diagnostics.push(storage::no_size(&declarator.name));
        }
        self.shape(&value, &dimensions);
    }

    /// Checks a value against the dimensions that remain; the last is that of a vector.
    fn shape(&mut self, value: &InitialValue<'a>, dimensions: &[u64]) {
        match (value, dimensions) {
            (InitialValue::List(brace, values), [size, inner @ ..]) => {
                let is_exact = inner.is_empty() && self.variable.storage.lanes().is_some();
                let count = values.len() as u64;
                if *size > 0 && count > *size || is_exact && count != *size {
                    let expected = if is_exact { size.to_string() } else { format!("at most {size}") };
                    let message = format!("expected {expected} values, found {count}");
                    self.report(brace.range.clone(), message, "write one value for each element");
                }
                values.iter().for_each(|value| self.shape(value, inner));
            }
            (InitialValue::List(brace, _), []) if self.variable.storage.ty.text != ".f16x2" => {
                let message = "expected one value for a scalar, found a list".to_owned();
                self.report(brace.range.clone(), message, "remove the braces, or declare an array");
            }
            (InitialValue::List(..), []) => {}
            (InitialValue::Single(_), [_, ..]) => {
                self.report(
                    value.start(),
                    "expected a list of values for an array, found one value".to_owned(),
                    "write the values in braces",
                );
            }
            // Measured: a field, as of a sampler, has any value.
            (InitialValue::Single(tokens), []) if tokens.get(1).is_some_and(|token| token.text == "=") => {}
            (InitialValue::Single(tokens), []) => self.element(tokens),
        }
    }

    fn element(&mut self, tokens: &[Token<'a>]) {
        let ty = &*self.variable.storage.ty.text;
        let range = tokens[0].range.start..tokens[tokens.len() - 1].range.end;
        if matches!(ty, ".f16" | ".f16x2") {
            let help = "declare it as `.b16` or `.b32`, with the bits as value";
            return self.report(range, format!("initial value of a `{ty}` variable"), help);
        }
        let symbol = tokens.iter().find(|token| is_name(token) && token.text != "generic");
        if let Some(symbol) = symbol {
            if let Some(generic) = tokens.iter().find(|token| token.text == "generic") {
                let feature = "generic addresses as initial values";
                requires::check(feature, generic.range.clone(), self.context, self.diagnostics);
            }
            let is_mask = Number::integer(&tokens[0].text).is_some();
            let has_only_mask = matches!(tokens, [_, open, name, close]
                if is_mask && open.text == "(" && name.range == symbol.range && close.text == ")");
            if tokens.len() > 1 && !has_only_mask && self.is_function(symbol) {
                let message = format!("expression with the function `{}` as initial value", symbol.text);
                let found = Diagnostic::new(&INVALID_INITIAL_VALUE, range, message);
                return self.diagnostics.push(found.help(format!("write the name alone: `{}`", symbol.text)));
            }
            return self.address(symbol, range, is_mask);
        }
        let expression = self.head.slice(range.clone());
        let is_masked_number = tokens.len() > 1 && Number::integer(&tokens[0].text).is_some() && tokens[1].text == "(";
        let found = if is_masked_number { Ok(ConstantType::Integer) } else { constant_type(&expression) };
        let is_float = matches!(ty, ".f32" | ".f64");
        let is_integer = ty.starts_with(".u") || ty.starts_with(".s");
        match found {
            Err(mistyped) => {
                self.report(mistyped.range, mistyped.message.to_owned(), "write the value as one constant");
            }
            Ok(ConstantType::Integer) if is_float => {
                self.report(
                    range,
                    format!("expected a floating-point value for `{ty}`, found an integer"),
                    "write a floating-point value, such as `1.0`",
                );
            }
            Ok(ConstantType::Single | ConstantType::Double) if is_integer => {
                self.report(
                    range,
                    format!("expected an integer for `{ty}`, found a floating-point value"),
                    "write an integer",
                );
            }
            Ok(_) => {}
        }
    }

    /// Whether a name is that of a function or a kernel. Measured: its address has neither an offset nor `generic`, but may have a mask.
    fn is_function(&self, name: &Token<'a>) -> bool {
        self.names.find(&name.text).is_some_and(|known| known.kind == DeclarationKind::Function)
    }

    /// Checks an address, or a byte of one.
    fn address(&mut self, symbol: &Token<'a>, range: Range<usize>, is_mask: bool) {
        let ty = &*self.variable.storage.ty.text;
        let is_legal = matches!(ty, ".u32" | ".u64") || is_mask && ty == ".u8";
        if !is_legal {
            let help = "declare the variable as `.u64`";
            return self.report(range, format!("address as initial value of a `{ty}` variable"), help);
        }
        requires::check("addresses as initial values", range.clone(), self.context, self.diagnostics);
        if is_mask {
            requires::check("masked addresses as initial values", range, self.context, self.diagnostics);
        }
        let own_names = || self.variable.declarators.iter().map(|own| own.name.text.to_string()).collect();
        match self.names.find(&symbol.text) {
            None if !self.own_names.get_or_init(own_names).contains(&*symbol.text) => {
                self.diagnostics.push(undeclared_name(symbol).help("declare it before this variable"));
            }
            Some(known) if matches!(&*known.space.text, ".shared" | ".local" | ".reg" | ".param") => {
                let message = format!("address of a `{}` variable as initial value", known.space.text);
                let found = Diagnostic::new(&INVALID_INITIAL_VALUE, symbol.range.clone(), message);
                let found = found.help("use a variable in `.global` or `.const`, or a function");
                self.diagnostics.push(found.declared(Some(known)));
            }
            _ => {}
        }
    }

    fn report(&mut self, range: Range<usize>, message: String, help: &str) {
        self.diagnostics.push(Diagnostic::new(&INVALID_INITIAL_VALUE, range, message).help(help));
    }
}

/// Reads a value up to the `,`, `}` or `;` after it; `None` if it is not complete.
fn read<'a>(tokens: &mut Peekable<impl Iterator<Item = Token<'a>>>, depth: usize) -> Option<InitialValue<'a>> {
    let first = tokens.next().filter(|_| depth < DEPTH)?;
    if first.text == "{" {
        let mut values = Vec::new();
        while tokens.next_if(|token| token.text == "}").is_none() {
            values.push(read(tokens, depth + 1)?);
            tokens.next_if(|token| token.text == ",");
        }
        return Some(InitialValue::List(first, values));
    }
    let mut parentheses = usize::from(first.text == "(");
    let mut parts = vec![first];
    while let Some(token) = tokens.next_if(|token| parentheses > 0 || !matches!(&*token.text, "," | "}" | ";")) {
        match &*token.text {
            "(" => parentheses += 1,
            ")" => parentheses = parentheses.checked_sub(1)?,
            _ => {}
        }
        parts.push(token);
    }
    tokens.peek()?;
    Some(InitialValue::Single(parts))
}

/// Whether a token is the name of something.
fn is_name(token: &Token) -> bool {
    let is_first = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%');
    token.text.starts_with(is_first) && token.text.len() > usize::from(token.text == "%") && token.text != "WARP_SZ"
}
