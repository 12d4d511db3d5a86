//! The registers that an instruction writes.

use super::mbarrier::MbarrierAction;
use super::operand::Destination;
use super::program::{MachineAction, SecondTarget};

impl MachineAction {
    /// The registers that it writes. The results of a call are written later.
    pub fn written(&self) -> Vec<Destination> {
        match self {
            MachineAction::Scalar(scalar) => {
                let second = match scalar.second {
                    SecondTarget::Register(second) => Some(second),
                    SecondTarget::None | SecondTarget::Carry(_) => None,
                };
                scalar.destination.into_iter().chain(second).collect()
            }
            MachineAction::Move(to, _)
            | MachineAction::Pack(to, _)
            | MachineAction::ReadSpecial(to, _)
            | MachineAction::ConvertAddress(to, ..)
            | MachineAction::IsSpace(to, ..)
            | MachineAction::MapToRank(to, ..)
            | MachineAction::RankOf(to, _)
            | MachineAction::AllocateLocal(to, _) => vec![*to],
            MachineAction::Unpack(_, parts) => parts.iter().filter_map(|(to, _)| *to).collect(),
            MachineAction::Load(load) => load.elements.iter().flatten().copied().collect(),
            MachineAction::Atomic(atomic) => atomic.destination.iter().flatten().copied().collect(),
            MachineAction::Collective(collective) => {
                collective.destination.into_iter().chain(collective.predicate).collect()
            }
            MachineAction::Mbarrier(instruction) => match instruction.operation {
                MbarrierAction::Test(to, _) => vec![to],
                MbarrierAction::Arrive { state, .. } => state.into_iter().collect(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }
}
