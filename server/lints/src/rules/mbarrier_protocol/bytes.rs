//! Expected bytes that differ from the bytes of the copies.

use super::{MbarrierUse, MbarrierUses};
use crate::dataflow::MbarrierOperation;
use diagnostics::Diagnostic;
use diagnostics::registry::MBARRIER_PROTOCOL;

/// Checks every mbarrier that expects bytes in one basic block only, and whose copies are in the same block.
pub(super) fn check(uses: &MbarrierUses, diagnostics: &mut Vec<Diagnostic>) {
    let flow = uses.dataflow.flow;
    let Some(blocks) = flow.blocks() else { return };
    let (expectations, copies): (Vec<&MbarrierUse>, Vec<&MbarrierUse>) =
        uses.uses.iter().filter(|one| expects(one) || completes(one)).partition(|one| expects(one));
    if expectations.is_empty() && !uses.has_calls {
        return check_unexpected(uses, &copies, diagnostics);
    }
    let is_remote =
        |one: &&MbarrierUse| one.operation == MbarrierOperation::CompleteTx || flow.has(one.at, "multicast::cluster");
    if expectations.is_empty() || copies.is_empty() || uses.has_calls || copies.iter().any(is_remote) {
        return;
    }
    for (place, first) in expectations.iter().enumerate() {
        let is_first = !expectations[..place].iter().any(|earlier| earlier.is_same(first));
        // The bytes of an mbarrier that may be the same one are not known.
        let may_be_same = |one: &&&MbarrierUse| !one.is_distinct(first);
        let related: Vec<_> = expectations.iter().chain(&copies).filter(may_be_same).collect();
        let block = blocks.of(first.at);
        let is_known =
            |one: &&&MbarrierUse| one.is_same(first) && blocks.of(one.at) == block && !flow.is_guarded(one.at);
        if !is_first || !related.iter().all(is_known) || !related.iter().any(|one| completes(one)) {
            continue;
        }
        let sum = |copied: bool| -> Option<i64> {
            related.iter().filter(|one| completes(one) == copied).map(|one| bytes(uses, one)).sum()
        };
        if let (Some(expected), Some(copied)) = (sum(false), sum(true))
            && expected != copied
        {
            let message = format!("mbarrier expects {expected} bytes, but its copies have {copied} bytes");
            let range = flow.instruction(first.at).opcode.range();
            let found = Diagnostic::new(&MBARRIER_PROTOCOL, range, message).help(format!("expect {copied} bytes"));
            let copy = related.iter().find(|one| completes(one));
            diagnostics.push(copy.into_iter().fold(found, |found, copy| {
                found.related(flow.instruction(copy.at).range.clone(), "a copy that completes on the mbarrier")
            }));
        }
    }
}

/// Checks the first copy that completes on an mbarrier of a kernel in which nothing expects bytes.
fn check_unexpected(uses: &MbarrierUses, copies: &[&MbarrierUse], diagnostics: &mut Vec<Diagnostic>) {
    let flow = uses.dataflow.flow;
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

fn completes(one: &MbarrierUse) -> bool {
    matches!(one.operation, MbarrierOperation::AsyncArrive | MbarrierOperation::CompleteTx)
}

/// The number of bytes that an operation expects or copies; `None` if it is not known.
fn bytes(uses: &MbarrierUses, one: &MbarrierUse) -> Option<i64> {
    let flow = uses.dataflow.flow;
    let instruction = flow.instruction(one.at);
    let size = match one.operation {
        MbarrierOperation::AsyncArrive => {
            let is_plain = instruction.is("cp") && instruction.has("bulk") && !instruction.has("tensor");
            instruction.values.get(2).filter(|_| is_plain)?
        }
        _ => instruction.values.last()?,
    };
    flow.constant(size, one.at)
}
