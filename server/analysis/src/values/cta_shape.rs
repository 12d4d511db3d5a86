//! The dimensions of the CTAs of a kernel, by its directives and by the indices of threads that it reads.

use crate::values::FunctionValues;
use syntax::{Item, Number};

/// The number of lanes of a warp.
const WARP_SIZE: u64 = 32;

/// The numbers of threads of a CTA, by the directives of a kernel.
#[derive(Clone, Copy, Debug, Default)]
pub struct CtaShape {
    /// The dimensions of `.reqntid`.
    required: Option<[u64; 3]>,
    /// The dimensions of `.maxntid`. Only their product bounds a CTA.
    maximum: Option<[u64; 3]>,
    /// Whether a directive says that clusters of several CTAs are launched.
    pub is_in_cluster: bool,
}

impl CtaShape {
    /// What the directives of a function say.
    pub(in crate::values) fn of(item: &Item) -> Self {
        let Some(function) = item.head().and_then(|head| head.function()) else { return Self::default() };
        let directive = |word: &str| function.directives.iter().find(|directive| directive.word.text == word);
        let find = |word: &str| {
            let directive = directive(word)?;
            let mut dimensions = [1; 3];
            for (dimension, value) in dimensions.iter_mut().zip(&directive.values) {
                *dimension = Number::integer(&value.text)?;
            }
            Some(dimensions)
        };
        let is_in_cluster = match find(".reqnctapercluster").or_else(|| find(".maxclusterrank")) {
            Some(cluster) => cluster != [1; 3],
            None => directive(".explicitcluster").is_some(),
        };
        CtaShape { required: find(".reqntid"), maximum: find(".maxntid"), is_in_cluster }
    }

    /// Whether the lanes of a warp certainly differ in the first dimension only.
    pub fn has_rows_of_warps(&self) -> bool {
        self.required.is_some_and(|[row, ..]| row % WARP_SIZE == 0)
    }
}

impl FunctionValues<'_> {
    /// What the directives of the function say of its CTAs.
    pub fn cta_shape(&self) -> CtaShape {
        self.graph.cta_shape
    }

    /// The dimensions in which a CTA may have several threads: the first one, and those whose index the function reads or for which a directive gives several.
    pub fn thread_dimensions(&self) -> [bool; 3] {
        let CtaShape { required, maximum, .. } = self.graph.cta_shape;
        if let Some(required) = required {
            return required.map(|number| number > 1);
        }
        let mut found = maximum.unwrap_or_default().map(|number| number > 1);
        found[0] = true;
        for at in 0..self.len() {
            for operand in &self.instruction(at).operands {
                match operand.token.text.trim() {
                    "%tid.y" => found[1] = true,
                    "%tid.z" => found[2] = true,
                    "%tid" => found = [true; 3],
                    _ => {}
                }
            }
        }
        found
    }
}
