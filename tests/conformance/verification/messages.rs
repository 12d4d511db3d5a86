//! `check` against the axioms: threads that hand data to another one, which reads them in other sizes or as vectors, by flags, an mbarrier or a barrier.
//!
//! Data are eight bytes that one thread writes, whole or in halves; in the litmus test they are two locations. The axioms do not know data races:
//! there is one if the same strong reads leave a choice to plain ones.

use crate::checked::{CheckedModule, FinalMemory, sized};
use fastrand::Rng;
use litmus::parse;
use memory_model::{Budget, explore};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The writers; the reader is the thread after them.
const WRITERS: usize = 2;

/// How the reader gets to know that a writer has written.
#[derive(Clone, Debug)]
enum Channel {
    /// A flag of the writer: the orders of its store and of the reader's load.
    Flag { store: String, load: String },
    /// The mbarrier that all writers arrive at: the words after `arrive` and after `parity`, and what the reader does if the test fails.
    Mbarrier { arrive: &'static str, test: &'static str, failing: FailingTest },
    /// A barrier of the CTA.
    Barrier,
}

/// What the reader does if the test of the mbarrier fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FailingTest {
    /// It reads no data.
    Skips,
    /// It tests again.
    Repeats,
}

/// An access to the eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DataAccess {
    Whole,
    Vector,
    Halves,
    /// One half, 0 or 1.
    Half(u32),
    /// A byte of the second half; only read.
    Byte,
}

/// What a writer does, and what the reader does with its data.
#[derive(Clone, Debug)]
struct Message {
    channel: Channel,
    write: DataAccess,
    /// A fence after the write.
    release: Option<String>,
    /// A fence before the read.
    acquire: Option<String>,
    read: DataAccess,
}

/// A program: a message of each writer, and whether all threads are in one CTA.
struct Messages {
    all: Vec<Message>,
    is_one_cta: bool,
}

fn choose<T: Clone>(random: &mut Rng, words: &[T]) -> T {
    words[random.usize(..words.len())].clone()
}

fn messages(random: &mut Rng) -> Messages {
    let is_one_cta = random.bool();
    let scope = |random: &mut Rng| {
        if is_one_cta { choose(random, &["cta", "gpu"]) } else { choose(random, &["gpu", "gpu", "gpu", "sys"]) }
    };
    let kind = if is_one_cta { random.u32(..3) } else { 0 };
    let count = random.usize(1..=WRITERS);
    let all = (0..count).map(|_| {
        let channel = match kind {
            0 => {
                let store = choose(random, &["relaxed", "release", "release"]);
                let load = choose(random, &["relaxed", "acquire", "acquire"]);
                Channel::Flag { store: format!("{store}.{}", scope(random)), load: format!("{load}.{}", scope(random)) }
            }
            1 => Channel::Mbarrier {
                arrive: choose(random, &["", "", ".relaxed.cta", ".release.cta"]),
                test: choose(random, &["", "", ".relaxed.cta", ".acquire.cta"]),
                failing: choose(random, &[FailingTest::Skips, FailingTest::Repeats]),
            },
            _ => Channel::Barrier,
        };
        let fence = |random: &mut Rng| {
            (random.u32(..4) == 0).then(|| format!("{}.{}", choose(random, &["acq_rel", "sc"]), scope(random)))
        };
        let halves = [DataAccess::Half(0), DataAccess::Half(1), DataAccess::Byte];
        let whole = [DataAccess::Whole, DataAccess::Vector, DataAccess::Halves];
        Message {
            channel,
            write: choose(random, &[&whole[..], &halves[..2]].concat()),
            release: fence(random),
            acquire: fence(random),
            read: choose(random, &[&whole[..], &halves].concat()),
        }
    });
    Messages { all: all.collect(), is_one_cta }
}

impl DataAccess {
    /// The halves that it touches.
    fn halves(self) -> Vec<u32> {
        match self {
            Self::Whole | Self::Vector | Self::Halves => vec![0, 1],
            Self::Half(half) => vec![half],
            Self::Byte => vec![1],
        }
    }
}

impl Messages {
    /// The instructions of each thread in a litmus test. Registers: `f` is what the reader knows of a writer, `d` what it has read of its data.
    fn litmus(&self) -> String {
        let names = |at: usize| [format!("a{at}"), format!("b{at}")];
        let (mut threads, mut reader) = (Vec::new(), Vec::new());
        let mut initial = format!("m @ mbarrier {}; ", self.all.len());
        let number = self.all.len();
        for (at, message) in self.all.iter().enumerate() {
            let mut writer: Vec<String> = message
                .write
                .halves()
                .iter()
                .map(|half| format!("st.weak [{}], 1", names(at)[*half as usize]))
                .collect();
            let begin = u32::from(matches!(message.channel, Channel::Barrier));
            writer.extend(message.release.iter().map(|fence| format!("fence.{fence}")));
            let _ = write!(
                initial,
                "x{at}=0; a{at}=0; b{at}=0; P{number}:f{at}={begin}; P{number}:d{at}0=0; P{number}:d{at}1=0; "
            );
            match &message.channel {
                Channel::Flag { store, load } => {
                    writer.push(format!("st.{store} [x{at}], 1"));
                    reader.push(format!("ld.{load} f{at}, [x{at}]"));
                }
                Channel::Mbarrier { arrive, test, failing } => {
                    writer.push(format!("mbarrier.arrive{arrive}.shared.b64 _, [m]"));
                    reader.push(format!("LW0{at}:"));
                    reader.push(format!("mbarrier.test_wait.parity{test}.shared.b64 f{at}, [m], 0"));
                    if *failing == FailingTest::Repeats {
                        reader.push(format!("beq f{at}, 0, LW0{at}"));
                    }
                }
                Channel::Barrier => {
                    writer.push("bar.cta.sync 0".to_owned());
                    if at == 0 {
                        reader.push("bar.cta.sync 0".to_owned());
                    }
                }
            }
            reader.push(format!("beq f{at}, 0, LC0{at}"));
            reader.extend(message.acquire.iter().map(|fence| format!("fence.{fence}")));
            let halves = message.read.halves();
            reader.extend(halves.iter().map(|half| format!("ld.weak d{at}{half}, [{}]", names(at)[*half as usize])));
            reader.push(format!("LC0{at}:"));
            threads.push(writer);
        }
        threads.push(reader);
        let heads =
            (0..threads.len()).map(|at| format!("P{at}@cta {},cluster 0,gpu 0", if self.is_one_cta { 0 } else { at }));
        let mut text = format!("PTX messages\n{{ {initial}}}\n{} ;\n", heads.collect::<Vec<_>>().join(" | "));
        for line in 0..threads.iter().map(Vec::len).max().unwrap_or_default() {
            let cells: Vec<&str> = threads.iter().map(|thread| thread.get(line).map_or("", String::as_str)).collect();
            let _ = writeln!(text, "{} ;", cells.join(" | "));
        }
        text + "exists (x0 == 0)\n"
    }

    /// The same as a kernel, whose results are what the registers of the litmus test are at the end.
    fn kernel(&self) -> String {
        let mut text = format!(
            "\
.version 8.6
.target sm_90
.address_size 64
.entry k(.param .u64 memory, .param .u64 out)
{{
	.reg .pred %p;
	.reg .b32 %f, %d<2>, %thread, %cta, %size;
	.reg .b64 %memory, %out, %whole;
	.shared .align 8 .b64 m;
	ld.param.u64 %memory, [memory];
	ld.param.u64 %out, [out];
	mov.u32 %thread, %tid.x;
	mov.u32 %cta, %ctaid.x;
	mov.u32 %size, %ntid.x;
	mad.lo.u32 %thread, %cta, %size, %thread;
	setp.ne.u32 %p, %thread, 0;
	@%p bra READY;
	mbarrier.init.shared.b64 [m], {};
READY:
	barrier.cta.sync 1;
",
            self.all.len()
        );
        let mut reader = String::new();
        for (at, message) in self.all.iter().enumerate() {
            let _ = writeln!(text, "\tsetp.ne.u32 %p, %thread, {at};\n\t@%p bra NEXT{at};");
            let data = 16 * at;
            let _ = match message.write {
                DataAccess::Whole => writeln!(text, "\tst.global.u64 [%memory+{data}], 0x100000001;"),
                DataAccess::Vector => writeln!(text, "\tst.global.v2.u32 [%memory+{data}], {{1, 1}};"),
                other => other
                    .halves()
                    .iter()
                    .try_for_each(|half| writeln!(text, "\tst.global.u32 [%memory+{}], 1;", data + 4 * *half as usize)),
            };
            let _ = message.release.iter().try_for_each(|fence| writeln!(text, "\tfence.{fence};"));
            let flag = data + 8;
            let _ = match &message.channel {
                Channel::Flag { store, load } => {
                    let _ = writeln!(text, "\tst.{store}.global.u32 [%memory+{flag}], 1;");
                    writeln!(reader, "\tld.{load}.global.u32 %f, [%memory+{flag}];")
                }
                Channel::Mbarrier { arrive, test, failing } => {
                    let _ = writeln!(text, "\tmbarrier.arrive{arrive}.shared.b64 _, [m];");
                    let _ = writeln!(reader, "WAIT{at}:\n\tmbarrier.test_wait.parity{test}.shared.b64 %p, [m], 0;");
                    if *failing == FailingTest::Repeats {
                        let _ = writeln!(reader, "\t@!%p bra WAIT{at};");
                    }
                    writeln!(reader, "\tselp.u32 %f, 1, 0, %p;")
                }
                Channel::Barrier => {
                    text.push_str("\tbarrier.cta.sync 0;\n");
                    reader.push_str(if at == 0 { "\tbarrier.cta.sync 0;\n" } else { "" });
                    writeln!(reader, "\tmov.u32 %f, 1;")
                }
            };
            text.push_str(&format!("\tret;\nNEXT{at}:\n"));
            reader.push_str(&message.read_as_kernel(at, data));
        }
        text + &reader + "\tret;\n}\n"
    }

    /// The outcomes that the axioms allow: the values of `f` and of `d` of each message.
    fn allowed(&self) -> BTreeMap<Vec<u32>, BTreeSet<Vec<u32>>> {
        let text = self.litmus();
        let test = parse(&text);
        assert!(test.errors.is_empty(), "{:?}\n{text}", test.errors);
        let observables = test.observables();
        let found = explore(&test.program, &observables, Budget::default());
        assert!(found.not_modelled.is_empty(), "{:?}\n{text}", found.not_modelled);
        let names: Vec<String> = observables.iter().map(|observable| test.name(observable)).collect();
        let value = |row: &[memory_model::Bits], name: String| {
            let at = names.iter().position(|known| known.ends_with(&format!(":{name}")));
            at.map_or(0, |at| row[at] as u32)
        };
        let mut all: BTreeMap<Vec<u32>, BTreeSet<Vec<u32>>> = BTreeMap::new();
        for row in found.all() {
            let known = (0..self.all.len()).map(|at| value(row, format!("f{at}"))).collect();
            let read =
                (0..self.all.len()).flat_map(|at| [0, 1].map(|half| value(row, format!("d{at}{half}")))).collect();
            all.entry(known).or_default().insert(read);
        }
        all
    }
}

impl Message {
    /// What the reader does after the read of `%f`.
    fn read_as_kernel(&self, at: usize, data: usize) -> String {
        let mut text = format!("\tmov.u32 %d0, 0;\n\tmov.u32 %d1, 0;\n\tsetp.eq.u32 %p, %f, 0;\n\t@%p bra SKIP{at};\n");
        let _ = self.acquire.iter().try_for_each(|fence| writeln!(text, "\tfence.{fence};"));
        let _ = match self.read {
            DataAccess::Whole => {
                writeln!(text, "\tld.global.u64 %whole, [%memory+{data}];\n\tmov.b64 {{%d0, %d1}}, %whole;")
            }
            DataAccess::Vector => writeln!(text, "\tld.global.v2.u32 {{%d0, %d1}}, [%memory+{data}];"),
            DataAccess::Byte => writeln!(text, "\tld.global.u8 %d1, [%memory+{}];", data + 4),
            other => other.halves().iter().try_for_each(|half| {
                writeln!(text, "\tld.global.u32 %d{half}, [%memory+{}];", data + 4 * *half as usize)
            }),
        };
        let _ = writeln!(text, "SKIP{at}:");
        for (word, register) in ["%f", "%d0", "%d1"].iter().enumerate() {
            let _ = writeln!(text, "\tst.global.u32 [%out+{}], {register};", 4 * (3 * at + word));
        }
        text
    }
}

/// The values of `f` and of `d` of each message in the words of `out`.
fn outcome(memory: &FinalMemory, messages: usize) -> (Vec<u32>, Vec<u32>) {
    let words: Vec<u32> =
        memory.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    let out = &words[words.len() - 3 * WRITERS..][..3 * messages];
    let known = out.iter().step_by(3).copied().collect();
    (known, out.chunks_exact(3).flat_map(|one| [one[1], one[2]]).collect())
}

#[test]
fn messages_have_the_outcomes_and_the_races_that_the_axioms_allow() {
    let mut random = Rng::with_seed(2828);
    let (mut racy, mut right) = (0, 0);
    for _ in 0..500 {
        let messages = messages(&mut random);
        let allowed = messages.allowed();
        let kernel = messages.kernel();
        let threads = messages.all.len() as u32 + 1;
        let (ctas, threads) = if messages.is_one_cta { (1, threads) } else { (threads, 1) };
        let arguments = [&format!("memory=u32[{}]", 4 * WRITERS), &format!("out=u32[{}]", 3 * WRITERS)];
        let launch = CheckedModule::new(&kernel).launch(&sized("k", ctas, threads, &arguments.map(String::as_str)));
        let (found, memories) = launch.explored(1_000_000);
        let text = format!("{}\n{kernel}", messages.litmus());
        let is_racy = allowed.values().any(|read| read.len() > 1);
        let codes: BTreeSet<&str> =
            found.problems.iter().filter_map(|one| one.problem.as_ref()).map(|one| one.kind.code()).collect();
        assert_eq!(codes, if is_racy { BTreeSet::from(["data-race"]) } else { BTreeSet::new() }, "{allowed:?}\n{text}");
        if is_racy {
            racy += 1;
            continue;
        }
        right += 1;
        let ends: BTreeSet<_> = memories.iter().map(|memory| outcome(memory, messages.all.len())).collect();
        let wanted: BTreeSet<_> = allowed
            .into_iter()
            .flat_map(|(known, read)| read.into_iter().map(move |read| (known.clone(), read)))
            .collect();
        assert_eq!(ends, wanted, "{text}");
    }
    assert!(racy > 50 && right > 50, "{racy} racy, {right} right");
}
