//! What the tests share: paths, evidence, oracles and random numbers.

pub mod markers;
mod rng;
pub mod schema;

pub use rng::{Rng, pick};

use flate2::read::GzDecoder;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The blocks of a page between fences of three backticks, in order: their kinds (`ptx`, `console`) and their texts.
///
/// # Panics
///
/// If a block has no line after its fence.
pub fn page_blocks(page: &str) -> Vec<(&str, &str)> {
    let blocks = page.split("```").skip(1).step_by(2);
    blocks.map(|block| block.split_once('\n').expect("a kind and a text")).collect()
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the root").to_path_buf()
}

/// The folder of recorded answers on a topic.
pub fn evidence(topic: &str) -> PathBuf {
    root().join("tests/evidence").join(topic)
}

/// The text of a gzip file.
pub fn gunzip(path: &Path) -> String {
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text
}

/// The assembler, where it is installed: `PTX_ATOMICS_PTXAS`, else what `tests/run` installs.
pub fn ptxas() -> Option<PathBuf> {
    let given = std::env::var_os("PTX_ATOMICS_PTXAS").map(PathBuf::from);
    let installed = root().join("tests/.tools/bin/ptxas");
    given.or(Some(installed)).filter(|path| path.is_file())
}

/// Says on standard error that a test does nothing here. It is written past the harness, which shows what a passing test prints on request only.
pub fn skipped(reason: &str) {
    let _ = writeln!(std::io::stderr().lock(), "skipped: {reason}");
}

/// Whether to ask the oracles again instead of replaying their recorded answers.
pub fn full() -> bool {
    std::env::var_os("PTX_ATOMICS_FULL").is_some_and(|value| value != "0")
}

/// The binary under test: `PTX_ATOMICS_BIN`, else what cargo built in the profile of this test.
pub fn binary() -> PathBuf {
    if let Some(given) = std::env::var_os("PTX_ATOMICS_BIN") {
        return PathBuf::from(given);
    }
    let test = std::env::current_exe().expect("a test has a path");
    let folder = test.parent().and_then(Path::parent).expect("target/PROFILE/deps/test");
    folder.join(format!("ptx-atomics{}", std::env::consts::EXE_SUFFIX))
}

/// What to do where a committed text is not what the tests would write.
pub const UPDATE: &str = "run the test with PTX_ATOMICS_UPDATE=1 and read the difference";

/// Whether tests write what they else compare with.
pub fn update() -> bool {
    std::env::var_os("PTX_ATOMICS_UPDATE").is_some_and(|value| value == "1")
}

/// Compares a committed file with a text, or writes it.
pub fn check_or_update(path: &Path, text: &str) {
    if update() {
        std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(committed, text, "{}: {UPDATE}", path.display());
}
