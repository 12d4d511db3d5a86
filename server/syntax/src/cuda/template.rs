//! The PTX that an `asm` statement stands for: its literals joined, escapes undone, operands as registers, and the map back.
//!
//! Operands keep their names `%0`, `%1`: the assembler's lexer takes them for names, and people know them. Must not know instructions.

use super::lexer::splice;
use super::statement::{AsmOperand, AsmStatement, PartLiteral, Via};
use crate::region::{Piece, Region};
use std::num::NonZeroU32;
use std::ops::Range;

/// A function around the text of a statement.
#[derive(Clone, Debug, Default)]
pub struct Template {
    /// The text of the module.
    pub text: String,
    /// Where it lies in the host text; of what macros stand for, where they are named.
    pub region: Region,
    /// Where the texts of macros lie that are named nowhere else.
    pub definitions: Region,
    /// The byte range in it that the literals give.
    pub body: Range<usize>,
    /// Where in it something is missing that is known to the preprocessor alone, and what that hides.
    pub silences: Vec<(Range<usize>, Silence)>,
    /// Whether there is any hole.
    pub has_hole: bool,
    /// Whether `%` is special, because there are operands.
    pub substitutes: bool,
    /// Where in the host text which operand is named, by its number.
    pub uses: Vec<(Range<usize>, usize)>,
    /// What the compiler refuses of the template, with places in the host text.
    pub mistakes: Vec<(Range<usize>, Mistake)>,
    literals: Vec<PartLiteral>,
}

/// What a hole hides of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// Words of the opcode are missing: only what is wrong with each word alone can be said.
    Opcode,
    /// Operands are missing: only the opcode can be spoken of.
    Operands,
}

/// Something about a `%` that the compiler refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// `%[name]`
    Named,
    /// `%c0`
    Modifier,
    /// `%` at the end.
    Lonely,
}

/// A character of the text that the literals give, or a hole.
#[derive(Clone, Copy, Debug)]
struct Unit {
    what: What,
    outer: Place,
    exact: bool,
    /// Where it is written, if it comes out of a macro that may be changed.
    defined: Option<Place>,
}

/// A byte range of the host text, which is shorter than 4 GB: there is a unit for each character of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    start: u32,
    length: NonZeroU32,
}

impl Place {
    fn new(range: Range<usize>) -> Self {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let length = NonZeroU32::new(number(range.len())).unwrap_or(NonZeroU32::MIN);
        Place { start: number(range.start), length }
    }

    fn end(self) -> usize {
        self.start as usize + self.length.get() as usize
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.end()
    }
}

impl Unit {
    fn whole(what: What, outer: Range<usize>) -> Self {
        Unit { what, outer: Place::new(outer), exact: false, defined: None }
    }

    /// One thing that several are together.
    fn joined(what: What, units: &[Unit]) -> Self {
        let (Some(first), Some(last)) = (units.first(), units.last()) else { return Unit::whole(what, 0..0) };
        let outer = first.outer.start as usize..last.outer.end().max(first.outer.end());
        let runs_on =
            |pair: &[Unit]| pair[0].defined.zip(pair[1].defined).is_some_and(|(a, b)| a.end() == b.start as usize);
        let defined = first.defined.zip(last.defined).filter(|_| units.windows(2).all(runs_on));
        let defined = defined.map(|(first, last)| Place::new(first.start as usize..last.end()));
        Unit { what, outer: Place::new(outer), exact: false, defined }
    }

    /// Where it is best spoken of.
    fn place(self) -> Range<usize> {
        self.defined.unwrap_or(self.outer).range()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Char(char),
    Hole,
    /// One character of an operand's name.
    Operand(char),
}

impl What {
    fn char(self) -> char {
        match self {
            What::Char(c) | What::Operand(c) => c,
            What::Hole => '\u{0}',
        }
    }
}

impl AsmStatement {
    /// What it stands for after a choice among its `#if`s.
    pub fn template(&self, host: &str, choice: &[usize]) -> Template {
        let operands: Vec<&AsmOperand> =
            self.operands.iter().filter(|operand| Self::chosen(choice, &operand.branches)).collect();
        let mut made = Template { substitutes: !operands.is_empty() || self.open, ..Template::default() };
        let chosen = || self.template.iter().filter(|part| Self::chosen(choice, &part.branches));
        let literals = chosen().filter_map(|part| part.literal.as_ref());
        let mut units = Vec::with_capacity(literals.map(|literal| literal.inner.len() + 1).sum());
        for part in chosen() {
            match &part.literal {
                Some(literal) => {
                    let from = units.len();
                    decode(host, literal, &mut units);
                    let through = units[from..].iter_mut().filter(|_| part.via != Via::Itself);
                    for unit in through {
                        let defined = std::mem::replace(&mut unit.outer, Place::new(part.range.clone()));
                        unit.exact = false;
                        unit.defined = (part.via == Via::Macro).then_some(defined);
                    }
                    if part.via != Via::SharedMacro {
                        made.literals.push(literal.clone());
                    }
                }
                None => units.push(Unit::whole(What::Hole, part.range.clone())),
            }
        }
        made.literals.sort_by_key(|literal| literal.inner.start);
        let units = made.substitute(units, &operands);
        made.has_hole = units.iter().any(|unit| unit.what == What::Hole);
        made.put_together(units, &operands);
        made
    }
}

impl Template {
    /// An edit of the module's text as one of the host text; `None` where it cannot be said there.
    pub fn edit(&self, range: &Range<usize>, text: &str) -> Option<(Range<usize>, String)> {
        if range.start < self.body.start || range.end > self.body.end {
            return None;
        }
        let range = self.definitions.editable(range).or_else(|| self.region.editable(range))?;
        let at = self.literals.partition_point(|literal| literal.inner.end < range.start);
        let literal = self
            .literals
            .get(at)
            .filter(|literal| literal.inner.start <= range.start && range.end <= literal.inner.end)?;
        let text = self.percents(text);
        if literal.raw {
            return (!text.contains([')', '"'])).then_some((range, text));
        }
        let mut escaped = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '\n' => escaped += "\\n",
                '\t' => escaped += "\\t",
                '\r' => escaped += "\\r",
                '"' | '\\' => escaped.extend(['\\', c]),
                c => escaped.push(c),
            }
        }
        Some((range, escaped))
    }

    /// A text in which `%` before anything but a number is written as the compiler wants it.
    fn percents(&self, text: &str) -> String {
        if !self.substitutes || !text.contains('%') {
            return text.to_owned();
        }
        let mut written = String::with_capacity(text.len() + 4);
        for (at, c) in text.char_indices() {
            written.push(c);
            if c == '%' && !text[at + 1..].starts_with(|next: char| next.is_ascii_digit()) {
                written.push('%');
            }
        }
        written
    }

    /// Does with `%` what the compiler does.
    fn substitute(&mut self, units: Vec<Unit>, operands: &[&AsmOperand]) -> Vec<Unit> {
        if !self.substitutes {
            return units;
        }
        let mut made = Vec::with_capacity(units.len());
        let mut at = 0;
        while at < units.len() {
            let unit = units[at];
            if unit.what != What::Char('%') {
                made.push(unit);
                at += 1;
                continue;
            }
            let joined = |what: What, end: usize| Unit::joined(what, &units[at..end]);
            match units.get(at + 1).map(|next| next.what) {
                Some(What::Char(c)) if c.is_ascii_digit() => {
                    let mut end = at + 1;
                    let mut number = 0usize;
                    while let Some(digit) = units.get(end).and_then(|unit| unit.what.char().to_digit(10)) {
                        number = number.saturating_mul(10).saturating_add(digit as usize);
                        end += 1;
                    }
                    self.uses.push((joined(What::Hole, end).place(), number));
                    Self::operand(&units[at..end], operands.get(number), &mut made);
                    at = end;
                }
                Some(What::Char(c @ ('%' | '='))) => {
                    let what = What::Char(if c == '=' { '0' } else { '%' });
                    made.push(joined(what, at + 2));
                    at += 2;
                }
                Some(What::Char(c)) if c.is_ascii_alphabetic() => {
                    let digit = units.get(at + 2).is_some_and(|unit| unit.what.char().is_ascii_digit());
                    if digit {
                        self.mistakes.push((joined(What::Hole, at + 3).place(), Mistake::Modifier));
                        made.push(joined(What::Hole, at + 3));
                        at += 3;
                    } else {
                        // A name such as `%laneid` is left as it is.
                        made.push(unit);
                        at += 1;
                    }
                }
                Some(What::Char('[')) => {
                    self.mistakes.push((joined(What::Hole, at + 2).place(), Mistake::Named));
                    made.push(joined(What::Hole, at + 2));
                    at += 2;
                }
                // The compiler takes both away.
                Some(What::Char(_)) => at += 2,
                Some(_) => {
                    // `%` before a macro: whatever comes of it.
                    made.push(Unit { what: What::Hole, ..unit });
                    at += 1;
                }
                None => {
                    self.mistakes.push((unit.place(), Mistake::Lonely));
                    at += 1;
                }
            }
        }
        made
    }

    /// A number behind `%`: a register keeps its name, what is pasted in is a hole.
    fn operand(written: &[Unit], known: Option<&&AsmOperand>, made: &mut Vec<Unit>) {
        let within_word = made.last().is_some_and(|unit| matches!(unit.what, What::Char(c) if is_word(c) || c == '.'));
        let register = known.is_some_and(|operand| operand.register().is_some());
        let pasted = known.is_some_and(|operand| operand.letter() == Some('C')) || (within_word && !register);
        if pasted {
            return made.push(Unit::joined(What::Hole, written));
        }
        // The grammar wants a number behind a sum in an address, and a constant is one.
        let added = made.iter().rev().find(|unit| !unit.what.char().is_whitespace());
        if known.is_some_and(|operand| operand.letter() == Some('n'))
            && added.is_some_and(|unit| matches!(unit.what.char(), '+' | '-'))
        {
            return made.push(Unit::joined(What::Operand('0'), written));
        }
        made.extend(written.iter().map(|unit| Unit { what: What::Operand(unit.what.char()), ..*unit }));
    }

    /// Writes the module down: a head, the registers that the operands are, the text of the literals, and an end.
    fn put_together(&mut self, units: Vec<Unit>, operands: &[&AsmOperand]) {
        let plan = plan(&units);
        let mut writer = Writer::default();
        writer.plain(".address_size 64\n");
        if !plan.outside {
            writer.plain(".func f()\n{\n");
            for (number, operand) in operands.iter().enumerate() {
                if let Some(ty) = operand.register() {
                    // Where an operand is declared is where its constraint is written.
                    writer.plain(".reg ");
                    writer.piece(ty, &operand.constraint_at);
                    writer.plain(" ");
                    writer.piece(&format!("%{number}"), &operand.constraint_at);
                    writer.plain(";\n");
                }
            }
        }
        writer.plain(&"{\n".repeat(plan.missing));
        self.body.start = writer.text.len();
        let mut next = 0;
        for segment in &plan.segments {
            debug_assert_eq!(segment.units.start, next);
            next = segment.units.end;
            let start = writer.text.len();
            match segment.hides {
                Hides::Nothing => units[segment.units.clone()].iter().for_each(|unit| writer.unit(unit)),
                Hides::All => {}
                Hides::Some(silence) => {
                    write_with_holes(&units[segment.units.clone()], silence, &mut writer);
                    self.silences.push((start..writer.text.len(), silence));
                }
            }
        }
        self.body.end = writer.text.len();
        writer.plain("\n");
        writer.plain(&"}\n".repeat(plan.open));
        if !plan.outside {
            writer.plain("}\n");
        }
        self.text = writer.text;
        self.region = Region::new(writer.pieces);
        self.definitions = Region::new(writer.definitions);
    }
}

#[derive(Default)]
struct Writer {
    text: String,
    pieces: Vec<Piece>,
    definitions: Vec<Piece>,
}

impl Writer {
    fn plain(&mut self, text: &str) {
        self.text += text;
    }

    fn piece(&mut self, text: &str, outer: &Range<usize>) {
        let start = self.text.len();
        self.text += text;
        self.pieces.push(Piece { inner: start..self.text.len(), outer: outer.clone(), exact: false });
    }

    fn unit(&mut self, unit: &Unit) {
        let start = self.text.len();
        self.text.push(unit.what.char());
        let inner = start..self.text.len();
        if let Some(place) = unit.defined {
            let outer = place.range();
            self.definitions.push(Piece { exact: inner.len() == outer.len(), inner: inner.clone(), outer });
        }
        let outer = unit.outer.range();
        match self.pieces.last_mut() {
            // A piece for each character of a long literal would take more room than the text.
            Some(last)
                if last.exact && unit.exact && last.inner.end == inner.start && last.outer.end == outer.start =>
            {
                (last.inner.end, last.outer.end) = (inner.end, outer.end);
            }
            _ => self.pieces.push(Piece { inner, outer, exact: unit.exact }),
        }
    }
}

/// What stands for a missing operand; nobody declares it.
const MISSING: &str = "__hole";

/// Writes an instruction that holes are in. A hole in its opcode takes the word along that it is part of.
fn write_with_holes(units: &[Unit], silence: Silence, writer: &mut Writer) {
    let opcode = opcode(units);
    let mut skip = vec![false; units.len()];
    if silence == Silence::Opcode {
        for at in opcode.clone().filter(|at| units[*at].what == What::Hole) {
            skip[at] = true;
            let word = |unit: &Unit| is_word(unit.what.char()) || unit.what == What::Hole || unit.what.char() == ':';
            (at + 1..opcode.end).take_while(|at| word(&units[*at])).for_each(|at| skip[at] = true);
            let before = (opcode.start..at).rev().take_while(|at| word(&units[*at]));
            let first = before.last().unwrap_or(at);
            skip[first..at].fill(true);
            if first > opcode.start && units[first - 1].what.char() == '.' {
                skip[first - 1] = true;
            }
        }
    }
    for (unit, _) in units.iter().zip(&skip).filter(|(_, skip)| !**skip) {
        match unit.what {
            What::Hole => writer.plain(MISSING),
            _ => writer.unit(unit),
        }
    }
}

/// Where the text is cut into statements, and what is to be put around it.
#[derive(Default)]
struct Plan {
    segments: Vec<Segment>,
    /// Blocks that are closed and were opened elsewhere.
    missing: usize,
    /// Blocks that are opened and closed elsewhere.
    open: usize,
    /// It is no part of a function.
    outside: bool,
}

struct Segment {
    units: Range<usize>,
    hides: Hides,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Hides {
    Nothing,
    Some(Silence),
    All,
}

fn plan(units: &[Unit]) -> Plan {
    let mut plan = Plan::default();
    let (mut start, mut at, mut begun, mut depth) = (0, 0, false, 0usize);
    // Behind its first colon a statement has no label any more.
    let mut colon = false;
    let char_at = |at: usize| units.get(at).map_or('\u{0}', |unit| unit.what.char());
    let mut first = true;
    let mut segment = |plan: &mut Plan, range: Range<usize>, ended: bool| {
        let units = &units[range.clone()];
        if first && units.iter().any(|unit| !unit.what.char().is_whitespace()) {
            first = false;
            plan.outside = is_outside(units);
        }
        plan.segments.push(Segment { units: range, hides: hides(units, ended) });
    };
    while at < units.len() {
        match (char_at(at), char_at(at + 1)) {
            ('/', '/') => {
                while at < units.len() && char_at(at) != '\n' {
                    at += 1;
                }
                continue;
            }
            ('/', '*') => {
                at += 2;
                while at < units.len() && (char_at(at), char_at(at + 1)) != ('*', '/') {
                    at += 1;
                }
                at = (at + 2).min(units.len());
                continue;
            }
            (';', _) => {
                segment(&mut plan, start..at + 1, true);
                (start, begun, colon) = (at + 1, false, false);
            }
            ('{', _) if !begun => {
                depth += 1;
                segment(&mut plan, start..at + 1, true);
                start = at + 1;
            }
            ('}', _) if !begun => {
                if depth == 0 {
                    plan.missing += 1;
                } else {
                    depth -= 1;
                }
                segment(&mut plan, start..at + 1, true);
                start = at + 1;
            }
            (':', next) if next != ':' && !colon && is_label(&units[start..at]) => {
                segment(&mut plan, start..at + 1, true);
                (start, begun) = (at + 1, false);
            }
            (c, _) => {
                begun |= !c.is_whitespace();
                colon |= c == ':';
            }
        }
        at += 1;
    }
    if start < units.len() {
        segment(&mut plan, start..units.len(), false);
    }
    plan.open = depth;
    plan
}

/// What holes in a statement hide of it.
fn hides(units: &[Unit], ended: bool) -> Hides {
    if !units.iter().any(|unit| unit.what == What::Hole) {
        return Hides::Nothing;
    }
    let opcode = opcode(units);
    let hole_in = |range: Range<usize>| units[range].iter().any(|unit| unit.what == What::Hole);
    let mnemonic = opcode.start..opcode.clone().find(|at| units[*at].what.char() == '.').unwrap_or(opcode.end);
    // What a macro in front ends or begins, nobody knows; the same goes for directives and what is never ended.
    if !ended || opcode.is_empty() || hole_in(0..mnemonic.end) || units[opcode.start].what.char() == '.' {
        return Hides::All;
    }
    Hides::Some(if hole_in(opcode) { Silence::Opcode } else { Silence::Operands })
}

/// Where the opcode lies in a statement, holes in it included.
fn opcode(units: &[Unit]) -> Range<usize> {
    let blank = |at: usize| units.get(at).is_some_and(|unit| unit.what.char().is_whitespace());
    let mut at = 0;
    loop {
        while blank(at) {
            at += 1;
        }
        match (units.get(at).map(|unit| unit.what), units.get(at + 1).map(|unit| unit.what)) {
            (Some(What::Char('@')), _) => {
                at += 1;
                while blank(at) {
                    at += 1;
                }
                while units.get(at).is_some_and(|unit| !unit.what.char().is_whitespace()) {
                    at += 1;
                }
            }
            (Some(What::Char('/')), Some(What::Char('/'))) => {
                while units.get(at).is_some_and(|unit| unit.what != What::Char('\n')) {
                    at += 1;
                }
            }
            _ => break,
        }
    }
    let part = |unit: &Unit| match unit.what {
        What::Hole => true,
        What::Char(c) => is_word(c) || c == '.' || c == ':',
        What::Operand(_) => false,
    };
    let end = units[at.min(units.len())..].iter().position(|unit| !part(unit)).map_or(units.len(), |end| at + end);
    at.min(end)..end
}

fn is_label(units: &[Unit]) -> bool {
    let text: String = units.iter().map(|unit| unit.what.char()).collect();
    let text = text.trim();
    !text.is_empty() && text.chars().all(|c| is_word(c) || c == '%')
}

/// Whether a text begins with what stands outside functions.
fn is_outside(units: &[Unit]) -> bool {
    let text: String = units.iter().map(|unit| unit.what.char()).collect();
    let word: String = text.trim_start().chars().take_while(|c| is_word(*c) || *c == '.').collect();
    [".visible", ".extern", ".weak", ".func", ".entry", ".global", ".const", ".common", ".alias", ".version", ".target"]
        .contains(&word.as_str())
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// The characters that a literal stands for.
fn decode(host: &str, literal: &PartLiteral, units: &mut Vec<Unit>) {
    let bytes = host.as_bytes();
    let mut at = literal.inner.start;
    let exact = |at: usize, c: char| Unit {
        what: What::Char(c),
        outer: Place::new(at..at + c.len_utf8()),
        exact: true,
        defined: None,
    };
    while at < literal.inner.end {
        let Some(c) = host[at..literal.inner.end].chars().next() else { return };
        if c != '\\' || literal.raw {
            units.push(exact(at, c));
            at += c.len_utf8();
            continue;
        }
        let skipped = splice(bytes, at);
        if skipped > 0 {
            at += skipped;
            continue;
        }
        let (c, length) = escape(&host[at..literal.inner.end]);
        units.push(Unit::whole(What::Char(c), at..at + length));
        at += length;
    }
}

/// The character that an escape stands for, and its length.
fn escape(text: &str) -> (char, usize) {
    let number = |digits: &str, radix: u32, before: usize| {
        let value = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
        (value.unwrap_or(char::REPLACEMENT_CHARACTER), before + digits.len())
    };
    let digits = |from: usize, most: usize, radix: u32| {
        let rest = text.get(from..).unwrap_or_default();
        let length = rest.bytes().take(most).take_while(|byte| char::from(*byte).is_digit(radix)).count();
        &rest[..length]
    };
    let Some(c) = text[1..].chars().next() else { return ('\\', 1) };
    match c {
        'n' => ('\n', 2),
        't' => ('\t', 2),
        'r' => ('\r', 2),
        'a' => ('\u{7}', 2),
        'b' => ('\u{8}', 2),
        'f' => ('\u{c}', 2),
        'v' => ('\u{b}', 2),
        'x' if !digits(2, 8, 16).is_empty() => number(digits(2, 8, 16), 16, 2),
        'u' if digits(2, 4, 16).len() == 4 => number(digits(2, 4, 16), 16, 2),
        'U' if digits(2, 8, 16).len() == 8 => number(digits(2, 8, 16), 16, 2),
        '0'..='7' => number(digits(1, 3, 8), 8, 1),
        c => (c, 1 + c.len_utf8()),
    }
}

#[cfg(test)]
mod tests {
    use crate::cuda::scan;

    /// The body that the only statement of a text stands for.
    fn body(text: &str) -> String {
        let found = scan(text);
        assert_eq!(found.statements.len(), 1, "{text}: {found:?}");
        let template = found.statements[0].template(text, &found.statements[0].choices()[0]);
        template.text[template.body.clone()].to_owned()
    }

    #[test]
    fn literals_become_text_as_the_compiler_makes_them() {
        for (host, inner) in [
            (r#"asm("a;");"#, "a;"),
            (
                r#"asm volatile ("a;\n\t" /* c */ "b" // d
                "\x63;");"#,
                "a;\n\tbc;",
            ),
            ("asm(R\"x(a;\n\"b\";)x\");", "a;\n\"b\";"),
            (r#"__asm__ __volatile__(u8"mov %0, %%r; L%=: // %%" : "=r"(x));"#, "mov %0, %r; L0: // %"),
            (r#"asm("mov %%r, %=;" ::: "memory");"#, "mov %%r, %=;"),
            (r#"asm("mov %00, %1;" : "=r"(x) : "n"(4));"#, "mov %00, %1;"),
            (r#"asm("mov %{%0%}, %_1;" : "=r"(x));"#, "mov %0, 1;"),
            ("#define M asm(\"a \\\n b;\" \\\n \"c;\")\n", "a  b;c;"),
            ("/* asm(\"x\") */ \"asm(1)\" 'a' // asm(\n asm(\"\\101\\060;\")", "A0;"),
            (r#"asm("{ .reg .b32 t; }");"#, "{ .reg .b32 t; }"),
        ] {
            assert_eq!(body(host), inner, "{host}");
        }
    }

    #[test]
    fn what_a_hole_hides_is_left_out() {
        for (host, inner) in [
            (r#"asm("a; atom." TYPE ".b %0; c;" :: "r"(x));"#, "a; atom.b %0; c;"),
            (r#"asm("a; atom.x" #T ".b %0; c;" :: "r"(x));"#, "a; atom.b %0; c;"),
            (r#"asm("a; " MACRO(x, ")") " b; c;");"#, "a; c;"),
            (r#"asm("atom.x " A ", " B "; c;");"#, "atom.x __hole, __hole; c;"),
            (r#"asm(NAME : "=r"(x));"#, ""),
            (r#"asm("red.a%1.x [%0], 1;" :: "l"(x), "C"(y));"#, "red.x [%0], 1;"),
            (r#"asm("red%1.x [%0], 1;" :: "l"(x), "C"(y));"#, ""),
            (r#"asm("@p ld.v%1.x %0;" : "=r"(x) : "n"(4));"#, "@p ld.x %0;"),
        ] {
            assert_eq!(body(host), inner, "{host}");
        }
    }

    #[test]
    fn braces_that_are_closed_elsewhere_are_put_around() {
        let count = |host: &str| {
            let template = scan(host).statements[0].template(host, &[]);
            (template.text.matches('{').count(), template.text.matches('}').count())
        };
        assert_eq!(count(r#"asm("{ .reg .b32 t;");"#), (2, 2));
        assert_eq!(count(r#"asm("} // }");"#), (2, 3));
        assert_eq!(count(r#"asm("mov {a, b}, c; }");"#), (3, 3));
    }

    #[test]
    fn places_go_out_and_edits_are_escaped() {
        let host = r#"asm("a;\n" "bc %%r %0;" : "+r"(x));"#;
        let statement = &scan(host).statements[0];
        let template = statement.template(host, &[]);
        let at = |part: &str| template.body.start + template.text[template.body.clone()].find(part).unwrap();
        let out = |part: &str| &host[template.region.outward(&(at(part)..at(part) + part.len())).unwrap()];
        assert_eq!((out("bc"), out("%r"), out("%0"), out("\n")), ("bc", "%%r", "%0", "\\n"));
        assert_eq!(out("a;\nbc"), "a;\\n\" \"bc");
        assert_eq!(template.edit(&(at("a;")..at("bc") + 2), "x"), None);
        let (range, text) = template.edit(&(at("bc")..at("bc") + 2), "\"%p %1\n").unwrap();
        assert_eq!((&host[range], text.as_str()), ("bc", "\\\"%%p %1\\n"));
        assert_eq!(template.uses.len(), 1);
        let declared = template.text.find(".b32").unwrap();
        assert_eq!(&host[template.region.outward(&(declared..declared + 4)).unwrap()], "\"+r\"");
    }

    #[test]
    fn statements_are_read_whole() {
        let host = r#"
            #if __CUDA_ARCH__ >= 900
            asm volatile("a %0, %1;"
            #ifdef X
              " b;" : "=r"(x)
            #else
              " c;" : "=f"(x)
            #endif
              : "l"(f(a, ")")) , [n] "r"(lambda([]{ return 1; })) : "memory", "cc");
            #endif
            #define ASM(T, ...) asm("x" #T : __VA_ARGS__)
            asm("b" :: OPERANDS(1), "r"(x)); asm(unfinished; asm("c");"#;
        let found = scan(host).statements;
        assert_eq!(found.len(), 5, "{found:#?}");
        let first = &found[0];
        assert!(first.volatile && first.finished && !first.open && first.groups == [2]);
        assert_eq!(first.guard.must.least(), Some(900));
        assert_eq!((first.operands.len(), first.clobbers.len(), first.choices().len()), (4, 2, 2));
        assert_eq!(&host[first.operands[2].expression.clone()], "(f(a, \")\"))");
        assert!(first.operands[3].name.is_some());
        for (choice, register) in first.choices().iter().zip([".b32 %0", ".f32 %0"]) {
            assert!(first.template(host, choice).text.contains(register));
        }
        assert!(found[1].open && found[2].open && !found[3].finished && found[4].finished);
    }

    #[test]
    fn one_end_for_two_beginnings() {
        let host = "#if A\nasm(\"a\"\n#elif B\nasm(\"b\"\n#else\nasm(\"c\"\n#endif\n : : \"r\"(x)); asm(\"d\");\n";
        let found = scan(host).statements;
        let told: Vec<_> = found.iter().map(|one| (one.finished, one.template.len(), one.operands.len())).collect();
        assert_eq!(told, [(true, 1, 1), (true, 1, 1), (true, 1, 1), (true, 1, 0)]);
    }

    #[test]
    fn calls_that_compile_for_some_devices_are_guards() {
        let host = "NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (asm(\"a\");), (asm(\"b\");)) asm(\"c\");
            NV_DISPATCH_TARGET(NV_IS_EXACTLY_SM_80, (asm(\"d\");), NV_IS_HOST, (asm(\"e\");))";
        let found = scan(host).statements;
        let told: Vec<_> = found.iter().map(|one| (one.guard.must.least(), one.guard.may.greatest())).collect();
        assert_eq!(told, [(Some(900), None), (None, Some(899)), (None, None), (Some(800), Some(800)), (None, None)]);
        assert!(found[4].guard.may.is_empty());
    }

    #[test]
    fn nothing_makes_it_panic_or_hang() {
        let pieces = [
            "asm",
            "(",
            "\"",
            "R\"x(",
            "\\",
            "\n",
            "#if 1",
            "\n#else\n",
            "#endif",
            ":",
            "%",
            "é",
            ")",
            ";",
            "'",
            "#define A",
            "[",
            "/*",
            "//",
        ];
        let mut state = 7u64;
        for _ in 0..3000 {
            let mut text = String::new();
            for _ in 0..40 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                text += pieces[(state >> 33) as usize % pieces.len()];
            }
            for statement in scan(&text).statements {
                for choice in statement.choices() {
                    let _ = statement.template(&text, &choice);
                }
            }
        }
        for piece in ["asm(", "asm(\n#else\n", "#if 1\nasm(\n#else\n", "(", "asm(\"\" : [", "NV_IF_TARGET("] {
            let _ = scan(&(piece.repeat(20_000) + "asm"));
        }
    }
}
