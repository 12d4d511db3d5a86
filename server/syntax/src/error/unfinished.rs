//! Declarations without `;`: the parser notices only the statement after them.

use crate::error::words::{StatementWord, WordKind, words};
use crate::error::{SyntaxError, error};
use crate::source::LintFile;
use std::ops::Range;
use tree_sitter::Node;

/// Directives that begin a declaration.
const SPACES: [&str; 6] = [".reg", ".local", ".shared", ".global", ".const", ".param"];

/// The error of a declaration that ends without `;` before an error node, or at it.
pub(super) fn unfinished_declaration(file: &LintFile, node: Node, longest: usize) -> Option<SyntaxError> {
    let rope = file.text();
    let at = rope.byte_to_char(node.start_byte());
    let before = rope.chars_at(at).reversed().take(longest).take_while(|c| !matches!(c, ';' | '{' | '}')).count();
    let start = at - before;
    let text = rope.slice(start..rope.len_chars().min(at + longest)).to_string();
    let words = words(&text);
    let base = rope.char_to_byte(start);
    if let Some(nameless) = nameless(&text, &words) {
        let declared = base + nameless.start..base + nameless.end;
        let fix = Some((declared.clone(), String::new()));
        let place = declared.end..declared.end;
        return Some(SyntaxError { fix, ..error(place, "expected a name to declare".into(), String::new()) });
    }
    let end = base + end_without_semicolon(&text, &words)?;
    let fix = Some((end..end, ";".to_owned()));
    Some(SyntaxError { fix, ..error(end..end, "expected `;` after the declaration".into(), String::new()) })
}

/// The range of a declaration at the start of a text that ends before its name: the next word is on another line and begins a
/// statement. Names have no dots.
fn nameless(text: &str, words: &[StatementWord]) -> Option<Range<usize>> {
    let part = |at: usize| words.get(at).map_or("", |word| &text[word.range.clone()]);
    SPACES.contains(&part(0)).then_some(())?;
    let name = name_index(&part);
    let (last, next) = (words.get(name - 1)?, words.get(name)?);
    let is_opcode = next.kind == WordKind::Word && part(name).contains('.');
    let begins_statement = is_opcode || matches!(part(name), "@" | "}") || part(name + 1) == ":";
    let follows_on_another_line = text[last.range.end..next.range.start].contains('\n');
    (begins_statement && follows_on_another_line).then_some(words[0].range.start..last.range.end)
}

/// The index of the name of a declaration, after its space, types and alignment.
fn name_index<'t>(part: &impl Fn(usize) -> &'t str) -> usize {
    let mut at = 1;
    while part(at).starts_with('.') {
        at += if part(at) == ".align" { 2 } else { 1 };
    }
    at
}

/// The end of a declaration without an initial value at the start of a text, if the next word is not its `;` but on a line of its own.
fn end_without_semicolon(text: &str, words: &[StatementWord]) -> Option<usize> {
    let part = |at: usize| words.get(at).map_or("", |word| &text[word.range.clone()]);
    // The words of the type and the space are read as one if nothing is between them.
    SPACES.iter().any(|space| part(0) == *space).then_some(())?;
    let mut at = name_index(&part);
    loop {
        at = declarator(words, text, at)?;
        if part(at) != "," {
            break;
        }
        at += 1;
    }
    let (last, next) = (words.get(at - 1)?, words.get(at)?);
    let follows_on_another_line = text[last.range.end..next.range.start].contains('\n');
    (part(at) != ";" && follows_on_another_line).then_some(last.range.end)
}

/// The index of the word after a name with its counts and sizes.
fn declarator(words: &[StatementWord], text: &str, name: usize) -> Option<usize> {
    let part = |at: usize| words.get(at).map_or("", |word| &text[word.range.clone()]);
    words.get(name).filter(|word| word.kind == WordKind::Word)?;
    let mut at = name + 1;
    while let Some(close) = [("<", ">"), ("[", "]")].iter().find(|(open, _)| part(at) == *open).map(|(_, close)| close)
    {
        let sized = usize::from(part(at + 1) != *close);
        if part(at + 1 + sized) != *close {
            return None;
        }
        at += 2 + sized;
    }
    Some(at)
}
