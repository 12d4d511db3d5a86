//! Which tests may wait forever: both implementations, our tests, mutants, random programs.

use crate::naive::{self, Mutant, TERMINATION_MUTANTS};
use crate::{files, read};
use litmus::{Test, TestTermination};
use memory_model::{AXIOMS, Budget, Fairness, Termination, may_be_endless, termination};
use support::{Rng, pick};

/// What begins the line that says whether a test ends.
const MARK: &str = "// termination: ";

/// Tests whose outcomes have no bound that the search finds, because each attempt writes: locks by exchange.
const LOCKS: [(&str, &str); 2] = [
    (
        "PTX kept\n{ P0:r0=0; P1:r0=0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nLC00: | LC00: ;\n\
      atom.acquire.gpu.exch r0, m, 1 | atom.acquire.gpu.exch r0, m, 1 ;\nbne r0, 0, LC00 | bne r0, 0, LC00 ;\n\
      exists (P0:r0 == 0)\n",
        "endless",
    ),
    (
        "PTX released\n{ P0:r0=0; P1:r0=0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nLC00: | LC00: ;\n\
      atom.acquire.gpu.exch r0, m, 1 | atom.acquire.gpu.exch r0, m, 1 ;\nbne r0, 0, LC00 | bne r0, 0, LC00 ;\n\
      st.release.gpu m, 0 | st.release.gpu m, 0 ;\nexists (P0:r0 == 0)\n",
        "ends",
    ),
];

/// Our tests that say whether they end: what they say, and the test.
fn marked() -> Vec<(String, Test)> {
    let said = |text: &str| text.lines().find_map(|line| line.strip_prefix(MARK)).map(str::to_owned);
    let files = files();
    let marked = files.iter().filter_map(|(_, text)| Some((said(text)?, read(text))));
    marked.chain(LOCKS.iter().map(|(text, said)| ((*said).to_owned(), read(text)))).collect()
}

/// Whether a program has a fair execution that does not end. It must be one by the definitions, and break no axiom.
fn may_wait_forever(test: &Test, fairness: Fairness) -> bool {
    match termination(&test.program, fairness, Budget::default()) {
        Termination::Ends => false,
        Termination::Endless(found) => {
            assert!(found.is_fair(fairness), "{}: unfair", test.name);
            assert!(AXIOMS.iter().all(|axiom| axiom.violated(&found.execution).is_none()), "{}", test.name);
            true
        }
        other => panic!("{}: {other:?}", test.name),
    }
}

#[test]
fn each_test_ends_as_it_says() {
    let marks = files().iter().filter(|(_, text)| text.contains(MARK)).count();
    assert!(files().iter().all(|(_, text)| may_be_endless(&read(text).program) == text.contains(MARK)));
    let mut waits = 0;
    for (said, test) in marked() {
        let found = TestTermination::of(&test, Budget::default()).expect("a loop or a wait");
        assert_eq!(found.word(), said, "{}", test.name);
        waits += usize::from(found.execution().is_some());
    }
    assert!(waits >= 12 && marks >= 30, "{waits} of {marks} tests can wait forever");
}

#[test]
fn the_second_implementation_agrees_on_termination() {
    let mut asked = 0;
    for (_, test) in marked() {
        for fairness in [Fairness::MorallyStrong, Fairness::EveryWrite] {
            if let Some(expected) = naive::may_wait_forever(&test.program, fairness, Mutant::None) {
                assert_eq!(may_wait_forever(&test, fairness), expected, "{} {fairness:?}", test.name);
                asked += 1;
            }
        }
    }
    assert!(asked >= 40, "only {asked} were asked");
}

#[test]
fn every_mutant_of_termination_dies() {
    let tests: Vec<_> =
        marked().into_iter().map(|(_, test)| (may_wait_forever(&test, Fairness::MorallyStrong), test)).collect();
    for mutant in TERMINATION_MUTANTS {
        let detects = |(truth, test): &(bool, Test)| {
            naive::may_wait_forever(&test.program, Fairness::MorallyStrong, *mutant)
                .is_some_and(|wrong| wrong != *truth)
        };
        assert!(tests.iter().any(detects), "no test detects {mutant:?}");
    }
}

/// A program with loops that wait.
fn program(rng: &mut Rng) -> String {
    let threads = 2 + rng.usize(..2);
    let columns: Vec<Vec<String>> = (0..threads)
        .map(|_| {
            let mut cells = Vec::new();
            let waits = rng.usize(..3);
            for at in 0..2 {
                if at < waits {
                    waiting(rng, &mut cells);
                } else {
                    cells.push(effect(rng));
                }
            }
            cells
        })
        .collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or_default();
    let row =
        |at: usize| columns.iter().map(|cells| cells.get(at).map_or("", |cell| cell)).collect::<Vec<_>>().join(" | ");
    let body: String = (0..rows).map(|at| row(at) + " ;\n").collect();
    let heads: Vec<String> = (0..threads).map(|at| format!("P{at}@cta {},gpu 0", rng.u64(..2))).collect();
    format!("PTX random\n{{ x=0; y=0; }}\n{} ;\n{body}exists (x == 0)\n", heads.join(" | "))
}

/// A loop that reads until it sees a value, or a barrier.
fn waiting(rng: &mut Rng, cells: &mut Vec<String>) {
    let (label, location) = (format!("LC{}", cells.len()), pick(rng, &["x", "y"]));
    let register = format!("r{}", cells.len());
    let scope = pick(rng, &["cta", "gpu"]);
    let access = match rng.u64(..8) {
        0 => return cells.push("bar.cta.sync 0".to_owned()),
        1 => format!("ld.weak {register}, {location}"),
        2 | 3 => format!("ld.relaxed.{scope} {register}, {location}"),
        4 => format!("atom.relaxed.{scope}.exch {register}, {location}, 1"),
        5 => format!("atom.acquire.{scope}.cas {register}, {location}, 0, 1"),
        _ => format!("ld.acquire.{scope} {register}, {location}"),
    };
    let jump = pick(rng, &["beq", "bne"]);
    cells.extend([format!("{label}:"), access, format!("{jump} {register}, {}, {label}", rng.u64(..2))]);
}

fn effect(rng: &mut Rng) -> String {
    let (location, scope) = (pick(rng, &["x", "y"]), pick(rng, &["cta", "gpu"]));
    match rng.u64(..6) {
        0 => format!("st.weak {location}, 1"),
        1 => format!("st.release.{scope} {location}, {}", rng.u64(..2)),
        2 => "bar.cta.sync 0".to_owned(),
        3 => format!("atom.acq_rel.{scope}.exch r9, {location}, {}", rng.u64(..2)),
        4 => format!("fence.sc.{scope}"),
        _ => format!("st.relaxed.{scope} {location}, 1"),
    }
}

#[test]
fn both_implementations_agree_on_random_loops() {
    let mut rng = Rng::with_seed(20_261_125);
    let wanted = if support::full() { 3_000 } else { 60 };
    let (mut asked, mut waits) = (0, 0);
    while asked < wanted {
        let text = program(&mut rng);
        let test = read(&text);
        let fairness = *pick(&mut rng, &[Fairness::MorallyStrong, Fairness::EveryWrite]);
        if let Some(expected) = naive::may_wait_forever(&test.program, fairness, Mutant::None) {
            assert_eq!(may_wait_forever(&test, fairness), expected, "{fairness:?} {text}");
            asked += 1;
            waits += usize::from(expected);
        }
    }
    assert!(waits * 10 > asked && waits < asked, "{waits} of {asked} programs can wait forever");
}
