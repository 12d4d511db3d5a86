//! Parses one instruction of a litmus test.

use crate::lexer::{LitmusToken, LitmusTokenKind};
use crate::parse::operands::{Cell, OperandReader};
use crate::parse::reader::{BYTES, LitmusReader};
use crate::test::LitmusError;
use isa::types::{Op, Type};
use kernel::repairs::modifiers;
use memory_model::arithmetic::{Alu, AluOp};
use memory_model::{Access, BarrierLevel, FenceKind, ModelInstruction, ModelOperand, NO_ID, Proxy, Scope, Sem, Update};
use values::{AccessedSpace, Operation, Shape, Subnormals};

type Parsed<'t> = Result<(ModelInstruction, Option<LitmusToken<'t>>), LitmusError>;

/// Parses the instruction of a cell; returns it and the label that it branches to.
pub fn instruction<'t>(reader: &mut LitmusReader<'t>, cell: &Cell<'_, 't>) -> Parsed<'t> {
    let words: Vec<&str> = cell.opcode.text.split('.').collect();
    let (mnemonic, modifiers) = (words[0], &words[1..]);
    let mut operands = OperandReader::new(reader, cell);
    let without_label = |instruction| Ok((instruction, None));
    if let Some(parsed) = operands.tensor(&words).or_else(|| operands.asynchronous(&words)) {
        return parsed.map(|instruction| (instruction, None));
    }
    if let Some((kind, proxy)) = memory(mnemonic) {
        return match kind {
            MemoryOperation::Load => operands.load(modifiers, proxy).map(|instruction| (instruction, None)),
            MemoryOperation::Store => operands.store(modifiers, proxy).map(|instruction| (instruction, None)),
            MemoryOperation::Atomic | MemoryOperation::Reduction => {
                operands.update(modifiers, proxy, kind).map(|instruction| (instruction, None))
            }
        };
    }
    if let Some(compare) = mnemonic.strip_prefix('b').and_then(modifiers::comparison) {
        let (a, b) = (operands.value()?, operands.value()?);
        let label = operands.word("a label")?;
        operands.end()?;
        let branch = ModelInstruction::Branch { when: Some((compare, a, b)), target: 0, guard: false };
        return Ok((branch, Some(label)));
    }
    if let Some(op) = modifiers::arithmetic(mnemonic) {
        let to = operands.register()?;
        let a = operands.value()?;
        let b = if op == AluOp::Move { ModelOperand::Constant(0) } else { operands.value()? };
        operands.end()?;
        return without_label(ModelInstruction::Compute { to, alu: Alu::litmus(op), a, b });
    }
    match mnemonic {
        "goto" | "bra" => {
            let label = operands.word("a label")?;
            operands.end()?;
            Ok((ModelInstruction::Branch { when: None, target: 0, guard: false }, Some(label)))
        }
        "fence" | "membar" if modifiers.first() == Some(&"proxy") && modifiers != ["proxy", "alias"] => {
            without_label(operands.proxy_fence(modifiers)?)
        }
        "fence" => {
            operands.end()?;
            without_label(ModelInstruction::Fence(operands.fence(modifiers)?))
        }
        "membar" => {
            operands.end()?;
            let kind = match modifiers {
                [level] => modifiers::membar(level),
                ["proxy", "alias"] => Some(FenceKind::Alias),
                _ => None,
            };
            let kind = kind.ok_or_else(|| operands.opcode_error("unknown level of `membar`", "write `membar.cta`, `membar.gl` or `membar.sys`"))?;
            without_label(ModelInstruction::Fence(kind))
        }
        "bar" | "barrier" => without_label(operands.barrier(modifiers)?),
        "fabric" | "multimem" | "clusterlaunchcontrol" | "tensormap" => Err(operands.opcode_error(
            &format!("`{mnemonic}` operations are not modelled"),
            "leave them out, or write accesses that stand for them",
        )),
        _ => Err(operands.opcode_error(
            &format!("unknown instruction `{mnemonic}`"),
            "litmus tests have `ld`, `st`, `atom`, `red`, `fence`, `bar.cta.sync`, jumps (`beq` … `goto`) and `add`, `sub`, `mul`, `div`",
        )),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MemoryOperation {
    Load,
    Store,
    Atomic,
    /// Without a result.
    Reduction,
}

fn memory(mnemonic: &str) -> Option<(MemoryOperation, Proxy)> {
    Some(match mnemonic {
        "ld" => (MemoryOperation::Load, Proxy::Generic),
        "tld" => (MemoryOperation::Load, Proxy::Texture),
        "suld" => (MemoryOperation::Load, Proxy::Surface),
        "cold" => (MemoryOperation::Load, Proxy::Constant),
        "st" => (MemoryOperation::Store, Proxy::Generic),
        "sust" => (MemoryOperation::Store, Proxy::Surface),
        "atom" => (MemoryOperation::Atomic, Proxy::Generic),
        "suatom" => (MemoryOperation::Atomic, Proxy::Surface),
        "red" => (MemoryOperation::Reduction, Proxy::Generic),
        "sured" => (MemoryOperation::Reduction, Proxy::Surface),
        _ => return None,
    })
}

/// Whether a modifier is ignored in a litmus test: types and state spaces.
fn is_ignored(word: &str) -> bool {
    Type::parse(word).is_some() || matches!(word, "global" | "shared" | "shared::cta" | "shared::cluster" | "local")
}

impl OperandReader<'_, '_, '_> {
    fn load(&mut self, modifiers: &[&str], proxy: Proxy) -> Result<ModelInstruction, LitmusError> {
        let access = self.access(modifiers, proxy, &[Sem::Weak, Sem::Relaxed, Sem::Acquire])?;
        let to = self.register()?;
        let next = self.next_operand();
        let value = next.is_some_and(|token| token.kind == LitmusTokenKind::Number || self.is_register(token.text));
        if value && modifiers.is_empty() && proxy == Proxy::Generic {
            let a = self.value()?;
            self.end()?;
            return Ok(ModelInstruction::Compute {
                to,
                alu: Alu::litmus(AluOp::Move),
                a,
                b: ModelOperand::Constant(0),
            });
        }
        let at = self.address()?;
        self.end()?;
        Ok(ModelInstruction::Load { to: Some(to), at, bytes: BYTES, access })
    }

    fn store(&mut self, modifiers: &[&str], proxy: Proxy) -> Result<ModelInstruction, LitmusError> {
        let access = self.access(modifiers, proxy, &[Sem::Weak, Sem::Relaxed, Sem::Release])?;
        let (at, value) = (self.address()?, self.value()?);
        self.end()?;
        Ok(ModelInstruction::Store { at, value, bytes: BYTES, access })
    }

    fn update(
        &mut self,
        modifiers: &[&str],
        proxy: Proxy,
        kind: MemoryOperation,
    ) -> Result<ModelInstruction, LitmusError> {
        let reduction = kind == MemoryOperation::Reduction;
        let (mut rest, mut op, mut signed) = (Vec::new(), None, true);
        for word in modifiers {
            match (Op::parse(word), *word) {
                (Some(known), _) => op = Some(Ok(known)),
                (None, "sub") => op = Some(Err(AluOp::Sub)),
                (None, "mul") => op = Some(Err(AluOp::Mul)),
                (None, "div") => op = Some(Err(AluOp::Div)),
                (None, "u32" | "u64") => signed = false,
                (None, other) => rest.push(other),
            }
        }
        let Some(op) = op else {
            return Err(self.opcode_error("missing operation", "write `atom.relaxed.gpu.add r0, x, 1`"));
        };
        let mut access = self.access(&rest, proxy, &[Sem::Relaxed, Sem::Acquire, Sem::Release, Sem::AcqRel])?;
        if access.order == Sem::Weak {
            access.order = Sem::Relaxed;
        }
        let to = if reduction { None } else { Some(self.register()?) };
        let at = self.address()?;
        let b = self.value()?;
        let c = if op == Ok(Op::Cas) { self.value()? } else { ModelOperand::Constant(0) };
        self.end()?;
        let ty = match op {
            Ok(Op::Inc | Op::Dec) => Type::U64,
            Ok(Op::Cas | Op::Exch | Op::And | Op::Or | Op::Xor) => Type::B64,
            _ if signed => Type::S64,
            _ => Type::U64,
        };
        let update = match op {
            Err(alu) => Update::Other(Alu::litmus(alu)),
            Ok(op) => match Shape::new(ty, 1)
                .map(|shape| Operation::new(op, shape, Subnormals::Default, AccessedSpace::Global))
            {
                Some(Ok(operation)) => Update::Ptx(operation),
                _ => return Err(self.opcode_error("unsupported operation", "use another operation")),
            },
        };
        Ok(ModelInstruction::Update { to, at, update, b, c, bytes: BYTES, access, reduction })
    }

    fn access(&self, modifiers: &[&str], proxy: Proxy, allowed: &[Sem]) -> Result<Access, LitmusError> {
        let (mut order, mut scope) = (None, None);
        for word in modifiers.iter().filter(|word| !is_ignored(word)) {
            if let Some(known) = Scope::parse(word) {
                scope = Some(known);
                continue;
            }
            let Some((known, also)) = modifiers::order(word) else {
                return Err(match *word {
                    "sc" => self.opcode_error(
                        "`.sc` is not allowed on memory operations",
                        "insert `fence.sc` before the operation",
                    ),
                    _ => self.opcode_error(&format!("unexpected modifier `.{word}`"), "remove it"),
                });
            };
            (order, scope) = (Some(known), also.or(scope));
        }
        let atomic = !allowed.contains(&Sem::Weak);
        let order = order.unwrap_or(if atomic { Sem::Relaxed } else { Sem::Weak });
        if !allowed.contains(&order) {
            let word = modifiers.iter().find(|word| matches!(**word, "acquire" | "release" | "acq_rel" | "weak"));
            return Err(self.opcode_error(
                &format!("`.{}` is not allowed on this instruction", word.unwrap_or(&"")),
                "write `.acquire` on loads and `.release` on stores",
            ));
        }
        if order == Sem::Weak && scope.is_some() {
            return Err(self.opcode_error("scope on a weak operation", "remove the scope, or write `.relaxed`"));
        }
        if order != Sem::Weak && scope.is_none() && !atomic {
            return Err(
                self.opcode_error("missing scope on a strong operation", "add `.cta`, `.cluster`, `.gpu` or `.sys`")
            );
        }
        Ok(Access { order, scope: scope.unwrap_or(Scope::Gpu), proxy })
    }

    fn fence(&self, modifiers: &[&str]) -> Result<FenceKind, LitmusError> {
        let kind = modifiers::fence(modifiers);
        kind.ok_or_else(|| {
            if modifiers.iter().any(|word| word.starts_with("sync_restrict") || *word == "alias") {
                return self.opcode_error("fence is not modelled", "use a fence without `.sync_restrict`, which orders more");
            }
            let help =
                "write `fence.sc.gpu`, `fence.acq_rel.gpu`, `fence.acquire.gpu`, `fence.release.gpu` or `fence.proxy.alias`";
            self.opcode_error("unknown fence", help)
        })
    }

    /// `bar.cta.sync INSTANCE{, ID{, QUORUM}}`, or the PTX instructions `bar.sync ID{, QUORUM}` and `barrier.cluster.arrive`.
    fn barrier(&mut self, modifiers: &[&str]) -> Result<ModelInstruction, LitmusError> {
        let (mut level, mut mode, mut named, mut orders) = (BarrierLevel::Cta, None, false, true);
        for word in modifiers {
            match *word {
                "cta" => named = true,
                "cluster" => level = BarrierLevel::Cluster,
                "relaxed" => orders = false,
                "aligned" | "release" | "acquire" => {}
                _ if modifiers::mode(word).is_some() => mode = modifiers::mode(word),
                _ => return Err(self.opcode_error(&format!("unexpected modifier `.{word}`"), "write `bar.cta.sync 0`")),
            }
        }
        let Some(mode) = mode else {
            return Err(self.opcode_error("missing barrier operation", "write `bar.cta.sync 0`"));
        };
        let none = ModelOperand::Constant(NO_ID);
        if level == BarrierLevel::Cluster {
            self.end()?;
            return Ok(ModelInstruction::Barrier { level, instance: 0, id: none, quorum: None, mode, orders });
        }
        let first = self.value()?;
        let second = self.optional()?;
        let third = self.optional()?;
        self.end()?;
        let (instance, id, quorum) = match (named, first) {
            (true, ModelOperand::Constant(instance)) => (instance as u64, second.unwrap_or(none), third),
            (true, _) => {
                return Err(self.opcode_error("barrier instance must be a number", "write `bar.cta.sync 1, r2`"));
            }
            (false, id) => (0, id, second),
        };
        Ok(ModelInstruction::Barrier { level, instance, id, quorum, mode, orders })
    }
}
