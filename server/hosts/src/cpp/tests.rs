//! Which statements are found, and that no text causes a panic.

use super::scan;

#[test]
fn statements_are_read_whole() {
    let host = r#"
        #if __CUDA_ARCH__ >= 900
        asm volatile("a %0, %1;"
        #ifdef X
          " b;" : "=r"(x)
        #else
          " c;" : "=f"(x)
        #endif
          : "l"(f(a, ")")) , [n] "r"(lambda([]{ return 1; })) : "memory", "cc");
        #endif
        #define ASM(T, ...) asm("x" #T : __VA_ARGS__)
        asm("b" :: OPERANDS(1), "r"(x)); asm(unfinished; asm("c");"#;
    let found = scan(host);
    assert_eq!(found.len(), 5, "{found:#?}");
    let first = &found[0];
    assert!(first.volatile && first.finished && !first.open && first.groups == [2]);
    assert_eq!(first.guard.must.least(), Some(900));
    assert_eq!((first.operands.len(), first.clobbers.len(), first.choices().len()), (4, 2, 2));
    assert_eq!(&host[first.operands[2].expression.clone()], "(f(a, \")\"))");
    assert!(first.operands[3].name.is_some());
    for (choice, register) in first.choices().iter().zip([".b32 %0", ".f32 %0"]) {
        assert!(first.template(host, choice).text.contains(register));
    }
    assert!(found[1].open && found[2].open && !found[3].finished && found[4].finished);
}

#[test]
fn a_literal_that_is_not_terminated_ends_with_its_line_and_its_statement_before_the_next_one() {
    let broken = "asm volatile(\"a [%0]; : : \"l\"(p) : \"memory\");\n";
    let host = format!("{broken}asm volatile(\"b [%0];\" :: \"l\"(p));\n{broken}f(x); g(y);\nasm(\"c\");");
    let found = scan(&host);
    let properties: Vec<_> = found.iter().map(|one| (one.finished, one.operands.len())).collect();
    assert_eq!(properties, [(false, 0), (true, 1), (false, 0), (true, 0)], "{found:#?}");
    assert!(host[found[1].range.clone()].starts_with("asm volatile(\"b"), "{found:#?}");
    // Raw literals and line continuations contain line ends, and operands may follow a literal that is still typed.
    let host = "asm(R\"(a\n\"b)\");\nasm(\"c\\\nd\");\nasm(\"e\n: : \"r\"(x));";
    let properties: Vec<_> = scan(host).iter().map(|one| (one.finished, one.operands.len())).collect();
    assert_eq!(properties, [(true, 0), (true, 0), (true, 1)]);
    // Every section ends so.
    for section in ["", "\"a\" : ", "\"a\" :: [n] ", "\"a\" :: \"r\"(", "\"a\" ::: "] {
        let host = format!("asm({section}\"open\nasm(\"b\");");
        assert_eq!(scan(&host).len(), 2, "{host}");
    }
}

#[test]
fn branches_share_the_end_of_a_statement() {
    let host = "#if A\nasm(\"a\"\n#elif B\nasm(\"b\"\n#else\nasm(\"c\"\n#endif\n : : \"r\"(x)); asm(\"d\");\n";
    let found = scan(host);
    let properties: Vec<_> = found.iter().map(|one| (one.finished, one.template.len(), one.operands.len())).collect();
    assert_eq!(properties, [(true, 1, 1), (true, 1, 1), (true, 1, 1), (true, 1, 0)]);
}

#[test]
fn calls_that_compile_for_some_devices_are_guards() {
    let host = "NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (asm(\"a\");), (asm(\"b\");)) asm(\"c\");
        NV_DISPATCH_TARGET(NV_IS_EXACTLY_SM_80, (asm(\"d\");), NV_IS_HOST, (asm(\"e\");))";
    let found = scan(host);
    let properties: Vec<_> = found.iter().map(|one| (one.guard.must.least(), one.guard.may.greatest())).collect();
    assert_eq!(properties, [(Some(900), None), (None, Some(899)), (None, None), (Some(800), Some(800)), (None, None)]);
    assert!(found[4].guard.may.is_empty());
}

#[test]
fn any_text_is_scanned() {
    let snippets = [
        "asm",
        "(",
        "\"",
        "R\"x(",
        "\\",
        "\n",
        "#if 1",
        "\n#else\n",
        "#endif",
        ":",
        "%",
        "é",
        ")",
        ";",
        "'",
        "#define A",
        "[",
        "/*",
        "//",
    ];
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..3000 {
        let mut text = String::new();
        for _ in 0..40 {
            text += snippets[rng.usize(..snippets.len())];
        }
        for statement in scan(&text) {
            for choice in statement.choices() {
                let _ = statement.template(&text, &choice);
            }
        }
    }
    for snippet in ["asm(", "asm(\n#else\n", "#if 1\nasm(\n#else\n", "(", "asm(\"\" : [", "NV_IF_TARGET("] {
        let _ = scan(&(snippet.repeat(20_000) + "asm"));
    }
}
