//! The addresses that calls pass to functions.

use crate::effects::{AccessKind, AddressSpace, FunctionEffects, MemoryEffect, SyncAccess, SyncProxy};
use crate::values::calls;
use crate::values::{OperandValue, Provenance, Root};
use isa::types::{Scope, Sem};

/// The maximum number of instructions between the store of an argument and its call.
const MAX_DISTANCE: usize = 64;

/// An address that a call passes to a function.
pub struct PassedAddress {
    /// The call.
    pub at: usize,
    /// The name of the function.
    pub function: String,
    /// The number of the argument.
    pub argument: usize,
    /// What the address points to.
    pub address: Provenance,
}

impl PassedAddress {
    /// The relaxed access to the address that the function may be.
    pub fn access(&self, kind: AccessKind) -> SyncAccess {
        SyncAccess {
            kind,
            proxy: SyncProxy::Generic,
            asynchronous: false,
            space: AddressSpace::Generic,
            order: Some(Sem::Relaxed),
            scope: Scope::Gpu,
            volatile: false,
            operand: None,
        }
    }
}

impl FunctionEffects<'_, '_> {
    /// The addresses of variables and parameters that the calls of the function pass.
    pub fn passed_addresses(&self) -> Vec<PassedAddress> {
        let mut passed = Vec::new();
        let unknown = self.effects().iter().filter(|(_, effect)| *effect == MemoryEffect::Unknown);
        for (at, _) in unknown {
            let Some(call) = calls::call(self.flow, *at) else { continue };
            for (argument, value) in call.arguments.iter().enumerate() {
                let address = match value {
                    OperandValue::Variable { at: symbol, offset: 0 } => self.argument(*at, *symbol),
                    value => self.flow.provenance(value, *at),
                };
                if let Some(address) = address.filter(|one| matches!(one.root, Root::Variable(_) | Root::Parameter(..)))
                {
                    passed.push(PassedAddress { at: *at, function: call.function.clone(), argument, address });
                }
            }
        }
        passed
    }

    /// The value that is stored to an argument in parameter space before a call.
    fn argument(&self, call: usize, symbol: usize) -> Option<Provenance> {
        let flow = self.flow;
        let blocks = flow.blocks()?;
        let start = blocks.start(blocks.of(call)).max(call.saturating_sub(MAX_DISTANCE));
        let is_argument = |at: &usize| {
            let base = flow.instruction(*at).values.first();
            let is_symbol = |base: &OperandValue| *base == OperandValue::Variable { at: symbol, offset: 0 };
            flow.mnemonic(*at) == "st"
                && flow.has(*at, "param")
                && matches!(base, Some(OperandValue::Address { base, offset: Some(0) }) if is_symbol(base))
        };
        let store = (start..call).rev().find(is_argument)?;
        flow.provenance(flow.instruction(store).values.get(1)?, store)
    }
}
