//! The module of a kernel: its variables and the functions that it reaches.

use crate::KernelError;
use crate::module::data::{DataLayout, first_value};
use crate::module::names::KernelSymbol;
use crate::module::sizes::{FunctionSizes, ModuleSizes, has_size_of_values, variable_bytes};
use crate::reports::debug_names::NamedVariable;
use machine::{AllocationKind, GlobalMemory, MemoryBytes};
use program::{AddressSize, KernelSharedMemory, MemorySpace};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use syntax::{Declarator, DeclaredType, FunctionBody, FunctionHead, Item, LintFile, WalkEvent};

/// The most operators around an address in an initial value, as in `0xFF(generic(x))`.
const MAX_OPERATORS: usize = 4;

/// The least alignment of dynamic shared memory in bytes.
const DYNAMIC_ALIGNMENT: u64 = 16;

/// The kernels of a module, each with the range of its name.
pub fn kernels(file: &LintFile) -> Vec<(String, Range<usize>)> {
    let heads = file.module_items().into_iter().filter_map(|item| item.head()?.function().map(owned_name));
    heads.flatten().collect()
}

/// The name of a kernel with a body.
fn owned_name(head: FunctionHead) -> Option<(String, Range<usize>)> {
    let is_kernel = head.kind.text == ".entry" && head.body == FunctionBody::Defined;
    is_kernel.then(|| (head.name.text.into_owned(), head.name.range))
}

/// A function of the module.
pub struct FunctionItem<'a> {
    /// Its head.
    pub head: FunctionHead<'a>,
    /// The item.
    pub item: Item<'a>,
}

/// A constant whose value is known at the end: an address of dynamic shared memory.
#[derive(Clone, Copy, Debug)]
pub struct DynamicAddress {
    /// The index of the function.
    pub function: usize,
    /// The index of the constant.
    pub constant: usize,
}

/// The module while its functions are lowered.
pub struct ModuleLowering<'a> {
    /// The version and target.
    pub module: isa::Module,
    /// The size of its addresses.
    pub addresses: AddressSize,
    functions: HashMap<String, FunctionItem<'a>>,
    /// The numbers of the functions, in the order of their declarations.
    numbers: HashMap<String, u32>,
    /// The indices of functions that were named.
    indices: HashMap<String, u32>,
    /// Those that are not lowered yet.
    waiting: Vec<String>,
    symbols: HashMap<String, KernelSymbol>,
    shared_items: HashMap<String, (u64, u64)>,
    sizes: ModuleSizes,
    /// The bytes of static shared memory.
    shared: u64,
    dynamic_alignment: u64,
    /// The types of the variables, in the order of their declarations.
    types: Vec<(String, String)>,
    /// The addresses of dynamic shared memory.
    pub dynamic: Vec<DynamicAddress>,
    /// Whether an instruction or a variable takes the address of a function: any kernel may call that function.
    pub has_function_addresses: bool,
}

impl<'a> ModuleLowering<'a> {
    /// A module without functions and variables.
    pub fn new(module: isa::Module, addresses: AddressSize) -> Self {
        Self {
            module,
            addresses,
            functions: HashMap::new(),
            numbers: HashMap::new(),
            indices: HashMap::new(),
            waiting: Vec::new(),
            symbols: HashMap::new(),
            shared_items: HashMap::new(),
            sizes: ModuleSizes::default(),
            shared: 0,
            dynamic_alignment: DYNAMIC_ALIGNMENT,
            types: Vec::new(),
            dynamic: Vec::new(),
            has_function_addresses: false,
        }
    }

    /// Forgets the functions that were lowered, and their shared memory.
    pub fn restart(&mut self) {
        self.begin_shared_memory();
        self.waiting.clear();
    }

    /// Takes the names of the functions that were named and not lowered, and forgets them.
    pub fn take_named_functions(&mut self) -> Vec<String> {
        let named = std::mem::take(&mut self.waiting);
        self.restart();
        named
    }

    /// Begins the shared memory of another kernel, which has the functions that it calls for itself: their variables have other addresses.
    pub fn begin_shared_memory(&mut self) {
        self.indices.clear();
        self.symbols.retain(|_, symbol| symbol.space != MemorySpace::SharedCta);
        self.dynamic.clear();
        self.shared = 0;
        self.dynamic_alignment = DYNAMIC_ALIGNMENT;
    }

    /// Of a declaration and a definition, the definition counts.
    pub fn declare_function(&mut self, item: FunctionItem<'a>) {
        let name = item.head.name.text.to_string();
        let next = self.numbers.len() as u32;
        self.numbers.entry(name.clone()).or_insert(next);
        let known = self.functions.get(&name);
        if item.head.body == FunctionBody::Defined || known.is_none() {
            self.functions.insert(name, item);
        }
    }

    /// Checks that there is a kernel, and that the machine has room for what it and the functions that it may call declare.
    pub fn check_kernel(&self, name: &str) -> Result<(), KernelError> {
        if self.functions.get(name).is_some_and(is_defined_kernel) {
            return self.check_sizes(name);
        }
        let kernels = self.functions.iter().filter(|(_, item)| is_defined_kernel(item));
        let mut known: Vec<&str> = kernels.map(|(name, _)| &**name).collect();
        known.sort_unstable();
        let message = match (isa::closest(name, known.iter().copied()), &*known) {
            (Some(closest), _) => format!("no kernel `{name}`: did you mean `{closest}`?"),
            (None, []) => format!("no kernel `{name}`: the module has none"),
            (None, known) => format!("no kernel `{name}`: the module has `{}`", known.join("`, `")),
        };
        Err(KernelError { range: 0..0, message })
    }

    fn check_sizes(&self, kernel: &str) -> Result<(), KernelError> {
        let mut known = BTreeSet::from([kernel.to_owned()]);
        let mut waiting = vec![kernel.to_owned()];
        while let Some(function) = waiting.pop().and_then(|name| self.functions.get(&name)) {
            FunctionSizes::check(&function.head, &function.item, |name| {
                if self.functions.contains_key(name) && known.insert(name.to_owned()) {
                    waiting.push(name.to_owned());
                }
            })?;
        }
        Ok(())
    }

    /// The index of a function, which will be lowered.
    pub fn function_index(&mut self, name: &str) -> u32 {
        if let Some(index) = self.indices.get(name) {
            return *index;
        }
        let index = self.waiting.len() as u32;
        self.waiting.push(name.to_owned());
        self.indices.insert(name.to_owned(), index);
        index
    }

    /// The address of a function, which will be lowered; `None` if the module has no function of that name.
    pub fn function_address(&mut self, name: &str) -> Option<u64> {
        let number = *self.numbers.get(name)?;
        self.has_function_addresses = true;
        self.function_index(name);
        Some(self.addresses.function_address() + u64::from(number))
    }

    /// The number of a function in the module.
    pub fn function_number(&self, name: &str) -> u32 {
        self.numbers.get(name).copied().unwrap_or_default()
    }

    /// Lowers the functions, too, whose addresses any function of the module takes: an earlier kernel may have stored one.
    pub fn lower_stored_functions(&mut self) {
        let mut taken: Vec<String> = Vec::new();
        for function in self.functions.values() {
            function.item.walk(|event| {
                let WalkEvent::Instruction(instruction) = event else { return };
                let operands = instruction.operands();
                let named = operands.last().filter(|_| &*instruction.opcode().mnemonic.text == "mov");
                taken.extend(named.map(|operand| operand.token.text.to_string()));
            });
        }
        taken.retain(|name| self.functions.contains_key(name));
        taken.sort_by_key(|name| self.function_number(name));
        taken.iter().for_each(|name| _ = self.function_address(name));
    }

    /// Whether a function has a body.
    pub fn is_defined(&self, name: &str) -> bool {
        self.functions.get(name).is_some_and(|item| item.head.body == FunctionBody::Defined)
    }

    /// A function by its name.
    pub fn function_item(&self, name: &str) -> Option<&FunctionItem<'a>> {
        self.functions.get(name)
    }

    /// The name of the function with an index, which was named in the meantime.
    pub fn named_function(&self, index: usize) -> Option<&str> {
        self.waiting.get(index).map(String::as_str)
    }

    /// Declares a variable, with memory for it if it is global or constant.
    pub fn declare_variable(
        &mut self,
        storage: &DeclaredType,
        declarator: &Declarator,
        memory: &mut GlobalMemory,
        range: Range<usize>,
    ) -> Result<(), KernelError> {
        let name = declarator.name.text.to_string();
        let size = variable_bytes(storage, declarator);
        self.types.push((name.clone(), storage.ty.text.to_string()));
        match &*storage.space.text {
            ".shared" => {
                let size = size.unwrap_or(0);
                let checked = ModuleSizes::check_shared(&name, size);
                checked.map_err(|message| KernelError { range: declarator.name.range.clone(), message })?;
                self.shared_items.insert(name, (size, storage.alignment()));
            }
            ".global" | ".const" => {
                let size = size.ok_or_else(|| {
                    let message = match &*storage.ty.text {
                        ty @ (".texref" | ".surfref" | ".samplerref") => {
                            let what = if ty == ".surfref" { "surface" } else { "texture" };
                            format!("`{ty}` variables are not supported: pass a {what} to a parameter of 64 bits")
                        }
                        _ => format!("size of `{name}` is not known"),
                    };
                    KernelError { range, message }
                })?;
                if storage.space.text == ".const" {
                    let counted = self.sizes.add_constant(&name, size, storage.alignment());
                    counted.map_err(|message| KernelError { range: declarator.name.range.clone(), message })?;
                }
                // Memory for one with the size of its values comes with them.
                if !has_size_of_values(declarator) {
                    self.allocate_variable(storage, declarator, size, memory)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Memory for a global or constant variable.
    fn allocate_variable(
        &mut self,
        storage: &DeclaredType,
        declarator: &Declarator,
        size: u64,
        memory: &mut GlobalMemory,
    ) -> Result<(), KernelError> {
        let (name, range) = (declarator.name.text.to_string(), declarator.name.range.clone());
        let error = |message: String| KernelError { range, message };
        let size = match self.sizes.add_global(&name, size) {
            Ok(size) if memory.has_room(size.into()) => size,
            Ok(size) => return Err(error(format!("no room for {size} bytes at addresses of 32 bits"))),
            Err(message) => return Err(error(message)),
        };
        let (space, kind) = match storage.space.text == ".const" {
            true => (MemorySpace::Constant, AllocationKind::Constant),
            false => (MemorySpace::Global, AllocationKind::Variable),
        };
        let region = MemoryBytes::defined(vec![0; size as usize]);
        let address = memory.allocate(name.as_str().into(), region, kind);
        self.symbols.insert(name, KernelSymbol { space, address, size, dynamic: false });
        Ok(())
    }

    /// Writes the initial value of a variable.
    pub fn initialize(
        &mut self,
        storage: &DeclaredType,
        declarator: &Declarator,
        text: &str,
        memory: &mut GlobalMemory,
        at: usize,
    ) -> Result<(), KernelError> {
        let layout = DataLayout::of(storage, declarator);
        // A comma ends a value outside of brackets: another variable follows.
        let text = first_value(text);
        if has_size_of_values(declarator) && [".global", ".const"].contains(&&*storage.space.text) {
            self.allocate_variable(storage, declarator, layout.value_bytes(text), memory)?;
        }
        let Some(symbol) = self.symbols.get(&*declarator.name.text).copied() else { return Ok(()) };
        let bytes = layout.bytes(text, symbol.size as usize, &mut |name| self.address_of(name));
        let bytes = bytes.map_err(|message| KernelError { range: at..at + text.len(), message })?;
        let place = memory.find(symbol.address, 1, 0);
        if let Some(place) = place {
            memory.allocation_mut(place.allocation).region = MemoryBytes::defined(bytes);
        }
        Ok(())
    }

    /// The value of a symbol in initial data: `f`, `generic(x)`, `x+4`, `0xFF(x)`.
    fn address_of(&mut self, text: &str) -> Option<u64> {
        self.nested_address(text, MAX_OPERATORS)
    }

    fn nested_address(&mut self, text: &str, operators: usize) -> Option<u64> {
        let (mut text, mut sum) = (text.trim(), 0_u64);
        while !text.ends_with(')')
            && let Some(at) = text.rfind(['+', '-']).filter(|at| *at > 0)
        {
            sum = sum.wrapping_add(syntax::integer_value(text[at..].trim_start_matches('+'))? as u64);
            text = text[..at].trim_end();
        }
        Some(self.address_without_offset(text, operators)?.wrapping_add(sum))
    }

    fn address_without_offset(&mut self, text: &str, operators: usize) -> Option<u64> {
        if let Some((operator, inner)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            let address = self.nested_address(inner, operators.checked_sub(1)?)?;
            return match syntax::integer_value(operator) {
                // A mask selects a byte.
                Some(mask) => Some((address & mask as u64).checked_shr((mask as u64).trailing_zeros()).unwrap_or(0)),
                None => (operator.trim() == "generic").then_some(address),
            };
        }
        match self.symbols.get(text) {
            Some(symbol) => Some(symbol.address),
            None => self.function_address(text),
        }
    }

    /// A variable of the module.
    pub fn symbol(&mut self, name: &str) -> Option<KernelSymbol> {
        if let Some(symbol) = self.symbols.get(name) {
            return Some(*symbol);
        }
        let (size, alignment) = *self.shared_items.get(name)?;
        let symbol = self.allocate_shared(size, alignment);
        self.symbols.insert(name.to_owned(), symbol);
        Some(symbol)
    }

    /// Shared memory for a variable; one without a size is dynamic. A launch with more than a CTA can have is refused.
    pub fn allocate_shared(&mut self, size: u64, alignment: u64) -> KernelSymbol {
        let space = MemorySpace::SharedCta;
        if size == 0 {
            self.dynamic_alignment = self.dynamic_alignment.max(alignment);
            return KernelSymbol { space, address: 0, size: 0, dynamic: true };
        }
        let address = aligned(self.shared, alignment);
        self.shared = address.saturating_add(size);
        KernelSymbol { space, address, size: narrow(size), dynamic: false }
    }

    /// The variables that have memory; dynamic shared memory begins at an address.
    pub fn named_variables(&self, dynamic_shared: u32) -> Vec<NamedVariable> {
        let named = self.types.iter().filter_map(|(name, ty)| {
            let symbol = *self.symbols.get(name)?;
            let base = if symbol.dynamic { u64::from(dynamic_shared) } else { 0 };
            Some(NamedVariable::new(name, ty, KernelSymbol { address: symbol.address + base, ..symbol }, 0))
        });
        named.collect()
    }

    /// The shared memory of a kernel: the dynamic one comes after the static one.
    pub fn shared_memory(&self) -> KernelSharedMemory {
        let uses_dynamic = !self.dynamic.is_empty();
        let end = if uses_dynamic { aligned(self.shared, self.dynamic_alignment) } else { self.shared };
        KernelSharedMemory { static_bytes: narrow(end), uses_dynamic }
    }
}

fn is_defined_kernel(function: &FunctionItem) -> bool {
    function.head.kind.text == ".entry" && function.head.body == FunctionBody::Defined
}

/// The first address from one on with an alignment, or the last of all.
fn aligned(address: u64, alignment: u64) -> u64 {
    address.checked_next_multiple_of(alignment.max(1)).unwrap_or(u64::MAX)
}

/// A number of bytes of shared memory; more than fit are more than a CTA can have.
fn narrow(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
