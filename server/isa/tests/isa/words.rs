//! The messages: for each error the code, the token, the message, the help and the first fix.

use crate::common::{module, verdict};
use ptx_isa::Resolution;

/// Lines `opcode @ target version`, each followed by `code token: message | help | first fix`. Written with `PTX_ATOMICS_UPDATE=1`.
const MESSAGES: &str = include_str!("messages.txt");

fn message(question: &str) -> String {
    let (opcode, place) = question.split_once(" @ ").expect("opcode @ target version");
    let (target, version) = place.split_once(' ').expect("target version");
    let Resolution::Illegal(reasons) = verdict(opcode, &module(version, target)) else {
        panic!("{question} is not illegal")
    };
    let reason = &reasons[0];
    let token = reason.at.map_or("(mnemonic)", |at| opcode.split('.').nth(at + 1).expect("a modifier"));
    let fix = reason.fixes.first().map_or("no fix", |fix| &fix.title);
    let raise = reason.requires.as_ref().and_then(|requires| requires.raise).map(|raise| format!("raise {raise}"));
    let help: Vec<_> = [reason.help.clone()].into_iter().filter(|help| !help.is_empty()).chain(raise).collect();
    format!("{} {token}: {} | {} | {fix}", reason.code.as_str(), reason.message, help.join("; or "))
}

#[test]
fn messages_say_what_is_wrong_and_what_to_write() {
    let questions: Vec<&str> = MESSAGES.lines().step_by(2).collect();
    assert!(questions.len() >= 40, "{}", questions.len());
    let messages: String =
        questions.iter().map(|question| format!("{question}\n    {}\n", message(question))).collect();
    if std::env::var_os("PTX_ATOMICS_UPDATE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/isa/messages.txt");
        std::fs::write(path, messages).expect("a file of this repository");
        return;
    }
    for (now, recorded) in messages.lines().zip(MESSAGES.lines()) {
        assert_eq!(now, recorded);
    }
}
