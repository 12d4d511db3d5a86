//! Accesses of `wgmma` to shared memory, and waits for it.

use crate::copies::pending_copy::{CopiedPart, GatheredPart, MemoryRange, Notified, PendingCopy, PendingData};
use crate::state::UnsupportedAt;
use crate::tensor::warpgroup_product;
use crate::tensor::warpgroup_wait;
use crate::threads::executor::{Executor, Step};
use crate::threads::warp::SplitState;
use crate::waiting::synchronize;
use program::copies::async_copy::GroupKind;
use program::lanes::lanes_of;
use program::problem::{MachineAccessKind, ProblemKind};
use program::proxy::AccessProxy;
use program::tensor::warpgroup::{CHUNK, WarpgroupInstruction, WarpgroupMultiply};
use program::waiting::barrier_instruction::Convergence;

/// Executes an instruction of `wgmma` in all lanes of a warp.
pub fn warpgroup(executor: &mut Executor<'_, '_>, instruction: &WarpgroupInstruction, active: u32) -> Step {
    if let Some(step) = synchronize::converge(executor, Convergence::Required, active) {
        return step;
    }
    // The lanes do it together: the first one stands for all.
    let leader = active.trailing_zeros() as usize;
    match instruction {
        WarpgroupInstruction::Multiply(multiply) => begin_multiplication(executor, multiply, leader, active),
        WarpgroupInstruction::Commit => {
            let groups = executor.warp.group_numbers(leader);
            groups.commit(GroupKind::Matrices);
            let committed = groups.current(GroupKind::Matrices);
            executor.machine.ctas[executor.warp.cta].products.insert(executor.warp.number, committed);
        }
        WarpgroupInstruction::Wait(under_way) => {
            let current = executor.warp.group_numbers(leader).current(GroupKind::Matrices);
            let before = current.saturating_sub((*under_way).into());
            if warpgroup_wait::waits_for_products(executor.machine, executor.warp, before) {
                return Step::WaitAt(SplitState::Warpgroup(before), active);
            }
            warpgroup_wait::end_products(executor, before, active);
        }
    }
    Step::Next
}

fn begin_multiplication(executor: &mut Executor<'_, '_>, multiply: &WarpgroupMultiply, leader: usize, active: u32) {
    if executor.machine.explored.clock.is_none() && multiply.product.is_none() {
        let opcode = multiply.opcode.to_string();
        executor.machine.unsupported = Some(UnsupportedAt { place: executor.place(), opcode });
        executor.machine.stopped = true;
        return;
    }
    let cta = executor.warp.cta;
    let length = executor.machine.ctas[cta].shared.len() as u64;
    let (mut parts, mut is_inside) = (Vec::new(), true);
    for matrix in &multiply.matrices {
        executor.require_defined(matrix.descriptor, active);
        let chunks = matrix.placement(executor.values(matrix.descriptor)[leader]).chunks();
        if let Some(outside) = chunks.iter().find(|offset| u64::from(**offset + CHUNK) > length) {
            let (address, size) = (u64::from(*outside), CHUNK.into());
            let access = MachineAccessKind::Read;
            executor.report(ProblemKind::OutOfBounds { access, address, size, nearest: None }, leader);
            is_inside = false;
            continue;
        }
        let part = |offset| GatheredPart::Memory(MemoryRange::Shared(cta, offset), CHUNK as usize);
        parts.extend(chunks.into_iter().map(part));
    }
    let mut begin = executor.begin_copy_clock(leader);
    for lane in lanes_of(active & !(1 << leader)) {
        let clock = executor.begin_copy_clock(lane).clock;
        begin.clock.join(&clock);
    }
    let group = executor.warp.group_numbers(leader).current(GroupKind::Matrices);
    let (thread, place) = (executor.thread(leader), executor.place());
    let reads = PendingCopy {
        thread,
        place,
        begin,
        destination: MemoryRange::Shared(cta, 0),
        length: 0,
        data: PendingData::Gathered(parts.into()),
        reduction: None,
        notified: Notified::Group(GroupKind::Matrices, group),
        proxy: AccessProxy::Async,
        part: CopiedPart::placed([]),
    };
    // Whether they race does not depend on when they are executed, and nobody can tell but who waits for them.
    executor.machine.record_source(&reads);
    match multiply.product.as_ref().filter(|_| is_inside) {
        Some(product) => warpgroup_product::multiply_rows(executor, multiply, product, group, active),
        None => warpgroup_product::set_unknown(executor, &multiply.accumulator, active),
    }
}
