//! Returns the memory of closed documents to the system.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time from the close of a document to the release: cancelled checks end meanwhile, and several documents close together.
const DELAY: Duration = Duration::from_millis(500);

/// Whether a release is due.
#[derive(Clone, Debug, Default)]
pub struct MemoryRelease(Arc<AtomicBool>);

impl MemoryRelease {
    /// Releases unused memory after a delay, once for all calls until then.
    pub fn release_later(&self, runtime: &tokio::runtime::Handle) {
        if self.0.swap(true, Ordering::Relaxed) {
            return;
        }
        let is_due = self.0.clone();
        runtime.spawn(async move {
            tokio::time::sleep(DELAY).await;
            is_due.store(false, Ordering::Relaxed);
            let _ = tokio::task::spawn_blocking(syntax::release_unused_memory).await;
        });
    }
}
