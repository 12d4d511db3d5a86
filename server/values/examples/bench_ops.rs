//! Nanoseconds per operation, next to a native loop of the same operation if the machine has one.
//!
//!     cargo run --release -p ptx-values --example bench_ops

use isa::types::{Op, Type};
use ptx_values::{AccessedSpace, Operation, Shape, Subnormals, Value, evaluate, hex};
use std::hint::black_box;
use std::time::Instant;

const OPERANDS: usize = 4096;
const ROUNDS: usize = 500;

/// Pairs of memory value and operand.
type Pairs = Vec<(u128, u128)>;

fn main() {
    let global = AccessedSpace::Global;
    println!("{:<28}{:>14}{:>14}", "operation", "emulator ns", "native ns");
    row("add.u32", Op::Add, Type::U32, 1, global, Some(&|a, b| (a as u32).wrapping_add(b as u32).into()));
    row("min.s64", Op::Min, Type::S64, 1, global, Some(&|a, b| (a as i64).min(b as i64) as u64 as u128));
    row("inc.u32", Op::Inc, Type::U32, 1, global, Some(&|a, b| if a >= b { 0 } else { a + 1 }));
    row("cas.b128", Op::Cas, Type::B128, 1, global, Some(&|a, b| if a == b { 0 } else { a }));
    row("add.f32 (flushing)", Op::Add, Type::F32, 1, global, Some(&add_f32));
    row("add.f32 (shared)", Op::Add, Type::F32, 1, AccessedSpace::Shared, Some(&add_f32));
    row("add.f64", Op::Add, Type::F64, 1, global, Some(&add_f64));
    row("add.noftz.f16", Op::Add, Type::F16, 1, global, None);
    row("add.noftz.bf16", Op::Add, Type::Bf16, 1, global, None);
    row("add.noftz.f16x2", Op::Add, Type::F16x2, 1, global, None);
    row("min.noftz.v8.f16", Op::Min, Type::F16, 8, global, None);
    row("add.noftz.v8.bf16", Op::Add, Type::Bf16, 8, global, None);
    row("add.v4.f32", Op::Add, Type::F32, 4, global, None);
    explained();
    line();
}

fn add_f32(a: u128, b: u128) -> u128 {
    (f32::from_bits(a as u32) + f32::from_bits(b as u32)).to_bits().into()
}

fn add_f64(a: u128, b: u128) -> u128 {
    (f64::from_bits(a as u64) + f64::from_bits(b as u64)).to_bits().into()
}

fn pairs(shape: Shape) -> Pairs {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut next = || rng.u128(..) & shape.mask();
    (0..OPERANDS).map(|_| (next(), next())).collect()
}

fn time(pairs: &Pairs, operation: impl Fn(u128, u128) -> u128) -> f64 {
    fastest(|| {
        for &(memory, b) in black_box(pairs) {
            black_box(operation(memory, b));
        }
    })
}

/// Nanoseconds per operand pair in the fastest round, because other processes only slow a round down.
fn fastest(mut round: impl FnMut()) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        round();
        start.elapsed().as_secs_f64() * 1e9 / OPERANDS as f64
    });
    times.fold(f64::INFINITY, f64::min)
}

fn row(name: &str, op: Op, ty: Type, lanes: u32, at: AccessedSpace, native: Option<&dyn Fn(u128, u128) -> u128>) {
    let shape = Shape::new(ty, lanes).expect("at most 128 bits");
    let operation = Operation::new(op, shape, Subnormals::Default, at).expect("it has a meaning");
    let pairs = pairs(shape);
    let operation = black_box(operation);
    let emulated = time(&pairs, |memory, b| operation.apply(memory, b, 0));
    let native = native.map_or("-".to_owned(), |native| format!("{:.2}", time(&pairs, native)));
    println!("{name:<28}{emulated:>14.2}{native:>14}");
}

fn explained() {
    let shape = Shape::scalar(Type::F32);
    let operation =
        Operation::new(Op::Add, shape, Subnormals::Default, AccessedSpace::Global).expect("f32 can be added");
    let ns = time(&pairs(shape), |memory, b| {
        evaluate(operation, Value::new(shape, memory), Value::new(shape, b), None).memory.bits()
    });
    println!("{:<28}{ns:>14.2}{:>14}", "add.f32 with notes", "-");
}

/// The cost of a line of `eval --batch` without finding its instruction: two values read, one computed, two written.
fn line() {
    let shape = Shape::scalar(Type::U32);
    let operation =
        Operation::new(Op::Add, shape, Subnormals::Default, AccessedSpace::Global).expect("u32 can be added");
    let mut out = Vec::with_capacity(OPERANDS * 20);
    let texts: Vec<[Vec<u8>; 2]> = pairs(shape)
        .into_iter()
        .map(|(memory, b)| [memory, b].map(|bits| format!("{bits:08x}").into_bytes()))
        .collect();
    let ns = fastest(|| {
        out.clear();
        for [memory, b] in black_box(&texts) {
            let [memory, b] = [memory, b].map(|text| hex::read_hex(text, shape).expect("hexadecimal"));
            hex::write_hex(operation.apply(memory, b, 0), shape, &mut out);
            out.push(b'\t');
            hex::write_hex(memory, shape, &mut out);
            out.push(b'\n');
        }
        black_box(&out);
    });
    println!("{:<28}{ns:>14.2}{:>14}", "add.u32 with hexadecimal", "-");
}
