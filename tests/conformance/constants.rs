//! Constants against the assembler's recorded answers: what overflows and what divides by zero is an error here too, in every place where a
//! constant may stand, and nothing else is.

use diagnostics::{Settings, Snapshot};
use lints::Check;
use std::fmt::Write;
use std::fs;
use syntax::{LintFile, SourceFile};

const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// The module of a recorded place, with a constant in it.
fn module(place: &str, constant: &str, places: &str) -> String {
    let text =
        places.lines().find_map(|line| line.split_once(" | ").filter(|(name, _)| *name == place)).expect("a place").1;
    // The marker of `@@DWARF` is none of ours.
    let text = text.replace("@@", "\u{1}").replace('@', constant).replace('\u{1}', "@@");
    format!("{HEAD}{}\n", text.replace("\\n", "\n"))
}

#[test]
fn the_assembler_refuses_the_same_constants() {
    let read =
        |name: &str| fs::read_to_string(support::evidence("constants").join(name)).expect("the evidence is committed");
    let (places, answers) = (read("places.txt"), read("answers.txt"));
    let (mut asked, mut failures) = (0, String::new());
    for answer in answers.lines() {
        let [verdict, place, constant] = answer.splitn(3, " | ").collect::<Vec<_>>()[..] else { panic!("{answer}") };
        let expected = match verdict {
            "taken" => false,
            "overflow" | "division" => true,
            _ => continue,
        };
        asked += 1;
        let module = module(place, constant, &places);
        for (path, file) in [("parse", SourceFile::parse(&module).into()), ("lint", LintFile::parse(&module))] {
            let diagnostics = Snapshot::new(file, Settings::default()).diagnostics();
            let reported = |code| diagnostics.iter().filter(move |diagnostic| diagnostic.code() == code);
            let kind = |message: &str| message.starts_with("division") == (verdict == "division");
            let agrees = if expected {
                reported("invalid-constant").all(|diagnostic| kind(&diagnostic.message()))
            } else {
                reported("invalid-constant").next().is_none()
            };
            // What cannot be read at all is refused as well.
            let refused = reported("invalid-constant").chain(reported("syntax-error")).next().is_some();
            if !agrees || (expected && !refused) {
                writeln!(failures, "{answer}, {path}: {diagnostics:?}").unwrap();
            }
        }
    }
    assert!(asked >= 1100, "questions were lost: {asked}");
    assert!(failures.is_empty(), "{failures}");
}
