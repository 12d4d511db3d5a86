//! The progress bar. A page has no terminal to draw it in.

#[cfg(not(target_family = "wasm"))]
use indicatif::{ProgressBar, ProgressDrawTarget};

/// The progress over files, on standard error.
pub struct FileProgress {
    #[cfg(not(target_family = "wasm"))]
    bar: ProgressBar,
}

#[cfg(not(target_family = "wasm"))]
impl FileProgress {
    /// One that is not drawn.
    pub fn hidden() -> Self {
        FileProgress { bar: ProgressBar::hidden() }
    }

    /// One of a number of files.
    pub fn of(files: usize) -> Self {
        FileProgress { bar: ProgressBar::with_draw_target(Some(files as u64), ProgressDrawTarget::stderr()) }
    }

    /// Another file is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }

    /// Removes the bar while something else is written.
    pub fn suspend<R>(&self, action: impl FnOnce() -> R) -> R {
        self.bar.suspend(action)
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(target_family = "wasm")]
impl FileProgress {
    /// One that is not drawn.
    pub fn hidden() -> Self {
        FileProgress {}
    }

    /// One of a number of files, which is not drawn either.
    pub fn of(_: usize) -> Self {
        Self::hidden()
    }

    /// Another file is done.
    pub fn step(&self) {}

    /// Performs an action.
    pub fn suspend<R>(&self, action: impl FnOnce() -> R) -> R {
        action()
    }

    /// The end.
    pub fn finish(&self) {}
}
