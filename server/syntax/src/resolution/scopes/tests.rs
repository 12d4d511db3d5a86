use super::*;

/// The line with the declaration of a name, for every `$0`.
fn meanings(text: &str, name: &str) -> Vec<String> {
    let mut places = Vec::new();
    let mut plain = String::new();
    for part in text.split("$0") {
        plain += part;
        places.push(plain.len());
    }
    places.pop();
    let file = SourceFile::parse(&plain);
    let scopes = Scopes::new(&file, 0..plain.len());
    let whole = |found: ResolvedName| plain[scopes.symbols()[found.symbol].declarations[0].whole.clone()].to_owned();
    places.into_iter().map(|at| scopes.find(name, at).map_or("-".to_owned(), whole)).collect()
}

#[test]
fn labels_are_seen_ahead_within_their_block_only() {
    let text = ".entry k() { $0{ $0L: ret; } { $0 } $0 L : ret; }";
    assert_eq!(meanings(text, "L"), ["L : ret;", "L: ret;", "L : ret;", "L : ret;"]);
    assert_eq!(meanings(".entry k() { $0{ L: ret; } $0 }", "L"), ["-", "-"]);
}

#[test]
fn registers_are_seen_from_their_declaration_on() {
    let text = ".entry k() { .reg .b32 y; { $0 .reg .f32 y; $0 } $0 }";
    assert_eq!(meanings(text, "y"), [".reg .b32 y;", ".reg .f32 y;", ".reg .b32 y;"]);
    assert_eq!(meanings(".entry k() { $0 .reg .b32 y; }", "y"), [".reg .b32 y;"], "a text in the making");
}

#[test]
fn an_outer_name_that_follows_inner_ones_is_outside_of_them() {
    let text = ".entry k() { { .reg .b32 y; $0 } { .reg .b64 y; $0 } .reg .f32 y; $0 { .reg .b16 y; $0 } $0 }";
    assert_eq!(meanings(text, "y"), [".reg .b32 y;", ".reg .b64 y;", ".reg .f32 y;", ".reg .b16 y;", ".reg .f32 y;"]);
}

#[test]
fn ranges_reach_to_their_end_and_the_inner_of_exact_and_range_wins() {
    let text = ".entry k() { .reg .b32 %r<5>; { .reg .f32 %r4; $0 } $0 }";
    assert_eq!(meanings(text, "%r4"), [".reg .f32 %r4;", ".reg .b32 %r<5>;"]);
    assert_eq!(meanings(text, "%r5"), ["-", "-"]);
    assert_eq!(
        meanings(".entry k() { .reg .f32 %r4; { .reg .b32 %r<5>; $0 } $0 }", "%r4"),
        [".reg .b32 %r<5>;", ".reg .f32 %r4;"]
    );
}

#[test]
fn functions_can_be_declared_in_others() {
    let text = ".entry k() { .extern .func (.reg .b32 r) f(.param .b32 p); $0 } $0";
    assert_eq!(meanings(text, "f"), [".extern .func (.reg .b32 r) f(.param .b32 p);", "-"]);
    assert_eq!(meanings(text, "p"), ["-", "-"]);
}

#[test]
fn labels_at_one_place_share_their_block() {
    assert_eq!(meanings(".entry k() { A: B: ret; C: $0 exit; }", "A"), ["A:"]);
    assert_eq!(meanings(".entry k() { A: B: ret; C: $0 exit; }", "B"), ["B: ret;"]);
}

#[test]
fn other_functions_keep_their_names() {
    let text = ".global .b32 g; .entry a(.param .u64 p) { $0 } .entry b() { $0 } $0";
    assert_eq!(meanings(text, "p"), [".param .u64 p", "-", "-"]);
    assert_eq!(meanings(text, "g"), [".global .b32 g;"; 3]);
    assert_eq!(meanings(".func f(); .entry k() { $0 } .func f() { ret; }", "f"), [".func f();"]);
}

#[test]
fn the_scopes_of_one_name_agree_with_those_of_all() {
    let text = ".version 8.0\n.global .b32 x;\n.entry k(.param .u64 p)\n{\n.reg .b32 %r<5>; .reg .b32 a /* b */ <3>, %r10;\nL: M: add.u32 %r1/*é*/, %r2/*€*/, x;\n\
                mov.u32 %r2, %tid.x; { .reg .f32 %r1; L: bra L; { .reg .b64 x; mov.b64 x, p; } }\nN: ld.param.u64 a1, [p]; bra L;\n}\n.entry l(.param .u64 p) { L: ret; }\n";
    let file = SourceFile::parse(text);
    let all = Scopes::new(&file, 0..text.len());
    let place = |scopes: &Scopes, name: &str, at| {
        let found = scopes.find(name, at)?;
        let symbol = &scopes.symbols()[found.symbol];
        Some((
            symbol.declarations.clone().into_iter().map(|one| (one.whole, one.definition)).collect::<Vec<_>>(),
            found.member,
        ))
    };
    for name in ["x", "p", "%r1", "%r2", "%r10", "%r", "%tid", "a1", "L", "M", "N", "k", "l", "missing"] {
        let one = Scopes::of_names(&file, 0..text.len(), &[name]);
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert_eq!(place(&one, name, at), place(&all, name, at), "{name} at {at}");
        }
    }
}

#[test]
fn the_scopes_of_some_kinds_agree_with_those_of_all() {
    let text = ".version 8.0\n.global .b32 x;\n.extern .func f;\n.global .b32 p;\n.entry k(.param .u64 p)\n{\n.reg .b32 %r<5>, y;\nL: add.u32 %r1, %r2, x;\n\
                { .reg .f32 %r1; .local .b32 z; ld.local.f32 %r1, [z]; }\nbra L;\n}\n.entry l() { .reg .b64 %d; ret; }\n";
    let file = SourceFile::parse(text);
    for at in 0..text.len() {
        let all = Scopes::new(&file, at..at);
        for kinds in [
            &[DeclarationKind::Label][..],
            &[DeclarationKind::Function],
            &[DeclarationKind::Register, DeclarationKind::Variable],
        ] {
            let names = |scopes: &Scopes| {
                let wanted = scopes.symbols().iter().filter(|symbol| kinds.contains(&symbol.kind()));
                wanted.map(|symbol| (symbol.name().to_owned(), symbol.scope.clone())).collect::<Vec<_>>()
            };
            assert_eq!(names(&Scopes::of_kinds(&file, at..at, kinds, "")), names(&all), "{kinds:?} at {at}");
        }
    }
    let names = Scopes::of_kinds(&file, 0..0, &[DeclarationKind::Variable], "x");
    assert_eq!(names.symbols().iter().map(Symbol::name).collect::<Vec<_>>(), ["x"]);
}

#[test]
fn a_text_after_edits_has_the_names_of_the_same_text_without() {
    let mut file =
        SourceFile::parse(".version 8.0\n.global .b32 a;\n.entry k() { .reg .b32 %r<3>; ret; }\n.global .b32 c, d;\n");
    for (find, new) in [
        (".global .b32 a;", ".global .b32 b;\n.shared .b32 e;"),
        ("k()", "m(.param .b32 p)"),
        ("c,", ""),
        ("ret;", "ret"),
    ] {
        // What is asked before the edit is taken over.
        assert!(!Scopes::of_names(&file, 0..0, &["a"]).symbols().iter().any(|symbol| symbol.name() == "nothing"));
        let at = file.text().to_string().find(find).unwrap();
        file.edit(at..at + find.len(), new);
        let afresh = SourceFile::parse(&file.text().to_string());
        for name in ["a", "b", "c", "d", "e", "k", "m", "%r1", "p"] {
            let places = |file: &SourceFile| -> Vec<usize> {
                let scopes = Scopes::of_names(file, 0..0, &[name]);
                let named = scopes.symbols().iter().filter(|symbol| symbol.name() == name);
                named.map(|symbol| symbol.first().name.range.start).collect()
            };
            assert_eq!(places(&file), places(&afresh), "{name} in {}", file.text());
        }
    }
}
