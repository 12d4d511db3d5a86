//! The parameters of functions, and directives that depend on them.

use crate::directives::requires;
use crate::directives::storage;
use crate::directives::storage::{StoragePlace, invalid};
use diagnostics::{Context, Diagnostic};
use isa::target::Version;
use syntax::{DeclaredParameter, FunctionBody, FunctionHead, alignment, type_bits};

/// The maximum size of a kernel's parameters in bytes, with the first version and the first target of each limit.
const PARAMETER_BYTES: [(Version, u16, u64); 3] =
    [(Version::new(8, 1), 70, 32764), (Version::new(1, 5), 0, 4352), (Version::new(1, 0), 0, 256)];

/// Checks the head of a function.
pub(super) fn check(function: &FunctionHead, context: &Context, diagnostics: &mut Vec<Diagnostic>) {
    let is_kernel = function.kind.text == ".entry";
    if is_kernel && function.body == FunctionBody::Declared {
        requires::check("declarations of kernels", function.kind.range.clone(), context, diagnostics);
    }
    if is_kernel && let Some(first) = function.parameters.first() {
        requires::check("parameters of kernels", first.declarator.name.range.clone(), context, diagnostics);
    }
    if function.linkage.text == ".extern" && function.body == FunctionBody::Defined {
        let message = format!("`.extern` function `{}` has a body", function.name.text);
        let help = "remove `.extern`, or end the declaration with `;`";
        diagnostics.push(invalid(&function.linkage, message).help(help));
    }
    let place = if is_kernel { StoragePlace::KernelParameter } else { StoragePlace::FunctionParameter };
    for parameter in function.returns.iter().chain(&function.parameters) {
        check_parameter(parameter, place, function.body, context, diagnostics);
    }
    check_returns(function, diagnostics);
    check_unsized(function, context, diagnostics);
    if is_kernel && function.body == FunctionBody::Defined {
        check_size(function, context, diagnostics);
    }
    check_attributes(function, diagnostics);
}

/// Checks the prototype after a label. It is like a function that is only declared, but its parameters need no names.
pub(super) fn check_prototype(prototype: &FunctionHead, context: &Context, diagnostics: &mut Vec<Diagnostic>) {
    for parameter in prototype.returns.iter().chain(&prototype.parameters) {
        check_parameter(parameter, StoragePlace::Prototype, FunctionBody::Declared, context, diagnostics);
        let ty = &parameter.storage.ty;
        if ty.text == ".f16x2" {
            requires::check(&ty.text, ty.range.clone(), context, diagnostics);
        }
    }
    for directive in &prototype.directives {
        requires::check(&directive.word.text, directive.word.range.clone(), context, diagnostics);
    }
    check_returns(prototype, diagnostics);
    check_unsized(prototype, context, diagnostics);
    check_attributes(prototype, diagnostics);
}

fn check_parameter(
    parameter: &DeclaredParameter,
    place: StoragePlace,
    body: FunctionBody,
    context: &Context,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let DeclaredParameter { storage: written, pointer, declarator } = parameter;
    let is_kernel = place == StoragePlace::KernelParameter;
    let of_pointer = pointer.as_ref().and_then(|pointer| pointer.alignment.as_ref());
    storage::check_alignment(written.alignment.as_ref(), diagnostics);
    storage::check_alignment(of_pointer, diagnostics);
    if let Some(second) = &written.second_space {
        let message = format!("conflicting state spaces `{}` and `{}`", written.space.text, second.text);
        diagnostics.push(invalid(second, message).help("keep one state space"));
        return;
    }
    let space = &*written.space.text;
    if space != ".param" && (is_kernel || space != ".reg") {
        let expected = if is_kernel { "`.param`" } else { "`.param` or `.reg`" };
        let at = if space.is_empty() { &declarator.name } else { &written.space };
        let message = format!("parameter `{}` must be in {expected}", declarator.name.text);
        let help = if is_kernel { "write `.param`" } else { "write `.param` or `.reg`" };
        diagnostics.push(invalid(at, message).help(help));
        return;
    }
    if space == ".param" && !is_kernel && body == FunctionBody::Defined {
        if let Some(number) = &written.alignment {
            storage::check_parameter_alignment(number, diagnostics);
        }
        requires::check("parameters in `.param`", written.space.range.clone(), context, diagnostics);
    } else if space == ".param" && !is_kernel {
        let feature = "parameters of declared functions in `.param`";
        requires::check(feature, written.space.range.clone(), context, diagnostics);
    }
    if let Some(pointer) = pointer.as_ref().filter(|_| !is_kernel) {
        let message = "`.ptr` is only allowed on parameters of kernels".to_owned();
        diagnostics.push(invalid(&pointer.word, message).help("remove `.ptr` and its attributes"));
    }
    if let Some(word) = written.late_align.as_ref().filter(|_| !is_kernel) {
        let message = "`.align` after the type is only allowed on parameters of kernels".to_owned();
        diagnostics.push(invalid(word, message).help("write `.align` before the type"));
    }
    if let Some(size) = declarator.dimensions.iter().find(|size| u32::try_from(**size).is_err()) {
        let message = format!("array size {size} of parameter `{}` exceeds 32 bits", declarator.name.text);
        diagnostics.push(invalid(&declarator.name, message).help("pass a pointer to memory instead"));
    }
    if place == StoragePlace::FunctionParameter && declarator.name.text == "_" {
        let message = "a parameter of a function requires a name".to_owned();
        diagnostics.push(invalid(&declarator.name, message).help("replace `_` with a name"));
    }
    if body == FunctionBody::Defined {
        storage::check(place, (written, declarator), context, diagnostics);
    } else {
        storage::check_declared(place, (written, declarator), diagnostics);
    }
}

/// Checks that several returned values are in registers.
fn check_returns(function: &FunctionHead, diagnostics: &mut Vec<Diagnostic>) {
    let wrong = function.returns.iter().find(|parameter| parameter.storage.space.text == ".param");
    if let Some(parameter) = wrong.filter(|_| function.returns.len() > 1) {
        let message = "several returned values must be in `.reg`".to_owned();
        diagnostics.push(invalid(&parameter.storage.space, message).help("return one array of bytes, or write `.reg`"));
    }
}

/// Checks arrays without a size, which only the last parameter of a function may be.
fn check_unsized(function: &FunctionHead, context: &Context, diagnostics: &mut Vec<Diagnostic>) {
    let is_unsized = |parameter: &&DeclaredParameter| parameter.declarator.dimensions.contains(&0);
    for parameter in function.returns.iter().filter(is_unsized) {
        diagnostics.push(storage::no_size(&parameter.declarator.name));
    }
    for (number, parameter) in function.parameters.iter().enumerate().filter(|(_, parameter)| is_unsized(parameter)) {
        let name = &parameter.declarator.name;
        if function.kind.text == ".entry" || number + 1 < function.parameters.len() {
            let help = match function.kind.text == ".entry" {
                true => "write the number of elements, as in `[4]`",
                false => "write the number of elements; only the last parameter may be `[]`",
            };
            diagnostics.push(storage::no_size(name).help(help));
        } else if parameter.storage.space.text == ".reg" {
            diagnostics.push(storage::no_size(name));
        } else {
            requires::check("unsized parameters", name.range.clone(), context, diagnostics);
        }
    }
}

/// Checks the size of all parameters of a kernel.
fn check_size(function: &FunctionHead, context: &Context, diagnostics: &mut Vec<Diagnostic>) {
    let (Some(version), Some(target)) = (context.module.version, context.module.target) else { return };
    let limit = PARAMETER_BYTES.iter().find(|(since, number, _)| version >= *since && target.number() >= *number);
    let Some((_, _, limit)) = limit else { return };
    let Some(bytes) = bytes(&function.parameters).filter(|bytes| bytes > limit) else { return };
    let message = format!("parameters of `{}` take {bytes} bytes; the limit is {limit} bytes", function.name.text);
    let mut found = invalid(&function.name, message).help("pass a pointer to memory instead");
    if *limit < PARAMETER_BYTES[0].2 && bytes <= PARAMETER_BYTES[0].2 {
        found = found.help("pass a pointer to memory instead, or target PTX 8.1 and sm_70");
    }
    diagnostics.push(found);
}

/// The bytes of parameters, each at its alignment; `None` if one has no size.
fn bytes(parameters: &[DeclaredParameter]) -> Option<u64> {
    parameters.iter().try_fold(0u64, |end, parameter| {
        let width = match &*parameter.storage.ty.text {
            ty if isa::types::is_opaque(ty) => 64,
            ty => type_bits(ty)?,
        };
        let element = u64::from(width / 8);
        let count =
            parameter.declarator.dimensions.iter().try_fold(1u64, |product, size| product.checked_mul(*size))?;
        let written = parameter.storage.alignment.as_ref().and_then(|number| syntax::Number::integer(&number.text));
        let alignment = alignment(written.filter(|written| written.is_power_of_two()), element);
        end.checked_next_multiple_of(alignment)?.checked_add(element.checked_mul(count)?)
    })
}

/// Checks directives such as `.noreturn`.
fn check_attributes(function: &FunctionHead, diagnostics: &mut Vec<Diagnostic>) {
    for (number, directive) in function.directives.iter().enumerate() {
        let word = &directive.word;
        if word.text == ".noreturn" && !function.returns.is_empty() {
            let message = match function.name.text == "_" {
                true => "`.noreturn` prototype returns a value".to_owned(),
                false => format!("`.noreturn` function `{}` returns a value", function.name.text),
            };
            diagnostics.push(invalid(word, message).help("remove `.noreturn` or the returned value"));
        }
        let before = function.directives[..number].iter().find(|before| before.word.text == word.text);
        if let Some(before) = before.filter(|_| word.text.starts_with(".abi_preserve")) {
            let message = format!("duplicate `{}`", word.text);
            diagnostics.push(
                invalid(word, message)
                    .help("keep one of them")
                    .related(before.word.range.clone(), "first written here"),
            );
        }
    }
}
