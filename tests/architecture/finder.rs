//! Tests of the search for circles, on crates of a few lines.

use crate::circles::{circles, sibling_circles};
use crate::modules::Crate;
use crate::resolve::Resolved;
use std::path::Path;

fn resolved(files: &[(&str, &str)]) -> Resolved {
    let text = |path: &Path| files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned());
    Resolved::new(Crate::parse(Path::new("lib.rs"), &text))
}

/// The references of a crate as `from -> to`.
fn references(files: &[(&str, &str)]) -> Vec<String> {
    let resolved = resolved(files);
    let name = |file: usize| resolved.read.files[file].display().to_string();
    resolved.references.iter().map(|(from, to)| format!("{} -> {}", name(*from), name(*to))).collect()
}

/// Whether a file `a.rs` with a text is seen to refer to `b.rs`, which holds a type `B`, a function `f` and an enum `E`.
fn is_seen(text: &str) -> bool {
    let b = "pub struct B; impl B { pub fn new() {} } pub fn f() {} pub enum E { One }\n#[macro_export] macro_rules! m { () => {} }";
    let root = "mod a; mod b; mod c; pub use c::F; pub use b::f as g;";
    let files = [("lib.rs", root), ("a.rs", text), ("b.rs", b), ("c.rs", "pub use crate::b::B as F;")];
    references(&files).contains(&"a.rs -> b.rs".to_owned())
}

#[test]
fn every_form_of_a_reference_is_detected() {
    for text in [
        "use super::b::B;",
        "use crate::b::{f, B};",
        "use super::b; fn x() { b::f() }",
        "use super::b::{self}; fn x() { b::f() }",
        "use super::b::{self as other}; fn x() { other::f() }",
        "use super::b as other; fn x() { other::B::new(); }",
        "use super::*; fn x() { b::f() }",
        "use crate::b::*; fn x() { f() }",
        "fn x() { super::b::f() }",
        "fn x() { use super::b::f; f() }",
        "fn x() -> Vec<crate::b::B> { Vec::new() }",
        "fn x() { crate::b::B::new() }",
        "fn x() { <crate::b::B>::new() }",
        "use super::b::E::*;",
        "fn x(e: u8) { match e { crate::b::E::One => {} } }",
        "impl crate::b::B { fn more(&self) {} }",
        "fn x() { println!(\"{}\", crate::b::f()) }",
        "fn x() { assert!(Vec::<u8>::new() == [crate::b::f()]) }",
        "macro_rules! own { () => { $crate::b::f() } }",
        "#[derive(crate::b::B)] struct S;",
        "mod inner { fn x() { super::super::b::f() } }",
        "mod inner { use crate::b::B; }",
        // By re-exports: of the root, renamed, and of a third file.
        "fn x() -> crate::F { todo!() }",
        "use crate::g; fn x() { g() }",
        "use super::c::F as B; fn x() { B::new() }",
        "#[cfg(not(test))] fn x() { crate::b::f() }",
        "#[cfg(feature = \"latest\")] fn x() { crate::b::f() }",
    ] {
        assert!(is_seen(text), "{text}");
    }
}

#[test]
fn what_is_no_reference_is_not_taken_for_one() {
    for text in [
        "use std::b::B;",
        "fn f() {} fn x() { f() }",
        "use crate::b::*; fn f() {} fn x() { f() }",
        "// crate::b::f()\nconst X: &str = \"crate::b::f()\";",
        "#[cfg(test)] mod tests { use crate::b::B; }",
        "#[cfg(test)] use crate::b::B;",
        "#[cfg(all(test, unix))] fn x() { crate::b::f() }",
        "struct S; impl S { #[cfg(test)] fn x() { crate::b::f() } }",
        "use super::b;",
        "fn x() { assert!(Vec::<u8>::f()) }",
    ] {
        assert!(!is_seen(text), "{text}");
    }
}

#[test]
fn a_name_of_a_module_and_of_a_function_leads_to_both() {
    let files = [
        ("lib.rs", "mod hover; mod other; pub use hover::hover;"),
        ("hover.rs", "pub fn hover() {} pub fn family() {}"),
        ("other.rs", "fn x() { crate::hover(); }"),
    ];
    assert_eq!(references(&files), ["lib.rs -> hover.rs", "other.rs -> hover.rs"]);
}

#[test]
fn globs_that_lead_in_a_circle_end() {
    let files = [
        ("lib.rs", "mod a; mod b; pub use a::*; pub use b::*;"),
        ("a.rs", "pub use crate::*; pub use super::b::*; pub struct A;"),
        ("b.rs", "pub use crate::*; pub use super::a::*; fn x(_: A) {}"),
    ];
    assert!(references(&files).contains(&"b.rs -> a.rs".to_owned()));
}

#[test]
fn names_of_other_crates_are_full_paths() {
    let named = |text: &str| -> Vec<String> {
        resolved(&[("lib.rs", text)]).external.iter().map(|(_, path)| path.join("::")).collect()
    };
    for text in [
        "use std::collections::HashSet; fn x() { HashSet::new(); }",
        "use std::collections::HashSet as Set; fn x() { Set::new(); }",
        "use std::collections; fn x() { collections::HashSet::new(); }",
        "use std::collections::*; fn x() { HashSet::new(); }",
        "mod inner { pub use std::collections; } fn x() { inner::collections::HashSet::new(); }",
        "fn x() { assert!(std::collections::HashSet::new().is_empty()) }",
    ] {
        let names = named(text);
        assert!(names.contains(&"std::collections::HashSet::new".to_owned()), "{text}: {names:?}");
    }
    assert!(named("fn x() { println!() }").contains(&"println".to_owned()));
}

#[test]
fn a_circle_is_found_but_not_that_of_parent_and_child() {
    let family = [
        ("lib.rs", "mod a;"),
        ("a/mod.rs", "mod b; use b::B; pub struct A;"),
        ("a/b.rs", "use super::A; pub struct B;"),
    ];
    assert!(circles(&resolved(&family)).is_empty());

    let pair = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use super::b::B; pub struct A;"),
        ("b.rs", "use super::a::A; pub struct B;"),
    ];
    assert_eq!(circles(&resolved(&pair)), [["a.rs", "b.rs"]]);

    // From a child up to its parent, from there to another module, and back to the child.
    let far = [
        ("lib.rs", "mod a; mod c;"),
        ("a/mod.rs", "pub mod b; use crate::c::C; pub struct A;"),
        ("a/b.rs", "use super::A; pub struct B;"),
        ("c.rs", "use crate::a::b::B; pub struct C;"),
    ];
    assert_eq!(circles(&resolved(&far)), [["a/b.rs", "a/mod.rs", "c.rs"]]);
}

#[test]
fn siblings_count_with_all_that_lies_below_them() {
    let files = [
        ("lib.rs", "mod a; mod c;"),
        ("a/mod.rs", "pub mod b; pub struct A; use crate::c::C;"),
        ("a/b.rs", "pub struct B;"),
        ("c.rs", "use crate::a::b::B; pub struct C;"),
    ];
    assert!(circles(&resolved(&files)).is_empty());
    assert_eq!(sibling_circles(&resolved(&files)), [["a/mod.rs", "c.rs"]]);
}
