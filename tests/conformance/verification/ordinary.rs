//! `check` against the axioms: random programs in which threads hand ordinary data on, by flags, tickets and barriers, perhaps with too little order.

use crate::comparison::{ComparedProgram, Comparison, compared, given};
use fastrand::Rng;
use std::fmt::Write;

/// The data of each thread, the flags, and a counter; each is a word of the first buffer.
const LOCATIONS: [&str; 6] = ["x", "y", "w", "f", "g", "t"];
/// The data.
const DATA: [&str; 3] = ["x", "y", "w"];
/// The lines of a thread, whose registers have these numbers.
const LINES: usize = 9;

/// A line of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// Of an order, `weak` for an ordinary one.
    Load(&'static str, &'static str),
    Store(&'static str, &'static str, u32),
    /// An addition.
    Add(&'static str, &'static str),
    /// The same without a result.
    Reduce(&'static str, &'static str),
    Fence(&'static str),
    /// A store of 1 to a flag.
    SetFlag(&'static str, &'static str),
    /// A wait for a flag. Where it is not set, the thread ends in the litmus test, and repeats the load in the kernel.
    WaitFlag(&'static str, &'static str),
    /// A load of a flag. Where it is not set, the thread ends.
    TryFlag(&'static str, &'static str),
    /// An addition to the counter. Who is not the last one ends.
    Ticket(&'static str, u32),
    /// A barrier of the CTA.
    Barrier,
}

/// A program: its threads are of one CTA, or each of its own.
#[derive(Clone, Debug)]
struct OrdinaryProgram {
    is_one_cta: bool,
    threads: Vec<Vec<Line>>,
}

fn one(random: &mut Rng, all: &[&'static str]) -> &'static str {
    all[random.usize(..all.len())]
}

/// A few accesses to some data, which are mostly ordinary.
fn body(random: &mut Rng, data: &[&'static str], lines: &mut Vec<Line>) {
    for _ in 0..random.usize(..3) {
        let location = one(random, data);
        lines.push(match random.u32(..12) {
            0..=4 => Line::Load("weak", location),
            5..=8 => Line::Store("weak", location, random.u32(1..4)),
            9 => Line::Load(one(random, &["relaxed.gpu", "relaxed.cta"]), location),
            10 => Line::Store(one(random, &["relaxed.gpu", "release.gpu"]), location, random.u32(1..4)),
            _ if random.bool() => Line::Add(one(random, &["relaxed.gpu", "acq_rel.gpu", "relaxed.cta"]), location),
            _ => Line::Reduce(one(random, &["relaxed.gpu", "release.gpu"]), location),
        });
    }
}

/// The order of an access to a flag, and the fence beside it: mostly enough, of those with the scope of the device and of the CTA.
fn flag_order(random: &mut Rng, [device, cta]: [&'static str; 2]) -> (&'static str, Option<&'static str>) {
    match random.u32(..8) {
        0..=3 => (device, None),
        4 => (cta, None),
        5 => ("relaxed.gpu", None),
        6 => ("relaxed.gpu", Some("acq_rel.gpu")),
        _ => ("relaxed.gpu", Some(one(random, &["acq_rel.cta", "sc.gpu", "sc.cta"]))),
    }
}

/// A flag is set.
fn set_flag(random: &mut Rng, flag: &'static str, lines: &mut Vec<Line>) {
    let (order, fence) = flag_order(random, ["release.gpu", "release.cta"]);
    lines.extend(fence.map(Line::Fence));
    lines.push(Line::SetFlag(order, flag));
}

/// A flag is read; it is waited for only if it `is_set` in each execution.
fn read_flag(random: &mut Rng, (flag, is_set): (&'static str, bool), lines: &mut Vec<Line>) {
    let (order, fence) = flag_order(random, ["acquire.gpu", "acquire.cta"]);
    lines.push(if is_set && random.bool() { Line::WaitFlag(order, flag) } else { Line::TryFlag(order, flag) });
    lines.extend(fence.map(Line::Fence));
}

impl OrdinaryProgram {
    fn random(random: &mut Rng) -> Self {
        let is_one_cta = random.bool();
        let count = random.usize(2..=3);
        let mut threads = vec![Vec::new(); count];
        for (thread, lines) in threads.iter_mut().enumerate() {
            body(random, &DATA[thread..=thread], lines);
        }
        match random.u32(..4) {
            0 if is_one_cta => {
                for lines in &mut threads {
                    lines.push(Line::Barrier);
                    let shared = random.usize(1..=2);
                    body(random, &DATA[..shared], lines);
                }
            }
            0 | 1 => {
                for lines in &mut threads {
                    let order =
                        one(random, &["acq_rel.gpu", "acq_rel.gpu", "release.gpu", "acquire.gpu", "relaxed.gpu"]);
                    lines.push(Line::Ticket(order, count as u32 - 1));
                    if random.u32(..4) == 0 {
                        lines.push(Line::Fence("acq_rel.gpu"));
                    }
                    body(random, &DATA[..count], lines);
                }
            }
            _ => {
                // Each thread hands on to the next one.
                for thread in 1..count {
                    let flag = ["f", "g"][thread - 1];
                    set_flag(random, flag, &mut threads[thread - 1]);
                    let is_set = !threads[thread - 1].iter().any(|line| matches!(line, Line::TryFlag(..)));
                    read_flag(random, (flag, is_set), &mut threads[thread]);
                    body(random, &DATA[..=thread], &mut threads[thread]);
                }
            }
        }
        threads.iter_mut().for_each(|lines| lines.truncate(LINES));
        Self { is_one_cta, threads }
    }

    /// As a litmus test and as a kernel.
    fn compared(&self) -> ComparedProgram {
        let count = self.threads.len() as u32;
        let (ctas, threads) = if self.is_one_cta { (1, count) } else { (count, 1) };
        let lines = |thread: usize| self.threads[thread].iter().enumerate();
        let register = |thread: usize, at: usize| format!("P{thread}:r{at}");
        let mut observed: Vec<(String, usize)> =
            LOCATIONS.iter().enumerate().map(|(at, name)| ((*name).to_owned(), at)).collect();
        let mut waits = Vec::new();
        for thread in 0..self.threads.len() {
            let reads = lines(thread).filter(|(_, line)| line.has_result());
            observed.extend(reads.map(|(at, _)| (register(thread, at), LOCATIONS.len() + thread * LINES + at)));
            let own = lines(thread).filter(|(_, line)| matches!(line, Line::WaitFlag(..)));
            waits.extend(own.map(|(at, _)| register(thread, at)));
        }
        ComparedProgram {
            litmus: self.litmus(),
            kernel: self.kernel(),
            ctas,
            threads,
            arguments: vec![
                format!("memory=u32[{}]", LOCATIONS.len()),
                format!("out=u32[{}]", self.threads.len() * LINES),
            ],
            observed,
            waits: waits.into_iter().collect(),
        }
    }

    fn litmus(&self) -> String {
        let mut text = "PTX random\n{".to_owned();
        LOCATIONS.iter().for_each(|location| text.push_str(&format!(" {location}=0;")));
        for (thread, lines) in self.threads.iter().enumerate() {
            for (at, _) in lines.iter().enumerate().filter(|(_, line)| line.has_result()) {
                let _ = write!(text, " P{thread}:r{at}=0;");
            }
        }
        let heads = (0..self.threads.len()).map(|thread| {
            let cta = if self.is_one_cta { 0 } else { thread };
            format!("P{thread}@cta {cta},gpu 0")
        });
        let _ = writeln!(text, " }}\n{} ;", heads.collect::<Vec<_>>().join(" | "));
        let columns = self.threads.iter().enumerate().map(|(thread, lines)| {
            let own = lines.iter().enumerate().flat_map(|(at, line)| line.litmus(thread, at));
            own.chain([format!("LC{thread}0:")]).collect::<Vec<String>>()
        });
        let columns: Vec<Vec<String>> = columns.collect();
        for row in 0..columns.iter().map(Vec::len).max().unwrap_or_default() {
            let cells: Vec<&str> = columns.iter().map(|column| column.get(row).map_or("", String::as_str)).collect();
            let _ = writeln!(text, "{} ;", cells.join(" | "));
        }
        text + "exists (x == 0)\n"
    }

    /// As a kernel, which stores what its threads have read.
    fn kernel(&self) -> String {
        let mut text = "\
.version 8.6
.target sm_90
.address_size 64
.entry k(.param .u64 memory, .param .u64 out)
{
	.reg .pred %p;
	.reg .b32 %thread, %cta, %size, %r<9>;
	.reg .b64 %memory, %out;
	ld.param.u64 %memory, [memory];
	ld.param.u64 %out, [out];
	mov.u32 %thread, %tid.x;
	mov.u32 %cta, %ctaid.x;
	mov.u32 %size, %ntid.x;
	mad.lo.u32 %thread, %cta, %size, %thread;
"
        .to_owned();
        for (thread, lines) in self.threads.iter().enumerate() {
            let _ = writeln!(text, "\tsetp.ne.u32 %p, %thread, {thread};\n\t@%p bra NEXT{thread};");
            let reads = || lines.iter().enumerate().filter(|(_, line)| line.has_result());
            reads().for_each(|(at, _)| text.push_str(&format!("\tmov.u32 %r{at}, 0;\n")));
            for (at, line) in lines.iter().enumerate() {
                let _ = writeln!(text, "{}", line.kernel(thread, at));
            }
            let _ = writeln!(text, "END{thread}:");
            for (at, _) in reads() {
                let _ = writeln!(text, "\tst.global.u32 [%out+{}], %r{at};", 4 * (thread * LINES + at));
            }
            let _ = writeln!(text, "\tret;\nNEXT{thread}:");
        }
        text + "\tret;\n}\n"
    }
}

impl Line {
    const fn has_result(&self) -> bool {
        matches!(self, Self::Load(..) | Self::Add(..) | Self::WaitFlag(..) | Self::TryFlag(..) | Self::Ticket(..))
    }

    fn litmus(&self, thread: usize, at: usize) -> Vec<String> {
        let ends_unless = |value: u32| format!("bne r{at}, {value}, LC{thread}0");
        vec![match self {
            Self::Load(order, location) => format!("ld.{order} r{at}, [{location}]"),
            Self::Store(order, location, value) => format!("st.{order} [{location}], {value}"),
            Self::Add(order, location) => format!("atom.{order}.add r{at}, [{location}], 1"),
            Self::Reduce(order, location) => format!("red.{order}.add [{location}], 1"),
            Self::Fence(kind) => format!("fence.{kind}"),
            Self::SetFlag(order, flag) => format!("st.{order} [{flag}], 1"),
            Self::WaitFlag(order, flag) | Self::TryFlag(order, flag) => {
                return vec![format!("ld.{order} r{at}, [{flag}]"), ends_unless(1)];
            }
            Self::Ticket(order, last) => {
                return vec![format!("atom.{order}.add r{at}, [t], 1"), ends_unless(*last)];
            }
            Self::Barrier => "bar.cta.sync 0".to_owned(),
        }]
    }

    fn kernel(&self, thread: usize, at: usize) -> String {
        let place = |location: &str| {
            let word = LOCATIONS.iter().position(|one| *one == location).unwrap_or_default();
            format!("[%memory+{}]", 4 * word)
        };
        let infix = |order: &str| if order == "weak" { String::new() } else { format!(".{order}") };
        let ends_unless = |value: u32| format!("\tsetp.ne.u32 %p, %r{at}, {value};\n\t@%p bra END{thread};");
        match self {
            Self::Load(order, location) => {
                format!("\tld{}.global.u32 %r{at}, {};", infix(order), place(location))
            }
            Self::Store(order, location, value) => {
                format!("\tst{}.global.u32 {}, {value};", infix(order), place(location))
            }
            Self::Add(order, location) => format!("\tatom.{order}.global.add.u32 %r{at}, {}, 1;", place(location)),
            Self::Reduce(order, location) => format!("\tred.{order}.global.add.u32 {}, 1;", place(location)),
            Self::Fence(kind) => format!("\tfence.{kind};"),
            Self::SetFlag(order, flag) => format!("\tst.{order}.global.u32 {}, 1;", place(flag)),
            Self::WaitFlag(order, flag) => format!(
                "WAIT{thread}{at}:\n\tld.{order}.global.u32 %r{at}, {};\n\tsetp.ne.u32 %p, %r{at}, 1;\n\t@%p bra WAIT{thread}{at};",
                place(flag)
            ),
            Self::TryFlag(order, flag) => {
                format!("\tld.{order}.global.u32 %r{at}, {};\n{}", place(flag), ends_unless(1))
            }
            Self::Ticket(order, last) => {
                format!("\tatom.{order}.global.add.u32 %r{at}, {}, 1;\n{}", place("t"), ends_unless(*last))
            }
            Self::Barrier => "\tbarrier.cta.sync 0;".to_owned(),
        }
    }
}

/// A few hundred programs, thousands with `PTX_ATOMICS_FULL=1`, as many as `PTX_ATOMICS_PROGRAMS` says; others with another `PTX_ATOMICS_SEED`.
#[test]
fn random_programs_with_ordinary_accesses_have_the_verdicts_of_the_axioms() {
    let programs = given("PTX_ATOMICS_PROGRAMS", if support::full() { 3_000 } else { 250 });
    let counts = compared(given("PTX_ATOMICS_SEED", 642), programs as usize, |random| {
        OrdinaryProgram::random(random).compared()
    });
    println!("{counts:?}");
    let count = |comparison| counts.get(&comparison).copied().unwrap_or(0);
    let decided = count(Comparison::Proved) + count(Comparison::Refuted);
    assert!(count(Comparison::Proved) * 4 > decided && count(Comparison::Refuted) * 4 > decided, "{counts:?}");
    assert!(decided * 10 > programs as usize * 9, "{counts:?}");
}
