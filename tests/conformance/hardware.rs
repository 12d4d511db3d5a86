//! The emulator against recordings of an H100: every result of every recorded instruction, bit for bit.
//!
//! The recordings and the layout of their files: tests/evidence/hardware/record.py.

use flate2::read::GzDecoder;
use isa::Spelling;
use isa::target::{Target, Version};
use isa::types::{Op, Type};
use std::collections::BTreeSet;
use std::io::Read;
use std::sync::LazyLock;
use values::{AccessedSpace, Computation, Operation, Shape, Subnormals, Value, evaluate};

/// Results per pair, and the distance of a vector's elements in the operand set: as in record.py.
const CASES: usize = 4096;
const STRIDE: usize = 509;

/// The operand sets in the order of the file, and the bytes of one operand.
const SETS: [(&str, usize); 8] =
    [("int16", 2), ("int32", 4), ("int64", 8), ("int128", 16), ("f16", 2), ("bf16", 2), ("f32", 4), ("f64", 8)];

/// Read once for all tests: unpacking takes most of the time.
static RECORDINGS: LazyLock<Recordings> = LazyLock::new(Recordings::read);

struct Recordings {
    pairs: Vec<Pair>,
    operands: Vec<u8>,
    results: Vec<u8>,
}

/// An instruction and the space that its address points to.
struct Pair {
    instruction: String,
    space: String,
    set: String,
    elements: usize,
    base: Option<usize>,
    /// Where its results begin.
    at: usize,
}

impl Pair {
    fn is_atom(&self) -> bool {
        self.instruction.starts_with("atom")
    }

    fn operation(&self) -> Operation {
        let (mut op, mut ty, mut vector, mut noftz) = (None, None, 1, false);
        for word in self.instruction.split('.').skip(1) {
            op = op.or(Op::parse(word));
            ty = ty.or(Type::parse(word));
            noftz |= word == "noftz";
            vector = word.strip_prefix('v').and_then(|lanes| lanes.parse().ok()).unwrap_or(vector);
        }
        let location = if self.space.ends_with("shared") { AccessedSpace::Shared } else { AccessedSpace::Global };
        let shape = Shape::new(ty.expect("a type"), vector).expect("at most 128 bits");
        Operation::new(op.expect("an operation"), shape, Subnormals::of(noftz), location)
            .expect("what a GPU computes has a meaning")
    }
}

impl Recordings {
    fn read() -> Self {
        let folder = support::evidence("hardware");
        let bytes = |name: &str| {
            let file = std::fs::File::open(folder.join(name)).expect("the recordings are in the repository");
            let mut bytes = Vec::new();
            GzDecoder::new(file).read_to_end(&mut bytes).expect("a gzip file");
            bytes
        };
        let mut pairs: Vec<Pair> = Vec::new();
        let mut at = 0;
        for line in std::fs::read_to_string(folder.join("pairs.tsv")).expect("the list of pairs").lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let elements: usize = fields[3].parse().expect("a number of elements");
            let pair = Pair {
                instruction: fields[0].to_owned(),
                space: fields[1].to_owned(),
                set: fields[2].to_owned(),
                elements,
                base: fields[4].parse().ok(),
                at,
            };
            at += CASES * width_of(&pair) * if pair.is_atom() { 2 } else { 1 };
            pairs.push(pair);
        }
        let recordings = Self { pairs, operands: bytes("operands.gz"), results: bytes("results.gz") };
        assert_eq!(recordings.results.len(), at, "results.gz does not fit pairs.tsv");
        recordings
    }

    /// Memory before, b and c of one case.
    fn operands(&self, pair: &Pair, case: usize) -> [u128; 3] {
        let mut start = 0;
        let mut size = 0;
        for (name, bytes) in SETS {
            if name == pair.set {
                size = bytes;
                break;
            }
            start += 3 * CASES * bytes;
        }
        [0, 1, 2].map(|column| {
            (0..pair.elements).fold(0, |value, element| {
                let index = (case + STRIDE * element) % CASES;
                let at = start + (column * CASES + index) * size;
                value | little_endian(&self.operands[at..at + size]) << (8 * size * element)
            })
        })
    }

    /// Memory afterwards and, for atom, the destination.
    fn results(&self, pair: &Pair, case: usize) -> (u128, Option<u128>) {
        let width = width_of(pair);
        let stored = |at: usize| little_endian(&self.results[at + case * width..at + (case + 1) * width]);
        let base = pair.base.map_or(0, |base| stored(self.pairs[base].at));
        let destination = pair.is_atom().then(|| stored(pair.at + CASES * width) ^ self.operands(pair, case)[0]);
        (stored(pair.at) ^ base, destination)
    }
}

fn width_of(pair: &Pair) -> usize {
    let (_, bytes) = SETS.iter().find(|(name, _)| *name == pair.set).expect("a known operand set");
    bytes * pair.elements
}

fn little_endian(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte))
}

#[test]
fn every_recorded_result_is_computed() {
    let recordings = &*RECORDINGS;
    let mut wrong = Vec::new();
    let mut compared = 0_u64;
    for pair in &recordings.pairs {
        let operation = pair.operation();
        let shape = operation.shape();
        assert_eq!(shape.bytes() as usize, width_of(pair), "{}", pair.instruction);
        let mut differing = 0;
        for case in 0..CASES {
            let [memory, b, c] = recordings.operands(pair, case);
            let (after, destination) = recordings.results(pair, case);
            let [old, b, c] = [memory, b, c].map(|bits| Value::new(shape, bits));
            let fast = operation.apply(memory, b.bits(), c.bits());
            let outcome = evaluate(operation, old, b, Some(c));
            let right = fast == after
                && outcome.memory.bits() == after
                && destination.is_none_or(|old| outcome.destination.bits() == old);
            compared += 1 + u64::from(destination.is_some());
            if !right && differing == 0 {
                wrong.push(format!(
                    "{} on {}: case {case}: memory {old:x}, b {b:x}, c {c:x}: recorded {:x}, computed {:x}",
                    pair.instruction,
                    pair.space,
                    Value::new(shape, after),
                    Value::new(shape, fast)
                ));
            }
            differing += u32::from(!right);
        }
        if differing > 0 {
            wrong.push(format!("  {differing} of {CASES} results differ"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{compared} recorded values are equal");
    assert!(compared >= 372 * 1000);
}

#[test]
fn the_recordings_cover_every_form_and_space() {
    let recordings = &*RECORDINGS;
    let named: BTreeSet<_> = recordings.pairs.iter().map(|pair| (&pair.instruction, &pair.space)).collect();
    assert_eq!(named.len(), 372);
    let special = |set: &str, bits: u128| {
        let pair = recordings.pairs.iter().find(|pair| pair.set == set && pair.elements == 1).expect("a scalar form");
        (0..CASES).filter(|&case| recordings.operands(pair, case)[..2] == [bits, bits]).count()
    };
    for (set, bits) in
        [("f32", 1), ("f32", 0x7f80_0001), ("f64", 0x7ff0_0000_0000_0001), ("f16", 0x8001), ("int128", 0)]
    {
        assert!(special(set, bits) > 0, "{set} {bits:x} meets itself");
    }
}

#[test]
fn the_tables_lead_from_the_spelling_to_the_same_operation() {
    let module = isa::Module { version: Version::parse("9.4"), target: Target::parse("sm_90") };
    for pair in &RECORDINGS.pairs {
        let words: Vec<&str> = pair.instruction.split('.').collect();
        let isa::Resolution::Legal(instruction) =
            isa::resolve(&Spelling { mnemonic: words[0], modifiers: &words[1..] }, &module)
        else {
            panic!("{} ran on the GPU, so it is legal", pair.instruction);
        };
        let operation = pair.operation();
        let expected = Computation::Update { operation, returns: pair.is_atom() };
        assert_eq!(Computation::of(&instruction, operation.location()), Ok(expected), "{}", pair.instruction);
    }
}

#[test]
fn a_violation_would_be_detected() {
    let recordings = &*RECORDINGS;
    for (instruction, space) in [
        ("atom.global.add.f32", "global"),
        ("red.shared.add.f32", "shared"),
        ("atom.add.f64", "generic:global"),
        ("red.add.f64", "generic:shared"),
    ] {
        let pair = recordings.pairs.iter().find(|pair| pair.instruction == instruction && pair.space == space);
        let pair = pair.expect("a recorded pair");
        let right = pair.operation();
        let other =
            if right.location() == AccessedSpace::Global { AccessedSpace::Shared } else { AccessedSpace::Global };
        let wrong = Operation::new(right.op(), right.shape(), Subnormals::Default, other).expect("a sum");
        let seen = (0..CASES).filter(|&case| {
            let [memory, b, c] = recordings.operands(pair, case);
            wrong.apply(memory, b, c) != recordings.results(pair, case).0
        });
        assert!(seen.count() > 100, "{instruction} on {space} distinguishes the spaces");
    }
}
