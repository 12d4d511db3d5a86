//! Macros of the texts that include a text: a file such as `op.inc` is included several times, each time with other definitions.

use super::lexer::{CppLexer, CppTokenKind};
use super::preprocessor::Preprocessor;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// Macros that are string literals where a text is included: their names, and their bodies as they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MacroSet(Vec<(String, String)>);

impl MacroSet {
    /// Whether it has no macro.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn undefine(&mut self, name: &str) {
        self.0.retain(|(other, _)| other != name);
    }

    /// The macros where a text includes another one, if these are those where the text itself is included.
    pub fn then(&self, place: &MacrosAtInclude) -> MacroSet {
        let mut set = self.clone();
        for (name, body) in place.defined.iter() {
            set.undefine(name);
            if let Some(body) = body.as_ref().filter(|_| set.0.len() < MOST_MACROS) {
                set.0.push((name.clone(), body.clone()));
            }
        }
        set
    }
}

/// The maximum number of macros of one place that are passed on.
const MOST_MACROS: usize = 64;

/// An `#include`, and the names that its text defines somewhere, each with its body there if that is certain and consists of string literals.
pub struct MacrosAtInclude {
    /// The file that is included, as it is written.
    pub file: String,
    defined: Rc<[DefinedMacro]>,
}

/// A name that a text defines, and its body.
type DefinedMacro = (String, Option<String>);

/// The macros at each place where a text includes a file.
pub fn macros_at_includes(text: &str) -> Vec<MacrosAtInclude> {
    let places = includes(text);
    if places.is_empty() {
        return Vec::new();
    }
    let mut read = Preprocessor::new(text, 0);
    while read.next().is_some() {}
    let mut names: Vec<&str> = read.macros.names().collect();
    names.sort_unstable();
    let body = |name: &str, place| {
        let certain = read.macros.certain(name, place).map(|(body, _)| body);
        certain.filter(|body| is_literal(body)).map(str::to_owned)
    };
    let mut last: Rc<[DefinedMacro]> = Rc::default();
    let mut at_place = |(place, file): (usize, &str)| {
        let now: Vec<DefinedMacro> = names.iter().map(|name| ((*name).to_owned(), body(name, place))).collect();
        // Most `#include`s have those of the one before them.
        if now[..] != last[..] {
            last = now.into();
        }
        MacrosAtInclude { file: file.to_owned(), defined: last.clone() }
    };
    places.into_iter().map(&mut at_place).collect()
}

/// The name of the file in what is after `#include` on its line.
pub fn included_file(rest: &str) -> Option<&str> {
    let rest = rest.trim_start();
    let end = match rest.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    rest[1..].split_once(end).map(|(name, _)| name)
}

/// The offsets of the `#include`s of a text, and the files.
fn includes(text: &str) -> Vec<(usize, &str)> {
    let mut lexer = CppLexer::new(text, 0);
    let mut found = Vec::new();
    loop {
        match lexer.next().kind {
            CppTokenKind::End => return found,
            CppTokenKind::Directive => {
                lexer.in_line = true;
                let word = lexer.next();
                let name = text[word.range.end..].lines().next().and_then(included_file);
                if let Some(name) = name.filter(|_| lexer.read(&word.range) == "include") {
                    found.push((word.range.start, name));
                }
                while word.kind != CppTokenKind::End && lexer.next().kind != CppTokenKind::End {}
                lexer.in_line = false;
            }
            _ => {}
        }
    }
}

/// Whether the body of a macro is string literals only.
fn is_literal(body: &str) -> bool {
    let mut lexer = CppLexer::new(body, 0);
    lexer.in_line = true;
    let mut is_empty = true;
    loop {
        match lexer.next().kind {
            CppTokenKind::End => return !is_empty,
            CppTokenKind::Text(literal) if literal.narrow && literal.closed => is_empty = false,
            _ => return false,
        }
    }
}

/// The macros of the texts that include a text, with their bodies after it.
#[derive(Debug)]
pub(super) struct IncludedMacros<'t> {
    /// The text and the bodies after it.
    pub whole: &'t str,
    /// The length of the text.
    pub length: usize,
    /// For each place where the text is included: the ranges of the bodies, by name.
    sets: Vec<HashMap<&'t str, Range<usize>>>,
}

impl<'t> IncludedMacros<'t> {
    /// No macros.
    pub fn none(text: &'t str) -> Self {
        IncludedMacros { whole: text, length: text.len(), sets: Vec::new() }
    }

    /// The sets whose bodies [`append`] has written after a text of a length.
    pub fn behind(whole: &'t str, length: usize, sets: &'t [MacroSet]) -> Self {
        let mut at = length;
        let mut ranges = |set: &'t MacroSet| {
            let ranges = set.0.iter().map(|(name, body)| {
                let start = at + 1;
                at = start + body.len();
                (name.as_str(), start..at)
            });
            ranges.collect()
        };
        IncludedMacros { whole, length, sets: sets.iter().map(&mut ranges).collect() }
    }

    /// The number of places where the text is included.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// The body of a macro at one of these places, and its offset.
    pub fn body(&self, place: usize, name: &str) -> Option<(&'t str, usize)> {
        let range = self.sets.get(place).or(self.sets.last())?.get(name)?;
        Some((&self.whole[range.clone()], range.start))
    }
}

/// Writes the bodies of macros after a text.
pub(crate) fn append(text: &mut String, sets: &[MacroSet]) {
    for (_, body) in sets.iter().flat_map(|set| &set.0) {
        text.push('\n');
        text.push_str(body);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_include_has_the_macros_that_are_certain_there() {
        let text = "#define S \".gpu\"\n#if X\n#define U \".u\"\n#endif\n#include \"a/f.inc\"\n#undef S\n#define N 3\n\
                    #define S \".sys\" /* all */\n  # include <f.inc>\n#include \"g.inc\"\n// #include \"f.inc\"\n";
        let outer = MacroSet(vec![("O".to_owned(), "\".relaxed\"".to_owned()), ("N".to_owned(), "\"n\"".to_owned())]);
        let mut found = macros_at_includes(text);
        found.retain(|place| place.file.ends_with("f.inc"));
        let read = |set: &MacroSet| set.0.iter().map(|(name, body)| format!("{name}={body}")).collect::<Vec<_>>();
        let found: Vec<_> = found.iter().map(|place| read(&outer.then(place))).collect();
        assert_eq!(found, [["O=\".relaxed\"", "S=\".gpu\""], ["O=\".relaxed\"", "S=\".sys\""]]);
    }
}
