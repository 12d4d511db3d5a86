//! The process of the client. The server ends with it, also if its standard input stays open.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Time between two checks whether the process exists.
const INTERVAL: Duration = Duration::from_secs(2);

/// The end of the client's process.
#[derive(Clone, Default)]
pub struct ClientProcess(Arc<Notify>);

impl ClientProcess {
    /// Watches the process that `initialize` names. A process that does not exist now belongs to another system, such as the host of a container.
    /// Must be called inside a tokio runtime.
    pub fn watch(&self, id: u32) {
        if !exists(id) {
            return;
        }
        let ended = self.0.clone();
        tokio::spawn(async move {
            while exists(id) {
                tokio::time::sleep(INTERVAL).await;
            }
            ended.notify_one();
        });
    }

    /// Waits for the end of the process.
    pub async fn ended(&self) {
        self.0.notified().await;
    }
}

#[cfg(unix)]
fn exists(id: u32) -> bool {
    let process = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
    process.is_some_and(|process| rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH))
}

/// On other systems, standard input closes with the client.
#[cfg(not(unix))]
fn exists(_: u32) -> bool {
    false
}
