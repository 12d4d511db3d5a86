//! One pass over a function that looks every word of its instructions up, where it stands.

use super::broken::{self, Broken};
use super::reaching::Reaching;
use super::{Flow, FlowLine, FlowSymbol, LineText, Mention};
use foldhash::{HashMap, HashSet};
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use syntax::{
    BrokenStatement, DeclarationKind, Instruction, Item, LintFile, Names, RopeReader, Token, WalkEvent, is_name_char,
};

/// Mnemonics that write what stands first, without reading it.
const WRITERS: [&str; 48] = [
    "abs",
    "activemask",
    "add",
    "addc",
    "and",
    "atom",
    "bfe",
    "bfi",
    "bfind",
    "brev",
    "clz",
    "copysign",
    "cos",
    "cvt",
    "cvta",
    "div",
    "ex2",
    "fma",
    "isspacep",
    "ld",
    "ldu",
    "lg2",
    "lop3",
    "mad",
    "mapa",
    "max",
    "min",
    "mov",
    "mul",
    "neg",
    "not",
    "or",
    "popc",
    "prmt",
    "rcp",
    "rem",
    "rsqrt",
    "selp",
    "set",
    "setp",
    "shf",
    "shfl",
    "shl",
    "shr",
    "sin",
    "sqrt",
    "sub",
    "xor",
];

/// Mnemonics that read what stands first.
const READERS: [&str; 5] = ["bra", "brx", "nanosleep", "red", "st"];

/// Whether an instruction of this mnemonic only fills registers: it touches no memory, and orders nothing.
pub(super) fn fills_registers(mnemonic: &str) -> bool {
    WRITERS.binary_search(&mnemonic).is_ok() && !matches!(mnemonic, "atom" | "ld" | "ldu" | "shfl")
}

/// What a name was found to mean in the scopes of the moment.
type ResolvedNames<'a> = HashMap<Cow<'a, str>, Option<u32>>;

struct Builder<'n, 'a> {
    flow: Flow<'a>,
    names: Names<'a>,
    outside: &'n Names<'a>,
    known: ResolvedNames<'a>,
    /// Symbols by the place of their declaration, and the name for the members of a range.
    declared: HashMap<(usize, Cow<'a, str>), u32>,
    /// The scope of each label and the step behind it; `None` where one name stands at several.
    labels: HashMap<(u32, Cow<'a, str>), Option<usize>>,
    /// The scope around each scope.
    around: Vec<u32>,
    scope: u32,
    /// The branches, each with its scope and the label that it names.
    branches: Vec<(usize, u32, Option<Cow<'a, str>>)>,
    labelled: bool,
    /// The statements with a syntax error that were not met yet, in order.
    broken: &'n [BrokenStatement],
    /// Names that a broken statement may declare.
    hidden: HashSet<&'n str>,
    /// Whether the body has begun.
    inside: bool,
}

/// The scope around a function.
const OUTSIDE: u32 = u32::MAX;

/// In how many scopes, from the inside out, a label is looked for.
const DEEP: usize = 64;

impl<'a> Flow<'a> {
    /// Follows a function; `outside` knows the names of the module, `atomics` the legal atomics by their places, and
    /// `broken` the statements with a syntax error, both in order.
    pub(crate) fn new(
        file: &'a LintFile,
        item: &Item<'a>,
        outside: &Names<'a>,
        module: isa::Module,
        atomics: Vec<(usize, isa::ResolvedInstruction)>,
        broken: &[BrokenStatement],
    ) -> Self {
        let mut reader = RopeReader::new(file.text());
        let name = item.declarations().first().map_or(item.range().start, |function| function.name.range.start);
        let flow = Flow {
            module,
            entry: reader.read(item.range().start..name).text.contains(".entry"),
            lines: Vec::new(),
            symbols: Vec::new(),
            mentions: Vec::new(),
            writes: OnceCell::new(),
            targets: Vec::new(),
            jumps_anywhere: false,
            has_broken: !broken.is_empty(),
            atomics: Vec::with_capacity(atomics.len()),
            parameters: Vec::new(),
            reaching: Reaching::default(),
            places: RefCell::default(),
        };
        let mut builder = Builder {
            flow,
            names: Names::default(),
            outside,
            known: HashMap::default(),
            declared: HashMap::default(),
            labels: HashMap::default(),
            around: vec![OUTSIDE],
            scope: 0,
            branches: Vec::new(),
            labelled: false,
            broken,
            hidden: broken.iter().filter(|one| broken::may_declare(one)).flat_map(BrokenStatement::words).collect(),
            inside: false,
        };
        let mut atomics = atomics.into_iter().peekable();
        item.walk(|event| {
            builder.pass_broken(&event);
            builder.follow(&event);
            if let WalkEvent::Instruction(instruction) = event {
                let range = instruction.range();
                let legal = atomics.next_if(|(place, _)| *place == range.start);
                if builder.broken.first().is_some_and(|broken| broken.range.start <= range.start) {
                    return;
                }
                if let Some((_, legal)) = legal {
                    builder.flow.atomics.push((builder.flow.lines.len(), legal));
                }
                builder.line(instruction, reader.read(range));
            }
        });
        builder.pass_broken_before(usize::MAX);
        builder.link();
        builder.flow
    }
}

impl<'a> Builder<'_, 'a> {
    fn follow(&mut self, event: &WalkEvent<'a>) {
        match event {
            WalkEvent::Declare(label) if label.kind == DeclarationKind::Label => {
                let at = self.flow.lines.len();
                let place = self.labels.entry((self.scope, label.name.text.clone()));
                place.and_modify(|known| *known = None).or_insert(Some(at));
                self.labelled = true;
            }
            WalkEvent::Declare(_) | WalkEvent::Leave => {
                match event {
                    WalkEvent::Declare(parameter) if !self.inside => {
                        self.flow.parameters.push(parameter.name.range.start);
                    }
                    WalkEvent::Leave => self.scope = self.around.get(self.scope as usize).copied().unwrap_or(OUTSIDE),
                    _ => {}
                }
                self.names.follow(event);
                self.known.clear();
            }
            _ => {
                if matches!(event, WalkEvent::EnterBlock | WalkEvent::EnterFunction) {
                    self.around.push(self.scope);
                    self.scope = self.around.len() as u32 - 1;
                }
                self.inside |= matches!(event, WalkEvent::EnterBlock);
                self.names.follow(event);
            }
        }
    }

    /// Takes up the broken statements that end before what is met.
    fn pass_broken(&mut self, event: &WalkEvent<'a>) {
        match event {
            WalkEvent::Instruction(instruction) => self.pass_broken_before(instruction.range().start),
            WalkEvent::Declare(declaration) => self.pass_broken_before(declaration.name.range.start),
            WalkEvent::EnterFunction | WalkEvent::EnterBlock | WalkEvent::Leave => {}
        }
    }

    fn pass_broken_before(&mut self, place: usize) {
        while let Some((first, rest)) = self.broken.split_first()
            && first.range.end <= place
        {
            self.broken = rest;
            self.broken_line(first);
        }
    }

    fn broken_line(&mut self, statement: &BrokenStatement) {
        let mentions = self.flow.mentions.len() as u32;
        for name in statement.words() {
            self.mention(Cow::Owned(name.to_owned()), (true, true));
        }
        let is_register = |name: &str| self.known.get(name).is_some_and(Option::is_some);
        let broken = Broken::of(statement, is_register);
        let anything = broken == Broken::Anything;
        self.flow.jumps_anywhere |= anything;
        let range = statement.range.clone();
        self.flow.lines.push(FlowLine {
            opcode: Token { text: Cow::Borrowed(""), range: range.start..range.start },
            text: LineText::Broken(broken, range),
            mnemonic: 0,
            // It is not certain that it does what its words say.
            guarded: true,
            negated: false,
            labelled: std::mem::take(&mut self.labelled) | anything,
            mentions,
            step: OnceCell::new(),
        });
    }

    /// Says where branches lead, once all labels are known. A label that none leads to, such as those of debug information, is no place
    /// where ways meet.
    fn link(&mut self) {
        let flow = &mut self.flow;
        for (at, scope, name) in &self.branches {
            let mut scopes = std::iter::successors(Some(*scope), |scope| self.around.get(*scope as usize).copied());
            let read = name.as_ref().filter(|name| !is_hidden(&self.hidden, name));
            let target = read.and_then(|name| {
                let found = scopes.by_ref().take(DEEP).find_map(|scope| self.labels.get(&(scope, name.clone())));
                found.copied().flatten()
            });
            flow.jumps_anywhere |= target.is_none();
            flow.targets.push((*at, target));
        }
        if !flow.jumps_anywhere {
            flow.lines.iter_mut().for_each(|line| line.labelled = false);
            for (_, target) in &flow.targets {
                if let Some(line) = target.and_then(|target| flow.lines.get_mut(target)) {
                    line.labelled = true;
                }
            }
        }
    }

    fn line(&mut self, instruction: Instruction<'a>, whole: Token<'a>) {
        let opcode = instruction.opcode_token();
        let (first, mentions) = (whole.range.start, self.flow.mentions.len() as u32);
        let (opcode_at, operands_at) = (opcode.range.start - first, opcode.range.end - first);
        self.words(&whole, 0..opcode_at, |_| (false, true));
        let mnemonic = opcode.text.split('.').next().unwrap_or_default().trim_end();
        let reads_first = READERS.contains(&mnemonic);
        let only_writes = WRITERS.binary_search(&mnemonic).is_ok();
        self.words(&whole, operands_at..whole.text.len(), |first| match first {
            true => (!reads_first, reads_first || !only_writes),
            false => (false, true),
        });
        let labelled = std::mem::take(&mut self.labelled);
        let (guarded, negated) = (opcode_at > 0, instruction.is_negated());
        match mnemonic {
            "bra" => {
                let label = instruction.operands().into_iter().next().map(|operand| operand.token.text);
                self.branches.push((self.flow.lines.len(), self.scope, label));
            }
            "brx" => self.flow.jumps_anywhere = true,
            _ => {}
        }
        let mnemonic = mnemonic.len();
        let text = LineText::Instruction(instruction);
        let line = FlowLine { text, opcode, mnemonic, guarded, negated, labelled, mentions, step: OnceCell::new() };
        self.flow.lines.push(line);
    }

    /// Takes up the names in a part of an instruction; `how` says whether one in the first operand, outside an address, or elsewhere is
    /// written and read.
    fn words(&mut self, whole: &Token<'a>, part: std::ops::Range<usize>, how: impl Fn(bool) -> (bool, bool)) {
        let (bytes, end) = (whole.text.as_bytes(), part.end);
        let is_word = |byte: u8| is_name_char(char::from(byte));
        let (mut at, mut first, mut address, mut depth) = (part.start, true, false, 0usize);
        while at < end {
            let byte = bytes[at];
            if is_word(byte) {
                let start = at;
                while at < end && is_word(bytes[at]) {
                    at += 1;
                }
                let selector = start > 0 && bytes[start - 1] == b'.';
                if !byte.is_ascii_digit() && !selector {
                    let name = match &whole.text {
                        Cow::Borrowed(text) => Cow::Borrowed(&text[start..at]),
                        Cow::Owned(text) => Cow::Owned(text[start..at].to_owned()),
                    };
                    self.mention(name, how(first && !address));
                }
                continue;
            }
            match byte {
                b'[' => address = true,
                b']' => address = false,
                b'{' | b'(' => depth += 1,
                b'}' | b')' => depth = depth.saturating_sub(1),
                b',' if depth == 0 && !address => first = false,
                b'/' | b'#' if byte == b'#' || bytes.get(at + 1) == Some(&b'/') => {
                    at += bytes[at..end].iter().position(|byte| *byte == b'\n').unwrap_or(end - at);
                }
                b'/' if bytes.get(at + 1) == Some(&b'*') => {
                    at += 2 + bytes[at + 2..end].windows(2).position(|two| two == b"*/").unwrap_or(end - at - 2);
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn mention(&mut self, name: Cow<'a, str>, (writes, reads): (bool, bool)) {
        let symbol = match self.known.get(&name) {
            Some(known) => *known,
            None => {
                let symbol = self.symbol(name.clone());
                self.known.insert(name, symbol);
                symbol
            }
        };
        let Some(symbol) = symbol else { return };
        let found = &mut self.flow.symbols[symbol as usize];
        found.writes += u32::from(writes);
        found.reads += u32::from(reads);
        self.flow.mentions.push(Mention { symbol, writes, reads });
    }

    fn symbol(&mut self, name: Cow<'a, str>) -> Option<u32> {
        if is_hidden(&self.hidden, &name) {
            return None;
        }
        let declaration = self.names.find(&name).or_else(|| self.outside.find(&name))?;
        if !matches!(declaration.kind, DeclarationKind::Register | DeclarationKind::Variable) {
            return None;
        }
        let next = self.flow.symbols.len() as u32;
        let symbol = *self.declared.entry((declaration.name.range.start, name.clone())).or_insert(next);
        if symbol == next {
            let declaration = declaration.clone();
            self.flow.symbols.push(FlowSymbol { name, declaration, writes: 0, reads: 0 });
        }
        Some(symbol)
    }
}

/// Whether a name, or the range that it is a member of, is hidden.
fn is_hidden(hidden: &HashSet<&str>, name: &str) -> bool {
    hidden.contains(name) || hidden.contains(name.trim_end_matches(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mnemonics_are_ordered() {
        assert!(WRITERS.is_sorted());
    }
}
