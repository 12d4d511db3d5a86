//! `RED` of Maxwell against its reference, and what is said of opcodes that are none.

use super::*;
use crate::reason::ReasonCode;
use crate::tables::rows::RowsFile;

/// The reference's table, written down a second time: operations and sizes, each with what else it is called.
const SIZES_OF: [(&str, &[&str]); 8] = [
    ("ADD", &["U32", "S32", "U64", "F32.FTZ.RN", "F16x2.RN", "F64.RN"]),
    ("MIN", &["U32", "S32", "U64", "S64", "F16x2.RN"]),
    ("MAX", &["U32", "S32", "U64", "S64", "F16x2.RN"]),
    ("INC", &["U32"]),
    ("DEC", &["U32"]),
    ("AND", &["U32", "S32", "U64"]),
    ("OR", &["U32", "S32", "U64"]),
    ("XOR", &["U32", "S32", "U64"]),
];
const ALL: [&str; 10] =
    ["U32", "S32", "U64", "S64", "F32.FTZ.RN", "F16x2.RN", "F64.RN", "F16x2.FTZ.RN", "F32.RN", "128"];

fn resolved(opcode: &str) -> SassResolution {
    let words: Vec<&str> = opcode.split('.').collect();
    resolve(words[0], &words[1..], SassContext::default())
}

#[test]
fn red_of_maxwell_allows_exactly_what_the_reference_lists() {
    for (op, legal) in SIZES_OF {
        for extended in ["", ".E"] {
            for size in ALL {
                let found = resolved(&format!("RED{extended}.{op}.{size}"));
                match found {
                    SassResolution::Legal(one) => {
                        assert!(legal.contains(&size) && one.size.name == size, "{op}.{size}")
                    }
                    SassResolution::Illegal(reason) => {
                        assert!(
                            !legal.contains(&size) && reason.code == ReasonCode::IllegalType,
                            "{op}.{size} {reason:?}"
                        );
                    }
                    SassResolution::Unknown => panic!("{op}.{size}"),
                }
            }
            let SassResolution::Legal(silent) = resolved(&format!("RED{extended}.{op}")) else { panic!("{op}") };
            assert_eq!(silent.size.name, "U32");
            for (alias, meant) in [("32", "U32"), ("64", "U64")] {
                let is_legal = matches!(resolved(&format!("RED{extended}.{op}.{alias}")), SassResolution::Legal(_));
                assert_eq!(is_legal, legal.contains(&meant), "{op}.{alias}");
            }
        }
    }
}

#[test]
fn diagnostics_are_at_the_words_at_fault() {
    let reason = |opcode: &str| match resolved(opcode) {
        SassResolution::Illegal(reason) => (reason.code, reason.words, reason.fix),
        other => panic!("{opcode}: {other:?}"),
    };
    let fix = |text: &str| Some(text.to_owned());
    assert_eq!(reason("RED.ADD.S64"), (ReasonCode::IllegalType, 1..2, fix(".U64")));
    assert_eq!(reason("RED.MIN.F16x2.FTZ.RN"), (ReasonCode::IllegalType, 1..4, fix(".F16x2.RN")));
    assert_eq!(reason("RED.CAS"), (ReasonCode::IllegalModifier, 0..1, None));
    assert_eq!(reason("RED.E"), (ReasonCode::MissingModifier, 0..0, None));
    assert_eq!(reason("RED.ADD.MIN"), (ReasonCode::ConflictingModifiers, 1..2, fix("")));
    assert_eq!(reason("RED.ADD.U32.U32"), (ReasonCode::DuplicateModifier, 2..3, fix("")));
    assert_eq!(reason("RED.ADD.U322"), (ReasonCode::UnknownModifier, 1..2, fix(".U32")));
    assert_eq!(reason("RED.U32.ADD").0, ReasonCode::IllegalModifier);
    assert_eq!(reason("REDG.E.ADD.S64.STRONG.GPU"), (ReasonCode::IllegalType, 2..3, fix(".64")));
    assert_eq!(reason("REDG.E.ADD"), (ReasonCode::MissingModifier, 1..2, None));
    assert_eq!(reason("ATOMS.E.ADD"), (ReasonCode::IllegalModifier, 0..1, fix("")));
    assert!(matches!(resolved("ATOM.ADD"), SassResolution::Unknown));
    assert!(matches!(resolved("MOV"), SassResolution::Unknown));
}

#[test]
fn a_target_decides() {
    let on = |opcode: &str, target| {
        let words: Vec<&str> = opcode.split('.').collect();
        match resolve(words[0], &words[1..], SassContext { target: Some(target), ..SassContext::default() }) {
            SassResolution::Legal(_) => None,
            SassResolution::Illegal(reason) => Some(reason.code),
            SassResolution::Unknown => panic!("{opcode}"),
        }
    };
    assert_eq!(on("REDG.E.ADD.STRONG.GPU", 90), None);
    assert_eq!(on("REDG.E.ADD.STRONG.GPU", 80), Some(ReasonCode::RequiresTarget));
    assert_eq!(on("RED.E.ADD.STRONG.GPU", 80), None);
    assert_eq!(on("RED.E.ADD.STRONG.GPU", 120), Some(ReasonCode::RequiresTarget));
    assert_eq!(on("ATOMG.E.ADD.F32.RN.STRONG.GPU", 80), Some(ReasonCode::RequiresTarget));
    assert_eq!(on("LDGMC.E.F32ADD.F16x2.RN.STRONG.GPU", 100), Some(ReasonCode::RequiresTarget));
    assert_eq!(on("RED.E.ADD", 52), None);
    let kepler = SassContext { target: Some(35), ..SassContext::default() };
    assert!(matches!(resolve("RED", &["ADD", "S64"], kepler), SassResolution::Unknown));
}

#[test]
fn an_invalid_row_is_reported_with_file_and_line() {
    let head = "family ZAP current always sm_90 offset 24\n";
    let cases = [
        ("ADD : 33", "unknown size `33`"),
        ("ADD 32", "missing colon between operations and sizes"),
        ("operands d, [e]", "unknown operand `[e]`"),
        ("family ZIP modern always sm_90 offset 24", "unknown dialect `modern`"),
        ("family ZIP current always sm_90", "missing `offset` with a number of bits"),
    ];
    for (row, message) in cases {
        let text = [head, row].concat().leak();
        let error = read::read(RowsFile { path: "zap.rows", text }).expect_err(row);
        assert_eq!(error.to_string(), format!("zap.rows:2: {message}"));
    }
}
