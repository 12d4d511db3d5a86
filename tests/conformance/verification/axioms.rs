//! Launches as programs of the memory model: their outcomes against those of litmus tests with the same instructions, and what `check` says by them.

use crate::buffering::{WORDS, allowed, kernel_text, litmus_text, program, words};
use crate::checked::{CheckedModule, sized};
use explorer::FoundProblem;
use fastrand::Rng;
use kernel::modelled::ModelAnswer;
use std::collections::BTreeSet;
use std::fmt::Write;

const PROGRAMS: usize = 300;

#[test]
fn a_launch_has_the_outcomes_of_its_litmus_test() {
    let mut random = Rng::with_seed(291);
    for _ in 0..PROGRAMS {
        let threads = program(&mut random);
        let (litmus, kernel) = (litmus_text(&threads), kernel_text(&threads));
        let launch = CheckedModule::new(&kernel).launch(&sized("k", 2, 2, &[&format!("memory=u32[{WORDS}]")]));
        let found: BTreeSet<_> =
            launch.allowed_by_axioms().expect("a program of the model").iter().map(words).collect();
        assert_eq!(found, allowed(&litmus), "{litmus}\n{kernel}");
    }
}

/// Threads that hand plain data on by flags, perhaps with too little order: the search finds a data race where the axioms say that there is one.
#[test]
fn a_launch_has_the_data_races_that_the_search_finds() {
    let mut random = Rng::with_seed(292);
    let (mut racy, mut clean) = (0, 0);
    for _ in 0..PROGRAMS {
        let kernel = handing_on(&mut random);
        let launch = CheckedModule::new(&kernel).launch(&sized("k", 3, 1, &["memory=u32[8]"]));
        let (found, _) = launch.explored(100_000);
        if found.unfinished().is_some() {
            continue;
        }
        let codes = |problems: &[FoundProblem]| -> BTreeSet<&str> {
            problems.iter().filter_map(|one| one.problem.as_ref()).map(|problem| problem.kind.code()).collect()
        };
        // Executions that do not end are left to the search.
        if codes(&found.problems).contains("deadlock") {
            continue;
        }
        let by_axioms = match launch.answer_of_axioms() {
            ModelAnswer::Problems(problems) => codes(&problems),
            ModelAnswer::NoProblem => BTreeSet::new(),
            ModelAnswer::Unknown => panic!("no answer: {kernel}"),
        };
        assert_eq!(codes(&found.problems), by_axioms, "{kernel}");
        *if by_axioms.is_empty() { &mut clean } else { &mut racy } += 1;
    }
    assert!(racy > 60 && clean > 40, "{racy} racy, {clean} clean");
}

/// Three threads, each of which may wait for a flag, then accesses a word, and then sets a flag.
fn handing_on(random: &mut Rng) -> String {
    let mut text = "\
.version 8.6
.target sm_90
.address_size 64
.entry k(.param .u64 memory)
{
	.reg .pred %p;
	.reg .b32 %r, %thread;
	.reg .b64 %memory;
	ld.param.u64 %memory, [memory];
	mov.u32 %thread, %ctaid.x;
"
    .to_owned();
    for thread in 0..3 {
        let one = |random: &mut Rng, words: &[&'static str]| words[random.usize(..words.len())];
        let _ = writeln!(text, "\tsetp.ne.u32 %p, %thread, {thread};\n\t@%p bra NEXT{thread};");
        for flag in 0..thread {
            match random.u32(..4) {
                0 => continue,
                1 if thread == 2 => {
                    let order = one(random, &["acquire.gpu", "relaxed.gpu"]);
                    let _ = writeln!(text, "WAIT{thread}{flag}:\n\tld.{order}.global.u32 %r, [%memory+{}];", 4 * flag);
                    let _ = writeln!(text, "\tsetp.eq.u32 %p, %r, 0;\n\t@%p bra WAIT{thread}{flag};");
                }
                _ => {
                    let order = one(random, &["acquire.gpu", "acquire.gpu", "relaxed.gpu", "acquire.cta"]);
                    let _ = writeln!(text, "\tld.{order}.global.u32 %r, [%memory+{}];", 4 * flag);
                    let _ = writeln!(text, "\tsetp.eq.u32 %p, %r, 0;\n\t@%p bra END{thread};");
                }
            }
            text.push_str(one(random, &["", "", "\tfence.acq_rel.gpu;\n"]));
        }
        let word = 16 + 4 * random.u32(..2);
        let _ = match random.u32(..3) {
            0 => writeln!(text, "\tld.global.u32 %r, [%memory+{word}];"),
            1 => writeln!(text, "\tst.global.u32 [%memory+{word}], {};", thread + 1),
            _ => writeln!(text, "\tred.relaxed.gpu.global.add.u32 [%memory+{word}], 1;"),
        };
        text.push_str(one(random, &["", "", "\tfence.acq_rel.gpu;\n"]));
        let order = one(random, &["release.gpu", "release.gpu", "relaxed.gpu", "release.cta"]);
        let _ = writeln!(text, "\tst.{order}.global.u32 [%memory+{}], 1;", 4 * thread);
        let _ = writeln!(text, "END{thread}:\n\tret;\nNEXT{thread}:");
    }
    text + "\tret;\n}\n"
}
