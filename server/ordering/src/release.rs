//! What a thread that observes a write synchronizes with.

use crate::clock::{Agent, Clock};
use isa::types::Scope;
use program::launch::kernel_launch::Processor;

/// A thread as scopes see it: the slot of its CTA, and the number of its cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopePosition {
    /// The slot of the CTA.
    pub cta: u32,
    /// The cluster.
    pub cluster: u32,
    /// Where it runs.
    pub processor: Processor,
}

impl ScopePosition {
    /// The narrowest scope that includes both.
    pub fn distance(self, other: Self) -> Scope {
        // The other scopes are about threads of a device.
        if self.processor != Processor::Device || other.processor != Processor::Device {
            Scope::Sys
        } else if self.cta == other.cta {
            Scope::Cta
        } else if self.cluster == other.cluster {
            Scope::Cluster
        } else {
            Scope::Gpu
        }
    }
}

/// The begin of release patterns: of threads of a CTA, with the same scope.
#[derive(Clone, Debug)]
pub struct Released {
    /// Where the threads are.
    pub position: ScopePosition,
    /// The scope of the operation that releases.
    pub scope: Scope,
    /// The thread, if it is one and the operation is the write itself: its later writes to the location release, too.
    pub thread: Option<Agent>,
    /// What is released.
    pub clock: Clock,
}

impl Released {
    /// Whether a thread is in the scope.
    pub fn reaches(&self, reader: ScopePosition) -> bool {
        self.scope >= self.position.distance(reader)
    }
}

/// The release patterns that readers of a location observe.
#[derive(Clone, Debug, Default)]
pub struct ReleaseSequence {
    entries: Vec<Released>,
    /// What happens before the sequential fences before the writes: a sequential fence of a reader is ordered after them.
    before_fences: Clock,
}

impl ReleaseSequence {
    /// The release patterns.
    pub fn entries(&self) -> &[Released] {
        &self.entries
    }

    /// Whether there are none, and no sequential fence.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.before_fences.is_empty()
    }

    /// What happens before the sequential fences before the writes.
    pub const fn before_fences(&self) -> &Clock {
        &self.before_fences
    }

    /// Adds what happens before sequential fences.
    pub fn add_before_fences(&mut self, clock: &Clock) {
        self.before_fences.join(clock);
    }

    /// Adds a release pattern. Those of fences, and of the writes of several threads, become one.
    pub fn add(&mut self, mut released: Released) {
        let is_like = |known: &Released| (known.position, known.scope) == (released.position, released.scope);
        let other = |known: &Released| is_like(known) && known.thread.is_some() && known.thread != released.thread;
        if released.thread.is_some()
            && let Some(at) = self.entries.iter().position(other)
        {
            released.clock.join(&self.entries.remove(at).clock);
            released.thread = None;
        }
        let same = |known: &&mut Released| {
            (known.position, known.scope, known.thread) == (released.position, released.scope, released.thread)
        };
        match self.entries.iter_mut().find(same) {
            Some(known) => known.clock.join(&released.clock),
            None => self.entries.push(released),
        }
    }

    /// Whether it releases all that another one does.
    pub fn includes(&self, other: &Self) -> bool {
        other.entries.iter().all(|wanted| {
            let same = |known: &&Released| (known.position, known.scope) == (wanted.position, wanted.scope);
            self.entries.iter().filter(same).any(|known| known.clock.includes(&wanted.clock))
        })
    }

    /// Adds those of another sequence.
    pub fn append(&mut self, other: &mut Self) {
        for released in other.entries.drain(..) {
            self.add(released);
        }
        self.before_fences.join(&std::mem::take(&mut other.before_fences));
    }

    /// What a later write of a thread releases again.
    pub fn of_thread(&self, thread: Agent) -> impl Iterator<Item = &Released> {
        self.entries.iter().filter(move |released| released.thread == Some(thread))
    }

    /// Keeps what a later write of the same thread releases again. Returns what later writes of others do.
    pub fn keep_of_thread(&mut self, thread: Agent) -> Vec<Released> {
        self.before_fences = Clock::default();
        let (own, mut others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.entries).into_iter().partition(|released| released.thread == Some(thread));
        self.entries = own;
        others.retain(|released| released.thread.is_some());
        others
    }
}

/// The last strong write of a location.
#[derive(Clone, Debug)]
pub struct LastWrite {
    /// Where its thread is.
    pub position: ScopePosition,
    /// Its scope.
    pub scope: Scope,
    /// What its readers observe.
    pub releases: ReleaseSequence,
}

impl LastWrite {
    /// Whether it and another strong access are in each other's scope.
    pub fn is_morally_strong(&self, position: ScopePosition, scope: Scope) -> bool {
        self.scope.min(scope) >= self.position.distance(position)
    }
}
