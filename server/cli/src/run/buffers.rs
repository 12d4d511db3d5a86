//! The arguments of a kernel in memory.

use super::npy;
use emulator::Shape;
use emulator::machine::{AllocationKind, GlobalMemory, KernelParameter, MemoryBytes};
use evaluation::kernel::Kernel;
use evaluation::kernel::arguments::{Buffer, KernelArgument};
use std::path::Path;

/// Memory and parameters of a launch.
#[derive(Debug)]
pub struct KernelMemory {
    /// Global memory with the variables of the module and the buffers.
    pub memory: GlobalMemory,
    /// The bytes of the parameters.
    pub parameters: Vec<u8>,
    buffers: Vec<BufferPlace>,
}

/// A buffer in memory.
#[derive(Debug)]
struct BufferPlace {
    name: String,
    shape: Shape,
    address: u64,
}

/// A buffer after the run.
#[derive(Debug)]
pub struct NamedBuffer {
    /// The name of the argument.
    pub name: String,
    /// The contents.
    pub contents: Buffer,
}

impl KernelMemory {
    /// The memory for arguments as they are written: `NAME=SPEC`.
    pub fn new(kernel: &Kernel, arguments: &[String]) -> Result<Self, String> {
        let parameters = kernel.parameters();
        let size = parameters.last().map_or(0, |last| last.offset + last.size);
        let mut memory =
            Self { memory: kernel.memory.clone(), parameters: vec![0; size as usize], buffers: Vec::new() };
        let mut missing: Vec<&KernelParameter> = parameters.iter().collect();
        for argument in arguments {
            let (name, spec) =
                argument.split_once('=').ok_or_else(|| format!("`{argument}`: write NAME=u32=5 or NAME=u32[8]"))?;
            let parameter = find(parameters, name)?;
            if !missing.contains(&parameter) {
                return Err(format!("two arguments for `{}`", parameter.name));
            }
            missing.retain(|one| *one != parameter);
            memory.add(name, parameter, spec).map_err(|error| format!("argument `{name}`: {error}"))?;
        }
        match missing.first() {
            None => Ok(memory),
            Some(first) => Err(format!(
                "no argument for the parameter `{}` ({} bytes): add --arg {}={}",
                first.name,
                first.size,
                first.name,
                if first.size == 8 { "u32[8]" } else { "u32=0" }
            )),
        }
    }

    fn add(&mut self, name: &str, parameter: &KernelParameter, spec: &str) -> Result<(), String> {
        let KernelParameter { offset, size, .. } = parameter;
        let argument = KernelArgument::parse(spec, &mut |path, shape| npy::read(Path::new(path), shape))?;
        let bytes = match argument {
            // The bytes of a structure that is passed by value.
            KernelArgument::Buffer(buffer) if *size != 8 && buffer.bytes.len() == *size as usize => buffer.bytes,
            KernelArgument::Buffer(Buffer { shape, bytes }) => {
                if *size != 8 {
                    return Err(format!("the parameter has {size} bytes, an address has 8"));
                }
                let region = MemoryBytes::defined(bytes);
                let address = self.memory.allocate(name.into(), region, AllocationKind::Buffer);
                self.buffers.push(BufferPlace { name: name.to_owned(), shape, address });
                address.to_le_bytes().to_vec()
            }
            KernelArgument::Scalar(value) => {
                let width = value.shape().bytes();
                if width != *size {
                    return Err(format!("the parameter has {size} bytes, the value has {width}"));
                }
                value.bits().to_le_bytes()[..width as usize].to_vec()
            }
        };
        let start = *offset as usize;
        self.parameters[start..start + bytes.len()].copy_from_slice(&bytes);
        Ok(())
    }

    /// The shape and the address of a buffer.
    pub fn find(&self, name: &str) -> Option<(Shape, u64)> {
        self.buffers.iter().find(|buffer| buffer.name == name).map(|buffer| (buffer.shape, buffer.address))
    }

    /// The buffers after the run.
    pub fn results(&self, memory: &GlobalMemory) -> Vec<NamedBuffer> {
        let result = |BufferPlace { name, shape, address }: &BufferPlace| {
            let bytes = bytes_at(memory, *address);
            NamedBuffer { name: name.clone(), contents: Buffer { shape: *shape, bytes } }
        };
        self.buffers.iter().map(result).collect()
    }
}

/// The contents of the allocation at an address.
pub fn bytes_at(memory: &GlobalMemory, address: u64) -> Vec<u8> {
    let found = memory.allocations().iter().find(|one| one.address == address);
    found.map_or_else(Vec::new, |one| one.region.bytes().to_vec())
}

/// A parameter by its name, its number, or the end of its name, as in `param_0`.
fn find<'p>(parameters: &'p [KernelParameter], name: &str) -> Result<&'p KernelParameter, String> {
    let by_name = parameters.iter().find(|parameter| parameter.name == name);
    let by_number = || name.parse::<usize>().ok().and_then(|number| parameters.get(number));
    let by_end = || parameters.iter().find(|parameter| parameter.name.ends_with(&format!("_{name}")));
    by_name.or_else(by_number).or_else(by_end).ok_or_else(|| {
        let known: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
        match known[..] {
            [] => format!("no parameter `{name}`: the kernel has none"),
            _ => format!("no parameter `{name}`: the kernel has `{}`", known.join("`, `")),
        }
    })
}
