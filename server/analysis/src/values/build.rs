//! Builds the data flow of a function in one walk that resolves the names in each instruction.

use crate::spellings::SpellingCache;
use crate::values::broken_statement;
use crate::values::broken_statement::BrokenEffect;
use crate::values::cta_shape::CtaShape;
use crate::values::opcodes::{ControlEffect, FirstAccess, OpcodeTable, SpelledOpcode};
use crate::values::provenance::cache::ProvenanceCache;
use crate::values::reaching::Reaching;
use crate::values::symbols::{EarlierItems, SymbolResolver, ValueSymbols, hidden_names};
use crate::values::{FunctionValues, InstructionSlot, LegalAtomic, SlotContent, SymbolUse, ValueGraph};
use foldhash::HashMap;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use syntax::{
    BrokenStatement, DeclarationKind, Instruction, Item, LintFile, Names, RopeReader, ScannedFunction, Token,
    WalkEvent, is_name_byte,
};

struct Builder<'n, 'a> {
    flow: ValueGraph<'a>,
    resolver: SymbolResolver<'n, 'a>,
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
    /// Whether the walk is inside the body.
    inside: bool,
}

/// The access of a name that is not in the first operand.
const READ: FirstAccess = FirstAccess { writes: false, reads: true };

/// About how many names an instruction uses.
const USES: usize = 2;

/// The scope that encloses the function.
const OUTSIDE: u32 = u32::MAX;

/// The maximum number of scopes to search for a label, innermost first.
const MAX_SCOPES: usize = 64;

/// What a data flow is built from.
pub struct ValueInput<'i, 'a> {
    /// The file of the function.
    pub file: &'a LintFile,
    /// The function.
    pub item: &'i Item<'a>,
    /// What the scanner has read of it, if it has.
    pub scanned: Option<&'i ScannedFunction>,
    /// The statements with a syntax error, in order.
    pub broken: &'i [BrokenStatement],
    /// What stands before it in the module.
    pub earlier: &'i EarlierItems<'i, 'a>,
}

impl<'a> ValueGraph<'a> {
    /// Builds the data flow of a function. `outside` holds the names of the module, `opcodes` those of other functions.
    pub fn build(input: &ValueInput<'_, 'a>, outside: &Names<'a>, opcodes: OpcodeTable<'a>) -> Self {
        let ValueInput { file, item, scanned, broken, earlier } = *input;
        let mut reader = RopeReader::new(file.text());
        let name = item.declarations().first().map_or(item.range().start, |function| function.name.range.start);
        let statements = scanned.map_or(0, ScannedFunction::element_count);
        let flow = ValueGraph {
            file,
            entry: reader.read(item.range().start..name).text.contains(".entry"),
            cta_shape: CtaShape::of(item),
            opcodes,
            slots: Vec::with_capacity(statements),
            parsed: Vec::new(),
            broken: Vec::new(),
            symbols: ValueSymbols::default(),
            uses: Vec::with_capacity(USES * statements),
            targets: Vec::new(),
            has_unknown_branch: false,
            has_broken_statement: !broken.is_empty(),
        };
        let mut builder = Builder::new(flow, item, (outside, earlier), broken);
        let visit = |event| {
            builder.record_broken(&event);
            builder.follow(&event);
            if let WalkEvent::Instruction(instruction) = event {
                let start = instruction.range().start;
                if builder.broken.first().is_none_or(|broken| broken.range.start > start) {
                    builder.add_instruction(instruction);
                }
            }
        };
        match scanned {
            Some(function) => function.walk(file, visit),
            None => item.walk(visit),
        }
        builder.record_broken_before(usize::MAX);
        builder.link();
        ValueGraph { symbols: builder.resolver.symbols, ..builder.flow }
    }

    /// The opcodes, for the next function.
    pub fn into_opcodes(self) -> OpcodeTable<'a> {
        self.opcodes
    }

    /// The range of an instruction or a broken statement.
    pub(in crate::values) fn range(&self, at: usize) -> Range<usize> {
        match &self.slots[at].content {
            SlotContent::Scanned(offsets) => offsets.range(),
            SlotContent::Parsed(number) => self.parsed[*number as usize].range(),
            SlotContent::Broken(number) => self.broken[*number as usize].1.clone(),
        }
    }

    /// Legal atomics by the indices of their instructions, given those by their offsets; both in order.
    fn indexed(&self, atomics: Vec<LegalAtomic>) -> Vec<LegalAtomic> {
        let mut found = Vec::with_capacity(atomics.len());
        let mut atomics = atomics.into_iter().peekable();
        let is_instruction = |at: &usize| !matches!(self.slots[*at].content, SlotContent::Broken(_));
        for at in (0..self.slots.len()).filter(is_instruction) {
            let start = self.range(at).start;
            while atomics.next_if(|(place, _)| *place < start).is_some() {}
            found.extend(atomics.next_if(|(place, _)| *place == start).map(|(_, legal)| (at, legal)));
            if atomics.peek().is_none() {
                break;
            }
        }
        found
    }
}

impl<'a> FunctionValues<'a> {
    /// The data flow of a function, with its legal atomics by their offsets, in order.
    pub fn new(
        graph: ValueGraph<'a>,
        module: isa::Module,
        spellings: &Rc<SpellingCache>,
        atomics: Vec<LegalAtomic>,
    ) -> Self {
        FunctionValues {
            reader: RefCell::new(RopeReader::new(graph.file.text())),
            module,
            spellings: spellings.clone(),
            writes: OnceCell::new(),
            atomics: graph.indexed(atomics),
            reaching: Reaching::default(),
            provenances: RefCell::new(ProvenanceCache::default()),
            graph,
        }
    }
}

impl<'n, 'a> Builder<'n, 'a> {
    fn new(
        flow: ValueGraph<'a>,
        item: &Item,
        outside: (&'n Names<'a>, &'n EarlierItems<'n, 'a>),
        broken: &'n [BrokenStatement],
    ) -> Self {
        let hidden = hidden_names(broken.iter().filter(|statement| broken_statement::may_declare(statement)));
        Builder {
            flow,
            resolver: SymbolResolver::new(outside, hidden, item.range().len()),
            labels: HashMap::default(),
            parents: vec![OUTSIDE],
            scope: 0,
            branches: Vec::new(),
            pending_label: false,
            broken,
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
                    WalkEvent::Declare(parameter) if !self.inside => self.resolver.add_parameter(parameter),
                    WalkEvent::Leave => self.scope = self.parents.get(self.scope as usize).copied().unwrap_or(OUTSIDE),
                    _ => {}
                }
                self.resolver.follow(event);
            }
            _ => {
                if matches!(event, WalkEvent::EnterBlock | WalkEvent::EnterFunction) {
                    self.parents.push(self.scope);
                    self.scope = self.parents.len() as u32 - 1;
                }
                self.inside |= matches!(event, WalkEvent::EnterBlock);
                self.resolver.follow(event);
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
            self.record_use(Cow::Owned(name.to_owned()), FirstAccess { writes: true, reads: true });
        }
        let effect = BrokenEffect::of(statement, |name| self.resolver.is_symbol(name));
        let anything = effect == BrokenEffect::Anything;
        self.flow.has_unknown_branch |= anything;
        let content = SlotContent::Broken(self.flow.broken.len() as u32);
        self.flow.broken.push((effect, statement.range.clone()));
        self.flow.slots.push(InstructionSlot {
            content,
            opcode: self.flow.opcodes.add(Cow::Borrowed("")),
            // Its effects are not certain.
            guarded: true,
            negated: false,
            is_branch_target: std::mem::take(&mut self.pending_label) | anything,
            uses,
            decoded: OnceCell::new(),
        });
    }

    /// Resolves the targets of branches. A label without a branch, for example for debug information, is not a branch target.
    fn link(&mut self) {
        let flow = &mut self.flow;
        for (at, scope, name) in &self.branches {
            let mut scopes = std::iter::successors(Some(*scope), |scope| self.parents.get(*scope as usize).copied());
            let read = name.as_ref().filter(|name| !self.resolver.is_hidden(name));
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
        let (start, uses) = (whole.range.start, self.flow.uses.len() as u32);
        let (opcode_at, operands_at) = (opcode.range.start - start, opcode.range.end - start);
        let number = self.flow.opcodes.add(opcode.text);
        let SpelledOpcode { control, first, .. } = *self.flow.opcodes.get(number);
        let guarded = opcode_at > 0;
        if guarded {
            self.words(&whole, 0..opcode_at, READ);
        }
        match control {
            ControlEffect::Branch => {
                let label = instruction.operands().into_iter().next().map(|operand| operand.token.text);
                self.branches.push((self.flow.slots.len(), self.scope, label));
            }
            ControlEffect::IndexedBranch => self.flow.has_unknown_branch = true,
            ControlEffect::Next | ControlEffect::Call | ControlEffect::End => {}
        }
        if control != ControlEffect::Branch {
            self.words(&whole, operands_at..whole.text.len(), first);
        }
        let content = match instruction.offsets() {
            Some(offsets) => SlotContent::Scanned(offsets),
            None => {
                self.flow.parsed.push(instruction);
                SlotContent::Parsed(self.flow.parsed.len() as u32 - 1)
            }
        };
        self.flow.slots.push(InstructionSlot {
            content,
            opcode: number,
            guarded,
            negated: guarded && instruction.is_negated(),
            is_branch_target: std::mem::take(&mut self.pending_label),
            uses,
            decoded: OnceCell::new(),
        });
    }

    /// Records the names in a part of an instruction. `access` is that of the first operand; others and names in brackets are read.
    fn words(&mut self, whole: &Token<'a>, part: Range<usize>, access: FirstAccess) {
        let (bytes, end) = (whole.text.as_bytes(), part.end);
        let (mut at, mut first, mut address, mut depth) = (part.start, true, false, 0usize);
        while at < end {
            let byte = bytes[at];
            if is_name_byte(byte) {
                let start = at;
                while at < end && is_name_byte(bytes[at]) {
                    at += 1;
                }
                let selector = start > 0 && bytes[start - 1] == b'.';
                if !byte.is_ascii_digit() && !selector {
                    let name = match &whole.text {
                        Cow::Borrowed(text) => Cow::Borrowed(&text[start..at]),
                        Cow::Owned(text) => Cow::Owned(text[start..at].to_owned()),
                    };
                    self.record_use(name, if first && !address { access } else { READ });
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

    fn record_use(&mut self, name: Cow<'a, str>, access: FirstAccess) {
        let Some(symbol) = self.resolver.resolve(name) else { return };
        let found = &mut self.resolver.symbols.all[symbol as usize];
        found.writes += u32::from(access.writes);
        found.reads += u32::from(access.reads);
        self.flow.uses.push(SymbolUse::new(symbol, access));
    }
}
