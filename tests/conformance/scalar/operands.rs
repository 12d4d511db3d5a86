//! The operand tuples of the recording, the same as `tests/evidence/scalar/operands.py` generates.

/// Tuples of a form; forms with one source of 16 bits have all of its values.
pub const TUPLES: usize = 4096;
const EXHAUSTIVE: usize = 65536;
const PAIRED: usize = 2200;
const STRIDE: usize = 509;
const SEED: u64 = 20261122;

/// The finalizer of splitmix64.
pub fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

fn random_word(index: usize, column: u64) -> u64 {
    mix(((index as u64) << 8 | column).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(SEED))
}

/// A kind of operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Predicate,
    /// A shift or a position.
    Count,
    Integer(u32),
    /// Exponent and fraction bits.
    Float(u32, u32),
}

impl Kind {
    /// The kind, and how many elements a register has.
    fn parse(word: &str) -> (Self, usize) {
        let (element, count) = if let Some(element) = word.strip_suffix("x2") { (element, 2) } else { (word, 1) };
        let kind = match element {
            "pred" => Self::Predicate,
            "count" => Self::Count,
            "f16" => Self::Float(5, 10),
            "bf16" => Self::Float(8, 7),
            "f32" => Self::Float(8, 23),
            "f64" => Self::Float(11, 52),
            integer => Self::Integer(integer[1..].parse().expect("a width")),
        };
        (kind, count)
    }

    fn width(self) -> u32 {
        match self {
            Self::Predicate => 1,
            Self::Count => 32,
            Self::Integer(width) => width,
            Self::Float(exponent, fraction) => 1 + exponent + fraction,
        }
    }

    /// The edge values.
    fn edges(self) -> Vec<u64> {
        let ones = u64::MAX >> (64 - self.width());
        let top = 1_u64 << (self.width() - 1);
        match self {
            Self::Predicate => vec![0, 1],
            Self::Count => vec![
                0,
                1,
                2,
                7,
                8,
                15,
                16,
                17,
                23,
                24,
                31,
                32,
                33,
                47,
                48,
                63,
                64,
                65,
                127,
                128,
                255,
                256,
                257,
                288,
                0xFFFF,
                top - 1,
                top,
                ones - 31,
                ones,
            ],
            Self::Integer(width) => {
                let half = 1 << (width / 2);
                let mut values = vec![0, 1, 2, 3, 7, 8, 0x10, 0x7F, 0x80, 0x81, 0xFF, 0x100 & ones];
                values.extend([half - 1, half, half + 1, top - 2, top - 1, top, top + 1, top + 2]);
                values.extend([ones - half, ones - half + 1, ones - 0x7F, ones - 0x80, ones - 2, ones - 1, ones]);
                values.extend([ones / 3, ones / 3 * 2, ones / 5]);
                let mut unique = Vec::new();
                for value in values {
                    if !unique.contains(&value) {
                        unique.push(value);
                    }
                }
                unique
            }
            Self::Float(exponent_bits, fraction_bits) => {
                let step = 1_u64 << fraction_bits;
                let one = ((1 << (exponent_bits - 1)) - 1) * step;
                let infinity = ((1 << exponent_bits) - 1) * step;
                let quiet = step / 2;
                let positive = [
                    0,
                    1,
                    2,
                    quiet,
                    step - 1,
                    step,
                    step + 1,
                    2 * step,
                    one - step,
                    one - 1,
                    one,
                    one + 1,
                    one + quiet,
                    one + step,
                    one + step + quiet,
                    infinity - 2 * step,
                    infinity - 1,
                    infinity,
                    infinity + 1,
                    infinity + quiet,
                    infinity + quiet + 5,
                    top - 9,
                    top - 1,
                ];
                positive.iter().flat_map(|value| [*value, top | value]).collect()
            }
        }
    }

    /// The edge values for forms with one source: also numbers beside the limits of integers.
    fn unary_edges(self) -> Vec<u64> {
        let mut values = self.edges();
        let Self::Float(exponent_bits, fraction_bits) = self else { return values };
        let (step, bias) = (1_u64 << fraction_bits, (1_i64 << (exponent_bits - 1)) - 1);
        let top = 1_u64 << (self.width() - 1);
        let others = [
            11, 14, 15, 16, 17, 23, 24, 25, 30, 31, 32, 33, 52, 53, 62, 63, 64, 65, 126, 127, -14, -15, -24, -25, -26,
            -126, -127,
        ];
        for power in (-4..9).chain(others) {
            if !(1..2 * bias).contains(&(power + bias)) {
                continue;
            }
            let at = (power + bias) as u64 * step;
            let mut near = vec![at - 2, at - 1, at, at + 1, at + 2, at + step / 4, at + step / 2, at + step / 4 * 3];
            if (0..i64::from(fraction_bits)).contains(&power) {
                let half = step >> (power + 1);
                near.extend([at + step - half, at + half]);
            }
            values.extend(near.iter().flat_map(|value| [*value, top | value]));
        }
        values
    }

    /// A random value; those of one tuple are near each other.
    fn random(self, index: usize, column: u64) -> u64 {
        let (word, choice) = (random_word(index, column), random_word(index, column + 64));
        let mask = u64::MAX >> (64 - self.width());
        match self {
            Self::Predicate => word & 1,
            Self::Count => (word >> 16) % [40, 70, 256, 1 << 32][(choice & 3) as usize],
            Self::Integer(width) => {
                let short = if choice >> 8 & 1 != 0 { choice % u64::from(width) } else { 0 };
                let value = (word & mask) >> short;
                if choice >> 9 & 1 != 0 { !value & mask } else { value }
            }
            Self::Float(exponent_bits, fraction_bits) => {
                let bias = (1_i64 << (exponent_bits - 1)) - 1;
                let sign = word >> 63 << (self.width() - 1);
                let fraction = word & ((1 << fraction_bits) - 1);
                let number = |exponent: i64, fraction: u64| {
                    sign | (exponent.clamp(0, 2 * bias) as u64) << fraction_bits | fraction
                };
                let spread = |range: u64| ((choice >> 8) % range) as i64;
                let shared = (random_word(index, 255) % (2 * bias as u64)) as i64;
                match choice & 3 {
                    0 => word & mask,
                    1 => number(shared + spread(5) - 1, fraction),
                    2 => number(bias - 4 + spread(9), fraction & 7 << (fraction_bits - 3)),
                    _ => number(bias - 16 + spread(33), fraction),
                }
            }
        }
    }
}

/// The sources of a form.
pub struct Operands {
    kinds: Vec<(Kind, usize)>,
    tables: Vec<Vec<u64>>,
    /// The number of tuples.
    pub tuples: usize,
}

impl Operands {
    /// For kinds as in `forms.tsv`.
    pub fn new(kinds: &str) -> Self {
        let kinds: Vec<_> = kinds.split(',').map(Kind::parse).collect();
        let unary = kinds.len() == 1;
        let tables = kinds.iter().map(|(kind, _)| if unary { kind.unary_edges() } else { kind.edges() }).collect();
        let exhaustive = unary && kinds[0].1 == 1 && kinds[0].0.width() == 16;
        Self { kinds, tables, tuples: if exhaustive { EXHAUSTIVE } else { TUPLES } }
    }

    /// The number of sources.
    pub fn count(&self) -> usize {
        self.kinds.len()
    }

    /// One source of one tuple.
    pub fn source(&self, index: usize, position: usize) -> u64 {
        let (kind, elements) = self.kinds[position];
        (0..elements).fold(0, |bits, element| {
            let value = self.element(kind, (index + STRIDE * element) % self.tuples, position);
            bits | value << (kind.width() * element as u32)
        })
    }

    fn element(&self, kind: Kind, index: usize, position: usize) -> u64 {
        if self.tuples == EXHAUSTIVE {
            return index as u64;
        }
        let table = &self.tables[position];
        let unary = self.kinds.len() == 1;
        if index >= if unary { table.len() } else { PAIRED } {
            return kind.random(index, position as u64);
        }
        let at = match position {
            0 => index as u64,
            1 => (index / self.tables[0].len()) as u64,
            _ => random_word(index, position as u64),
        };
        table[(at % table.len() as u64) as usize]
    }
}
