//! A pool of threads for CPU-bound work, with cancellation.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// A cancellation flag that work polls.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Requests cancellation.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Cancels work when the future that awaits it is dropped.
struct Abandoned(CancelFlag);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The work panicked, or was cancelled before it began.
#[derive(Debug, PartialEq, Eq)]
pub struct WorkFailed;

/// A pool with a bounded number of workers.
#[derive(Clone, Debug)]
pub struct WorkerPool(Arc<Semaphore>);

impl WorkerPool {
    /// A pool of `count` workers, at least one.
    pub fn new(count: usize) -> Self {
        WorkerPool(Arc::new(Semaphore::new(count.max(1))))
    }

    /// Runs work when a worker is free. Dropping the future cancels the work.
    pub async fn run<R, F>(&self, work: F) -> Result<R, WorkFailed>
    where
        R: Send + 'static,
        F: FnOnce(&CancelFlag) -> R + Send + 'static,
    {
        self.run_unless(CancelFlag::default(), work).await
    }

    /// Runs work with a cancellation flag that the caller may set too.
    pub async fn run_unless<R, F>(&self, cancel: CancelFlag, work: F) -> Result<R, WorkFailed>
    where
        R: Send + 'static,
        F: FnOnce(&CancelFlag) -> R + Send + 'static,
    {
        let _abandoned = Abandoned(cancel.clone());
        let slot = self.0.clone().acquire_owned().await.map_err(|_| WorkFailed)?;
        let job = spawn_blocking(move || {
            let _slot = slot;
            if cancel.is_cancelled() {
                return Err(WorkFailed);
            }
            catch_unwind(AssertUnwindSafe(|| work(&cancel))).map_err(|_| WorkFailed)
        });
        job.await.unwrap_or(Err(WorkFailed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[tokio::test]
    async fn a_panic_is_a_failure_and_frees_its_worker() {
        let workers = WorkerPool::new(1);
        for _ in 0..3 {
            assert_eq!(
                workers.run(|_| -> u8 { panic!("a bug in a handler (this test wants one)") }).await,
                Err(WorkFailed)
            );
        }
        assert_eq!(workers.run(|_| 7).await, Ok(7));
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_sees_its_flag_and_what_waits_behind_never_begins() {
        let workers = WorkerPool::new(1);
        let (begun, has_begun) = mpsc::channel();
        let (seen, was_seen) = mpsc::channel();
        let first = tokio::spawn({
            let workers = workers.clone();
            async move {
                workers
                    .run(move |cancel| {
                        begun.send(()).expect("the test listens");
                        while !cancel.is_cancelled() {
                            std::thread::yield_now();
                        }
                        seen.send(()).expect("the test listens");
                    })
                    .await
            }
        });
        tokio::task::spawn_blocking(move || has_begun.recv()).await.expect("no panic").expect("the first work begins");
        let second = tokio::spawn({
            let workers = workers.clone();
            async move { workers.run(|_| unreachable!("was cancelled before its turn")).await }
        });
        tokio::task::yield_now().await;
        second.abort();
        first.abort();
        tokio::task::spawn_blocking(move || was_seen.recv())
            .await
            .expect("no panic")
            .expect("the flag reaches the work");
        assert_eq!(workers.run(|_| "next").await, Ok("next"));
    }
}
