//! The parameters of a kernel as PTX declares them: a number needs no type where the parameter has one.

use crate::Kernel;
use crate::arguments::argument_values::shape_of;
use program::{KernelParameter, MemorySpace};

impl Kernel {
    /// The type of a parameter without its dot, such as `u32`; `None` if it is an array.
    pub fn declared_type(&self, parameter: &KernelParameter) -> Option<&str> {
        let variables = &self.names.get(self.index)?.variables;
        let is_it = |name: &str, space| space == MemorySpace::Parameter && name == parameter.name;
        let declared = variables.iter().find(|one| is_it(&one.name, one.space))?;
        shape_of(&declared.ty).filter(|shape| shape.bytes() == parameter.size).map(|_| &*declared.ty)
    }

    /// A number with the type of its parameter: `n=100` is `n=u32=100`. Addresses have no numbers.
    pub(crate) fn completed_by_declaration(&self, parameter: &KernelParameter, spec: &str) -> Option<String> {
        let ty = self.declared_type(parameter)?;
        let is_number =
            spec.starts_with(|c: char| c.is_ascii_digit() || "-+.".contains(c)) && !spec.contains(['=', '[', ',']);
        let is_address = !ty.starts_with('f') && parameter.size == self.memory.addresses().bytes();
        let is_signed = spec.starts_with('-') && ty.starts_with('u');
        let ty = if is_signed { ty.replacen('u', "s", 1) } else { ty.to_owned() };
        (is_number && !is_address).then(|| format!("{ty}={spec}"))
    }
}
