//! `check` against the axioms: random programs of strong accesses, fences and barriers, as a litmus test and as a kernel.

use crate::checked::{CheckedLaunch, CheckedModule, FinalMemory, sized};
use explorer::Omission;
use fastrand::Rng;
use kernel::arguments::launch::KernelLaunch;
use litmus::parse;
use memory_model::{Budget, explore};
use program::Processor;
use std::collections::BTreeSet;
use std::fmt::Write;

const LOCATIONS: [&str; 3] = ["x", "y", "z"];
/// The locations of most programs. The others only update the last one.
const COMMON: usize = 2;
/// The words of memory: the locations, and a result for each instruction of each thread.
const WORDS: usize = LOCATIONS.len() + THREADS * INSTRUCTIONS;
const THREADS: usize = 3;
/// Lines of a thread: accesses and fences, and a barrier.
const INSTRUCTIONS: usize = 5;

/// An instruction of a thread, as both texts have it.
#[derive(Clone, Debug)]
pub enum Step {
    Load {
        order: &'static str,
        location: usize,
    },
    Store {
        order: &'static str,
        location: usize,
        value: u32,
    },
    Add {
        order: &'static str,
        location: usize,
    },
    /// An addition without a result.
    Reduce {
        order: &'static str,
        location: usize,
    },
    /// An addition whose result nothing reads.
    AddUnread {
        order: &'static str,
        location: usize,
    },
    Swap {
        order: &'static str,
        location: usize,
        compare: u32,
        value: u32,
    },
    Fence(&'static str),
    /// A barrier of all threads of a CTA.
    Barrier,
}

/// Whether all threads are in one CTA, so that `.cta` is wide enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    OneCta,
    OwnCtas,
    /// CTAs of their own, but for the last thread, which is of the host.
    Host,
}

impl Step {
    const fn has_result(&self) -> bool {
        matches!(self, Self::Load { .. } | Self::Add { .. } | Self::Swap { .. })
    }
}

fn choose(random: &mut Rng, words: &[&'static str], scopes: &[&'static str]) -> &'static str {
    let word = words[random.usize(..words.len())];
    let scope = scopes[random.usize(..scopes.len())];
    // Few texts, kept for the run of the test.
    Box::leak(format!("{word}.{scope}").into_boxed_str())
}

/// One of two threads that update `z` between accesses and, mostly, fences, and read nothing there. Mostly, each writes what the other one reads.
fn thread_with_updates(random: &mut Rng, number: usize) -> Vec<Step> {
    let mostly = |random: &mut Rng| random.u32(..4) > 0;
    let access = |random: &mut Rng, is_first: bool| {
        let usual = if is_first { number } else { 1 - number };
        let location = if mostly(random) { usual } else { random.usize(..COMMON) };
        match mostly(random) == is_first {
            true => Step::Store { order: "relaxed.gpu", location, value: 1 },
            false => Step::Load { order: "relaxed.gpu", location },
        }
    };
    let update = |random: &mut Rng| {
        let (order, location) = (choose(random, &["relaxed", "relaxed", "release"], &["gpu"]), 2);
        if random.bool() { Step::Reduce { order, location } } else { Step::AddUnread { order, location } }
    };
    let between = |random: &mut Rng| if mostly(random) { Step::Fence("acq_rel.gpu") } else { update(random) };
    vec![access(random, true), between(random), update(random), between(random), access(random, false)]
}

fn step(random: &mut Rng, scopes: &[&'static str]) -> Step {
    let location = random.usize(..COMMON);
    match random.u32(..10) {
        0..=2 => Step::Load { order: choose(random, &["relaxed", "relaxed", "acquire"], scopes), location },
        3..=5 => {
            let order = choose(random, &["relaxed", "relaxed", "release"], scopes);
            Step::Store { order, location, value: random.u32(1..4) }
        }
        6 => Step::Add { order: choose(random, &["relaxed", "acquire", "release", "acq_rel"], scopes), location },
        7 => {
            let order = choose(random, &["relaxed", "acq_rel"], scopes);
            Step::Swap { order, location, compare: random.u32(..2), value: random.u32(1..4) }
        }
        _ => Step::Fence(choose(random, &["acq_rel", "sc"], scopes)),
    }
}

fn litmus_text(threads: &[Vec<Step>], placement: Placement) -> String {
    let mut text = "PTX random\n{\nx=0; y=0; z=0;".to_owned();
    for (number, thread) in threads.iter().enumerate() {
        let results = thread.iter().enumerate().filter(|(_, step)| step.has_result());
        results.for_each(|(line, _)| text.push_str(&format!(" P{number}:r{line}=0;")));
    }
    text.push_str("\n}\n");
    let last = threads.len() - 1;
    let heads = (0..threads.len()).map(|at| match placement {
        Placement::OneCta => format!("P{at}@cta 0,gpu 0"),
        Placement::Host if at == last => format!("P{at}@cta {at},gpu 1"),
        Placement::Host | Placement::OwnCtas => format!("P{at}@cta {at},gpu 0"),
    });
    let _ = writeln!(text, "{} ;", heads.collect::<Vec<_>>().join(" | "));
    for line in 0..INSTRUCTIONS {
        let cell = |thread: &Vec<Step>| match thread.get(line) {
            None => String::new(),
            Some(Step::Load { order, location }) => format!("ld.{order} r{line}, {}", LOCATIONS[*location]),
            Some(Step::Store { order, location, value }) => format!("st.{order} {}, {value}", LOCATIONS[*location]),
            Some(Step::Add { order, location }) => format!("atom.{order}.add r{line}, {}, 1", LOCATIONS[*location]),
            Some(Step::Reduce { order, location }) => format!("red.{order}.add {}, 1", LOCATIONS[*location]),
            Some(Step::AddUnread { order, location }) => {
                format!("atom.{order}.add unread, {}, 1", LOCATIONS[*location])
            }
            Some(Step::Swap { order, location, compare, value }) => {
                format!("atom.{order}.cas r{line}, {}, {compare}, {value}", LOCATIONS[*location])
            }
            Some(Step::Fence(kind)) => format!("fence.{kind}"),
            Some(Step::Barrier) => "bar.cta.sync 0".to_owned(),
        };
        let cells: Vec<String> = threads.iter().map(cell).collect();
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
	.reg .b32 %r<8>, %unread, %thread, %cta, %size;
	.reg .b64 %memory;
	ld.param.u64 %memory, [memory];
	mov.u32 %thread, %tid.x;
	mov.u32 %cta, %ctaid.x;
	mov.u32 %size, %ntid.x;
	mad.lo.u32 %thread, %cta, %size, %thread;
"
    .to_owned();
    for (number, thread) in threads.iter().enumerate() {
        let _ = writeln!(text, "\tsetp.ne.u32 %p, %thread, {number};\n\t@%p bra NEXT{number};");
        for (line, step) in thread.iter().enumerate() {
            let _ = match step {
                Step::Load { order, location } => {
                    writeln!(text, "\tld.{order}.global.u32 %r{line}, [%memory+{}];", location * 4)
                }
                Step::Store { order, location, value } => {
                    writeln!(text, "\tst.{order}.global.u32 [%memory+{}], {value};", location * 4)
                }
                Step::Add { order, location } => {
                    writeln!(text, "\tatom.{order}.global.add.u32 %r{line}, [%memory+{}], 1;", location * 4)
                }
                Step::Reduce { order, location } => {
                    writeln!(text, "\tred.{order}.global.add.u32 [%memory+{}], 1;", location * 4)
                }
                Step::AddUnread { order, location } => {
                    writeln!(text, "\tatom.{order}.global.add.u32 %unread, [%memory+{}], 1;", location * 4)
                }
                Step::Swap { order, location, compare, value } => writeln!(
                    text,
                    "\tatom.{order}.global.cas.b32 %r{line}, [%memory+{}], {compare}, {value};",
                    location * 4
                ),
                Step::Fence(kind) => writeln!(text, "\tfence.{kind};"),
                Step::Barrier => writeln!(text, "\tbarrier.cta.sync 0;"),
            };
        }
        for (line, step) in thread.iter().enumerate() {
            if step.has_result() {
                let _ = writeln!(
                    text,
                    "\tst.global.u32 [%memory+{}], %r{line};",
                    4 * (LOCATIONS.len() + number * INSTRUCTIONS + line)
                );
            }
        }
        let _ = writeln!(text, "\tret;\nNEXT{number}:");
    }
    text + "\tret;\n}\n"
}

/// An outcome: the words of memory, those of loads that are none as zero.
type Outcome = Vec<u32>;

fn allowed(text: &str) -> BTreeSet<Outcome> {
    let test = parse(text);
    assert!(test.errors.is_empty(), "{:?}\n{text}", test.errors);
    let observables = test.observables();
    let found = explore(&test.program, &observables, Budget::default());
    let index = |name: &str| match name.split_once(":r") {
        None => LOCATIONS.iter().position(|location| *location == name).expect("a location"),
        Some((thread, register)) => {
            let number = |text: &str| text.trim_start_matches('P').parse::<usize>().expect("a number");
            LOCATIONS.len() + number(thread) * INSTRUCTIONS + number(register)
        }
    };
    let places: Vec<usize> = observables.iter().map(|observable| index(&test.name(observable))).collect();
    let outcome = |values: &[memory_model::Bits]| {
        let mut words = vec![0; WORDS];
        places.iter().zip(values).for_each(|(at, value)| words[*at] = *value as u32);
        words
    };
    found.all().map(outcome).collect()
}

/// A module with two kernels: one for all threads but the last, and one for that.
fn kernel_and_host_text(threads: &[Vec<Step>]) -> String {
    let kernel = kernel_text(threads);
    let (_, entry) = kernel.split_once(".entry k").expect("the kernel");
    let (head, body) = entry.split_once("\tmad.lo").expect("the number of a thread");
    let (_, body) = body.split_once('\n').expect("a line");
    format!("{kernel}.entry host{head}\tmov.u32 %thread, {};\n{body}", threads.len() - 1)
}

/// The launch of both.
fn launched_with_host(text: &str, threads: usize) -> CheckedLaunch {
    let host = KernelLaunch { processor: Processor::Host, ..sized("host", 1, 1, &[]) };
    let memory = format!("memory=u32[{WORDS}]");
    let kernel = sized("k", threads as u32 - 1, 1, &[&memory]);
    CheckedModule::new(text).launch(&KernelLaunch { beside: vec![host], ..kernel })
}

/// A launch of a kernel with the words of memory as its argument.
pub fn launched(text: &str, threads: usize, placement: Placement) -> CheckedLaunch {
    let (ctas, threads) = if placement == Placement::OneCta { (1, threads as u32) } else { (threads as u32, 1) };
    CheckedModule::new(text).launch(&sized("k", ctas, threads, &[&format!("memory=u32[{WORDS}]")]))
}

fn words(memory: &FinalMemory) -> Outcome {
    memory.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// The outcomes that the verifier finds, and whether there may be others by load buffering.
fn explored(launch: &CheckedLaunch) -> (BTreeSet<Outcome>, bool) {
    let (found, memories) = launch.explored(1_000_000);
    let is_finished = matches!(found.unfinished(), None | Some(Omission::LoadBuffering(_)));
    assert!(found.problems.is_empty() && is_finished, "{:?}", found.problems);
    (memories.iter().map(words).collect(), found.may_buffer_loads())
}

/// A random program, its threads and where they are.
pub fn program(random: &mut Rng) -> (Vec<Vec<Step>>, Placement) {
    let count = random.usize(2..=THREADS);
    let placement = if random.bool() { Placement::OneCta } else { Placement::OwnCtas };
    let scopes: &[&str] = if placement == Placement::OneCta { &["cta", "gpu", "sys"] } else { &["gpu", "sys"] };
    let length = if count == 2 { 4 } else { 3 };
    let has_barrier = placement == Placement::OneCta && random.u32(..3) == 0;
    let threads = (0..count).map(|_| {
        let mut thread: Vec<Step> = (0..random.usize(1..=length)).map(|_| step(random, scopes)).collect();
        if has_barrier {
            thread.insert(random.usize(..=thread.len()), Step::Barrier);
        }
        thread
    });
    (threads.collect(), placement)
}

#[test]
fn random_programs_have_the_outcomes_that_the_axioms_allow() {
    let mut random = Rng::with_seed(28);
    let (mut equal, mut more) = (0, 0);
    for _ in 0..600 {
        let (threads, placement) = program(&mut random);
        let (litmus, kernel) = (litmus_text(&threads, placement), kernel_text(&threads));
        let wanted = allowed(&litmus);
        let launch = launched(&kernel, threads.len(), placement);
        let (found, may_buffer_loads) = explored(&launch);
        let by_axioms = launch.allowed_by_axioms().expect("a program of the model");
        assert_eq!(by_axioms.iter().map(words).collect::<BTreeSet<_>>(), wanted, "{litmus}\n{kernel}");
        let forbidden: Vec<&Outcome> = found.difference(&wanted).collect();
        assert!(forbidden.is_empty(), "forbidden: {forbidden:?}\n{litmus}\n{kernel}");
        let missing: Vec<&Outcome> = wanted.difference(&found).collect();
        assert!(may_buffer_loads || missing.is_empty(), "missing: {missing:?}\n{litmus}\n{kernel}");
        if missing.is_empty() {
            equal += 1;
        } else {
            more += 1;
        }
    }
    assert!(equal > 500, "{equal} programs have all outcomes, {more} have more by load buffering");
}

/// Threads that update a location and read nothing there synchronize all the same, by the fences after.
#[test]
fn random_programs_of_updates_have_the_outcomes_that_the_axioms_allow() {
    let mut random = Rng::with_seed(282);
    let mut synchronized = 0;
    for _ in 0..600 {
        let threads: Vec<Vec<Step>> = (0..2).map(|number| thread_with_updates(&mut random, number)).collect();
        let (litmus, kernel) = (litmus_text(&threads, Placement::OwnCtas), kernel_text(&threads));
        let wanted = allowed(&litmus);
        let launch = launched(&kernel, threads.len(), Placement::OwnCtas);
        let (found, may_buffer_loads) = explored(&launch);
        let by_axioms = launch.allowed_by_axioms().expect("a program of the model");
        assert_eq!(by_axioms.iter().map(words).collect::<BTreeSet<_>>(), wanted, "{litmus}\n{kernel}");
        let forbidden: Vec<&Outcome> = found.difference(&wanted).collect();
        assert!(forbidden.is_empty(), "forbidden: {forbidden:?}\n{litmus}\n{kernel}");
        let missing: Vec<&Outcome> = wanted.difference(&found).collect();
        assert!(may_buffer_loads || missing.is_empty(), "missing: {missing:?}\n{litmus}\n{kernel}");
        let without = threads.iter().map(|thread| {
            let others =
                thread.iter().filter(|step| !matches!(step, Step::Reduce { .. } | Step::AddUnread { .. })).cloned();
            others.collect()
        });
        let without: Vec<Vec<Step>> = without.collect();
        synchronized += usize::from(allowed(&litmus_text(&without, Placement::OwnCtas)).len() > wanted.len());
    }
    assert!(synchronized > 5, "the updates of {synchronized} programs forbid something");
}

/// Accesses have the scope of the system, so that none race; fences have one of two.
#[test]
fn random_programs_with_a_thread_of_the_host_have_the_outcomes_that_the_axioms_allow() {
    let mut random = Rng::with_seed(280);
    let (mut equal, mut narrow) = (0, 0);
    for _ in 0..300 {
        let count = random.usize(2..=THREADS);
        let length = if count == 2 { 4 } else { 3 };
        // The second step is a fence: what it orders is seen by the others.
        let mut one = |at: usize| match at {
            1 => Step::Fence(["acq_rel.gpu", "acq_rel.sys", "sc.gpu", "sc.sys"][random.usize(..4)]),
            _ => step(&mut random, &["sys"]),
        };
        let threads: Vec<Vec<Step>> = (0..count).map(|_| (0..length).map(&mut one).collect()).collect();
        let wanted = allowed(&litmus_text(&threads, Placement::Host));
        let text = kernel_and_host_text(&threads);
        let (found, may_buffer_loads) = explored(&launched_with_host(&text, count));
        let forbidden: Vec<&Outcome> = found.difference(&wanted).collect();
        assert!(forbidden.is_empty(), "forbidden: {forbidden:?}\n{text}");
        let missing: Vec<&Outcome> = wanted.difference(&found).collect();
        assert!(may_buffer_loads || missing.is_empty(), "missing: {missing:?}\n{text}");
        equal += usize::from(missing.is_empty());
        narrow += usize::from(wanted.len() > allowed(&litmus_text(&threads, Placement::OwnCtas)).len());
    }
    assert!(
        equal > 200 && narrow > 5,
        "{equal} programs have all outcomes; of {narrow} the host allows more than the device"
    );
}

/// Two threads that add to a word under a lock, and to another one with an atomic operation that tells who came first.
const LOCK: &str = "\
.version 8.6
.target sm_90
.address_size 64
.entry k(.param .u64 memory)
{
	.reg .pred %p;
	.reg .b32 %old, %value, %rank, %size, %cta;
	.reg .b64 %memory, %own;
	ld.param.u64 %memory, [memory];
AGAIN:
	atom.acquire.gpu.global.cas.b32 %old, [%memory], 0, 1;
	setp.ne.u32 %p, %old, 0;
	@%p bra AGAIN;
	ld.global.u32 %value, [%memory+4];
	add.u32 %value, %value, 3;
	st.global.u32 [%memory+4], %value;
	st.release.gpu.global.u32 [%memory], 0;
	atom.relaxed.gpu.global.add.u32 %rank, [%memory+8], 1;
	mov.u32 %size, %ntid.x;
	mov.u32 %cta, %ctaid.x;
	mad.lo.u32 %size, %cta, %size, %tid.x;
	mad.wide.u32 %own, %size, 4, %memory;
	st.global.u32 [%own+12], %rank;
	ret;
}
";

#[test]
fn concrete_runs_are_among_the_explored_executions() {
    const SCHEDULES: u64 = 1_000;
    let mut random = Rng::with_seed(29);
    let mut texts: Vec<(String, usize, Placement)> = (0..40)
        .map(|_| {
            let (threads, placement) = program(&mut random);
            (kernel_text(&threads), threads.len(), placement)
        })
        .collect();
    texts.push((LOCK.to_owned(), 2, Placement::OneCta));
    texts.push((LOCK.to_owned(), 2, Placement::OwnCtas));
    let mut several = 0;
    for (text, threads, placement) in texts {
        let launch = launched(&text, threads, placement);
        let (explored, _) = explored(&launch);
        let seen: BTreeSet<Outcome> = (0..SCHEDULES).map(|seed| words(&launch.run(seed))).collect();
        let unknown: Vec<&Outcome> = seen.difference(&explored).collect();
        assert!(unknown.is_empty(), "not explored: {unknown:?}\n{text}");
        several += usize::from(seen.len() > 1);
    }
    assert!(several > 10, "{several} programs have several outcomes: the schedules differ");
}
