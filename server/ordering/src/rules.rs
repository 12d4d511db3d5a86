//! The rules that order accesses. A test leaves out one at a time: each has to change the verdict on some kernel.

/// A rule of the memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderRule {
    /// A release begins a release pattern.
    Releases,
    /// A fence begins a release pattern.
    ReleaseFences,
    /// An acquire ends an acquire pattern.
    Acquires,
    /// A fence ends an acquire pattern.
    AcquireFences,
    /// Readers of an update observe what it has updated.
    UpdatesAreObserved,
    /// The scopes of patterns include the threads of each other.
    PatternScopes,
    /// A write and the read that observes it are in the scopes of each other.
    ObservationScopes,
    /// Strong accesses race if they are not in the scopes of each other.
    RaceScopes,
    /// `fence.sc` are ordered.
    SequentialFences,
    /// `fence.sc` are ordered only if they are in the scopes of each other.
    SequentialScopes,
    /// A barrier orders what is before it in all threads.
    Barriers,
    /// The end of a phase of an mbarrier orders what is before the arrivals.
    Mbarriers,
    /// A wait for copies orders them.
    CopyWaits,
    /// A read does not see what was overwritten before.
    Coherence,
    /// No write is between the halves of a read-modify-write.
    Atomicity,
    /// A write that was observed is before what follows in the thread of the reader.
    Observation,
    /// A proxy fence is needed between ordinary writes and bulk copies.
    ProxyFences,
}

impl OrderRule {
    /// All rules.
    pub const ALL: [Self; 17] = [
        Self::Releases,
        Self::ReleaseFences,
        Self::Acquires,
        Self::AcquireFences,
        Self::UpdatesAreObserved,
        Self::PatternScopes,
        Self::ObservationScopes,
        Self::RaceScopes,
        Self::SequentialFences,
        Self::SequentialScopes,
        Self::Barriers,
        Self::Mbarriers,
        Self::CopyWaits,
        Self::Coherence,
        Self::Atomicity,
        Self::Observation,
        Self::ProxyFences,
    ];
}

/// How `fence.sc` are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SequentialFenceOrder {
    /// Only where each order of them does: after a read that observes what follows another one. Executions are a few more than the model allows.
    #[default]
    Implied,
    /// In the order in which they are executed.
    Executed,
    /// The same, and each order is explored.
    Explored,
}
