//! The rounds of loops, for an exploration of all executions, whose result says how far it went.

use ordering::Agent;
use program::problem::CodePlace;
use std::collections::BTreeMap;

/// How often a thread has repeated a loop.
#[derive(Clone, Copy, Debug, Default)]
struct Rounds {
    /// Since it last entered it.
    now: u32,
    /// The most at once.
    most: u32,
}

/// How often each thread has repeated each loop, by the first instruction of the loop.
#[derive(Clone, Debug, Default)]
pub struct LoopRounds {
    of_threads: BTreeMap<(Agent, CodePlace), Rounds>,
}

impl LoopRounds {
    /// A thread jumps back: it repeats a loop, and enters those within again.
    pub fn repeat(&mut self, agent: Agent, from: CodePlace, to: u32) {
        let first = CodePlace { instruction: to, ..from };
        for (_, rounds) in
            self.of_threads.range_mut((agent, first)..=(agent, from)).skip_while(|(key, _)| key.1 == first)
        {
            rounds.now = 0;
        }
        let rounds = self.of_threads.entry((agent, first)).or_default();
        rounds.now += 1;
        rounds.most = rounds.most.max(rounds.now);
    }

    /// Each loop that was repeated, with the most rounds of a thread.
    pub fn most(&self) -> impl Iterator<Item = (CodePlace, u32)> {
        self.of_threads.iter().map(|((_, place), rounds)| (*place, rounds.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_loops_begin_again_with_each_round_of_the_outer_one() {
        let agent = Agent { warp: 0, lane: 0 };
        let place = |instruction| CodePlace { function: 0, instruction };
        let mut rounds = LoopRounds::default();
        for inner in [3, 1] {
            (0..inner).for_each(|_| rounds.repeat(agent, place(7), 5));
            rounds.repeat(agent, place(9), 2);
        }
        assert_eq!(rounds.most().collect::<Vec<_>>(), [(place(2), 2), (place(5), 3)]);
    }
}
