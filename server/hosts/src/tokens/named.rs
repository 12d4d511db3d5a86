//! Names of literals: `alias text = "…"` in Mojo.

use super::HostSyntax;
use super::reader::{HostToken, HostTokenKind, HostTokenReader, NamedLiterals};

/// The words that begin a definition of a constant.
const DEFINING: [&str; 2] = ["alias", "comptime"];

/// The maximum number of tokens of a type between a name and its value.
const LONGEST_TYPE: usize = 12;

/// The named literals of a text, in order.
pub(super) fn named_literals(text: &str, syntax: &'static HostSyntax) -> Vec<NamedLiterals> {
    let mut found = Vec::new();
    if !DEFINING.iter().any(|word| text.contains(word)) {
        return found;
    }
    let mut reader = HostTokenReader::new(text, syntax);
    loop {
        let token = reader.next();
        match token.kind {
            HostTokenKind::End => return found,
            HostTokenKind::Word if DEFINING.contains(&reader.read(&token)) => found.extend(definition(&reader)),
            _ => {}
        }
    }
}

/// The definition after its first word, if its value is literals alone.
fn definition(reader: &HostTokenReader) -> Option<NamedLiterals> {
    let mut ahead = reader.clone();
    let name = ahead.next();
    if name.kind != HostTokenKind::Word {
        return None;
    }
    let is_assignment = (0..LONGEST_TYPE).any(|_| ahead.next().is('='));
    let mut is_enclosed = ahead.take('(');
    let (mut literals, mut end) = (Vec::new(), ahead.at);
    loop {
        let token = ahead.next();
        match token.kind {
            HostTokenKind::Text(_) => {
                end = token.range.end;
                literals.push(token);
            }
            HostTokenKind::Sign(')') if is_enclosed => is_enclosed = false,
            // The value goes on.
            HostTokenKind::Sign('+' | '*' | '%' | '.' | '[' | '(') => return None,
            HostTokenKind::Word if matches!(ahead.read(&token), "if" | "and" | "or") => return None,
            _ => break,
        }
    }
    let name = reader.text[name.range].to_owned();
    (is_assignment && !literals.is_empty()).then_some(NamedLiterals { name, end, literals })
}

/// The literals that a word stands for: those of the last definition before it.
pub(super) fn literals_of(reader: &HostTokenReader, word: &HostToken) -> Option<Vec<HostToken>> {
    let text = reader.read(word);
    let last = reader.named.iter().rfind(|named| named.end <= word.range.start && named.name == text)?;
    Some(last.literals.clone())
}
