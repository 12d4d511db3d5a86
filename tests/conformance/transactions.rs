//! The transactions of atomics against the counters of an H100: tests/evidence/transactions.

use kernel::reports::transactions::{LaneAccess, transactions};
use machine::ObservedMemory;

/// A pattern of addresses, and what an execution took.
struct Recorded {
    instruction: String,
    offsets: Vec<Option<u64>>,
    cycles: f64,
    sectors: Option<f64>,
    turns: Option<f64>,
}

impl Recorded {
    fn read() -> Vec<Self> {
        let text = support::gunzip(&support::evidence("transactions").join("patterns.tsv.gz"));
        let line = |line: &str| {
            let columns: Vec<&str> = line.split('\t').collect();
            Self {
                instruction: columns[0].to_owned(),
                offsets: columns[2].split(',').map(|offset| offset.parse().ok()).collect(),
                cycles: columns[3].parse().expect("a number"),
                sectors: columns[4].parse().ok(),
                turns: columns[6].parse().ok(),
            }
        };
        text.lines().skip(1).map(line).collect()
    }

    fn is_shared(&self) -> bool {
        self.instruction.starts_with("shared")
    }

    /// What the rule says.
    fn transactions(&self) -> f64 {
        let size = match &*self.instruction {
            "red_u64" | "shared_exch_b64" => 8,
            "red_v4_f32" => 16,
            _ => 4,
        };
        let memory = |offset: u64| match self.is_shared() {
            true => ObservedMemory::Shared { cta: 0, offset },
            false => ObservedMemory::Global(0x7000_0000_0000 + offset),
        };
        let lanes = self.offsets.iter().zip(0..);
        let accesses: Vec<LaneAccess> =
            lanes.filter_map(|(offset, lane)| Some(LaneAccess { lane, memory: memory((*offset)?), size })).collect();
        transactions(&accesses) as f64
    }
}

#[test]
fn global_atomics_are_the_sectors_that_the_gpu_updates() {
    let all = Recorded::read();
    let global = all.iter().filter(|one| !one.is_shared());
    let (mut count, mut more) = (0, Vec::new());
    for one in global {
        let counted = one.sectors.expect("all have counters");
        count += 1;
        if counted != one.transactions() {
            more.push(counted - one.transactions());
        }
    }
    assert_eq!((count, more.len()), (409, 6));
    assert!(more.iter().all(|more| (1.0..=2.0).contains(more)), "{more:?}");
}

#[test]
fn shared_atomics_are_the_turns_that_the_gpu_takes() {
    let all = Recorded::read();
    let counted: Vec<&Recorded> = all.iter().filter(|one| one.is_shared() && one.turns.is_some()).collect();
    assert_eq!(counted.len(), 151);
    for one in counted {
        assert_eq!(one.turns, Some(one.transactions()), "{} {:?}", one.instruction, one.offsets);
    }
}

#[test]
fn shared_atomics_take_the_cycles_of_their_turns() {
    let all = Recorded::read();
    for (instruction, first, each) in [("shared_cas_b32", 39.4, 4.0), ("shared_exch_b64", 40.4, 2.0)] {
        let whole = |one: &&Recorded| one.instruction == instruction && one.offsets.iter().all(Option::is_some);
        let patterns: Vec<&Recorded> = all.iter().filter(whole).collect();
        assert!(patterns.len() > 60, "{}", patterns.len());
        for one in patterns {
            let expected = first + each * one.transactions();
            assert!((one.cycles - expected).abs() < 0.5, "{instruction} {:?}: {expected}", one.offsets);
        }
    }
}
