//! Which parameter of a kernel an argument is for.

use crate::Kernel;
use program::KernelParameter;

/// The name of an argument.
pub(crate) struct ArgumentName<'a> {
    /// As it is written.
    pub written: &'a str,
    /// With the name of the parameter in place of its number.
    pub shown: String,
}

impl<'a> ArgumentName<'a> {
    /// That of an argument for a parameter.
    pub fn new(written: &'a str, part: &ParameterPart) -> Self {
        let (name, offset) = written.split_at(written.find('+').unwrap_or(written.len()));
        let is_number = name.trim().parse::<usize>().is_ok();
        let shown = if is_number { format!("{}{offset}", part.parameter.name) } else { written.to_owned() };
        Self { written, shown }
    }
}

/// A parameter, or the place of a member in a structure.
pub(crate) struct ParameterPart<'p> {
    pub parameter: &'p KernelParameter,
    /// The first byte in the parameter memory.
    pub start: usize,
    /// Whether an offset was given.
    pub is_inner: bool,
    /// Whether the kernel uses it as the address of a tensor map.
    pub is_map: bool,
}

impl<'p> ParameterPart<'p> {
    /// `NAME`, or `NAME+BYTES`.
    pub fn find(kernel: &'p Kernel, text: &str) -> Result<Self, String> {
        let parameters = kernel.parameters();
        let Some((name, offset)) = text.split_once('+') else {
            let parameter = parameter_of(parameters, text)?;
            let is_map = kernel.uses_as_map(parameter);
            return Ok(Self { parameter, start: parameter.offset as usize, is_inner: false, is_map });
        };
        let parameter = parameter_of(parameters, name)?;
        let inner = syntax::integer_value(offset.trim()).and_then(|offset| usize::try_from(offset).ok());
        let inner = inner.filter(|inner| *inner < parameter.size as usize);
        let inner =
            inner.ok_or_else(|| format!("`{offset}` is not an offset in the {} bytes of `{name}`", parameter.size))?;
        Ok(Self { parameter, start: parameter.offset as usize + inner, is_inner: true, is_map: false })
    }
}

/// A parameter by its name, its number, or the end of its name, as in `param_0`.
pub(crate) fn parameter_of<'p>(parameters: &'p [KernelParameter], name: &str) -> Result<&'p KernelParameter, String> {
    let by_name = parameters.iter().find(|parameter| parameter.name == name);
    let by_number = || name.parse::<usize>().ok().and_then(|number| parameters.get(number));
    let by_end = || parameters.iter().find(|parameter| parameter.name.ends_with(&format!("_{name}")));
    by_name.or_else(by_number).or_else(by_end).ok_or_else(|| {
        let known: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
        match known[..] {
            [] => format!("no parameter `{name}`: the kernel has none"),
            _ => format!("no parameter `{name}`: the kernel has `{}`; `0` is the first", known.join("`, `")),
        }
    })
}
