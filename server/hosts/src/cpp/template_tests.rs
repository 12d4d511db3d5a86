//! The PTX of templates.

use crate::cpp::scan;

/// The PTX of the only statement of a text.
fn body(text: &str) -> String {
    let found = scan(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    let template = found[0].template(text, &found[0].choices()[0]);
    template.text[template.body.clone()].to_owned()
}

#[test]
fn literals_become_text_as_the_compiler_makes_them() {
    for (host, inner) in [
        (r#"asm("a;");"#, "a;"),
        (
            r#"asm volatile ("a;\n\t" /* c */ "b" // d
            "\x63;");"#,
            "a;\n\tbc;",
        ),
        ("asm(R\"x(a;\n\"b\";)x\");", "a;\n\"b\";"),
        (r#"__asm__ __volatile__(u8"mov %0, %%r; L%=: // %%" : "=r"(x));"#, "mov %0, %r; L0: // %"),
        (r#"asm("mov %%r, %=;" ::: "memory");"#, "mov %%r, %=;"),
        (r#"asm("mov %00, %1;" : "=r"(x) : "n"(4));"#, "mov %00, %1;"),
        (r#"asm("mov %{%0%}, %_1;" : "=r"(x));"#, "mov %0, 1;"),
        ("#define M asm(\"a \\\n b;\" \\\n \"c;\")\n", "a  b;c;"),
        ("/* asm(\"x\") */ \"asm(1)\" 'a' // asm(\n asm(\"\\101\\060;\")", "A0;"),
        (r#"asm("{ .reg .b32 t; }");"#, "{ .reg .b32 t; }"),
    ] {
        assert_eq!(body(host), inner, "{host}");
    }
}

#[test]
fn what_a_hole_hides_is_left_out() {
    for (host, inner) in [
        (r#"asm("a; atom." TYPE ".b %0; c;" :: "r"(x));"#, "a; atom.b %0; c;"),
        (r#"asm("a; atom.x" #T ".b %0; c;" :: "r"(x));"#, "a; atom.b %0; c;"),
        (r#"asm("a; " MACRO(x, ")") " b; c;");"#, "a; c;"),
        (r#"asm("atom.x " A ", " B "; c;");"#, "atom.x __hole, __hole; c;"),
        (r#"asm(NAME : "=r"(x));"#, ""),
        (r#"asm("red.a%1.x [%0], 1;" :: "l"(x), "C"(y));"#, "red.x [%0], 1;"),
        (r#"asm("red%1.x [%0], 1;" :: "l"(x), "C"(y));"#, ""),
        (r#"asm("@p ld.v%1.x %0;" : "=r"(x) : "n"(N));"#, "@p ld.x %0;"),
        (r#"asm("@p ld.v%1.x %0;" : "=r"(x) : "n"(4u));"#, "@p ld.v4.x %0;"),
        (r#"asm("a.b::%1.x %0;" : "=r"(x) : "n"(N));"#, "a.x %0;"),
        (r#"asm("a.b::%1.x %0;" : "=r"(x) : "n"(0x10));"#, "a.b::16.x %0;"),
        (r#"asm("a.x %0, r%1, 0x%1, %1%1;" : "=r"(x) : "n"(N));"#, "a.x %0, r__hole, 0x__hole, __hole__hole;"),
        (r#"asm("{ .reg .b32 r<%1>; a.x %0, %1; }" : "=r"(x) : "n"(N));"#, "{ a.x %0, %1; }"),
        (r#"asm("a.x r%0, %0; a.y %0b;" : "=r"(x));"#, "a.x r%0, %0; a.y __holeb;"),
    ] {
        assert_eq!(body(host), inner, "{host}");
    }
}

#[test]
fn braces_that_are_closed_elsewhere_are_put_around() {
    let count = |host: &str| {
        let template = scan(host)[0].template(host, &[]);
        (template.text.matches('{').count(), template.text.matches('}').count())
    };
    assert_eq!(count(r#"asm("{ .reg .b32 t;");"#), (2, 2));
    assert_eq!(count(r#"asm("} // }");"#), (2, 3));
    assert_eq!(count(r#"asm("mov {a, b}, c; }");"#), (3, 3));
}

#[test]
fn places_go_out_and_edits_are_escaped() {
    let host = r#"asm("a;\n" "bc %%r %0;" : "+r"(x));"#;
    let statement = &scan(host)[0];
    let template = statement.template(host, &[]);
    let at = |part: &str| template.body.start + template.text[template.body.clone()].find(part).unwrap();
    let out = |part: &str| &host[template.region.to_host(&(at(part)..at(part) + part.len())).unwrap()];
    assert_eq!((out("bc"), out("%r"), out("%0"), out("\n")), ("bc", "%%r", "%0", "\\n"));
    assert_eq!(out("a;\nbc"), "a;\\n\" \"bc");
    assert_eq!(template.edit(&(at("a;")..at("bc") + 2), "x"), None);
    let (range, text) = template.edit(&(at("bc")..at("bc") + 2), "\"%p %1\n").unwrap();
    assert_eq!((&host[range], text.as_str()), ("bc", "\\\"%%p %1\\n"));
    assert_eq!(template.uses.len(), 1);
    let declared = template.text.find(".b32").unwrap();
    assert_eq!(&host[template.region.to_host(&(declared..declared + 4)).unwrap()], "\"+r\"");
}

#[test]
fn an_instruction_that_nothing_ends_is_ended() {
    for (host, inner) in [
        (r#"asm("a.b; c.d %0, {1} // e" : "=r"(x));"#, "a.b; c.d %0, {1}; // e"),
        (r#"asm("a.b /* e */ c");"#, "a.b /* e */ c;"),
        (r#"asm("a.b c,");"#, "a.b c,"),
        (r#"asm("a.b {c");"#, "a.b {c"),
        (r#"asm("a.b " C);"#, ""),
        (r#"asm("@p");"#, "@p"),
        (r#"asm("l: // a");"#, "l: // a"),
        (r#"asm(".reg .b32 a");"#, ".reg .b32 a"),
    ] {
        assert_eq!(body(host), inner, "{host}");
    }
}
