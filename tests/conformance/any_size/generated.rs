//! Random kernels: loops, strides, guards, sums that wrap around, shared memory between barriers.

use support::{Rng, pick};

/// The text of a kernel while it grows.
struct GeneratedText<'r> {
    rng: &'r mut Rng,
    lines: String,
    registers: u32,
    labels: u32,
    /// Registers with numbers that may be used.
    numbers: Vec<String>,
    /// How deep the current statement lies in loops and conditions.
    depth: u32,
}

/// The words of each buffer.
pub const BUFFER_WORDS: u32 = 1 << 14;

/// The words of shared memory.
const SHARED_WORDS: u32 = 1024;

/// A kernel `k` with the parameters `a` and `b`, which point to words, and the numbers `n` and `m`.
pub fn kernel(rng: &mut Rng) -> String {
    let directive = *pick(rng, &["", "", "", ".maxntid 64", ".reqntid 32", ".reqntid 40", ".reqntid 8, 4"]);
    let mut text = GeneratedText { rng, lines: String::new(), registers: 20, labels: 0, numbers: Vec::new(), depth: 0 };
    text.begin();
    let statements = text.rng.u32(2..6);
    for _ in 0..statements {
        text.statement();
    }
    let GeneratedText { lines, .. } = text;
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n, .param .u32 m) {directive}\n{{\n\
         .reg .b32 %r<400>;\n.reg .b64 %rd<200>;\n.reg .pred %p<100>;\n.shared .align 4 .b8 tile[{}];\n{lines}ret;\n}}\n",
        4 * SHARED_WORDS
    )
}

impl GeneratedText<'_> {
    fn line(&mut self, line: &str) {
        self.lines.push_str(line);
        self.lines.push('\n');
    }

    fn register(&mut self) -> String {
        self.registers += 1;
        format!("%r{}", self.registers)
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("label{}", self.labels)
    }

    fn begin(&mut self) {
        let special = ["tid.x", "ntid.x", "ctaid.x", "nctaid.x", "tid.y", "ntid.y", "laneid"];
        let used = match self.rng.u32(..6) {
            0 => 7,
            1 => 6,
            2 | 3 => 4,
            4 => 3,
            _ => 2,
        };
        for (number, name) in special[..used].iter().enumerate() {
            self.line(&format!("mov.u32 %r{number}, %{name};"));
            self.numbers.push(format!("%r{number}"));
        }
        for (number, name) in ["n", "m"].iter().enumerate() {
            self.line(&format!("ld.param.u32 %r{}, [{name}];", 8 + number));
            self.numbers.push(format!("%r{}", 8 + number));
        }
        self.line("ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nmov.u32 %r10, tile;\nmov.u64 %rd3, tile;");
        if used > 2 {
            // The index in the grid, which most kernels begin with.
            self.line("mad.lo.s32 %r11, %r2, %r1, %r0;");
            (0..3).for_each(|_| self.numbers.push("%r11".to_owned()));
        }
        (0..3).for_each(|_| self.numbers.push("%r0".to_owned()));
    }

    fn number(&mut self) -> String {
        match self.rng.u32(..8) {
            0 => pick(self.rng, &["0", "1", "2", "3", "4", "7", "31", "32", "-1", "100"]).to_string(),
            _ => pick(self.rng, &self.numbers).clone(),
        }
    }

    /// A register with a sum, product or part of other numbers.
    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 || self.rng.u32(..3) == 0 {
            let number = self.number();
            let to = self.register();
            self.line(&format!("mov.b32 {to}, {number};"));
            return to;
        }
        let (one, other) = (self.expression(depth - 1), self.number());
        let constant = *pick(self.rng, &[1u32, 2, 3, 4, 5, 8, 16]);
        let to = self.register();
        let line = match self.rng.u32(..22) {
            0..=5 => format!("add.s32 {to}, {one}, {other};"),
            6 => format!("sub.s32 {to}, {one}, {other};"),
            7 | 8 => format!("mad.lo.s32 {to}, {one}, {constant}, {other};"),
            9 => format!("mul.lo.s32 {to}, {one}, {other};"),
            10 => format!("shl.b32 {to}, {one}, {};", constant % 6),
            11 => format!("shr.u32 {to}, {one}, {};", constant % 6),
            12 => format!("shr.s32 {to}, {one}, {};", constant % 6),
            13 => format!("and.b32 {to}, {one}, {};", *pick(self.rng, &[31u32, 7, 255, 0xffff_fff0, 12, 1])),
            14 => format!("xor.b32 {to}, {one}, {constant};"),
            15 => format!("xor.b32 {to}, {one}, {other};"),
            16 => format!("or.b32 {to}, {one}, {constant};"),
            17 => format!("rem.u32 {to}, {one}, {};", constant + 1),
            18 => format!("div.u32 {to}, {one}, {};", constant + 1),
            19 => format!("min.s32 {to}, {one}, {other};"),
            20 => format!("max.u32 {to}, {one}, {other};"),
            _ => format!("not.b32 {to}, {one};"),
        };
        self.line(&line);
        to
    }

    /// An index that mostly differs from thread to thread.
    fn index(&mut self) -> String {
        match self.rng.u32(..4) {
            0 => self.expression(3),
            1 => self.expression(1),
            _ => {
                let number = pick(self.rng, &self.numbers).clone();
                let to = self.register();
                let factor = *pick(self.rng, &[1u32, 1, 1, 2, 3]);
                let offset = self.rng.u32(..4) / 2;
                self.line(&format!("mad.lo.s32 {to}, {number}, {factor}, {offset};"));
                to
            }
        }
    }

    /// An address in one of the buffers.
    fn global(&mut self) -> String {
        let index = self.index();
        let base = 1 + self.rng.u32(..3) / 2;
        self.registers += 1;
        let (wide, sum) = (self.registers % 90 + 10, self.registers % 90 + 105);
        let line = match self.rng.u32(..5) {
            0 | 1 => format!("mul.wide.s32 %rd{wide}, {index}, 4;"),
            2 => format!("mul.wide.u32 %rd{wide}, {index}, 4;"),
            3 => format!("shl.b32 {index}, {index}, 2;\ncvt.u64.u32 %rd{wide}, {index};"),
            _ => format!("cvt.s64.s32 %rd{wide}, {index};\nshl.b64 %rd{wide}, %rd{wide}, 2;"),
        };
        self.line(&format!("{line}\nadd.s64 %rd{sum}, %rd{base}, %rd{wide};"));
        let offset = *pick(self.rng, &["", "", "", "+4", "-4"]);
        format!("[%rd{sum}{offset}]")
    }

    /// An address in shared memory.
    fn shared(&mut self) -> String {
        let index = self.index();
        if self.rng.bool() {
            self.line(&format!("and.b32 {index}, {index}, {};", SHARED_WORDS - 1));
        }
        let to = self.register();
        self.line(&format!("shl.b32 {index}, {index}, 2;\nadd.s32 {to}, %r10, {index};"));
        format!("[{to}]")
    }

    fn access(&mut self) {
        let (space, address) = if self.rng.bool() { ("global", self.global()) } else { ("shared", self.shared()) };
        let to = self.register();
        let line = match self.rng.u32(..9) {
            0..=3 => format!("st.{space}.u32 {address}, %r0;"),
            4..=6 => format!("ld.{space}.u32 {to}, {address};"),
            7 => format!("red.{space}.add.u32 {address}, 1;"),
            _ => format!("st.{space}.u8 {address}, %r0;"),
        };
        self.line(&line);
    }

    fn predicate(&mut self) -> String {
        let (one, other) = (self.number(), self.number());
        let one = if one.starts_with('%') { one } else { "%r0".to_owned() };
        self.labels += 1;
        let (order, ty) = (*pick(self.rng, &["lt", "ge", "eq", "ne", "le", "gt"]), *pick(self.rng, &["s32", "u32"]));
        let predicate = format!("%p{}", self.labels % 99);
        self.line(&format!("setp.{order}.{ty} {predicate}, {one}, {other};"));
        predicate
    }

    fn statement(&mut self) {
        match self.rng.u32(..12) {
            0..=4 => self.access(),
            5 | 6 if self.depth == 0 || self.rng.u32(..3) == 0 => self.line("bar.sync 0;"),
            7 => {
                let predicate = self.predicate();
                self.line(&format!("@{predicate} ret;"));
            }
            8 | 9 if self.depth < 2 => self.condition(),
            10 | 11 if self.depth < 2 => self.repetition(),
            _ => self.access(),
        }
    }

    fn condition(&mut self) {
        let predicate = self.predicate();
        let after = self.label();
        self.line(&format!("@{predicate} bra {after};"));
        self.body();
        self.line(&format!("{after}:"));
    }

    fn body(&mut self) {
        self.depth += 1;
        let known = self.numbers.len();
        let statements = self.rng.u32(1..4);
        for _ in 0..statements {
            self.statement();
        }
        self.numbers.truncate(known);
        self.depth -= 1;
    }

    /// A loop that ends after few iterations, whatever the numbers are.
    fn repetition(&mut self) {
        let (first, step) = (self.number(), self.number());
        let (bound, counter, variable) = (self.number(), self.register(), self.register());
        let (begin, end) = (self.label(), self.label());
        self.line(&format!("mov.b32 {variable}, {first};\nmov.b32 {counter}, 0;\n{begin}:"));
        self.labels += 1;
        let predicate = format!("%p{}", self.labels % 99);
        let order = *pick(self.rng, &["ge.s32", "ge.u32", "gt.s32", "eq.s32"]);
        self.line(&format!("setp.{order} {predicate}, {variable}, {bound};\n@{predicate} bra {end};"));
        let known = self.numbers.len();
        (0..4).for_each(|_| self.numbers.push(variable.clone()));
        self.body();
        self.numbers.truncate(known);
        let change = match self.rng.u32(..6) {
            0 => format!("shl.b32 {variable}, {variable}, 1;"),
            1 => format!("shr.u32 {variable}, {variable}, 1;"),
            _ => format!("add.s32 {variable}, {variable}, {step};"),
        };
        self.line(&change);
        self.labels += 1;
        let limit = format!("%p{}", self.labels % 99);
        self.line(&format!(
            "add.s32 {counter}, {counter}, 1;\nsetp.lt.u32 {limit}, {counter}, 9;\n@{limit} bra {begin};\n{end}:"
        ));
    }
}
