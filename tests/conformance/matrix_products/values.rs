//! Every element of every recorded form, bit for bit. The layout of the files: tests/evidence/matrix_products/README.md.

use crate::recorded;
use values::matrix::{
    AccumulatorType, BitOperation, IntegerOverflow, MatrixArithmetic, MatrixElement, MatrixProduct, MatrixSize,
    MatrixUnit, TensorCore,
};
use values::scalar::Rounding;

/// The recorded forms in the order of their numbers: the unit, the shape, and the types of d, a and b.
const FORMS: [(&str, [usize; 3], &str); 32] = [
    ("mma", [16, 8, 16], "f32 f16 f16"),
    ("mma", [16, 8, 8], "f32 f16 f16"),
    ("mma", [16, 8, 16], "f16 f16 f16"),
    ("mma", [16, 8, 8], "f16 f16 f16"),
    ("mma", [16, 8, 16], "f32 bf16 bf16"),
    ("mma", [16, 8, 8], "f32 bf16 bf16"),
    ("mma", [16, 8, 8], "f32 tf32 tf32"),
    ("mma", [16, 8, 4], "f32 tf32 tf32"),
    ("mma", [16, 8, 32], "f32 e4m3 e4m3"),
    ("mma", [16, 8, 32], "f32 e5m2 e5m2"),
    ("mma", [16, 8, 32], "f32 e4m3 e5m2"),
    ("mma", [16, 8, 32], "f16 e4m3 e4m3"),
    ("mma", [16, 8, 16], "f32 e4m3 e4m3"),
    ("mma", [16, 8, 32], "s32 s8 s8"),
    ("mma satfinite", [16, 8, 32], "s32 s8 s8"),
    ("mma", [16, 8, 32], "s32 u8 s8"),
    ("mma", [8, 8, 4], "f64 f64 f64"),
    ("mma", [16, 8, 16], "f64 f64 f64"),
    ("wgmma", [64, 8, 16], "f32 f16 f16"),
    ("wgmma", [64, 8, 16], "f16 f16 f16"),
    ("wgmma", [64, 8, 16], "f32 bf16 bf16"),
    ("wgmma", [64, 8, 8], "f32 tf32 tf32"),
    ("wgmma", [64, 8, 32], "f32 e4m3 e4m3"),
    ("wgmma", [64, 8, 32], "f32 e5m2 e5m2"),
    ("wgmma", [64, 8, 32], "f16 e4m3 e4m3"),
    ("wgmma", [64, 8, 32], "s32 s8 s8"),
    ("wgmma from zero", [64, 8, 16], "f32 f16 f16"),
    ("mma", [16, 8, 8], "f64 f64 f64"),
    ("mma", [16, 8, 4], "f64 f64 f64"),
    ("mma sparse", [16, 8, 32], "f32 f16 f16"),
    ("mma sparse", [16, 8, 64], "s32 s8 s8"),
    ("wgmma negated", [64, 8, 16], "f32 f16 f16"),
];

/// What most products have in common.
const PRODUCT: MatrixProduct = MatrixProduct {
    unit: MatrixUnit::Warp,
    a: MatrixElement::Double,
    b: MatrixElement::Double,
    c: AccumulatorType::Double,
    d: AccumulatorType::Double,
    k: 0,
    rounding: Rounding::Nearest,
    overflow: IntegerOverflow::Wrap,
    operation: BitOperation::Xor,
};

/// Takes elements of so many bits from the begin of bytes.
fn take(bytes: &mut &[u8], bits: u32, count: usize) -> Vec<u64> {
    let width = bits as usize / 8;
    let (taken, rest) = bytes.split_at(width * count);
    *bytes = rest;
    let element = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
    taken.chunks_exact(width).map(element).collect()
}

/// The elements of D of a tile that differ, as text.
fn differences(number: usize, mut bytes: &[u8]) -> Vec<String> {
    let (words, [m, n, k], types) = FORMS[number];
    let types: Vec<&str> = types.split(' ').collect();
    let element = |at: usize| MatrixElement::parse(types[at]).expect("a type");
    let (d, a, b) = (AccumulatorType::parse(types[0]).expect("a type"), element(1), element(2));
    let has = |word: &str| words.split(' ').any(|one| one == word);
    let product = MatrixProduct {
        unit: if has("wgmma") { MatrixUnit::Warpgroup } else { MatrixUnit::Warp },
        a,
        b,
        c: d,
        d,
        k: k as u32,
        overflow: if has("satfinite") { IntegerOverflow::Clamp } else { IntegerOverflow::Wrap },
        ..PRODUCT
    };
    let arithmetic = MatrixArithmetic::new(TensorCore::Hopper, &product).expect("a known arithmetic");
    let mut left = take(&mut bytes, a.bits(), m * k);
    let mut right = take(&mut bytes, b.bits(), n * k);
    let mut sums = take(&mut bytes, d.bits(), m * n);
    let expected = take(&mut bytes, d.bits(), m * n);
    if has("negated") {
        left.iter_mut().for_each(|value| *value ^= a.sign());
        right.iter_mut().for_each(|value| *value ^= b.sign());
    }
    if has("zero") {
        sums.fill(0);
    }
    // Elements 0 and 2 of each four are kept.
    let kept: Vec<u16> = (0..m * k / 2).map(|at| at as u16 % (k / 2) as u16 * 2).collect();
    let kept = has("sparse").then_some(&*kept);
    if kept.is_some() {
        left = left.chunks_exact(2).map(|two| two[0]).collect();
    }
    let before = sums.clone();
    arithmetic.multiply(MatrixSize { m, n, k }, &left, &right, kept, &mut sums);
    let differ = sums.iter().zip(&expected).enumerate().filter(|(_, (found, expected))| found != expected);
    differ
        .map(|(at, (found, expected))| {
            format!("form {number}, element {at}, c {:x}: {found:x}, H200: {expected:x}", before[at])
        })
        .collect()
}

#[test]
fn every_element_is_that_of_an_h200() {
    let recorded = recorded("h200.bin.gz");
    let mut rest = &*recorded;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let header = take(&mut rest, 32, 4);
        let (number, tiles, size) = (header[0] as usize, header[1] as usize, header[2] as usize);
        let (bytes, after) = rest.split_at(tiles * size);
        rest = after;
        let of_form: Vec<String> = bytes.chunks_exact(size).flat_map(|tile| differences(number, tile)).collect();
        if let Some(first) = of_form.first() {
            found.push(format!("{first} and {} more", of_form.len() - 1));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The tensor cores of an architecture as MMA-Sim names it.
fn core(name: &str) -> TensorCore {
    match name {
        "Volta" => TensorCore::Volta,
        "Turing" => TensorCore::Turing,
        "Ampere" => TensorCore::Ampere,
        "Ada Lovelace" => TensorCore::Ada,
        "Blackwell" => TensorCore::Blackwell,
        "RTX Blackwell" => TensorCore::ConsumerBlackwell,
        other => panic!("{other}"),
    }
}

#[test]
fn other_architectures_compute_what_mma_sim_does() {
    let recorded = recorded("mma_sim.bin.gz");
    let mut rest = &*recorded;
    let (mut forms, mut wrong) = (0, Vec::new());
    while !rest.is_empty() {
        let header: Vec<usize> = take(&mut rest, 32, 3).into_iter().map(|number| number as usize).collect();
        let (name, after) = rest.split_at(header[0]);
        let (tiles, after) = after.split_at(header[1] * header[2]);
        rest = after;
        forms += 1;
        let name = std::str::from_utf8(name).expect("a name");
        let (architecture, form) = name.rsplit_once(' ').expect("an architecture and a form");
        let words: Vec<&str> = form.split('.').collect();
        let numbers: Vec<usize> =
            words[0][1..].split(['n', 'k']).map(|number| number.parse().expect("a size")).collect();
        let size = MatrixSize { m: numbers[0], n: numbers[1], k: numbers[2] };
        let accumulator = |at: usize| AccumulatorType::parse(words[at]).expect("a type");
        let element = |at: usize| MatrixElement::parse(words[at]).expect("a type");
        let (d, a, b, c) = (accumulator(1), element(2), element(3), accumulator(4));
        let product = MatrixProduct { unit: MatrixUnit::Warp, a, b, c, d, k: size.k as u32, ..PRODUCT };
        let arithmetic = MatrixArithmetic::new(core(architecture), &product).expect("a known arithmetic");
        let is_right = |mut tile: &[u8]| {
            let left = take(&mut tile, a.bits(), size.m * size.k);
            let right = take(&mut tile, b.bits(), size.n * size.k);
            let mut sums = take(&mut tile, c.bits(), size.m * size.n);
            arithmetic.multiply(size, &left, &right, None, &mut sums);
            sums == take(&mut tile, d.bits(), size.m * size.n)
        };
        if !tiles.chunks_exact(header[2]).all(is_right) {
            wrong.push(name);
        }
    }
    assert!(forms > 60, "{forms}");
    assert!(wrong.is_empty(), "{wrong:?}");
}
