//! What the rules on data flow need of a long function and the walk over its statements does not give: another thread makes it meanwhile.

use crate::flow::{FlowGraph, FlowInput, OpcodeTable};
use syntax::{Item, Names, WalkEvent};

/// The length from which a function is long, in bytes: the search for the names of other items then takes a tenth of the time.
const LONG: usize = 1 << 20;

/// What is made of a function before it is known to be needed.
#[derive(Default)]
pub(super) struct EarlyFlow<'a> {
    /// The earlier items whose names the data flow may need.
    pub earlier: Option<Vec<Item<'a>>>,
    pub graph: Option<FlowGraph<'a>>,
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
            FlowGraph::build(input, &names, opcodes)
        });
        EarlyFlow { earlier: Some(earlier), graph }
    }
}
