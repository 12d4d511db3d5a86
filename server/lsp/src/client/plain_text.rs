//! Markdown as plain text, for clients that do not render it.

use crate::client::client_features::DocumentationFormat;
use tower_lsp::ls_types as lsp;

/// Markdown for a client, in the format that it prefers.
pub fn markup(markdown: &str, format: DocumentationFormat) -> lsp::MarkupContent {
    match format {
        DocumentationFormat::Markdown => {
            lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value: code_spans_of_targets(markdown) }
        }
        DocumentationFormat::Plain | DocumentationFormat::Bare => {
            lsp::MarkupContent { kind: lsp::MarkupKind::PlainText, value: plain_text(markdown) }
        }
    }
}

/// Markdown with targets such as `sm_90` in code spans: some clients interpret their underscore as emphasis.
fn code_spans_of_targets(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut is_code = false;
    for line in markdown.split_inclusive('\n') {
        is_code ^= line.trim_start().starts_with("```");
        if is_code || line.trim_start().starts_with("```") {
            text.push_str(line);
            continue;
        }
        for (number, part) in line.split('`').enumerate() {
            if number > 0 {
                text.push('`');
            }
            match number % 2 {
                0 => targets_in_code_spans(part, &mut text),
                _ => text.push_str(part),
            }
        }
    }
    text
}

fn targets_in_code_spans(part: &str, text: &mut String) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = part;
    while let Some(start) = rest.find(is_word) {
        let (before, word) = rest.split_at(start);
        let (word, behind) = word.split_at(word.find(|c| !is_word(c)).unwrap_or(word.len()));
        text.push_str(before);
        match is_target(word) {
            true => *text += &format!("`{word}`"),
            false => text.push_str(word),
        }
        rest = behind;
    }
    text.push_str(rest);
}

fn is_target(word: &str) -> bool {
    let number = word.strip_prefix("sm_").or_else(|| word.strip_prefix("compute_"));
    number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
}

/// Removes the markup of Markdown: fences, code spans, bold, headings, rules, links and escapes.
pub fn plain_text(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut is_code = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            text.push_str(line);
            text.push('\n');
        } else if !is_rule(line) {
            let heading = line.trim_start_matches('#');
            inline(if heading.starts_with(' ') { heading.trim_start() } else { line }, &mut text);
            text.push('\n');
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Whether a line is a rule, or the line between the head of a table and its rows.
fn is_rule(line: &str) -> bool {
    line.contains("--") && line.chars().all(|letter| "|-: ".contains(letter))
}

fn inline(line: &str, text: &mut String) {
    let mut rest = line;
    while let Some(at) = rest.find(['`', '*', '[', '\\']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let code = rest.strip_prefix('`').and_then(|code| code.split_once('`'));
        let link = || {
            let (label, target) = rest.strip_prefix('[')?.split_once("](")?;
            Some((label, target.split_once(')')?.1)).filter(|_| !label.contains('['))
        };
        if let Some((code, behind)) = code {
            text.push_str(code);
            rest = behind;
        } else if let Some((label, behind)) = link() {
            inline(label, text);
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("**") {
            rest = behind;
        } else {
            let escaped =
                rest.strip_prefix('\\').filter(|behind| behind.starts_with(|next: char| next.is_ascii_punctuation()));
            rest = escaped.unwrap_or(rest);
            let first = rest.chars().next().map_or(0, char::len_utf8);
            text.push_str(&rest[..first]);
            rest = &rest[first..];
        }
    }
    text.push_str(rest);
}

#[cfg(test)]
mod tests {
    use crate::client::plain_text::{code_spans_of_targets, plain_text};

    #[test]
    fn targets_become_code_spans() {
        for (markdown, expected) in [
            ("requires PTX 7.8, sm_90.", "requires PTX 7.8, `sm_90`."),
            ("sm_100f or `sm_90a`; sm_x my_sm_90", "`sm_100f` or `sm_90a`; sm_x my_sm_90"),
            ("```ptx\n.target sm_90\n```\nsm_11 é compute_75", "```ptx\n.target sm_90\n```\n`sm_11` é `compute_75`"),
            ("a ` sm_90", "a ` sm_90"),
        ] {
            assert_eq!(code_spans_of_targets(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn markup_is_removed_and_text_remains() {
        for (markdown, expected) in [
            ("```ptx\natom.`add` **\n```\n\n---\n\n**Atomic** `a*b[1]`", "atom.`add` **\n\n\nAtomic a*b[1]"),
            ("## Scope\n#pragma", "Scope\n#pragma"),
            ("see [the `atom` page](https://a.b/c) [a]", "see the atom page [a]"),
            ("| a | b |\n|---|:--|\n| 1 | 2 |", "| a | b |\n| 1 | 2 |"),
            ("sm\\_90 \\\\ a\\b 2 * 3 `open", "sm_90 \\ a\\b 2 * 3 `open"),
            ("", ""),
        ] {
            assert_eq!(plain_text(markdown), expected, "{markdown}");
        }
    }
}
