//! `check` takes steps at mbarriers early: it finds the same as a search through all of their orders.

use crate::checked::{CheckedLaunch, CheckedModule, sized};
use explorer::{Omission, Verification};
use fastrand::Rng;
use kernel::arguments::launch::KernelLaunch;
use program::Dimensions;
use std::fmt::Write;

const MOST_STATES: usize = 1_000;

/// The most stages, each with an mbarrier that is full and one that is empty.
const STAGES: usize = 2;

/// What a thread does.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Waits for a parity.
    Wait {
        barrier: usize,
        parity: u32,
    },
    /// Looks whether a phase has ended, and remembers it.
    Look {
        barrier: usize,
        parity: u32,
    },
    /// Arrives, in a CTA of the cluster.
    Arrive {
        barrier: usize,
        rank: Option<u32>,
    },
    /// The same, and expects bytes.
    Expect {
        barrier: usize,
        bytes: u32,
    },
    /// Copies 16 bytes to a stage, of all CTAs or of its own, with the mbarrier.
    Copy {
        barrier: usize,
        stage: usize,
        to_all: bool,
    },
    Store {
        stage: usize,
    },
    Load {
        stage: usize,
    },
    /// Counts, and remembers the count.
    Count,
}

/// A kernel whose threads each have a list of steps.
#[derive(Clone, Debug)]
struct Pipeline {
    ctas: u32,
    /// Those of each CTA are the same.
    threads: Vec<Vec<Step>>,
    /// The arrivals of the full and the empty mbarriers.
    counts: [u32; 2],
    arrival: &'static str,
    wait: &'static str,
}

/// A thread of each CTA fills stages, by copies or stores, and others read them.
fn pipeline(random: &mut Rng) -> Pipeline {
    let ctas = if random.u32(..3) == 0 { 2 } else { 1 };
    let consumers = if ctas == 2 { 1 } else { random.usize(1..=2) };
    let (stages, tiles) = (random.usize(1..=STAGES), random.usize(1..=3));
    let copies = ctas == 2 || random.bool();
    let mut threads = vec![Vec::new(); 1 + consumers];
    for tile in 0..tiles {
        let (stage, round) = (tile % stages, (tile / stages) as u32);
        let (full, empty, parity) = (stage, STAGES + stage, round & 1);
        threads[0].push(Step::Wait { barrier: empty, parity: parity ^ 1 });
        if copies {
            threads[0].push(Step::Expect { barrier: full, bytes: 16 * ctas });
            threads[0].push(Step::Copy { barrier: full, stage, to_all: ctas == 2 });
        } else {
            threads[0].extend([Step::Store { stage }, Step::Arrive { barrier: full, rank: None }]);
        }
        for consumer in &mut threads[1..] {
            consumer.extend([Step::Wait { barrier: full, parity }, Step::Load { stage }]);
            match ctas {
                2 => consumer.extend([0, 1].map(|rank| Step::Arrive { barrier: empty, rank: Some(rank) })),
                _ => consumer.push(Step::Arrive { barrier: empty, rank: None }),
            }
        }
    }
    let counts = [1, if ctas == 2 { 2 } else { consumers as u32 }];
    let scopes = [("", ""), ("", ""), (".release.cluster", ".acquire.cluster")];
    let (arrival, wait) = scopes[random.usize(..scopes.len())];
    Pipeline { ctas, threads, counts, arrival, wait }
}

impl Pipeline {
    /// Changes something.
    fn change(&mut self, random: &mut Rng) {
        let thread = random.usize(..self.threads.len());
        let steps = &mut self.threads[thread];
        let at = random.usize(..steps.len());
        let barrier = random.usize(..2 * STAGES);
        match random.u32(..15) {
            0 | 1 => drop(steps.remove(at)),
            2 => steps.insert(at, steps[at]),
            3 if at > 0 => steps.swap(at - 1, at),
            4 => match &mut steps[at] {
                Step::Wait { parity, .. } => *parity ^= 1,
                Step::Expect { bytes, .. } => *bytes ^= 48,
                Step::Arrive { rank, .. } => *rank = rank.map(|rank| rank ^ 1),
                Step::Copy { to_all, .. } => *to_all ^= true,
                _ => {}
            },
            5 => self.counts[random.usize(..2)] = random.u32(1..=3),
            6 => self.arrival = ".relaxed.cta",
            7 => self.wait = ".relaxed.cta",
            8 => steps.insert(at, Step::Look { barrier, parity: random.u32(..2) }),
            9 => steps.insert(at, Step::Arrive { barrier, rank: None }),
            _ => steps.insert(at, Step::Count),
        }
    }

    fn text(&self) -> String {
        let mut text = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
	.reg .pred p, q;
	.reg .b16 all;
	.reg .b32 id, rank, there, v;
	.reg .b64 from, to, own;
	.shared .align 16 .b8 stages[64];
	.shared .align 8 .b64 barriers[4];
	ld.param.u64 from, [in];
	ld.param.u64 to, [out];
	mov.u32 id, %tid.x;
	mov.u32 rank, %cluster_ctarank;
	mov.b16 all, 3;
	setp.ne.u32 p, id, 0;
	@p bra READY;
"
        .to_owned();
        for barrier in 0..2 * STAGES {
            let count = self.counts[barrier / STAGES];
            _ = writeln!(text, "\tmbarrier.init.shared::cta.b64 [barriers+{}], {count};", 8 * barrier);
        }
        let ready = "fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;";
        let meet = "barrier.cluster.arrive; barrier.cluster.wait;";
        _ = writeln!(text, "\t{ready}\nREADY:\n\t{meet}");
        // Each thread of each CTA has words of its own.
        let own = self.threads.len() * 16 * 4;
        _ = writeln!(text, "\tmul.wide.u32 own, rank, {own};\n\tadd.u64 own, own, to;");
        for (number, steps) in self.threads.iter().enumerate() {
            _ = writeln!(text, "\tsetp.ne.u32 p, id, {number};\n\t@p bra NEXT{number};");
            for (at, step) in steps.iter().enumerate() {
                self.add_step(&mut text, *step, (number, at));
            }
            _ = writeln!(text, "\tbra DONE;\nNEXT{number}:");
        }
        text + &format!("DONE:\n\t{meet}\n\tret;\n}}\n")
    }

    fn add_step(&self, text: &mut String, step: Step, (thread, at): (usize, usize)) {
        let bar = |barrier: usize| format!("barriers+{}", 8 * barrier);
        let (arrival, wait) = (self.arrival, self.wait);
        let remember = format!("st.global.u32 [own+{}], v;", 4 * (1 + 16 * thread + at % 15));
        let line = match step {
            Step::Wait { barrier, parity } => format!(
                "W{thread}_{at}: mbarrier.try_wait.parity{wait}.shared::cta.b64 q, [{}], {parity}; @!q bra W{thread}_{at};",
                bar(barrier)
            ),
            Step::Look { barrier, parity } => format!(
                "mbarrier.test_wait.parity{wait}.shared::cta.b64 q, [{}], {parity}; selp.u32 v, 1, 2, q; {remember}",
                bar(barrier)
            ),
            Step::Arrive { barrier, rank: None } => {
                format!("mbarrier.arrive{arrival}.shared::cta.b64 _, [{}];", bar(barrier))
            }
            Step::Arrive { barrier, rank: Some(rank) } => format!(
                "mov.b32 there, {}; mapa.shared::cluster.u32 there, there, {rank}; \
                 mbarrier.arrive{arrival}.shared::cluster.b64 _, [there];",
                bar(barrier)
            ),
            Step::Expect { barrier, bytes } => {
                format!("mbarrier.arrive.expect_tx.shared::cta.b64 _, [{}], {bytes};", bar(barrier))
            }
            Step::Copy { barrier, stage, to_all } => {
                let (words, mask) = if to_all { (".multicast::cluster", ", all") } else { ("", "") };
                let half = if self.ctas == 2 { "rank" } else { "0" };
                format!(
                    "mov.b32 there, stages; mad.lo.u32 there, {half}, 16, there; add.u32 there, there, {}; \
                     cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{words} [there], [from], 16, [{}]{mask};",
                    32 * stage,
                    bar(barrier)
                )
            }
            Step::Store { stage } => format!("st.shared.u32 [stages+{}], {at};", 32 * stage),
            Step::Load { stage } => {
                format!("ld.shared.u32 v, [stages+{}]; {remember}", 32 * stage + if self.ctas == 2 { 16 } else { 0 })
            }
            Step::Count => format!("atom.relaxed.gpu.global.add.u32 v, [to], 1; {remember}"),
        };
        _ = writeln!(text, "\t{line}");
    }

    fn launch(&self) -> CheckedLaunch {
        let arguments = ["in=u32[4]=5,6,7,8", "out=u32[128]"];
        let launch = sized("k", self.ctas, self.threads.len() as u32, &arguments);
        let cluster = Some(Dimensions([self.ctas, 1, 1]));
        CheckedModule::new(&self.text()).launch(&KernelLaunch { cluster, ..launch })
    }
}

/// How many kernels were compared.
#[derive(Debug, Default)]
struct Compared {
    /// With fewer states than the search through all orders.
    fewer: usize,
    /// Without a problem.
    proved: usize,
    /// Without a problem and with several memories at the end.
    with_choices: usize,
    /// With one.
    problems: usize,
}

#[test]
fn steps_at_mbarriers_in_one_order_lead_to_the_same() {
    let mut random = Rng::with_seed(2929);
    let mut compared = Compared::default();
    for _ in 0..kernels() {
        let mut pipeline = pipeline(&mut random);
        for _ in 0..random.u32(..4) {
            if pipeline.threads.iter().all(|steps| !steps.is_empty()) {
                pipeline.change(&mut random);
            }
        }
        let launch = pipeline.launch();
        let (each, each_memory) = launch.explored_each_order(MOST_STATES);
        if each.states >= MOST_STATES || each.unfinished() == Some(Omission::States) {
            continue;
        }
        let (one, memory) = launch.explored(MOST_STATES);
        let text = pipeline.text();
        let problems = |found: &Verification| {
            found.problems.iter().filter_map(|found| Some(found.problem.as_ref()?.kind.code())).collect::<Vec<_>>()
        };
        assert_eq!(
            each.problems.is_empty(),
            one.problems.is_empty(),
            "{:?} {:?}\n{text}",
            problems(&each),
            problems(&one)
        );
        if each.problems.is_empty() && each.unfinished().is_none() {
            assert_eq!((one.unfinished(), &memory), (None, &each_memory), "{text}");
            compared.proved += 1;
            compared.with_choices += usize::from(memory.len() > 1);
        }
        compared.problems += usize::from(!each.problems.is_empty());
        compared.fewer += usize::from(one.states < each.states);
    }
    assert!(
        compared.fewer > 40 && compared.proved > 20 && compared.problems > 30 && compared.with_choices > 0,
        "{compared:?}"
    );
}

/// The number of kernels: more if that is asked for.
fn kernels() -> u32 {
    std::env::var("PTX_ATOMICS_KERNELS").ok().and_then(|number| number.parse().ok()).unwrap_or(80)
}
