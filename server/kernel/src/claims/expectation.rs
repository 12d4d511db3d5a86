//! Values that memory has after a run.

use crate::Kernel;
use crate::arguments::argument_values::{ReadFile, contents, shape_of, values};
use crate::arguments::launch_memory::{KernelMemory, bytes_at};
use machine::GlobalMemory;
use values::{Shape, Value};

/// Expected values of a buffer or of a variable.
#[derive(Debug)]
pub struct Expectation {
    name: String,
    shape: Shape,
    address: u64,
    /// The first element that is compared.
    first: usize,
    values: Vec<Value>,
}

impl Expectation {
    /// Reads `NAME=VALUES` or `NAME[INDEX]=VALUES`. A variable of the module has elements of its type, or those of `NAME=TYPE:VALUES`.
    ///
    /// # Errors
    /// A message with what to write instead.
    pub fn parse(text: &str, kernel: &Kernel, memory: &KernelMemory, read_file: ReadFile) -> Result<Self, String> {
        let (target, written) = text.split_once('=').ok_or_else(|| format!("`{text}`: write NAME=1,2,3"))?;
        let (target, written) = (target.trim(), written.trim());
        if let Some(values) = written.strip_prefix('=') {
            let values = values.trim();
            let condition = if target.contains('[') && !values.contains(',') {
                format!(", or `--require '{target} == {values}'`")
            } else {
                String::new()
            };
            return Err(format!("`{text}`: write `{target}={values}`{condition}"));
        }
        if target.ends_with(['!', '<', '>']) {
            return Err(format!("`{text}` is a condition: write `--require '{text}'`"));
        }
        Self::of(target, written, kernel, memory, read_file)
    }

    /// The expectation of values for `NAME` or `NAME[INDEX]`.
    ///
    /// # Errors
    /// A message with what to write instead.
    pub fn of(
        target: &str,
        written: &str,
        kernel: &Kernel,
        memory: &KernelMemory,
        read_file: ReadFile,
    ) -> Result<Self, String> {
        let (name, first) = match target.strip_suffix(']').and_then(|target| target.split_once('[')) {
            Some((name, index)) => (name, index.parse().map_err(|_| format!("`{index}` is not an index"))?),
            None => (target, 0),
        };
        let (shape, address) = memory.named(name, kernel)?;
        let (shape, written) = match written.split_once(':') {
            Some((ty, rest)) => (shape_of(ty).ok_or_else(|| format!("unknown type `{ty}`"))?, rest),
            None => (shape, written),
        };
        let length = length(memory, address) / u64::from(shape.bytes());
        let bytes = contents(written, shape, length, read_file);
        let bytes = bytes.map_err(|error| format!("expected values of `{name}`: {error}"))?;
        Ok(Self { name: name.to_owned(), shape, address, first, values: values(&bytes, shape).collect() })
    }

    /// The values that are there, as many as are expected.
    pub fn found(&self, memory: &GlobalMemory) -> Vec<Value> {
        values(bytes_at(memory, self.address), self.shape).skip(self.first).take(self.values.len()).collect()
    }

    /// How values differ from those that are expected.
    pub fn difference(&self, memory: &GlobalMemory) -> Option<String> {
        let bytes = bytes_at(memory, self.address);
        let found = self.found(memory);
        if found.len() < self.values.len() {
            let message = format!(
                "`{}` has {} elements, {} are expected from element {} on",
                self.name,
                values(bytes, self.shape).count(),
                self.values.len(),
                self.first
            );
            return Some(message);
        }
        let mut different =
            self.values.iter().zip(&found).enumerate().filter(|(_, (wanted, found))| !is_same(**wanted, **found));
        let (at, (wanted, value)) = different.next()?;
        let others = match different.count() {
            0 => String::new(),
            more => format!(", and {more} more elements differ"),
        };
        let element = self.first + at;
        Some(format!("`{}[{element}]` is {value}, expected {wanted}{others}", self.name))
    }
}

/// Whether two values are the same number; all NaN are, and so are the two zeros.
fn is_same(wanted: Value, found: Value) -> bool {
    let element = wanted.shape().element();
    let same = |index: u32| {
        let (wanted, found) = (wanted.element(index), found.element(index));
        let is_zero = |bits: u64| bits << (64 - element.bits()) << 1 == 0;
        wanted == found
            || element.is_nan(wanted) && element.is_nan(found)
            || element.is_float() && is_zero(wanted) && is_zero(found)
    };
    wanted == found || element.is_float() && (0..wanted.shape().elements()).all(same)
}

/// The bytes of the buffer or variable at an address.
fn length(memory: &KernelMemory, address: u64) -> u64 {
    bytes_at(&memory.memory, address).len() as u64
}
