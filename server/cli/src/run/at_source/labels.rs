//! What threads do at the places of a problem, in a few words.

use kernel::execution::{KernelEventKind, KernelExecution};
use kernel::reports::step_access::described;
use program::{CodePlace, Dimensions, Launch, Problem, ProblemKind, ThreadId};

/// The names of threads and blocks, by `threadIdx` and `blockIdx`.
pub struct ThreadNames {
    /// The threads of a block, and the blocks of the grid; `None` if several kernels run at the same time.
    sizes: Option<(Dimensions, Dimensions)>,
}

/// What happens at an instruction.
pub struct PlaceLabel {
    /// The instruction.
    pub at: CodePlace,
    /// What.
    pub text: String,
}

impl ThreadNames {
    /// Those of a launch.
    pub fn of(launch: &Launch) -> Self {
        Self { sizes: launch.beside.is_empty().then_some((launch.block, launch.grid)) }
    }

    /// `thread 3 of block 1`, `thread (3, 1, 0) of block 1`
    pub fn thread(&self, ThreadId { cta, thread }: ThreadId) -> String {
        let (block, grid) = self.sizes.unzip();
        format!("thread {} of block {}", index(block, thread), index(grid, cta))
    }

    /// `block 1`
    pub fn block(&self, cta: u32) -> String {
        format!("block {}", index(self.sizes.map(|(_, grid)| grid), cta))
    }

    /// What an event of an execution does.
    pub fn event(&self, execution: &KernelExecution, at: usize) -> String {
        let event = &execution.events[at];
        let thread = self.thread(event.thread);
        let thread = if execution.is_copy(at) { format!("the copy of {thread}") } else { thread };
        match event.kind {
            KernelEventKind::Access => format!("{thread} {}", described(&event.accesses)),
            KernelEventKind::Fence => format!("{thread} executes this fence"),
            KernelEventKind::Barrier => format!("{thread} passes this barrier"),
            KernelEventKind::Wait => format!("{thread} has waited here"),
            KernelEventKind::Problem => format!("{thread} is here"),
        }
    }
}

/// An index in one dimension as a number, in more as `(x, y, z)`.
fn index(size: Option<Dimensions>, linear: u32) -> String {
    match size {
        Some(size @ Dimensions([_, y, z])) if (y, z) != (1, 1) => {
            let [x, y, z] = size.position(linear.into());
            format!("({x}, {y}, {z})")
        }
        _ => linear.to_string(),
    }
}

/// What happens at the places of a problem, that of the problem first.
pub fn of_problem(problem: &Problem, names: &ThreadNames) -> Vec<PlaceLabel> {
    if let ProblemKind::Deadlock { waiting } | ProblemKind::Livelock { waiting } = &problem.kind {
        let label = |group: &program::Waiting| {
            let thread = names.thread(group.thread);
            let text = match group.threads {
                1 => format!("{thread} waits for {}", group.reason),
                more => format!("{thread} and {} more wait for {}", more - 1, group.reason),
            };
            PlaceLabel { at: group.place, text }
        };
        return waiting.iter().map(label).collect();
    }
    let (access, other) = match &problem.kind {
        ProblemKind::DataRace { access, other, .. } | ProblemKind::UnorderedAccess { access, other, .. } => {
            (format!("{access} by "), format!("{other} by "))
        }
        ProblemKind::SameValueRace { .. } => ("write by ".to_owned(), "write by ".to_owned()),
        _ => (String::new(), String::new()),
    };
    let own = PlaceLabel { at: problem.place, text: format!("{access}{}", names.thread(problem.thread)) };
    let related = problem.related.iter();
    let related = related.map(|(thread, at)| PlaceLabel { at: *at, text: format!("{other}{}", names.thread(*thread)) });
    std::iter::once(own).chain(related).collect()
}
