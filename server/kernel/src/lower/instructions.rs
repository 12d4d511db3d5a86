//! Instructions by their mnemonic.

use crate::lower::accesses;
use crate::lower::atomics;
use crate::lower::calls;
use crate::lower::collectives;
use crate::lower::copies;
use crate::lower::function::FunctionLowering;
use crate::lower::images;
use crate::lower::launch_control;
use crate::lower::matrices;
use crate::lower::matrix_products;
use crate::lower::mbarriers;
use crate::lower::moves;
use crate::lower::opcode::InstructionWords;
use crate::lower::operands::ConstantKind;
use crate::lower::tensor_copies;
use crate::lower::tensor_memory;
use crate::lower::warpgroup;
use isa::types::Scope;
use program::{FenceSemantics, FencedMemory, MachineAction, MemorySpace, OrderedMemory};
use syntax::{Instruction, Operand};

impl FunctionLowering<'_, '_> {
    /// Lowers an instruction; `None` if the machine does not have it.
    pub fn lower_instruction(&mut self, words: &InstructionWords, instruction: &Instruction) -> Option<()> {
        if words.mnemonic == "call" {
            return calls::call(self, instruction);
        }
        let operands = instruction.operands();
        match &*words.mnemonic {
            "mov" => moves::mov(self, words, &operands),
            "ld" | "ldu" => accesses::load(self, words, &operands),
            "st" if words.has("async") => copies::store_async(self, words, &operands),
            "st" if words.has("bulk") => copies::store_bulk(self, words, &operands),
            "st" => accesses::store(self, words, &operands),
            "red" if words.has("async") => copies::reduce_async(self, words, &operands),
            "atom" | "red" => atomics::atomic(self, words, &operands),
            "cvta" => moves::convert_address(self, words, &operands),
            "isspacep" => moves::is_space(self, words, &operands),
            "mapa" => moves::map_to_rank(self, &operands),
            "getctarank" => moves::rank_of(self, &operands),
            "and" if let Some(mask) = self.pair_mask(instruction, &operands) => {
                moves::map_to_first_of_pair(self, &mask)
            }
            "bra" => {
                self.branch(&operands.first()?.token.text);
                Some(())
            }
            "brx" => {
                let [index, list] = &*operands else { return None };
                let index = self.source(index, ConstantKind::Bits)?;
                self.branch_indexed(index, &list.token.text);
                Some(())
            }
            "ret" => self.simple(MachineAction::Return),
            "exit" => self.simple(MachineAction::Exit),
            "trap" => self.simple(MachineAction::Trap),
            "bar" | "barrier" => collectives::barrier(self, words, &operands),
            "shfl" | "vote" | "match" | "redux" | "elect" | "activemask" => {
                collectives::collective(self, words, &operands)
            }
            "ldmatrix" | "stmatrix" | "movmatrix" => matrices::matrix(self, words, &operands),
            "mma" => matrix_products::warp_product(self, words, &operands),
            "wmma" => matrix_products::warp_matrix(self, words, &operands),
            "wgmma" => warpgroup::warpgroup(self, words, &operands),
            "tcgen05" => tensor_memory::tensor_memory(self, words, &operands),
            "multimem" => accesses::multimem(self, words, &operands),
            "mbarrier" => mbarriers::mbarrier(self, words, &operands),
            "cp" => copies::copy(self, words, &operands),
            "tensormap" => tensor_copies::tensor_map(self, words, &operands),
            "tex" => images::texture_read(self, words, &operands),
            "suld" | "sust" => images::surface_access(self, words, &operands),
            "txq" | "suq" => images::image_query(self, words, &operands),
            "fence" | "membar" => self.fence(words, &operands),
            "griddepcontrol" if words.has("wait") => self.simple(MachineAction::WaitForEarlierKernel),
            "griddepcontrol" => self.simple(MachineAction::LaunchDependents),
            "clusterlaunchcontrol" => launch_control::launch_control(self, words, &operands),
            "stacksave" | "stackrestore" | "alloca" => self.stack(words, &operands),
            "createpolicy" => self.policy(&operands),
            mnemonic if has_no_effect(mnemonic) => self.simple(MachineAction::Nothing),
            _ => self.scalar(words, &operands),
        }
    }

    fn simple(&mut self, action: MachineAction) -> Option<()> {
        self.emit(action);
        Some(())
    }

    fn fence(&mut self, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
        let is_proxy = words.has("proxy") || words.modifiers.iter().any(|word| word.starts_with("proxy"));
        if is_proxy {
            let semantics = has_order(words).then(|| fence_semantics(words));
            // What a release publishes includes its proxy fence, and what an acquire fences is what it acquires.
            let (before, after) = match semantics {
                Some(semantics) if !semantics.acquires => (None, Some(semantics)),
                semantics => (semantics, None),
            };
            let acquired = operands.first().filter(|_| words.has("tensormap::generic"));
            let proxy = match acquired {
                Some(map) => MachineAction::AcquireTensorMap(self.address(map, MemorySpace::Generic)?),
                None => proxy_fence(words),
            };
            let fences = [before.map(MachineAction::Fence), Some(proxy), after.map(MachineAction::Fence)];
            fences.into_iter().flatten().for_each(|fence| self.emit(fence));
            return Some(());
        }
        self.simple(MachineAction::Fence(fence_semantics(words)))
    }

    /// A cache policy is a value that nothing depends on.
    fn policy(&mut self, operands: &[Operand]) -> Option<()> {
        let destination = self.destination(operands.first()?)?;
        let zero = self.constant(0);
        self.simple(MachineAction::Move(destination, zero))
    }

    fn stack(&mut self, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
        match &*words.mnemonic {
            "alloca" => {
                let destination = self.destination(operands.first()?)?;
                let size = self.source(operands.get(1)?, ConstantKind::Bits)?;
                self.simple(MachineAction::AllocateLocal(destination, size))
            }
            // Memory of `alloca` is freed when the function returns.
            "stacksave" => self.policy(operands),
            _ => self.simple(MachineAction::Nothing),
        }
    }
}

/// What a fence orders.
fn fence_semantics(words: &InstructionWords) -> FenceSemantics {
    let scope = words.one_of(&[("gl", Scope::Gpu)]).or_else(|| words.scope()).unwrap_or(Scope::Sys);
    let acquires = !words.has("release");
    let releases = !words.has("acquire");
    let is_sequential = words.has("sc") || words.mnemonic == "membar";
    let is_restricted = words.modifiers.iter().any(|word| word.starts_with("sync_restrict::shared"));
    let memory = match words.has("mbarrier_init") {
        true => OrderedMemory::Mbarriers,
        false if is_restricted => OrderedMemory::Shared,
        false => OrderedMemory::All,
    };
    FenceSemantics { releases, acquires, scope, is_sequential, memory }
}

/// Whether a proxy fence is a release or an acquire of all of memory, too. One that is restricted to shared memory, or to reads, is less than that.
fn has_order(words: &InstructionWords) -> bool {
    let is_restricted = words.modifiers.iter().any(|word| word.starts_with("sync_restrict"));
    let is_of_all = words.modifiers.iter().any(|word| {
        matches!(&**word, "tensormap::generic" | "alias") || word.starts_with("fabric::") || word.ends_with("::fabric")
    });
    is_of_all && !is_restricted && ["acquire", "release", "acq_rel"].iter().any(|order| words.has(order))
}

/// What a proxy fence does to proxies: those of the async proxy order bulk copies after ordinary writes. Nothing here uses the fabric or an alias.
fn proxy_fence(words: &InstructionWords) -> MachineAction {
    if words.has("tensormap::generic") {
        return MachineAction::ProxyFence(FencedMemory::ReleasedTensorMap);
    }
    if !words.has("async") && !words.has("async::generic") {
        return MachineAction::Nothing;
    }
    let is_shared = |word: &str| word.starts_with("shared::") || word.starts_with("sync_restrict::shared::");
    MachineAction::ProxyFence(match () {
        () if words.has("global") => FencedMemory::Global,
        () if words.modifiers.iter().any(|word| is_shared(word)) => FencedMemory::Shared,
        () => FencedMemory::All,
    })
}

/// Whether an instruction changes neither registers nor memory: hints, and waits for what is done at once here.
fn has_no_effect(mnemonic: &str) -> bool {
    matches!(
        mnemonic,
        "nanosleep" | "prefetch" | "prefetchu" | "discard" | "applypriority" | "setmaxnreg" | "pmevent" | "brkpt"
    )
}
