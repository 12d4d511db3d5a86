//! What the exploration of all executions of a kernel assumes of the device, so that loops which wait come to an end.

use isa::target::Target;

/// The first architecture whose lanes are scheduled independently.
const INDEPENDENT_LANES: u16 = 70;

/// Whether a target promises that a lane goes on while another lane of its warp waits for it.
pub fn schedules_lanes(target: Option<Target>) -> bool {
    target.is_none_or(|target| target.number() >= INDEPENDENT_LANES)
}

/// The fairness that the exploration assumes, one sentence each, without a full stop.
pub fn fairness(target: Option<Target>) -> [&'static str; 3] {
    [
        match schedules_lanes(target) {
            true => "every thread is scheduled again and again",
            false => {
                "every thread is scheduled again and again, which targets before sm_70 promise for warps, not for the lanes of one"
            }
        },
        "a read that is repeated sees the last write in the end",
        "asynchronous copies and barriers complete as soon as they can",
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_a_warp_are_scheduled_since_sm_70() {
        let scheduled = ["sm_61", "sm_70", "sm_100a"].map(|name| schedules_lanes(Target::parse(name)));
        assert_eq!((scheduled, schedules_lanes(None)), ([false, true, true], true));
    }
}
