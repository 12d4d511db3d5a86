//! Parses fences between the generic proxy and others.

use crate::parse::operands::OperandReader;
use crate::test::LitmusError;
use kernel::repairs::modifiers;
use memory_model::{FenceKind, ModelAddress, ModelInstruction, ModelProxyFence, Proxy, Scope};

impl OperandReader<'_, '_, '_> {
    /// Parses `fence.proxy.*` but for `fence.proxy.alias` without an order.
    pub fn proxy_fence(&mut self, modifiers: &[&str]) -> Result<ModelInstruction, LitmusError> {
        if let ["proxy", "tensormap::generic", order, scope] = modifiers {
            return self.tensormap_fence(order, scope);
        }
        let fences = modifiers.split_first().and_then(|(_, rest)| modifiers::ordered_proxy_fence(rest));
        if let Some((last, before)) = fences.as_deref().and_then(<[FenceKind]>::split_last) {
            self.end()?;
            before.iter().for_each(|fence| self.before(ModelInstruction::Fence(*fence)));
            return Ok(ModelInstruction::Fence(*last));
        }
        let is_fabric = |word: &&str| word.contains("fabric") || word.ends_with("::read");
        if modifiers.iter().any(is_fabric) || matches!(modifiers, ["proxy", "alias", ..]) {
            let help = "`.acq_rel` of the fabric, its restrictions, and those to reads are left out of the model";
            return Err(self.opcode_error("proxy fence is not modelled", help));
        }
        let Some(fence) = modifiers.split_first().and_then(|(_, rest)| modifiers::proxy_fence(rest)) else {
            let help = "write `fence.proxy.alias`, `fence.proxy.async`, `fence.proxy.async.shared::cta` or `fence.proxy.async.global`";
            return Err(self.opcode_error("unknown proxy fence", help));
        };
        self.end()?;
        Ok(ModelInstruction::Fence(FenceKind::Proxy(fence)))
    }

    /// `fence.proxy.tensormap::generic.release.gpu`, which hands over to acquires of other threads what is before it, and is a release; and
    /// `fence.proxy.tensormap::generic.acquire.gpu [m], 128`, which is an acquire before a proxy fence for one tensor map.
    fn tensormap_fence(&mut self, order: &str, scope: &str) -> Result<ModelInstruction, LitmusError> {
        let Some(scope) = Scope::parse(scope) else {
            return Err(self.opcode_error("missing scope on a proxy fence", "add `.cta`, `.cluster`, `.gpu` or `.sys`"));
        };
        if order == "release" {
            self.end()?;
            // What the release publishes includes the fence of the proxy.
            self.before(ModelInstruction::Fence(FenceKind::Proxy(ModelProxyFence::release(Proxy::Tensormap))));
            return Ok(ModelInstruction::Fence(FenceKind::Release(scope)));
        }
        if order != "acquire" {
            return Err(self.opcode_error("missing order of a proxy fence", "add `.release` or `.acquire`"));
        }
        let location = match self.place()? {
            ModelAddress::Location(location) => Some(location),
            ModelAddress::Register(..) => None,
        };
        self.constant("a size")?;
        self.end()?;
        self.before(ModelInstruction::Fence(FenceKind::Acquire(scope)));
        let fence = ModelProxyFence { location, ..ModelProxyFence::from_generic(Proxy::Tensormap) };
        Ok(ModelInstruction::Fence(FenceKind::Proxy(fence)))
    }
}
