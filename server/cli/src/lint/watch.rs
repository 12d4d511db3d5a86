//! `--watch`: runs again when a file changes.

use crate::output;
use notify::{ErrorKind, EventKind, RecursiveMode, Watcher, recommended_watcher};
use project::read;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

/// Editors write a file in several steps; events within this time are one change.
const PAUSE: Duration = Duration::from_millis(100);

/// Why a path cannot be watched.
fn reason(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::PathNotFound => "no such file or directory".to_owned(),
        ErrorKind::Io(error) => read::reason(error),
        _ => error.to_string(),
    }
}

/// Calls `run` now and after every change at or below the paths. Returns only on an error, which is a message for the user.
pub fn watch(paths: &[PathBuf], mut run: impl FnMut()) -> Result<(), String> {
    let (sender, changes) = mpsc::channel();
    let on_event = move |event: notify::Result<notify::Event>| {
        let is_change = event.is_ok_and(|event| !matches!(event.kind, EventKind::Access(_)));
        if is_change {
            // The receiver is dropped only when watching ends.
            let _ = sender.send(());
        }
    };
    let cannot_watch = |error: notify::Error| format!("cannot watch: {error}");
    let mut watcher = recommended_watcher(on_event).map_err(cannot_watch)?;
    for path in paths {
        let watched = watcher.watch(path, RecursiveMode::Recursive);
        watched.map_err(|error| format!("cannot watch `{}`: {}", path.display(), reason(&error)))?;
    }
    loop {
        run();
        // Ignore the changes that the run itself made.
        while changes.recv_timeout(PAUSE).is_ok() {}
        output::say("ptx-atomics: watching for changes; press Ctrl-C to stop");
        changes.recv().map_err(|_| "cannot watch: the file system watcher stopped".to_owned())?;
        while changes.recv_timeout(PAUSE).is_ok() {}
    }
}
