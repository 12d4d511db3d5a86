//! The sentences that explain a result.

use isa::types::{Op, Type};
use ptx_emulator::{AccessedSpace, Operation, Shape, evaluate, literal};

/// Evaluates as a user would write it, and returns the new memory value and what is said about it.
fn said(op: Op, ty: Type, lanes: u32, at: AccessedSpace, memory: &str, b: &str) -> (String, Vec<String>) {
    let shape = Shape::new(ty, lanes).expect("at most 128 bits");
    let operation = Operation::new(op, shape, false, at).expect("it has a meaning");
    let [memory, b] = [memory, b].map(|text| literal::parse(text, shape).expect(text));
    let outcome = evaluate(operation, memory, b, Some(b));
    (format!("{:x}", outcome.memory), outcome.notes.iter().map(ToString::to_string).collect())
}

/// Operation, type, place, memory, b; then memory afterwards and what is said.
type Case = (Op, Type, AccessedSpace, &'static str, &'static str, &'static str, &'static [&'static str]);

#[test]
fn each_event_is_explained() {
    use AccessedSpace::{Global, Shared};
    let cases: &[Case] = &[
        (Op::Add, Type::U32, Global, "5", "3", "00000008", &[]),
        (
            Op::Add,
            Type::U32,
            Global,
            "0xffffffff",
            "2",
            "00000001",
            &["the sum left the range of u32 and wrapped around"],
        ),
        (Op::Add, Type::S32, Global, "-1", "2", "00000001", &[]),
        (
            Op::Add,
            Type::S32,
            Global,
            "2147483647",
            "1",
            "80000000",
            &["the sum left the range of s32 and wrapped around"],
        ),
        (
            Op::Add,
            Type::F32,
            Global,
            "0x00000001",
            "0x80000003",
            "00000000",
            &["both inputs were subnormal: flushed to zero, because f32 add on global memory flushes"],
        ),
        (Op::Add, Type::F32, Shared, "0x00000001", "0x00000003", "00000004", &[]),
        (
            Op::Add,
            Type::F32,
            Global,
            "0x00800001",
            "0x80800000",
            "00000000",
            &["the sum is subnormal: flushed to zero, because f32 add on global memory flushes"],
        ),
        (Op::Add, Type::F32, Global, "1.5", "-1.5", "00000000", &[]),
        (Op::Add, Type::F32, Global, "1", "1e-9", "3f800000", &["the sum is no f32: rounded to nearest, ties to even"]),
        (Op::Add, Type::F32, Global, "inf", "1", "7f800000", &[]),
        (
            Op::Add,
            Type::F32,
            Global,
            "inf",
            "-inf",
            "7fffffff",
            &["infinities of opposite sign give the NaN 0x7fffffff"],
        ),
        (
            Op::Add,
            Type::F32,
            Shared,
            "0x7f800001",
            "1",
            "7fffffff",
            &["the memory value was NaN: the result is the NaN 0x7fffffff"],
        ),
        (
            Op::Add,
            Type::F64,
            Global,
            "0x7ff0000000000001",
            "0xfff0000000000002",
            "fff0000000000002",
            &["b was NaN: passed on unchanged (f64 add on global memory: b's NaN goes before that of memory)"],
        ),
        (
            Op::Add,
            Type::F64,
            Shared,
            "0x7ff0000000000001",
            "0xfff0000000000002",
            "7ff8000000000001",
            &[
                "the memory value was NaN: passed on with its quiet bit set (f64 add on shared memory: the NaN of memory goes before b's)",
            ],
        ),
        (
            Op::Add,
            Type::F64,
            Global,
            "1e308",
            "1e308",
            "7ff0000000000000",
            &["the sum is beyond the largest f64: infinity"],
        ),
        (Op::Add, Type::F64, Global, "0.5", "0.25", "3fe8000000000000", &[]),
        (
            Op::Add,
            Type::F64,
            Global,
            "0.1",
            "0.2",
            "3fd3333333333334",
            &["the sum is no f64: rounded to nearest, ties to even"],
        ),
        (
            Op::Add,
            Type::E4m3,
            Global,
            "448",
            "448",
            "7e",
            &["the sum is beyond the largest e4m3: taken as the largest"],
        ),
        (Op::Min, Type::F16, Global, "nan", "2", "4000", &["the memory value was NaN: the number wins"]),
        (Op::Max, Type::F16, Global, "-0.0", "0", "0000", &["zeros of both signs: -0 is below +0, so max takes +0"]),
        (Op::Max, Type::U64, Global, "9", "2", "0000000000000009", &["the memory value is already the max: it stays"]),
        (Op::Inc, Type::U32, Global, "7", "7", "00000000", &["7 has reached the bound 7: inc starts again at 0"]),
        (Op::Dec, Type::U32, Global, "0", "7", "00000007", &["0 reached: dec starts again at the bound 7"]),
        (Op::Dec, Type::U32, Global, "9", "7", "00000007", &["9 is above the bound 7: dec starts again at the bound"]),
        (Op::Cas, Type::B16, Global, "1", "1", "0001", &["memory holds the compared value: the new one is stored"]),
        (
            Op::Cas,
            Type::B128,
            Global,
            "1",
            "2",
            "00000000000000000000000000000001",
            &["memory does not hold the compared value: nothing is stored"],
        ),
        (Op::Exch, Type::B32, Global, "1", "2", "00000002", &[]),
    ];
    for &(op, ty, at, memory, b, result, notes) in cases {
        assert_eq!(
            said(op, ty, 1, at, memory, b),
            (result.to_owned(), notes.iter().map(|&note| note.to_owned()).collect()),
            "{op:?} {ty:?} at {at:?} of {memory} and {b}"
        );
    }
}

#[test]
fn elements_are_named_where_there_are_several() {
    let (memory, notes) =
        said(Op::Add, Type::F16x2, 2, AccessedSpace::Global, "{{1, 65504}, {nan, 0}}", "{{1, 65504}, {1, 0}}");
    assert_eq!(memory, "00007fff7c004000");
    assert_eq!(
        notes,
        [
            "element 1: the sum is beyond the largest f16: infinity",
            "element 2: the memory value was NaN: the result is the NaN 0x7fff"
        ]
    );
}
