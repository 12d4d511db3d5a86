//! The turns of work in a pool: long work moves from a quick worker to a slow one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;

/// Time that work may keep a quick worker.
pub const TIME_SLICE: Duration = Duration::from_millis(20);

/// Time between two checks for cancellation while work waits for a slow worker.
const CANCELLATION_INTERVAL: Duration = Duration::from_millis(20);

/// The worker that work has. At the end of the time slice, it returns its quick worker and waits for a slow one.
#[derive(Debug)]
pub struct Turn {
    begun: Instant,
    worker: Mutex<Worker>,
    /// Held while the work waits for a slow worker.
    moving: Mutex<()>,
    /// Whether the worker is slow, to poll without the lock.
    is_slow: AtomicBool,
    slow: Arc<SlowWorkers>,
}

#[derive(Debug)]
enum Worker {
    Quick { _permit: OwnedSemaphorePermit },
    Slow { _permit: SlowPermit },
    None,
}

impl Turn {
    /// A turn on a quick worker.
    pub fn new(worker: OwnedSemaphorePermit, slow: Arc<SlowWorkers>) -> Self {
        let worker = Mutex::new(Worker::Quick { _permit: worker });
        Turn { begun: Instant::now(), worker, moving: Mutex::new(()), is_slow: AtomicBool::new(false), slow }
    }

    /// Moves to a slow worker if the time slice is over or the worker was returned. Stops waiting on cancellation.
    pub fn poll(&self, cancelled: &AtomicBool) {
        if self.is_slow.load(Ordering::Relaxed) {
            return;
        }
        if self.begun.elapsed() < TIME_SLICE && matches!(*lock(&self.worker), Worker::Quick { .. }) {
            return;
        }
        // Threads of one work take one worker. The lock of the worker itself is free meanwhile: the runtime takes quick workers back.
        let _moving = lock(&self.moving);
        if self.is_slow.load(Ordering::Relaxed) {
            return;
        }
        *lock(&self.worker) = Worker::None;
        if let Some(permit) = SlowWorkers::acquire(&self.slow, cancelled) {
            *lock(&self.worker) = Worker::Slow { _permit: permit };
            self.is_slow.store(true, Ordering::Relaxed);
        }
    }

    /// Takes a quick worker back from work that has had its time slice and does not poll.
    pub fn take_back(&self) {
        let mut worker = lock(&self.worker);
        if matches!(*worker, Worker::Quick { .. }) {
            *worker = Worker::None;
        }
    }

    /// Returns the worker until the next poll.
    pub fn release(&self) {
        *lock(&self.worker) = Worker::None;
        self.is_slow.store(false, Ordering::Relaxed);
    }
}

/// The slow workers of a pool, given in the order of requests.
#[derive(Debug)]
pub struct SlowWorkers {
    queue: Mutex<SlowQueue>,
    changed: Condvar,
}

#[derive(Debug)]
struct SlowQueue {
    free: usize,
    /// Numbers of the waiting requests.
    waiting: VecDeque<u64>,
    next: u64,
}

impl SlowWorkers {
    /// A number of free workers.
    pub fn new(count: usize) -> Self {
        let queue = SlowQueue { free: count, waiting: VecDeque::new(), next: 0 };
        SlowWorkers { queue: Mutex::new(queue), changed: Condvar::new() }
    }

    /// Waits for a worker; `None` on cancellation.
    fn acquire(workers: &Arc<Self>, cancelled: &AtomicBool) -> Option<SlowPermit> {
        let mut queue = lock(&workers.queue);
        let number = queue.next;
        queue.next += 1;
        queue.waiting.push_back(number);
        loop {
            let is_cancelled = cancelled.load(Ordering::Relaxed);
            let is_next = queue.free > 0 && queue.waiting.front() == Some(&number);
            if is_cancelled || is_next {
                queue.waiting.retain(|waiting| *waiting != number);
                queue.free -= usize::from(!is_cancelled);
                workers.changed.notify_all();
                return (!is_cancelled).then(|| SlowPermit(workers.clone()));
            }
            let waited = workers.changed.wait_timeout(queue, CANCELLATION_INTERVAL);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A slow worker, returned when dropped.
#[derive(Debug)]
struct SlowPermit(Arc<SlowWorkers>);

impl Drop for SlowPermit {
    fn drop(&mut self) {
        lock(&self.0.queue).free += 1;
        self.0.changed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
