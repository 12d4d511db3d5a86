//! A function: its registers, variables and labels, and the order of its instructions.

use crate::lower::pairs::{PairMask, PairMasks};
use crate::module::kernel_module::{DynamicAddress, ModuleLowering};
use crate::module::names::{KernelSymbol, Meaning, NameScopes, Register, RegisterNames};
use crate::module::sizes::{FunctionSizes, PlacedBytes, declared_register};
use crate::reports::debug_names::{FunctionNames, NamedVariable};
use program::{
    Destination, Formal, KernelParameter, MachineAction, MachineFunction, MachineGuard, MachineInstruction,
    MemorySpace, ScalarAction, SecondTarget, Source,
};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;
use syntax::{Declaration, DeclarationKind, DeclaredParameter, FunctionHead, LabelKind, Operand};
use values::scalar::ScalarOperation;

/// A label of a scope.
pub enum LabelMeaning {
    /// The index of the next instruction.
    Instruction(u32),
    /// A list of labels.
    Targets(Vec<String>),
}

/// A branch whose targets are not known yet.
struct UnresolvedBranch {
    /// The index of its instruction.
    at: usize,
    /// The number of scopes around it.
    depth: usize,
    /// Its targets, known ones by their instruction.
    targets: Vec<Result<u32, String>>,
    /// The name of the list of targets.
    list: Option<String>,
}

/// A function that is lowered.
#[derive(Debug, Default)]
pub struct LoweredFunction {
    /// The function.
    pub function: MachineFunction,
    /// The byte range of each instruction.
    pub places: Vec<Range<usize>>,
    /// The names of its registers.
    pub registers: RegisterNames,
    /// The names for a debugger.
    pub names: FunctionNames,
    /// The offsets of the parameters that its instructions name.
    pub used_parameters: BTreeSet<u64>,
    /// The constants that are addresses in variables of shared memory, in order.
    pub shared_addresses: Vec<SharedAddress>,
}

/// A constant that is an address in a variable of shared memory.
#[derive(Clone, Copy, Debug)]
pub struct SharedAddress {
    /// The index of the constant.
    pub constant: u32,
    /// The variable.
    pub symbol: KernelSymbol,
}

/// A function while it is lowered.
pub struct FunctionLowering<'m, 'a> {
    pub module: &'m mut ModuleLowering<'a>,
    index: usize,
    pub function: MachineFunction,
    pub places: Vec<Range<usize>>,
    pub names: NameScopes,
    pub registers: RegisterNames,
    pub debug_names: FunctionNames,
    sizes: FunctionSizes,
    pub is_kernel: bool,
    pub used_parameters: BTreeSet<u64>,
    constants: HashMap<u64, u32>,
    pub shared_addresses: Vec<SharedAddress>,
    /// The constants of addresses in static shared memory.
    shared_constants: HashMap<u64, u32>,
    pub labels: Vec<HashMap<String, LabelMeaning>>,
    pending: Vec<UnresolvedBranch>,
    pub range: Range<usize>,
    pub guard: Option<MachineGuard>,
    carry: Option<u32>,
    pub pair_masks: Option<PairMasks>,
}

/// All bits of a register.
pub const fn register_mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

impl<'m, 'a> FunctionLowering<'m, 'a> {
    /// Appends a computation of one type; returns the register of its value.
    pub fn computed(&mut self, mnemonic: &str, ty: &str, sources: [Source; 4]) -> Option<Source> {
        let operation = ScalarOperation::new(mnemonic, &[ty]).ok()?;
        let mask = register_mask(operation.destination_type().bits());
        let destination = Destination { mask, ..self.temporary() };
        let second = SecondTarget::None;
        let action = ScalarAction { operation, sources, destination: Some(destination), second };
        self.emit(MachineAction::Scalar(Box::new(action)));
        Some(Source::Register(destination.slot))
    }

    /// A function without instructions.
    pub fn new(module: &'m mut ModuleLowering<'a>, index: usize, head: &FunctionHead) -> Self {
        Self {
            module,
            index,
            function: MachineFunction { name: head.name.text.to_string(), ..MachineFunction::default() },
            places: Vec::new(),
            names: NameScopes::default(),
            registers: RegisterNames::default(),
            debug_names: FunctionNames::default(),
            sizes: FunctionSizes::default(),
            is_kernel: head.kind.text == ".entry",
            used_parameters: BTreeSet::new(),
            constants: HashMap::new(),
            shared_addresses: Vec::new(),
            shared_constants: HashMap::new(),
            labels: Vec::new(),
            pending: Vec::new(),
            range: 0..0,
            guard: None,
            carry: None,
            pair_masks: None,
        }
    }

    pub fn parameter(&mut self, parameter: &DeclaredParameter) -> Formal {
        let DeclaredParameter { storage, declarator, .. } = parameter;
        let name = &*declarator.name.text;
        // See `declare` on those that the machine has no room for.
        let Ok(place) = self.sizes.add_parameter(parameter, self.is_kernel) else { return Formal::Unused };
        if storage.space.text == ".reg" {
            let register = self.add_registers(declared_register(&storage.ty.text, ""), 1);
            self.registers.add(name, register, None);
            self.debug_names.add_registers(name, None, &storage.ty.text, register, 0);
            self.names.declare(name, Meaning::Register(register));
            return Formal::Register(register.slot);
        }
        let PlacedBytes { offset, size } = place;
        if self.is_kernel {
            self.function.parameters.push(KernelParameter { name: name.to_owned(), offset, size });
            let symbol = KernelSymbol { space: MemorySpace::Parameter, address: offset.into(), size, dynamic: false };
            self.declare_symbol(name, &storage.ty.text, symbol);
        } else {
            self.add_frame_variable(name, &storage.ty.text, place);
        }
        Formal::Memory { offset, size }
    }

    /// Adds a variable to the frame.
    fn add_frame_variable(&mut self, name: &str, ty: &str, place: PlacedBytes) {
        self.function.frame_bytes = place.end();
        let PlacedBytes { offset, size } = place;
        let symbol = KernelSymbol { space: MemorySpace::Frame, address: offset.into(), size, dynamic: false };
        self.declare_symbol(name, ty, symbol);
    }

    fn declare_symbol(&mut self, name: &str, ty: &str, symbol: KernelSymbol) {
        self.debug_names.variables.push(NamedVariable::new(name, ty, symbol, self.function.code.len() as u32));
        self.names.declare(name, Meaning::Symbol(symbol));
    }

    /// Declares a name. The kernel was refused before if the machine has no room for one. The exception are functions whose address only initial values
    /// take: what uses the name is not emulated there.
    pub fn declare(&mut self, declaration: &Declaration) {
        let name = &*declaration.name.text;
        let Ok(place) = self.sizes.add(declaration) else { return };
        match declaration.kind {
            _ if declaration.parameter.is_some() => {}
            DeclarationKind::Register => self.declare_registers(declaration),
            DeclarationKind::Variable if declaration.space.text.starts_with(".shared") => {
                let natural = declaration.element_bytes().unwrap_or(1);
                let alignment = syntax::alignment(declaration.alignment, natural);
                let symbol = self.module.allocate_shared(place.size.into(), alignment);
                self.declare_symbol(name, &declaration.ty.text, symbol);
            }
            DeclarationKind::Variable => self.add_frame_variable(name, &declaration.ty.text, place),
            DeclarationKind::Label => {
                let meaning = match declaration.label() {
                    Some(LabelKind::BranchTargets) => LabelMeaning::Targets(target_names(&declaration.directive)),
                    Some(LabelKind::Target) => LabelMeaning::Instruction(self.function.code.len() as u32),
                    _ => return,
                };
                if let Some(scope) = self.labels.last_mut() {
                    scope.insert(name.to_owned(), meaning);
                }
            }
            DeclarationKind::Function => {}
        }
    }

    fn declare_registers(&mut self, declaration: &Declaration) {
        let ty = declaration.ty.text.trim_start_matches('.');
        let first = declared_register(&declaration.ty.text, &declaration.vector.text);
        // It was checked that there are few.
        let register = self.add_registers(first, declaration.count.unwrap_or(1) as u32);
        self.registers.add(&declaration.name.text, register, declaration.count);
        let (name, from) = (&declaration.name.text, self.function.code.len() as u32);
        self.debug_names.add_registers(name, declaration.count, ty, register, from);
        match declaration.count {
            Some(count) => self.names.declare_range(&declaration.name.text, register, count),
            None => self.names.declare(&declaration.name.text, Meaning::Register(register)),
        }
    }

    /// Adds registers with the width and elements of one; returns the first.
    fn add_registers(&mut self, register: Register, count: u32) -> Register {
        let first = Register { slot: self.function.registers, ..register };
        self.function.registers += first.slots() * first.lanes * count;
        first
    }

    /// A register for an intermediate value.
    pub fn temporary(&mut self) -> Destination {
        let register = self.add_registers(Register { slot: 0, bits: 64, lanes: 1 }, 1);
        Destination { slot: register.slot, mask: u64::MAX }
    }

    /// What an instruction masks that makes an address in the first CTA of a pair.
    pub fn pair_mask<'o, 't>(
        &self,
        instruction: &syntax::Instruction,
        operands: &'o [Operand<'t>],
    ) -> Option<PairMask<'o, 't>> {
        self.pair_masks.as_ref()?.mask(instruction, operands)
    }

    /// The register of the carry flag.
    pub fn carry(&mut self) -> u32 {
        if let Some(slot) = self.carry {
            return slot;
        }
        let slot = self.add_registers(Register { slot: 0, bits: 1, lanes: 1 }, 1).slot;
        self.carry = Some(slot);
        slot
    }

    /// A constant with the same value in all lanes.
    pub fn constant(&mut self, value: u64) -> Source {
        let next = self.function.constants.len() as u32;
        let at = *self.constants.entry(value).or_insert(next);
        if at == next {
            self.function.constants.push([value; 32]);
        }
        Source::Constant(at)
    }

    /// The address of a variable, with an offset.
    pub fn symbol_address(&mut self, symbol: KernelSymbol, offset: u64) -> Source {
        let value = symbol.address.wrapping_add(offset);
        if symbol.space != MemorySpace::SharedCta {
            return self.constant(value);
        }
        let constant = self.function.constants.len();
        let at = if symbol.dynamic {
            self.module.dynamic.push(DynamicAddress { function: self.index, constant });
            constant as u32
        } else {
            *self.shared_constants.entry(value).or_insert(constant as u32)
        };
        if at as usize == constant {
            self.function.constants.push([value; 32]);
            self.shared_addresses.push(SharedAddress { constant: at, symbol });
        }
        Source::Constant(at)
    }

    /// Appends an instruction with the guard of the current one.
    pub fn emit(&mut self, action: MachineAction) {
        self.function.code.push(MachineInstruction { guard: self.guard, action });
        self.places.push(self.range.clone());
    }

    /// Appends a branch to a label.
    pub fn branch(&mut self, label: &str) {
        let targets = vec![Err(label.to_owned())];
        self.pending.push(UnresolvedBranch {
            at: self.function.code.len(),
            depth: self.labels.len(),
            targets,
            list: None,
        });
        self.emit(MachineAction::Branch(0));
    }

    /// Appends a branch to one of a list of labels.
    pub fn branch_indexed(&mut self, index: Source, list: &str) {
        self.pending.push(UnresolvedBranch {
            at: self.function.code.len(),
            depth: self.labels.len(),
            targets: Vec::new(),
            list: Some(list.to_owned()),
        });
        self.emit(MachineAction::BranchIndexed(index, Arc::from([])));
    }

    /// Resolves the branches of the innermost scope that name its labels; the others are left to the scopes around.
    pub fn resolve_branches(&mut self) {
        let depth = self.labels.len();
        let Some(labels) = self.labels.last() else { return };
        for branch in self.pending.iter_mut().filter(|branch| branch.depth >= depth) {
            branch.depth = depth - 1;
            if let Some(LabelMeaning::Targets(names)) = branch.list.as_ref().and_then(|list| labels.get(list)) {
                branch.targets = names.iter().cloned().map(Err).collect();
                branch.list = None;
            }
            for target in &mut branch.targets {
                if let Err(name) = target
                    && let Some(LabelMeaning::Instruction(at)) = labels.get(name)
                {
                    *target = Ok(*at);
                }
            }
            let known: Vec<u32> = branch.targets.iter().filter_map(|target| target.clone().ok()).collect();
            match &mut self.function.code[branch.at].action {
                MachineAction::Branch(target) => *target = known.first().copied().unwrap_or(*target),
                MachineAction::BranchIndexed(_, targets) if known.len() == branch.targets.len() => {
                    *targets = known.into()
                }
                _ => {}
            }
        }
    }
}

/// The labels of a `.branchtargets` directive.
fn target_names(directive: &str) -> Vec<String> {
    let list = directive.trim_start_matches(".branchtargets").trim().trim_end_matches(';');
    list.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}
