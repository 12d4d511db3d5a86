//! Expected bytes that differ from the bytes of the copies.

use crate::rules::asynchronous::mbarrier_protocol::{MbarrierUse, MbarrierUses};
use analysis::effects::MbarrierOperation;
use diagnostics::Diagnostic;
use diagnostics::registry::MBARRIER_PROTOCOL;

/// The size of the response of `clusterlaunchcontrol.try_cancel`.
const RESPONSE_BYTES: i64 = 16;

/// The operations of one basic block that expect or complete bytes at the same mbarrier.
struct BlockTransfers<'u> {
    block: usize,
    uses: Vec<&'u MbarrierUse>,
}

/// Checks every mbarrier whose expected bytes and copies are in the same basic blocks. What an mbarrier expects in one block may be copied in another, so that all blocks
/// that may use it have to differ in the same direction.
pub(in crate::rules::asynchronous::mbarrier_protocol) fn check(uses: &MbarrierUses, diagnostics: &mut Vec<Diagnostic>) {
    let flow = uses.effects.flow;
    let Some(blocks) = flow.blocks() else { return };
    let transfers: Vec<&MbarrierUse> = uses.uses.iter().filter(|one| expects(one) || completes(uses, one)).collect();
    let (expectations, copies): (Vec<&MbarrierUse>, Vec<&MbarrierUse>) = transfers.iter().partition(|one| expects(one));
    if expectations.is_empty() && !uses.has_calls {
        return check_unexpected(uses, &copies, diagnostics);
    }
    let is_remote =
        |one: &&MbarrierUse| one.operation == MbarrierOperation::CompleteTx || flow.has(one.at, "multicast::cluster");
    if expectations.is_empty() || copies.is_empty() || uses.has_calls || copies.iter().any(is_remote) {
        return;
    }
    let mut groups: Vec<BlockTransfers> = Vec::new();
    for one in &transfers {
        let block = blocks.of(one.at);
        match groups.iter_mut().find(|group| group.block == block && group.uses[0].is_same(one)) {
            Some(group) => group.uses.push(one),
            None => groups.push(BlockTransfers { block, uses: vec![one] }),
        }
    }
    let differences: Vec<Option<i128>> = groups.iter().map(|group| group.difference(uses)).collect();
    for (group, difference) in groups.iter().zip(&differences) {
        let may_be_same = |(other, _): &(&BlockTransfers, &Option<i128>)| !other.uses[0].is_distinct(group.uses[0]);
        let mut related = groups.iter().zip(&differences).filter(may_be_same);
        let is_certain =
            related.all(|(_, other)| other.is_some_and(|other| other.signum() * difference.unwrap_or(0).signum() >= 0));
        if is_certain && difference.is_some_and(|difference| difference != 0) {
            diagnostics.extend(group.report(uses));
        }
    }
}

impl BlockTransfers<'_> {
    /// The bytes that are expected or copied.
    fn bytes(&self, uses: &MbarrierUses, copied: bool) -> Option<i128> {
        let of_kind = self.uses.iter().filter(|one| completes(uses, one) == copied);
        of_kind.map(|one| bytes(uses, one).map(i128::from)).sum()
    }

    /// How many more bytes are expected than copied; `None` if that is not known, or if one of both is absent.
    fn difference(&self, uses: &MbarrierUses) -> Option<i128> {
        let copies = self.uses.iter().filter(|one| completes(uses, one)).count();
        let is_guarded = self.uses.iter().any(|one| uses.effects.flow.is_guarded(one.at));
        let is_known = !is_guarded && copies > 0 && copies < self.uses.len();
        Some(self.bytes(uses, false)? - self.bytes(uses, true)?).filter(|_| is_known)
    }

    fn report(&self, uses: &MbarrierUses) -> Option<Diagnostic> {
        let flow = uses.effects.flow;
        let (expected, copied) = (self.bytes(uses, false)?, self.bytes(uses, true)?);
        let first = self.uses.iter().find(|one| expects(one))?;
        let copy = self.uses.iter().find(|one| completes(uses, one))?;
        let message = format!("mbarrier expects {expected} bytes, but its copies have {copied} bytes");
        let range = flow.instruction(first.at).opcode.range();
        let found = Diagnostic::new(&MBARRIER_PROTOCOL, range, message).help(format!("expect {copied} bytes"));
        Some(found.related(flow.instruction(copy.at).range.clone(), "a copy that completes on the mbarrier"))
    }
}

/// Checks the first copy that completes on an mbarrier of a kernel in which nothing expects bytes.
fn check_unexpected(uses: &MbarrierUses, copies: &[&MbarrierUse], diagnostics: &mut Vec<Diagnostic>) {
    let flow = uses.effects.flow;
    let has_other = |copy: &MbarrierUse, wanted: fn(&MbarrierOperation) -> bool| {
        uses.uses.iter().any(|one| wanted(&one.operation) && one.fixed() == copy.fixed())
    };
    let is_complete = |copy: &&&MbarrierUse| {
        copy.fixed().is_some()
            && flow.has(copy.at, "mbarrier::complete_tx::bytes")
            && !flow.has(copy.at, "multicast::cluster")
            && has_other(copy, |operation| *operation == MbarrierOperation::Init)
            && has_other(copy, |operation| {
                matches!(operation, MbarrierOperation::Try(..) | MbarrierOperation::Test(..))
            })
    };
    if flow.is_entry()
        && let Some(copy) = copies.iter().find(is_complete)
    {
        let message = "bytes of a copy complete on an mbarrier that expects none";
        diagnostics.push(
            Diagnostic::new(&MBARRIER_PROTOCOL, flow.instruction(copy.at).opcode.range(), message)
                .help("arrive with `mbarrier.arrive.expect_tx` and the number of bytes"),
        );
    }
}

fn expects(one: &MbarrierUse) -> bool {
    match one.operation {
        MbarrierOperation::ExpectTx => true,
        MbarrierOperation::Arrive(arrival) => arrival.expects,
        _ => false,
    }
}

/// Whether bytes complete on the mbarrier; `tcgen05.commit` and `cp.async.mbarrier.arrive` only arrive.
fn completes(uses: &MbarrierUses, one: &MbarrierUse) -> bool {
    match one.operation {
        MbarrierOperation::CompleteTx => true,
        MbarrierOperation::AsyncArrive => uses.effects.flow.has(one.at, "mbarrier::complete_tx::bytes"),
        _ => false,
    }
}

/// The number of bytes that an operation expects or copies; `None` if it is not known.
fn bytes(uses: &MbarrierUses, one: &MbarrierUse) -> Option<i64> {
    let flow = uses.effects.flow;
    let instruction = flow.instruction(one.at);
    let size = match one.operation {
        MbarrierOperation::AsyncArrive => {
            if instruction.is("clusterlaunchcontrol") {
                return Some(RESPONSE_BYTES);
            }
            let is_plain = instruction.is("cp") && instruction.has("bulk") && !instruction.has("tensor");
            instruction.values.get(2).filter(|_| is_plain)?
        }
        _ => instruction.values.last()?,
    };
    flow.constant(size, one.at)
}
