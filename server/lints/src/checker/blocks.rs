//! The block cache: blocks of a function without diagnostics. After an edit elsewhere in a long function, they are not
//! checked again.
//!
//! A block starts at a label. It is cached if none of its instructions is illegal or checked by a rule, and if it declares
//! only labels outside of nested scopes. Its result then depends only on its text and on the module's target.

use crate::checker::fingerprint::Fingerprint;
use analysis::values::LegalAtomic;
use foldhash::HashMap;
use legality::ordering::OrderingFacts;
use std::borrow::Cow;
use std::sync::Arc;
use syntax::{LabelKind, WalkEvent};

/// Blocks are cached only if an edit affects at most this many functions, to bound the memory.
const MAX_FUNCTIONS: usize = 8;

/// The blocks of the items of the last check, by text.
#[derive(Debug, Default)]
pub(super) struct BlockCache {
    /// The fingerprint of the module.
    module: Fingerprint,
    blocks: HashMap<Fingerprint, Arc<CachedBlock>>,
    /// Whether the data flow of one of the items was needed.
    needs_flow: bool,
}

/// The result of a block without diagnostics.
#[derive(Clone, Debug, Default)]
pub(crate) struct CachedBlock {
    pub facts: OrderingFacts,
    /// The labels outside of it that its instructions branch to.
    labels: Vec<Arc<str>>,
    /// Its atomics, by their offsets in it.
    atomics: Vec<LegalAtomic>,
}

/// Skips cached blocks, and records blocks for the next check.
#[derive(Debug)]
pub(crate) struct BlockRecorder<'c> {
    /// The blocks of the last check, if they are still valid.
    cached: Option<&'c HashMap<Fingerprint, Arc<CachedBlock>>>,
    recorded: HashMap<Fingerprint, Arc<CachedBlock>>,
    records: bool,
    /// The names that are declared before the current block, in its function.
    names: Fingerprint,
    /// The current block, unless it cannot be cached.
    current: Option<(Fingerprint, Arc<CachedBlock>)>,
    /// The start of the current block.
    start: usize,
    /// The nesting depth of blocks. A block in a nested scope belongs to the outer block.
    nesting: usize,
    /// The nesting depth of scopes in the block.
    scope_depth: usize,
    skipped: CachedBlock,
    /// Whether the last check needed the data flow of an item, and whether this one does.
    expects_flow: bool,
    needs_flow: bool,
}

impl BlockCache {
    /// An empty cache for a module.
    pub(super) fn new(module: Fingerprint) -> Self {
        BlockCache { module, ..BlockCache::default() }
    }

    /// Adds what a recorder has recorded.
    pub(super) fn extend(&mut self, recorder: BlockRecorder) {
        self.needs_flow |= recorder.needs_flow;
        if self.blocks.is_empty() {
            self.blocks = recorder.recorded;
        } else {
            self.blocks.extend(recorder.recorded);
        }
    }

    /// The recorder of a check of a number of functions.
    pub(super) fn recorder(&self, module: Fingerprint, functions: usize) -> BlockRecorder<'_> {
        BlockRecorder {
            cached: Some(&self.blocks).filter(|blocks| self.module == module && !blocks.is_empty()),
            recorded: HashMap::default(),
            records: functions <= MAX_FUNCTIONS,
            names: Fingerprint::default(),
            current: None,
            start: 0,
            nesting: 0,
            scope_depth: 0,
            skipped: CachedBlock::default(),
            expects_flow: self.needs_flow,
            needs_flow: false,
        }
    }

    /// The keys of the cached blocks.
    #[cfg(test)]
    pub(super) fn keys(&self) -> impl Iterator<Item = Fingerprint> {
        self.blocks.keys().copied()
    }
}

impl BlockRecorder<'_> {
    /// Returns and resets the combined result of the skipped blocks.
    pub(crate) fn take_skipped(&mut self) -> CachedBlock {
        std::mem::take(&mut self.skipped)
    }

    /// Enters a block, given its start and its text, or leaves the current one (`None`). Returns whether to visit its contents.
    pub(crate) fn block<'t>(&mut self, block: Option<(usize, impl FnOnce() -> Cow<'t, str>)>) -> bool {
        let Some((start, text)) = block else {
            self.nesting = self.nesting.saturating_sub(1);
            if self.nesting == 0 {
                self.recorded.extend(self.current.take());
            }
            return true;
        };
        self.nesting += 1;
        if self.nesting > 1 {
            return true;
        }
        self.scope_depth = 0;
        if !self.is_used() {
            return true;
        }
        self.start = start;
        let key = Fingerprint::of(&(self.names, Fingerprint::of_str(&text())));
        let cached = self.cached.and_then(|blocks| blocks.get(&key));
        if let Some(block) = cached {
            self.skipped.merge(block.facts);
            self.skipped.labels.extend_from_slice(&block.labels);
            let atomics = block.atomics.iter().map(|(at, atomic)| (self.start + at, Arc::clone(atomic)));
            self.skipped.atomics.extend(atomics);
        }
        self.current = Some((key, cached.cloned().unwrap_or_default()));
        cached.is_none()
    }

    /// Records a declaration or a scope in the block.
    pub(crate) fn visit(&mut self, event: &WalkEvent) {
        match event {
            WalkEvent::Instruction(_) => {}
            WalkEvent::Declare(name) if name.label() == Some(LabelKind::Target) => {}
            WalkEvent::EnterBlock => self.scope_depth += 1,
            WalkEvent::Leave => self.scope_depth = self.scope_depth.saturating_sub(1),
            // Declarations in a nested scope end with it.
            WalkEvent::Declare(_) if self.scope_depth > 0 => {}
            WalkEvent::Declare(declaration) => {
                self.names = Fingerprint::of(&(self.names, Fingerprint::of_declaration(declaration)));
                self.invalidate();
            }
            WalkEvent::EnterFunction => {
                self.names = Fingerprint::default();
                self.invalidate();
            }
        }
    }

    /// Records an instruction.
    pub(crate) fn record(&mut self, facts: OrderingFacts) {
        match &mut self.current {
            Some(_) if facts.membar || facts.volatile => self.invalidate(),
            Some((_, block)) => Arc::make_mut(block).merge(facts),
            None => {}
        }
    }

    /// Records that the last instruction is a legal atomic without diagnostics.
    pub(crate) fn record_atomic(&mut self, at: usize, atomic: &Arc<isa::ResolvedInstruction>) {
        if let Some((_, block)) = &mut self.current {
            Arc::make_mut(block).atomics.push((at - self.start, Arc::clone(atomic)));
        }
    }

    /// Whether the data flow of a function in the last check was needed. It is a guess for this one.
    pub(crate) fn expects_flow(&self) -> bool {
        self.expects_flow
    }

    /// Records that the data flow of a function is needed.
    pub(crate) fn record_flow(&mut self) {
        self.needs_flow = true;
    }

    /// Whether blocks are skipped or recorded.
    pub(crate) fn is_used(&self) -> bool {
        self.records || self.cached.is_some()
    }

    /// Moves the atomics of skipped blocks, in order.
    pub(crate) fn take_skipped_atomics(&mut self, atomics: &mut Vec<LegalAtomic>) {
        atomics.append(&mut self.skipped.atomics);
    }

    /// Records the labels of the function that instructions of the current block branch to.
    pub(crate) fn record_labels(&mut self, labels: Vec<Arc<str>>) {
        // A block that is skipped has none, and stays shared.
        if let Some((_, block)) = self.current.as_mut().filter(|_| !labels.is_empty()) {
            Arc::make_mut(block).labels.extend(labels);
        }
    }

    /// Returns and forgets the labels that the skipped blocks branch to.
    pub(crate) fn take_skipped_labels(&mut self) -> Vec<Arc<str>> {
        std::mem::take(&mut self.skipped.labels)
    }

    /// From now on, checks every block.
    pub(crate) fn ignore_cache(&mut self) {
        self.cached = None;
    }

    /// Excludes the current block from the cache.
    pub(crate) fn invalidate(&mut self) {
        self.current = None;
    }
}

impl CachedBlock {
    fn merge(&mut self, facts: OrderingFacts) {
        self.facts.acquires |= facts.acquires;
        self.facts.releases |= facts.releases;
        self.facts.triggers |= facts.triggers;
    }
}
