//! Fixes that suppress a diagnostic by a comment.

use diagnostics::suppressions::MARKER;
use diagnostics::{CommentPlaces, Diagnostic, Fix, Snapshot};
use hosts::inline_asm::{AsmDialect, AsmStatement, HostLanguage, ScannedHost};
use lints::inline_asm::{HostSource, suppression_comments};
use lints::sass::Disassembly;
use std::ops::Range;

/// Suppression of diagnostics.
pub trait SuppressionProvider {
    /// The fixes that suppress a diagnostic: in its line, its function or `asm` statement, and the file.
    fn suppressions(&self, _diagnostic: &Diagnostic) -> Vec<Fix> {
        Vec::new()
    }
}

impl SuppressionProvider for Snapshot {
    fn suppressions(&self, diagnostic: &Diagnostic) -> Vec<Fix> {
        let items = self.file.module_items();
        let at = diagnostic.range.start;
        let function = items.iter().find(|item| item.is_function() && item.range().contains(&at));
        let is_code = |offset: usize| {
            let before = items.partition_point(|item| item.range().start < offset);
            let Some(item) = before.checked_sub(1).map(|before| items[before].range()) else { return true };
            offset > item.end || syntax::is_code(&self.file.slice(&item), offset - item.start)
        };
        let places = CommentPlaces {
            text: self.file.text(),
            comments: self.file.comments(&items, MARKER, |item| self.file.holds(item.range(), MARKER)),
            block: function.map(|function| (function.range(), "function")),
            line_comment: "//",
            is_code: &is_code,
        };
        places.fixes(diagnostic)
    }
}

impl SuppressionProvider for HostSource {
    fn suppressions(&self, diagnostic: &Diagnostic) -> Vec<Fix> {
        let scanned = self.text.scanned();
        let Some(line_comment) = scanned.language.line_comment() else { return Vec::new() };
        let at = diagnostic.range.start;
        let statement = scanned.statements.iter().find(|statement| statement.range.contains(&at));
        let places = CommentPlaces {
            text: self.text.rope(),
            comments: suppression_comments(scanned),
            block: statement.and_then(|statement| block(scanned, statement)),
            line_comment,
            is_code: &|offset| scanned.language.is_code(&scanned.text, offset),
        };
        places.fixes(diagnostic)
    }
}

/// The range around a statement that begins where a comment before it belongs, and what it is called; `None` inside of a string.
fn block(scanned: &ScannedHost, statement: &AsmStatement) -> Option<(Range<usize>, &'static str)> {
    if statement.embedded.is_some() || statement.dialect == AsmDialect::Module {
        return None;
    }
    let range = &statement.range;
    Some(match scanned.language {
        HostLanguage::Cpp => (range.clone(), "`asm` statement"),
        _ => {
            // The call may be a part of a statement.
            let line = scanned.text[..range.start].rfind('\n').map_or(0, |end| end + 1);
            let code = scanned.text[line..].trim_start_matches([' ', '\t']);
            (scanned.text.len() - code.len()..range.end, "call")
        }
    })
}

impl SuppressionProvider for Disassembly {
    fn suppressions(&self, diagnostic: &Diagnostic) -> Vec<Fix> {
        let text = self.listing.text().to_string();
        let places = CommentPlaces {
            text: self.listing.text(),
            comments: self.listing.comments(MARKER),
            block: None,
            line_comment: "//",
            is_code: &|offset| syntax::is_code(&text, offset),
        };
        places.fixes(diagnostic)
    }
}

#[cfg(test)]
mod tests {
    use crate::LintText;
    use crate::Text;
    use diagnostics::Settings;
    use hosts::Language;

    /// The text after each suppression of its first diagnostic, with the titles. The diagnostic is gone, and there is no other.
    fn suppressed(language: Language, text: &str) -> Vec<(String, String)> {
        let check = |text: &str| LintText::parse(language, text).under(Settings::default()).diagnostics();
        let snapshot = Text::parse(language, text).under(Settings::default());
        let diagnostics = check(text);
        let diagnostic = diagnostics.first().expect("a diagnostic");
        let applied = |fix: diagnostics::Fix| {
            let mut fixed = text.to_owned();
            fix.edits.iter().rev().for_each(|edit| fixed.replace_range(edit.range.clone(), &edit.text));
            let left = check(&fixed);
            assert!(left.len() < diagnostics.len(), "{}: {left:?}\n{fixed}", fix.title);
            assert!(left.iter().all(|left| left.code() == diagnostic.code()), "{}: {left:?}\n{fixed}", fix.title);
            (fix.title, fixed)
        };
        snapshot.suppressions(diagnostic).into_iter().map(applied).collect()
    }

    fn titles(suppressed: &[(String, String)]) -> Vec<&str> {
        suppressed.iter().map(|(title, _)| title.as_str()).collect()
    }

    const HEAD: &str = ".version 8.0\n.target sm_90\n";

    #[test]
    fn a_diagnostic_is_suppressed_in_its_line_its_function_or_the_file() {
        let body = ".visible .entry k()\n{\n    .reg .b64 a; .reg .b32 r;\n    red.global.or.u32 [a], r;\n}\n";
        let found = suppressed(Language::Ptx, &format!("{HEAD}{body}"));
        let expected = [
            ("Suppress `illegal-type` here", body.replace("r;\n}", "r;  // ptx-atomics: allow(illegal-type)\n}")),
            ("Suppress `illegal-type` for this function", format!("// ptx-atomics: allow(illegal-type)\n{body}")),
        ];
        let expected = expected.map(|(title, body)| (title.to_owned(), format!("{HEAD}{body}")));
        assert_eq!(found[..2], expected);
        let file = format!("// ptx-atomics: allow-file(illegal-type)\n{HEAD}{body}");
        assert_eq!(found[2], ("Suppress `illegal-type` for this file".to_owned(), file));
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn calls_in_python_are_suppressed_by_its_comments() {
        let line = "    y = llvm.inline_asm(i32, [p], \"red.global.or.u32 [$0], 1;\", \"l\")\n";
        let found = suppressed(Language::PYTHON, &format!("def f(p):\n{line}"));
        let comment = "# ptx-atomics: allow(illegal-type)";
        let expected = [
            ("Suppress `illegal-type` here", format!("def f(p):\n{}  {comment}\n", line.trim_end())),
            ("Suppress `illegal-type` for this call", format!("def f(p):\n    {comment}\n{line}")),
            (
                "Suppress `illegal-type` for this file",
                format!("# ptx-atomics: allow-file(illegal-type)\ndef f(p):\n{line}"),
            ),
        ];
        assert_eq!(found, expected.map(|(title, text)| (title.to_owned(), text)));
        let inside = "x = 1\ny = llvm.inline_asm(i32, [p], \"\"\"\n  red.global.or.u32 [$0], 1;\n\"\"\", \"l\")\n";
        let found = suppressed(Language::PYTHON, inside);
        assert_eq!(titles(&found), ["Suppress `illegal-type` for this call", "Suppress `illegal-type` for this file"]);
        assert_eq!(found[0].1, inside.replace("y =", "# ptx-atomics: allow(illegal-type)\ny ="));
    }

    #[test]
    fn a_comment_that_is_there_gets_a_further_code() {
        let text = format!(
            "// ptx-atomics: allow-file(modifier-order): generated\n{HEAD}// ptx-atomics: allow(implicit-scope): old\n\
             .entry k() {{\n.reg .b64 a; .reg .b32 r;\nred.global.or.u32 [a], r; // ptx-atomics: allow(generic-red): so\n}}\n"
        );
        let found = suppressed(Language::Ptx, &text);
        let with = |old: &str| text.replace(old, &format!("{old}, illegal-type"));
        let texts: Vec<_> = found.into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, [with("(generic-red"), with("(implicit-scope"), with("(modifier-order")]);
    }

    #[test]
    fn the_comment_is_on_the_line_before_where_none_can_follow() {
        let text =
            format!("{HEAD}.entry k() {{\n.reg .b64 a; .reg .b32 r;\n  red.global.or.u32 [a], r; // a note\n}}\n");
        let found = suppressed(Language::Ptx, &text);
        assert_eq!(found[0].1, text.replace("  red", "  // ptx-atomics: allow(illegal-type)\n  red"));
        let one_line =
            format!("{HEAD}.entry k() {{ .reg .b64 a; .reg .b32 r; red.global.or.u32 [a], r; }} // a note\n");
        let found = suppressed(Language::Ptx, &one_line);
        assert_eq!(
            titles(&found),
            ["Suppress `illegal-type` for this function", "Suppress `illegal-type` for this file"]
        );
        let directive = ".version 8.0\n.target sm_99 /* a\nnote */\n.entry k() { ret; }\n";
        assert_eq!(titles(&suppressed(Language::Ptx, directive)).len(), 2, "here and in the file");
        let directive = ".version 8.0\n.target sm_99\n.entry k() { ret; }\n";
        let found = suppressed(Language::Ptx, directive);
        assert_eq!(found[0].1, directive.replace("sm_99", "sm_99  // ptx-atomics: allow(unknown-target)"));
    }

    #[test]
    fn an_unused_suppression_is_suppressed_in_the_comment() {
        let text = format!("{HEAD}.entry k() {{\r\n// ptx-atomics: allow(illegal-type)\r\nret;\r\n}}\r\n");
        let found = suppressed(Language::Ptx, &text);
        assert_eq!(found[0].1, text.replace("illegal-type", "illegal-type, unused-suppression"));
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn a_statement_of_cpp_takes_the_place_of_a_function() {
        let text = "__device__ void f(unsigned *p) {\n    asm volatile(\"red.global.or.u32 [%0], 1;\\n\"\n                 \"red.global.and.u32 [%0], 1;\"\n        :: \"l\"(p) : \"memory\");\n}\n";
        let found = suppressed(Language::CUDA, text);
        let here = text.replace("\\n\"\n", "\\n\"  // ptx-atomics: allow(illegal-type)\n");
        let statement = text.replace("    asm", "    // ptx-atomics: allow(illegal-type)\n    asm");
        let file = format!("// ptx-atomics: allow-file(illegal-type)\n{text}");
        let expected = [
            ("Suppress `illegal-type` here", here),
            ("Suppress `illegal-type` for this `asm` statement", statement),
            ("Suppress `illegal-type` for this file", file),
        ];
        assert_eq!(found, expected.map(|(title, text)| (title.to_owned(), text)));
    }

    #[test]
    fn a_comment_in_a_macro_does_not_hide_the_next_line() {
        let text = "#define RED(p) \\\n    asm volatile(\"red.global.or.u32 [%0], 1;\" \\\n        :: \"l\"(p) : \"memory\")\nvoid f(unsigned *p) { RED(p); }\n";
        let found = suppressed(Language::CUDA, text);
        assert_eq!(found[0].1, text.replace("1;\" \\", "1;\"  /* ptx-atomics: allow(illegal-type) */ \\"));
        assert_eq!(titles(&found), ["Suppress `illegal-type` here", "Suppress `illegal-type` for this file"]);
    }

    #[test]
    fn a_raw_literal_has_no_place_for_a_comment() {
        let text = "void f(unsigned *p) {\n    asm volatile(R\"(\n        red.global.or.u32 [%0], 1;\n    )\" :: \"l\"(p) : \"memory\");\n}\n";
        let found = suppressed(Language::CUDA, text);
        assert_eq!(
            titles(&found),
            ["Suppress `illegal-type` for this `asm` statement", "Suppress `illegal-type` for this file"]
        );
    }

    #[test]
    fn sass_has_lines_and_files() {
        let text = "\t.target\tsm_90\n        /*0000*/                   RED.E.ADD.STRONG.GPOO desc[UR4][R2.64], R5 ;  /* 0x1 */\n";
        let found = suppressed(Language::Sass, text);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].1.contains("/* 0x1 */  // ptx-atomics: allow("), "{found:?}");
    }
}
