//! The notes that explain a result.

use isa::types::{Op, Type};
use ptx_values::AccessedSpace::{Global, Shared};
use ptx_values::{AccessedSpace, Operation, Shape, Subnormals, evaluate, literal};

/// Evaluates values as a user writes them; returns the new memory value and the notes.
fn evaluated(op: Op, ty: Type, lanes: u32, at: AccessedSpace, memory: &str, b: &str) -> (String, Vec<String>) {
    let shape = Shape::new(ty, lanes).expect("at most 128 bits");
    let operation = Operation::new(op, shape, Subnormals::Default, at).expect("it has a meaning");
    let [memory, b] = [memory, b].map(|text| literal::parse(text, shape).expect(text));
    let outcome = evaluate(operation, memory, b, Some(b));
    (format!("{:x}", outcome.memory), outcome.notes.iter().map(ToString::to_string).collect())
}

/// Operation, type, space, memory, b; then the new memory value and the note.
type Case = (Op, Type, AccessedSpace, &'static str, &'static str, &'static str, &'static [&'static str]);

const CASES: &[Case] = &[
    (Op::Add, Type::U32, Global, "5", "3", "00000008", &[]),
    (Op::Add, Type::U32, Global, "0xffffffff", "2", "00000001", &["the sum overflows u32: wrapped around"]),
    (Op::Add, Type::S32, Global, "-1", "2", "00000001", &[]),
    (Op::Add, Type::S32, Global, "2147483647", "1", "80000000", &["the sum overflows s32: wrapped around"]),
    (
        Op::Add,
        Type::F32,
        Global,
        "0x00000001",
        "0x80000003",
        "00000000",
        &["memory and b are subnormal: flushed to zero (f32 add on global memory)"],
    ),
    (Op::Add, Type::F32, Shared, "0x00000001", "0x00000003", "00000004", &[]),
    (
        Op::Add,
        Type::F32,
        Global,
        "0x00800001",
        "0x80800000",
        "00000000",
        &["the sum is subnormal: flushed to zero (f32 add on global memory)"],
    ),
    (Op::Add, Type::F32, Global, "1.5", "-1.5", "00000000", &[]),
    (
        Op::Add,
        Type::F32,
        Global,
        "1",
        "1e-9",
        "3f800000",
        &["the sum is not representable in f32: rounded to nearest, ties to even"],
    ),
    (Op::Add, Type::F32, Global, "inf", "1", "7f800000", &[]),
    (
        Op::Add,
        Type::F32,
        Global,
        "inf",
        "-inf",
        "7fffffff",
        &["infinities of opposite sign: the result is the NaN 0x7fffffff"],
    ),
    (
        Op::Add,
        Type::F32,
        Shared,
        "0x7f800001",
        "1",
        "7fffffff",
        &["memory is NaN: the result is the canonical NaN 0x7fffffff"],
    ),
    (
        Op::Add,
        Type::F64,
        Global,
        "0x7ff0000000000001",
        "0xfff0000000000002",
        "fff0000000000002",
        &["b is NaN: propagated unchanged (f64 add on global memory: a NaN in b takes precedence)"],
    ),
    (
        Op::Add,
        Type::F64,
        Shared,
        "0x7ff0000000000001",
        "0xfff0000000000002",
        "7ff8000000000001",
        &["memory is NaN: propagated quieted (f64 add on shared memory: a NaN in memory takes precedence)"],
    ),
    (Op::Add, Type::F64, Global, "1e308", "1e308", "7ff0000000000000", &["the sum overflows f64: infinity"]),
    (Op::Add, Type::F64, Global, "0.5", "0.25", "3fe8000000000000", &[]),
    (
        Op::Add,
        Type::F64,
        Global,
        "0.1",
        "0.2",
        "3fd3333333333334",
        &["the sum is not representable in f64: rounded to nearest, ties to even"],
    ),
    (Op::Add, Type::E4m3, Global, "448", "448", "7e", &["the sum overflows e4m3: saturated to the largest number"]),
    (Op::Min, Type::F16, Global, "nan", "2", "4000", &["memory is NaN: the result is the number"]),
    (Op::Max, Type::F16, Global, "-0.0", "0", "0000", &["zeros of opposite sign: -0 is less than +0, so max is +0"]),
    (Op::Max, Type::U64, Global, "9", "2", "0000000000000009", &["memory already holds the max: unchanged"]),
    (Op::Inc, Type::U32, Global, "7", "7", "00000000", &["7 has reached the bound 7: inc wraps to 0"]),
    (Op::Dec, Type::U32, Global, "0", "7", "00000007", &["0 reached: dec wraps to the bound 7"]),
    (Op::Dec, Type::U32, Global, "9", "7", "00000007", &["9 exceeds the bound 7: dec wraps to the bound"]),
    (Op::Cas, Type::B16, Global, "1", "1", "0001", &["memory equals b: c is stored"]),
    (
        Op::Cas,
        Type::B128,
        Global,
        "1",
        "2",
        "00000000000000000000000000000001",
        &["memory differs from b: nothing is stored"],
    ),
    (Op::Exch, Type::B32, Global, "1", "2", "00000002", &[]),
];

#[test]
fn each_event_is_explained() {
    for &(op, ty, at, memory, b, result, notes) in CASES {
        assert_eq!(
            evaluated(op, ty, 1, at, memory, b),
            (result.to_owned(), notes.iter().map(|&note| note.to_owned()).collect()),
            "{op:?} {ty:?} at {at:?} of {memory} and {b}"
        );
    }
}

#[test]
fn elements_are_named_where_there_are_several() {
    let (memory, notes) =
        evaluated(Op::Add, Type::F16x2, 2, AccessedSpace::Global, "{{1, 65504}, {nan, 0}}", "{{1, 65504}, {1, 0}}");
    assert_eq!(memory, "00007fff7c004000");
    assert_eq!(
        notes,
        [
            "element 1: the sum overflows f16: infinity",
            "element 2: memory is NaN: the result is the canonical NaN 0x7fff"
        ]
    );
}
