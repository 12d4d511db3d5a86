use super::*;

fn shown(text: &str, within: Range<usize>) -> String {
    let file = SourceFile::parse(text);
    let mut shown = String::new();
    token_events(&file, within, |event| match event {
        TokenEvent::Enter(node_kind, _) => shown += &format!("{node_kind:?}( "),
        TokenEvent::Leave(..) => shown += ") ",
        TokenEvent::Token(token) => shown += &format!("{:?}:{} ", token.kind, &text[token.range]),
    });
    shown
}

#[test]
fn leaves_are_split_and_constructs_balance() {
    let text = ".entry k()\n{ @!%p bra L;\nL: atom.global.L2::cache_hint.add.f32 v.x, [%rd1+-4], 1.5e-3, WARP_SZ; }\n";
    assert_eq!(
        shown(text, 0..text.len()),
        "Function( Directive:.entry Name:k Parameters( Punctuation:( Punctuation:) ) Block( Punctuation:{ \
         Instruction( Punctuation:@ Operator:! Name:%p Mnemonic:bra Name:L Punctuation:; ) \
         BasicBlock( Label( Name:L Punctuation:: ) \
         Instruction( Mnemonic:atom Modifier:.global Modifier:.L2::cache_hint Modifier:.add Modifier:.f32 \
         Name:v Selector:.x Punctuation:, Punctuation:[ Name:%rd1 Operator:+ Operator:- Integer:4 Punctuation:] Punctuation:, \
         Float:1.5e-3 Punctuation:, Name:WARP_SZ Punctuation:; ) ) Punctuation:} ) ) "
    );
}

#[test]
fn a_range_streams_only_what_touches_it() {
    let text = ".entry a() { ret; }\n.entry b() { trap; exit; }\n";
    let at = text.find("exit").unwrap();
    assert_eq!(shown(text, at + 1..at + 2), "Function( Block( Instruction( Mnemonic:exit ) ) ) ");
}

#[test]
fn functions_declared_in_others_are_functions() {
    let text = ".entry a() { .extern .func (.reg .b32 r) f(.param .b8 p[4]); }";
    let expected = "Function( Directive:.extern Directive:.func Parameters( Punctuation:( Parameter( Directive:.reg Type:.b32 Name:r ) \
        Punctuation:) ) Name:f Parameters( Punctuation:( Parameter( Directive:.param Type:.b8 Name:p Punctuation:[ Integer:4 \
        Punctuation:] ) Punctuation:) ) Punctuation:; )";
    assert!(shown(text, 0..text.len()).contains(expected), "{}", shown(text, 0..text.len()));
}

#[test]
fn what_is_misplaced_or_unknown_still_has_its_words() {
    let text = ".version 8.0\n.target sm_90\nadd.u32 a, b, 1;\nL: ret;\n.entry k() { }\n.nonsense\n.entry l() { }\n";
    let shown = shown(text, 0..text.len());
    assert!(shown.contains("Mnemonic:add Modifier:.u32 Name:a"), "{shown}");
    assert!(shown.contains("Name:L") && shown.contains("Mnemonic:ret"), "{shown}");
    assert!(shown.contains("Directive:.nonsense"), "{shown}");
}

#[test]
fn comments_inside_an_opcode_are_tokens() {
    let text = ".entry a() { red /* .x */ .add // y\n .u32 [a], 1; }";
    assert!(
        shown(text, 0..text.len()).contains("Mnemonic:red Comment:/* .x */ Modifier:.add Comment:// y Modifier:.u32 ")
    );
}
