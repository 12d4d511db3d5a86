//! Floating point against a second method that shares no code with the first: sums in integer arithmetic, comparisons
//! in f64.
//!
//! With `PTX_ATOMICS_FULL=1` all 2^32 pairs of f16 and of bf16 are checked (a few minutes in a release build), otherwise
//! a sample: the limits of every range against every n-th number.

use fastrand::Rng;
use isa::types::{Op, Type};
use ptx_values::float::SmallFloat;
use ptx_values::{AccessedSpace, Operation, Shape, Subnormals};
use std::cmp::Ordering;

/// A binary format by its bits.
#[derive(Clone, Copy)]
struct Layout {
    exponent: u32,
    fraction: u32,
}

const F16: Layout = Layout { exponent: 5, fraction: 10 };
const BF16: Layout = Layout { exponent: 8, fraction: 7 };
const F32: Layout = Layout { exponent: 8, fraction: 23 };
const F64: Layout = Layout { exponent: 11, fraction: 52 };

impl Layout {
    fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    fn magnitude(self, bits: u64) -> u64 {
        bits & (self.sign() - 1)
    }

    fn is_nan(self, bits: u64) -> bool {
        self.magnitude(bits) > self.infinity()
    }

    /// Significand and exponent of its last bit, counted so that subnormals have 1.
    fn parts(self, bits: u64) -> (i128, i32) {
        let exponent = (self.magnitude(bits) >> self.fraction) as i32;
        let fraction = i128::from(bits & ((1 << self.fraction) - 1));
        let significand = if exponent == 0 { fraction } else { fraction | 1 << self.fraction };
        (if bits & self.sign() == 0 { significand } else { -significand }, exponent.max(1))
    }

    /// The sum of two numbers or infinities, rounded to nearest even; `None` for a NaN.
    fn sum(self, a: u64, b: u64) -> Option<u64> {
        if self.is_nan(a) || self.is_nan(b) {
            return None;
        }
        let infinite = |bits| self.magnitude(bits) == self.infinity();
        match (infinite(a), infinite(b)) {
            (true, true) => return (a == b).then_some(a),
            (true, false) => return Some(a),
            (false, true) => return Some(b),
            (false, false) => {}
        }
        let ((x, x_end), (y, y_end)) = (self.parts(a), self.parts(b));
        let (high, top, mut low, bottom) = if x_end >= y_end { (x, x_end, y, y_end) } else { (y, y_end, x, x_end) };
        // If the numbers are far apart, only the sign of the smaller one counts, and that it is not zero.
        let far = self.fraction as i32 + 8;
        let distance = (top - bottom).min(far);
        if top - bottom > far {
            low = low.signum();
        }
        let exact = (high << distance) + low;
        if exact == 0 {
            return Some(a & b & self.sign());
        }
        let sign = if exact < 0 { self.sign() } else { 0 };
        Some(sign | self.rounded(exact.unsigned_abs(), top - distance))
    }

    fn rounded(self, exact: u128, exponent: i32) -> u64 {
        let length = (128 - exact.leading_zeros()) as i32;
        let cut = (length - self.fraction as i32 - 1).max(1 - exponent);
        let mut kept = if cut <= 0 { exact << -cut } else { exact >> cut };
        if cut > 0 {
            let rest = exact & ((1 << cut) - 1);
            match rest.cmp(&(1 << (cut - 1))) {
                Ordering::Less => {}
                Ordering::Equal => kept += kept & 1,
                Ordering::Greater => kept += 1,
            }
        }
        let mut exponent = (exponent + cut) as u64;
        if kept >> (self.fraction + 1) != 0 {
            kept >>= 1;
            exponent += 1;
        }
        let bits = if kept >> self.fraction == 0 {
            kept as u64
        } else {
            exponent << self.fraction | kept as u64 & ((1 << self.fraction) - 1)
        };
        bits.min(self.infinity())
    }

    /// The number in f64, by the definition of the format; only for those of 16 bits.
    fn number(self, bits: u64) -> f64 {
        let (significand, exponent) = self.parts(bits);
        let bias = (1 << (self.exponent - 1)) - 1;
        significand as f64 * f64::from(exponent - bias - self.fraction as i32).exp2()
    }

    /// The number that `takes_second` chooses by the order of two: NaN loses, -0 is below +0.
    fn extreme(self, a: u64, b: u64, takes_second: fn(Ordering) -> bool) -> u64 {
        match (self.is_nan(a), self.is_nan(b)) {
            (true, true) => self.sign() - 1,
            (true, false) => b,
            (false, true) => a,
            (false, false) => {
                let order = self.number(a).partial_cmp(&self.number(b)).expect("no NaN is left");
                let signs = (b & self.sign()).cmp(&(a & self.sign()));
                if takes_second(order.then(signs)) { b } else { a }
            }
        }
    }
}

fn operation(op: Op, ty: Type, subnormals: Subnormals, location: AccessedSpace) -> Operation {
    Operation::new(op, Shape::scalar(ty), subnormals, location).expect("floating point can be added and compared")
}

fn check_small(
    ty: Type,
    layout: Layout,
    firsts: impl Iterator<Item = u16>,
    seconds: impl Iterator<Item = u16> + Clone,
) {
    let [add, min, max] =
        [Op::Add, Op::Min, Op::Max].map(|op| operation(op, ty, Subnormals::Preserved, AccessedSpace::Global));
    for a in firsts.map(u64::from) {
        for b in seconds.clone().map(u64::from) {
            let [sum, least, most] = [add, min, max].map(|op| op.apply(a.into(), b.into(), 0) as u64);
            assert_eq!(sum, layout.sum(a, b).unwrap_or(0x7fff), "{ty:?}: {a:#06x} + {b:#06x}");
            assert_eq!(least, layout.extreme(a, b, Ordering::is_gt), "{ty:?}: min of {a:#06x} and {b:#06x}");
            assert_eq!(most, layout.extreme(a, b, Ordering::is_lt), "{ty:?}: max of {a:#06x} and {b:#06x}");
        }
    }
}

/// Numbers at the limits of the ranges, and one in the middle of the format.
fn landmarks(layout: Layout) -> Vec<u16> {
    let infinity = layout.infinity() as u16;
    let one = 1 << layout.fraction;
    let positive =
        [0, 1, one - 1, one, one + 1, infinity / 2, infinity - one, infinity - 1, infinity, infinity + 1, 0x7fff];
    positive.iter().flat_map(|&bits| [bits, bits | 0x8000]).collect()
}

fn check_all_small(ty: Type, layout: Layout) {
    if std::env::var_os("PTX_ATOMICS_FULL").is_some_and(|value| value != "0") {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for worker in 0..workers {
                scope
                    .spawn(move || check_small(ty, layout, (0..=u16::MAX).skip(worker).step_by(workers), 0..=u16::MAX));
            }
        });
    } else {
        check_small(ty, layout, landmarks(layout).into_iter(), (0..=u16::MAX).step_by(3));
        check_small(ty, layout, (0..=u16::MAX).step_by(251), (0..=u16::MAX).step_by(127));
    }
}

#[test]
fn f16_sums_and_extremes() {
    check_all_small(Type::F16, F16);
}

#[test]
fn bf16_sums_and_extremes() {
    check_all_small(Type::Bf16, BF16);
}

/// Two random numbers of a format with exponents so close that their digits overlap.
fn close_numbers(rng: &mut Rng, layout: Layout) -> (u64, u64) {
    let top = (1 << layout.exponent) - 1;
    let first = rng.u64(..top);
    let reach = u64::from(layout.fraction) + 3;
    let second = (first + rng.u64(..2 * reach)).saturating_sub(reach).min(top - 1);
    let mut with = |exponent: u64| {
        let zeros = u64::MAX << rng.u32(..=layout.fraction);
        let fraction = rng.u64(..) & zeros & ((1 << layout.fraction) - 1);
        (rng.u64(..2) * layout.sign()) | (exponent << layout.fraction) | fraction
    };
    (with(first), with(second))
}

#[test]
fn f32_and_f64_sums() {
    for (ty, layout) in [(Type::F32, F32), (Type::F64, F64)] {
        let add = operation(Op::Add, ty, Subnormals::Preserved, AccessedSpace::Global);
        let mut rng = Rng::with_seed(7);
        for _ in 0..300_000 {
            let (a, b) = close_numbers(&mut rng, layout);
            let sum = layout.sum(a, b).expect("finite numbers");
            assert_eq!(add.apply(a.into(), b.into(), 0) as u64, sum, "{ty:?}: {a:#x} + {b:#x}");
        }
    }
}

#[test]
fn flushed_f32_sums() {
    let add = operation(Op::Add, Type::F32, Subnormals::Default, AccessedSpace::Global);
    let flush = |bits: u64| if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits };
    let mut rng = Rng::with_seed(8);
    let mut results_flushed = 0;
    for _ in 0..300_000 {
        let (a, b) = close_numbers(&mut rng, F32);
        let (a, b) = (a & 0x83ff_ffff, b & 0x83ff_ffff);
        let kept = F32.sum(flush(a), flush(b)).expect("finite numbers");
        results_flushed += u32::from(kept != flush(kept));
        assert_eq!(add.apply(a.into(), b.into(), 0) as u64, flush(kept), "{a:#x} + {b:#x}");
    }
    assert!(results_flushed > 100, "the operands must reach subnormal sums of normal numbers");
}

#[test]
fn eight_bit_formats_round_to_the_nearest() {
    for format in [SmallFloat::E4m3, SmallFloat::E5m2] {
        let numbers: Vec<(u16, f32)> = (0..=format.largest()).map(|bits| (bits, format.decode(bits))).collect();
        for pair in numbers.windows(2) {
            let [(low, below), (high, above)] = [pair[0], pair[1]];
            assert!(below < above);
            let middle = f32::midpoint(below, above);
            assert_eq!(format.encode(below), low);
            assert_eq!(format.encode(middle.next_down()), low, "{format:?}: just below {middle}");
            assert_eq!(format.encode(middle.next_up()), high, "{format:?}: just above {middle}");
            assert_eq!(format.encode(middle), if low & 1 == 0 { low } else { high }, "{format:?}: at {middle}");
            assert_eq!(format.encode(-middle.next_up()), format.sign() | high);
        }
    }
    assert_eq!([SmallFloat::E4m3.decode(0x7e), SmallFloat::E4m3.decode(1)], [448.0, 0.001_953_125]);
    assert_eq!([SmallFloat::E5m2.decode(0x7b), SmallFloat::E5m2.decode(1)], [57344.0, 0.000_015_258_789]);
    assert_eq!([SmallFloat::E4m3.encode(1e9), SmallFloat::E5m2.encode(-1e9)], [0x7e, 0xfb]);
    assert_eq!([SmallFloat::E4m3.encode(f32::INFINITY), SmallFloat::E5m2.encode(f32::INFINITY)], [0x7e, 0x7c]);
}
