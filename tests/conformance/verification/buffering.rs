//! Load buffering: random programs of loads and stores with dependencies, where `check` has to say when the axioms allow more than it explores.

use crate::checked::{CheckedModule, FinalMemory, sized};
use explorer::Omission;
use fastrand::Rng;
use litmus::parse;
use memory_model::{Budget, explore};
use std::collections::BTreeSet;
use std::fmt::Write;

const LOCATIONS: [&str; 3] = ["x", "y", "z"];
const THREADS: usize = 4;
const INSTRUCTIONS: usize = 4;
pub const WORDS: usize = LOCATIONS.len() + THREADS * INSTRUCTIONS;
const PROGRAMS: usize = 400;

pub type Outcome = Vec<u32>;

/// An instruction of a thread. Results are numbered by the line of the instruction.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Load(&'static str, usize),
    Store(&'static str, usize),
    /// Stores a result.
    Copy(&'static str, usize, usize),
    /// Adds, with a result.
    Add(&'static str, usize),
    /// Adds, and ignores what it reads.
    Count(usize),
    /// Stores what an exchange reads nowhere.
    Exchange(usize),
    /// Exchanges, with a result.
    Take(&'static str, usize),
    /// Compares with 0 and writes 3, with a result.
    Swap(&'static str, usize),
    /// Goes to the end if a result is 0.
    Leave(usize),
    Fence(&'static str),
    /// A barrier of the first two threads, which are a CTA.
    Barrier,
}

impl Step {
    const fn has_result(&self) -> bool {
        matches!(self, Self::Load(..) | Self::Add(..) | Self::Take(..) | Self::Swap(..))
    }

    /// Where it releases.
    fn released_at(&self) -> Option<usize> {
        match *self {
            Self::Store(order, at) | Self::Copy(order, at, _) | Self::Add(order, at) | Self::Take(order, at) => {
                (order != "relaxed.gpu").then_some(at)
            }
            _ => None,
        }
    }
}

fn step(random: &mut Rng, line: usize, results: &[usize]) -> Step {
    let location = random.usize(..LOCATIONS.len());
    let release = ["relaxed.gpu", "relaxed.gpu", "release.gpu"][random.usize(..3)];
    let result = results.get(random.usize(..results.len().max(1)));
    let update = ["relaxed.gpu", "relaxed.gpu", "acq_rel.gpu", "release.gpu"][random.usize(..4)];
    match (random.u32(..18), result) {
        (14 | 15, _) => Step::Take(update, location),
        (16 | 17, _) => Step::Swap(update, location),
        (0..=3, _) if line == 0 => Step::Count(location),
        _ if line == 0 => Step::Load("relaxed.gpu", location),
        (0..=2, _) => Step::Load(["relaxed.gpu", "relaxed.gpu", "acquire.gpu"][random.usize(..3)], location),
        (3, Some(result)) => Step::Leave(*result),
        (4 | 5, Some(result)) => Step::Copy(release, location, *result),
        (6, _) => Step::Count(location),
        (9 | 10, _) => Step::Add(["relaxed.gpu", "relaxed.gpu", "acq_rel.gpu"][random.usize(..3)], location),
        (7, _) => Step::Exchange(location),
        (8, _) => Step::Fence(["acq_rel.gpu", "sc.gpu"][random.usize(..2)]),
        _ => Step::Store(release, location),
    }
}

pub fn program(random: &mut Rng) -> Vec<Vec<Step>> {
    let count = random.usize(2..=3);
    let has_barrier = random.u32(..3) == 0;
    let thread = |at: usize| {
        let mut results = Vec::new();
        let (mut thread, mut released_at) = (Vec::new(), None);
        for line in 0..random.usize(2..=3) {
            let step = match step(random, line, if has_barrier { &[] } else { &results }) {
                // It releases, too.
                Step::Store(order, at) => {
                    released_at.map_or(Step::Store(order, at), |at| Step::Store("relaxed.gpu", at))
                }
                step => step,
            };
            released_at = step.released_at();
            results.extend(step.has_result().then_some(line));
            thread.push(step);
        }
        if has_barrier && at < 2 {
            thread.insert(random.usize(1..=thread.len()), Step::Barrier);
        }
        thread
    };
    (0..count).map(thread).collect()
}

pub fn litmus_text(threads: &[Vec<Step>]) -> String {
    let mut text = "PTX random\n{\nx=0; y=0; z=0;".to_owned();
    for (number, thread) in threads.iter().enumerate() {
        let loads = thread.iter().enumerate().filter(|(_, step)| step.has_result());
        loads.for_each(|(line, _)| text.push_str(&format!(" P{number}:r{line}=0;")));
    }
    let heads = (0..threads.len()).map(|at| format!("P{at}@cta {},gpu 0", at / 2));
    let _ = writeln!(text, "\n}}\n{} ;", heads.collect::<Vec<_>>().join(" | "));
    for line in 0..=INSTRUCTIONS {
        let cell = |(number, thread): (usize, &Vec<Step>)| match thread.get(line) {
            None if line == INSTRUCTIONS => format!("LC0{number}:"),
            None => String::new(),
            Some(Step::Load(order, at)) => format!("ld.{order} r{line}, {}", LOCATIONS[*at]),
            Some(Step::Store(order, at)) => format!("st.{order} {}, 1", LOCATIONS[*at]),
            Some(Step::Copy(order, at, result)) => format!("st.{order} {}, r{result}", LOCATIONS[*at]),
            Some(Step::Add(order, at)) => format!("atom.{order}.add r{line}, {}, 2", LOCATIONS[*at]),
            Some(Step::Take(order, at)) => format!("atom.{order}.exch r{line}, {}, 4", LOCATIONS[*at]),
            Some(Step::Swap(order, at)) => format!("atom.{order}.cas r{line}, {}, 0, 3", LOCATIONS[*at]),
            Some(Step::Count(at)) => format!("red.relaxed.gpu.add {}, 2", LOCATIONS[*at]),
            Some(Step::Exchange(at)) => format!("atom.relaxed.gpu.exch q{line}, {}, 1", LOCATIONS[*at]),
            Some(Step::Leave(result)) => format!("beq r{result}, 0, LC0{number}"),
            Some(Step::Fence(kind)) => format!("fence.{kind}"),
            Some(Step::Barrier) => "bar.cta.sync 0".to_owned(),
        };
        let cells: Vec<String> = threads.iter().enumerate().map(cell).collect();
        let _ = writeln!(text, "{} ;", cells.join(" | "));
    }
    text + "exists (x == 0)\n"
}

pub fn kernel_text(threads: &[Vec<Step>]) -> String {
    let mut text = "\
.version 8.6
.target sm_90
.address_size 64
.entry k(.param .u64 memory)
{
	.reg .pred %p;
	.reg .b32 %r<8>, %unused, %thread, %cta;
	.reg .b64 %memory;
	ld.param.u64 %memory, [memory];
	mov.u32 %thread, %tid.x;
	mov.u32 %cta, %ctaid.x;
	mad.lo.u32 %thread, %cta, 2, %thread;
"
    .to_owned();
    (0..INSTRUCTIONS).for_each(|line| text.push_str(&format!("\tmov.u32 %r{line}, 0;\n")));
    for (number, thread) in threads.iter().enumerate() {
        let _ = writeln!(text, "\tsetp.ne.u32 %p, %thread, {number};\n\t@%p bra NEXT{number};");
        for (line, step) in thread.iter().enumerate() {
            let _ = match step {
                Step::Load(order, at) => writeln!(text, "\tld.{order}.global.u32 %r{line}, [%memory+{}];", at * 4),
                Step::Store(order, at) => writeln!(text, "\tst.{order}.global.u32 [%memory+{}], 1;", at * 4),
                Step::Copy(order, at, result) => {
                    writeln!(text, "\tst.{order}.global.u32 [%memory+{}], %r{result};", at * 4)
                }
                Step::Add(order, at) => {
                    writeln!(text, "\tatom.{order}.global.add.u32 %r{line}, [%memory+{}], 2;", at * 4)
                }
                Step::Take(order, at) => {
                    writeln!(text, "\tatom.{order}.global.exch.b32 %r{line}, [%memory+{}], 4;", at * 4)
                }
                Step::Swap(order, at) => {
                    writeln!(text, "\tatom.{order}.global.cas.b32 %r{line}, [%memory+{}], 0, 3;", at * 4)
                }
                Step::Count(at) => writeln!(text, "\tred.relaxed.gpu.global.add.u32 [%memory+{}], 2;", at * 4),
                Step::Exchange(at) => {
                    writeln!(text, "\tatom.relaxed.gpu.global.exch.b32 %unused, [%memory+{}], 1;", at * 4)
                }
                Step::Leave(result) => {
                    writeln!(text, "\tsetp.eq.u32 %p, %r{result}, 0;\n\t@%p bra END{number};")
                }
                Step::Fence(kind) => writeln!(text, "\tfence.{kind};"),
                Step::Barrier => writeln!(text, "\tbarrier.cta.sync 0;"),
            };
        }
        let _ = writeln!(text, "END{number}:");
        for line in (0..thread.len()).filter(|line| thread[*line].has_result()) {
            let word = LOCATIONS.len() + number * INSTRUCTIONS + line;
            let _ = writeln!(text, "\tst.global.u32 [%memory+{}], %r{line};", 4 * word);
        }
        let _ = writeln!(text, "\tret;\nNEXT{number}:");
    }
    text + "\tret;\n}\n"
}

pub fn allowed(text: &str) -> BTreeSet<Outcome> {
    let test = parse(text);
    assert!(test.errors.is_empty(), "{:?}\n{text}", test.errors);
    let observables = test.observables();
    let found = explore(&test.program, &observables, Budget::default());
    let index = |name: &str| match name.split_once(":r") {
        None => LOCATIONS.iter().position(|location| *location == name),
        Some((thread, register)) => {
            let number = |text: &str| text.trim_start_matches('P').parse::<usize>().expect("a number");
            Some(LOCATIONS.len() + number(thread) * INSTRUCTIONS + number(register))
        }
    };
    let places: Vec<Option<usize>> = observables.iter().map(|one| index(&test.name(one))).collect();
    let outcome = |values: &[memory_model::Bits]| {
        let mut words = vec![0; WORDS];
        let known = places.iter().zip(values).filter_map(|(at, value)| Some(((*at)?, value)));
        known.for_each(|(at, value)| words[at] = *value as u32);
        words
    };
    found.all().map(outcome).collect()
}

pub fn words(memory: &FinalMemory) -> Outcome {
    memory.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

#[test]
fn where_load_buffering_has_further_outcomes_the_verdict_is_not_proved() {
    let mut random = Rng::with_seed(281);
    let (mut more, mut proved, mut undecided) = (0, 0, 0);
    for _ in 0..PROGRAMS {
        let threads = program(&mut random);
        let (litmus, kernel) = (litmus_text(&threads), kernel_text(&threads));
        let wanted = allowed(&litmus);
        let launch = CheckedModule::new(&kernel).launch(&sized("k", 2, 2, &[&format!("memory=u32[{WORDS}]")]));
        let (result, memories) = launch.explored(1_000_000);
        assert!(result.problems.is_empty(), "{:?}\n{kernel}", result.problems);
        let found: BTreeSet<Outcome> = memories.iter().map(words).collect();
        let forbidden: Vec<&Outcome> = found.difference(&wanted).collect();
        assert!(forbidden.is_empty(), "forbidden: {forbidden:?}\n{litmus}\n{kernel}");
        let missing: Vec<&Outcome> = wanted.difference(&found).collect();
        match result.unfinished() {
            None => assert!(missing.is_empty(), "missing: {missing:?}\n{litmus}\n{kernel}"),
            Some(why) => assert_eq!(why.code(), "load-buffering"),
        }
        more += usize::from(!missing.is_empty());
        proved += usize::from(result.unfinished().is_none());
        undecided += usize::from(missing.is_empty() && result.unfinished().is_some());
    }
    assert!(more > 20 && proved > 200 && undecided < 60, "{more} have more, {proved} proved, {undecided} undecided");
}

/// Where load buffering is ruled out, claims were asked about each outcome that the axioms allow.
#[test]
fn no_outcome_of_load_buffering_is_left_out_where_the_verdict_is_proved() {
    let mut random = Rng::with_seed(282);
    let (mut more, mut undecided) = (0, 0);
    for _ in 0..PROGRAMS / 4 {
        let threads = program(&mut random);
        let (litmus, kernel) = (litmus_text(&threads), kernel_text(&threads));
        let wanted = allowed(&litmus);
        let launch = CheckedModule::new(&kernel).launch(&sized("k", 2, 2, &[&format!("memory=u32[{WORDS}]")]));
        let (result, memories, asked) = launch.explored_with_claim(1_000_000, |_| true);
        assert!(result.problems.is_empty(), "{:?}\n{kernel}", result.problems);
        let found: BTreeSet<Outcome> = memories.iter().chain(&asked).map(words).collect();
        let missing: Vec<&Outcome> = wanted.difference(&found).collect();
        assert!(result.unfinished().is_some() || missing.is_empty(), "missing: {missing:?}\n{litmus}\n{kernel}");
        undecided += usize::from(result.unfinished().is_some());
        more += usize::from(result.has_further_final_states);
    }
    assert!(more > 10 && undecided < 5, "{more} have more, {undecided} undecided");
}

/// Two threads that read before they write.
#[test]
fn what_load_buffering_may_leave_is_claimed_about() {
    let threads = vec![
        vec![Step::Load("relaxed.gpu", 0), Step::Store("relaxed.gpu", 1)],
        Vec::new(),
        vec![Step::Load("relaxed.gpu", 1), Step::Store("relaxed.gpu", 0)],
    ];
    let kernel = kernel_text(&threads);
    let launch = CheckedModule::new(&kernel).launch(&sized("k", 2, 2, &[&format!("memory=u32[{WORDS}]")]));
    let results = |memory: &FinalMemory| {
        let words = words(memory);
        (words[LOCATIONS.len()], words[LOCATIONS.len() + 2 * INSTRUCTIONS])
    };
    let (result, memories, _) = launch.explored_with_claim(1_000_000, |memory| results(memory) != (1, 1));
    assert_eq!(result.unfinished().map(Omission::code), Some("load-buffering"));
    assert!(memories.iter().all(|memory| results(memory) != (1, 1)));
    let (result, ..) = launch.explored_with_claim(1_000_000, |memory| results(memory) != (1, 2));
    assert!(result.is_complete() && result.has_further_final_states && result.problems.is_empty());
}

/// `red` takes part in no acquire pattern, also with a fence after it: what it has read orders nothing.
#[test]
fn a_reduction_reads_without_acquiring() {
    let threads = vec![
        vec![Step::Count(1), Step::Store("release.gpu", 0)],
        Vec::new(),
        vec![Step::Count(0), Step::Fence("sc.gpu"), Step::Add("acq_rel.gpu", 1)],
    ];
    let wanted = allowed(&litmus_text(&threads));
    let kernel = kernel_text(&threads);
    let launch = CheckedModule::new(&kernel).launch(&sized("k", 2, 2, &[&format!("memory=u32[{WORDS}]")]));
    let (result, memories) = launch.explored(1_000_000);
    let found: BTreeSet<Outcome> = memories.iter().map(words).collect();
    assert!(found.len() < wanted.len(), "{found:?}\n{wanted:?}");
    assert_eq!(result.unfinished().map(Omission::code), Some("load-buffering"));
}

/// The threads of a kernel, of CTA 0 first, up to `N:`.
fn kernel_of(head: &str, threads: &str) -> String {
    format!(
        ".version 8.8\n.target sm_100\n.address_size 64\n.entry k(.param .u64 memory) {head} {{\n\
         .reg .b64 %m, %w; .reg .b32 %c, %t, %a, %b, %d; .reg .pred %p, %q;\n\
         ld.param.u64 %m, [memory]; mov.u32 %c, %ctaid.x; mov.u32 %t, %tid.x; mov.u32 %a, 0;\n\
         setp.eq.u32 %q, %t, 0; setp.ne.u32 %p, %c, 0; @%p bra N;\n{threads}\n}}\n"
    )
}

/// Each kernel has executions with load buffering that leave a word with a value, which the memory model allows.
#[test]
fn values_that_only_load_buffering_leaves_are_not_ruled_out() {
    let copy = "@!%q ret; ld.relaxed.gpu.global.u32 %a, [%m+4]; st.relaxed.gpu.global.u32 [%m], %a; ret;";
    let absent = |write: &str, made: &str| {
        format!(
            "ld.relaxed.gpu.global.u32 %a, [%m]; {write} ld.relaxed.gpu.global.u32 %d, [%m+8]; \
             st.relaxed.gpu.global.u32 [%m+4], %d; ret; N: ld.relaxed.gpu.global.u32 %a, [%m+4]; {made} \
             st.relaxed.gpu.global.u32 [%m], %d; ret;"
        )
    };
    let made = "setp.eq.u32 %p, %a, 0; selp.u32 %d, 1, 0, %p;";
    let vector = "setp.eq.u32 %p, %c, 1; ld.relaxed.gpu.global.v2.u32 {%a, %b}, [%m]; st.relaxed.gpu.global.u32 [%m+8], 1; \
                  st.relaxed.gpu.global.u32 [%m+12], %a; st.global.u32 [%m+16], %b; ret; \
                  N: setp.eq.u32 %p, %c, 2; @%p bra T; ld.relaxed.gpu.global.u32 %a, [%m+8]; \
                  st.relaxed.gpu.global.u32 [%m], %a; ret; T: ld.relaxed.gpu.global.u32 %a, [%m+12]; add.u32 %a, %a, 1; \
                  st.relaxed.gpu.global.u32 [%m+4], %a; ret;";
    let swap = absent(
        "atom.relaxed.gpu.global.cas.b32 %b, [%m+8], %a, 5;",
        "atom.relaxed.gpu.global.cas.b32 %b, [%m+12], %a, 7; ld.relaxed.gpu.global.u32 %d, [%m+12];",
    );
    let address = absent("mul.wide.u32 %w, %a, 4; add.s64 %w, %m, %w; st.relaxed.gpu.global.u32 [%w+8], 5;", made);
    let guard = absent("setp.eq.u32 %p, %a, 0; @%p st.relaxed.gpu.global.u32 [%m+8], 5;", made);
    let cluster = format!(
        "@%q ld.relaxed.gpu.global.u32 %a, [%m]; bra W; N: setp.gt.u32 %p, %c, 1; @%p bra O; W: barrier.cluster.arrive.relaxed; \
         barrier.cluster.wait; setp.eq.u32 %p, %c, 1; @%p st.relaxed.gpu.global.u32 [%m+4], 1; \
         @!%p st.global.u32 [%m+8], %a; ret; O: setp.ne.u32 %p, %c, 2; @%p ret; {copy}"
    );
    let mbarrier = format!(
        ".shared .b64 bar; @%q mbarrier.init.shared.b64 [bar], 1; bar.sync 0; @!%q bra L; \
         ld.relaxed.gpu.global.u32 %a, [%m]; mbarrier.arrive.relaxed.cta.shared.b64 _, [bar]; st.global.u32 [%m+8], %a; ret; \
         L: mbarrier.test_wait.parity.relaxed.cta.shared.b64 %p, [bar], 0; @!%p bra L; \
         st.relaxed.gpu.global.u32 [%m+4], 1; ret; N: {copy}"
    );
    let shuffle = |other: &str| {
        format!(
            "@%q ld.relaxed.gpu.global.u32 %a, [%m]; shfl.sync.idx.b32 %d, %t, 0, 31, 3; \
             @!%q st.relaxed.gpu.global.u32 [%m+4], 1; @%q st.global.u32 [%m+8], %a; ret; N: {other}"
        )
    };
    let of_cluster = ".reqnctapercluster 2";
    let rows = [
        ("elements of a vector", "", (3, 1), vector, "", (4, 2)),
        ("a compared value", "", (2, 1), &*swap, "=0,1,0,0,0", (1, 0)),
        ("an address", "", (2, 1), &*address, "=0,1,0,0,0", (1, 0)),
        ("a guard", "", (2, 1), &*guard, "=0,1,0,0,0", (1, 0)),
        ("a barrier of a cluster", of_cluster, (4, 1), &*cluster, "", (2, 1)),
        ("an mbarrier", "", (2, 2), &*mbarrier, "", (2, 1)),
        ("a shuffle", "", (2, 2), &*shuffle(copy), "", (2, 1)),
    ];
    let unfinished = |(head, (ctas, threads), kernel, values, (word, value)): (&str, _, &str, &str, _)| {
        let argument = format!("memory=u32[5]{values}");
        let module = CheckedModule::new(&kernel_of(head, kernel));
        let launch = module.launch(&sized("k", ctas, threads, &[&argument]));
        let (result, memories, _) = launch.explored_with_claim(1_000_000, |memory| words(memory)[word] != value);
        assert!(memories.iter().all(|memory| words(memory)[word] != value));
        assert!(result.problems.is_empty(), "{:?}\n{kernel}", result.problems);
        result.unfinished()
    };
    for (name, head, sizes, kernel, values, end) in rows {
        assert_eq!(
            unfinished((head, sizes, kernel, values, end)).map(Omission::code),
            Some("load-buffering"),
            "{name}"
        );
    }
    let alone = shuffle("@!%q ret; ld.relaxed.gpu.global.u32 %a, [%m+4]; st.global.u32 [%m+12], %a; ret;");
    assert_eq!(unfinished(("", (2, 2), &alone, "", (2, 1))), None, "nothing that the read could read");
}

/// Eight elements of a value each have more choices than can be followed.
#[test]
fn wide_reads_with_many_values_take_no_time_without_end() {
    let kernel = kernel_of(
        "",
        "ld.relaxed.gpu.global.v8.b32 {%a, %b, %d, %t, %b, %d, %t, %b}, [%m]; st.relaxed.gpu.global.b32 [%m+32], %a; ret;\n\
         N: ld.relaxed.gpu.global.b32 %a, [%m+32]; add.u32 %a, %a, 1;\n\
         st.relaxed.gpu.global.v8.b32 [%m], {%a, %a, %a, %a, %a, %a, %a, %a}; ret;",
    );
    let launch = CheckedModule::new(&kernel).launch(&sized("k", 2, 1, &["memory=u32[32]"]));
    let (result, ..) = launch.explored_with_claim(1_000_000, |_| true);
    assert!(result.problems.is_empty() && result.unfinished().is_some());
}

/// With load buffering, the threads undo forever what the other one waits for.
#[test]
fn cycles_of_executions_with_load_buffering_are_not_ruled_out() {
    let kernel = kernel_of(
        "",
        "ld.relaxed.gpu.global.u32 %a, [%m]; st.relaxed.gpu.global.u32 [%m+4], 1; setp.eq.u32 %p, %a, 0; @%p bra E;\n\
         L: atom.relaxed.gpu.global.exch.b32 %b, [%m+12], 1; setp.eq.u32 %p, %b, 2; @%p bra L;\n\
         E: st.relaxed.gpu.global.u32 [%m+8], 1; ret;\n\
         N: ld.relaxed.gpu.global.u32 %a, [%m+4]; st.relaxed.gpu.global.u32 [%m], %a; setp.eq.u32 %p, %a, 0; @%p ret;\n\
         M: atom.relaxed.gpu.global.exch.b32 %b, [%m+12], 2; ld.relaxed.gpu.global.u32 %d, [%m+8]; setp.eq.u32 %p, %d, 0;\n\
         @%p bra M; ret;",
    );
    let launch = CheckedModule::new(&kernel).launch(&sized("k", 2, 1, &["memory=u32[4]"]));
    let (result, ..) = launch.explored_with_claim(1_000_000, |_| true);
    assert_eq!((result.unfinished().map(Omission::code), result.fair_cycle.is_none()), (Some("load-buffering"), true));
}

/// A lock that is taken and given back by read-modify-writes: whoever updates it later synchronizes with who gave it back.
#[test]
fn a_lock_with_fences_has_no_load_buffering() {
    let kernel = kernel_of(
        "",
        "N: atom.relaxed.gpu.global.cas.b32 %a, [%m], 0, 1; setp.ne.u32 %p, %a, 0; @%p bra N; fence.acq_rel.gpu;\n\
         ld.volatile.global.u32 %b, [%m+4]; add.u32 %b, %b, 1; st.volatile.global.u32 [%m+4], %b; fence.acq_rel.gpu;\n\
         atom.relaxed.gpu.global.exch.b32 %d, [%m], 0; ret;",
    );
    let module = CheckedModule::new(&kernel);
    for threads in [3, 4] {
        let launch = module.launch(&sized("k", 1, threads, &["memory=u32[2]"]));
        let (result, ..) = launch.explored_with_claim(1_000_000, |memory| words(memory)[1] == threads);
        assert!(result.is_complete() && result.problems.is_empty(), "{threads} threads: {:?}", result.unfinished());
    }
}
