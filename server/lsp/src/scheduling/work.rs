//! A pool of threads for CPU-bound work, with cancellation.

use crate::scheduling::turn::{SlowWorkers, TIME_SLICE, Turn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Maximum number of threads of a pool, with those that wait.
const MAX_THREADS: usize = 64;

/// Time between two attempts of [`CancelFlag::wait_for`].
const RETRY_INTERVAL: Duration = Duration::from_millis(2);

/// A cancellation flag that work polls. Polling also lets other work run, see [`Turn`].
#[derive(Clone, Debug, Default)]
pub struct CancelFlag {
    cancelled: Arc<AtomicBool>,
    turn: Option<Arc<Turn>>,
}

impl CancelFlag {
    /// Requests cancellation.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether cancellation was requested. Long work may wait here for a slow worker.
    pub fn is_cancelled(&self) -> bool {
        if let Some(turn) = &self.turn {
            turn.poll(&self.cancelled);
        }
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Waits until `attempt` succeeds, without a worker meanwhile; `None` if cancellation is requested first.
    pub fn wait_for<R>(&self, mut attempt: impl FnMut() -> Option<R>) -> Option<R> {
        loop {
            if let Some(result) = attempt() {
                return Some(result);
            }
            if let Some(turn) = &self.turn {
                turn.release();
            }
            if self.cancelled.load(Ordering::Relaxed) {
                return None;
            }
            std::thread::sleep(RETRY_INTERVAL);
        }
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

/// A pool with a bounded number of workers. Work begins on a quick worker. After a time slice it moves to a slow one, so short work never waits
/// after long work. Work that does not poll loses its quick worker nevertheless.
#[derive(Clone, Debug)]
pub struct WorkerPool {
    /// Bounds the threads, also those that wait for a slow worker.
    threads: Arc<Semaphore>,
    quick: Arc<Semaphore>,
    slow: Arc<SlowWorkers>,
}

impl WorkerPool {
    /// A pool of `count` quick and `count` slow workers, at least one each.
    pub fn new(count: usize) -> Self {
        let count = count.max(1);
        WorkerPool {
            threads: Arc::new(Semaphore::new(count.max(MAX_THREADS))),
            quick: Arc::new(Semaphore::new(count)),
            slow: Arc::new(SlowWorkers::new(count)),
        }
    }

    /// A pool with the same slow workers, but with quick workers and threads of its own: what is queued or waits in one holds up nothing in the other.
    pub fn beside(&self, count: usize) -> Self {
        WorkerPool { slow: self.slow.clone(), ..WorkerPool::new(count) }
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
        let thread = self.threads.clone().acquire_owned().await.map_err(|_| WorkFailed)?;
        let worker = self.quick.clone().acquire_owned().await.map_err(|_| WorkFailed)?;
        let turn = Arc::new(Turn::new(worker, self.slow.clone()));
        let of_job = turn.clone();
        let mut job = spawn_blocking(move || {
            let _thread = thread;
            let cancel = CancelFlag { turn: Some(of_job), ..cancel };
            if cancel.is_cancelled() {
                return Err(WorkFailed);
            }
            catch_unwind(AssertUnwindSafe(|| work(&cancel))).map_err(|_| WorkFailed)
        });
        if let Ok(done) = tokio::time::timeout(TIME_SLICE, &mut job).await {
            return done.unwrap_or(Err(WorkFailed));
        }
        turn.take_back();
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

    #[tokio::test]
    async fn short_work_does_not_wait_behind_long_work() {
        let workers = WorkerPool::new(1);
        let done = CancelFlag::default();
        let long = |done: CancelFlag| {
            let workers = workers.clone();
            tokio::spawn(async move {
                workers.run(move |cancel| while !done.is_cancelled() && !cancel.is_cancelled() {}).await
            })
        };
        let all: Vec<_> = (0..5).map(|_| long(done.clone())).collect();
        tokio::task::yield_now().await;
        assert_eq!(workers.run(|_| "short").await, Ok("short"));
        assert!(all.iter().all(|work| !work.is_finished()));
        done.cancel();
        for work in all {
            assert_eq!(work.await.expect("no panic"), Ok(()));
        }
    }

    #[tokio::test]
    async fn short_work_does_not_wait_for_work_that_does_not_poll() {
        let workers = WorkerPool::new(1);
        let (end, ends) = mpsc::channel::<()>();
        let long = tokio::spawn({
            let workers = workers.clone();
            async move { workers.run(move |_| ends.recv().is_err()).await }
        });
        tokio::task::yield_now().await;
        assert_eq!(workers.run(|_| "short").await, Ok("short"));
        drop(end);
        assert_eq!(long.await.expect("no panic"), Ok(true));
    }

    #[tokio::test]
    async fn short_work_does_not_wait_for_threads_that_wait_in_the_pool_beside() {
        let workers = WorkerPool::new(1);
        let beside = workers.beside(1);
        let waiting: Vec<_> = (0..2 * MAX_THREADS)
            .map(|_| {
                let beside = beside.clone();
                tokio::spawn(async move { beside.run(|cancel| cancel.wait_for(|| None::<()>)).await })
            })
            .collect();
        while beside.threads.available_permits() > 0 {
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
        assert_eq!(workers.run(|_| "short").await, Ok("short"));
        waiting.iter().for_each(tokio::task::JoinHandle::abort);
    }

    #[tokio::test]
    async fn work_that_waits_for_other_work_has_no_worker() {
        let workers = WorkerPool::new(1);
        let (sender, receiver) = mpsc::channel();
        let waiting = tokio::spawn({
            let workers = workers.clone();
            async move { workers.run(move |cancel| cancel.wait_for(|| receiver.try_recv().ok())).await }
        });
        tokio::task::yield_now().await;
        let sent = workers.run(move |_| sender.send(7)).await;
        assert_eq!(sent, Ok(Ok(())));
        assert_eq!(waiting.await.expect("no panic"), Ok(Some(7)));
    }
}
