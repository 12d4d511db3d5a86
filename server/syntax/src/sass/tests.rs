use super::*;

fn first(text: &str) -> Listing {
    Listing::parse(text)
}

fn operands(text: &str) -> Vec<String> {
    let listing = first(text);
    let mut shown = Vec::new();
    listing.walk(|event| {
        if let ListingEvent::Instruction(instruction) = event {
            shown.extend(instruction.operands().iter().map(show));
        }
    });
    shown
}

fn show(operand: &SassOperand) -> String {
    let terms = |terms: &[AddressTerm]| {
        let one = |term: &AddressTerm| {
            let sign = if term.negative { "-" } else { "+" };
            match &term.kind {
                TermKind::Register(name, words) => format!("{sign}{}{words:?}", name.text),
                TermKind::Number(value) => format!("{sign}{value:?}"),
            }
        };
        terms.iter().map(one).collect::<String>()
    };
    match &operand.kind {
        SassOperandKind::Register(name) => name.text.to_string(),
        SassOperandKind::Address(address) => format!("{}[{}]", terms(&address.descriptor), terms(&address.terms)),
        SassOperandKind::Other => "other".to_owned(),
    }
}

#[test]
fn operands_are_classified() {
    assert_eq!(operands("@!P0 RED.E.MIN.U32 [R0 - 400], R5 &req={0} ?WAIT2;"), ["[+R0[]-Some(400)]", "R5"]);
    assert_eq!(operands("RED.MIN.S32 [0xFFFF0000], R1;"), ["[+Some(4294901760)]", "R1"]);
    assert_eq!(
        operands("ATOMG.E.CAS.64.STRONG.GPU PT, R2, desc[UR4][R2.64+-0x84], R6.reuse, R8 ;"),
        ["PT", "R2", "+UR4[][+R2[\"64\"]+Some(-132)]", "R6", "R8"]
    );
    assert_eq!(operands("LDC R1, c[0x0][0x28] ;"), ["R1", "other"]);
    assert_eq!(operands("MOV R1, 0x5 ;"), ["R1", "other"]);
}

#[test]
fn targets_and_parts_are_found() {
    let text =
        "\tcode for sm_90a\n\t\tFunction : k\n\t.headerflags\t@\"EF_CUDA_SM90\"\n.L_x_1:\n        /*0000*/  EXIT ;\n";
    let listing = first(text);
    let mut targets = Vec::new();
    listing.walk(|event| {
        if let ListingEvent::Target(number) = event {
            targets.push(number);
        }
    });
    assert_eq!(targets, [90, 90]);
    let parts: Vec<_> = listing.parts().iter().map(|part| (part.kind, part.name.text.to_string())).collect();
    assert_eq!(parts, [(PartKind::Function, "k".to_owned()), (PartKind::Label, ".L_x_1".to_owned())]);
    assert_eq!(syntax_errors(&listing), []);
}

#[test]
fn a_broken_line_is_reported_once() {
    let errors = |text: &str| -> Vec<(Range<usize>, String)> {
        syntax_errors(&first(text)).into_iter().map(|error| (error.range, error.message)).collect()
    };
    assert_eq!(errors("RED.ADD [R0], R1\n"), [(16..16, "expected `;` after the instruction".to_owned())]);
    assert_eq!(errors("EXIT;\n$ $ $\nEXIT;\n").len(), 1);
    assert_eq!(errors("EXIT;\n"), []);
}

#[test]
fn any_text_and_any_place_is_answered() {
    for text in [
        "",
        "RED",
        "RED.ADD [",
        "desc[][R2]",
        "RED.ADD desc[UR4], R1;",
        "é [",
        "[R0-",
        "@",
        "/*0000*/",
        "RED.ADD [0x99999999999999999999], R1;",
    ] {
        let listing = first(text);
        listing.walk(|event| {
            if let ListingEvent::Instruction(instruction) = event {
                instruction.operands();
                instruction.words();
            }
        });
        syntax_errors(&listing);
        for offset in 0..=text.len() + 1 {
            listing.instruction_at(offset);
            listing.around(offset);
            listing.leaves(listing.clamp(offset)..text.len());
        }
        listing.parts();
    }
}
