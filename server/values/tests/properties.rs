//! Properties of every operation, for all operands.

use fastrand::Rng;
use isa::types::{Op, Type};
use ptx_values::{
    AccessedSpace, Computation, ElementEvent, Memory, Operation, Shape, Subnormals, Value, evaluate, execute,
};

/// Random operands, half of them close to the limits of their type.
struct Operands(Rng);

impl Operands {
    fn next(&mut self, shape: Shape) -> Value {
        let width = shape.element().bits();
        let mut bits = 0;
        for element in 0..shape.elements() {
            let wide = self.0.u128(..);
            let one = match self.0.u8(..4) {
                0 => wide % 4,
                1 => u128::MAX - wide % 4,
                _ => wide,
            };
            bits |= Value::new(Shape::of(shape.element()), one).bits() << (element * width);
        }
        Value::new(shape, bits)
    }
}

/// Every supported operation, on every type and vector, in both spaces.
fn operations() -> impl Iterator<Item = Operation> {
    Op::ALL.iter().flat_map(|&op| {
        Type::ALL.iter().flat_map(move |&ty| {
            [1, 2, 4, 8].into_iter().filter_map(move |lanes| Shape::new(ty, lanes)).flat_map(move |shape| {
                [AccessedSpace::Global, AccessedSpace::Shared].into_iter().flat_map(move |location| {
                    [Subnormals::Default, Subnormals::Preserved]
                        .into_iter()
                        .filter_map(move |subnormals| Operation::new(op, shape, subnormals, location).ok())
                })
            })
        })
    })
}

#[test]
fn the_destination_is_the_old_value_and_the_fast_path_agrees() {
    let mut operands = Operands(Rng::with_seed(1));
    let mut seen = 0;
    for operation in operations() {
        for _ in 0..50 {
            let [memory, b, c] = [(); 3].map(|()| operands.next(operation.shape()));
            let outcome = evaluate(operation, memory, b, Some(c));
            assert_eq!(outcome.destination, memory);
            assert_eq!(outcome.memory.bits(), operation.apply(memory.bits(), b.bits(), c.bits()));
            assert_eq!(outcome.memory.bits() & !operation.shape().mask(), 0, "nothing above the width");
            seen += 1;
        }
    }
    assert!(seen > 20_000);
}

#[test]
fn a_vector_equals_its_lanes() {
    let mut operands = Operands(Rng::with_seed(2));
    for operation in operations().filter(|operation| operation.shape().elements() > 1) {
        let shape = operation.shape();
        if operation.op() == Op::Cas {
            continue; // cas compares the value as a whole, and PTX has it for scalars only
        }
        let element = Shape::of(shape.element());
        let noftz = shape.element() == ptx_values::Element::F32 && !operation.flushes();
        let lane = Operation::new(operation.op(), element, Subnormals::of(noftz), operation.location())
            .expect("the same operation");
        for _ in 0..50 {
            let [memory, b] = [(); 2].map(|()| operands.next(shape));
            let whole = evaluate(operation, memory, b, None).memory;
            for index in 0..shape.elements() {
                let one = |value: Value| Value::new(element, value.element(index).into());
                assert_eq!(evaluate(lane, one(memory), one(b), None).memory, one(whole), "{operation:?}");
            }
        }
    }
}

#[test]
fn inc_and_dec_stay_in_their_range() {
    let shape = Shape::scalar(Type::U32);
    let mut operands = Operands(Rng::with_seed(3));
    for op in [Op::Inc, Op::Dec] {
        let operation = Operation::new(op, shape, Subnormals::Default, AccessedSpace::Shared).expect("u32 counts");
        for _ in 0..100_000 {
            let [memory, bound] = [(); 2].map(|()| operands.next(shape));
            let counted = evaluate(operation, memory, bound, None);
            assert!(counted.memory.bits() <= bound.bits(), "{op:?} of {memory} up to {bound}");
        }
        let mut memory = 0;
        let mut visited = Vec::new();
        for _ in 0..8 {
            visited.push(memory);
            memory = operation.apply(memory, 2, 0);
        }
        let expected = if op == Op::Inc { [0, 1, 2, 0, 1, 2, 0, 1] } else { [0, 2, 1, 0, 2, 1, 0, 2] };
        assert_eq!(visited, expected, "{op:?} goes round");
    }
}

#[test]
fn sums_and_extremes_do_not_depend_on_the_order_but_for_f64_nans() {
    let mut operands = Operands(Rng::with_seed(4));
    for operation in operations().filter(|operation| matches!(operation.op(), Op::Add | Op::Min | Op::Max)) {
        let element = operation.shape().element();
        for _ in 0..50 {
            let [a, b] = [(); 2].map(|()| operands.next(operation.shape()));
            let nan =
                (0..operation.shape().elements()).any(|i| element.is_nan(a.element(i)) || element.is_nan(b.element(i)));
            if !(nan && element == ptx_values::Element::F64) {
                assert_eq!(evaluate(operation, a, b, None).memory, evaluate(operation, b, a, None).memory);
            }
        }
    }
}

#[test]
fn memory_is_changed_where_the_address_points_and_nowhere_else() {
    let shape = Shape::new(Type::F16, 2).expect("32 bits");
    let add = Operation::new(Op::Add, shape, Subnormals::Preserved, AccessedSpace::Global).expect("f16 can be added");
    let mut memory = Memory::new(0x1000, vec![0, 0, 0, 0, 0x00, 0x3c, 0x00, 0x40, 0, 0, 0, 0]);
    let ones = Value::new(shape, 0x3c00_3c00);
    let outcome = execute(add, &mut memory, 0x1004, ones, None).expect("aligned and inside");
    assert_eq!(outcome.destination.bits(), 0x4000_3c00);
    assert_eq!(memory.bytes(), [0, 0, 0, 0, 0x00, 0x40, 0x00, 0x42, 0, 0, 0, 0]);
    for address in [0x1002, 0x100c, 0xffc] {
        let before = memory.clone();
        let error = execute(add, &mut memory, address, ones, None).expect_err("misaligned or outside").to_string();
        assert!(error.contains(&format!("{address:#x}")) && error.contains("4 bytes"), "{error}");
        assert_eq!(memory, before);
    }
}

#[test]
fn what_has_no_meaning_is_refused() {
    let rejected = |op, ty| {
        Operation::new(op, Shape::scalar(ty), Subnormals::Default, AccessedSpace::Global)
            .expect_err("no meaning")
            .to_string()
    };
    assert_eq!(rejected(Op::Min, Type::B32), "`.min` is not defined for `.b32`");
    assert_eq!(rejected(Op::Max, Type::F32), "`.max` is not defined for `.f32`");
    assert_eq!(rejected(Op::Inc, Type::F16), "`.inc` is not defined for `.f16`");
    assert_eq!(rejected(Op::Dec, Type::S32), "`.dec` is not defined for `.s32`");
    assert_eq!(Shape::new(Type::B128, 2), None);
    assert_eq!(Shape::new(Type::F16x2, 8), None);
    assert_eq!(Shape::new(Type::F32, 0), None);
}

#[test]
fn notes_never_contradict_the_values() {
    let mut operands = Operands(Rng::with_seed(5));
    for operation in operations() {
        for _ in 0..50 {
            let [memory, b] = [(); 2].map(|()| operands.next(operation.shape()));
            let outcome = evaluate(operation, memory, b, Some(b));
            for note in &outcome.notes {
                let index = note.element.unwrap_or(0);
                let [old, term, new] = [memory, b, outcome.memory].map(|value| value.element(index));
                let element = operation.shape().element();
                match note.event {
                    ElementEvent::NanCanonical { result, .. } | ElementEvent::InfinitiesCancelled { result, .. } => {
                        assert_eq!(new, result);
                        assert!(element.is_nan(new));
                    }
                    ElementEvent::NanPropagated { .. } => assert!(element.is_nan(new)),
                    ElementEvent::NanIgnored(_) => {
                        assert!(element.is_nan(old) != element.is_nan(term) && !element.is_nan(new))
                    }
                    ElementEvent::Kept(_) => assert_eq!(old, new),
                    ElementEvent::Swapped => assert_eq!(memory, b),
                    ElementEvent::CompareFailed => assert!(memory != b && outcome.memory == memory),
                    ElementEvent::IncWrapped { .. } => assert_eq!(new, 0),
                    ElementEvent::DecWrapped { bound, .. } => assert_eq!((new, bound), (term, term)),
                    _ => assert!(!element.is_nan(new)),
                }
                assert_eq!(note.element.is_some(), operation.shape().elements() > 1 && operation.op() != Op::Cas);
            }
        }
    }
}

#[test]
fn red_is_atom_without_its_destination() {
    let resolve = |mnemonic, modifiers: &[&str]| match isa::resolve(
        &isa::Spelling { mnemonic, modifiers },
        &isa::Module::default(),
    ) {
        isa::Resolution::Legal(instruction) => Some(instruction),
        _ => None,
    };
    let mut operands = Operands(Rng::with_seed(6));
    let mut pairs = 0;
    for (op, ty) in Op::ALL.iter().flat_map(|op| Type::ALL.iter().map(move |ty| (op.word(), ty.word()))) {
        for before in [&[][..], &["global"], &["shared"]] {
            for after in [&[][..], &["noftz"], &["v2"], &["noftz", "v4"]] {
                let words = [before, &[op], after, &[ty]].concat();
                let (Some(atom), Some(red)) = (resolve("atom", &words), resolve("red", &words)) else { continue };
                for location in [AccessedSpace::Global, AccessedSpace::Shared] {
                    let computations = [atom, red].map(|instruction| Computation::of(&instruction, location));
                    let [Ok(atom), Ok(red)] = computations else {
                        assert_eq!(computations[0].err(), computations[1].err(), "{words:?}");
                        continue;
                    };
                    for _ in 0..20 {
                        let [memory, b] = [(); 2].map(|()| operands.next(atom.shape()).bits());
                        let (after, destination) = atom.apply(memory, b, 0);
                        assert_eq!(red.apply(memory, b, 0), (after, None), "{words:?}");
                        assert_eq!(destination, Some(memory), "{words:?}");
                    }
                    pairs += 1;
                }
            }
        }
    }
    assert!(pairs > 100, "{pairs}");
}
