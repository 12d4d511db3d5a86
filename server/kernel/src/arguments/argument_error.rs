//! Why arguments do not fit a kernel, and what to write.

use crate::Kernel;
use crate::arguments::argument_values::shape_of;
use program::KernelParameter;

/// Why arguments do not fit a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentError {
    /// The message, without a full stop.
    pub message: String,
    /// The arguments that are missing, as they could be written.
    pub missing: Vec<String>,
}

impl From<String> for ArgumentError {
    fn from(message: String) -> Self {
        Self { message, missing: Vec::new() }
    }
}

/// The elements of a buffer that is proposed.
const EXAMPLE_ELEMENTS: u64 = 8;

/// An argument for a parameter of a size in bytes, beside buffers of so many elements: a number is often theirs, and with 0 most kernels do nothing.
pub fn example(size: u32, elements: u64) -> String {
    match size {
        8 => format!("u32[{elements}]"),
        1 | 2 | 4 => format!("u{}={}", size * 8, elements & (u64::MAX >> (64 - 8 * size))),
        128 => "tensor(f16[64x64],box=64x8)".to_owned(),
        size => format!("u8[{size}]"),
    }
}

/// The error about parameters without arguments, if there are any.
///
/// `elements` is the number of elements of the buffers that there are.
pub(crate) fn missing<'p>(
    kernel: &Kernel,
    parameters: impl Iterator<Item = &'p KernelParameter>,
    elements: Option<u64>,
) -> Option<ArgumentError> {
    let parameters: Vec<&KernelParameter> = parameters.collect();
    let bytes = |size: u32| if size == 1 { "1 byte".to_owned() } else { format!("{size} bytes") };
    let named: Vec<String> = parameters.iter().map(|one| format!("`{}` ({})", one.name, bytes(one.size))).collect();
    let message = match &named[..] {
        [] => return None,
        [only] => format!("no argument for the parameter {only}"),
        all => format!("no arguments for the parameters {}", all.join(", ")),
    };
    let elements = elements.unwrap_or(EXAMPLE_ELEMENTS);
    let typed = |one: &&KernelParameter| {
        let known = kernel.source_parameter(&one.name).and_then(|known| known.example(elements));
        format!("{}={}", one.name, known.unwrap_or_else(|| example(one.size, elements)))
    };
    let missing = parameters.iter().map(typed).collect();
    Some(ArgumentError { message, missing })
}

/// What to write for a value of a wrong size.
pub(crate) fn of_size(name: &str, spec: &str, size: u32, is_address: bool) -> String {
    let Some((ty, value)) = spec.split_once('=').filter(|_| matches!(size, 1 | 2 | 4 | 8)) else {
        return String::new();
    };
    let ty = ty.trim().trim_start_matches('.');
    let kind: String = ty.chars().take_while(|c| c.is_alphabetic()).collect();
    let wanted = format!("{kind}{}", 8 * size);
    if shape_of(&wanted).is_none() {
        return String::new();
    }
    match is_address {
        true => format!(": write `{name}={ty}[1]` for a buffer, `{name}={wanted}={}` for a value", value.trim()),
        false => format!(": write `{name}={wanted}={}`", value.trim()),
    }
}
