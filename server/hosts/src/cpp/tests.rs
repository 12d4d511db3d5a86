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
