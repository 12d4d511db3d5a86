//! Integer constants where an instruction takes one, against the assembler's recorded answers.

use super::{differences, recorded_operand, with_operand};
use std::collections::BTreeMap;
use support::{evidence, gunzip};

/// Bounds, multiples, and sizes that belong together.
#[test]
fn every_constant_is_an_error_to_both_or_to_none() {
    let recorded = gunzip(&evidence("operands").join("values.txt.gz"));
    let mut lines = recorded.lines();
    let declarations = lines.next().expect("the declarations");
    let values: Vec<&str> = lines.next().expect("the constants").split(' ').collect();
    let paired: Vec<&str> = lines.next().expect("the constants of pairs").split(' ').collect();
    let mut asked: BTreeMap<&str, Vec<(bool, String)>> = BTreeMap::new();
    for line in lines {
        let (target, places, instruction, accepted) = recorded_operand(line);
        let of_target = asked.entry(target).or_default();
        let index = |place: &str| place.parse().expect("an index");
        let written: Vec<String> = match places.split_once(',') {
            None => values.iter().map(|value| with_operand(instruction, index(places), value)).collect(),
            Some((first, second)) => {
                let all = paired.iter().flat_map(|one| paired.iter().map(move |other| (one, other)));
                let both = |(one, other): (&&str, &&str)| {
                    with_operand(&with_operand(instruction, index(first), one), index(second), other)
                };
                all.map(both).collect()
            }
        };
        of_target.extend(written.into_iter().enumerate().map(|(at, line)| (accepted.contains(&at), line)));
    }
    let mut wrong = Vec::new();
    for (target, lines) in &asked {
        for (at, found) in differences(target, declarations, lines) {
            let (accepted, line) = &lines[at];
            wrong.push(format!("{} {target} {line} {found:?}", if *accepted { "accepted" } else { "rejected" }));
        }
    }
    let count: usize = asked.values().map(Vec::len).sum();
    assert!(wrong.is_empty(), "{} of {count} disagree:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 70_000, "{count}");
}
