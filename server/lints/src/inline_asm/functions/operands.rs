//! Expressions of C++ as operands of instructions: numbers, addresses, and registers.

use crate::inline_asm::functions::FunctionModule;
use hosts::cpp::{CppFunction, FunctionStep};
use hosts::inline_asm::AsmOperand;
use std::collections::HashMap;

/// The constraints of registers.
pub(super) const LETTERS: [char; 5] = ['r', 'l', 'f', 'd', 'h'];

impl FunctionModule<'_> {
    /// A register that nothing writes.
    pub(super) fn unknown(&mut self, letter: char) -> String {
        self.fresh += 1;
        format!("%any_{letter}{}", self.fresh)
    }

    /// A register with a value that may be another one every time.
    pub(super) fn changing(&mut self, letter: char) -> String {
        let register = self.unknown(letter);
        match letter {
            'l' => self.line(&format!("mov.u64 {register}, %clock64;")),
            'r' => self.line(&format!("mov.u32 {register}, %clock;")),
            'd' => {
                let value = self.changing('l');
                self.line(&format!("mov.b64 {register}, {value};"));
            }
            _ => {
                let value = self.changing('r');
                self.line(&match letter {
                    'p' => format!("setp.ne.u32 {register}, {value}, 0;"),
                    'h' => format!("cvt.u16.u32 {register}, {value};"),
                    _ => format!("mov.b32 {register}, {value};"),
                });
            }
        }
        register
    }

    /// The register or the number of an operand.
    pub(super) fn operand(&mut self, operand: &AsmOperand) -> Option<String> {
        let letter = operand.letter()?;
        let expression = unwrapped(&self.host[operand.expression.clone()]);
        if letter != 'n' && !LETTERS.contains(&letter) {
            return None;
        }
        let resolved = self.resolved(expression);
        let number: String = resolved.trim_end_matches(['u', 'U', 'l', 'L']).to_owned();
        if number.parse::<i64>().is_ok() && !operand.output {
            return Some(number);
        }
        if letter == 'n' {
            return None;
        }
        if !operand.output && matches!(letter, 'r' | 'l') {
            let mut names = words(&resolved)
                .filter(|word| self.function.shared.iter().chain(&self.function.parameters).any(|known| known == word));
            if let (Some(name), None) = (names.next().map(str::to_owned), names.next())
                && let Some(address) = self.address(&name, &resolved, letter)
            {
                return Some(address);
            }
        }
        let key = (letter, expression.to_owned());
        if let Some(known) = self.registers.get(&key) {
            return Some(known.clone());
        }
        let register = self.unknown(letter);
        self.registers.insert(key, register.clone());
        Some(register)
    }

    /// An expression in which a variable that is defined once is replaced.
    pub(super) fn resolved(&self, expression: &str) -> String {
        let mut resolved = expression.to_owned();
        for _ in 0..3 {
            let Some(value) = self.aliases.get(resolved.trim()) else { break };
            resolved = (*value).to_owned();
        }
        resolved
    }

    /// A register with an address in a parameter or in shared memory; `None` for a parameter that is no address.
    pub(super) fn address(&mut self, name: &str, expression: &str, letter: char) -> Option<String> {
        let is_shared = self.function.shared.iter().any(|shared| shared == name);
        if !is_shared && letter != 'l' {
            return None;
        }
        let size = if letter == 'l' { 64 } else { 32 };
        let address = self.unknown(letter);
        self.line(&match is_shared {
            true => format!("mov.b{size} {address}, {name}_shared;"),
            false => format!("ld.param.u64 {address}, [{name}_parameter];"),
        });
        if is_shared && letter == 'l' {
            self.line(&format!("cvta.shared.u64 {address}, {address};"));
        }
        let index = expression.split_once('[').map(|(_, index)| index.split(']').next().unwrap_or_default().trim());
        match index.map(str::parse::<i64>) {
            None if !expression.contains('+') => return Some(address),
            Some(Ok(0)) => return Some(address),
            Some(Ok(index)) => {
                let element = self.unknown(letter);
                self.line(&format!("add.s{size} {element}, {address}, {};", index * 8));
                return Some(element);
            }
            _ => {}
        }
        let (element, offset) = (self.unknown(letter), self.unknown(letter));
        self.line(&format!("add.s{size} {element}, {address}, {offset};"));
        Some(element)
    }
}

/// The expressions of variables that the function defines once.
pub(super) fn aliases<'a>(function: &'a CppFunction, host: &'a str) -> HashMap<&'a str, &'a str> {
    let mut found: HashMap<&str, Option<&str>> = HashMap::new();
    for step in &function.steps {
        if let FunctionStep::Define(name, value) = step {
            let value = Some(host[value.clone()].trim()).filter(|value| !value.is_empty());
            found.entry(name).and_modify(|known| *known = None).or_insert(value);
        }
    }
    found.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// An expression without the parentheses around it.
pub(super) fn unwrapped(expression: &str) -> &str {
    let expression = expression.trim();
    expression.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(expression).trim()
}

/// The words of an expression.
pub(super) fn words(expression: &str) -> impl Iterator<Item = &str> {
    expression.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}
