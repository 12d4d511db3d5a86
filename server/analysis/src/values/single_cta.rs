//! Whether a kernel is written for a single CTA.

use crate::values::{FunctionValues, Provenance, ThreadRoles};
use std::cell::OnceCell;

/// The maximum number of stores to compare with each other.
const MAX_STORES: usize = 32;

/// Decides on demand whether instructions of a function are probably executed by a single CTA.
pub struct SingleCta<'f, 'a> {
    flow: &'f FunctionValues<'a>,
    /// Whether the function reads which CTA executes it, or may be part of a kernel that does.
    has_several_ctas: OnceCell<bool>,
    is_for_one_thread: OnceCell<bool>,
    roles: OnceCell<Option<ThreadRoles<'f, 'a>>>,
}

impl<'f, 'a> SingleCta<'f, 'a> {
    /// Nothing is decided yet.
    pub fn new(flow: &'f FunctionValues<'a>) -> Self {
        let (has_several_ctas, is_for_one_thread, roles) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        SingleCta { flow, has_several_ctas, is_for_one_thread, roles }
    }

    /// Whether the kernel never reads which CTA executes it, and is for one thread, or chooses one thread for an instruction.
    pub fn executes(&self, at: usize) -> bool {
        let flow = self.flow;
        let has_several_ctas = *self
            .has_several_ctas
            .get_or_init(|| !flow.is_entry() || (0..flow.len()).any(|at| reads_cta_index(flow, at)));
        let is_for_one_thread = || *self.is_for_one_thread.get_or_init(|| is_for_one_thread(flow));
        let roles = || self.roles.get_or_init(|| ThreadRoles::new(flow)).as_ref();
        !has_several_ctas && (is_for_one_thread() || roles().is_some_and(|roles| roles.of(at).has_thread_index()))
    }
}

fn reads_cta_index(flow: &FunctionValues, at: usize) -> bool {
    let is_index = |text: &str| ["%ctaid", "%cluster", "%nclusterid"].iter().any(|index| text.starts_with(index));
    matches!(flow.mnemonic(at), "mov" | "cvt")
        && flow.instruction(at).operands.iter().skip(1).any(|operand| is_index(&operand.token.text))
}

/// Whether a store follows another write of the same memory, so that several threads would overwrite each other.
fn is_for_one_thread(flow: &FunctionValues) -> bool {
    let mut written: Vec<Provenance> = Vec::new();
    for at in (0..flow.len()).filter(|at| matches!(flow.mnemonic(*at), "st" | "atom" | "red")) {
        let address = flow.address_provenance(flow.instruction(at));
        let Some(address) = address.filter(|address| address.offset().is_some()) else { continue };
        if flow.mnemonic(at) == "st" && written.iter().any(|before| before.same(&address)) {
            return true;
        }
        if written.len() < MAX_STORES {
            written.push(address);
        }
    }
    false
}
