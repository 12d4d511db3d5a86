//! Markdown: fenced code blocks with CUDA C++, Python or PTX modules.

use super::{piece, statements};
use crate::inline_asm::source::LiteralSourceCode;
use crate::inline_asm::{AsmStatement, EmbeddedText, FoundStatements, LiteralEscapes, TemplatePart};
use crate::{cpp, python};
use std::ops::Range;

/// A fenced code block.
struct Fence<'t> {
    /// The fence without white space, as "```".
    sign: &'t str,
    indentation: usize,
    language: String,
    /// The lines without their indentation.
    lines: Vec<Range<usize>>,
}

/// The statements of the code blocks, in order.
pub(crate) fn scan(text: &str) -> FoundStatements {
    let mut found = FoundStatements::default();
    let has_fence = || text.contains("```ptx") || text.contains("~~~ptx") || text.contains("{.ptx");
    if text.contains("asm") || text.contains(".version") || has_fence() || python::may_have_statements(text) {
        fences(text).iter().for_each(|fence| found.append(scan_fence(text, fence)));
    }
    found
}

fn scan_fence(text: &str, fence: &Fence) -> FoundStatements {
    let pieces: Vec<TemplatePart> = fence.lines.iter().map(|line| piece(line.clone(), LiteralEscapes::None)).collect();
    match fence.language.as_str() {
        "cuda" | "cu" | "cpp" | "c++" | "cxx" | "c" => statements(text, &pieces, cpp::scan),
        "python" | "py" | "python3" => statements(text, &pieces, python::scan),
        "ptx" => {
            let embedded = EmbeddedText::new(text, &pieces);
            let Some((first, last)) = fence.lines.first().zip(fence.lines.last()) else {
                return FoundStatements::default();
            };
            let range = first.start..last.end;
            match LiteralSourceCode::of(embedded.text()) {
                Some(LiteralSourceCode::Ptx) => vec![AsmStatement::module(range, pieces)].into(),
                _ if is_excerpt(embedded.text()) => vec![AsmStatement::excerpt(range, pieces)].into(),
                _ => FoundStatements::default(),
            }
        }
        _ => FoundStatements::default(),
    }
}

/// Whether a text is instructions as they are in a function, neither a part of a module nor what syntax is described with.
fn is_excerpt(text: &str) -> bool {
    const DESCRIBING: [&str; 10] = ["...", "…", "{.", ".type", ".space", ".scope", ".sem", ".op", ".level", ".version"];
    let is_word = |(at, word): (usize, &str)| !text[at + word.len()..].starts_with(|c: char| c.is_alphanumeric());
    text.contains(';')
        && !DESCRIBING
            .iter()
            .any(|word| text.match_indices(word).any(|found| !word.ends_with(char::is_alphanumeric) || is_word(found)))
        && !text.contains(['<', '>', '='])
}

/// The fenced code blocks of a text.
fn fences(text: &str) -> Vec<Fence<'_>> {
    let (mut found, mut open): (Vec<Fence>, Option<Fence>) = (Vec::new(), None);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches([' ', '\t', '>']);
        let indentation = line.len() - content.len();
        let sign = fence_sign(content);
        match &mut open {
            Some(fence) if sign.starts_with(fence.sign) && content[sign.len()..].trim().is_empty() => {
                found.extend(open.take());
            }
            Some(fence) => fence.lines.push(start + indentation.min(fence.indentation)..start + line.len()),
            None if sign.len() > 2 => {
                let info = content[sign.len()..].trim_start_matches([' ', '{', '.']);
                let word = info.split(|c: char| !c.is_alphanumeric() && c != '+').next().unwrap_or_default();
                open = Some(Fence { sign, indentation, language: word.to_ascii_lowercase(), lines: Vec::new() });
            }
            None => {}
        }
        start += line.len();
    }
    found
}

/// The backticks or tildes at the beginning of a line.
fn fence_sign(line: &str) -> &str {
    let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'));
    sign.map_or("", |sign| &line[..line.len() - line.trim_start_matches(sign).len()])
}
