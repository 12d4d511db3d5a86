//! Batch evaluation: one evaluation per line, for millions of lines.
//!
//! Each line has the columns of `eval --batch`. The computation of an instruction is cached, so that each is resolved once.

use crate::evaluate::sass;
use crate::evaluate::{ConstantBits, prepared};
use diagnostics::Settings;
use evaluation::{EvaluationError, Request};
use isa::target::{Target, Version};
use isa::types::Space;
use std::collections::HashMap;
use values::AccessedSpace;
use values::Computation;
use values::hex::{read_hex, write_hex};

/// The most cached instructions, more than there are forms. A full cache is cleared.
const MAX_CACHED: usize = 1 << 16;

/// The longest line that is evaluated, in bytes; longer ones are errors. No instruction with its values comes near.
pub const LONGEST_LINE: usize = 4096;

/// The computation of an instruction, and the bits of b and c that its constants determine.
#[derive(Clone, Copy)]
struct Prepared {
    computation: Computation,
    fixed: [ConstantBits; 2],
}

/// Answers lines `instruction TAB space TAB mem TAB b TAB c`.
pub struct Batch {
    settings: Settings,
    known: HashMap<Vec<u8>, Result<Prepared, String>>,
    /// The key of the previous line and its computation: most lines repeat it.
    last: (Vec<u8>, Result<Prepared, String>),
}

impl Batch {
    /// A batch that checks legality under these settings. The defaults are the newest PTX version and sm_100a.
    pub fn new(settings: Settings) -> Self {
        let target = settings.target.or_else(|| Target::parse("sm_100a"));
        let settings = Settings { target, version: settings.version.or(Some(Version::NEWEST)), ..settings };
        Self { settings, known: HashMap::new(), last: (Vec::new(), Err(missing("instruction"))) }
    }

    /// Appends the answer to one line without its line break: `mem_after TAB d` or `error: …`, and a line break.
    /// Returns whether the line was evaluated.
    pub fn answer(&mut self, line: &[u8], out: &mut Vec<u8>) -> bool {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let start = out.len();
        let result = match line.len() <= LONGEST_LINE {
            true => self.evaluate(line, out),
            false => Err(format!("line is longer than {LONGEST_LINE} bytes")),
        };
        if let Err(reason) = &result {
            out.truncate(start);
            out.extend_from_slice(b"error: ");
            out.extend_from_slice(reason.as_bytes());
        }
        out.push(b'\n');
        result.is_ok()
    }

    fn evaluate(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let end = tab(line, 0).ok_or_else(|| missing("space"))?;
        let end = tab(line, end + 1).unwrap_or(line.len());
        let (key, values) = line.split_at(end);
        let Prepared { computation, fixed } = self.computation(key)?;
        let mut columns = values.split(|&byte| byte == b'\t').skip(1);
        let mut next = || columns.next().unwrap_or(b"-");
        let (memory, b, c) = (next(), next(), next());
        if columns.next().is_some() {
            return Err("more than five columns".to_owned());
        }
        let shape = computation.shape();
        let read = |name: &str, digits: &[u8], wanted: bool| match (digits, wanted) {
            (b"-", true) => Err(missing(name)),
            (b"-", false) => Ok(0),
            (_, false) => Err(format!("unexpected {name}: the instruction has no such operand; write -")),
            (digits, true) => read_hex(digits, shape).map_err(|error| format!("{name}: {error}")),
        };
        let memory = read("mem", memory, true)?;
        let b = read("b", b, computation.takes_b())?;
        let c = read("c", c, computation.takes_c())?;
        for ((name, value), fixed) in [("b", b), ("c", c)].into_iter().zip(fixed) {
            if value & fixed.mask != fixed.bits {
                return Err(format!("{name} conflicts with the instruction"));
            }
        }
        let (after, destination) = computation.apply(memory, b, c);
        write_hex(after, shape, out);
        out.push(b'\t');
        match destination {
            Some(old) => write_hex(old, shape, out),
            None => out.push(b'-'),
        }
        Ok(())
    }

    fn computation(&mut self, key: &[u8]) -> Result<Prepared, String> {
        if self.last.0 != key {
            if self.known.len() >= MAX_CACHED {
                self.known.clear();
            }
            let found = match self.known.get(key) {
                Some(found) => found.clone(),
                None => {
                    let found = prepare(key, &self.settings);
                    // Illegal instructions are not cached: they may be long, and rarely repeat.
                    if found.is_ok() {
                        self.known.insert(key.to_vec(), found.clone());
                    }
                    found
                }
            };
            self.last = (key.to_vec(), found);
        }
        self.last.1.clone()
    }
}

fn tab(line: &[u8], from: usize) -> Option<usize> {
    line[from..].iter().position(|&byte| byte == b'\t').map(|at| from + at)
}

fn missing(what: &str) -> String {
    format!("missing {what}")
}

/// Resolves the first two columns.
fn prepare(key: &[u8], settings: &Settings) -> Result<Prepared, String> {
    let text = std::str::from_utf8(key).map_err(|_| "instruction is not valid UTF-8".to_owned())?;
    let (instruction, space) = text.split_once('\t').ok_or_else(|| missing("space"))?;
    if instruction.trim().is_empty() {
        return Err(missing("instruction"));
    }
    let (is_generic, location) = match space {
        "global" => (false, AccessedSpace::Global),
        "shared" => (false, AccessedSpace::Shared),
        "generic:global" => (true, AccessedSpace::Global),
        "generic:shared" => (true, AccessedSpace::Shared),
        _ => return Err(format!("unknown space `{space}`: write global, shared, generic:global or generic:shared")),
    };
    let request = Request { instruction, generic: Some(location), settings: settings.clone(), ..Request::default() };
    let message = |error| match error {
        EvaluationError::Illegal { code, message } => format!("{code}: {message}"),
        EvaluationError::Invalid(reason) => reason,
    };
    if sass::is_sass(instruction) {
        let computation = sass::computation(&request, location).map_err(message)?;
        return Ok(Prepared { computation, fixed: [ConstantBits::default(); 2] });
    }
    let (resolved, fixed) = prepared(&request).map_err(message)?;
    let named = resolved.space.value;
    // Without a space in the opcode, `global` is the space that the generic address refers to.
    let fits = match named {
        Space::Generic => true,
        Space::Global | Space::SharedCta | Space::SharedCluster => {
            !is_generic && AccessedSpace::of(named, location) == location
        }
    };
    if !fits {
        return Err(format!("space `{space}` conflicts with .{} of the instruction", named.word()));
    }
    let computation = Computation::of(&resolved, location).map_err(|error| error.to_string())?;
    Ok(Prepared { computation, fixed })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(lines: &[&str]) -> Vec<String> {
        let mut batch = Batch::new(Settings::default());
        lines
            .iter()
            .map(|line| {
                let mut out = Vec::new();
                let good = batch.answer(line.as_bytes(), &mut out);
                let text = String::from_utf8(out).expect("answers are text");
                assert_eq!(good, !text.starts_with("error: "), "{line}");
                text.strip_suffix('\n').expect("a line").to_owned()
            })
            .collect()
    }

    #[test]
    fn good_lines() {
        let cases = [
            ("atom.global.add.u32\tglobal\t5\t3\t-", "00000008\t00000005"),
            ("red.global.add.u32\tglobal\tFFFFFFFF\t3\t-", "00000002\t-"),
            ("atom.add.f32\tgeneric:global\t00000001\t00000001\t-", "00000000\t00000001"),
            ("atom.add.f32\tgeneric:shared\t00000001\t00000001\t-", "00000002\t00000001"),
            ("atom.shared.cas.b16\tshared\t0001\t0001\tbeef", "beef\t0001"),
            (
                "atom.global.exch.b128\tglobal\t1\t2\t-",
                "00000000000000000000000000000002\t00000000000000000000000000000001",
            ),
            ("red.global.add.noftz.v2.f16x2\tglobal\t3c003c003c003c00\t3c00000000003c00\t-", "40003c003c004000\t-"),
            ("multimem.st.weak.global.b32\tglobal\t1\t2\t-", "00000002\t-"),
            ("multimem.ld_reduce.weak.global.add.u32\tglobal\t7\t-\t-", "00000007\t00000007"),
            ("red.inc.u32\tglobal\t7\t7", "00000000\t-"),
            ("red.global.add.u32 [a], 3;\tglobal\t5\t3\t-", "00000008\t-"),
        ];
        assert_eq!(answers(&cases.map(|(line, _)| line)), cases.map(|(_, answer)| answer));
    }

    #[test]
    fn bad_lines() {
        let cases = [
            ("", "missing space"),
            ("\tglobal\t1\t2\t-", "missing instruction"),
            ("atom.global.add.u32\tglobal\t-\t3\t-", "missing mem"),
            ("atom.global.add.u32\tglobal\t5", "missing b"),
            ("atom.global.add.u32\tglobal\t5\t0x3\t-", "b: invalid hexadecimal digit `x`"),
            ("atom.global.add.u32\tglobal\t5\t3\t1", "unexpected c: the instruction has no such operand; write -"),
            ("atom.global.cas.b32\tglobal\t5\t3\t-", "missing c"),
            ("atom.global.add.u32\tshared\t5\t3\t-", "space `shared` conflicts with .global of the instruction"),
            (
                "atom.global.add.u32\tgeneric:global\t5\t3\t-",
                "space `generic:global` conflicts with .global of the instruction",
            ),
            ("red.add.v2.f32\tgeneric:shared\t5\t3\t-", "vectors and multimem require global memory"),
            (
                "atom.global.add.u32\tlocal\t5\t3\t-",
                "unknown space `local`: write global, shared, generic:global or generic:shared",
            ),
            ("atom.global.add.u32\tglobal\t5\t3\t-\t-", "more than five columns"),
            ("red.global.add.u32 [a], 3;\tglobal\t5\t4\t-", "b conflicts with the instruction"),
            ("atom.global.cas.b32 d, [a], r, 7\tglobal\t5\t4\t8", "c conflicts with the instruction"),
            ("@!PT RED.ADD [R0], R1\tglobal\t5\t3\t-", "guard @!PT is always false"),
        ];
        assert_eq!(answers(&cases.map(|(line, _)| line)), cases.map(|(_, reason)| format!("error: {reason}")));
        assert!(answers(&["atom.global.or.u32\tglobal\t1\t2\t-"])[0].starts_with("error: illegal-type: "));
    }
}
