//! What the directives of a kernel say about its launch.

use program::Dimensions;
use syntax::{FunctionHead, HeadDirective, integer_value};

/// The sizes that a kernel can be launched with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchBounds {
    /// The block of `.reqntid`.
    pub block: Option<Dimensions>,
    /// The most threads of a CTA, by `.maxntid`.
    pub most_threads: Option<u64>,
    /// The cluster of `.reqnctapercluster`.
    pub cluster: Option<Dimensions>,
}

impl LaunchBounds {
    /// Reads the directives of a kernel.
    pub fn of(head: &FunctionHead) -> Self {
        let find = |word: &str| head.directives.iter().find(|directive| directive.word.text == word).and_then(sizes);
        Self {
            block: find(".reqntid"),
            most_threads: find(".maxntid").map(Dimensions::count),
            cluster: find(".reqnctapercluster"),
        }
    }

    /// The block of a launch: the given one, or the one that the kernel requires.
    ///
    /// # Errors
    /// A message if the kernel cannot be launched with the given one.
    pub fn block(&self, given: Option<Dimensions>) -> Result<Dimensions, String> {
        let block = chosen(given, self.block, "block", ".reqntid")?;
        match self.most_threads {
            Some(most) if block.count() > most => {
                Err(format!("block of {} threads: `.maxntid` of the kernel allows {most}", block.count()))
            }
            _ => Ok(block),
        }
    }

    /// The cluster of a launch: the given one, or the one that the kernel requires.
    ///
    /// # Errors
    /// A message if the kernel cannot be launched with the given one.
    pub fn cluster(&self, given: Option<Dimensions>) -> Result<Dimensions, String> {
        chosen(given, self.cluster, "cluster", ".reqnctapercluster")
    }
}

fn chosen(
    given: Option<Dimensions>,
    required: Option<Dimensions>,
    name: &str,
    directive: &str,
) -> Result<Dimensions, String> {
    match (given, required) {
        (Some(given), Some(required)) if given != required => {
            Err(format!("{name} of {given}: `{directive}` of the kernel requires {required}"))
        }
        (given, required) => Ok(given.or(required).unwrap_or_default()),
    }
}

/// The one to three sizes of a directive.
fn sizes(directive: &HeadDirective) -> Option<Dimensions> {
    let mut sizes = [1; 3];
    for (size, value) in sizes.iter_mut().zip(&directive.values) {
        *size = u32::try_from(integer_value(&value.text)?).ok()?;
    }
    Some(Dimensions(sizes))
}
