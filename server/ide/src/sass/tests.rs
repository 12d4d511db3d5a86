use crate::features::{ReferenceFilter, SymbolKind, TokenKind};
use crate::{Ide, Text};
use diagnostics::Settings;
use hosts::Language;
use std::sync::Arc;

const LISTING: &str = "\tcode for sm_90\n\t\tFunction : k\n        /*0000*/  @!P0 REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR6][R2.64+0x10], R7 ;\n.L_x_0:\n        /*0010*/  EXIT ;\n\t\tFunction : l\n        /*0000*/  EXIT ;\n";

fn source(text: &str) -> Arc<dyn Ide> {
    Text::parse(Language::Sass, text).under(Settings::default())
}

fn hover(text: &str, word: &str) -> String {
    let at = text.find(word).expect("the word is there") + 1;
    source(text).hover(at).map(|hover| hover.markdown).unwrap_or_default()
}

fn labels(typed: &str) -> Vec<String> {
    source(typed).complete(typed.len()).into_iter().map(|offer| offer.label).collect()
}

#[test]
fn hover_describes_instructions_and_their_execution() {
    let red = "RED.E.INC [R0 - 400], R5 &req={0} ?WAIT2;";
    let about = hover(red, "RED");
    for part in ["0 if M >= b, else M + 1", "20-bit", "`LD.CG`", "L1", "128-byte", "helper pixels", "order"] {
        assert!(about.contains(part), "{part} is missing in {about}");
    }
    assert!(hover(red, "E.INC").contains("64-bit"), "{}", hover(red, "E.INC"));
    assert!(hover(red, "INC").contains("M + 1"));
    assert!(hover(red, "&req").contains("barriers"));
    assert!(hover(red, "?WAIT2").contains("sched"));
    assert!(hover(red, "[R0").contains("64 bits"));
    assert!(hover(LISTING, "REDG").contains("descriptor") && hover(LISTING, "FTZ").contains("subnormal"));
    assert!(hover("RED.ADD.U32 [0], R1;", "RED").contains("40 bits"));
    // The PTX that compiles to it.
    assert!(hover(LISTING, "REDG").contains("- `red.global.add.f32`, on sm_90"), "{}", hover(LISTING, "REDG"));
    assert!(hover("RED.AND.64 [R0], R2;", "RED").contains("`red.global.and.b64`"));
    assert!(
        hover("RED.MIN.F16x2.RN [R0], R2;", "RED").contains("smaller")
            && !hover("RED.MIN.F16x2.RN [R0], R2;", "RED").contains("PTX**")
    );
    // The page of the mnemonic is a link away.
    for at in [1, 9] {
        let illegal = source("RED.ADD.F64 [0], R1;").hover(at).expect("a hover");
        // Only at the modifier at fault is there a diagnostic.
        assert_eq!(illegal.error.is_some(), at == 9);
        let error = illegal.error.unwrap_or(illegal.markdown);
        assert!(error.starts_with("**error**: ") && error.len() < 200, "{error}");
        assert_eq!(illegal.page.as_deref(), Some("RED"));
    }
    assert!(hover(LISTING, "sm_90").contains("Hopper"));
    assert_eq!(hover("MOV R1, R2;", "MOV"), "");
}

#[test]
fn completion_offers_what_the_rows_have() {
    assert!(labels("RE").contains(&"REDG".to_owned()) && labels("@!P0 RE").contains(&"RED".to_owned()));
    assert!(labels("        /*0010*/   RE").contains(&"RED".to_owned()));
    let ops = labels("RED.");
    assert!(
        ops.contains(&"E".to_owned()) && ops.contains(&"XOR".to_owned()) && !ops.contains(&"CAS".to_owned()),
        "{ops:?}"
    );
    let sizes = labels("RED.E.MIN.");
    assert!(sizes.contains(&"S64".to_owned()) && !sizes.contains(&"F32.FTZ.RN".to_owned()), "{sizes:?}");
    assert_eq!(labels("REDG."), ["E"]);
    let rest = labels("REDG.E.ADD.F64.RN.");
    assert_eq!(rest, ["STRONG.CTA", "STRONG.SM", "STRONG.GPU", "STRONG.SYS"]);
    assert!(labels("RED.ADD [R0").is_empty());
}

#[test]
fn the_outline_has_functions_with_their_labels() {
    let symbols = source(LISTING).document_symbols();
    let shown: Vec<_> = symbols.iter().map(|one| (one.name.as_str(), one.kind, one.children.len())).collect();
    assert_eq!(shown, [("k", SymbolKind::Function, 1), ("l", SymbolKind::Function, 0)]);
    assert_eq!(symbols[0].children[0].name, ".L_x_0");
    let nvdisasm = "\t.section\t.text.k,\"ax\",@progbits\nk:\n.text.k:\n        /*0000*/  EXIT ;\n.L_x_6:\n\t.section\t.nv.info,\"\"\n\t.byte 0x1\n";
    let symbols = source(nvdisasm).document_symbols();
    let shown: Vec<_> = symbols.iter().map(|one| (one.name.as_str(), one.children.len())).collect();
    assert_eq!(shown, [("k", 1)]);
    assert_eq!(source(nvdisasm).folding_ranges().len(), 2);
    assert!(source("RED.ADD [0], R1;").folding_ranges().is_empty());
}

#[test]
fn labels_and_registers_are_followed() {
    let text = "k:\n.L_x_0:\n  @P0 BRA `(.L_x_0) ;\n  @!P0 BRA `(.L_x_1) ;\n  IADD3 R2, R2, 0x1, RZ ;\n  RED.ADD [R2], R22 ;\n";
    let source = source(text);
    let at = |word: &str| text.find(word).expect("there") + 2;
    let shown = |ranges: Vec<std::ops::Range<usize>>| {
        ranges.into_iter().map(|range| text[range].to_owned()).collect::<Vec<_>>()
    };
    let found = source.definition(at("`(.L_x_0")).expect("the label stands there");
    assert_eq!((&text[found.origin], found.targets[0].selection.start), (".L_x_0", 3));
    assert_eq!(source.definition(at("`(.L_x_1")), None);
    assert_eq!(shown(source.references(at(".L_x_0:"), ReferenceFilter::All)), [".L_x_0", ".L_x_0"]);
    assert_eq!(source.references(at(".L_x_0:"), ReferenceFilter::UsesOnly).len(), 1);
    assert_eq!(source.highlights(at(".L_x_0:")).len(), 2);
    assert_eq!(shown(source.references(at("[R2]"), ReferenceFilter::All)), ["R2", "R2", "R2"]);
    assert_eq!(shown(source.references(at("@P0"), ReferenceFilter::All)), ["P0", "P0"]);
    assert!(
        source.references(0, ReferenceFilter::All).len() == 1
            && source.references(at("0x1"), ReferenceFilter::All).is_empty()
    );
}

#[test]
fn words_have_colours() {
    let tokens = source(LISTING).semantic_tokens(None);
    let shown: Vec<_> = tokens.iter().map(|token| (&LISTING[token.range.clone()], token.kind)).collect();
    for (word, kind) in [
        ("@!P0", TokenKind::Predicate),
        ("REDG", TokenKind::Mnemonic),
        (".E.ADD.F32.FTZ.RN.STRONG.GPU", TokenKind::Modifier),
        ("R2.64", TokenKind::Register),
        ("0x10", TokenKind::Number),
        (".L_x_0:", TokenKind::Label),
        ("/*0000*/", TokenKind::Comment),
    ] {
        assert!(shown.contains(&(word, kind)), "{word}: {shown:?}");
    }
    assert!(tokens.is_sorted_by_key(|token| token.range.start));
}

#[test]
fn functions_have_demangled_names() {
    let cuobjdump = LISTING.replace("Function : k", "Function : _Z5scaleIfEvPT_i");
    let nvdisasm = "\t.section\t.text._Z5scaleIfEvPT_i,\"ax\",@progbits\n_Z5scaleIfEvPT_i:\n.text._Z5scaleIfEvPT_i:\n        /*0000*/  EXIT ;\n.L_x_6:\n";
    for text in [&cuobjdump, nvdisasm] {
        let symbols = source(text).document_symbols();
        assert_eq!((&*symbols[0].name, symbols[0].children.len()), ("scale<float>", 1), "{symbols:?}");
        assert_eq!(symbols[0].written_name(), "_Z5scaleIfEvPT_i");
        assert_eq!(hover(text, "_Z5scale"), "Demangled: `scale<float>(float*, int)`");
    }
}
