//! Kernels whose threads share memory under locks and after flags.

use crate::{MISTAKE, Variant};
use support::{Rng, pick};

fn mark(wrong: bool) -> String {
    if wrong { format!(" {MISTAKE}") } else { String::new() }
}

/// A kernel in which two threads use the same word.
pub fn accesses(rng: &mut Rng, variant: Variant) -> String {
    let wrong = variant == Variant::Wrong;
    let mistake = rng.usize(..4);
    let (first, second) = match mistake {
        0 => unlocked(rng, wrong),
        1 => late(rng, wrong),
        2 => early(rng, wrong),
        _ => narrow(rng, wrong),
    };
    // Threads of one CTA need no wider fence.
    let roles = if mistake == 3 { rng.usize(..2) } else { rng.usize(..4) };
    let (chosen, other) = match roles {
        0 => ("setp.ne.s32 %p62, %r2, 0;\n@%p62 bra both;\nmov.u32 %r60, %ctaid.x;\n", "setp.ne.u32 %p61, %r60, 1;\n"),
        1 => ("setp.gt.u32 %p62, %r2, 0;\n@%p62 bra both;\nmov.u32 %r60, %ctaid.x;\n", "setp.ne.u32 %p61, %r60, 3;\n"),
        2 => ("mov.b32 %r60, %r2;\n", "setp.ne.u32 %p61, %r60, 32;\n"),
        _ => ("mov.b32 %r60, %r2;\n", "setp.ne.s32 %p61, %r60, 96;\n"),
    };
    format!(
        "{chosen}setp.ne.u32 %p60, %r60, 0;\n@%p60 bra others;\n{first}bra.uni both;\nothers:\n{other}@%p61 bra both;\n{second}both:\n"
    )
}

/// The data that both kinds of threads use.
fn word(rng: &mut Rng) -> String {
    format!("%rd1+{}", 64 + 4 * rng.usize(..16))
}

fn store(rng: &mut Rng, word: &str) -> String {
    let values: [&str; 3] = ["%r2", "7", "%r1"];
    format!("st.global.b32 [{word}], {};", values[rng.usize(..values.len())])
}

/// Code under a lock.
fn locked(rng: &mut Rng, label: &str, body: &str) -> String {
    let release =
        *pick(rng, &["st.release.gpu.global.b32 [%rd1], 0;\n", "atom.release.gpu.global.exch.b32 %r42, [%rd1], 0;\n"]);
    let acquire = *pick(
        rng,
        &[
            "atom.acquire.gpu.global.cas.b32 %r41, [%rd1], 0, 1;\nsetp.ne.s32 %p41, %r41, 0;\n",
            "atom.acquire.gpu.global.exch.b32 %r41, [%rd1], 1;\nsetp.eq.s32 %p41, %r41, 1;\n",
        ],
    );
    format!("{label}:\n{acquire}@%p41 bra {label};\n{body}\n{release}")
}

/// One kind of threads uses the data with the lock; the mistake is that the other does not.
fn unlocked(rng: &mut Rng, wrong: bool) -> (String, String) {
    let word = word(rng);
    let (one, other) = (store(rng, &word), store(rng, &word));
    let first = locked(rng, "spin", &one);
    let second = match wrong {
        true => format!("{other}{}\n", mark(wrong)),
        false => locked(rng, "other", &other),
    };
    (first, second)
}

/// A loop that waits for the flag.
fn wait(rng: &mut Rng) -> String {
    let wait = *pick(
        rng,
        &[
            "ld.acquire.gpu.global.b32 %r43, [%rd1];\nsetp.eq.s32 %p43, %r43, 0;\n@%p43 bra poll;\n",
            "ld.relaxed.gpu.global.b32 %r43, [%rd1];\nsetp.ne.s32 %p43, %r43, 1;\n@%p43 bra poll;\nfence.acq_rel.gpu;\n",
        ],
    );
    format!("poll:\n{wait}")
}

fn signal(rng: &mut Rng) -> &'static str {
    let signals: [&str; 3] = [
        "st.release.gpu.global.b32 [%rd1], 1;\n",
        "red.release.gpu.global.add.u32 [%rd1], 1;\n",
        "fence.acq_rel.gpu;\nst.relaxed.gpu.global.b32 [%rd1], 1;\n",
    ];
    signals[rng.usize(..signals.len())]
}

/// A message; the mistake is a store after the flag is set.
fn late(rng: &mut Rng, wrong: bool) -> (String, String) {
    let word = word(rng);
    let (store, signal, wait) = (store(rng, &word), signal(rng), wait(rng));
    let first = match wrong {
        true => format!("{signal}{store}{}\n", mark(wrong)),
        false => format!("{store}\n{signal}"),
    };
    (first, format!("{wait}ld.global.b32 %r50, [{word}];\nst.global.b32 [%rd2+4], %r50;\n"))
}

/// A message; the mistake is a read before the flag is awaited.
fn early(rng: &mut Rng, wrong: bool) -> (String, String) {
    let word = word(rng);
    let (store, signal, wait) = (store(rng, &word), signal(rng), wait(rng));
    let read = format!("ld.global.b32 %r50, [{word}];{}\n", mark(wrong));
    let both = if wrong { read + &wait } else { wait + &read };
    (format!("{store}\n{signal}"), format!("{both}st.global.b32 [%rd2+4], %r50;\n"))
}

/// A message between CTAs; the mistake is a fence of one CTA.
fn narrow(rng: &mut Rng, wrong: bool) -> (String, String) {
    let word = word(rng);
    let (store, wait) = (store(rng, &word), wait(rng));
    let fence = match wrong {
        true => *pick(rng, &["fence.acq_rel.cta;", "membar.cta;"]),
        false => *pick(rng, &["fence.acq_rel.gpu;", "membar.gl;", "fence.sc.sys;"]),
    };
    let first = format!("{store}\n{fence}{}\nst.relaxed.gpu.global.b32 [%rd1], 1;\n", mark(wrong));
    (first, format!("{wait}ld.global.b32 %r50, [{word}];\nst.global.b32 [%rd2+4], %r50;\n"))
}
