//! Scalar instructions: known values, and lanes against single threads.

use ptx_values::scalar::{Accuracy, ScalarOperation, SecondResult};

fn operation(instruction: &str) -> ScalarOperation {
    let words: Vec<&str> = instruction.split('.').collect();
    ScalarOperation::new(words[0], &words[1..]).expect(instruction)
}

fn value(instruction: &str, sources: &[u64]) -> u64 {
    let mut all = [0; 4];
    all[..sources.len()].copy_from_slice(sources);
    operation(instruction).compute(all, false).value
}

#[test]
fn known_values() {
    let f32 = |number: f32| u64::from(number.to_bits());
    assert_eq!(value("add.u32", &[u64::MAX, 2]), 1);
    assert_eq!(value("sub.s16", &[0, 1]), u64::MAX);
    assert_eq!(value("mul.hi.u64", &[u64::MAX, u64::MAX]), u64::MAX - 1);
    assert_eq!(value("mul.hi.s32", &[0xffff_ffff, 2]), u64::MAX);
    assert_eq!(value("mad.wide.s32", &[0xffff_ffff, 3, 5]), 2);
    assert_eq!(value("shl.b32", &[1, 32]), 0);
    assert_eq!(value("shr.s32", &[0x8000_0000, 99]), u64::MAX);
    assert_eq!(value("prmt.b32", &[0x0302_0180, 0x0706_0504, 0x7650]) & 0xff, 0x80);
    assert_eq!(value("bfe.s32", &[0xf0, 4, 4]), u64::MAX);
    assert_eq!(value("add.f32", &[f32(1.0), f32(2.0)]), f32(3.0));
    assert_eq!(value("add.rm.f32", &[f32(1.0), f32(-1.0)]), f32(-0.0));
    assert_eq!(value("fma.rz.f32", &[f32(1.5), f32(2.0), f32(-1e-30)]), f32(3.0_f32.next_down()));
    assert_eq!(value("fma.rp.f64", &[1.5_f64.to_bits(), 2.0_f64.to_bits(), 1]), 3.0_f64.next_up().to_bits());
    assert_eq!(value("div.rn.f64", &[1.0_f64.to_bits(), 3.0_f64.to_bits()]), (1.0_f64 / 3.0).to_bits());
    assert_eq!(value("sqrt.rp.f64", &[2.0_f64.to_bits()]), 2.0_f64.sqrt().to_bits());
    assert_eq!(value("min.f32", &[f32(f32::NAN), f32(-1.0)]), f32(-1.0));
    let logic = operation("lop3.b32").with_table(0x96);
    assert_eq!(logic.compute([0b1100, 0b1010, 0b0110, 0], false).value, 0);
}

#[test]
fn lanes_equal_threads() {
    let mut rng = fastrand::Rng::with_seed(26);
    for name in ["add.s32", "addc.cc.u32", "setp.lt.and.f32", "fma.rn.f32", "lop3.b32", "div.s64", "add.rz.f64"] {
        let operation = operation(name);
        let sources: [[u64; 32]; 4] = std::array::from_fn(|_| std::array::from_fn(|_| rng.u64(..)));
        let carries: [u64; 32] = std::array::from_fn(|_| rng.u64(0..2));
        for mask in [u32::MAX, 0x8000_0001, 0, rng.u32(..)] {
            let (mut value, mut second) = ([7; 32], carries);
            operation.compute_lanes(mask, sources.each_ref(), &mut value, &mut second);
            for lane in 0..32 {
                let single = operation.compute(sources.map(|source| source[lane]), carries[lane] != 0);
                let active = mask >> lane & 1 != 0;
                assert_eq!(value[lane], if active { single.value } else { 7 }, "{name}, lane {lane}");
                if active && operation.second_result() != SecondResult::None {
                    assert_eq!(second[lane], single.second, "{name}, lane {lane}");
                }
            }
        }
    }
}

#[test]
fn what_is_no_scalar_instruction_is_named() {
    let error = ScalarOperation::new("ld", &["global", "u32"]).expect_err("a load");
    assert_eq!(error.to_string(), "emulation of `ld.global.u32` is not supported");
    assert_eq!(operation("add.f32").accuracy(), Accuracy::Exact);
    assert_eq!(operation("add.rn.f32x2").accuracy(), Accuracy::Unmeasured);
    assert_eq!(operation("min.f32").with_three_sources().accuracy(), Accuracy::Unmeasured);
}

#[test]
fn operands_of_newer_forms() {
    let pair = |low: f32, high: f32| u64::from(high.to_bits()) << 32 | u64::from(low.to_bits());
    assert_eq!(value("fma.rn.f32x2", &[pair(1.0, 2.0), pair(3.0, 4.0), pair(0.5, 0.25)]), pair(3.5, 8.25));
    assert_eq!(value("add.f32.f16", &[0x3c00, pair(0.5, 0.0)]), pair(1.5, 0.0));
    assert_eq!(value("add.sat.u8x4", &[0x00ff_0102, 0x0001_0203]), 0x00ff_0305);
    let least = operation("min.f32").with_three_sources();
    assert_eq!(least.compute([pair(3.0, 0.0), pair(2.0, 0.0), pair(1.0, 0.0), 0], false).value, pair(1.0, 0.0));
}
