//! Kernels with mbarriers.

use crate::{MISTAKE, Variant};
use std::fmt::Write;
use support::{Rng, pick};

/// An mbarrier from its initialization to its wait; the mistake is one step that does not fit the others.
pub fn protocol(rng: &mut Rng, variant: Variant) -> String {
    let wrong = variant == Variant::Wrong;
    let barrier = 8 * rng.usize(..8);
    match rng.usize(..6) {
        0 => arrivals(rng, barrier, wrong),
        1 => bytes(rng, barrier, wrong),
        2 => phases(rng, barrier, wrong),
        3 => lifetime(rng, barrier, wrong),
        4 => unread_result(rng, barrier, wrong),
        _ => state(rng, barrier, wrong),
    }
}

fn mark(wrong: bool) -> String {
    if wrong { format!(" {MISTAKE}") } else { String::new() }
}

/// One thread initializes an mbarrier.
fn init(barrier: usize, count: usize) -> String {
    format!(
        "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra ready;\nmbarrier.init.shared::cta.b64 [%r4+{barrier}], {count};\n\
         fence.mbarrier_init.release.cluster;\nready:\nbar.sync 0;\n"
    )
}

/// A loop that waits for a phase.
fn wait(rng: &mut Rng, barrier: usize, parity: &str, mark: &str) -> String {
    let wait = *pick(rng, &["try_wait", "test_wait"]);
    let parity = format!("mbarrier.{wait}.parity.shared::cta.b64 %p2, [%r4+{barrier}], {parity};{mark}\n");
    match rng.bool() {
        true => format!("wait:\n{parity}@!%p2 bra wait;\n"),
        false => format!("wait:\n{parity}selp.b32 %r60, 1, 0, %p2;\nsetp.eq.s32 %p3, %r60, 0;\n@%p3 bra wait;\n"),
    }
}

/// All threads arrive, or one.
fn arrivals(rng: &mut Rng, barrier: usize, wrong: bool) -> String {
    let all = rng.bool() || wrong;
    let init = init(barrier, if all && !wrong { 128 } else { 1 });
    let arrive = format!("mbarrier.arrive.shared::cta.b64 _, [%r4+{barrier}];{}\n", mark(wrong));
    let arrive = match (all, rng.bool()) {
        (true, true) => arrive,
        (true, false) => {
            format!("ld.global.b32 %r20, [%rd1];\nsetp.eq.s32 %p4, %r20, 3;\n@%p4 bra over;\n{arrive}over:\n")
        }
        (false, true) => format!("setp.eq.s32 %p4, %r2, 64;\n@!%p4 bra over;\n{arrive}over:\n"),
        (false, false) => format!("elect.sync _|%p4, -1;\n@!%p4 bra over;\n{arrive}over:\n"),
    };
    init + &arrive + &wait(rng, barrier, "0", "")
}

/// One thread copies, and all wait.
fn bytes(rng: &mut Rng, barrier: usize, wrong: bool) -> String {
    let sizes: Vec<usize> = (0..1 + rng.usize(..3)).map(|_| 16 << rng.usize(..6)).collect();
    let expected = sizes.iter().sum::<usize>() + if wrong { 16 * (1 + rng.usize(..4)) } else { 0 };
    let expect = match rng.bool() {
        true => format!("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4+{barrier}], {expected};{}\n", mark(wrong)),
        false => format!(
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r4+{barrier}], {expected};{}\n\
             mbarrier.arrive.shared::cta.b64 _, [%r4+{barrier}];\n",
            mark(wrong)
        ),
    };
    let mut copies = String::new();
    for (place, size) in sizes.iter().enumerate() {
        let place = place * 1024;
        let _ = writeln!(
            copies,
            "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3+{place}], [%rd1+{place}], {size}, [%r4+{barrier}];"
        );
    }
    let rest = wait(rng, barrier, "0", "");
    init(barrier, 1) + &format!("setp.ne.s32 %p4, %r2, 0;\n@%p4 bra wait;\n{expect}{copies}{rest}")
}

/// A loop with one phase per iteration.
fn phases(rng: &mut Rng, barrier: usize, wrong: bool) -> String {
    let parity = match (wrong, rng.bool()) {
        (false, _) => "%r21",
        (true, true) => "%r22",
        (true, false) => "0",
    };
    let wait = wait(rng, barrier, parity, &mark(wrong));
    let flip = *pick(rng, &["xor.b32 %r21, %r21, 1;\n", "add.s32 %r23, %r20, 1;\nand.b32 %r21, %r23, 1;\n"]);
    let arrive = format!("mbarrier.arrive.shared::cta.b64 _, [%r4+{barrier}];\n");
    init(barrier, 128)
        + &format!(
            "mov.b32 %r20, 0;\nmov.b32 %r21, 0;\nand.b32 %r22, %r1, 1;\nnext:\nst.shared.b32 [%r3], %r20;\n{arrive}{wait}{flip}\
             add.s32 %r20, %r20, 1;\nsetp.lt.s32 %p5, %r20, %r1;\n@%p5 bra next;\n"
        )
}

/// An mbarrier that is used in two ways.
fn lifetime(rng: &mut Rng, barrier: usize, wrong: bool) -> String {
    let mistake = rng.usize(..4);
    let missing = |one: usize| wrong && mistake == one;
    let arrive = |mark: &str| format!("mbarrier.arrive.shared::cta.b64 _, [%r4+{barrier}];{mark}\n");
    let wait = wait(rng, barrier, "0", "");
    let start = |mark: &str| format!("mbarrier.init.shared::cta.b64 [%r4+{barrier}], 128;{mark}\n");
    let end = format!("mbarrier.inval.shared::cta.b64 [%r4+{barrier}];\n");
    let synchronize = "bar.sync 0;\n";
    if missing(0) {
        return arrive(&mark(true)) + &init(barrier, 128) + &wait;
    }
    if missing(1) {
        let other = format!("mbarrier.init.shared::cta.b64 [%r4+{}], 128;\n", (barrier + 8) % 64);
        return other + synchronize + &arrive(&mark(true)) + &wait;
    }
    let again = if missing(2) { String::new() } else { end.clone() };
    let again = again + &if missing(3) { String::new() } else { start(&mark(missing(2))) };
    format!(
        "{}{synchronize}{}{wait}{synchronize}{again}{synchronize}{}",
        start(""),
        arrive(""),
        arrive(&mark(missing(3)))
    )
}

/// A wait without a loop.
fn unread_result(rng: &mut Rng, barrier: usize, wrong: bool) -> String {
    let arrive = format!("mbarrier.arrive.shared::cta.b64 _, [%r4+{barrier}];\n");
    let name = *pick(rng, &["try_wait", "test_wait"]);
    let wait = match wrong {
        true => format!("mbarrier.{name}.parity.shared::cta.b64 %p2, [%r4+{barrier}], 0; {MISTAKE}\n"),
        false => wait(rng, barrier, "0", ""),
    };
    init(barrier, 128) + &arrive + &wait
}

/// A wait for the state of an arrival.
fn state(rng: &mut Rng, barrier: usize, wrong: bool) -> String {
    let other = (barrier + 8) % 64;
    let state = match (wrong, rng.bool()) {
        (false, _) => "%rd20",
        (true, true) => "%rd21",
        (true, false) => "%rd22",
    };
    let name = *pick(rng, &["try_wait", "test_wait"]);
    format!(
        "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra ready;\nmbarrier.init.shared::cta.b64 [%r4+{barrier}], 128;\n\
         mbarrier.init.shared::cta.b64 [%r4+{other}], 128;\nready:\nbar.sync 0;\n\
         mbarrier.arrive.shared::cta.b64 %rd20, [%r4+{barrier}];\nmbarrier.arrive.shared::cta.b64 %rd21, [%r4+{other}];\n\
         wait:\nmbarrier.{name}.shared::cta.b64 %p2, [%r4+{barrier}], {state};{}\n@!%p2 bra wait;\n",
        mark(wrong)
    )
}
