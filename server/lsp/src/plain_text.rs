//! Markdown as plain text, for clients that do not render it.

use tower_lsp::ls_types as lsp;

/// Markdown for a client, in the format that it prefers.
pub fn markup(markdown: String, prefers_markdown: bool) -> lsp::MarkupContent {
    if prefers_markdown {
        lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value: markdown }
    } else {
        lsp::MarkupContent { kind: lsp::MarkupKind::PlainText, value: plain_text(&markdown) }
    }
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
    use super::plain_text;

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
