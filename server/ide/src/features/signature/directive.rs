//! The operands of a directive.

use super::{Signature, SignatureParameter};
use isa::directives;
use isa::reference::{first_sentence, further_sentences};
use std::ops::Range;
use syntax::is_name_char;

/// The signature of the last directive in a statement before the cursor; `None` if it has no operands.
pub(super) fn signature(text: &str) -> Option<Signature> {
    let start = text.rmatch_indices('.').map(|(at, _)| at).find(|at| !text[..*at].ends_with(is_name_char))?;
    let rest = &text[start..];
    let end = rest[1..].find(|c: char| !is_name_char(c))? + 1;
    let (word, written) = rest.split_at(end);
    let directive = directives::find(word).filter(|directive| !directive.operands.is_empty())?;
    let label = format!("{word} {}", directive.operands);
    let names = parameters(&label, word.len());
    let index = index(written);
    let is_list = names.len() > 1 && repeats(&names, &label);
    let active = if is_list { Some(index.min(names.len() - 1)) } else { Some(index).filter(|at| *at < names.len()) };
    let parameter = |range| SignatureParameter { range, documentation: first_sentence(directive.summary).to_owned() };
    Some(Signature {
        parameters: names.into_iter().map(parameter).collect(),
        documentation: [first_sentence(directive.summary), further_sentences(directive.summary)].join("\n\n"),
        label,
        active,
    })
}

/// The ranges of the names of a label after the word of the directive.
fn parameters(label: &str, from: usize) -> Vec<Range<usize>> {
    let is_part = |c: char| is_name_char(c) || c == '.';
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in label.char_indices().filter(|(at, c)| *at > from && is_part(*c)) {
        match found.last_mut() {
            Some(last) if last.end == at => last.end = at + 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}

/// Whether the last operand may be repeated: it is an option, or has the name of the first.
fn repeats(names: &[Range<usize>], label: &str) -> bool {
    let last = &label[names[names.len() - 1].clone()];
    last == "option" || last == &label[names[0].clone()]
}

/// The number of the operand at the end of a text: operands are separated by commas or spaces, which strings may contain.
fn index(written: &str) -> usize {
    let (mut count, mut in_word, mut in_string) = (0, false, false);
    for c in written.chars() {
        in_string ^= c == '"';
        let separates = !in_string && (c == ',' || c.is_whitespace());
        count += usize::from(!separates && !in_word);
        in_word = !separates;
    }
    if in_word { count - 1 } else { count }
}
