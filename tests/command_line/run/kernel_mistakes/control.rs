//! Mistakes with barriers, locks, calls and branches.

use super::{GeneratedKernel, HERE, Variant, WORDS};
use support::{Rng, pick};

/// A part of a warp at an instruction that takes all of it.
pub fn divergent_barrier(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let lanes = rng.u32(1..32);
    let branch = variant.choose(format!("\tsetp.ge.u32 %p, %lane, {lanes};\n\t@%p bra END{lanes};\n"), String::new());
    let instruction = pick(
        rng,
        &[
            "bar.sync 0;",
            "barrier.cta.sync.aligned 1;",
            "shfl.sync.down.b32 %r1, %id, 1, 31, -1;",
            "vote.sync.all.pred %q, %h, -1;",
            "bar.red.popc.u32 %r1, 0, %h;",
            "match.any.sync.b32 %r1, %id, -1;",
        ],
    );
    // The other lanes wait for those of the branch at another instruction of this kind, or end.
    let is_barrier = instruction.starts_with("bar");
    let end = if is_barrier && rng.bool() { "\tst.global.u32 [%word], %id;\n" } else { "\tbar.warp.sync -1;\n" };
    GeneratedKernel::body(format!("\tsetp.eq.u32 %h, %id, 3;\n{branch}\t{instruction} {HERE}\nEND{lanes}:\n{end}"))
}

/// A barrier that waits for more threads than there are.
pub fn unmet_count(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let (barrier, warps) = (rng.u32(..16), rng.u32(1..4));
    let count = 32 * (warps + variant.choose(rng.u32(1..4), 0));
    let wait = pick(rng, &["bar.sync", "barrier.cta.sync"]);
    GeneratedKernel {
        threads: Some(32 * warps),
        ..GeneratedKernel::body(format!("\t{wait} {barrier}, {count}; {HERE}\n"))
    }
}

/// Barriers whose other side cannot arrive.
pub fn deadlock(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let first = rng.u32(1..8);
    let second = first + rng.u32(1..8);
    let (here, there) = variant.choose((second, first), (first, second));
    match rng.u32(..3) {
        // Two warps wait at two barriers in different orders.
        0 => GeneratedKernel::body(format!(
            "\tsetp.eq.u32 %p, %warp, 0;\n\t@%p bra OTHER;\n\tbar.sync {first}, 64; {HERE}\n\tbar.sync {second}, 64;\n\tbra END;\nOTHER:\n\tbar.sync {here}, 64;\n\tbar.sync {there}, 64;\nEND:\n"
        )),
        // A CTA of the cluster does not arrive.
        1 => {
            let leave = variant
                .choose("\tmov.u32 %r1, %cluster_ctarank;\n\tsetp.eq.u32 %p, %r1, 1;\nSTAY:\n\t@%p bra STAY;\n", "");
            GeneratedKernel {
                ctas: 2,
                ..GeneratedKernel::body(format!(
                    "{leave}\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned; {HERE}\n"
                ))
            }
        }
        // One thread fewer arrives at an mbarrier than its phase expects.
        _ => {
            let count = 64 + variant.choose(rng.u32(1..5), 0);
            GeneratedKernel::body(format!(
                "\tsetp.eq.u32 %p, %id, 0;\n\t@%p mbarrier.init.shared.b64 [bar0], {count};\n\tbar.sync 0;\n\tmbarrier.arrive.shared.b64 %rd1, [bar0];\nWAIT:\n\tmbarrier.try_wait.shared.b64 %q, [bar0], %rd1; {HERE}\n\t@!%q bra WAIT;\n"
            ))
        }
    }
}

/// Loops that wait for what nobody writes.
pub fn livelock(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let value = rng.u32(WORDS..100);
    let release = variant.choose("", "\t@%p st.release.gpu.global.u32 ");
    match rng.u32(..2) {
        // A flag that nobody sets.
        0 => {
            let at = 4 * rng.u32(1..WORDS);
            let set = if release.is_empty() { String::new() } else { format!("{release}[%data+{at}], {value};\n") };
            GeneratedKernel::body(format!(
                "\tsetp.eq.u32 %p, %id, 0;\n{set}WAIT:\n\tld.acquire.gpu.global.u32 %r1, [%data+{at}]; {HERE}\n\tsetp.ne.u32 %q, %r1, {value};\n\t@%q bra WAIT;\n"
            ))
        }
        // A lock that is not released; it is free at first.
        _ => {
            let free =
                if release.is_empty() { String::new() } else { "\tst.release.gpu.global.u32 [%data], 0;\n".to_owned() };
            GeneratedKernel::body(format!(
                "LOCK:\n\tatom.acquire.gpu.global.cas.b32 %r1, [%data], 0, {value}; {HERE}\n\tsetp.ne.u32 %q, %r1, 0;\n\t@%q bra LOCK;\n{free}"
            ))
        }
    }
}

/// Counts, phases and lifetimes of mbarriers: each mistake has a right twin.
pub fn mbarrier_misuse(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let count = rng.u32(1..9);
    let init = |count: u32, marker: &str| {
        format!("\tmov.u32 %r1, {count};\n\tmbarrier.init.shared.b64 [bar0], %r1; {marker}\n")
    };
    let arrive = |count: u32, marker: &str| format!("\tmbarrier.arrive.shared.b64 %rd1, [bar0], {count}; {marker}\n");
    let bytes = |operation: &str, bytes: u32, marker: &str| {
        format!("\tmbarrier.{operation}.relaxed.cta.shared::cta.b64 [bar0], {bytes}; {marker}\n")
    };
    let inval = |marker: &str| format!("\tmbarrier.inval.shared.b64 [bar0]; {marker}\n");
    let wait = |marker: &str| format!("\tmbarrier.test_wait.parity.shared.b64 %q, [bar0], 0; {marker}\n");
    let drop = "\tmbarrier.arrive_drop.shared.b64 %rd1, [bar0];\n";
    let size = 16 * rng.u32(1..1000);
    let body = match (rng.u32(..8), variant) {
        (0, Variant::Wrong) => init(0, HERE),
        (0, Variant::Right) => [init(count, ""), arrive(count, ""), wait("")].concat(),
        (1, Variant::Wrong) => [init(count, ""), init(count, HERE)].concat(),
        (1, Variant::Right) => [init(count, ""), inval(""), init(count, "")].concat(),
        (2, Variant::Wrong) => [init(count, ""), arrive(count + 1, HERE)].concat(),
        // The count begins again with each phase.
        (2, Variant::Right) => [init(count, ""), arrive(count, ""), arrive(count, ""), arrive(1, "")].concat(),
        (3, Variant::Wrong) => [init(count, ""), inval(""), arrive(1, HERE)].concat(),
        (3, Variant::Right) => [init(count, ""), inval(""), init(count, ""), arrive(1, ""), inval("")].concat(),
        (4, Variant::Wrong) => inval(HERE),
        (4, Variant::Right) => [init(count, ""), inval("")].concat(),
        (5, Variant::Wrong) => wait(HERE),
        (5, Variant::Right) => [init(count, ""), wait("")].concat(),
        // A thread that has dropped out is not expected in the next phase.
        (6, Variant::Wrong) => [init(2, ""), drop.to_owned(), arrive(1, ""), arrive(2, HERE)].concat(),
        (6, Variant::Right) => [init(2, ""), drop.to_owned(), arrive(1, ""), arrive(1, "")].concat(),
        (_, Variant::Wrong) => [init(count, ""), bytes("expect_tx", 1 << 20, HERE)].concat(),
        (_, Variant::Right) => {
            [init(count, ""), bytes("expect_tx", size, ""), arrive(count, ""), bytes("complete_tx", size, "")].concat()
        }
    };
    GeneratedKernel { threads: Some(1), ..GeneratedKernel::body(body) }
}

/// A recursion that is too deep.
pub fn stack_overflow(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let bytes = 16 * rng.u32(100..4000);
    let depth = variant.choose(10_000, rng.u32(1..8));
    let module = format!(
        ".func deep(.reg .b32 n)\n{{\n\t.local .align 8 .b8 frame[{bytes}];\n\t.reg .pred %p;\n\t.reg .b32 %m;\n\tst.local.u32 [frame+8], n;\n\tsetp.eq.u32 %p, n, 0;\n\t@%p ret;\n\tsub.u32 %m, n, 1;\n\tcall deep, (%m); {HERE}\n\tret;\n}}\n"
    );
    let body = format!("\tmov.u32 %r1, {depth};\n\tcall deep, (%r1);\n");
    GeneratedKernel { module, threads: Some(1), ..GeneratedKernel::body(body) }
}

/// A `trap` in some lanes.
pub fn trap(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let bound = variant.choose(rng.u32(1..WORDS), WORDS);
    GeneratedKernel::body(format!("\tsetp.ge.u32 %p, %id, {bound};\n\t@%p trap; {HERE}\n"))
}

/// An assertion that does not hold in some lanes.
pub fn failed_assertion(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let bound = variant.choose(rng.u32(1..WORDS), WORDS);
    let module = ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);\n.global .b8 text[6] = {105, 32, 60, 32, 52, 0};\n".to_owned();
    let body = format!(
        "\tsetp.lt.u32 %p, %id, {bound};\n\t@%p bra FINE;\n\tmov.u64 %rd1, text;\n\tcvta.global.u64 %rd1, %rd1;\n\t{{ .param .b64 m, f, n, c; .param .b32 l; st.param.b64 [m], %rd1; st.param.b64 [f], %rd1; st.param.b64 [n], %rd1; st.param.b64 [c], 1; st.param.b32 [l], {};\n\tcall __assertfail, (m, f, l, n, c); {HERE}\n\t}}\nFINE:\n",
        rng.u32(1..500)
    );
    GeneratedKernel { module, ..GeneratedKernel::body(body) }
}

/// An index after a list of targets.
pub fn invalid_target(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let index = variant.choose(rng.u32(2..1000), rng.u32(..2));
    GeneratedKernel::body(format!(
        "\tmov.u32 %r1, {index};\nLIST: .branchtargets ONE, TWO;\n\tbrx.idx %r1, LIST; {HERE}\nONE:\n\tadd.u32 %f0, %f0, 1;\nTWO:\n\tadd.u32 %f0, %f0, 2;\n"
    ))
}

/// A loop that counts never has the same state again: it is found by the number of instructions.
pub fn endless_count(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let (step, bound) = (rng.u32(1..9) * 2, rng.u32(1..500) * 2 + variant.choose(1, 0));
    let compare = variant.choose("ne", "lt");
    GeneratedKernel::body(format!(
        "\tmov.u32 %r1, 0;\nCOUNT:\n\tadd.u32 %r1, %r1, {step}; {HERE}\n\tsetp.{compare}.u32 %q, %r1, {bound};\n\t@%q bra COUNT;\n"
    ))
}
