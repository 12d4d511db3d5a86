//! Names of a module that are declared again: duplicates, and declarations that differ.

use diagnostics::Diagnostic;
use diagnostics::registry::{CONFLICTING_DECLARATION, DUPLICATE_DECLARATION};
use std::borrow::Cow;
use std::ops::Range;
use syntax::{
    DeclarationKind, Declarator, DeclaredParameter, FunctionBody, FunctionHead, Item, LintFile, VariableHead,
};

/// The bytes of whitespace by which a definition may be longer than its declaration.
const MAX_SPACE: usize = 256;

/// Checks an item that declares a name again.
pub(super) fn check(file: &LintFile, first: &Item, later: &Item) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    if is_definition(file, first, later) {
        return diagnostics;
    }
    for declaration in later.declarations() {
        let known = first.declarations().into_iter().find(|known| {
            known.name.text == declaration.name.text
                && known.name.range.start < declaration.name.range.start
                && known.count.is_some() == declaration.count.is_some()
        });
        let Some(known) = known.filter(|_| declaration.kind != DeclarationKind::Label) else { continue };
        let (at, before) = (declaration.name.range.clone(), known.name.range.clone());
        let name = &declaration.name.text;
        let (Some(one), Some(other)) = (first.head(), later.head()) else { continue };
        let found = match (one.function(), other.function(), one.variable(), other.variable()) {
            (Some(one), Some(other), ..) => functions(&one, &other, (at, before)),
            (_, _, Some(one), Some(other)) => variables(&one, &other, name, (at, before)),
            _ => Some(duplicate(name, "declaration of", (at, before))),
        };
        diagnostics.extend(found);
    }
    diagnostics
}

/// Whether a function is declared, and then defined with the same head, as most functions of compilers are. To compare the bytes takes a fraction
/// of the time of reading both heads. `false` if it is not certain.
fn is_definition(file: &LintFile, first: &Item, later: &Item) -> bool {
    let (first, later) = (first.range(), later.range());
    let end = later.end.min(later.start + first.len() + MAX_SPACE);
    let text = |range: Range<usize>| Cow::from(file.text().byte_slice(range));
    let (declared, defined) = (text(first), text(later.start..file.clamp(end)));
    let Some(declared) = declared.strip_suffix(';') else { return false };
    // Comments and strings are left to the parser.
    !declared.bytes().any(|byte| matches!(byte, b'/' | b'#' | b'"'))
        && after_same(declared.as_bytes(), defined.as_bytes()).is_some_and(|rest| rest.starts_with(b"{"))
}

/// What follows in `other` after `one`, if it begins with that but for whitespace.
fn after_same<'t>(mut one: &[u8], mut other: &'t [u8]) -> Option<&'t [u8]> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.');
    let mut before = b' ';
    loop {
        let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
        before = one[..same].last().copied().unwrap_or(before);
        let (rest, other_rest) = (one[same..].trim_ascii_start(), other[same..].trim_ascii_start());
        let Some(next) = rest.first() else { return Some(other_rest) };
        let only_one_separates = (rest.len() + same == one.len()) != (other_rest.len() + same == other.len());
        if other_rest.first() != Some(next) || only_one_separates && is_word(before) && is_word(*next) {
            return None;
        }
        (one, other) = (rest, other_rest);
    }
}

fn duplicate(name: &str, what: &str, (at, before): (Range<usize>, Range<usize>)) -> Diagnostic {
    Diagnostic::new(&DUPLICATE_DECLARATION, at, format!("duplicate {what} `{name}`"))
        .help("rename or remove one of them")
        .related(before, "first declared here")
}

fn conflict(name: &str, difference: &str, (at, before): (Range<usize>, Range<usize>)) -> Diagnostic {
    Diagnostic::new(&CONFLICTING_DECLARATION, at, format!("conflicting declarations of `{name}`: {difference}"))
        .help("make both declarations the same")
        .related(before, "first declared here")
}

/// Compares two declarations of a function.
fn functions(first: &FunctionHead, later: &FunctionHead, places: (Range<usize>, Range<usize>)) -> Option<Diagnostic> {
    let name = &later.name.text;
    if first.kind.text != later.kind.text {
        let difference = format!("expected `{}`, found `{}`", first.kind.text, later.kind.text);
        return Some(conflict(name, &difference, places));
    }
    if first.body == FunctionBody::Defined {
        let what = match later.body {
            FunctionBody::Defined => "definition of",
            FunctionBody::Declared => "declaration of",
        };
        let found = duplicate(name, what, places);
        return Some(match later.body {
            FunctionBody::Defined => found,
            FunctionBody::Declared => found.help("remove it; a declaration must precede the definition"),
        });
    }
    difference(first, later).map(|difference| conflict(name, &difference, places))
}

/// What differs between two declarations of a function.
fn difference(first: &FunctionHead, later: &FunctionHead) -> Option<String> {
    let (one, other) = (&*first.linkage.text, &*later.linkage.text);
    if one != other && !(other.is_empty() && matches!(one, ".visible" | ".weak")) {
        let describe = |linkage: &str| match linkage {
            "" => "no linkage".to_owned(),
            linkage => format!("`{linkage}`"),
        };
        return Some(format!("expected {}, found {}", describe(one), describe(other)));
    }
    signature_difference(first, later).or_else(|| {
        let differs = may_return(first) != may_return(later);
        differs.then(|| "only one is `.noreturn`".to_owned())
    })
}

/// Whether a function may return.
pub(super) fn may_return(head: &FunctionHead) -> bool {
    !head.directives.iter().any(|directive| directive.word.text == ".noreturn")
}

/// What differs between the parameters of two functions.
pub(super) fn signature_difference(first: &FunctionHead, later: &FunctionHead) -> Option<String> {
    let lists =
        [(&first.returns, &later.returns, "returned value"), (&first.parameters, &later.parameters, "parameter")];
    lists.into_iter().find_map(|(expected, found, what)| {
        if expected.len() != found.len() {
            let plural = if expected.len() == 1 { "" } else { "s" };
            return Some(format!("expected {} {what}{plural}, found {}", expected.len(), found.len()));
        }
        let differs = |(number, (one, other))| {
            let difference = parameter_difference(one, other)?;
            Some(format!("{what} {}: {difference}", number + 1))
        };
        expected.iter().zip(found).enumerate().find_map(differs)
    })
}

fn parameter_difference(one: &DeclaredParameter, other: &DeclaredParameter) -> Option<String> {
    let describe = |parameter: &DeclaredParameter| {
        let DeclaredParameter { storage, declarator, .. } = parameter;
        let dimensions: String = declarator.dimensions.iter().map(|size| format!("[{size}]")).collect();
        let words = [&*storage.space.text, &*storage.vector.text, &*storage.ty.text];
        let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
        format!("`{}{}{dimensions}`", words.join(" "), if dimensions.is_empty() { "" } else { " " })
    };
    let (expected, found) = (describe(one), describe(other));
    if expected != found {
        return Some(format!("expected {expected}, found {found}"));
    }
    let (expected, found) = (one.storage.alignment(), other.storage.alignment());
    (expected != found).then(|| format!("expected alignment {expected}, found {found}"))
}

/// Compares two declarations of a variable. One of them has to be `.extern`; state space and alignment may differ.
fn variables(
    first: &VariableHead,
    later: &VariableHead,
    name: &str,
    places: (Range<usize>, Range<usize>),
) -> Option<Diagnostic> {
    let is_extern = |head: &VariableHead| head.linkage.text == ".extern";
    if !is_extern(first) && !is_extern(later) {
        return Some(duplicate(name, "declaration of", places));
    }
    let one = first.declarators.iter().find(|one| one.name.text == name)?;
    let other = later.declarators.iter().find(|other| other.name.text == name)?;
    let (expected, found) = (described(first, one), described(later, other));
    if !same_type(first, later) || !same_dimensions(&one.dimensions, &other.dimensions) {
        return Some(conflict(name, &format!("expected {expected}, found {found}"), places));
    }
    (is_extern(first) && later.linkage.text.is_empty()).then(|| {
        conflict(name, "expected `.visible`, `.weak` or `.common` after `.extern`", places).help("write `.visible`")
    })
}

fn same_type(first: &VariableHead, later: &VariableHead) -> bool {
    let words = |head: &VariableHead| [&head.storage.vector, &head.storage.ty].map(|word| word.text.to_string());
    words(first) == words(later)
}

/// Whether two arrays have the same size, or one of them leaves it open.
fn same_dimensions(one: &[u64], other: &[u64]) -> bool {
    let same = |(one, other): (&u64, &u64)| one == other || *one == 0 || *other == 0;
    one.len() == other.len() && one.iter().zip(other).all(same)
}

fn described(head: &VariableHead, declarator: &Declarator) -> String {
    let words = [&*head.storage.vector.text, &*head.storage.ty.text];
    let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let dimensions = declarator.dimensions.iter().map(|size| match size {
        0 => "[]".to_owned(),
        size => format!("[{size}]"),
    });
    format!("`{}{}`", words.join(" "), dimensions.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_matter_between_words_only() {
        let after = |one: &str, other: &'static str| {
            after_same(one.as_bytes(), other.as_bytes()).and_then(|rest| std::str::from_utf8(rest).ok())
        };
        assert_eq!(after(".func f\n(\n\t.param .b64 x\n)\n", ".func f(\n.param  .b64 x)\n{ ret; }"), Some("{ ret; }"));
        assert_eq!(after("f (a)", "f(a) {"), Some("{"));
        assert_eq!(after(".param .b64 x", ".param .b64x {"), None);
        assert_eq!(after(".param.b64 x", ".param .b64 x {"), None);
        assert_eq!(after("f(a)", "f(b) {"), None);
        assert_eq!(after("f(a)", "f(a"), None);
        assert_eq!(after("f(a", "f(ab"), Some("b"));
    }
}
