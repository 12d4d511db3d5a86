//! Mutants of the model, each of one relation or one axiom.

/// Declares each mutant once.
macro_rules! mutants {
    (outcomes { $($(#[$doc:meta])* $name:ident,)* } termination { $($(#[$more:meta])* $other:ident,)* }) => {
        /// A mutant of the model.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Mutant {
            /// None: the model as it is.
            None,
            $($(#[$doc])* $name,)*
            $($(#[$more])* $other,)*
        }

        /// The mutants that change outcomes.
        pub const MUTANTS: &[Mutant] = &[$(Mutant::$name,)*];

        /// The mutants that change which executions end.
        pub const TERMINATION_MUTANTS: &[Mutant] = &[$(Mutant::$other,)*];
    };
}

mutants! {
    outcomes {
    NoCoherence,
    NoFenceSc,
    NoAtomicity,
    NoThinAir,
    NoScPerLocation,
    NoCausalityRf,
    NoCausalityFr,
    /// One-sided scope inclusion is enough.
    ScopeOneSided,
    /// Scopes do not matter.
    ScopeIgnored,
    /// Weak operations are strong.
    WeakIsStrong,
    /// Nothing but operations of one thread is morally strong.
    NothingIsStrong,
    /// The ends of patterns need not be morally strong to each other.
    EndsNotStrong,
    /// A weak read begins an acquire pattern.
    WeakReadAcquires,
    /// A release pattern is one event.
    NoReleaseThroughLocation,
    /// An acquire pattern is one event.
    NoAcquireThroughLocation,
    /// Fences begin no release pattern.
    NoReleaseFence,
    /// Fences end no acquire pattern.
    NoAcquireFence,
    /// `fence.sc` is not acq_rel.
    ScIsNotAcqRel,
    /// `fence.sc` has no order.
    NoSc,
    /// All `fence.sc` are ordered, whatever their scopes.
    ScIgnoresScope,
    /// The read of a `red` takes part in acquire patterns.
    RedAcquires,
    /// Observation does not go through atomics.
    NoObservationThroughRmw,
    /// Observation goes through atomics alone: (ms∩rf ∪ rmw)⁺.
    ObservationStartsAtRmw,
    /// What is observed must be read morally strongly no longer.
    ObservationIsRf,
    /// Cause is base causality, without observation before it.
    NoObservationInCause,
    /// An acquiring atomic has an acquiring write, or none of it: the halves swap.
    HalvesSwapped,
    /// A compare-and-swap that fails writes what it read.
    FailedCasWrites,
    /// Atomics are never torn: no two of them read the same write.
    NeverTorn,
    /// Writes are ordered totally.
    TotalOrder,
    /// The first write need not be first.
    InitAnywhere,
    /// Barriers do not order.
    NoBarrier,
    /// `arrive` is ordered after the others.
    ArriveWaits,
    /// Barriers work across CTAs.
    BarrierIgnoresCta,
    /// Proxies do not matter.
    ProxiesIgnored,
    /// Proxy fences do nothing.
    NoProxyFence,
    /// A proxy fence works in every CTA.
    ProxyFenceEverywhere,
    /// A proxy fence is for all memory.
    ProxyFenceUnrestricted,
    /// A proxy fence works in both directions.
    ProxyFenceBothWays,
    /// Any release hands over a tensor map.
    AnyReleaseOfMaps,
    /// Alias fences do nothing.
    NoAliasFence,
    /// Aliases are the same address.
    AliasesIgnored,
    /// What is before the issue of an asynchronous operation is not before its accesses.
    NoIssueOrder,
    /// An asynchronous operation is part of its issuer's program order.
    IssueIsProgramOrder,
    /// Waits for groups order nothing.
    NoCompletion,
    /// A wait for reads is a wait for all of an operation.
    ReadsAwaitedAreAll,
    /// No proxy fence follows the completion of a bulk operation.
    NoImplicitProxyFence,
    /// Operations on mbarriers are atomic in their scopes only.
    MbarrierScopes,
    /// The completion of an operation on an mbarrier is one in the CTA of its issuer.
    CompletionScopes,
    /// A read before an arrival may see a later operation's write if the arrival's scope does not include the waiting thread.
    OverwritesNeedScopes,
    /// A read may see the write of an operation that is issued later, without a proxy fence.
    OverwritesNeedFences,
    /// An operation that needs a fence is ordered at its issue.
    NoIssueFence,
    /// Fences before relaxed arrivals, and after relaxed waits, do not order.
    RelaxedBarriersIgnoreFences,
    /// A fence for the initialization of mbarriers does nothing.
    NoMbarrierInitFence,
    /// A fence for the initialization of mbarriers orders everything before it.
    MbarrierInitFenceIsFull,
    /// Fences for operations on tensor memory do nothing.
    NoTensorFence,
    /// A fence before synchronization orders everything before it.
    TensorFenceReleasesAll,
    /// A fence after synchronization acquires whatever was released.
    TensorFenceAcquiresAll,
    /// Control dependencies do not count.
    NoControl,
    /// Data dependencies do not count.
    NoData,
    /// Volatile is weak.
    VolatileIsWeak,
    }
    termination {
        /// A read may read an old value forever.
        Unfair,
        /// A weak read sees every write in the end.
        WeakReadsAreFair,
        /// The second iteration may read from other writes than the first.
        OtherWritesRepeat,
        /// One iteration stands for all.
        OneRepetition,
        /// An atomic that writes what it reads is an effect.
        SameValueIsEffect,
        /// A barrier that nobody completes releases nobody, and is no wait without end.
        BarriersEnd,
        /// A barrier that is complete may still be waited for.
        CompleteBarrierWaits,
        /// A barrier waits for threads that have ended.
        EndedThreadsAreAwaited,
    }
}
