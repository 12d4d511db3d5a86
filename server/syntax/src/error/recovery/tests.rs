use super::*;
use crate::source::SourceFile;

const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// A module with the functions `a`, which contains a statement, and `b`, and what is uncertain in it.
fn broken(statement: &str) -> (String, Recovery) {
    let text = format!(
        "{HEAD}.entry a()\n{{\n\tret;\n\t{statement}\n\tadd.u32 use, use, 1;\n}}\n.entry b()\n{{\n\tret;\n}}\n"
    );
    let recovery = Recovery::of(&SourceFile::parse(&text));
    (text, recovery)
}

#[test]
fn without_an_error_nothing_is_uncertain() {
    let (text, recovery) = broken(".reg .b32 use;");
    assert!(recovery.is_empty() && !recovery.may_declare("use", text.find("use").unwrap()));
    assert_eq!(recovery.statements(0..text.len()).map(<[_]>::len), Some(0));
}

#[test]
fn a_broken_statement_may_declare_the_names_in_it() {
    for (statement, name) in [
        (".reg .b32 use x;", "use"),
        (".reg .b32 use[;", "use"),
        (".reg .b32 %r 9>;", "%r4"),
        (".reg .b32 %r9>;", "%r4"),
        (".reg .b32 %r;<9>;", "%r4"),
        ("@ atom.shared.add.u32 use,", "use"),
        ("$L\"__1:", "$L__1"),
        ("$L__%r1 1:", "$L__1"),
        ("// a\nlabel%r1 :", "label"),
    ] {
        let (text, recovery) = broken(statement);
        let (here, there) = (text.find("add.u32 use, use").unwrap(), text.rfind("ret").unwrap());
        assert!(recovery.may_declare(name, here), "{statement}");
        assert!(!recovery.may_declare("other", here), "{statement}");
        assert!(!recovery.may_declare(name, there), "{statement}");
    }
}

#[test]
fn a_declaration_without_a_name_may_declare_any_name_of_its_function() {
    for statement in [".reg .b32 <9>;", ".reg .b32 , x;", ".reg .b32 x, ;", ".reg ;", ".reg .b64"] {
        let (text, recovery) = broken(statement);
        let at = |text: &str, word: &str| text.find(word).unwrap();
        assert!(recovery.may_declare("other", at(&text, "add.u32 use")), "{statement}");
        assert!(!recovery.may_declare("other", at(&text, "ret")), "{statement}");
        assert!(!recovery.may_declare("other", text.rfind("ret").unwrap()), "{statement}");
        let function = at(&text, ".entry a")..at(&text, ".entry b");
        assert!(recovery.statements(function).is_some(), "{statement}: its other statements are read");
    }
}

#[test]
fn an_extra_brace_makes_both_halves_of_a_function_uncertain() {
    let (text, recovery) = broken(".reg .b32 use; }");
    for name in ["use", "parameter"] {
        assert!(recovery.may_declare(name, text.find("add.u32").unwrap()), "{name}");
    }
    let first = text.find(".entry a").unwrap();
    assert!(recovery.is_broken(first..first + 1));
    assert_eq!(recovery.statements(first..first + 1).map(<[_]>::len), None);
    let other = text.find(".entry b").unwrap()..text.len();
    assert_eq!(recovery.statements(other).map(<[_]>::len), Some(0));
}

#[test]
fn a_broken_statement_extends_to_its_end() {
    let (text, recovery) = broken("add.u32 x y, z;");
    assert!(recovery.is_in_statement(text.find("y, z").unwrap()));
    assert!(!recovery.is_in_statement(text.find("use").unwrap()));
}

#[test]
fn directives_between_the_halves_of_a_function_change_nothing() {
    let text = ".version 8.0\n.target sm_90\n.entry a() { { .reg .b32 r; } add.u32 r, r, 1; } \n.pragma \"nounroll\";\nadd.u32 r, r, 1; ret; }\n";
    let recovery = Recovery::of(&SourceFile::parse(text));
    assert!(recovery.may_declare("r", text.find("add.u32").unwrap()));
}
