//! How literals are decoded and encoded, and that no text causes a panic.

use super::literal::{decode, encode};
use super::{comments, is_code, scan};
use crate::inline_asm::{Formatting, HostLanguage, HostText, PythonLiteral};

const PLAIN: PythonLiteral = PythonLiteral { raw: false, quote: '"', triple: false, formatting: Formatting::None };

/// The PTX of the first statement, without what is put around it.
fn body(host: &str) -> String {
    let template = scan(host).statements[0].template(host, &[]);
    template.text[template.body.clone()].to_owned()
}

#[test]
fn templates_become_ptx() {
    for (arguments, inner) in [
        (r#""mov.b32 $0, %r1; // $$x", "=r""#, "mov.b32 $0, %r1; // $x"),
        (r#""a.x {$0, ${1}}, ${0:r}; b|c", "=r,=r""#, "a.x {$0, $1}, $0; b|c;"),
        (r#""a.x $(b$|c$), $|$);", "r""#, "a.x b, |};"),
        (r#""a.x $0, $1;", "=r,n""#, "a.x $0, __hole;"),
        (r#"f"a.{x}.y {{$0}}; c;", "r""#, "a.y {$0}; c;"),
        (r#""a.%s.y %%r; c;" % x, "r""#, "a.y %r; c;"),
        (r#""a.{0}.y {{$0}}; c;".format(x), "r""#, "a.y {$0}; c;"),
        (
            r#"r"a\n" "b\x2e\103\

c;", "r""#,
            "a\\nb.C\nc;",
        ),
    ] {
        assert_eq!(body(&format!("llvm.inline_asm(None, [], {arguments})")), inner, "{arguments}");
    }
}

#[test]
fn operands_of_cute_are_named_in_braces() {
    let host = "inline_ptx(\"mov.b64 {$w0}, {{$r0}, x}; {y}; $rw0;\", write_only_types=[Int64], read_only_args=[a])";
    assert_eq!(body(host), "mov.b64 $w0, {__hole, x}; {y}; $rw0;");
    assert_eq!(super::cute::written("mov.b64 $w0, $rw12, $x, $r, a$"), "mov.b64 {$w0}, {$rw12}, $x, $r, a$");
}

#[test]
fn what_is_encoded_is_decoded_again() {
    let text = "{ \"a\" 'b' \\ %p %% \n\t }";
    for (raw, quote, triple, formatting) in [
        (false, '"', false, Formatting::None),
        (false, '\'', false, Formatting::Percent),
        (false, '"', true, Formatting::Interpolated),
        (false, '\'', true, Formatting::Braces),
    ] {
        let form = PythonLiteral { raw, quote, triple, formatting };
        let encoded = encode(text, form).expect("can be encoded");
        let mut units = Vec::new();
        decode(&encoded, &(0..encoded.len()), form, &mut units);
        let decoded: String = units.iter().map(|unit| unit.what.char()).collect();
        assert_eq!(decoded, text, "{encoded}");
    }
    assert_eq!(encode("a\n", PythonLiteral { raw: true, ..PLAIN }), None);
    assert_eq!(encode("'", PythonLiteral { raw: true, ..PLAIN }).as_deref(), Some("'"));
}

/// The parser gets a long run of comments as one.
#[test]
fn comments_of_a_long_run_are_apart() {
    let run: String = (0..200).map(|at| format!("{}# x: {at} \u{e9}\r\n\n", " ".repeat(at % 3))).collect();
    let host = format!("def f():\n    a = 1 # x: behind\n{run}    call('''\n{run}''')\n");
    let found = comments(&host, "x:");
    let texts: Vec<&str> = found.iter().map(|comment| &host[comment.range.clone()]).collect();
    let expected: Vec<String> = (0..200).map(|at| format!("# x: {at} \u{e9}\r")).collect();
    assert_eq!(texts[0], "# x: behind");
    assert_eq!(texts[1..], expected);
    assert!(found[1..].iter().all(|comment| comment.leads == found[1].leads && comment.next == found[1].next));
}

#[test]
fn comments_know_the_statement_after_them() {
    let host = "# x: a\n\"\"\"# x: b\"\"\"\ny = f(llvm.inline_asm(None, [], \"# x: c\", \"\"))  # x: d\n# x: e\nz = g(llvm.inline_asm(None, [], \"\", \"\"))\n";
    let found = comments(host, "x:");
    let read: Vec<_> = found.iter().map(|comment| (&host[comment.range.clone()], comment.leads)).collect();
    assert_eq!(read, [("# x: a", true), ("# x: d", false), ("# x: e", false)]);
    assert!(host[found[2].next..].starts_with("llvm.inline_asm(None, [], \"\", \"\")"));
    let place = |part: &str| host.find(part).expect("in the text");
    assert!(!is_code(host, place("x: b")) && !is_code(host, place("x: c")) && !is_code(host, place("x: d")));
    assert!(is_code(host, place("llvm")) && is_code(host, place("\"))") + 1) && !is_code(host, place("\n# x: e")));
}

#[test]
fn source_in_strings_is_edited_with_the_escapes_of_both_languages() {
    let host = "k = '''\n__device__ void f() { asm volatile(\"mov.u32 %0, 1;\\\\n\"); }'''\n";
    let text = HostText::new(HostLanguage::Python, host);
    let (fragment, at) = text.at(host.find("mov").expect("an instruction")).expect("PTX");
    assert_eq!(&fragment.template.text[at..at + 16], "mov.u32 %0, 1;\n\n");
    assert_eq!(fragment.template.edit(&(at..at), "\n'"), Some((at_host(host), "\\\\n\\'".to_owned())));
    let embedded = fragment.statement.embedded.as_ref().expect("in a string");
    assert_eq!(embedded.encode(&at_host(host), " : \"memory\"").as_deref(), Some(" : \"memory\""));
}

/// Before the instruction.
fn at_host(host: &str) -> std::ops::Range<usize> {
    let at = host.find("mov").expect("an instruction");
    at..at
}

#[test]
fn any_text_is_scanned() {
    let snippets = [
        "llvm.inline_asm(",
        "inline_asm_elementwise",
        "(",
        ")",
        ",",
        "\"",
        "\"\"\"",
        "'",
        "f\"",
        "{",
        "}",
        "{a",
        "$",
        "${",
        "$(",
        "%",
        "%(",
        "\\",
        "\\N{",
        "\\x",
        "\n",
        "\r\n",
        "    ",
        "def f(a):\n",
        "a = ",
        "a",
        "ir.InlineAsm(",
        "red.x $0;",
        "=r,",
        "~",
        "é",
        "\u{0}",
        "#",
        " if a else ",
        "[a]",
        ".format(a)",
        " % a",
        "lambda:",
        "global a\n",
        "*a",
        "for a in b:\n",
        "__device__ ",
        "asm(\\\"red.x %0;\\\\n\\\"",
        " :: \\\"r\\\"(a))",
        ".version 8.0\\n.target sm_90\\n",
    ];
    let mut rng = fastrand::Rng::with_seed(0x51);
    for _ in 0..3000 {
        let text: String = (0..rng.usize(..24)).map(|_| snippets[rng.usize(..snippets.len())]).collect();
        let host = HostText::new(HostLanguage::Python, &text);
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            host.at(at);
            host.typed_at(at);
        }
        comments(&text, "a");
    }
}
