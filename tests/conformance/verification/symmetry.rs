//! `check` visits states once in which CTAs or threads have only changed places: it finds the same as a search that visits each of them.

use crate::checked::{CheckedLaunch, CheckedModule, sized};
use explorer::{Omission, Verification};
use fastrand::Rng;
use std::collections::BTreeSet;

/// Words of memory: three locations that all threads access, a lock and its data, a counter, and a word for each thread.
const MEMORY: &str = "memory=u32[12]";

const MOST_STATES: usize = 1_500;

const HEAD: &str = "\
.version 8.6
.target sm_90
.address_size 64
.entry k(.param .u64 memory)
{
	.reg .pred %p;
	.reg .b32 %value, %other, %thread;
	.reg .b64 %memory, %own;
	ld.param.u64 %memory, [memory];
	mov.u32 %value, 0;
";

/// Only the thread itself knows then who it is.
const OWN_WORD: &str = "\
	mov.u32 %thread, %ctaid.x;
	mad.lo.u32 %thread, %thread, %ntid.x, %tid.x;
	mad.wide.u32 %own, %thread, 4, %memory;
";

/// Lines after which two threads of each warp are left.
const TWO_OF_EACH_WARP: &str = "\
	mov.u32 %value, %tid.x;
	sub.u32 %value, %value, 2;
	setp.lt.u32 %p, %value, 30;
	@%p exit;
	mov.u32 %value, 0;
";

fn choose<'w>(random: &mut Rng, words: &[&'w str]) -> &'w str {
    words[random.usize(..words.len())]
}

/// Lines that the threads of all CTAs execute.
fn step(random: &mut Rng, number: usize) -> String {
    let location = format!("[%memory+{}]", 4 * random.usize(..3));
    let read = choose(random, &["relaxed", "relaxed", "acquire"]);
    let write = choose(random, &["relaxed", "relaxed", "release"]);
    let update = choose(random, &["relaxed", "acquire", "release", "acq_rel"]);
    let value = choose(random, &["1", "2", "%value"]);
    match random.u32(..12) {
        0..=2 => format!("\tatom.{update}.gpu.global.add.u32 %value, {location}, {value};\n"),
        3 => format!("\tatom.{update}.gpu.global.exch.b32 %value, {location}, {value};\n"),
        4 => format!("\tatom.{update}.gpu.global.cas.b32 %value, {location}, 0, {value};\n"),
        5..=6 => format!("\tld.{read}.gpu.global.u32 %value, {location};\n"),
        7 => format!("\tst.{write}.gpu.global.u32 {location}, {value};\n"),
        8 => format!("\tfence.{}.gpu;\n", choose(random, &["acq_rel", "sc"])),
        9 => {
            let inner = format!("\tst.{write}.gpu.global.u32 {location}, 1;\n");
            format!("\tsetp.eq.u32 %p, %value, {};\n\t@%p bra SKIP{number};\n{inner}SKIP{number}:\n", random.u32(..2))
        }
        10 => {
            let free = choose(random, &["release", "release", "relaxed"]);
            format!(
                "\
LOCK{number}:
	atom.acquire.gpu.global.cas.b32 %other, [%memory+12], 0, 1;
	setp.ne.u32 %p, %other, 0;
	@%p bra LOCK{number};
	ld.global.u32 %other, [%memory+16];
	add.u32 %other, %other, 1;
	st.global.u32 [%memory+16], %other;
	st.{free}.gpu.global.u32 [%memory+12], 0;
"
            )
        }
        _ => format!(
            "\
WAIT{number}:
	ld.{read}.gpu.global.u32 %other, {location};
	setp.eq.u32 %p, %other, 0;
	@%p bra WAIT{number};
"
        ),
    }
}

/// A kernel whose threads tell themselves apart at the begin, at the end, or not at all.
fn kernel_text(random: &mut Rng, length: usize) -> String {
    let steps: String = (0..length).map(|number| step(random, number)).collect();
    match random.u32(..4) {
        0 => format!("{HEAD}{steps}\tret;\n}}\n"),
        1 => format!("{HEAD}{OWN_WORD}{steps}\tst.global.u32 [%own+24], %value;\n\tret;\n}}\n"),
        2 => format!("{HEAD}{steps}{OWN_WORD}\tst.global.u32 [%own+24], %value;\n\tret;\n}}\n"),
        _ => format!("{HEAD}{steps}\tred.relaxed.gpu.global.add.u32 [%memory+20], %value;\n\tret;\n}}\n"),
    }
}

/// Lines that all threads of a CTA execute together, or that depend on the lane.
fn step_of_cta(random: &mut Rng, number: usize) -> String {
    match random.u32(..8) {
        0..=2 => "\tbar.sync 0;\n".to_owned(),
        3 => "\tbarrier.sync 0;\n".to_owned(),
        4 => "\tmov.u32 %other, %laneid;\n\tadd.u32 %value, %value, %other;\n".to_owned(),
        5 => {
            let lane = random.u32(..2);
            format!("\tmov.u32 %other, %tid.x;\n\tsetp.eq.u32 %p, %other, {lane};\n\t@%p add.u32 %value, %value, 1;\n")
        }
        6 => {
            let free = choose(random, &["release", "release", "relaxed"]);
            let all = choose(random, &["st.shared.u32 [data], %other;", "atom.shared.add.u32 %value, [data], 1;"]);
            format!(
                "\
LOCK{number}:
	atom.acquire.cta.shared.cas.b32 %other, [lock], 0, 1;
	setp.ne.u32 %p, %other, 0;
	@%p bra LOCK{number};
	ld.shared.u32 %other, [data];
	add.u32 %other, %other, 1;
	{all}
	st.{free}.cta.shared.u32 [lock], 0;
"
            )
        }
        _ => "\tsetp.ne.u32 %p, %value, 0;\n\tbar.red.popc.u32 %value, 0, %p;\n".to_owned(),
    }
}

/// A kernel whose threads share the memory of their CTA, and tell themselves apart at the begin, at the end, or not at all.
fn kernel_of_cta(random: &mut Rng, length: usize) -> String {
    let steps = |random: &mut Rng, numbers: std::ops::Range<usize>| -> String {
        numbers
            .map(|number| if random.u32(..3) == 0 { step_of_cta(random, number) } else { step(random, number) })
            .collect()
    };
    let head = format!("{HEAD}\t.shared .u32 lock;\n\t.shared .u32 data;\n");
    // All threads initialize them: a note, no problem.
    let initial = "\tst.shared.u32 [lock], 0;\n\tst.shared.u32 [data], 0;\n\tbar.sync 0;\n";
    let before = random.usize(..=length);
    let (first, last) = (steps(random, 0..before), steps(random, before..length));
    let own = "\tmov.u32 %thread, %tid.x;\n\tmad.wide.u32 %own, %thread, 4, %memory;\n";
    let own_store = "\tst.global.u32 [%own+24], %value;\n";
    match random.u32(..6) {
        0 | 1 => format!("{head}{initial}{first}{last}\tret;\n}}\n"),
        2 => format!("{head}{initial}{own}{first}{last}{own_store}\tret;\n}}\n"),
        3 => format!("{head}{initial}{own}{first}{own_store}{last}\tret;\n}}\n"),
        4 => format!("{head}{initial}{first}{own}{own_store}{last}\tret;\n}}\n"),
        _ => {
            format!("{head}{initial}{first}{last}\tred.relaxed.gpu.global.add.u32 [%memory+20], %value;\n\tret;\n}}\n")
        }
    }
}

/// What is found, but for the number of states.
fn found_problems(found: &Verification) -> impl PartialEq + std::fmt::Debug + use<> {
    let codes = found.problems.iter().filter_map(|found| found.problem.as_ref().map(|problem| problem.kind.code()));
    let codes: BTreeSet<&str> = codes.collect();
    (codes, found.unfinished(), found.may_buffer_loads(), found.fair_cycle.clone(), found.omits(Omission::WaitRounds))
}

fn launched(text: &str, ctas: u32, threads: u32) -> CheckedLaunch {
    CheckedModule::new(text).launch(&sized("k", ctas, threads, &[MEMORY]))
}

/// How many launches were compared.
#[derive(Debug, Default)]
struct Compared {
    /// With fewer states than the search that visits each.
    fewer: usize,
    /// Without a problem.
    proved: usize,
    /// With one.
    problems: usize,
}

impl Compared {
    /// Compares a launch with the search that visits each state, if that comes to an end.
    fn add(&mut self, launch: &CheckedLaunch, what: &str) {
        let (each, each_memory) = launch.explored_each_state(MOST_STATES);
        if each.states >= MOST_STATES {
            return;
        }
        let (once, memory) = launch.explored(MOST_STATES);
        assert_eq!(found_problems(&each), found_problems(&once), "{what}");
        if each.problems.is_empty() && matches!(each.unfinished(), None | Some(Omission::LoadBuffering(_))) {
            assert_eq!(each_memory, memory, "{what}");
            self.proved += 1;
        }
        self.problems += usize::from(!each.problems.is_empty());
        self.fewer += usize::from(once.states < each.states);
    }
}

#[test]
fn states_in_which_threads_have_changed_places_lead_to_the_same() {
    let mut random = Rng::with_seed(2829);
    let mut compared = Compared::default();
    for _ in 0..120 {
        let (ctas, threads) = [(1, 2), (1, 3), (1, 3), (1, 4), (2, 2), (1, 34)][random.usize(..6)];
        let length = random.usize(1..=[5, 4, 3, 2][(ctas * threads).min(5) as usize - 2]);
        let text = if random.bool() { kernel_of_cta(&mut random, length) } else { kernel_text(&mut random, length) };
        // Of two warps, two threads each go on.
        let text = if threads == 34 { text.replace("\tmov.u32 %value, 0;\n", TWO_OF_EACH_WARP) } else { text };
        let launch = launched(&text, ctas, threads);
        compared.add(&launch, &format!("{ctas} CTAs of {threads}\n{text}"));
    }
    assert!(compared.fewer > 15 && compared.proved > 25 && compared.problems > 20, "{compared:?}");
}

#[test]
fn states_in_which_ctas_have_changed_places_lead_to_the_same() {
    let mut random = Rng::with_seed(2828);
    let mut compared = Compared::default();
    for _ in 0..120 {
        let (ctas, threads) = [(2, 1), (3, 1), (3, 1), (2, 2)][random.usize(..4)];
        let length = random.usize(2..=if ctas * threads == 2 { 5 } else { 3 });
        let text = kernel_text(&mut random, length);
        let launch = launched(&text, ctas, threads);
        compared.add(&launch, &format!("{ctas} CTAs of {threads}\n{text}"));
    }
    assert!(compared.fewer > 40 && compared.proved > 30 && compared.problems > 20, "{compared:?}");
}

/// Under a lock each of five threads is like the others: the states are as many as threads can be in, not as sets of them.
#[test]
fn threads_that_wait_for_a_lock_are_not_told_apart() {
    let lock = "\
LOCK:
	atom.acquire.gpu.global.cas.b32 %other, [%memory+12], 0, 1;
	setp.ne.u32 %p, %other, 0;
	@%p bra LOCK;
	ld.global.u32 %other, [%memory+16];
	add.u32 %other, %other, 1;
	st.global.u32 [%memory+16], %other;
	st.release.gpu.global.u32 [%memory+12], 0;
	ret;
}
";
    for (ctas, threads) in [(5, 1), (1, 5)] {
        let launch = launched(&format!("{HEAD}{lock}"), ctas, threads);
        let (found, memory) = launch.explored(100);
        assert!(found.is_complete() && found.problems.is_empty(), "{:?}", found.problems);
        let (each, each_memory) = launch.explored_each_state(100_000);
        assert!(each.is_complete() && memory == each_memory, "{} and {} states", found.states, each.states);
        assert!(found.states * 4 < each.states, "{} and {} states", found.states, each.states);
    }
    // One CTA of a warp.
    let (found, _) = launched(&format!("{HEAD}{lock}"), 1, 32).explored(100);
    assert!(found.is_complete() && found.problems.is_empty(), "{} states: {:?}", found.states, found.problems);
}
