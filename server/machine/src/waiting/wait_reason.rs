//! What lanes wait for, in words.

use crate::state::Machine;
use crate::threads::warp::{Polled, Split, SplitState, Warp};
use program::lanes::WARP_SIZE;
use program::launch::kernel_launch::ThreadId;
use program::problem::{CodePlace, Waiting};

/// What lanes wait for.
pub fn waiting(machine: &Machine<'_>, warp: &Warp, split: &Split) -> Waiting {
    let cta = &machine.ctas[warp.cta];
    let (reason, behind) = match split.state {
        SplitState::CtaBarrier(wait) => {
            let missing = cta.barriers[wait.barrier].missing(cta.live);
            (format!("barrier {}: {missing} have to arrive", wait.barrier), 1)
        }
        SplitState::ClusterBarrier(_) => {
            let cluster = &machine.clusters[cta.cluster];
            let missing = cluster.live.saturating_sub(cluster.arrived);
            (format!("the barrier of the cluster: {missing} more threads have to arrive"), 1)
        }
        SplitState::WarpBarrier(_) | SplitState::LaneValues { .. } => ("other lanes of the warp".to_owned(), 0),
        SplitState::Ready => ("lanes of the warp that run first, as before sm_70".to_owned(), 0),
        SplitState::TensorMemory(columns) => (format!("{columns} free columns of tensor memory"), 0),
        SplitState::Warpgroup(_) => ("the products of the other warps of the warpgroup".to_owned(), 0),
        SplitState::Spinning(_) => (polled(machine, warp.polled.filter(|_| !split.spin.reads_nothing)), 0),
    };
    let frame = split.stack.last().map_or(0, |entry| entry.frame);
    let thread = ThreadId { cta: cta.number, thread: warp.number * WARP_SIZE + split.lanes.trailing_zeros() };
    let place = CodePlace { function: warp.frames[frame].function, instruction: split.next.saturating_sub(behind) };
    Waiting { thread, threads: split.lanes.count_ones(), cta: machine.launch.grid.cta_name(cta.number), place, reason }
}

fn polled(machine: &Machine<'_>, polled: Option<Polled>) -> String {
    match polled {
        Some(Polled::Memory(address)) => {
            let nearest = machine.nearest(address).map_or_else(String::new, |nearest| format!(" ({nearest})"));
            format!("a change of memory at {address:#x}{nearest}")
        }
        Some(Polled::Mbarrier(slot, offset)) => {
            let barrier = machine.ctas[slot].mbarriers.get(&offset);
            let missing = barrier.map_or_else(String::new, |barrier| format!(", which needs {}", barrier.missing()));
            format!("the mbarrier at {offset:#x} of shared memory{missing}")
        }
        None => "nothing: the loop reads no memory that others could change".to_owned(),
    }
}
