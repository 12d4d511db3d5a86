//! Builds the data flow of a function in one walk that resolves the names in each instruction.

use super::broken_statement::{self, BrokenEffect};
use super::reaching::Reaching;
use super::writers::WRITERS;
use super::{Flow, FlowSymbol, InstructionSlot, SlotContent, SymbolUse};
use crate::spellings::SpellingCache;
use foldhash::{HashMap, HashSet};
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use syntax::{
    BrokenStatement, DeclarationKind, Instruction, Item, LintFile, Names, RopeReader, Token, WalkEvent, is_name_char,
};

/// Mnemonics that read their first operand.
const READERS: [&str; 5] = ["bra", "brx", "nanosleep", "red", "st"];

/// Whether instructions with this mnemonic only write registers: they neither access nor order memory.
pub(super) fn fills_registers(mnemonic: &str) -> bool {
    WRITERS.binary_search(&mnemonic).is_ok() && !matches!(mnemonic, "atom" | "ld" | "ldu" | "shfl")
}

/// The symbols of names in the current scopes.
type ResolvedNames<'a> = HashMap<Cow<'a, str>, Option<u32>>;

struct Builder<'n, 'a> {
    flow: Flow<'a>,
    names: Names<'a>,
    outside: &'n Names<'a>,
    known: ResolvedNames<'a>,
    /// Symbols by the offset of their declaration, and by name for the members of a range.
    declared: HashMap<(usize, Cow<'a, str>), u32>,
    /// The instruction after each label, by scope; `None` for duplicate labels.
    labels: HashMap<(u32, Cow<'a, str>), Option<usize>>,
    /// The enclosing scope of each scope.
    parents: Vec<u32>,
    scope: u32,
    /// The branches, each with its scope and its label.
    branches: Vec<(usize, u32, Option<Cow<'a, str>>)>,
    /// Whether a label precedes the next instruction.
    pending_label: bool,
    /// The broken statements after the current position, in order.
    broken: &'n [BrokenStatement],
    /// The names that a broken statement may declare.
    hidden: HashSet<&'n str>,
    /// Whether the walk is inside the body.
    inside: bool,
}

/// The scope that encloses the function.
const OUTSIDE: u32 = u32::MAX;

/// The maximum number of scopes to search for a label, innermost first.
const MAX_SCOPES: usize = 64;

impl<'a> Flow<'a> {
    /// Builds the data flow of a function. `outside` holds the names of the module, `atomics` the legal atomics by their offsets, and
    /// `broken` the statements with a syntax error, both in order.
    pub(crate) fn new(
        file: &'a LintFile,
        item: &Item<'a>,
        outside: &Names<'a>,
        (module, spellings): (isa::Module, &Rc<SpellingCache>),
        atomics: Vec<(usize, isa::ResolvedInstruction)>,
        broken: &[BrokenStatement],
    ) -> Self {
        let mut reader = RopeReader::new(file.text());
        let name = item.declarations().first().map_or(item.range().start, |function| function.name.range.start);
        let is_entry = reader.read(item.range().start..name).text.contains(".entry");
        let flow = Flow::empty((module, spellings.clone()), is_entry, !broken.is_empty(), atomics.len());
        let mut builder = Builder::new(flow, outside, broken);
        let mut atomics = atomics.into_iter().peekable();
        item.walk(|event| {
            builder.record_broken(&event);
            builder.follow(&event);
            if let WalkEvent::Instruction(instruction) = event {
                let range = instruction.range();
                let legal = atomics.next_if(|(place, _)| *place == range.start);
                if builder.broken.first().is_some_and(|broken| broken.range.start <= range.start) {
                    return;
                }
                if let Some((_, legal)) = legal {
                    builder.flow.atomics.push((builder.flow.slots.len(), legal));
                }
                builder.add_instruction(instruction);
            }
        });
        builder.record_broken_before(usize::MAX);
        builder.link();
        builder.flow
    }

    fn empty(
        (module, spellings): (isa::Module, Rc<SpellingCache>),
        is_entry: bool,
        has_broken_statement: bool,
        atomics: usize,
    ) -> Self {
        Flow {
            module,
            spellings,
            entry: is_entry,
            slots: Vec::new(),
            symbols: Vec::new(),
            uses: Vec::new(),
            writes: OnceCell::new(),
            targets: Vec::new(),
            has_unknown_branch: false,
            has_broken_statement,
            atomics: Vec::with_capacity(atomics),
            parameters: Vec::new(),
            reaching: Reaching::default(),
            provenances: RefCell::default(),
        }
    }
}

impl<'n, 'a> Builder<'n, 'a> {
    fn new(flow: Flow<'a>, outside: &'n Names<'a>, broken: &'n [BrokenStatement]) -> Self {
        let declaring = broken.iter().filter(|statement| broken_statement::may_declare(statement));
        Builder {
            flow,
            names: Names::default(),
            outside,
            known: HashMap::default(),
            declared: HashMap::default(),
            labels: HashMap::default(),
            parents: vec![OUTSIDE],
            scope: 0,
            branches: Vec::new(),
            pending_label: false,
            broken,
            hidden: declaring.flat_map(BrokenStatement::words).collect(),
            inside: false,
        }
    }
}

impl<'a> Builder<'_, 'a> {
    fn follow(&mut self, event: &WalkEvent<'a>) {
        match event {
            WalkEvent::Declare(label) if label.kind == DeclarationKind::Label => {
                let at = self.flow.slots.len();
                let place = self.labels.entry((self.scope, label.name.text.clone()));
                place.and_modify(|known| *known = None).or_insert(Some(at));
                self.pending_label = true;
            }
            WalkEvent::Declare(_) | WalkEvent::Leave => {
                match event {
                    WalkEvent::Declare(parameter) if !self.inside => {
                        self.flow.parameters.push(parameter.name.range.start);
                    }
                    WalkEvent::Leave => self.scope = self.parents.get(self.scope as usize).copied().unwrap_or(OUTSIDE),
                    _ => {}
                }
                self.names.follow(event);
                self.known.clear();
            }
            _ => {
                if matches!(event, WalkEvent::EnterBlock | WalkEvent::EnterFunction) {
                    self.parents.push(self.scope);
                    self.scope = self.parents.len() as u32 - 1;
                }
                self.inside |= matches!(event, WalkEvent::EnterBlock);
                self.names.follow(event);
            }
        }
    }

    /// Adds the broken statements that end before the event.
    fn record_broken(&mut self, event: &WalkEvent<'a>) {
        match event {
            WalkEvent::Instruction(instruction) => self.record_broken_before(instruction.range().start),
            WalkEvent::Declare(declaration) => self.record_broken_before(declaration.name.range.start),
            WalkEvent::EnterFunction | WalkEvent::EnterBlock | WalkEvent::Leave => {}
        }
    }

    fn record_broken_before(&mut self, place: usize) {
        while let Some((first, rest)) = self.broken.split_first()
            && first.range.end <= place
        {
            self.broken = rest;
            self.add_broken_statement(first);
        }
    }

    fn add_broken_statement(&mut self, statement: &BrokenStatement) {
        let uses = self.flow.uses.len() as u32;
        for name in statement.words() {
            self.record_use(Cow::Owned(name.to_owned()), (true, true));
        }
        let is_register = |name: &str| self.known.get(name).is_some_and(Option::is_some);
        let broken = BrokenEffect::of(statement, is_register);
        let anything = broken == BrokenEffect::Anything;
        self.flow.has_unknown_branch |= anything;
        let range = statement.range.clone();
        self.flow.slots.push(InstructionSlot {
            opcode: Token { text: Cow::Borrowed(""), range: range.start..range.start },
            content: SlotContent::Broken(broken, range),
            mnemonic_length: 0,
            // Its effects are not certain.
            guarded: true,
            negated: false,
            is_branch_target: std::mem::take(&mut self.pending_label) | anything,
            uses,
            instruction: OnceCell::new(),
        });
    }

    /// Resolves the targets of branches. A label without a branch, for example for debug information, is not a branch target.
    fn link(&mut self) {
        let flow = &mut self.flow;
        for (at, scope, name) in &self.branches {
            let mut scopes = std::iter::successors(Some(*scope), |scope| self.parents.get(*scope as usize).copied());
            let read = name.as_ref().filter(|name| !is_hidden(&self.hidden, name));
            let target = read.and_then(|name| {
                let found = scopes.by_ref().take(MAX_SCOPES).find_map(|scope| self.labels.get(&(scope, name.clone())));
                found.copied().flatten()
            });
            flow.has_unknown_branch |= target.is_none();
            flow.targets.push((*at, target));
        }
        if !flow.has_unknown_branch {
            flow.slots.iter_mut().for_each(|slot| slot.is_branch_target = false);
            for (_, target) in &flow.targets {
                if let Some(slot) = target.and_then(|target| flow.slots.get_mut(target)) {
                    slot.is_branch_target = true;
                }
            }
        }
    }

    fn add_instruction(&mut self, instruction: Instruction<'a>) {
        let (whole, opcode) = (instruction.token(), instruction.opcode_token());
        let (first, uses) = (whole.range.start, self.flow.uses.len() as u32);
        let (opcode_at, operands_at) = (opcode.range.start - first, opcode.range.end - first);
        self.words(&whole, 0..opcode_at, |_| (false, true));
        let mnemonic = opcode.text.split('.').next().unwrap_or_default().trim_end();
        let reads_first = READERS.contains(&mnemonic);
        let only_writes = WRITERS.binary_search(&mnemonic).is_ok();
        self.words(&whole, operands_at..whole.text.len(), |first| {
            if first { (!reads_first, reads_first || !only_writes) } else { (false, true) }
        });
        let is_branch_target = std::mem::take(&mut self.pending_label);
        let guarded = opcode_at > 0;
        let negated = guarded && instruction.is_negated();
        match mnemonic {
            "bra" => {
                let label = instruction.operands().into_iter().next().map(|operand| operand.token.text);
                self.branches.push((self.flow.slots.len(), self.scope, label));
            }
            "brx" => self.flow.has_unknown_branch = true,
            _ => {}
        }
        let mnemonic_length = mnemonic.len();
        let content = SlotContent::Instruction(instruction);
        self.flow.slots.push(InstructionSlot {
            content,
            opcode,
            mnemonic_length,
            guarded,
            negated,
            is_branch_target,
            uses,
            instruction: OnceCell::new(),
        });
    }

    /// Records the names in a part of an instruction. `how` gives the access of a name in the first operand outside of brackets (`true`),
    /// or elsewhere (`false`).
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
                    self.record_use(name, how(first && !address));
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

    fn record_use(&mut self, name: Cow<'a, str>, (writes, reads): (bool, bool)) {
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
        self.flow.uses.push(SymbolUse { symbol, writes, reads });
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

/// Whether a broken statement may declare a name, or the register range that it is a member of.
fn is_hidden(hidden: &HashSet<&str>, name: &str) -> bool {
    hidden.contains(name) || hidden.contains(name.trim_end_matches(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mnemonics_are_sorted() {
        assert!(WRITERS.is_sorted());
    }
}
