//! Where the text is no PTX, in words for people.

mod statement;

use crate::reader::{Reader, Token};
use crate::source::SourceFile;
use statement::{Kind, Misfit, Word, misfit, words};
use std::ops::Range;
use tree_sitter::Node;

/// A place where the text is no PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The token that does not fit, or the empty place where one is missing.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead; empty where nothing can be said.
    pub help: String,
    /// A replacement of a range that mends it, where there is one.
    pub fix: Option<(Range<usize>, String)>,
}

/// How much of a broken statement is looked at, in bytes.
const STATEMENT: usize = 4096;

/// All places where the text is no PTX, in order, at most one for a statement.
pub fn syntax_errors(file: &SourceFile) -> Vec<SyntaxError> {
    let mut errors: Vec<SyntaxError> = Vec::from_iter(file.has_mark().then(byte_order_mark));
    let mut cursor = file.root().walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            let error = describe(file, node);
            // What follows from one mistake in one statement is said once.
            if !errors
                .last()
                .is_some_and(|last| error.range.start <= last.range.start || same_statement(file, last, &error))
            {
                errors.push(error);
            }
        }
        // Only what holds an error is worth a look inside; an error node is one error, whatever it holds.
        if node.has_error() && !node.is_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return errors;
            }
        }
    }
}

/// The parser passes over the mark, as editors do; the assembler does not.
fn byte_order_mark() -> SyntaxError {
    let range = 0..'\u{feff}'.len_utf8();
    let fix = Some((range.clone(), String::new()));
    SyntaxError {
        fix,
        ..error(
            range,
            "a byte order mark is no character of PTX".into(),
            "save the file as UTF-8 without a mark".into(),
        )
    }
}

fn same_statement(file: &SourceFile, first: &SyntaxError, second: &SyntaxError) -> bool {
    let between = first.range.end.min(second.range.start)..second.range.start;
    between.len() < STATEMENT && !file.text().byte_slice(between).chars().any(|c| matches!(c, ';' | '{' | '}' | '\n'))
}

fn describe(file: &SourceFile, node: Node) -> SyntaxError {
    let start = statement_start(file, node);
    let rope = file.text();
    let end = (node.end_byte().max(start) + STATEMENT).min(rope.len_bytes());
    let end = rope.char_to_byte(rope.byte_to_char(end));
    let statement = Reader::new(rope).read(start..end);
    let open = Open::of(&statement.text);
    if let Some(error) = open.describe(&statement) {
        return error;
    }
    let words = words(&statement.text);
    if let Some(foreign) = words
        .iter()
        .find(|word| word.kind == Kind::Foreign && start + word.range.start < node.end_byte().max(start + 1))
    {
        let token = statement.part(foreign.range.clone());
        return error(
            token.range,
            format!("`{}` is no character of PTX", token.text),
            "outside comments and strings PTX is ASCII".into(),
        );
    }
    if in_code(node)
        && let Some(misfit) = misfit(&statement.text, &words)
        && let Some(error) = explain(&misfit, &statement, &words)
    {
        return error;
    }
    plain(file, node)
}

fn error(range: Range<usize>, message: String, help: String) -> SyntaxError {
    SyntaxError { range, message, help, fix: None }
}

/// Whether a node lies where instructions are.
fn in_code(node: Node) -> bool {
    let mut parent = Some(node);
    while let Some(node) = parent {
        match node.kind() {
            "instruction" | "block" | "basic_block" => return true,
            "function" | "module" => return node.kind() == "function" && holds_code(node),
            _ => parent = node.parent(),
        }
    }
    false
}

fn holds_code(function: Node) -> bool {
    function.child_by_field_name("body").is_some_and(|body| body.kind() == "block")
}

/// Where the statement that a node belongs to begins.
fn statement_start(file: &SourceFile, node: Node) -> usize {
    let mut parent = Some(node);
    while let Some(inner) = parent {
        if inner.kind() == "instruction" {
            return inner.start_byte();
        }
        parent = inner.parent();
    }
    // Not inside an instruction: what was skipped begins a statement, unless something stands before it in its line.
    let rope = file.text();
    let char = rope.byte_to_char(node.start_byte());
    let before =
        rope.chars_at(char).reversed().take(STATEMENT).take_while(|c| !matches!(c, ';' | '{' | '}' | '\n')).count();
    let lead = rope.slice(char - before..char).chars().take_while(|c| c.is_whitespace()).count();
    rope.char_to_byte(char - before + lead)
}

/// A comment or a string that begins and does not end.
struct Open {
    comment: Option<usize>,
    string: Option<usize>,
}

impl Open {
    fn of(text: &str) -> Self {
        let mut open = Open { comment: None, string: None };
        let mut at = 0;
        while let Some(found) = text[at..].find(['/', '"']) {
            let start = at + found;
            let rest = &text[start..];
            let line = rest.find('\n').unwrap_or(rest.len());
            at = start
                + match rest {
                    _ if rest.starts_with("//") => line,
                    _ if rest.starts_with("/*") => match rest.find("*/") {
                        Some(end) => end + 2,
                        None => {
                            open.comment = Some(start);
                            return open;
                        }
                    },
                    _ if rest.starts_with('"') => match rest[1..line.max(1)].find('"') {
                        Some(end) => end + 2,
                        None => {
                            open.string = Some(start);
                            return open;
                        }
                    },
                    _ => 1,
                };
        }
        open
    }

    fn describe(&self, statement: &Token) -> Option<SyntaxError> {
        let (at, length, message, help) = match (self.comment, self.string) {
            // Cut off at the end of what is looked at, a comment may well end later.
            (Some(at), _) if statement.text.len() < STATEMENT => {
                (at, 2, "this comment is not closed", "write `*/` where it ends; comments do not nest")
            }
            (_, Some(at)) => {
                (at, 1, "this string is not closed", "write `\"` where it ends; a string ends in its line")
            }
            _ => return None,
        };
        Some(error(statement.part(at..at + length).range, message.into(), help.into()))
    }
}

fn explain(misfit: &Misfit, statement: &Token, words: &[Word]) -> Option<SyntaxError> {
    let token = |at: usize| {
        statement.part(words.get(at).map_or(statement.text.len()..statement.text.len(), |word| word.range.clone()))
    };
    Some(match misfit {
        Misfit::Subtracted(at) => {
            let (sign, number) = (token(*at), words.get(at + 1).filter(|word| word.kind == Kind::Number));
            let whole = sign.range.start..number.map_or(sign.range.end, |word| statement.range.start + word.range.end);
            let text = &statement.text[whole.start - statement.range.start..whole.end - statement.range.start];
            SyntaxError {
                fix: number.map(|_| (sign.range.start..sign.range.start, "+".to_owned())),
                ..error(whole, "an offset is added, never subtracted".into(), format!("write `+{text}`"))
            }
        }
        Misfit::AddedName(at) => {
            let token = token(*at);
            let message =
                format!("`{}` is no constant: an address is one register or symbol, and a constant offset", token.text);
            error(token.range, message, "add the two in an instruction before this one".into())
        }
        Misfit::GuardedBlock(at) => error(
            token(*at).range,
            "a guard holds for one instruction, not for a block".into(),
            "branch around the block: `@!p bra AFTER;`".into(),
        ),
        Misfit::Empty(at) => {
            let token = token(*at);
            let fix = Some((token.range.clone(), String::new()));
            SyntaxError {
                fix,
                ..error(
                    token.range,
                    "there is no instruction before this `;`".into(),
                    "remove it; PTX has no empty statement".into(),
                )
            }
        }
        Misfit::Expected(at, what) => {
            let word = words.get(*at);
            let previous = at.checked_sub(1).map(token);
            if let Some(bad) = word.filter(|word| word.kind == Kind::BadNumber) {
                return Some(bad_number(&statement.part(bad.range.clone())));
            }
            let text = word.map_or("", |word| &statement.text[word.range.clone()]);
            // `ret` and then a line `add.u32 r, …`: the opcode of that line was taken for an operand.
            if *at == 2
                && what.contains("`;`")
                && statement.text[words[0].range.end..words[1].range.start].contains('\n')
            {
                return Some(missing_semicolon(token(0).range.end));
            }
            if let Some(previous) = &previous {
                let gap = previous.range.end - statement.range.start
                    ..word.map_or(statement.text.len(), |word| word.range.start);
                let next_line = statement.text[gap].contains('\n');
                if what.contains("`;`") && (next_line || text == "}" || word.is_none()) {
                    return Some(missing_semicolon(previous.range.end));
                }
            }
            word?;
            let range = token(*at).range;
            match (text, what) {
                ("_", _) => {
                    error(range, "`_` alone is no name".into(), "it stands for a destination that is not wanted".into())
                }
                (_, &"an operand") if previous.as_ref().is_some_and(|p| p.text == ",") => {
                    error(range, format!("expected an operand after the `,`, found `{text}`"), String::new())
                }
                _ => error(range, format!("expected {what}, found `{text}`"), String::new()),
            }
        }
    })
}

fn missing_semicolon(at: usize) -> SyntaxError {
    let fix = Some((at..at, ";".to_owned()));
    SyntaxError { fix, ..error(at..at, "expected `;` after this instruction".into(), String::new()) }
}

fn bad_number(token: &Token) -> SyntaxError {
    let text = &*token.text;
    let lower = text.to_ascii_lowercase();
    let help = if lower.starts_with("0f") {
        "`0f` is followed by the 8 hexadecimal digits of a 32-bit float"
    } else if lower.starts_with("0d") {
        "`0d` is followed by the 16 hexadecimal digits of a 64-bit float"
    } else if lower.starts_with("0x") {
        "`0x` is followed by hexadecimal digits; `U` is the only suffix"
    } else if lower.starts_with("0b") {
        "`0b` is followed by binary digits; `U` is the only suffix"
    } else if text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit()) {
        "digits behind a leading 0 are octal: 0 to 7"
    } else if lower.contains('.') && lower.ends_with('f') {
        "a floating-point number has no suffix"
    } else {
        "`U` is the only suffix of an integer"
    };
    error(token.range.clone(), format!("`{text}` is no number"), help.into())
}

/// What can be said without understanding the statement.
fn plain(file: &SourceFile, node: Node) -> SyntaxError {
    if node.is_missing() {
        let what = match node.kind() {
            "}" => {
                return error(unclosed(node), "this `{` is not closed".into(), "write `}` where the block ends".into());
            }
            "modifier" => return reserved_opcode(file, node),
            kind if node.is_named() => kind.replace('_', " "),
            kind => format!("`{kind}`"),
        };
        return error(node.byte_range(), format!("expected {what} here"), String::new());
    }
    let range = first_word(file, node.byte_range());
    let text = Reader::new(file.text()).read(range.clone()).text;
    let message = match &*text {
        "" => "something is missing here".to_owned(),
        "}" => "this `}` closes nothing".to_owned(),
        word => format!("`{word}` does not fit here"),
    };
    error(range, message, String::new())
}

/// `mov.reg`: the opcode is read as a whole, with what it should have been missing behind it.
fn reserved_opcode(file: &SourceFile, missing: Node) -> SyntaxError {
    let range = missing.parent().map_or(missing.byte_range(), |opcode| opcode.byte_range());
    let text = Reader::new(file.text()).read(range.clone()).text;
    let help =
        "a word that begins a directive is no modifier; `WARP_SZ`, `function_name` and `inlined_at` are no names";
    error(range, format!("`{text}` is no opcode"), help.into())
}

/// The brace that a missing `}` belongs to.
fn unclosed(missing: Node) -> Range<usize> {
    let open = missing.parent().and_then(|parent| parent.child(0)).filter(|child| child.kind() == "{");
    open.map_or(missing.byte_range(), |brace| brace.byte_range())
}

/// An error may swallow half a file; its first word is where to look.
fn first_word(file: &SourceFile, range: Range<usize>) -> Range<usize> {
    let rope = file.text();
    let end = rope.char_to_byte(rope.byte_to_char(range.end.min(range.start + STATEMENT)));
    let text = rope.byte_slice(range.start..end).to_string();
    match words(&text).first() {
        Some(word) => range.start + word.range.start..range.start + word.range.end,
        None => range.start..range.start,
    }
}

impl SourceFile {
    /// Whether any place in the text is no PTX.
    pub fn has_syntax_error(&self) -> bool {
        self.root().has_error() || self.has_mark()
    }

    /// Whether the text begins with a byte order mark.
    fn has_mark(&self) -> bool {
        self.text().get_char(0) == Some('\u{feff}')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The errors of a statement in a kernel, as `range text: message`.
    fn errors(statement: &str) -> Vec<String> {
        let text = format!(
            ".version 8.0\n.target sm_90\n.entry k() {{\nadd.u32 q, q, 1;\n{statement}\nadd.u32 r, r, 1;\n}}\n.entry k2() {{ ret; }}\n"
        );
        let file = SourceFile::parse(&text);
        syntax_errors(&file).into_iter().map(|e| format!("{}: {}", &text[e.range], e.message)).collect()
    }

    #[test]
    fn mistakes_are_named_where_they_are() {
        for (statement, expected) in [
            ("red.global.add.u32 [a-4], r;", "-4: an offset is added, never subtracted"),
            (
                "red.global.add.u32 [a+b], r;",
                "b: `b` is no constant: an address is one register or symbol, and a constant offset",
            ),
            ("mov.u32 r, 08;", "08: `08` is no number"),
            ("mov.f32 f, 1.0f;", "1.0f: `1.0f` is no number"),
            ("mov.f32 f, 0f3F8;", "0f3F8: `0f3F8` is no number"),
            ("red.global.add.u32 [a], r", ": expected `;` after this instruction"),
            ("ret", ": expected `;` after this instruction"),
            ("ret;;", ";: there is no instruction before this `;`"),
            ("L: ;", ";: there is no instruction before this `;`"),
            ("@p { ret; }", "{: a guard holds for one instruction, not for a block"),
            ("add.u32 a, b,;", ";: expected an operand after the `,`, found `;`"),
            ("add.u32 a, é;", "é: `é` is no character of PTX"),
            ("add.u32 a b, c;", "b: expected `,` or `;`, found `b`"),
            ("mov.reg r, r;", "mov.reg: `mov.reg` is no opcode"),
            ("mov.u32 r, q.const;", ".const: `.const` does not fit here"),
            ("/* x", "/*: this comment is not closed"),
            ("atom.add.u32 d, [a], 1, cache-policy;", "-: expected `,` or `;`, found `-`"),
        ] {
            assert_eq!(errors(statement).first().map(String::as_str), Some(expected), "{statement}");
        }
    }

    #[test]
    fn right_text_has_no_error() {
        for statement in [
            "L: ret;",
            "@!p bra L;",
            "mov.b32 {a, b}, c;",
            "setp.eq.u32 p|q, a, (1+2)*-3;",
            "call (r), f, (a, b), proto;",
            "ld.u32 r, [a+-4];",
        ] {
            assert_eq!(errors(statement), [""; 0], "{statement}");
        }
    }
}
