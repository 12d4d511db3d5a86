//! The families of `tables/sass.rows`.

use crate::sass::SassFamily;
use crate::sass::read::read;
use crate::tables::rows::{expect_read, rows_file};
use std::sync::LazyLock;

static FAMILIES: LazyLock<Vec<SassFamily>> = LazyLock::new(|| expect_read(read(rows_file!("sass.rows"))));

/// Every family. `RED` has one in each dialect.
pub fn families() -> &'static [SassFamily] {
    &FAMILIES
}

/// The first family of a mnemonic; of two notations the older one.
pub fn named(mnemonic: &str) -> Option<&'static SassFamily> {
    families().iter().find(|family| family.name == mnemonic)
}
