//! What declarations take, and how much of it the machine holds.

use crate::KernelError;
use crate::lower::opcode;
use crate::module::data::{DataLayout, first_value, value_range};
use crate::module::names::Register;
use isa::target::MAX_CONSTANT;
use syntax::{
    Declaration, DeclarationKind, Declarator, DeclaredParameter, DeclaredType, FunctionHead, Item, LintFile, WalkEvent,
    type_bits,
};

/// What has a limit.
#[derive(Clone, Copy)]
enum Limit {
    /// All global and constant variables: as much as one buffer of an argument.
    Global,
    /// The constant variables of a module.
    Constant,
    /// The shared memory of a CTA.
    Shared,
    /// The local memory of a thread, which the calls in progress share.
    Local,
    /// The parameters of a kernel.
    Parameters,
}

/// The most slots of 64 bits that the registers of a function take. The machine keeps all of them, also those that an allocator would drop, for each of
/// 32 lanes: 65,536 take 17 MB in a warp and 545 MB in a CTA of 1024 threads. The largest kernels of compilers have about 20,000.
const MAX_REGISTERS: u64 = 1 << 16;

impl Limit {
    const fn bytes(self) -> u64 {
        match self {
            Self::Global => 1 << 30,
            Self::Constant => MAX_CONSTANT,
            Self::Shared => 228 << 10,
            Self::Local => 512 << 10,
            Self::Parameters => 32_764,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Global => "global memory",
            Self::Constant => "constant memory",
            Self::Shared => "shared memory",
            Self::Local => "local memory",
            Self::Parameters => "parameters",
        }
    }

    /// The bytes of a variable behind others that end at a byte.
    fn place(self, end: u32, size: u64, alignment: u64, name: &str) -> Result<PlacedBytes, String> {
        // No number of 64 bits overflows here.
        let offset = u128::from(end).next_multiple_of(u128::from(alignment.max(1)));
        let new_end = offset + u128::from(size);
        let limit = self.bytes();
        if new_end <= u128::from(limit) {
            return Ok(PlacedBytes { offset: offset as u32, size: size as u32 });
        }
        let what = match size {
            u64::MAX => format!("variable `{name}` has at least {size} bytes"),
            _ if size > limit => format!("variable `{name}` has {size} bytes"),
            _ => format!("variables up to `{name}` have {new_end} bytes"),
        };
        Err(format!("{what}; `run` holds at most {limit} bytes of {}", self.name()))
    }
}

/// Where a variable is behind those that were declared before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlacedBytes {
    /// Its first byte.
    pub offset: u32,
    /// Its bytes.
    pub size: u32,
}

impl PlacedBytes {
    /// The byte after it.
    pub const fn end(self) -> u32 {
        self.offset + self.size
    }
}

/// What the variables of a module take so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModuleSizes {
    global: u32,
    constant: u32,
}

impl ModuleSizes {
    /// Counts a variable in global or constant memory; returns its bytes.
    ///
    /// # Errors
    /// A message if there is no room for it.
    pub fn add_global(&mut self, name: &str, size: u64) -> Result<u32, String> {
        let place = Limit::Global.place(self.global, size, 1, name)?;
        self.global = place.end();
        Ok(place.size)
    }

    /// Counts a variable in constant memory.
    ///
    /// # Errors
    /// A message if there is no room for it.
    pub fn add_constant(&mut self, name: &str, size: u64, alignment: u64) -> Result<(), String> {
        self.constant = Limit::Constant.place(self.constant, size, alignment, name)?.end();
        Ok(())
    }

    /// Checks a variable in shared memory. Kernels have only those that they name, so others do not count.
    ///
    /// # Errors
    /// A message if no CTA has room for it.
    pub fn check_shared(name: &str, size: u64) -> Result<(), String> {
        Limit::Shared.place(0, size, 1, name).map(|_| ())
    }
}

/// What the declarations of a function take so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct FunctionSizes {
    registers: u64,
    frame: u32,
    shared: u32,
    parameters: u32,
}

impl FunctionSizes {
    /// Checks a function; `name_function` is called with names that are functions it may call.
    ///
    /// # Errors
    /// [`KernelError`] at the first declaration that the machine has no room for.
    pub fn check(head: &FunctionHead, item: &Item, mut name_function: impl FnMut(&str)) -> Result<(), KernelError> {
        let (mut sizes, is_kernel) = (Self::default(), head.kind.text == ".entry");
        for parameter in head.parameters.iter().chain(&head.returns) {
            sizes.add_parameter(parameter, is_kernel)?;
        }
        let mut failure = None;
        item.walk(|event| match event {
            WalkEvent::Declare(declaration) if failure.is_none() => failure = sizes.add(&declaration).err(),
            WalkEvent::Instruction(instruction) => match &*instruction.opcode().mnemonic.text {
                "call" => instruction.call().iter().for_each(|call| name_function(&call.function.token.text)),
                "mov" => instruction.operands().last().iter().for_each(|operand| name_function(&operand.token.text)),
                _ => {}
            },
            _ => {}
        });
        failure.map_or(Ok(()), Err)
    }

    /// Adds registers or a variable of the body.
    ///
    /// # Errors
    /// [`KernelError`] if the machine has no room for it.
    pub fn add(&mut self, declaration: &Declaration) -> Result<PlacedBytes, KernelError> {
        let added = match declaration.kind {
            _ if declaration.parameter.is_some() => Ok(PlacedBytes::default()),
            DeclarationKind::Register => self.add_declared_registers(declaration),
            DeclarationKind::Variable => self.add_variable(declaration),
            DeclarationKind::Label | DeclarationKind::Function => Ok(PlacedBytes::default()),
        };
        added.map_err(|message| KernelError { range: declaration.name.range.clone(), message })
    }

    fn add_declared_registers(&mut self, declaration: &Declaration) -> Result<PlacedBytes, String> {
        let register = declared_register(&declaration.ty.text, &declaration.vector.text);
        self.add_registers(&declaration.name.text, register, declaration.count.unwrap_or(1))
    }

    fn add_registers(&mut self, name: &str, register: Register, count: u64) -> Result<PlacedBytes, String> {
        let slots = u64::from(register.slots()).saturating_mul(register.lanes.into()).saturating_mul(count);
        let all = self.registers.saturating_add(slots);
        if all > MAX_REGISTERS {
            return Err(format!(
                "registers up to `{name}` take {all} values of 64 bits; `run` holds at most {MAX_REGISTERS} in a function"
            ));
        }
        self.registers = all;
        Ok(PlacedBytes::default())
    }

    fn add_variable(&mut self, declaration: &Declaration) -> Result<PlacedBytes, String> {
        let name = &*declaration.name.text;
        let alignment = syntax::alignment(declaration.alignment, declaration.element_bytes().unwrap_or(1));
        let is_shared = declaration.space.text.starts_with(".shared");
        let size = match declaration.bytes() {
            Some(size) => size,
            // Without a size it is dynamic shared memory.
            None if is_shared || !declaration.array => 0,
            None => return Err(format!("size of `{name}` is not known")),
        };
        if is_shared {
            let place = Limit::Shared.place(self.shared, size, alignment, name)?;
            self.shared = place.end();
            return Ok(place);
        }
        let place = Limit::Local.place(self.frame, size, alignment, name)?;
        self.frame = place.end();
        Ok(place)
    }

    /// Adds a parameter of a kernel, or of a function, which has them in its frame.
    ///
    /// # Errors
    /// [`KernelError`] if the machine has no room for it.
    pub fn add_parameter(
        &mut self,
        DeclaredParameter { storage, declarator, .. }: &DeclaredParameter,
        is_kernel: bool,
    ) -> Result<PlacedBytes, KernelError> {
        let name = &*declarator.name.text;
        let added = if storage.space.text == ".reg" {
            self.add_registers(name, declared_register(&storage.ty.text, ""), 1)
        } else {
            let (limit, end) = match is_kernel {
                true => (Limit::Parameters, &mut self.parameters),
                false => (Limit::Local, &mut self.frame),
            };
            let bits = opcode::type_bits(storage.ty.text.trim_start_matches('.')).unwrap_or(32);
            let element = u64::from(bits / 8).saturating_mul(storage.lanes().unwrap_or(1));
            let place = limit.place(*end, array_bytes(element, &declarator.dimensions), storage.alignment(), name);
            place.inspect(|place| *end = place.end())
        };
        added.map_err(|message| KernelError { range: declarator.name.range.clone(), message })
    }
}

/// The first of the registers that a declaration with a type declares, as if it were the first of its function.
pub fn declared_register(ty: &str, vector: &str) -> Register {
    let ty = ty.trim_start_matches('.');
    let bits = if ty == "pred" { 1 } else { opcode::type_bits(ty).unwrap_or(32) };
    Register { slot: 0, bits, lanes: u32::try_from(syntax::lanes(vector)).unwrap_or(u32::MAX).max(1) }
}

/// The size of a variable of the module in bytes, `u64::MAX` if it has more; `None` if its type has no size.
pub fn variable_bytes(storage: &DeclaredType, declarator: &Declarator) -> Option<u64> {
    let element = u64::from(type_bits(&storage.ty.text)? / 8).saturating_mul(storage.lanes().unwrap_or(1));
    Some(array_bytes(element, &declarator.dimensions))
}

fn array_bytes(element: u64, dimensions: &[u64]) -> u64 {
    match dimensions.contains(&0) {
        true => 0,
        false => dimensions.iter().fold(element, |bytes, count| bytes.saturating_mul(*count)),
    }
}

/// Whether the size of a variable is that of its initial values: `x[] = {1, 2}`.
pub fn has_size_of_values(declarator: &Declarator) -> bool {
    declarator.value.is_some() && declarator.dimensions.first() == Some(&0)
}

/// The bytes of all global and constant variables of a module.
pub fn module_bytes(file: &LintFile) -> u64 {
    let mut all = 0_u64;
    for item in file.module_items() {
        let Some(variables) = item.head().and_then(|head| head.variable()) else { continue };
        if ![".global", ".const"].contains(&&*variables.storage.space.text) {
            continue;
        }
        for (number, declarator) in variables.declarators.iter().enumerate() {
            let values = value_range(&variables.declarators, number, item.range().end);
            let bytes = match values.filter(|_| has_size_of_values(declarator)) {
                Some(values) => {
                    let text = file.slice(&values);
                    DataLayout::of(&variables.storage, declarator).value_bytes(first_value(&text))
                }
                None => variable_bytes(&variables.storage, declarator).unwrap_or(0),
            };
            all = all.saturating_add(bytes);
        }
    }
    all
}
