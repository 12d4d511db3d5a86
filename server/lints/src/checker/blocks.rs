//! The block cache: blocks of a function in which there was nothing to report, so that an edit elsewhere in a long function need not look at
//! them again.
//!
//! A block begins at a label. It is kept if none of its instructions is an atomic, illegal or checked by a rule, and it declares
//! nothing but labels, scopes within it apart: then it means the same wherever it stands, as long as the module's target stays.

use super::fingerprint::Fingerprint;
use crate::interest::Interest;
use std::collections::HashMap;
use std::ops::Range;
use syntax::Rope;
use syntax::{DeclarationKind, WalkEvent};

/// Of more items than an edit touches it is not worth its memory to keep blocks.
const FEW: usize = 8;

/// The blocks of the items that were checked last, by their texts.
#[derive(Debug, Default)]
pub(super) struct BlockCache {
    /// The module that they were checked in.
    module: Fingerprint,
    blocks: HashMap<Fingerprint, CachedBlock>,
}

/// What a block with nothing to report means to its function.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CachedBlock {
    pub interest: Interest,
    pub has_instruction: bool,
}

/// Skips the blocks that the last check kept, and keeps some for the next.
#[derive(Debug)]
pub(crate) struct BlockRecorder<'c> {
    module: Fingerprint,
    /// The blocks of the last check, if they still hold.
    cached: Option<&'c HashMap<Fingerprint, CachedBlock>>,
    recorded: HashMap<Fingerprint, CachedBlock>,
    records: bool,
    /// The block that is being checked, as long as it is to be kept.
    current: Option<(Fingerprint, CachedBlock)>,
    /// How many blocks have begun and not ended: those in a scope of a block belong to it.
    open: usize,
    /// How many scopes of the block have begun and not ended.
    depth: usize,
    skipped: CachedBlock,
}

impl BlockCache {
    /// For a check in a module that concerns a number of items.
    pub(super) fn recorder(&self, module: Fingerprint, items: usize) -> BlockRecorder<'_> {
        BlockRecorder {
            module,
            cached: Some(&self.blocks).filter(|blocks| self.module == module && !blocks.is_empty()),
            recorded: HashMap::new(),
            records: items <= FEW,
            current: None,
            open: 0,
            depth: 0,
            skipped: CachedBlock::default(),
        }
    }

    /// The blocks that are kept.
    #[cfg(test)]
    pub(super) fn keys(&self) -> impl Iterator<Item = Fingerprint> {
        self.blocks.keys().copied()
    }
}

impl BlockRecorder<'_> {
    /// What was kept for the next check.
    pub(super) fn finish(self) -> BlockCache {
        BlockCache { module: self.module, blocks: self.recorded }
    }

    /// What the blocks that were skipped mean to their function; the next function begins without.
    pub(crate) fn take_skipped(&mut self) -> CachedBlock {
        std::mem::take(&mut self.skipped)
    }

    /// A block of a text begins, or the last one ends; whether to look inside.
    pub(crate) fn block(&mut self, text: &Rope, range: Option<Range<usize>>) -> bool {
        let Some(range) = range else {
            self.open = self.open.saturating_sub(1);
            if self.open == 0 {
                self.recorded.extend(self.current.take());
            }
            return true;
        };
        self.open += 1;
        if self.open > 1 {
            return true;
        }
        self.depth = 0;
        if !self.records && self.cached.is_none() {
            return true;
        }
        let key = Fingerprint::of_text(text, range);
        let cached = self.cached.and_then(|blocks| blocks.get(&key)).copied();
        if let Some(block) = cached {
            self.skipped.merge(block.interest, block.has_instruction);
        }
        self.current = Some((key, cached.unwrap_or_default()));
        cached.is_none()
    }

    /// What is declared or entered in a block.
    pub(crate) fn see(&mut self, event: &WalkEvent) {
        match event {
            WalkEvent::Instruction(_) => {}
            WalkEvent::Declare(declaration) if declaration.kind == DeclarationKind::Label => {}
            WalkEvent::EnterBlock => self.depth += 1,
            WalkEvent::Leave => self.depth = self.depth.saturating_sub(1),
            // What a scope declares ends with it.
            WalkEvent::Declare(_) if self.depth > 0 => {}
            WalkEvent::Declare(_) | WalkEvent::EnterFunction => self.invalidate(),
        }
    }

    /// An instruction that is no atomic.
    pub(crate) fn record(&mut self, interest: Interest) {
        match &mut self.current {
            Some(_) if interest.membar || interest.volatile => self.invalidate(),
            Some((_, block)) => block.merge(interest, true),
            None => {}
        }
    }

    /// There may be something to report in the current block, so it is not kept.
    pub(crate) fn invalidate(&mut self) {
        self.current = None;
    }
}

impl CachedBlock {
    fn merge(&mut self, interest: Interest, has_instruction: bool) {
        self.interest.acquires |= interest.acquires;
        self.interest.releases |= interest.releases;
        self.has_instruction |= has_instruction;
    }
}
