//! Messages and positions of syntax errors.

use super::*;
use crate::source::SourceFile;

/// The errors of a statement in a kernel, as `range text: message`.
fn errors(statement: &str) -> Vec<String> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.entry k() {{\nadd.u32 q, q, 1;\n{statement}\nadd.u32 r, r, 1;\n}}\n.entry k2() {{ ret; }}\n"
    );
    let file = SourceFile::parse(&text);
    syntax_errors(&file).into_iter().map(|e| format!("{}: {}", &text[e.range], e.message)).collect()
}

#[test]
fn messages_name_the_mistake() {
    for (statement, expected) in [
        ("red.global.add.u32 [a-4], r;", "-4: invalid subtraction in an address"),
        ("red.global.add.u32 [a+b], r;", "b: expected a constant offset, found `b`"),
        ("mov.u32 r, 08;", "08: invalid number `08`"),
        ("mov.f32 f, 1.0f;", "1.0f: invalid number `1.0f`"),
        ("mov.f32 f, 0f3F8;", "0f3F8: invalid number `0f3F8`"),
        ("red.global.add.u32 [a], r", ": expected `;` after the instruction"),
        ("ret", ": expected `;` after the instruction"),
        ("ret;;", ";: empty statement"),
        ("L: ;", ";: empty statement"),
        ("@p { ret; }", "{: guard before a block"),
        ("add.u32 a, b,;", ";: expected an operand after the `,`, found `;`"),
        ("add.u32 a, é;", "é: invalid character `é`"),
        ("add.u32 a b, c;", "b: expected `,` or `;`, found `b`"),
        ("mov.reg r, r;", "mov.reg: invalid opcode `mov.reg`"),
        ("mov.u32 r, q.const;", ".const: unexpected `.const`"),
        ("/* x", "/*: unterminated comment"),
        ("atom.add.u32 d, [a], 1, cache-policy;", "-: expected `,` or `;`, found `-`"),
    ] {
        assert_eq!(errors(statement).first().map(String::as_str), Some(expected), "{statement}");
    }
}

#[test]
fn a_comment_without_an_end_is_named_however_long_it_is() {
    let long = format!("/* {}", "x ".repeat(crate::error::STATEMENT));
    assert_eq!(errors(&long), ["/*: unterminated comment"]);
    let many = "/* x ".repeat(crate::error::STATEMENT);
    assert_eq!(errors(&many), ["/*: unterminated comment"]);
}

#[test]
fn valid_statements_have_no_error() {
    for statement in [
        "L: ret;",
        "@!p bra L;",
        "mov.b32 {a, b}, c;",
        "setp.eq.u32 p|q, a, (1+2)*-3;",
        "call (r), f, (a, b), proto;",
        "ld.u32 r, [a+-4];",
    ] {
        assert_eq!(errors(statement), [""; 0], "{statement}");
    }
}

/// The first line and the text of each error in a debug section without indentation.
fn section_errors(head: &str, data: &str) -> Vec<String> {
    let text = format!(".version 8.0\n.target sm_90\n{head}\n{data}\n$L_begin:\n.b8 2\n.b8 0\n.b32 .debug_info\n}}\n");
    let file = SourceFile::parse(&text);
    let line = |error: &SyntaxError| text[..error.range.start].lines().count();
    syntax_errors(&file).iter().map(|error| format!("{}: {}", line(error), error.message)).collect()
}

#[test]
fn one_error_in_a_debug_section_is_reported_once() {
    let data = ".b32 $L_end-$L_begin";
    assert_eq!(section_errors("\t.section\t.debug_pubnames\n\t{", data), [""; 0]);
    assert_eq!(section_errors("\t.section\t{", data), ["3: unexpected `.section`"]);
    for broken in ["$L_end-$L_begin", ".b32 foo $L_end-$L_begin", ".b32 5 $L_end-$L_begin"] {
        let expected = ["5: expected `;` after the instruction"];
        assert_eq!(section_errors("\t.section\t.debug_pubnames\n\t{", broken), expected, "{broken}");
    }
}

#[test]
fn each_statement_has_its_error_whatever_the_indentation() {
    for indentation in ["", "\t"] {
        for (second, expected) in [
            ("ld.u32 r, [a\nret;", ": expected `]` before the end of the line"),
            (".reg .b32 a\nret;", ": expected `;` after the declaration"),
            (".reg .b32 a<4> // n\n.reg .b64 b;", ": expected `;` after the declaration"),
            (".shared .align 16 .b8 s[16], t[]\nmov.u32 a, b;", ": expected `;` after the declaration"),
            ("next\n{ .reg .b32 a; }", ": expected `;` after the instruction"),
            ("ret\n@p ret;", ": expected `;` after the instruction"),
            ("LOOP\nadd.u32 a, b, c;", ": expected `:` after the label `LOOP`"),
            ("$L__BB0_2\n@p bra $L__BB0_2;", ": expected `:` after the label `$L__BB0_2`"),
        ] {
            let statements = format!("add.u32 r s;\n{second}").replace('\n', &format!("\n{indentation}"));
            assert_eq!(errors(&statements), ["s: expected `,` or `;`, found `s`", expected], "{statements}");
        }
    }
}

#[test]
fn cascading_errors_are_dropped() {
    for statement in ["}", "{", "mov.u32 r, \" q;", "@ atom.shared.add.u32 r,", "add.u32 r, [q, 1;", ".reg .b32 , r;"] {
        assert_eq!(errors(statement).len(), 1, "{statement}: {:?}", errors(statement));
    }
    assert!(errors("}")[0].starts_with("add.u32: "), "{:?}", errors("}"));
    assert_eq!(errors("add.u32 r s;\nret;\nsub.u32 r s;").len(), 2);
}

#[test]
fn an_initial_value_that_is_cut_off_breaks_no_later_one() {
    let text = ".global .u64 a[2];\n.global .u8 packed[38] = {112, 0xFF(generic(a)+24), 0xFF00(generic;\n\
        .global .b8 either[8] = {0, 0, 128, 63};\n.global .u64 pointers[2] = {generic(a), generic(a)+12};\n.global .b8 bytes[16] = {0, 1};\n";
    let file = SourceFile::parse(&format!(".version 8.1\n.target sm_90\n.address_size 64\n{text}"));
    let lines: Vec<_> = syntax_errors(&file).iter().map(|error| file.position(error.range.start).line).collect();
    assert_eq!(lines, [4]);
}

/// The error of a line before a statement, as `text before the error in its line: message`, and its fix.
fn unfinished(line: &str, next: &str) -> (String, Option<String>) {
    let text = format!(".version 8.0\n.target sm_90\n.entry k() {{\nadd.u32 q, q, 1;\n{line}\n{next}\nret;\n}}\n");
    let errors = syntax_errors(&SourceFile::parse(&text));
    let [error] = errors.as_slice() else { panic!("{line} {next}: {errors:?}") };
    let before = text[..error.range.start].lines().last().unwrap_or_default();
    let fixed = error.fix.as_ref().map(|(range, new)| format!("{}{new}{}", &text[..range.start], &text[range.end..]));
    let fixed = fixed.map(|fixed| fixed.lines().nth(4).unwrap_or_default().to_owned());
    (format!("{before}: {}", error.message), fixed)
}

#[test]
fn an_unfinished_line_ends_before_the_next_statement() {
    let statements = [
        "st.global.u32 [a], r;",
        "cp.async.commit_group;",
        "@p bra L;",
        "L: ret;",
        "bar.sync 0;",
        ".reg .b32 x;",
        "{ ret; }",
        "mov.b64 d, {r, q};",
    ];
    for (line, message, fixed) in [
        ("add.u32", "expected `;` after the instruction", "add.u32;"),
        ("LOOP", "expected `:` after the label `LOOP`", "LOOP:"),
        ("add.u32 r, q", "expected `;` after the instruction", "add.u32 r, q;"),
        ("add.u32 r, q,", "expected an operand after the `,`", "add.u32 r, q;"),
        ("ld.global.u32 r, [", "expected an operand before the end of the line", ""),
        ("ld.global.u32 r, [a", "expected `]` before the end of the line", "ld.global.u32 r, [a];"),
        ("ld.global.u32 r, [a+", "expected an operand before the end of the line", ""),
        ("mov.b64 d, {r,", "expected an operand after the `,`", "mov.b64 d, {r;"),
        ("mov.u32 r, 1 +", "expected an operand before the end of the line", ""),
        ("@p bra", "expected `;` after the instruction", "@p bra;"),
    ] {
        for next in statements {
            let shown = unfinished(line, next);
            assert_eq!(shown.0, format!("{line}: {message}"), "{line} {next}");
            assert_eq!(shown.1.as_deref(), Some(fixed), "{line} {next}");
        }
    }
}

#[test]
fn a_declaration_without_a_name_ends_at_its_line() {
    for next in ["st.global.u32 [a], r;", "@p bra L;", "L: ret;"] {
        let (shown, fixed) = unfinished(".reg .b32", next);
        assert_eq!((&*shown, fixed.as_deref()), (".reg .b32: expected a name to declare", Some("")), "{next}");
    }
}

#[test]
fn an_instruction_may_go_on_in_the_next_line() {
    for statement in [
        "add.u32\nr,\nq,\nret;",
        "mov.b64 d, {r,\nq\n};",
        "ld.global.u32 r,\n[a\n+ 4];",
        "@p\nbra L;",
        "st: st.global.u32\n[st], add;",
        "call\n(r),\nf,\n(q);",
        ".reg .b32\nx;",
    ] {
        assert_eq!(errors(statement), [""; 0], "{statement}");
    }
    for (statement, expected) in [
        ("add.u32 r,\n%q s,\nx;", "s: expected `,` or `;`, found `s`"),
        ("mov.b64 d, {r,\n%q s\n};", "s: expected `,` or `}`, found `s`"),
        ("ld.global.u32 r,\n[a-4];", "-4: invalid subtraction in an address"),
    ] {
        assert_eq!(errors(statement), [expected], "{statement}");
    }
}
