//! The text of a statement before the cursor. It is read without the syntax tree, because an incomplete operand often has none.

use syntax::{SourceFile, guard, is_name_char};

/// The most characters of a statement that are read, more than any real statement has.
const MAX_LENGTH: usize = 4096;

/// The text from the start of a statement to the cursor, without comments and labels.
pub(crate) struct StatementPrefix {
    text: String,
}

/// The operands before the cursor of an instruction with an opcode.
pub(crate) struct OperandPrefix<'t> {
    /// The opcode.
    pub opcode: &'t str,
    /// The number of the operand at the cursor.
    pub index: usize,
    /// The bracket that is open around the cursor.
    pub bracket: Option<char>,
}

impl StatementPrefix {
    /// The prefix before an offset on a character boundary.
    pub fn before(file: &SourceFile, offset: usize) -> Self {
        let rope = file.text();
        let mut chars = rope.chars_at(rope.byte_to_char(offset));
        let before: String = std::iter::from_fn(|| chars.prev()).take(MAX_LENGTH).collect();
        let before: String = before.chars().rev().collect();
        let text = without_comments(&before);
        let mut rest = text[statement_start(&text)..].trim_start();
        // A label ends in a colon that is not part of `::`.
        let label = |rest: &str| {
            let colon = rest.find(':')?;
            let name = rest[..colon].trim();
            (!rest[colon + 1..].starts_with(':') && !name.is_empty() && name.chars().all(is_name_char))
                .then_some(colon + 1)
        };
        // A `.loc` ends with its line.
        let location = |rest: &str| rest.strip_prefix(".loc").and(rest.find('\n'));
        while let Some(end) = location(rest).or_else(|| label(rest)) {
            rest = rest[end..].trim_start();
        }
        StatementPrefix { text: rest.to_owned() }
    }

    /// The text, without leading whitespace.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The part of a name before the cursor, with dots; empty if there is none.
    pub fn word(&self) -> &str {
        let start = self
            .text
            .rfind(|c: char| !(is_name_char(c) || c == '.'))
            .map_or(0, |at| at + self.text[at..].chars().next().map_or(1, char::len_utf8));
        &self.text[start..]
    }

    /// The statement without its guard.
    pub fn unguarded(&self) -> &str {
        match self.text.strip_prefix('@') {
            Some(_) => guard::read(&self.text).map_or("", |guard| &self.text[guard.end..]),
            None => &self.text,
        }
    }

    /// Whether the cursor is in the guard.
    pub fn in_guard(&self) -> bool {
        self.text.strip_prefix('@').is_some_and(|guarded| {
            guarded.trim_start_matches(|c: char| c == '!' || c.is_whitespace()).chars().all(is_name_char)
        })
    }

    /// The operands; `None` if the cursor is not in the operands of an instruction.
    pub fn operands(&self) -> Option<OperandPrefix<'_>> {
        let rest = self.unguarded();
        let end = rest.find(|c: char| !(is_name_char(c) || c == '.' || c == ':'))?;
        let (opcode, operands) = rest.split_at(end);
        if !opcode.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let mut open = Vec::new();
        let mut index = 0;
        for c in operands.chars() {
            match c {
                '[' | '{' | '(' => open.push(c),
                ']' | '}' | ')' => drop(open.pop()),
                ',' if open.is_empty() => index += 1,
                _ => {}
            }
        }
        Some(OperandPrefix { opcode, index, bracket: open.last().copied() })
    }
}

/// The text with comments replaced by spaces.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        let comment = &rest[start..];
        let end = if comment.starts_with("//") { comment.find('\n') } else { comment.find("*/").map(|end| end + 2) };
        let length = end.unwrap_or(comment.len());
        plain.push_str(&rest[..start]);
        plain.extend(std::iter::repeat_n(' ', length));
        rest = &comment[length..];
    }
    plain + rest
}

/// The start of the last statement: after `;`, or after a brace that is not part of a vector.
pub(crate) fn statement_start(text: &str) -> usize {
    let mut vectors = 0usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            ';' => return at + 1,
            '}' if text[at + 1..].trim_start().starts_with([',', ';', ']', '|']) => vectors += 1,
            '}' => return at + 1,
            '{' if vectors > 0 => vectors -= 1,
            '{' if !begins_vector(&text[..at]) => return at + 1,
            _ => {}
        }
    }
    0
}

/// Whether a brace after this text begins a vector: after a comma, a bracket, or an opcode with modifiers on the same line.
fn begins_vector(before: &str) -> bool {
    let trimmed = before.trim_end();
    if trimmed.ends_with([',', '[', '=', '|']) {
        return true;
    }
    let line = trimmed.rsplit([';', '{', '}', '\n', ':']).next().unwrap_or_default().trim_start();
    let opcode = line.rsplit(char::is_whitespace).next().unwrap_or_default();
    opcode.contains('.') && opcode.starts_with(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> StatementPrefix {
        StatementPrefix::before(&SourceFile::parse(text), text.len())
    }

    #[test]
    fn statements_begin_after_semicolons_braces_and_labels() {
        for (text, statement) in [
            (".entry k() { add.u32 a", "add.u32 a"),
            (".entry k() { ret; L1: L2: @p ad", "@p ad"),
            ("{ atom.shared::cta.add {a, b}, [c], {d", "atom.shared::cta.add {a, b}, [c], {d"),
            ("{ mov.b64 {a", "mov.b64 {a"),
            ("{ ret; } .ent", ".ent"),
            ("{ ret;\n\t.loc\t1 5 3\nL1:\n\t.loc 1 6 3\n\tadd.u32 a", "add.u32 a"),
            ("{ ret;\n\t.loc 1 5", ".loc 1 5"),
            ("// a;\n add /* ; */ b", "add         b"),
            (".entry k()\n{\n\t.reg .b32 ", ".reg .b32 "),
            ("", ""),
        ] {
            assert_eq!(typed(text).text(), statement, "{text}");
        }
    }

    #[test]
    fn words_guards_and_operands() {
        assert_eq!(typed("add.u32 a, %ti").word(), "%ti");
        assert_eq!(typed("mov.u32 a, %tid.").word(), "%tid.");
        assert_eq!(typed("mov.u32 a, é").word(), "");
        assert!(typed("@!%p").in_guard() && typed("@").in_guard() && !typed("@p add").in_guard());
        let shown =
            |text: &str| typed(text).operands().map(|it| format!("{} {} {:?}", it.opcode, it.index, it.bracket));
        assert_eq!(shown("@p add.u32 a, [b+").as_deref(), Some("add.u32 1 Some('[')"));
        assert_eq!(shown("add.u32"), None);
        assert_eq!(shown(".reg .b32 "), None);
    }
}
