//! What the rules on data flow need of a long function and the walk over its statements does not give: another thread makes it meanwhile.

use crate::flow::{FlowGraph, OpcodeTable};
use syntax::{BrokenStatement, Item, LintFile, Names, ScannedFunction, WalkEvent};

/// The length from which a function is long, in bytes: the search for the names of other items then takes a tenth of the time.
const LONG: usize = 1 << 20;

/// What is made of a function before it is known to be needed.
#[derive(Default)]
pub(super) struct EarlyFlow<'a> {
    /// The earlier items whose names the data flow may need.
    pub earlier: Option<Vec<Item<'a>>>,
    pub graph: Option<FlowGraph<'a>>,
}

/// What a data flow is built from.
pub(super) struct FlowInput<'i, 'a> {
    pub file: &'a LintFile,
    pub item: &'i Item<'a>,
    pub scanned: Option<&'i ScannedFunction>,
    /// The statements with a syntax error, in order.
    pub broken: &'i [BrokenStatement],
}

impl<'a> FlowInput<'_, 'a> {
    /// Builds the data flow, with the names of the module and the opcodes of other functions.
    pub fn build(&self, names: &Names<'a>, opcodes: OpcodeTable<'a>) -> FlowGraph<'a> {
        FlowGraph::build(self.file, (self.item, self.scanned), names, opcodes, self.broken)
    }
}

impl<'a> EarlyFlow<'a> {
    /// Whether an item is so long that early work pays.
    pub fn is_worthwhile(item: &Item) -> bool {
        item.range().len() >= LONG
    }

    /// Whether the data flow may be built before it is known to be needed: another thread has nothing else to do.
    pub fn may_build() -> bool {
        rayon::current_num_threads() > 1
    }

    /// Finds the earlier items, and builds the data flow if there is something to build it with.
    pub fn of(
        mentioned: impl Fn() -> Vec<Item<'a>>,
        input: Option<(&FlowInput<'_, 'a>, Names<'a>, OpcodeTable<'a>)>,
    ) -> Self {
        let earlier = mentioned();
        let graph = input.map(|(input, mut names, opcodes)| {
            let declared = earlier.iter().flat_map(|item| item.declarations());
            declared.for_each(|declaration| names.follow(&WalkEvent::Declare(declaration)));
            input.build(&names, opcodes)
        });
        EarlyFlow { earlier: Some(earlier), graph }
    }
}
