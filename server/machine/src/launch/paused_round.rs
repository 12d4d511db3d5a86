//! The round of turns in which a run was paused.

/// How far a run that is paused is in giving each warp a turn.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// The index of the warp whose turn is the first.
    pub first: usize,
    /// The turns that were given.
    pub turns: usize,
    /// Whether a warp ran in them, or a copy ended.
    pub progressed: bool,
}
