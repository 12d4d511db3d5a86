//! Data races: what orders two accesses is missing, too narrow, or in the wrong place.

use super::{GeneratedKernel, HERE, Variant, WORDS};
use support::{Rng, pick};

/// Two accesses of different threads that nothing orders; in the right kernel something does.
pub fn data_race(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    match rng.u32(..8) {
        0 => exchange_in_cta(rng, variant),
        1 => exchange_in_warp(rng, variant),
        2 => message(rng, variant),
        3 => counter(rng, variant),
        4 => narrow_scope(rng, variant),
        5 => read_of_a_total(rng, variant),
        6 => lock(rng, variant),
        _ => phases(rng, variant),
    }
}

/// The other half of the CTA reads what a thread has written: without a barrier, with one of the own warp only, or with one before the store.
fn exchange_in_cta(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let barrier = rng.u32(1..16);
    let whole = *pick(rng, &["bar.sync 0;", "barrier.cta.sync 3, 64;", "bar.red.popc.u32 %r3, 0, %p;"]);
    let (early, late) = match (variant, rng.u32(..3)) {
        (Variant::Right, _) => ("", whole.to_owned()),
        (_, 0) => ("", String::new()),
        (_, 1) => ("", format!("add.u32 %r3, %warp, {};\n\tbar.sync %r3, 32;", barrier.min(14))),
        _ => (whole, String::new()),
    };
    let (space, base) = *pick(rng, &[("shared", "%s"), ("global", "%data")]);
    let (own, other) = match space {
        "shared" => ("%r1", "%r2"),
        _ => ("%word", "%rd1"),
    };
    let address = match space {
        "shared" => format!("\tadd.u32 %r2, %r2, {base};\n\tmad.lo.u32 %r1, %id, 4, {base};\n"),
        _ => format!("\tcvt.u64.u32 %rd1, %r2;\n\tadd.u64 %rd1, %rd1, {base};\n"),
    };
    GeneratedKernel::body(format!(
        "\tsetp.eq.u32 %p, %id, 3;\n\txor.b32 %r2, %id, 32;\n\tshl.b32 %r2, %r2, 2;\n{address}\t{early}\n\tst.{space}.u32 [{own}], %id; {HERE}\n\t{late}\n\tld.{space}.u32 %r4, [{other}];\n"
    ))
}

/// A lane reads what its neighbour has written: warps are not in lockstep.
fn exchange_in_warp(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let lanes = 1 << rng.u32(..5);
    let barrier = *pick(rng, &["bar.warp.sync -1;", "bar.sync 0;", "fence.acq_rel.cta;\n\tbar.warp.sync -1;"]);
    // Neither a fence nor `activemask` waits for other lanes.
    let nothing = *pick(rng, &["", "fence.acq_rel.cta;", "activemask.b32 %r5;"]);
    let between = variant.choose(nothing, barrier);
    GeneratedKernel::body(format!(
        "\txor.b32 %r2, %id, {lanes};\n\tmad.lo.u32 %r2, %r2, 4, %s;\n\tmad.lo.u32 %r1, %id, 4, %s;\n\tst.shared.u32 [%r1], %id; {HERE}\n\t{between}\n\tld.shared.u32 %r4, [%r2];\n"
    ))
}

/// A message and its flag: one side has no order.
fn message(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let (data, flag) = (4 * rng.u32(..8), 4 * rng.u32(WORDS / 2..WORDS));
    let value = rng.u32(100..200);
    let releases = [
        ("", "st.release.gpu.global.u32", "st.relaxed.gpu.global.u32"),
        ("", "st.release.sys.global.u32", "st.volatile.global.u32"),
        ("fence.acq_rel.gpu;", "st.relaxed.gpu.global.u32", "st.relaxed.gpu.global.u32"),
    ];
    let acquires = [
        ("ld.acquire.gpu.global.u32", "ld.relaxed.gpu.global.u32", ""),
        ("ld.relaxed.sys.global.u32", "ld.volatile.global.u32", "fence.acq_rel.sys;"),
    ];
    let (fence, release, plain_store) = *pick(rng, &releases);
    let (acquire, plain_load, late) = *pick(rng, &acquires);
    let breaks_release = variant == Variant::Wrong && rng.bool();
    let breaks_acquire = variant == Variant::Wrong && !breaks_release;
    let (fence, store) = if breaks_release { ("", plain_store) } else { (fence, release) };
    let (load, late) = if breaks_acquire { (plain_load, "") } else { (acquire, late) };
    GeneratedKernel::body(format!(
        "\tsetp.eq.u32 %p, %id, 0;\n\tsetp.ne.u32 %q, %id, {};\n\t@%p bra SEND;\n\t@%q bra END;\nPOLL:\n\t{load} %r1, [%data+{flag}];\n\tsetp.ne.u32 %q, %r1, {value};\n\t@%q bra POLL;\n\t{late}\n\tld.global.u32 %r2, [%data+{data}]; {HERE}\n\tbra END;\nSEND:\n\tst.global.u32 [%data+{data}], 7;\n\t{fence}\n\t{store} [%data+{flag}], {value};\nEND:\n",
        rng.u32(1..WORDS)
    ))
}

/// All threads count in one word.
fn counter(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let at = 4 * rng.u32(..WORDS);
    let step = rng.u32(1..9);
    let right = *pick(rng, &["red.global.add.u32 [%data+AT], STEP;", "atom.global.add.u32 %r1, [%data+AT], STEP;"]);
    let order = *pick(rng, &["", ".relaxed.gpu"]);
    // The plain store makes it a race, also beside strong loads.
    let wrong = format!(
        "ld{order}.global.u32 %r1, [%data+AT];\n\tadd.u32 %r1, %r1, STEP;\n\tadd.u32 %r1, %r1, %id;\n\tst.global.u32 [%data+AT], %r1;"
    );
    let count = variant.choose(wrong, right.to_owned());
    let count = count.replace("AT", &at.to_string()).replace("STEP", &step.to_string());
    GeneratedKernel::body(format!("\t{count} {HERE}\n"))
}

/// CTAs of a cluster that count with an atomic of another scope.
fn narrow_scope(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let at = 4 * rng.u32(..WORDS);
    let scope = variant.choose("cta", *pick(rng, &["cluster", "gpu", "sys"]));
    let operation = *pick(rng, &["red.relaxed.SCOPE.global.add.u32", "red.relaxed.SCOPE.global.max.u32"]);
    let operation = operation.replace("SCOPE", scope);
    GeneratedKernel { ctas: 2, ..GeneratedKernel::body(format!("\t{operation} [%data+{at}], %id; {HERE}\n")) }
}

/// A total that is read while others still add to it.
fn read_of_a_total(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let at = 4 * rng.u32(..WORDS);
    let (space, base) = *pick(rng, &[("shared", "%s"), ("global", "%data")]);
    let barrier = variant.choose(*pick(rng, &["", "bar.warp.sync -1;"]), "bar.sync 0;");
    GeneratedKernel::body(format!(
        "\tsetp.eq.u32 %p, %id, 0;\n\t@%p st.{space}.u32 [{base}+{at}], 0;\n\tbar.sync 0;\n\tred.{space}.add.u32 [{base}+{at}], %id;\n\t{barrier}\n\tld.{space}.u32 %r1, [{base}+{at}]; {HERE}\n"
    ))
}

/// A lock whose holder is not ordered after the one before.
fn lock(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let at = 4 * rng.u32(1..WORDS);
    let (take, give) = match (variant, rng.u32(..3)) {
        (Variant::Right, 0) => (".acquire.gpu", "atom.release.gpu.global.exch.b32 %r2, [%data],"),
        (Variant::Right, _) => (".acquire.cta", "st.release.cta.global.u32 [%data],"),
        (Variant::Wrong, 0) => (".relaxed.gpu", "st.release.gpu.global.u32 [%data],"),
        (Variant::Wrong, 1) => (".acquire.gpu", "atom.relaxed.gpu.global.exch.b32 %r2, [%data],"),
        (Variant::Wrong, _) => (".relaxed.cta", "st.relaxed.cta.global.u32 [%data],"),
    };
    // The first word of the buffer is 0 at first.
    GeneratedKernel::body(format!(
        "LOCK:\n\tatom{take}.global.cas.b32 %r1, [%data], 0, 1;\n\tsetp.ne.u32 %q, %r1, 0;\n\t@%q bra LOCK;\n\tld.global.u32 %r3, [%data+{at}];\n\tadd.u32 %r3, %r3, %id;\n\tst.global.u32 [%data+{at}], %r3; {HERE}\n\t{give} 0;\n"
    ))
}

/// What is read in a phase of an mbarrier was written before the arrivals at it.
fn phases(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let at = 4 * rng.u32(..WORDS / 2);
    let relaxed = rng.bool();
    let (arrive, wait) = match variant {
        Variant::Right => ("mbarrier.arrive.shared.b64", "mbarrier.try_wait.shared.b64"),
        Variant::Wrong if relaxed => ("mbarrier.arrive.relaxed.cta.shared::cta.b64", "mbarrier.try_wait.shared.b64"),
        Variant::Wrong => ("mbarrier.arrive.shared.b64", "mbarrier.try_wait.relaxed.cta.shared::cta.b64"),
    };
    GeneratedKernel::body(format!(
        "\tsetp.eq.u32 %p, %id, 0;\n\tsetp.eq.u32 %h, %id, 63;\n\t@%p mbarrier.init.shared.b64 [bar0], 64;\n\tbar.sync 0;\n\t@%p st.shared.u32 [%s+{at}], 5;\n\t{arrive} %rd1, [bar0];\nWAIT:\n\t{wait} %q, [bar0], %rd1;\n\t@!%q bra WAIT;\n\t@%h ld.shared.u32 %r1, [%s+{at}]; {HERE}\n"
    ))
}
