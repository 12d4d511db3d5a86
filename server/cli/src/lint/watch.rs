//! `--watch`: again whenever a file changes.
//!
//! Must not know what is done again.

use crate::output;
use notify::{EventKind, RecursiveMode, Watcher, recommended_watcher};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

/// Editors write a file in several steps; what follows within this time belongs together.
const PAUSE: Duration = Duration::from_millis(100);

/// Runs at once and after every change at or below the paths, until that is impossible; the error is a sentence for people.
pub fn watch(paths: &[PathBuf], mut run: impl FnMut()) -> Result<(), String> {
    let (sender, changes) = mpsc::channel();
    let tell = move |event: notify::Result<notify::Event>| {
        let matters = event.is_ok_and(|event| !matches!(event.kind, EventKind::Access(_)));
        // Once nobody listens, there is nothing left to tell.
        let _ = matters.then(|| sender.send(()));
    };
    let wrong = |error: notify::Error| format!("cannot watch: {error}");
    let mut watcher = recommended_watcher(tell).map_err(wrong)?;
    for path in paths {
        watcher.watch(path, RecursiveMode::Recursive).map_err(wrong)?;
    }
    loop {
        run();
        // What the run itself wrote is no reason to run again.
        while changes.recv_timeout(PAUSE).is_ok() {}
        output::say("ptx-atomics: watching for changes; Ctrl-C ends");
        changes.recv().map_err(|_| "cannot watch any longer".to_owned())?;
        while changes.recv_timeout(PAUSE).is_ok() {}
    }
}
