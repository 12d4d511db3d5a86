//! Assigns evaluation comments to instructions, in source order.
//!
//! A comment belongs to the instruction on its line, else to the next one.

use crate::comments::comment::{is_evaluation, is_marked};
use std::ops::Range;
use syntax::{Instruction, NodeKind, SourceFile, TokenClass, TokenEvent, instructions, token_events};

/// A step through the code of an item.
#[derive(Debug)]
pub enum CommentStep<'a> {
    /// An instruction and the ranges of its evaluation comments.
    Statement(Instruction<'a>, Vec<Range<usize>>),
    /// A label, or the end of a scope.
    Reset,
    /// The declaration of a name, or of the base of a range.
    Declared(String),
    /// An evaluation comment that belongs to no instruction.
    Stray(Range<usize>),
}

/// The items of a file that hold evaluation comments.
pub fn items(file: &SourceFile) -> Vec<Range<usize>> {
    if !is_marked(file, 0..file.text().len_bytes()) {
        return Vec::new();
    }
    file.items().into_iter().filter(|item| is_marked(file, item.clone())).collect()
}

/// The steps of an item.
pub fn steps(file: &SourceFile, item: Range<usize>) -> Vec<CommentStep<'_>> {
    let mut known = Vec::new();
    instructions(file, item.clone(), |instruction| known.push(instruction));
    let mut steps = Vec::new();
    let mut above = Vec::new();
    let mut declares = false;
    let line = |byte: usize| file.text().byte_to_line(byte);
    token_events(file, item.clone(), |event| {
        let (TokenEvent::Enter(_, range) | TokenEvent::Leave(_, range)) = &event else {
            if let TokenEvent::Token(token) = event
                && item.start <= token.range.start
                && token.range.end <= item.end
            {
                let range = token.range;
                match token.kind {
                    TokenClass::Comment if is_evaluation(&file.slice(&range)) => match steps.last_mut() {
                        Some(CommentStep::Statement(instruction, comments)) if beside(&line, instruction, &range) => {
                            comments.push(range);
                        }
                        _ => above.push(range),
                    },
                    TokenClass::Name if declares => steps.push(CommentStep::Declared(file.slice(&range))),
                    _ => {}
                }
            }
            return;
        };
        if range.start < item.start || item.end < range.end {
            return;
        }
        match event {
            TokenEvent::Enter(NodeKind::Instruction, range) => {
                let found = known.binary_search_by_key(&range.start, |instruction| instruction.range().start);
                if let Ok(at) = found {
                    steps.push(CommentStep::Statement(known[at], std::mem::take(&mut above)));
                }
            }
            TokenEvent::Enter(NodeKind::Label, _) | TokenEvent::Leave(NodeKind::Block | NodeKind::Function, _) => {
                steps.push(CommentStep::Reset);
            }
            TokenEvent::Enter(NodeKind::Declaration, _) => {
                steps.extend(above.drain(..).map(CommentStep::Stray));
                declares = true;
            }
            TokenEvent::Leave(NodeKind::Declaration, _) => declares = false,
            _ => {}
        }
    });
    steps.extend(above.into_iter().map(CommentStep::Stray));
    steps
}

/// Whether a comment is on the line where the instruction before it ends, or inside it.
fn beside(line: &impl Fn(usize) -> usize, instruction: &Instruction, comment: &Range<usize>) -> bool {
    let end = instruction.range().end;
    comment.start < end || line(end.saturating_sub(1)) == line(comment.start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comments::comment::MARK;

    fn shown(code: &str) -> Vec<String> {
        let file = SourceFile::parse(&format!(".version 8.6\n.target sm_90\n.entry k() {{\n{code}\n}}\n"));
        let items = items(&file).into_iter().flat_map(|item| steps(&file, item));
        let word = |range: &Range<usize>| file.slice(range)[MARK.len()..].trim().to_owned();
        items
            .map(|step| match step {
                CommentStep::Statement(instruction, comments) => {
                    let comments: Vec<_> = comments.iter().map(word).collect();
                    format!("{}({})", instruction.opcode_token().text, comments.join(" "))
                }
                CommentStep::Reset => "reset".to_owned(),
                CommentStep::Declared(name) => name,
                CommentStep::Stray(range) => format!("stray {}", word(&range)),
            })
            .collect()
    }

    #[test]
    fn comments_find_their_instruction() {
        assert_eq!(
            shown(
                ".reg .b32 r<9>;\nmov.u32 a, 1; //= x\n//= one\n//= two\nL: red.add.u32 [a], b; //= three\nret;\n//= last"
            ),
            ["r", "mov.u32(x)", "reset", "red.add.u32(one two three)", "ret()", "reset", "reset", "stray last"]
        );
        assert_eq!(shown("red.add.u32 [a], //= one\nb; //= two"), ["red.add.u32(one two)", "reset", "reset"]);
        assert_eq!(shown("red.a [a], b; red.b [a], b; //= x")[..2], ["red.a()", "red.b(x)"]);
        assert_eq!(shown("//=====\n/* //= no */ red.a [a], b;"), ["red.a()", "reset", "reset"]);
        assert!(shown("red.a [a], b; // nothing").is_empty());
    }
}
