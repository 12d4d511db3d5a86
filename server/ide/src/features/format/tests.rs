use super::*;
use crate::features::names::tests::snapshot;
use crate::features::tests::{fixtures, mutated};
use syntax::SourceFile;

fn apply(text: &str, edits: &[Edit]) -> String {
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(edit.range.clone(), &edit.text);
    }
    text
}

fn formatted(text: &str) -> String {
    let edits = snapshot(text).format(&FormatOptions::default());
    assert!(edits.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start), "edits are in order and apart");
    apply(text, &edits)
}

#[test]
fn a_kernel_in_style() {
    let text = "  .version   8.0\n.target sm_90 ,debug\n\n\n\n\t// .globl k\n.visible .entry k(\n.param .u64 p,\n  .param .u32 n ) .maxntid 128,1,1\n{\n\
        .reg .b32   %r <5> ,x;\n @ !%p1 bra   L;  // jump\n  L :atom.global.add.u32 %r1,[ %rd1 + 4 ] ,1 ;\n{ mov.b64 {%r1,%r2},%rd1;ret; }\n\n\n}";
    let expected = ".version 8.0\n.target sm_90, debug\n\n// .globl k\n.visible .entry k(\n\t.param .u64 p,\n\t.param .u32 n\n) .maxntid 128, 1, 1\n{\n\
        \t.reg .b32 %r<5>, x;\n\t@!%p1 bra L;  // jump\nL:\n\tatom.global.add.u32 %r1, [%rd1+4], 1;\n\t{\n\t\tmov.b64 {%r1, %r2}, %rd1;\n\t\tret;\n\t}\n\n}\n";
    assert_eq!(formatted(text), expected);
    assert_eq!(formatted(expected), expected);
}

#[test]
fn a_list_stays_on_one_line_or_on_many() {
    assert_eq!(
        formatted(".func (.reg .b32 r)f( .reg .b32 a,.reg .b32 b );"),
        ".func (.reg .b32 r) f(.reg .b32 a, .reg .b32 b);\n"
    );
    assert_eq!(
        formatted(".extern .func  (.param .b32 r) f\n(\n.param .b64 a\n)\n;"),
        ".extern .func (.param .b32 r) f(\n\t.param .b64 a\n);\n"
    );
    assert_eq!(formatted(".entry k(\n\n)\n{\n\tret;\n}\n"), ".entry k()\n{\n\tret;\n}\n");
}

#[test]
fn what_was_wrapped_stays_wrapped() {
    let call = ".entry k()\n{\n\tcall.uni (retval0),\n\t\tf,\n\t\t(\n\t\tparam0,\n\t\tparam1\n\t\t);\n}\n";
    assert_eq!(formatted(call), call);
    let comment = ".entry k()\n{\n\tadd.u32 a, // first\n\t\tb, /* second */ c;\n\t// alone\n}\n";
    assert_eq!(formatted(comment), comment);
    assert_eq!(formatted(".global .b32 a[ 2 ]={1,2} ;"), ".global .b32 a[2] = {1, 2};\n");
}

#[test]
fn comments_strings_and_markers_are_not_touched() {
    assert_eq!(formatted("// é\n// \u{1F600}"), "// é\n// \u{1F600}\n");
    let text = "/*  a\n   b  */\n# 1 \"f  g\"\n.pragma \"a   b\";\n//   c  \n";
    assert_eq!(formatted(text), text);
    let section = ".section  .debug_info\n{\n.b8 1,   2\n   .b8 3\n}\n";
    assert_eq!(formatted(section), section);
}

#[test]
fn what_is_no_ptx_stays_as_it_is() {
    let text = ".entry k()\n{\nadd.u32 a,b, 1;\n  ??  what   is(this ;\n\tret;\n}\n";
    assert_eq!(formatted(text), text);
    let beside = formatted(&format!("{text}.entry l() {{ ret; }}"));
    assert!(beside.starts_with(text) && beside.ends_with("}\n.entry l()\n{\n\tret;\n}\n"), "{beside}");
    assert_eq!(formatted(""), "");
    assert_eq!(formatted(" \n "), " \n ");
}

#[test]
fn line_ends_stay_what_they_are() {
    let text = ".version 8.0\r\n.target sm_90 // c\r\n\r\n\r\n\r\n.entry k() { ret; }\r\n";
    let expected = ".version 8.0\r\n.target sm_90 // c\r\n\r\n.entry k()\r\n{\r\n\tret;\r\n}\r\n";
    assert_eq!(formatted(text), expected);
    assert_eq!(formatted(expected), expected);
}

#[test]
fn options_are_heeded() {
    let options = FormatOptions { tabs: false, width: 2 };
    let text = ".entry k() { { ret; } }";
    assert_eq!(apply(text, &snapshot(text).format(&options)), ".entry k()\n{\n  {\n    ret;\n  }\n}\n");
}

#[test]
fn a_range_touches_its_lines_only() {
    let text = ".entry k()\n{\nadd.u32  a,b,1;\nadd.u32  c,d,1;\nadd.u32  e,f,1;\n}\n";
    let at = text.find("c,d").unwrap();
    let edits = snapshot(text).format_range(at..at, &FormatOptions::default());
    assert_eq!(apply(text, &edits), ".entry k()\n{\nadd.u32  a,b,1;\n\tadd.u32 c, d, 1;\nadd.u32  e,f,1;\n}\n");
}

#[test]
fn all_ranges_together_are_the_whole() {
    let options = FormatOptions::default();
    let untidy = "// c\n\n\n.entry k()   \n{ // d  \n.reg .b32 a,b;\n\n  \n   add.u32  a,\n  b,1 ; \n}\n";
    for text in [fixtures()[0], untidy] {
        for text in [text.to_string(), text.replace('\n', "\r\n")] {
            let mut parts = Vec::new();
            let mut start = 0;
            for line in text.split_inclusive('\n') {
                let here = start..start + line.trim_end_matches(['\r', '\n']).len();
                let edits = snapshot(&text).format_range(here.clone(), &options);
                // The line with its end is the same line.
                assert_eq!(snapshot(&text).format_range(start..start + line.len(), &options), edits, "{line:?}");
                for edit in edits {
                    assert!(here.start <= edit.range.start && edit.range.end <= here.end, "{edit:?} {line:?}");
                    parts.push(edit);
                }
                start += line.len();
            }
            // What remains is between lines: empty ones.
            let (together, whole) = (apply(&text, &parts), formatted(&text));
            assert_eq!(formatted(&together), whole);
            let filled =
                |text: &str| text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(filled(&together), filled(&whole));
        }
    }
}

#[test]
fn typing_formats_behind_the_cursor() {
    let options = FormatOptions::default();
    let typed = |text: &str| {
        let at = text.find('|').unwrap();
        let plain = text.replace('|', "");
        apply(&plain, &snapshot(&plain).format_on_type(at, &options))
    };
    assert_eq!(typed(".entry k()\n{\nadd.u32 a,b,1;|\n}\n"), ".entry k()\n{\n\tadd.u32 a, b, 1;\n}\n");
    assert_eq!(typed(".entry k()\n{\n\tret;\n\t}|\n"), ".entry k()\n{\n\tret;\n}\n");
    assert_eq!(typed(".entry k()\n{\n|"), ".entry k()\n{\n\t");
    assert_eq!(typed(".entry k()\n{\n\tadd.u32 a, b, 1;\n|\n"), ".entry k()\n{\n\tadd.u32 a, b, 1;\n\t\n");
    assert_eq!(typed(".entry k()\n{\nL:\n|\n"), ".entry k()\n{\nL:\n\t\n");
    assert_eq!(
        typed(".entry k()\n{\nret a b;\nadd.u32 a,b,1;|\n}\n"),
        ".entry k()\n{\nret a b;\n\tadd.u32 a, b, 1;\n}\n"
    );
    assert_eq!(typed("// a;|"), "// a;");
    assert_eq!(typed("|"), "");
}

/// The words of a text, read without any help of the parser: comments, strings, runs of word characters, single signs.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_$%.".contains(c);
        let length = match first {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        if !first.is_ascii_whitespace() {
            words.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    words
}

fn check(text: &str) {
    let once = formatted(text);
    assert_eq!(words(text), words(&once), "the words stay the same\n---\n{text}\n---\n{once}");
    let before = SourceFile::parse(text);
    let after = SourceFile::parse(&once);
    assert_eq!(before.has_syntax_error(), after.has_syntax_error(), "{text}\n---\n{once}");
    let twice = formatted(&once);
    assert_eq!(once, twice, "formatting twice is formatting once; from\n{text}");
}

#[test]
fn compiled_modules_keep_their_words() {
    for text in fixtures() {
        check(text);
        check(&text.replace('\n', "\r\n"));
        check(&text.replace('\t', " ").replace("\n ", "\n").replace("\n\n", "\n"));
    }
}

#[test]
fn spoiled_modules_keep_their_words() {
    let mut rng = fastrand::Rng::with_seed(7);
    for round in 0..300 {
        check(&mutated(round, &mut rng));
    }
}
