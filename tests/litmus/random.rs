//! The engine and the second implementation agree on random programs: 10,000 with `--full`, fewer otherwise.

use crate::naive::{self, Mutant};
use crate::{outcomes, read};
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{Rng, pick};

const SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];

/// What a program has besides loads, stores, atomics and fences.
struct Kind {
    locations: &'static [&'static str],
    scopes: &'static [&'static str],
    barriers: bool,
    jumps: bool,
    proxies: bool,
    asynchronous: bool,
    tensor_memory: bool,
    tensor_maps: bool,
    fences: bool,
    threads: usize,
}

impl Kind {
    fn new(rng: &mut Rng) -> Self {
        let mut kind = Kind {
            locations: &["x", "y"],
            scopes: &SCOPES,
            barriers: false,
            jumps: false,
            proxies: false,
            asynchronous: false,
            tensor_memory: false,
            tensor_maps: false,
            fences: false,
            threads: 2 + rng.u64(..2) as usize,
        };
        match rng.u64(..15) {
            0 => kind.barriers = true,
            1 => kind.jumps = true,
            2 => kind.proxies = true,
            3 => kind.locations = &["x"],
            4 => (kind.scopes, kind.threads) = (&["cta"], 3),
            5 => (kind.scopes, kind.threads) = (&["cta", "gpu"], 4),
            6 => (kind.barriers, kind.jumps) = (true, true),
            7 => kind.fences = true,
            8 | 9 => (kind.asynchronous, kind.threads) = (true, 2),
            10 => (kind.tensor_memory, kind.threads, kind.scopes) = (true, 2, &["cta", "cluster"]),
            11 => (kind.tensor_maps, kind.threads, kind.scopes) = (true, 2, &["cta", "gpu"]),
            _ => {}
        }
        kind
    }

    /// How many instructions a thread has at most, so that the slow implementation ends.
    fn most(&self) -> u64 {
        match (self.threads, self.barriers || self.jumps || self.fences) {
            _ if self.asynchronous || self.tensor_memory || self.tensor_maps => 3,
            (2, _) => 4,
            (3, true) => 3,
            _ => 2,
        }
    }
}

/// A thread as it is written; registers count up, so that each is written once.
struct Column {
    cells: Vec<String>,
    registers: usize,
}

impl Column {
    /// A register that nothing has written yet.
    fn fresh(&mut self) -> String {
        self.registers += 1;
        format!("r{}", self.registers - 1)
    }
}

/// An instruction, with what belongs to it.
fn instruction(rng: &mut Rng, kind: &Kind, column: &mut Column) {
    let location = pick(rng, kind.locations);
    let scope = pick(rng, kind.scopes);
    let value = match (rng.u64(..3), column.registers) {
        (0, 1..) => format!("r{}", rng.u64(..column.registers as u64)),
        _ => (1 + rng.u64(..2)).to_string(),
    };
    if kind.barriers && rng.u64(..8) == 0 {
        let fence = *pick(rng, &["fence.acq_rel.cluster", "fence.release.cta", "fence.mbarrier_init.release.cluster"]);
        let cells = [fence, "barrier.cluster.arrive.relaxed", "barrier.cluster.wait"];
        return column.cells.extend(cells[rng.usize(..2)..].iter().map(|cell| (*cell).to_owned()));
    }
    if kind.barriers && rng.u64(..4) == 0 {
        let mode = pick(rng, &["sync", "sync", "sync", "arrive"]);
        return column.cells.push(format!("bar.cta.{mode} 0, {}", rng.u64(..8) / 7));
    }
    if kind.fences && rng.u64(..3) == 0 {
        return column.cells.push(format!("fence.sc.{scope}"));
    }
    if kind.proxies && rng.u64(..2) == 0 {
        return through_a_proxy(rng, column, location, scope, &value);
    }
    if kind.tensor_memory && rng.u64(..3) > 0 {
        return tensor_memory(rng, column);
    }
    if kind.tensor_maps && rng.u64(..4) > 0 {
        return tensor_map(rng, column, scope);
    }
    if kind.asynchronous && rng.u64(..3) > 0 {
        return asynchronous(rng, column);
    }
    if kind.jumps && column.registers > 0 && rng.u64(..2) == 0 {
        // The jump skips the next instruction.
        let label = format!("LC{}", column.cells.len());
        let jump = pick(rng, &["beq", "bne", "bgt"]);
        let register = rng.u64(..column.registers as u64);
        column.cells.push(format!("{jump} r{register}, {}, {label}", rng.u64(..2)));
        instruction(rng, kind, column);
        return column.cells.push(format!("{label}:"));
    }
    let written = match rng.u64(..10) {
        0 => format!("ld.weak {}, {location}", column.fresh()),
        1 | 2 => format!("ld.{}.{scope} {}, {location}", pick(rng, &["relaxed", "acquire"]), column.fresh()),
        3 => format!("st.weak {location}, {value}"),
        4 | 5 => format!("st.{}.{scope} {location}, {value}", pick(rng, &["relaxed", "release"])),
        6 => format!("fence.{}.{scope}", pick(rng, &["acq_rel", "sc", "sc"])),
        7 => {
            let sem = pick(rng, &["relaxed", "acquire", "release", "acq_rel"]);
            format!("red.{sem}.{scope}.{} {location}, 1", pick(rng, &["or", "max"]))
        }
        _ => {
            let sem = pick(rng, &["relaxed", "acquire", "release", "acq_rel"]);
            match rng.u64(..3) {
                0 => format!("atom.{sem}.{scope}.exch {}, {location}, {value}", column.fresh()),
                1 => format!("atom.{sem}.{scope}.cas {}, {location}, {}, 2", column.fresh(), rng.u64(..3)),
                _ => format!("atom.{sem}.{scope}.or {}, {location}, 2", column.fresh()),
            }
        }
    };
    column.cells.push(written);
}

/// Another way to memory, or a fence that leads there.
fn through_a_proxy(rng: &mut Rng, column: &mut Column, location: &str, scope: &str, value: &str) {
    let strength = |rng: &mut Rng| match rng.u64(..3) {
        0 => format!("relaxed.{scope}"),
        _ => "weak".to_owned(),
    };
    let written = match rng.u64(..8) {
        0 => format!("tld.weak {}, t{location}", column.fresh()),
        1 => format!("suld.{} {}, s{location}", strength(rng), column.fresh()),
        2 => format!("sust.{} s{location}, {value}", strength(rng)),
        3 => format!("ld.{} {}, g{location}", strength(rng), column.fresh()),
        4 => format!("st.{} g{location}, {value}", strength(rng)),
        5 => "fence.proxy.alias".to_owned(),
        _ => format!("fence.proxy.{}", pick(rng, &["surface", "surface", "texture"])),
    };
    column.cells.push(written);
}

/// An asynchronous copy or store, a wait for one, an operation on an mbarrier of one arrival, or a fence of the async proxy.
fn asynchronous(rng: &mut Rng, column: &mut Column) {
    let bulk = "cp.async.bulk.shared::cta.global";
    let completion = "mbarrier::complete_tx::bytes";
    let scope = pick(rng, &["cta", "cta", "cluster"]);
    let written = match rng.u64(..16) {
        15 => "wgmma.fence.sync.aligned".to_owned(),
        12 => "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster".to_owned(),
        13 => format!("fence.proxy.async.{}", pick(rng, &["global", "shared::cta"])),
        14 => return column.cells.extend(MULTIPLY.map(str::to_owned)),
        0 => format!("{bulk}.{completion} [y], [x], 16, [b]"),
        1 => format!("{bulk}.bulk_group [y], [x], 16"),
        2 => format!("cp.async.ca.shared.global [{}], [x], 8", pick(rng, &["x", "y"])),
        3 => format!("st.async.weak.shared::cluster.{completion}.b64 [{}], 1, [b]", pick(rng, &["x", "y"])),
        4 => "cp.async.mbarrier.arrive.noinc.shared.b64 [b]".to_owned(),
        5 => format!("mbarrier.arrive.{}.{scope}.shared.b64 _, [b]", pick(rng, &["release", "relaxed"])),
        6 => format!("mbarrier.arrive.expect_tx.{scope}.shared.b64 _, [b], {}", pick(rng, &["16", "8"])),
        7 | 8 => {
            let order = pick(rng, &["acquire", "acquire", "relaxed"]);
            let register = column.fresh();
            format!("mbarrier.try_wait.parity.{order}.{scope}.shared.b64 {register}, [b], 0")
        }
        9 => "fence.proxy.async".to_owned(),
        10 => return column.cells.extend(["cp.async.bulk.commit_group", wait(rng)].map(str::to_owned)),
        _ => return column.cells.push((*pick(rng, &["cp.async.wait_all", "fence.proxy.async"])).to_owned()),
    };
    column.cells.push(written);
}

/// An operation of a tensor core, with the wait for it.
const MULTIPLY: [&str; 3] = ["wgmma.mma_async [y], [x], [x]", "wgmma.commit_group", "wgmma.wait_group 0"];

/// An operation on tensor memory, a wait for one, or what orders them between threads.
fn tensor_memory(rng: &mut Rng, column: &mut Column) {
    let place = pick(rng, &["d", "d", "e"]);
    let cells: Vec<String> = match rng.u64(..9) {
        0 => vec![format!("tcgen05.st [{place}], {}", 1 + rng.u64(..2)), "tcgen05.wait::st".to_owned()],
        1 => vec![format!("tcgen05.ld {}, [{place}]", column.fresh()), "tcgen05.wait::ld".to_owned()],
        2 => vec![format!("tcgen05.st [{place}], 1")],
        3 => vec![format!("tcgen05.ld {}, [{place}]", column.fresh())],
        4 => vec!["tcgen05.fence::before_thread_sync".to_owned(), "st.relaxed.cta [y], 1".to_owned()],
        5 => vec![format!("ld.relaxed.cta {}, [y]", column.fresh()), "tcgen05.fence::after_thread_sync".to_owned()],
        6 => vec![format!("tcgen05.cp.cta_group::1 [{place}], [x]")],
        7 => vec!["tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [b]".to_owned()],
        _ => {
            let order = pick(rng, &["acquire", "relaxed"]);
            vec![format!("mbarrier.try_wait.parity.{order}.cta.shared.b64 {}, [b], 0", column.fresh())]
        }
    };
    column.cells.extend(cells);
}

/// A change of the tensor map `m` or a copy by it, or what hands it over.
fn tensor_map(rng: &mut Rng, column: &mut Column, scope: &str) {
    const FENCE: &str = "fence.proxy.tensormap::generic";
    let cells: Vec<String> = match rng.u64(..7) {
        // The second location.
        0 => vec!["st.weak [m], 8192".to_owned()],
        1 => vec![format!("{FENCE}.release.{scope}"), format!("st.relaxed.{scope} [x], 1")],
        2 => vec![format!("ld.relaxed.{scope} {}, [x]", column.fresh()), format!("{FENCE}.acquire.{scope} [m], 128")],
        3 => vec![format!("{FENCE}.acquire.{scope} [m], 128")],
        4 => vec![format!("st.release.{scope} [x], 1")],
        _ => ["cp.async.bulk.tensor.1d.shared::cta.global.bulk_group [d], [m], 16", "cp.async.bulk.commit_group"]
            .map(str::to_owned)
            .into(),
    };
    column.cells.extend(cells);
}

/// A wait for bulk groups.
fn wait(rng: &mut Rng) -> &'static str {
    const WAITS: [&str; 3] =
        ["cp.async.bulk.wait_group 0", "cp.async.bulk.wait_group.read 0", "cp.async.bulk.wait_group 1"];
    WAITS[rng.usize(..WAITS.len())]
}

fn program(rng: &mut Rng) -> String {
    let kind = Kind::new(rng);
    let mut columns = Vec::new();
    let mut inits = kind.locations.iter().map(|location| format!("{location}=0;")).collect::<Vec<_>>().join(" ");
    if kind.asynchronous || kind.tensor_memory {
        inits += " b @ mbarrier 1; x @ shared;";
    }
    if kind.tensor_maps {
        inits += " m=x; d=3;";
    }
    if kind.proxies {
        for location in kind.locations {
            inits += &format!(" s{location} @ surface aliases {location}; t{location} @ texture aliases {location};");
            inits += &format!(" g{location} @ generic aliases {location};");
        }
    }
    for thread in 0..kind.threads {
        let mut column = Column { cells: Vec::new(), registers: 0 };
        for _ in 0..1 + rng.u64(..kind.most()) {
            instruction(rng, &kind, &mut column);
        }
        (0..column.registers).for_each(|register| inits += &format!(" P{thread}:r{register}=0;"));
        columns.push(column.cells);
    }
    let head = |thread: usize, rng: &mut Rng| {
        let apart = if kind.barriers { 3 } else { 2 };
        let place = (rng.u64(..apart) / (apart - 1), rng.u64(..apart) / (apart - 1), rng.u64(..8) / 7);
        format!("P{thread}@cta {},cluster {},gpu {}", place.0, place.1, place.2)
    };
    let heads: Vec<String> = (0..kind.threads).map(|thread| head(thread, rng)).collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or_default();
    let row = |at: usize| {
        let cells: Vec<&str> = columns.iter().map(|column| column.get(at).map_or("", String::as_str)).collect();
        format!("{} ;\n", cells.join(" | "))
    };
    let body: String = (0..rows).map(row).collect();
    format!("PTX random\n{{ {inits} }}\n{} ;\n{body}exists (x == 0)\n", heads.join(" | "))
}

/// How many outcomes a program has, as both say; `None` if it is too large for the second implementation.
fn agreed(text: &str) -> Option<usize> {
    let test = read(text);
    let expected = naive::outcomes(&test.program, &test.observables(), Mutant::None)?;
    assert_eq!(outcomes(&test), expected, "{text}");
    if text.matches("fence.sc").count() > 1 && !text.contains("aliases") && !text.contains("async") {
        let without = naive::outcomes(&test.program, &test.observables(), Mutant::NoFenceSc);
        assert!(
            without.is_none_or(|without| without == expected),
            "without proxies, FenceSC forbids nothing more: {text}"
        );
    }
    Some(expected.len())
}

#[test]
fn both_implementations_agree_on_random_programs() {
    let mut rng = Rng::with_seed(20_261_121);
    let wanted: usize = if support::full() { 10_000 } else { 60 };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let (mut asked, mut several) = (0, 0);
    while asked < wanted {
        let batch: Vec<String> = (0..(wanted - asked).div_ceil(2).min(500)).map(|_| program(&mut rng)).collect();
        let next = AtomicUsize::new(0);
        let worker = || -> Vec<usize> {
            let take = || batch.get(next.fetch_add(1, Ordering::Relaxed));
            std::iter::from_fn(take).filter_map(|text| agreed(text)).collect()
        };
        let counts: Vec<usize> = std::thread::scope(|scope| {
            let running: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
            running.into_iter().flat_map(|thread| thread.join().expect("both agree")).collect()
        });
        asked += counts.len();
        several += counts.iter().filter(|count| **count > 1).count();
    }
    assert!(several * 2 > asked, "only {several} of {asked} programs have more than one outcome");
}
