//! Pieces of a function in which there was nothing to say, so that an edit elsewhere in a long function need not look at them again.
//!
//! A piece begins at a label. It is quiet if none of its instructions is an atomic, illegal or spoken of by a rule, and it declares
//! nothing but labels, blocks within it apart: then it says the same wherever it stands, as long as the module's target stays. So it is known by its text alone.

use crate::interest::Interest;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::ops::Range;
use syntax::Rope;
use syntax::{DeclarationKind, WalkEvent};

/// The quiet pieces of a check by digests of their texts, and those of the check before.
#[derive(Debug, Default)]
pub(crate) struct Quiet {
    known: HashMap<u64, CachedBlock>,
    found: HashMap<u64, CachedBlock>,
    /// The piece that is being gone through, as long as it is quiet.
    here: Option<(u64, CachedBlock)>,
    /// How many pieces have begun and not ended: those in a block of a piece belong to it.
    open: usize,
    /// How many blocks of the piece have begun and not ended.
    depth: usize,
    passed: CachedBlock,
    records: bool,
}

/// What a quiet piece means to its function.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CachedBlock {
    pub interest: Interest,
    pub has_instruction: bool,
}

impl Quiet {
    /// For a check, with the pieces that the last one found, if those still hold; `records` says whether to find some for the next.
    pub(crate) fn new(known: HashMap<u64, CachedBlock>, records: bool) -> Self {
        Quiet { known, records, ..Quiet::default() }
    }

    /// What was found for the next check.
    pub(crate) fn found(self) -> HashMap<u64, CachedBlock> {
        self.found
    }

    /// What the pieces that were passed over mean to their function; the next function begins without.
    pub(super) fn passed(&mut self) -> CachedBlock {
        std::mem::take(&mut self.passed)
    }

    /// A piece of a text begins, or the last one ends; whether to look inside.
    pub(super) fn piece(&mut self, text: &Rope, range: Option<Range<usize>>) -> bool {
        let Some(range) = range else {
            self.open = self.open.saturating_sub(1);
            if self.open == 0 {
                self.found.extend(self.here.take());
            }
            return true;
        };
        self.open += 1;
        if self.open > 1 {
            return true;
        }
        self.depth = 0;
        if !self.records && self.known.is_empty() {
            return true;
        }
        let mut hasher = DefaultHasher::new();
        text.byte_slice(range).chunks().for_each(|chunk| hasher.write(chunk.as_bytes()));
        let digest = hasher.finish();
        let known = self.known.get(&digest).copied();
        if let Some(piece) = known {
            self.passed.take_up(piece.interest, piece.has_instruction);
        }
        self.here = Some((digest, known.unwrap_or_default()));
        known.is_none()
    }

    /// What is declared or entered in a piece.
    pub(super) fn see(&mut self, event: &WalkEvent) {
        match event {
            WalkEvent::Instruction(_) => {}
            WalkEvent::Declare(declaration) if declaration.kind == DeclarationKind::Label => {}
            WalkEvent::EnterBlock => self.depth += 1,
            WalkEvent::Leave => self.depth = self.depth.saturating_sub(1),
            // What a block declares ends with it.
            WalkEvent::Declare(_) if self.depth > 0 => {}
            WalkEvent::Declare(_) | WalkEvent::EnterFunction => self.disturb(),
        }
    }

    /// An instruction that is no atomic.
    pub(super) fn take_up(&mut self, interest: Interest) {
        match &mut self.here {
            Some(_) if interest.membar || interest.volatile => self.disturb(),
            Some((_, piece)) => piece.take_up(interest, true),
            None => {}
        }
    }

    /// There is something to say.
    pub(super) fn disturb(&mut self) {
        self.here = None;
    }
}

impl CachedBlock {
    fn take_up(&mut self, interest: Interest, has_instruction: bool) {
        self.interest.acquires |= interest.acquires;
        self.interest.releases |= interest.releases;
        self.has_instruction |= has_instruction;
    }
}
