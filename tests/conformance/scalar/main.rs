//! Scalar instructions against recordings of an H100: every form that is legal on sm_90, thousands of operands each.
//!
//! The recordings and the layout of their files: tests/evidence/scalar/record.py.

mod operands;
mod written_video;

use flate2::read::GzDecoder;
use operands::{Operands, mix};
use std::collections::BTreeSet;
use std::io::Read;
use std::sync::LazyLock;
use values::float::SmallFloat;
use values::scalar::{Accuracy, ScalarOperation, ScalarResult, VideoOperands, VideoSource};

/// Blocks of a form, each with a digest, and the tuples whose results are recorded: as in record.py.
const BLOCKS: usize = 8;
const EDGES: usize = 32;

/// The forms of the families beside this list are not scalar computations.
const SKIPPED: [&str; 4] = ["ldu", "prefetch", "prefetchu", "istypep"];

/// A recorded form.
struct Form {
    /// The instruction, with operands other than registers after an `@`.
    name: String,
    kinds: String,
    width: u32,
    has_second: bool,
}

impl Form {
    fn operation(&self) -> ScalarOperation {
        let (opcode, variant) = self.name.split_once('@').unwrap_or((&self.name, ""));
        let words: Vec<&str> = opcode.split('.').collect();
        let operation = ScalarOperation::new(words[0], &words[1..]).unwrap_or_else(|error| panic!("{error}"));
        if let Some(table) = variant.strip_prefix("0x") {
            return operation.with_table(u8::from_str_radix(table, 16).expect("a table"));
        }
        if variant.starts_with('d') { operation.with_video_operands(&video_operands(variant)) } else { operation }
    }

    /// Whether the instruction may approximate: all of its results are recorded.
    fn is_approximate(&self) -> bool {
        self.name.contains("approx") || self.name.contains("full")
    }

    /// The bytes of a stored value.
    const fn bytes(&self) -> usize {
        self.width.div_ceil(8) as usize
    }

    /// The bytes of the results of some tuples.
    fn stored_bytes(&self, tuples: usize) -> usize {
        tuples * (self.bytes() + usize::from(self.has_second))
    }

    /// The instructions that set the carry flag from the last source and read it, `add` or `sub`. A subtraction sets the
    /// flag if there is no borrow.
    fn carry(&self) -> Option<(&str, &str)> {
        self.name.split_once('@').and_then(|(_, variant)| variant.split_once(','))
    }

    /// The result as it was recorded: cut to the width of the destination.
    fn result(&self, operation: &ScalarOperation, operands: &Operands, index: usize) -> ScalarResult {
        let mut sources = [0; 4];
        for (position, source) in sources.iter_mut().enumerate().take(operands.count()) {
            *source = operands.source(index, position);
        }
        let (sets, reads) = self.carry().unwrap_or_default();
        let carry = (sources[operands.count() - 1] != 0) != (sets == "sub");
        let result = operation.compute(sources, carry);
        let second = if self.has_second { result.second ^ u64::from(reads == "sub") } else { 0 };
        ScalarResult { value: result.value & (u64::MAX >> (64 - self.width)), second }
    }
}

/// The selectors and signs of operands such as `d.b2 -a.h1 b c`.
fn video_operands(text: &str) -> VideoOperands {
    let mut operands = VideoOperands::default();
    for (position, operand) in text.split(' ').enumerate() {
        let (name, selector) = operand.split_once('.').unwrap_or((operand, ""));
        if position == 0 {
            operands.destination = selector.to_owned();
        } else {
            operands.sources[position - 1] =
                VideoSource { selector: selector.to_owned(), negated: name.starts_with('-') };
        }
    }
    operands
}

/// The forms and their digests and results.
struct Recordings {
    forms: Vec<Form>,
    digests: Vec<u8>,
    edges: Vec<u8>,
    /// All results of the forms that approximate.
    approximate: Vec<u8>,
}

static RECORDINGS: LazyLock<Recordings> = LazyLock::new(|| {
    let folder = support::evidence("scalar");
    let bytes = |name: &str| {
        let mut content = Vec::new();
        let file = std::fs::File::open(folder.join(name)).expect("a recording");
        GzDecoder::new(file).read_to_end(&mut content).expect("a gzip file");
        content
    };
    let forms = support::gunzip(&folder.join("forms.tsv.gz"));
    let forms = forms.lines().map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        Form {
            name: fields[0].to_owned(),
            kinds: fields[1].to_owned(),
            width: fields[2].parse().expect("a width"),
            has_second: fields[3] == "1",
        }
    });
    Recordings {
        forms: forms.collect(),
        digests: bytes("digests.gz"),
        edges: bytes("edges.gz"),
        approximate: bytes("approximate.gz"),
    }
});

/// The digest of a block of results.
fn digest(results: impl Iterator<Item = ScalarResult>) -> u32 {
    let sum = results.enumerate().fold(0_u64, |sum, (index, result)| {
        let mixed = mix(result.value ^ mix(index as u64 + 1) ^ mix(result.second.wrapping_add(0x5EC0)));
        sum.wrapping_add(mixed)
    });
    (sum >> 32) as u32
}

impl Recordings {
    /// The recorded results of some tuples, from their bytes.
    fn stored(form: &Form, bytes: &[u8], tuples: usize, index: usize) -> ScalarResult {
        let size = form.bytes();
        let value =
            bytes[index * size..(index + 1) * size].iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        let second = if form.has_second { bytes[tuples * size + index].into() } else { 0 };
        ScalarResult { value, second }
    }
}

/// What is wrong with a form: the first edge value that differs, or how many blocks do.
fn difference(form: &Form, edges: &[u8], digests: &[u8]) -> Option<String> {
    let operation = form.operation();
    let operands = Operands::new(&form.kinds);
    for index in 0..EDGES {
        let (recorded, computed) =
            (Recordings::stored(form, edges, EDGES, index), form.result(&operation, &operands, index));
        if recorded != computed {
            let sources: Vec<u64> = (0..operands.count()).map(|position| operands.source(index, position)).collect();
            return Some(format!("{}: {sources:x?}: recorded {recorded:x?}, computed {computed:x?}", form.name));
        }
    }
    let size = operands.tuples / BLOCKS;
    let differing = (0..BLOCKS).filter(|block| {
        let results = (block * size..(block + 1) * size).map(|index| form.result(&operation, &operands, index));
        digest(results).to_le_bytes() != digests[block * 4..][..4]
    });
    let count = differing.count();
    (count > 0).then(|| format!("{}: {count} of {BLOCKS} blocks differ", form.name))
}

#[test]
fn every_recorded_result_is_computed() {
    let recordings = &*RECORDINGS;
    let (mut wrong, mut exact, mut at) = (Vec::new(), 0, 0);
    for (form, digests) in recordings.forms.iter().zip(recordings.digests.chunks(BLOCKS * 4)) {
        let edges = &recordings.edges[at..at + form.stored_bytes(EDGES)];
        at += edges.len();
        if form.operation().accuracy() == Accuracy::Exact {
            exact += 1;
            wrong.extend(difference(form, edges, digests));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(exact > 8000, "{exact} forms are exact");
}

/// The number that the bits of a format mean, and an integer with the order of the numbers.
fn ordered(bits: u64, width: u32, is_bf16: bool) -> (f64, i128) {
    let number = match width {
        64 => f64::from_bits(bits),
        32 => f32::from_bits(bits as u32).into(),
        _ if is_bf16 => SmallFloat::Bf16.decode(bits as u16).into(),
        _ => SmallFloat::F16.decode(bits as u16).into(),
    };
    let magnitude = i128::from(bits & ((1 << (width - 1)) - 1));
    (number, if bits >> (width - 1) & 1 != 0 { -magnitude } else { magnitude })
}

#[test]
fn approximations_are_within_their_accuracy() {
    let recordings = &*RECORDINGS;
    let (mut at, mut forms) = (0, 0);
    for form in &recordings.forms {
        let operation = form.operation();
        let (ulps, absolute) = match operation.accuracy() {
            Accuracy::Approximate { ulps, absolute } => (ulps, absolute),
            Accuracy::Exact | Accuracy::Unmeasured => (0, 0.0),
        };
        if !form.is_approximate() {
            continue;
        }
        let operands = Operands::new(&form.kinds);
        let bytes = &recordings.approximate[at..at + form.stored_bytes(operands.tuples)];
        at += bytes.len();
        forms += 1;
        let width = if form.kinds.ends_with("x2") { 16 } else { form.width };
        for index in 0..operands.tuples {
            let recorded = Recordings::stored(form, bytes, operands.tuples, index).value;
            let computed = form.result(&operation, &operands, index).value;
            for shift in (0..form.width).step_by(width as usize) {
                let part =
                    |bits: u64| ordered(bits >> shift & (u64::MAX >> (64 - width)), width, form.kinds.contains("bf16"));
                let ((recorded_number, recorded_order), (number, order)) = (part(recorded), part(computed));
                let close = (recorded_order - order).unsigned_abs() <= u128::from(ulps)
                    || (recorded_number - number).abs() <= absolute;
                assert!(
                    close,
                    "{}: {:x}: recorded {recorded:x}, computed {computed:x}",
                    form.name,
                    operands.source(index, 0)
                );
            }
        }
    }
    assert_eq!(at, recordings.approximate.len());
    assert_eq!(forms, 30);
}

#[test]
fn the_recordings_cover_every_legal_form() {
    let recorded: BTreeSet<&str> =
        RECORDINGS.forms.iter().map(|form| form.name.split('@').next().unwrap_or_default()).collect();
    let mut missing = Vec::new();
    for family in ["arithmetic", "movement", "video"] {
        let listed = support::gunzip(&support::evidence("family").join(family).join("forms.txt.gz"));
        let mut is_legal = false;
        for line in listed.lines() {
            let Some(form) = line.strip_prefix(' ') else {
                is_legal = line.split(' ').any(|target| target == "sm_90");
                continue;
            };
            let words: Vec<&str> = form.split('.').collect();
            let is_scalar =
                !SKIPPED.contains(&words[0]) && !words.iter().any(|word| matches!(*word, "b128" | "v2" | "v4"));
            if is_legal && is_scalar && !recorded.contains(form) {
                missing.push(form.to_owned());
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn a_violation_would_be_detected() {
    let recordings = &*RECORDINGS;
    for (name, other) in
        [("add.rn.f32", "add.rz.f32"), ("mul.hi.u32", "mul.hi.s32"), ("cvt.rzi.s32.f32", "cvt.rmi.s32.f32")]
    {
        let at = recordings.forms.iter().position(|form| form.name == name).expect("a recorded form");
        let form = &recordings.forms[at];
        let wrong = Form { name: other.to_owned(), kinds: form.kinds.clone(), ..*form };
        let edges: usize = recordings.forms[..at].iter().map(|form| form.stored_bytes(EDGES)).sum();
        let digests = &recordings.digests[at * BLOCKS * 4..][..BLOCKS * 4];
        assert_eq!(difference(form, &recordings.edges[edges..], digests), None);
        assert!(difference(&wrong, &recordings.edges[edges..], digests).is_some(), "{other} for {name}");
    }
}
