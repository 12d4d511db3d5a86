//! The bytes that arguments pass: values, addresses of buffers, tensor maps, and handles of textures and surfaces.

use crate::arguments::argument_error::of_size;
use crate::arguments::argument_values::{Buffer, HostWrites, KernelArgument, ReadFile, shape_of};
use crate::arguments::image_argument::{ImageArgument, ImageElements, reject_unknown_form};
use crate::arguments::launch_memory::{HANDLE_BYTES, KernelMemory};
use crate::arguments::parameter_part::{ArgumentName, ParameterPart};
use crate::arguments::tensor_argument::{TensorArgument, TensorMemory};
use machine::{AllocationKind, MemoryBytes};
use program::{Image, TENSOR_MAP_BYTES, TensorMap};
use values::{Element, Shape, Value};

impl KernelMemory {
    /// Writes an argument into the parameters; returns its bytes.
    pub(crate) fn argument(
        &mut self,
        ArgumentName { written, shown: name }: &ArgumentName,
        part: &ParameterPart,
        spec: &str,
        read_file: ReadFile,
    ) -> Result<Vec<u8>, String> {
        let tensor = TensorArgument::parse(spec, read_file).transpose()?;
        if let Some(tensor) = tensor {
            let map = self.tensor_map(name, tensor)?;
            let bytes = self.tensor_parameter(name, part, map)?;
            return self.pass(part, bytes);
        }
        if let Some(image) = ImageArgument::parse(spec, read_file).transpose()? {
            let bytes = self.image_handle(name, part, image)?;
            return self.pass(part, bytes);
        }
        let bytes = match self.known(written, part, spec) {
            Some(argument) => self.bytes_of(name, part, spec, argument)?,
            None => {
                reject_unknown_form(spec)?;
                self.reject_unknown_buffer(spec)?;
                self.bytes_of(name, part, spec, KernelArgument::parse(spec, self.most_bytes, read_file)?)?
            }
        };
        self.pass(part, bytes)
    }

    /// The address that the name of a texture, surface, tensor map or buffer stands for.
    fn known(&self, written: &str, part: &ParameterPart, spec: &str) -> Option<KernelArgument> {
        let scalar = |bytes: u32, bits: u64| {
            KernelArgument::Scalar(Value::new(Shape::of(Element::Unsigned(8 * bytes)), bits.into()))
        };
        let (name, address_bytes) = (self.shown(spec), self.memory.addresses().bytes());
        // The name of a map is that of its tensor, too.
        let is_map = part.is_map || [&part.parameter.name, written].contains(&spec) || self.find(spec).is_none();
        let map = self.maps.get(name).filter(|_| is_map);
        match (self.handles.get(name), map, self.find(spec)) {
            (Some(handle), ..) => Some(scalar(HANDLE_BYTES, *handle)),
            (None, Some(address), _) => Some(scalar(address_bytes, *address)),
            (None, None, Some((_, address))) => Some(scalar(address_bytes, address)),
            (None, None, None) => None,
        }
    }

    /// The bytes of a value, or of the address of a buffer.
    fn bytes_of(
        &mut self,
        name: &str,
        part: &ParameterPart,
        spec: &str,
        argument: KernelArgument,
    ) -> Result<Vec<u8>, String> {
        let (size, address_bytes) = (part.parameter.size, self.memory.addresses().bytes());
        match argument {
            // The bytes of a structure that is passed by value.
            KernelArgument::Buffer(buffer)
                if !part.is_inner
                    && size != address_bytes
                    && buffer.bytes.len() == size as usize
                    && buffer.written == HostWrites::All =>
            {
                Ok(buffer.bytes)
            }
            KernelArgument::Buffer(buffer) => {
                if size != address_bytes && !part.is_inner {
                    return Err(format!("the parameter has {size} bytes, an address has {address_bytes}"));
                }
                if self.find(name).is_some() {
                    return Err(format!("an earlier kernel has a buffer of this name: write {name}={name} to pass it"));
                }
                let address = self.add_buffer(name, buffer)?;
                Ok(address.to_le_bytes()[..address_bytes as usize].to_vec())
            }
            KernelArgument::Scalar(value) => {
                let width = value.shape().bytes();
                if width != size && !part.is_inner {
                    let help = of_size(name, spec, size, size == address_bytes);
                    return Err(format!("the parameter has {size} bytes, the value has {width}{help}"));
                }
                Ok(value.bits().to_le_bytes()[..width as usize].to_vec())
            }
        }
    }

    /// A word that is neither a type nor a buffer, where there are buffers to pass.
    fn reject_unknown_buffer(&self, spec: &str) -> Result<(), String> {
        let is_name = spec.starts_with(|c: char| c.is_alphabetic() || "_$%".contains(c))
            && spec.chars().all(|c| c.is_alphanumeric() || "_$%.".contains(c));
        if !is_name || self.buffers.is_empty() || shape_of(spec).is_some() {
            return Ok(());
        }
        let names = self.buffers.iter().map(|buffer| &*buffer.name);
        Err(match isa::closest(spec, names.clone()) {
            Some(near) => format!("`{spec}` is neither a type nor a buffer: did you mean `{near}`?"),
            None => {
                let names: Vec<&str> = names.collect();
                format!("`{spec}` is neither a type nor a buffer; the buffers are `{}`", names.join("`, `"))
            }
        })
    }

    /// The bytes of a tensor map, whose tensor is in a buffer of its own or in that of another argument.
    fn tensor_map(&mut self, name: &str, argument: TensorArgument) -> Result<[u8; TENSOR_MAP_BYTES], String> {
        let TensorArgument { map, shape, memory } = argument;
        let needed = map.tensor_bytes();
        let address = match memory {
            TensorMemory::Own(_) if self.find(name).is_some() => {
                return Err(format!("an earlier kernel has a buffer of this name: write `of={name}` to use it"));
            }
            TensorMemory::Own(bytes) => self.add_buffer(name, Buffer { shape, bytes, written: HostWrites::All })?,
            TensorMemory::Of(other) => self.view("tensor", needed, &other)?,
        };
        Ok(TensorMap { address, ..map }.to_bytes())
    }

    /// The address of the buffer of another argument, in which something has so many bytes.
    fn view(&self, what: &str, needed: u64, other: &str) -> Result<u64, String> {
        let name = self.shown(other);
        let found = self.buffers.iter().find(|buffer| buffer.name == name);
        let buffer = found.ok_or_else(|| format!("no buffer `{other}` among the arguments"))?;
        let length = buffer.length * u64::from(buffer.shape.bytes());
        match needed <= length {
            true => Ok(buffer.address),
            false => Err(format!("{what} of {needed} bytes in `{other}`, which has {length}")),
        }
    }

    /// The bytes of the handle of a texture or surface, which is the address of its description.
    fn image_handle(&mut self, name: &str, part: &ParameterPart, argument: ImageArgument) -> Result<Vec<u8>, String> {
        let ImageArgument { image, elements } = argument;
        let size = part.parameter.size;
        if size != HANDLE_BYTES && !part.is_inner {
            return Err(format!("the parameter has {size} bytes, the handle of a {} has {HANDLE_BYTES}", image.usage));
        }
        let address = match elements {
            ImageElements::Own(_) if self.find(name).is_some() => {
                return Err(format!("an earlier kernel has a buffer of this name: write {name}={name} to pass it"));
            }
            ImageElements::Own(buffer) => self.add_buffer(name, buffer)?,
            ImageElements::Of(other) => self.view("texture", image.bytes(), &other)?,
        };
        let what = format!("{} `{name}`", image.usage);
        let region = MemoryBytes::defined(Image { address, ..image }.to_bytes().to_vec());
        let handle = self.memory.allocate(what.into(), region, AllocationKind::Constant);
        self.handles.insert(name.to_owned(), handle);
        Ok(handle.to_le_bytes().to_vec())
    }

    /// The bytes of a parameter for a tensor map: the map, or the address of one in global memory.
    fn tensor_parameter(
        &mut self,
        name: &str,
        part: &ParameterPart,
        map: [u8; TENSOR_MAP_BYTES],
    ) -> Result<Vec<u8>, String> {
        let (size, address_bytes) = (part.parameter.size, self.memory.addresses().bytes());
        if part.is_inner || size as usize == map.len() {
            return Ok(map.to_vec());
        }
        if size != address_bytes {
            return Err(format!("the parameter has {size} bytes, a tensor map has {}", map.len()));
        }
        let region = MemoryBytes::defined(map.to_vec());
        let address = self.memory.allocate(format!("tensor map `{name}`").into(), region, AllocationKind::Buffer);
        self.maps.insert(name.to_owned(), address);
        Ok(address.to_le_bytes()[..size as usize].to_vec())
    }

    /// Writes the bytes of an argument into the parameters; returns them.
    fn pass(&mut self, part: &ParameterPart, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
        let size = part.parameter.size;
        let end = (part.parameter.offset + size) as usize;
        if part.start + bytes.len() > end {
            return Err(format!(
                "{} bytes at byte {} do not fit into {size} bytes",
                bytes.len(),
                part.start + size as usize - end
            ));
        }
        self.parameters[part.start..part.start + bytes.len()].copy_from_slice(&bytes);
        Ok(bytes)
    }
}
