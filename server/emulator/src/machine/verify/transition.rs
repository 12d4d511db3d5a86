//! What a step from a state to another one is.

/// A step that others can notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transition {
    /// Of a thread: the index of its warp, its lane, and the chosen messages.
    Thread(usize, u32, ChosenMessages),
    /// The end of a copy, by its index; of a reduction with the messages that it updates.
    EndCopy(usize, ChosenMessages),
    /// What becomes of the next cluster.
    Launch(ClusterLaunch),
}

/// Whether a cluster begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterLaunch {
    /// It does.
    Begun,
    /// It is there to be cancelled.
    Withheld,
}

/// The messages that a strong access reads or is written after, one for each element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenMessages {
    /// Their indices.
    pub indices: Vec<usize>,
    /// How recent they are.
    pub recency: Recency,
}

/// Whether an access reads, or is written after, the last message of each of its locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recency {
    /// All are the last ones.
    Latest,
    /// Some are not.
    Earlier,
}

impl Transition {
    /// Whether it is a step of an execution that is sequentially consistent from here on. A thread that repeats a read does not read earlier
    /// messages forever, so whether it comes to its end is decided by these steps.
    pub fn recency(&self) -> Recency {
        match self {
            Self::Thread(.., chosen) | Self::EndCopy(_, chosen) => chosen.recency,
            Self::Launch(_) => Recency::Latest,
        }
    }
}

/// All ways to choose one of each list of messages, each of which has the last message at its end.
pub(super) fn combinations(lists: &[Vec<usize>]) -> Vec<ChosenMessages> {
    let all = lists.iter().fold(vec![Vec::new()], |all, list| {
        let extend = |chosen: &Vec<usize>| {
            let with = |one: &usize| chosen.iter().copied().chain([*one]).collect();
            list.iter().map(with).collect::<Vec<_>>()
        };
        all.iter().flat_map(extend).collect()
    });
    let last: Vec<usize> = lists.iter().filter_map(|list| list.last().copied()).collect();
    let recency = |indices: &Vec<usize>| if *indices == last { Recency::Latest } else { Recency::Earlier };
    all.into_iter().map(|indices| ChosenMessages { recency: recency(&indices), indices }).collect()
}

/// The outcome of an attempt is nobody's choice: each is one of the last things that can be seen.
pub(super) fn outcomes(chosen: Vec<ChosenMessages>) -> impl Iterator<Item = ChosenMessages> {
    chosen.into_iter().map(|chosen| ChosenMessages { recency: Recency::Latest, ..chosen })
}
