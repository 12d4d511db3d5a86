//! Initial values of variables, and checks of those of registers and parameters.
//!
//! Those of registers and parameters are set during lowering.

use crate::lower::functions::{Body, ModuleVariable};
use crate::lower::{InitialValues, closest, cut};
use crate::parse::{fits, number};
use crate::test::{LitmusError, Test};
use kernel::arguments::tensor_argument::{TensorArgument, TensorMemory};
use program::TensorMap;
use std::collections::BTreeMap;

/// How a tensor map is written.
pub const TENSOR_HELP: &str = "write `init map = tensor(u32[16x4], box=8x4, of=data)`";

/// A tensor map, and the name of the variable or parameter where its tensor is; `None` if the value is something else.
pub fn written_tensor(value: &str) -> Option<Result<(TensorMap, String), String>> {
    let no_file = |_: &str, _| Err("comments cannot read files".to_owned());
    Some(match TensorArgument::parse(value, &mut { no_file })? {
        Ok(TensorArgument { map, memory: TensorMemory::Of(name), .. }) if map.pixels.is_none() => Ok((map, name)),
        Ok(_) => Err("a tensor map in a litmus test has a box, and its tensor in a variable or parameter".to_owned()),
        Err(message) => Err(message),
    })
}

type Symbols = BTreeMap<String, ModuleVariable>;

/// Sets the initial values of variables, and reports lines that have no effect.
pub fn apply(inits: &InitialValues, bodies: &[&Body], symbols: &Symbols, test: &mut Test) {
    for (name, (value, range)) in inits {
        let applied = match name.split_once(':') {
            Some((function, inner)) => of_function(function, inner, value, bodies, symbols, test),
            None => of_variable(name, value, test),
        };
        if let Err((message, help)) = applied {
            test.errors.push(LitmusError { range: range.clone(), message, help });
        }
    }
}

type Applied = Result<(), (String, String)>;

fn of_variable(name: &str, value: &str, test: &mut Test) -> Applied {
    let locations = &mut test.program.locations;
    let Some(location) = locations.iter_mut().find(|location| location.name == name) else {
        let near = closest(name, locations.iter().map(|location| &*location.name));
        let help = near.unwrap_or_else(|| "name a variable or a pointer parameter of the functions".to_owned());
        return Err((format!("no thread accesses `{name}`"), help));
    };
    if let Some(tensor) = written_tensor(value) {
        return tensor.map(|_| ()).map_err(|message| (message, TENSOR_HELP.to_owned()));
    }
    let width = location.bytes * 8;
    match number(value) {
        Some(bits) if fits(value, bits, width) => location.init = cut(bits, width),
        Some(_) => return Err(too_wide(name, value, width)),
        None => {
            return Err((format!("initial value of `{name}` is not a number"), "write `init flag = 0`".to_owned()));
        }
    }
    Ok(())
}

fn of_function(function: &str, inner: &str, value: &str, bodies: &[&Body], symbols: &Symbols, test: &Test) -> Applied {
    let Some(body) = bodies.iter().find(|body| body.name == function) else {
        let near = closest(function, bodies.iter().map(|body| &*body.name));
        return Err((
            format!("no thread runs `{function}`"),
            near.unwrap_or_else(|| "name the function of a thread".to_owned()),
        ));
    };
    let mut threads = test.program.threads.iter().filter(|thread| thread.name == function);
    let registers = threads.next().map(|thread| &thread.registers[..]).unwrap_or_default();
    if body.parameters.iter().any(|known| known == inner) || symbols.contains_key(inner) {
        return Ok(());
    }
    let names = || registers.iter().map(|register| &*register.name);
    if !names().any(|known| known == inner) {
        let near = closest(inner, names().chain(body.parameters.iter().map(String::as_str)));
        let help = near.unwrap_or_else(|| format!("name a register or a parameter of `{function}`"));
        return Err((format!("`{function}` does not use `{inner}`"), help));
    }
    let width = body.widths.of(inner);
    match number(value) {
        Some(bits) if fits(value, bits, width) => Ok(()),
        Some(_) => Err(too_wide(inner, value, width)),
        None => {
            Err((format!("initial value of `{inner}` is not a number"), format!("write `init {function}:{inner} = 0`")))
        }
    }
}

fn too_wide(name: &str, value: &str, width: u32) -> (String, String) {
    (format!("`{value}` does not fit in the {width} bits of `{name}`"), format!("write a {width}-bit value"))
}
