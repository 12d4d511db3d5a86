//! The values that the parameters of functions have in a text.

use super::call_arguments::CallArguments;
use super::named_calls::ParameterValues;
use super::names::NameValues;
use super::tree::{PythonNode, children, read};
use std::rc::Rc;

/// The maximum number of different calls of a function.
const CALLS: usize = 16;

/// The maximum nesting of calls.
const DEPTH: usize = 4;

/// The different values of a function's parameters: those of its calls in the text, or the default ones if there is no call. Calls with
/// values from other texts are left out where others have constants.
pub(super) fn parameter_values<'t>(
    names: &mut NameValues<'t>,
    function: PythonNode<'t>,
    depth: usize,
) -> Rc<Vec<ParameterValues<'t>>> {
    if let Some(known) = names.parameter_values.get(&(function.id(), depth)) {
        return known.clone();
    }
    let found = Rc::new(read_values(names, function, depth));
    names.parameter_values.insert((function.id(), depth), found.clone());
    found
}

fn read_values<'t>(names: &mut NameValues<'t>, function: PythonNode<'t>, depth: usize) -> Vec<ParameterValues<'t>> {
    let text = names.text();
    let parameters = parameters(text, function);
    let mut found: Vec<ParameterValues> = Vec::new();
    let mut seen: Vec<Vec<Option<&str>>> = Vec::new();
    let calls = names.calls(function);
    let all = if calls.is_empty() {
        vec![parameters.iter().map(|one| (one.name, one.default.and_then(|value| constant(text, value)))).collect()]
    } else {
        calls.into_iter().take(4 * CALLS).flat_map(|call| in_call(names, &parameters, call, depth)).collect::<Vec<_>>()
    };
    // What the text passes on from other texts is theirs to check.
    let is_known = |name: &str| all.iter().any(|values| values.get(name).is_some_and(Option::is_some));
    let known: Vec<&str> = parameters.iter().map(|one| one.name).filter(|name| is_known(name)).collect();
    let is_whole = |values: &ParameterValues| known.iter().all(|name| values.get(name).is_some_and(Option::is_some));
    let has_whole = all.iter().any(is_whole);
    for values in all.iter().filter(|values| !has_whole || is_whole(values)) {
        let written = values.values().map(|value| value.map(|value| read(text, value))).collect();
        if found.len() < CALLS && !seen.contains(&written) {
            seen.push(written);
            found.push(values.clone());
        }
    }
    found
}

/// A parameter of a function.
struct PythonParameter<'t> {
    name: &'t str,
    default: Option<PythonNode<'t>>,
}

fn parameters<'t>(text: &'t str, function: PythonNode<'t>) -> Vec<PythonParameter<'t>> {
    let all = function.child_by_field_name("parameters").map(children).unwrap_or_default();
    let parameter = |node: PythonNode<'t>| {
        let name = match node.kind() {
            "identifier" => Some(node),
            "typed_parameter" => node.named_children().next(),
            _ => node.child_by_field_name("name"),
        };
        name.map(|name| PythonParameter { name: read(text, name), default: node.child_by_field_name("value") })
    };
    all.into_iter().filter_map(parameter).collect()
}

/// The values in a call: one set, or one for each set of the function that calls.
fn in_call<'t>(
    names: &mut NameValues<'t>,
    parameters: &[PythonParameter<'t>],
    call: PythonNode<'t>,
    depth: usize,
) -> Vec<ParameterValues<'t>> {
    let text = names.text();
    let arguments = CallArguments::of(text, call);
    // `self` is no argument.
    let is_method = parameters.first().is_some_and(|first| matches!(first.name, "self" | "cls"));
    let given = |number: usize, one: &PythonParameter<'t>| match number.checked_sub(usize::from(is_method)) {
        Some(number) if !arguments.is_open() => arguments.get(one.name, number).or(one.default),
        _ => arguments.named(one.name),
    };
    let given: Vec<(&str, Option<PythonNode>)> =
        parameters.iter().enumerate().map(|(number, one)| (one.name, given(number, one))).collect();
    let caller = given.iter().find_map(|(_, value)| names.parameter_of(unwrapped(text, (*value)?)));
    let outer = match caller {
        None => Rc::new(vec![ParameterValues::new()]),
        Some(_) if depth >= DEPTH => return Vec::new(),
        Some(caller) => parameter_values(names, caller, depth + 1),
    };
    let mut in_caller = |outer: &ParameterValues<'t>| {
        let mut value = |node: PythonNode<'t>| {
            let node = unwrapped(text, node);
            match names.parameter_of(node) {
                Some(_) => outer.get(read(text, node)).copied().flatten(),
                None => constant(text, node),
            }
        };
        given.iter().map(|(name, node)| (*name, node.and_then(&mut value))).collect()
    };
    outer.iter().map(&mut in_caller).collect()
}

/// The string or integer that an expression is.
fn constant<'t>(text: &'t str, value: PythonNode<'t>) -> Option<PythonNode<'t>> {
    let value = unwrapped(text, value);
    matches!(value.kind(), "string" | "concatenated_string" | "integer").then_some(value)
}

/// The expression in `constexpr(…)`, in parentheses and before `.value`.
pub(super) fn unwrapped<'t>(text: &'t str, value: PythonNode<'t>) -> PythonNode<'t> {
    let inner = match value.kind() {
        "parenthesized_expression" => children(value).first().copied(),
        "attribute" => {
            let is_value = value.child_by_field_name("attribute").is_some_and(|name| read(text, name) == "value");
            value.child_by_field_name("object").filter(|_| is_value)
        }
        "call" => {
            let function = value.child_by_field_name("function");
            let name = function.and_then(|function| function.child_by_field_name("attribute")).or(function);
            let is_constant = name.is_some_and(|name| read(text, name) == "constexpr");
            CallArguments::of(text, value).only().filter(|_| is_constant)
        }
        _ => None,
    };
    inner.map_or(value, |inner| unwrapped(text, inner))
}
