use crate::inline_asm::{HostLanguage, HostText};

#[test]
fn any_text_is_scanned() {
    let snippets = [
        "asm",
        "asm!(",
        "call void asm sideeffect ",
        "llvm.inline_asm ",
        "\"llvm.inline_asm\"(",
        "<{asm_string = ",
        "}> : (i32) -> ",
        "@asmcall(",
        "inlined_assembly[",
        "concat!(",
        "\"",
        "\"\"\"",
        "r#\"",
        "\"#",
        "'",
        "\\",
        "\\0A",
        "$0",
        "$(",
        "{",
        "}",
        "{{",
        "(",
        ")",
        "]",
        ",",
        ", \"=r,l\"",
        "\n",
        "// a\n",
        "# a\n",
        "; a\n",
        "/* ",
        "é",
        "\u{fffc}",
        "red.x $0;",
        "constraints=",
        ".version 8.0\\n.target sm_90",
    ];
    let mut rng = fastrand::Rng::with_seed(0x71);
    for _ in 0..300 {
        let text: String = (0..rng.usize(..24)).map(|_| snippets[rng.usize(..snippets.len())]).collect();
        for language in HostLanguage::ALL.into_iter().filter(|host| host.is_read_by_tokens()) {
            let host = HostText::new(language, &text);
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                host.at(at);
                host.typed_at(at);
            }
            language.comments(&text, "a");
        }
    }
}

#[test]
fn comments_know_the_statement_after_them() {
    for (language, sign, code) in [
        (HostLanguage::LlvmIr, ";", "call void asm sideeffect \"bar.sync 0;\", \"\"()"),
        (HostLanguage::Rust, "//", "unsafe { asm!(\"bar.sync 0;\") }"),
        (HostLanguage::Julia, "#", "x = @asmcall(\"bar.sync 0;\")"),
    ] {
        let text = format!("{sign} x: a\n{code} {sign} x: b\n{sign} x: c\n{code}\n");
        let found = language.comments(&text, "x:");
        let body = |range: &std::ops::Range<usize>| text[range.clone()][sign.len()..].to_owned();
        let read: Vec<_> = found.iter().map(|comment| (body(&comment.range), comment.leads)).collect();
        let expected = [(" x: a", true), (" x: b", false), (" x: c", false)];
        assert_eq!(read, expected.map(|(text, leads)| (text.to_owned(), leads)));
        let starts: Vec<_> = language.scan(&text).statements.iter().map(|statement| statement.range.start).collect();
        assert_eq!(starts, [found[0].next, found[2].next]);
        let place = |part: &str| text.find(part).expect("in the text");
        assert!(!language.is_code(&text, place("x: b")) && !language.is_code(&text, place("sync")));
        assert!(language.is_code(&text, place(code)));
    }
}
