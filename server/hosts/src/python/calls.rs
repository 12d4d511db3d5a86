//! Finds the calls whose strings are inline assembly.

use super::call_arguments::CallArguments;
use super::names::NameValues;
use super::store_before::context;
use super::strings::{StringParts, string_parts};
use super::tree::{PythonNode, PythonTree, children, parse, read, walk};
use super::types::widths;
use super::{attribute_chains, cute, embedded, hidet};
use crate::inline_asm::template::{TemplateChar, TemplateCharKind};
use crate::inline_asm::{
    AsmDialect, AsmOperand, AsmStatement, FoundStatements, LiteralForm, LiteralSource, TemplatePart, ValueList,
};
use crate::llvm::{LlvmConstraints, constraints};
use crate::python::literal;
use std::collections::HashMap;

/// An argument by its name and its number.
type CallParameter = (&'static str, usize);

/// A function that takes inline assembly.
struct AsmFunction {
    name: &'static str,
    template: CallParameter,
    operands: OperandParameters,
    /// The argument that says whether there are side effects, and the value that says that there are none.
    purity: Option<(CallParameter, &'static str)>,
    /// The argument that declares side effects, if there are none without it.
    effects: Option<&'static str>,
    /// The types of the results.
    types: Option<CallParameter>,
    /// How many elements are packed into the registers of a value.
    pack: Option<CallParameter>,
}

/// Where a function expects its operands.
enum OperandParameters {
    /// A list of constraints, and one of values that are read.
    Llvm { constraints: CallParameter, inputs: CallParameter },
    /// Lists of types and values.
    Cute,
    /// Lists of values; the compiler makes CUDA C++ of the call.
    Hidet,
}

/// The functions that take inline assembly.
const FUNCTIONS: &[AsmFunction] = &[
    // Triton, Gluon, Helion.
    AsmFunction {
        name: "inline_asm_elementwise",
        template: ("asm", 0),
        operands: OperandParameters::Llvm { constraints: ("constraints", 1), inputs: ("args", 2) },
        purity: Some((("is_pure", 4), "true")),
        effects: None,
        types: Some(("dtype", 3)),
        pack: Some(("pack", 5)),
    },
    // MLIR's dialect `llvm`: CuTe DSL, JAX.
    AsmFunction {
        name: "inline_asm",
        template: ("asm_string", 2),
        operands: OperandParameters::Llvm { constraints: ("constraints", 3), inputs: ("operands_", 1) },
        purity: Some((("has_side_effects", usize::MAX), "false")),
        effects: Some("`has_side_effects=True`"),
        types: Some(("res", 0)),
        pack: None,
    },
    // llvmlite, and numba with it.
    AsmFunction {
        name: "InlineAsm",
        template: ("asm", 1),
        operands: OperandParameters::Llvm { constraints: ("constraint", 2), inputs: ("", usize::MAX) },
        purity: Some((("side_effect", 3), "false")),
        effects: Some("`side_effect=True`"),
        types: None,
        pack: None,
    },
    // CuTe DSL.
    AsmFunction {
        name: "inline_ptx",
        template: ("ptx_code", 0),
        operands: OperandParameters::Cute,
        purity: None,
        effects: None,
        types: None,
        pack: None,
    },
    AsmFunction {
        name: "asm",
        template: ("template", 0),
        operands: OperandParameters::Hidet,
        purity: None,
        effects: None,
        types: None,
        pack: None,
    },
];

impl AsmFunction {
    /// Whether a text may call it. Other functions have the short name, too.
    fn may_be_called_in(&self, text: &str) -> bool {
        match self.operands {
            OperandParameters::Hidet => hidet::is_used_in(text),
            OperandParameters::Llvm { .. } | OperandParameters::Cute => text.contains(self.name),
        }
    }
}

/// Whether a text may have statements; it may be written with escapes.
pub(crate) fn may_have_statements(text: &str) -> bool {
    embedded::may_have_source(text)
        || text.contains(attribute_chains::NAMESPACE)
        || FUNCTIONS.iter().any(|function| function.may_be_called_in(text))
}

/// Whether a text has no syntax error.
pub(crate) fn is_complete(text: &str) -> bool {
    parse(text).is_ok_and(|tree| !tree.root_node().has_error())
}

/// The statements of a text, in order, or why it is not read.
pub fn scan(text: &str) -> FoundStatements {
    if !may_have_statements(text) {
        return FoundStatements::default();
    }
    match parse(text) {
        Ok(tree) => statements(text, &tree),
        Err(unread) => unread.into(),
    }
}

fn statements(text: &str, tree: &PythonTree) -> FoundStatements {
    let (mut calls, mut aliases) = (Vec::new(), HashMap::new());
    walk(
        tree.root_node(),
        |_| true,
        |node| match node.kind() {
            "call" => calls.push(node),
            "aliased_import" => aliases.extend(alias(text, node)),
            _ => {}
        },
    );
    let mut names = NameValues::new(text);
    let mut statements: Vec<_> = calls
        .iter()
        .filter_map(|call| {
            let (function, keyword) = asm_function(text, *call, &aliases)?;
            statement(text, &mut names, *call, function, keyword)
        })
        .collect();
    edit_definitions(&mut statements);
    if text.contains(attribute_chains::NAMESPACE) {
        statements.extend(calls.iter().filter_map(|call| attribute_chains::statement(text, *call)));
    }
    let mut found: FoundStatements = statements.into();
    if embedded::may_have_source(text) {
        found.append(embedded::statements(text, &mut names, tree.root_node()));
    }
    found.statements.sort_by_key(|statement| statement.range.start);
    found
}

/// The start of the first call in a statement, or of the statement.
pub(super) fn first_call(text: &str, statement: PythonNode) -> usize {
    let none = HashMap::new();
    let mut found = None;
    if !statement.kind().contains("definition") {
        walk(
            statement,
            |_| true,
            |node| {
                let call = asm_function(text, node, &none).map(|_| node.start_byte());
                found = found.or(call);
            },
        );
    }
    found.unwrap_or(statement.start_byte())
}

/// The name that something is imported as, and its own.
fn alias<'t>(text: &'t str, import: PythonNode) -> Option<(&'t str, &'t str)> {
    let (name, alias) = (import.child_by_field_name("name")?, import.child_by_field_name("alias")?);
    Some((read(text, alias), read(text, name)))
}

/// The function that a call calls, and its name there.
fn asm_function<'t>(
    text: &str,
    node: PythonNode<'t>,
    aliases: &HashMap<&str, &str>,
) -> Option<(&'static AsmFunction, PythonNode<'t>)> {
    let called = Some(node).filter(|node| node.kind() == "call")?.child_by_field_name("function")?;
    let keyword = match called.kind() {
        "attribute" => called.child_by_field_name("attribute")?,
        "identifier" => called,
        _ => return None,
    };
    let word = read(text, keyword);
    let name = if called.kind() == "identifier" { aliases.get(word).copied().unwrap_or(word) } else { word };
    let function = FUNCTIONS.iter().find(|function| function.name == name && function.may_be_called_in(text))?;
    Some((function, keyword))
}

fn statement<'t>(
    text: &'t str,
    names: &mut NameValues<'t>,
    call: PythonNode<'t>,
    function: &AsmFunction,
    keyword: PythonNode<'t>,
) -> Option<AsmStatement> {
    let arguments = CallArguments::of(text, call);
    let template = arguments.get(function.template.0, function.template.1)?;
    let StringParts { parts, groups } = string_parts(text, names, template);
    let LlvmConstraints { mut operands, clobbers, open } = match function.operands {
        OperandParameters::Llvm { constraints, inputs } => llvm_operands(text, names, &arguments, constraints, inputs),
        OperandParameters::Cute => {
            let (operands, open) = cute::operands(text, &arguments);
            LlvmConstraints { operands, clobbers: Vec::new(), open }
        }
        OperandParameters::Hidet => hidet::operands(&arguments, keyword.byte_range()),
    };
    let dialect = match function.operands {
        OperandParameters::Llvm { .. } => AsmDialect::Llvm,
        OperandParameters::Cute => AsmDialect::Cute,
        OperandParameters::Hidet => AsmDialect::Nvcc,
    };
    if let Some(types) = function.types.and_then(|(name, number)| arguments.get(name, number)) {
        set_widths(&mut operands, widths(text, types));
    }
    let values = values(text, function, &arguments);
    let purity = function.purity.and_then(|((name, number), value)| Some((arguments.get(name, number)?, value)));
    let missing_effects = function.effects.filter(|_| purity.is_none() && !arguments.is_open());
    let boolean = purity.filter(|(argument, _)| matches!(argument.kind(), "true" | "false"));
    let context = context(names, call);
    Some(AsmStatement {
        range: call.byte_range(),
        keyword: keyword.byte_range(),
        dialect,
        volatile: boolean.is_some_and(|(argument, value)| argument.kind() != value),
        pure: boolean.filter(|(argument, value)| argument.kind() == *value).map(|(argument, _)| argument.byte_range()),
        missing_effects,
        elementwise: function.name == "inline_asm_elementwise",
        elected: context.elected,
        store_before: context.store,
        template: parts,
        operands,
        values,
        open,
        clobbers,
        groups,
        // Another compiler than that of CUDA C++ reads no such call.
        for_devices: dialect == AsmDialect::Nvcc,
        finished: !call.has_error(),
        ..AsmStatement::default()
    })
}

/// The values of a list without parts that are several values.
fn values(text: &str, function: &AsmFunction, arguments: &CallArguments) -> Option<ValueList> {
    let OperandParameters::Llvm { inputs: (name, number), .. } = function.operands else { return None };
    let list = arguments.get(name, number).filter(|node| matches!(node.kind(), "list" | "tuple"))?;
    let values = children(list);
    if values.iter().any(|value| value.kind() == "list_splat") {
        return None;
    }
    let pack = function.pack.map(|(name, number)| arguments.get(name, number).map(|node| read(text, node)));
    let is_one_each = pack.is_none_or(|pack| pack == Some("1"));
    Some(ValueList { range: list.byte_range(), count: values.len(), is_one_each })
}

/// Gives the outputs the widths of their types, if there are as many.
fn set_widths(operands: &mut [AsmOperand], widths: Vec<Option<u16>>) {
    let outputs: Vec<_> = operands.iter_mut().filter(|operand| operand.output).collect();
    if outputs.len() == widths.len() {
        outputs.into_iter().zip(widths).for_each(|(operand, bits)| operand.bits = bits);
    }
}

/// The operands of a call with a list of constraints.
fn llvm_operands<'t>(
    text: &'t str,
    names: &mut NameValues<'t>,
    arguments: &CallArguments<'t>,
    constraints: CallParameter,
    inputs: CallParameter,
) -> LlvmConstraints {
    let mut made = match arguments.get(constraints.0, constraints.1) {
        Some(node) => read_constraints(text, &string_parts(text, names, node)),
        None => LlvmConstraints { open: true, ..LlvmConstraints::default() },
    };
    let inputs = arguments.get(inputs.0, inputs.1);
    let inputs = inputs.filter(|node| matches!(node.kind(), "list" | "tuple")).map(children).unwrap_or_default();
    let read_operands: Vec<_> = made.operands.iter_mut().filter(|operand| !operand.output).collect();
    // With `pack`, several operands belong to one argument.
    if read_operands.len() == inputs.len() {
        read_operands.into_iter().zip(inputs).for_each(|(operand, input)| operand.expression = input.byte_range());
    }
    made
}

/// Reads the parts of a list of constraints. One that depends on a choice is unknown.
fn read_constraints(text: &str, StringParts { parts, groups }: &StringParts) -> LlvmConstraints {
    if !groups.is_empty() {
        return LlvmConstraints { open: true, ..LlvmConstraints::default() };
    }
    let mut units = Vec::new();
    for part in parts {
        match part.literal.as_ref().map(|literal| (&literal.inner, literal.form)) {
            Some((inner, LiteralForm::Python(form))) => literal::decode(text, inner, form, &mut units),
            _ => units.push(TemplateChar::whole(TemplateCharKind::Placeholder, part.range.clone())),
        }
    }
    constraints(&units)
}

/// A literal after a name that only one statement uses once is read and edited where it is written. Between literals of the template, it is so as in
/// a macro.
fn edit_definitions(statements: &mut [AsmStatement]) {
    let mut uses: HashMap<usize, usize> = HashMap::new();
    let literals = |part: &TemplatePart| part.literal.as_ref().map(|literal| literal.inner.start);
    for start in statements.iter().flat_map(|statement| &statement.template).filter_map(literals) {
        *uses.entry(start).or_default() += 1;
    }
    for statement in statements {
        let is_elsewhere = statement.template.iter().all(|part| part.via == LiteralSource::SharedMacro);
        for part in &mut statement.template {
            let literal = part.literal.as_ref().filter(|_| part.via == LiteralSource::SharedMacro);
            let Some(literal) = literal.filter(|literal| uses.get(&literal.inner.start) == Some(&1)) else { continue };
            if is_elsewhere {
                part.range = literal.inner.clone();
                part.via = LiteralSource::Written;
            } else {
                part.via = LiteralSource::Macro;
            }
        }
    }
}
