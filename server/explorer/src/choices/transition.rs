//! What a step from a state to another one is.

use crate::choices::message_choices::{ChosenMessages, Recency};

/// A step that others can notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transition {
    /// Of a thread: the index of its warp, its lane, and the chosen messages.
    Thread(usize, u32, ChosenMessages),
    /// Of some lanes of a warp, by its index, that execute `activemask` together.
    ActiveLanes(usize, u32),
    /// The end of a copy, by its index; of a reduction with the messages that it updates.
    EndCopy(usize, ChosenMessages),
    /// What becomes of the next cluster.
    Launch(ClusterLaunch),
}

/// The steps that are possible in a state.
#[derive(Debug, Default)]
pub struct PossibleSteps {
    /// Those that are explored.
    pub kept: Vec<Transition>,
    /// Those of threads that are independent of these. They have to be explored in a state on each way, as the others may lead back for ever.
    pub independent: Vec<Transition>,
}

impl PossibleSteps {
    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// All of them.
    pub fn all(mut self) -> Vec<Transition> {
        self.kept.append(&mut self.independent);
        self.kept
    }
}

/// Whether a cluster begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterLaunch {
    /// It does.
    Begun,
    /// It is there to be cancelled.
    Withheld,
}

impl Transition {
    /// Whether it is a step of an execution that is sequentially consistent from here on. A thread that repeats a read does not read earlier
    /// messages forever, so whether it comes to its end is decided by these steps.
    pub fn recency(&self) -> Recency {
        match self {
            Self::Thread(.., chosen) | Self::EndCopy(_, chosen) => chosen.recency,
            Self::ActiveLanes(..) | Self::Launch(_) => Recency::Latest,
        }
    }

    /// The number of elements of the access.
    pub const fn elements(&self) -> usize {
        match self {
            Self::Thread(.., chosen) | Self::EndCopy(_, chosen) => chosen.indices.len(),
            Self::ActiveLanes(..) | Self::Launch(_) => 0,
        }
    }
}

/// The outcome of an attempt is nobody's choice: each is one of the last things that can be seen.
pub fn outcomes(chosen: Vec<ChosenMessages>) -> impl Iterator<Item = ChosenMessages> {
    chosen.into_iter().map(|chosen| ChosenMessages { recency: Recency::Latest, ..chosen })
}
