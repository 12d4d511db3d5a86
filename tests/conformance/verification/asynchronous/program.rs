//! Random programs with asynchronous operations, mbarriers, proxies and clusters, as a litmus test and as a kernel.
//!
//! Shared memory `x`, `y`, `z` and the mbarrier `b` are those of the first CTA; `g`, `h` and the flag `f` are global. Other CTAs of the cluster access the
//! shared memory from afar. A wait whose phase is not complete ends its thread in the litmus test, and is repeated in the kernel.

use crate::comparison::ComparedProgram;
use fastrand::Rng;
use std::fmt::Write;

/// The shared locations.
const SHARED: [&str; 3] = ["x", "y", "z"];
/// The global locations.
const GLOBAL: [&str; 2] = ["g", "h"];
/// The lines of a thread, whose registers have these numbers.
const LINES: usize = 12;

/// A line of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Load(&'static str),
    Store(&'static str, u32),
    Fence(&'static str),
    /// `cp.async` to shared memory.
    Copy(&'static str, &'static str),
    CopyCommit,
    CopyWait(u32),
    CopyWaitAll,
    /// `cp.async.mbarrier.arrive.noinc`.
    CopyArrive,
    /// A bulk copy to shared memory that the mbarrier expects.
    BulkLoad(&'static str, &'static str),
    /// A bulk copy to global memory.
    BulkStore(&'static str, &'static str),
    /// A bulk addition to global memory.
    BulkAdd(&'static str, &'static str),
    BulkCommit,
    BulkWait(u32),
    BulkWaitRead(u32),
    /// `st.async`.
    StoreAsync(&'static str, u32),
    /// `red.async`.
    AddAsync(&'static str),
    /// An arrival, with its order, and the bytes that it expects.
    Arrive(&'static str, Option<u32>),
    /// A wait for the first phase, with its order.
    Wait(&'static str),
    /// A strong store of 1 to the flag.
    SetFlag(&'static str),
    /// A wait for the flag.
    WaitFlag(&'static str),
    /// A barrier of the CTA.
    Barrier,
    ClusterArrive(&'static str),
    ClusterWait,
}

/// Where the threads are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    OneCta,
    Cluster,
}

/// A program.
#[derive(Clone, Debug)]
pub struct AsyncProgram {
    pub placement: Placement,
    pub threads: Vec<Vec<Line>>,
}

fn one<T: Copy>(random: &mut Rng, all: &[T]) -> T {
    all[random.usize(..all.len())]
}

impl AsyncProgram {
    pub fn random(random: &mut Rng) -> Self {
        let placement = if random.bool() { Placement::OneCta } else { Placement::Cluster };
        let sender = random.usize(..2);
        let mut threads = vec![Vec::new(), Vec::new()];
        let is_home = |thread: usize| placement == Placement::OneCta || thread == 0;
        let hand_over = random.u32(..6);
        for (thread, lines) in threads.iter_mut().enumerate() {
            body(random, is_home(thread), lines);
        }
        // The wait for an mbarrier is in its CTA.
        let (sender, waiter) = match hand_over {
            0..=2 if !is_home(1 - sender) => (1, 0),
            _ => (sender, 1 - sender),
        };
        let wait = |random: &mut Rng| {
            Line::Wait(one(random, &["acquire.cta", "acquire.cta", "acquire.cluster", "relaxed.cluster"]))
        };
        match hand_over {
            0 => {
                let order = one(random, &["release.cta", "release.cluster", "release.cluster", "relaxed.cluster"]);
                threads[sender].push(Line::Arrive(order, None));
                threads[waiter].push(wait(random));
            }
            1 => {
                let copy = if random.bool() { bulk_load(random) } else { signalling(random) };
                let expecting = if random.bool() { sender } else { waiter };
                let order = one(random, &["release.cta", "release.cluster", "relaxed.cluster"]);
                let expect = Line::Arrive(order, Some(bytes(copy)));
                if expecting == sender && random.bool() {
                    threads[sender].extend([expect, copy]);
                } else {
                    threads[sender].push(copy);
                    threads[expecting].push(expect);
                }
                if random.bool() {
                    body(random, is_home(sender), &mut threads[sender]);
                }
                threads[waiter].push(wait(random));
            }
            2 if is_home(sender) => {
                threads[sender].push(Line::CopyArrive);
                threads[waiter].push(wait(random));
            }
            2 | 3 => {
                let order = one(random, &["release.cta", "release.gpu", "relaxed.gpu", "release.cluster"]);
                threads[sender].push(Line::SetFlag(order));
                let order = one(random, &["acquire.cta", "acquire.gpu", "relaxed.gpu", "acquire.cluster"]);
                threads[waiter].push(Line::WaitFlag(order));
            }
            4 if placement == Placement::OneCta => threads.iter_mut().for_each(|thread| thread.push(Line::Barrier)),
            _ => {
                for thread in &mut threads {
                    let order = one(random, &["release", "relaxed", "relaxed"]);
                    if order == "relaxed" && random.u32(..3) > 0 {
                        thread.push(Line::Fence(one(
                            random,
                            &["acq_rel.cta", "acq_rel.cluster", "mbarrier_init.release.cluster"],
                        )));
                    }
                    thread.extend([Line::ClusterArrive(order), Line::ClusterWait]);
                }
            }
        }
        for (thread, lines) in threads.iter_mut().enumerate() {
            body(random, is_home(thread), lines);
            lines.truncate(LINES);
        }
        Self { placement, threads }
    }

    fn is_home(&self, thread: usize) -> bool {
        self.placement == Placement::OneCta || thread == 0
    }

    fn arrivals(&self) -> usize {
        let lines = self.threads.iter().flatten();
        lines.filter(|line| matches!(line, Line::Arrive(..) | Line::CopyArrive)).count()
    }
}

/// The bytes that an operation completes on the mbarrier.
const fn bytes(line: Line) -> u32 {
    match line {
        Line::BulkLoad(..) => 16,
        _ => 8,
    }
}

fn bulk_load(random: &mut Rng) -> Line {
    Line::BulkLoad(one(random, &SHARED), one(random, &GLOBAL))
}

fn signalling(random: &mut Rng) -> Line {
    let to = one(random, &SHARED);
    if random.bool() { Line::StoreAsync(to, random.u32(1..9)) } else { Line::AddAsync(to) }
}

/// A few lines of a thread, which is of the CTA with the shared memory or not.
fn body(random: &mut Rng, is_home: bool, lines: &mut Vec<Line>) {
    for _ in 0..random.usize(..4) {
        let line = match random.u32(..14) {
            0..=2 => Line::Load(one(random, &["x", "x", "y", "z", "g", "h"])),
            3 | 4 => Line::Store(one(random, &["x", "x", "y", "z", "g", "h"]), random.u32(1..9)),
            5 | 6 => Line::Fence(one(
                random,
                &[
                    "proxy.async",
                    "proxy.async",
                    "proxy.async.shared::cta",
                    "proxy.async.global",
                    "acq_rel.cta",
                    "acq_rel.cluster",
                ],
            )),
            7 | 8 if is_home => Line::Copy(one(random, &SHARED), one(random, &GLOBAL)),
            9 if is_home => one(random, &[Line::CopyCommit, Line::CopyWait(0), Line::CopyWaitAll]),
            10 | 11 if is_home => {
                let (to, from) = (one(random, &GLOBAL), one(random, &SHARED));
                if random.u32(..4) == 0 { Line::BulkAdd(to, from) } else { Line::BulkStore(to, from) }
            }
            12 if is_home => one(random, &[Line::BulkCommit, Line::BulkWait(0), Line::BulkWaitRead(0)]),
            _ => continue,
        };
        lines.push(line);
        // Mostly, a copy is waited for.
        match line {
            Line::Copy(..) if random.bool() => lines.push(Line::CopyWaitAll),
            Line::BulkStore(..) | Line::BulkAdd(..) if random.bool() => {
                lines.extend([
                    Line::BulkCommit,
                    one(random, &[Line::BulkWait(0), Line::BulkWait(0), Line::BulkWaitRead(0)]),
                ]);
            }
            _ => {}
        }
    }
}

fn is_shared(location: &str) -> bool {
    SHARED.contains(&location)
}

impl AsyncProgram {
    /// As a litmus test and as a kernel.
    pub fn compared(&self) -> ComparedProgram {
        let (ctas, threads) = if self.placement == Placement::OneCta { (1, 2) } else { (2, 1) };
        let lines = |thread: usize| self.threads[thread].iter().enumerate();
        let names = |is: fn(&Line) -> bool| {
            let of_thread =
                move |thread: usize| lines(thread).filter(move |(_, line)| is(line)).map(move |(at, _)| (thread, at));
            (0..self.threads.len()).flat_map(of_thread).collect::<Vec<_>>()
        };
        let register = |(thread, at): (usize, usize)| format!("P{thread}:r{at}");
        let loads = names(|line| matches!(line, Line::Load(_))).into_iter();
        let waits = names(|line| matches!(line, Line::Wait(_) | Line::WaitFlag(_)));
        // After `g`, `h` and `f`.
        let results = loads.map(|(thread, at)| (register((thread, at)), 9 + thread * LINES + at));
        let memory = SHARED.iter().enumerate().map(|(at, name)| ((*name).to_owned(), 9 + 2 * LINES + at));
        let global = [("g".to_owned(), 0), ("h".to_owned(), 4)];
        let arguments = ["g=u32[4]=10,0,0,0", "h=u32[4]=20,0,0,0", "f=u32[1]"].map(str::to_owned);
        let out = format!("out=u32[{}]", 2 * LINES + SHARED.len());
        ComparedProgram {
            litmus: self.litmus(),
            kernel: self.kernel(),
            ctas,
            threads,
            arguments: arguments.into_iter().chain([out]).collect(),
            observed: global.into_iter().chain(results).chain(memory).collect(),
            waits: waits.into_iter().map(register).collect(),
        }
    }

    /// As a litmus test.
    fn litmus(&self) -> String {
        let mut text =
            "PTX random\n{ x @ shared; y @ shared; z @ shared; g @ global; h @ global; x=0; y=0; z=0; g=10; h=20; f=0;"
                .to_owned();
        if self.arrivals() > 0 {
            let _ = write!(text, " b @ mbarrier {};", self.arrivals());
        }
        for (thread, lines) in self.threads.iter().enumerate() {
            for (at, line) in lines.iter().enumerate() {
                if matches!(line, Line::Load(_) | Line::Wait(_) | Line::WaitFlag(_)) {
                    let _ = write!(text, " P{thread}:r{at}=0;");
                }
            }
        }
        let heads = (0..self.threads.len()).map(|thread| {
            let cta = if self.placement == Placement::OneCta { 0 } else { thread };
            format!("P{thread}@cta {cta},cluster 0,gpu 0")
        });
        let _ = writeln!(text, " }}\n{} ;", heads.collect::<Vec<_>>().join(" | "));
        let mut columns: Vec<Vec<String>> = Vec::new();
        for (thread, lines) in self.threads.iter().enumerate() {
            let mut column: Vec<String> =
                lines.iter().enumerate().flat_map(|(at, line)| self.litmus_lines(thread, at, *line)).collect();
            column.push(format!("LC{thread}0:"));
            columns.push(column);
        }
        for row in 0..columns.iter().map(Vec::len).max().unwrap_or_default() {
            let cells: Vec<&str> = columns.iter().map(|column| column.get(row).map_or("", String::as_str)).collect();
            let _ = writeln!(text, "{} ;", cells.join(" | "));
        }
        text + "exists (x == 0)\n"
    }

    fn litmus_lines(&self, thread: usize, at: usize, line: Line) -> Vec<String> {
        let space = if self.is_home(thread) { "shared::cta" } else { "shared::cluster" };
        let skip = format!("bne r{at}, 1, LC{thread}0");
        vec![match line {
            Line::Load(location) => format!("ld.weak r{at}, [{location}]"),
            Line::Store(location, value) => format!("st.weak [{location}], {value}"),
            Line::Fence(kind) => format!("fence.{kind}"),
            Line::Copy(to, from) => format!("cp.async.ca.shared.global [{to}], [{from}], 16"),
            Line::CopyCommit => "cp.async.commit_group".to_owned(),
            Line::CopyWait(left) => format!("cp.async.wait_group {left}"),
            Line::CopyWaitAll => "cp.async.wait_all".to_owned(),
            Line::CopyArrive => "cp.async.mbarrier.arrive.noinc.shared.b64 [b]".to_owned(),
            Line::BulkLoad(to, from) => {
                format!("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [{from}], 16, [b]")
            }
            Line::BulkStore(to, from) => format!("cp.async.bulk.global.shared::cta.bulk_group [{to}], [{from}], 16"),
            Line::BulkAdd(to, from) => {
                format!("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [{to}], [{from}], 16")
            }
            Line::BulkCommit => "cp.async.bulk.commit_group".to_owned(),
            Line::BulkWait(left) => format!("cp.async.bulk.wait_group {left}"),
            Line::BulkWaitRead(left) => format!("cp.async.bulk.wait_group.read {left}"),
            Line::StoreAsync(to, value) => {
                format!("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [{to}], {value}, [b]")
            }
            Line::AddAsync(to) => {
                format!("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [{to}], 1, [b]")
            }
            Line::Arrive(order, None) => format!("mbarrier.arrive.{order}.{space}.b64 _, [b]"),
            Line::Arrive(order, Some(bytes)) => {
                format!("mbarrier.arrive.expect_tx.{order}.{space}.b64 _, [b], {bytes}")
            }
            Line::Wait(order) => {
                return vec![format!("mbarrier.try_wait.parity.{order}.shared.b64 r{at}, [b], 0"), skip];
            }
            Line::SetFlag(order) => format!("st.{order} [f], 1"),
            Line::WaitFlag(order) => return vec![format!("ld.{order} r{at}, [f]"), skip],
            Line::Barrier => "bar.cta.sync 3".to_owned(),
            Line::ClusterArrive(order) => format!("barrier.cluster.arrive.{order}"),
            Line::ClusterWait => "barrier.cluster.wait.acquire".to_owned(),
        }]
    }

    /// As a kernel, which stores what its loads have read, and what shared memory has at the end.
    fn kernel(&self) -> String {
        let mut text = "\
.version 8.6
.target sm_90
.address_size 64
.entry k(.param .u64 g, .param .u64 h, .param .u64 f, .param .u64 out)
{
	.reg .pred %p;
	.reg .b32 %thread, %cta, %size, %v, %x, %y, %z, %b, %r<12>;
	.reg .b64 %g, %h, %f, %out, %w, %s;
	.shared .align 128 .b8 sx[16];
	.shared .align 128 .b8 sy[16];
	.shared .align 128 .b8 sz[16];
	.shared .align 8 .b64 sb;
	ld.param.u64 %g, [g];
	ld.param.u64 %h, [h];
	ld.param.u64 %f, [f];
	ld.param.u64 %out, [out];
	mov.u32 %x, sx;
	mov.u32 %y, sy;
	mov.u32 %z, sz;
	mov.u32 %b, sb;
	mov.u32 %v, 0;
	mov.u32 %thread, %tid.x;
	mov.u32 %cta, %ctaid.x;
	mov.u32 %size, %ntid.x;
	mad.lo.u32 %thread, %cta, %size, %thread;
	setp.ne.u32 %p, %thread, 0;
	@%p bra BEGIN;
	st.shared.v4.u32 [%x], {%v, %v, %v, %v};
	st.shared.v4.u32 [%y], {%v, %v, %v, %v};
	st.shared.v4.u32 [%z], {%v, %v, %v, %v};
"
        .to_owned();
        let arrivals = self.arrivals();
        if arrivals > 0 {
            let _ =
                writeln!(text, "\tmbarrier.init.shared.b64 [%b], {arrivals};\n\tfence.mbarrier_init.release.cluster;");
        }
        text.push_str("\tfence.proxy.async;\nBEGIN:\n\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n");
        if self.placement == Placement::Cluster {
            for register in ["x", "y", "z", "b"] {
                let _ = writeln!(text, "\tmapa.shared::cluster.u32 %{register}, %{register}, 0;");
            }
        }
        for (thread, lines) in self.threads.iter().enumerate() {
            let _ = writeln!(text, "\tsetp.ne.u32 %p, %thread, {thread};\n\t@%p bra NEXT{thread};");
            for (at, line) in lines.iter().enumerate() {
                let _ = writeln!(text, "\t{}", self.kernel_line(thread, at, *line));
            }
            let _ =
                writeln!(text, "\tcp.async.wait_all;\n\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;");
            if arrivals > 0 && thread == 0 {
                text.push_str("LAST:\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [sb], 0;\n\t@!%p bra LAST;\n");
            }
            for at in lines.iter().enumerate().filter(|(_, line)| matches!(line, Line::Load(_))).map(|(at, _)| at) {
                let _ = writeln!(text, "\tst.global.u32 [%out+{}], %r{at};", 4 * (thread * LINES + at));
            }
            let _ = writeln!(text, "\tbra END;\nNEXT{thread}:");
        }
        text.push_str("END:\n\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n\tsetp.ne.u32 %p, %thread, 0;\n\t@%p bra RETURN;\n");
        for (at, location) in SHARED.iter().enumerate() {
            let word = 4 * (2 * LINES + at);
            let _ = writeln!(text, "\tld.shared.u32 %v, [s{location}];\n\tst.global.u32 [%out+{word}], %v;");
        }
        text + "RETURN:\n\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n\tret;\n}\n"
    }

    fn kernel_line(&self, thread: usize, at: usize, line: Line) -> String {
        let space = |location: &str| if is_shared(location) { "shared::cluster" } else { "global" };
        let own = |location: &str| format!("s{location}");
        let cluster = if self.is_home(thread) { "shared::cta" } else { "shared::cluster" };
        match line {
            Line::Load(location) => format!("ld.{}.u32 %r{at}, [%{location}];", space(location)),
            Line::Store(location, value) => format!("st.{}.u32 [%{location}], {value};", space(location)),
            Line::Fence(kind) => format!("fence.{kind};"),
            Line::Copy(to, from) => format!("cp.async.ca.shared.global [{}], [%{from}], 16;", own(to)),
            Line::CopyCommit => "cp.async.commit_group;".to_owned(),
            Line::CopyWait(left) => format!("cp.async.wait_group {left};"),
            Line::CopyWaitAll => "cp.async.wait_all;".to_owned(),
            Line::CopyArrive => "cp.async.mbarrier.arrive.noinc.shared.b64 [sb];".to_owned(),
            Line::BulkLoad(to, from) => {
                format!(
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%{to}], [%{from}], 16, [%b];"
                )
            }
            Line::BulkStore(to, from) => {
                format!("cp.async.bulk.global.shared::cta.bulk_group [%{to}], [{}], 16;", own(from))
            }
            Line::BulkAdd(to, from) => {
                format!("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%{to}], [{}], 16;", own(from))
            }
            Line::BulkCommit => "cp.async.bulk.commit_group;".to_owned(),
            Line::BulkWait(left) => format!("cp.async.bulk.wait_group {left};"),
            Line::BulkWaitRead(left) => format!("cp.async.bulk.wait_group.read {left};"),
            Line::StoreAsync(to, value) => format!(
                "mov.b64 %w, {value}; st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%{to}], %w, [%b];"
            ),
            Line::AddAsync(to) => format!(
                "mov.b64 %w, 1; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%{to}], %w, [%b];"
            ),
            Line::Arrive(order, None) => format!("mbarrier.arrive.{order}.{cluster}.b64 _, [%b];"),
            Line::Arrive(order, Some(bytes)) => {
                format!("mbarrier.arrive.expect_tx.{order}.{cluster}.b64 _, [%b], {bytes};")
            }
            Line::Wait(order) => format!(
                "WAIT{thread}_{at}: mbarrier.try_wait.parity.{order}.shared::cta.b64 %p, [sb], 0; @!%p bra WAIT{thread}_{at};"
            ),
            Line::SetFlag(order) => format!("st.{order}.global.u32 [%f], 1;"),
            Line::WaitFlag(order) => format!(
                "WAIT{thread}_{at}: ld.{order}.global.u32 %r{at}, [%f]; setp.ne.u32 %p, %r{at}, 1; @%p bra WAIT{thread}_{at};"
            ),
            Line::Barrier => "barrier.cta.sync 3;".to_owned(),
            Line::ClusterArrive(order) => format!("barrier.cluster.arrive.{order};"),
            Line::ClusterWait => "barrier.cluster.wait.acquire;".to_owned(),
        }
    }
}
