//! Millions of thread instructions a second, through the loop over the lanes of a warp and one thread at a time.
//!
//!     cargo run --release -p ptx-values --example bench_scalar

use ptx_values::scalar::ScalarOperation;
use std::hint::black_box;
use std::time::Instant;

const WARPS: usize = 64;
const ROUNDS: usize = 300;

/// Sources and results of a warp.
struct Warp {
    sources: [[u64; 32]; 4],
    value: [u64; 32],
    second: [u64; 32],
}

fn main() {
    println!("{:<28}{:>12}{:>12}{:>12}", "instruction", "full warps", "half warps", "one thread");
    for instruction in [
        "add.u32",
        "add.s32",
        "mad.lo.s32",
        "mul.wide.u32",
        "and.b32",
        "shl.b32",
        "shr.s32",
        "lop3.b32",
        "setp.lt.s32",
        "selp.b32",
        "cvt.u64.u32",
        "add.u64",
        "add.cc.u32",
        "add.f32",
        "mul.f32",
        "fma.rn.f32",
        "fma.rn.ftz.f32",
        "fma.rz.f32",
        "setp.lt.f32",
        "min.f32",
        "div.rn.f32",
        "fma.rn.f64",
        "fma.rn.f16x2",
        "cvt.rn.f32.s32",
        "cvt.rn.f16.f32",
        "cvt.f32.f16",
        "ex2.approx.ftz.f32",
        "sin.approx.f32",
        "dp4a.s32.s32",
        "prmt.b32",
        "bfe.u32",
        "popc.b32",
        "vadd.s32.s32.s32.sat",
    ] {
        row(instruction);
    }
}

fn row(instruction: &str) {
    let words: Vec<&str> = instruction.split('.').collect();
    let operation = black_box(ScalarOperation::new(words[0], &words[1..]).expect("a scalar instruction"));
    let mut warps = warps();
    let full = rate(|| lanes(&operation, u32::MAX, &mut warps), 32);
    let half = rate(|| lanes(&operation, 0x5555_5555, &mut warps), 16);
    let single = rate(|| threads(&operation, &mut warps), 32);
    println!("{instruction:<28}{full:>12.0}{half:>12.0}{single:>12.0}");
}

/// Numbers of a similar size, as integers and as binary32.
fn warps() -> Vec<Warp> {
    let mut rng = fastrand::Rng::with_seed(26);
    let number = |_| u64::from((rng.f32() + 0.5).to_bits());
    let mut numbers = std::iter::repeat(()).map(number);
    let mut lane = || std::array::from_fn(|_| numbers.next().unwrap_or_default());
    (0..WARPS).map(|_| Warp { sources: std::array::from_fn(|_| lane()), value: [0; 32], second: [0; 32] }).collect()
}

fn lanes(operation: &ScalarOperation, mask: u32, warps: &mut [Warp]) {
    for warp in black_box(warps) {
        operation.compute_lanes(mask, warp.sources.each_ref(), &mut warp.value, &mut warp.second);
    }
}

fn threads(operation: &ScalarOperation, warps: &mut [Warp]) {
    for warp in black_box(warps) {
        for lane in 0..32 {
            warp.value[lane] = operation.compute(warp.sources.map(|source| source[lane]), false).value;
        }
    }
}

/// Millions of thread instructions a second in the fastest round, because other processes only slow a round down.
fn rate(mut round: impl FnMut(), active: usize) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        round();
        start.elapsed().as_secs_f64()
    });
    (WARPS * active) as f64 / times.fold(f64::INFINITY, f64::min) / 1e6
}
