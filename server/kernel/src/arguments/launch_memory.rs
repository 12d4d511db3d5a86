//! The arguments of a kernel in memory.

use crate::Kernel;
use crate::arguments::argument_error::{ArgumentError, missing};
use crate::arguments::argument_values::{Buffer, HostWrites, ReadFile, shape_of};
use crate::arguments::image_argument::ImageArgument;
use crate::arguments::parameter_part::{ArgumentName, ParameterPart, parameter_of};
use crate::arguments::pointers::{has_pointers, with_addresses};
use crate::arguments::tensor_argument::TensorArgument;
use machine::{AllocationKind, GlobalMemory, MemoryBytes};
use ordering::EarlierUse;
use program::KernelParameter;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::ops::Range;
use values::{Element, Shape};

/// The bytes of the handle of a texture or surface.
pub(crate) const HANDLE_BYTES: u32 = 8;

/// Memory and parameters of a launch.
#[derive(Debug)]
pub struct KernelMemory {
    /// Global memory with the variables of the module and the buffers.
    pub memory: GlobalMemory,
    /// The bytes of the parameters.
    pub parameters: Vec<u8>,
    /// The most bytes of a buffer.
    pub(crate) most_bytes: u64,
    pub(crate) buffers: Vec<BufferPlace>,
    /// The handles of textures and surfaces, by the names of their arguments.
    pub(crate) handles: BTreeMap<String, u64>,
    /// The addresses of tensor maps in global memory, by argument.
    pub(crate) maps: BTreeMap<String, u64>,
    /// The names of arguments that are written with the number of their parameter.
    numbered: BTreeMap<String, String>,
}

/// A buffer in memory.
#[derive(Clone, Debug)]
pub struct BufferPlace {
    /// The name of the argument.
    pub name: String,
    /// The shape of an element.
    pub shape: Shape,
    /// The address.
    pub address: u64,
    /// The number of elements.
    pub length: u64,
}

/// Why an argument with pointers has no value, as a message.
#[derive(Debug)]
enum UnresolvedPointer {
    /// A buffer is not there, which an argument after it may add.
    NoBuffer(String),
    /// Another reason.
    Invalid(String),
}

impl fmt::Display for UnresolvedPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::NoBuffer(message) | Self::Invalid(message)) = self;
        f.write_str(message)
    }
}

/// A buffer after the run.
#[derive(Debug)]
pub struct NamedBuffer<'m> {
    /// The name of the argument.
    pub name: String,
    /// The shape of an element.
    pub shape: Shape,
    /// The contents.
    pub bytes: &'m [u8],
}

impl KernelMemory {
    /// The memory for arguments as they are written: `NAME=SPEC`. `read_file` gives the data of files.
    ///
    /// # Errors
    /// A message with what to write instead.
    pub fn new(
        kernel: &Kernel,
        arguments: &[String],
        most_bytes: u64,
        read_file: ReadFile,
    ) -> Result<Self, ArgumentError> {
        let memory = Self {
            most_bytes,
            memory: kernel.memory.clone(),
            parameters: Vec::new(),
            buffers: Vec::new(),
            handles: BTreeMap::new(),
            maps: BTreeMap::new(),
            numbered: BTreeMap::new(),
        };
        memory.with_arguments(kernel, arguments, read_file)
    }

    /// The memory for a kernel of the same module that runs after this one: it has the buffers of both. An argument that is the name of a buffer,
    /// `NAME=BUFFER`, is its address, and so is a parameter of that size with the name of a buffer that no argument is written for. The name of a
    /// texture or surface is its handle.
    ///
    /// # Errors
    /// A message with what to write instead.
    pub fn following(&self, kernel: &Kernel, arguments: &[String], read_file: ReadFile) -> Result<Self, ArgumentError> {
        let memory = Self {
            most_bytes: self.most_bytes,
            memory: self.memory.clone(),
            parameters: Vec::new(),
            buffers: self.buffers.clone(),
            handles: self.handles.clone(),
            maps: self.maps.clone(),
            numbered: self.numbered.clone(),
        };
        let mut arguments = arguments.to_vec();
        let is_written = |name: &str| {
            let parameters = kernel.parameters();
            let written = |argument: &String| {
                argument.split_once('=').and_then(|(known, _)| parameter_of(parameters, known.trim()).ok())
            };
            arguments.iter().filter_map(written).any(|parameter| parameter.name == name)
        };
        let passed = |one: &&KernelParameter| {
            let is_address = one.size == self.memory.addresses().bytes();
            let is_handle = one.size == HANDLE_BYTES && self.handles.contains_key(&one.name);
            let is_known = self.find(&one.name).is_some() || self.maps.contains_key(&one.name);
            (is_handle || is_address && is_known) && !is_written(&one.name)
        };
        let known = kernel.parameters().iter().filter(passed);
        let known: Vec<String> = known.map(|one| format!("{0}={0}", one.name)).collect();
        arguments.extend(known);
        memory.with_arguments(kernel, &arguments, read_file)
    }

    fn with_arguments(
        mut self,
        kernel: &Kernel,
        arguments: &[String],
        read_file: ReadFile,
    ) -> Result<Self, ArgumentError> {
        let parameters = kernel.parameters();
        let size = parameters.last().map_or(0, |last| last.offset + last.size);
        self.parameters = vec![0; size as usize];
        let (mut given, mut names) = (Vec::new(), BTreeSet::new());
        let split = |argument: &String| match argument.split_once('=') {
            Some((name, spec)) => Ok((name.trim().to_owned(), spec.trim().to_owned())),
            None => Err(format!("`{argument}`: write NAME=u32=5 or NAME=u32[8]")),
        };
        let mut split = arguments.iter().map(split).collect::<Result<Vec<_>, _>>()?;
        // After the buffers that they are in, or point into.
        let is_view = |spec: &str| TensorArgument::is_view(spec) || ImageArgument::is_view(spec);
        split.sort_by_key(|(_, spec)| (has_pointers(spec), is_view(spec)));
        let mut open: VecDeque<(String, String)> = split.into();
        let mut postponed = 0;
        while let Some((name, spec)) = open.pop_front() {
            // Buffers of pointers may point into those that follow.
            let resolved = self.resolved(&spec, kernel);
            if postponed < open.len() && matches!(resolved, Err(UnresolvedPointer::NoBuffer(_))) {
                postponed += 1;
                open.push_back((name, spec));
                continue;
            }
            postponed = 0;
            let spec = &resolved.map_err(|error| format!("argument `{name}`: {error}"))?;
            let name = &name;
            let part = ParameterPart::find(kernel, name)?;
            let of_source = kernel.source_parameter(&part.parameter.name).and_then(|known| known.completed(spec));
            let typed = of_source.or_else(|| kernel.completed_by_declaration(part.parameter, spec));
            let spec = typed.as_ref().filter(|_| part.start as u32 == part.parameter.offset).unwrap_or(spec);
            let name = ArgumentName::new(name, &part);
            if !names.insert(name.shown.clone()) {
                return Err(format!("argument `{}` is given twice", name.written).into());
            }
            let bytes = self.argument(&name, &part, spec, read_file);
            let bytes = bytes.map_err(|error| format!("argument `{}`: {error}", name.written))?;
            if name.written != name.shown {
                self.numbered.insert(name.written.to_owned(), name.shown);
            }
            let bytes = part.start..part.start + bytes.len();
            if given.iter().any(|other: &Range<usize>| other.start < bytes.end && bytes.start < other.end) {
                return Err(format!("two arguments for `{}`", part.parameter.name).into());
            }
            given.push(bytes);
        }
        let is_missing = |one: &&KernelParameter| {
            let bytes = one.offset as usize..(one.offset + one.size) as usize;
            kernel.uses(one) && !given.iter().any(|given| bytes.contains(&given.start))
        };
        let elements = self.buffers.iter().map(|buffer| buffer.length).max();
        match missing(kernel, parameters.iter().filter(is_missing), elements) {
            None => Ok(self),
            Some(error) => Err(error),
        }
    }

    /// An argument with addresses in place of pointers.
    fn resolved(&self, spec: &str, kernel: &Kernel) -> Result<String, UnresolvedPointer> {
        if !has_pointers(spec) {
            return Ok(spec.to_owned());
        }
        let has_all = Cell::new(true);
        let find = |name: &str| {
            let (_, address) = self.named(name, kernel).inspect_err(|_| has_all.set(false))?;
            Ok((address, bytes_at(&self.memory, address).len() as u64))
        };
        let resolved = with_addresses(spec, self.memory.addresses().bytes(), &find);
        resolved.map_err(|error| match has_all.get() {
            true => UnresolvedPointer::Invalid(error),
            false => UnresolvedPointer::NoBuffer(error),
        })
    }

    /// Adds a buffer of an argument; returns its address.
    pub(crate) fn add_buffer(&mut self, name: &str, Buffer { shape, bytes, written }: Buffer) -> Result<u64, String> {
        if !self.memory.has_room(bytes.len() as u64) {
            return Err(format!("no room for {} bytes at addresses of 32 bits", bytes.len()));
        }
        let length = bytes.len() as u64 / u64::from(shape.bytes());
        let region = match written {
            HostWrites::All => MemoryBytes::defined(bytes),
            HostWrites::Nothing => MemoryBytes::undefined(bytes.len()),
        };
        let address = self.memory.allocate(name.into(), region, AllocationKind::Buffer);
        self.buffers.push(BufferPlace { name: name.to_owned(), shape, address, length });
        Ok(address)
    }

    /// What an earlier kernel does with buffers: `NAME=reads` or `NAME=writes`.
    ///
    /// # Errors
    /// A message with what to write instead.
    pub fn use_earlier(&mut self, uses: &[String]) -> Result<(), ArgumentError> {
        for written in uses {
            let (name, usage) = match written.split_once('=') {
                Some((name, "reads")) => (name, EarlierUse::Reads),
                Some((name, "writes")) => (name, EarlierUse::Writes),
                _ => return Err(format!("`{written}`: write NAME=reads or NAME=writes").into()),
            };
            let Some((_, address)) = self.find(name) else {
                return Err(format!("no buffer `{name}` among the arguments for an earlier kernel to use").into());
            };
            let place = self.memory.find(address, 0, 0);
            if let Some(place) = place {
                let allocation = self.memory.allocation_mut(place.allocation);
                // A write races with reads and writes.
                allocation.earlier = allocation.earlier.max(usage);
            }
        }
        Ok(())
    }

    /// The name of an argument that may be written with the number of its parameter.
    pub(crate) fn shown<'a>(&'a self, name: &'a str) -> &'a str {
        self.numbered.get(name).map_or(name, |shown| shown)
    }

    /// The shape and the address of a buffer.
    pub fn find(&self, name: &str) -> Option<(Shape, u64)> {
        let of_name = |name: &str| self.buffers.iter().find(|buffer| buffer.name == name);
        let found = of_name(name).or_else(|| of_name(self.numbered.get(name)?));
        found.map(|buffer| (buffer.shape, buffer.address))
    }

    /// The shape and the address of a buffer or of a variable of the module. A buffer is named as its argument is, or as a parameter is named in an
    /// argument: by its name, its number, or the end of its name.
    ///
    /// # Errors
    /// A message with the names that there are.
    pub fn named(&self, name: &str, kernel: &Kernel) -> Result<(Shape, u64), String> {
        let found = self.find(name).or_else(|| variable(name, kernel)).or_else(|| self.of_parameter(name, kernel));
        found.ok_or_else(|| {
            let buffers: Vec<&str> = self.buffers.iter().map(|buffer| &*buffer.name).collect();
            let known = match buffers[..] {
                [] => String::new(),
                _ => format!("; the buffers are `{}`", buffers.join("`, `")),
            };
            format!("`{name}` is neither a buffer of an argument nor a variable of the module{known}")
        })
    }

    fn of_parameter(&self, name: &str, kernel: &Kernel) -> Option<(Shape, u64)> {
        let parameter = |name: &str| parameter_of(kernel.parameters(), name).ok();
        let wanted = parameter(name)?;
        let buffer = self.buffers.iter().find(|buffer| parameter(&buffer.name).is_some_and(|one| one == wanted))?;
        Some((buffer.shape, buffer.address))
    }

    /// The buffers among the arguments.
    pub fn buffers(&self) -> &[BufferPlace] {
        &self.buffers
    }

    /// The buffers after the run.
    pub fn results<'m>(&self, memory: &'m GlobalMemory) -> Vec<NamedBuffer<'m>> {
        let result = |BufferPlace { name, shape, address, .. }: &BufferPlace| {
            let bytes = bytes_at(memory, *address);
            NamedBuffer { name: name.clone(), shape: *shape, bytes }
        };
        self.buffers.iter().map(result).collect()
    }
}

/// The shape of the elements and the address of a variable of the module. Elements whose type is not known have 32 bits.
pub fn variable(name: &str, kernel: &Kernel) -> Option<(Shape, u64)> {
    let found = kernel.memory.allocations().iter().find(|one| *one.name == *name)?;
    let declared = kernel.variables.iter().find(|variable| variable.name == name);
    let shape = declared.and_then(|variable| shape_of(&variable.ty));
    Some((shape.unwrap_or(Shape::of(Element::Unsigned(32))), found.address))
}

/// The contents of the allocation at an address.
pub fn bytes_at(memory: &GlobalMemory, address: u64) -> &[u8] {
    let found = memory.allocations().iter().find(|one| one.address == address);
    found.map_or(&[], |one| one.region.bytes())
}
