//! Conditions of the preprocessor, as far as they speak of the devices that code is compiled for.
//!
//! What depends on macros that nobody shows us is unknown. Must not know statements.

use super::archs::{Archs, Condition};
use super::lexer::{Kind, Lexeme, Lexer};
use std::collections::{HashMap, HashSet};

/// The macros that a text has defined so far.
#[derive(Debug, Default)]
pub(super) struct Macros<'t> {
    now: HashMap<&'t str, Vec<Definition<'t>>>,
    /// Those that have been defined or undefined more than once.
    changing: HashSet<&'t str>,
    gone: HashSet<&'t str>,
}

#[derive(Debug)]
struct Definition<'t> {
    /// What it stands for; `None` where it takes arguments.
    body: Option<&'t str>,
    /// Where its body begins in the text.
    at: usize,
    /// Under which condition it is defined.
    under: Condition,
}

impl<'t> Macros<'t> {
    /// From here on a name stands for a body that begins at a place of the text.
    pub fn define(&mut self, name: &'t str, body: Option<&'t str>, at: usize, under: Condition) {
        let all = self.now.entry(name).or_default();
        all.push(Definition { body, at, under });
        if all.len() > 1 || self.gone.contains(name) {
            self.changing.insert(name);
        }
    }

    /// After this nobody knows any more.
    pub fn undefine(&mut self, name: &'t str) {
        self.now.remove(name);
        self.gone.insert(name);
    }

    /// Whether a name stands for one thing in all of the text that was read.
    pub fn is_constant(&self, name: &str) -> bool {
        !self.changing.contains(name)
    }

    /// What a name certainly stands for, and where that is written: it is defined once, and no option of a compiler may have come before.
    pub fn certain(&self, name: &str) -> Option<(&'t str, usize)> {
        let [only] = self.now.get(name)?.as_slice() else { return None };
        Some((only.body?, only.at)).filter(|_| !only.under.holds().must.is_empty())
    }

    /// Whether a name is defined.
    pub fn defined(&self, name: &str) -> Condition {
        match name {
            "__CUDA_ARCH__" | "__CUDA_MINIMUM_ARCH__" => Condition::exactly(&Archs::all()),
            _ => known(name).unwrap_or_else(|| {
                let all = self.now.get(name).into_iter().flatten();
                let under = all.map(|one| one.under.clone());
                let certain = under.reduce(|a, b| a.or(&b)).map(|any| any.holds().must.clone());
                certain.map_or_else(Condition::unknown, Condition::at_least)
            }),
        }
    }

    /// What a condition says.
    pub fn condition(&self, text: &'t str) -> Condition {
        self.evaluate(text, 0).truth()
    }

    fn evaluate(&self, text: &'t str, depth: usize) -> Value {
        let mut lexer = Lexer::new(text, 0);
        lexer.in_line = true;
        let mut lexemes = Vec::new();
        loop {
            let lexeme = lexer.next();
            if lexeme.kind == Kind::End || lexemes.len() > LENGTH {
                break;
            }
            lexemes.push(lexeme);
        }
        let mut parser = Parser { macros: self, text, lexemes, at: 0, depth };
        let value = parser.either();
        if parser.at < parser.lexemes.len() { Value::unknown() } else { value }
    }

    fn value(&self, name: &str, depth: usize) -> Value {
        match name {
            "__CUDA_ARCH__" | "__CUDA_MINIMUM_ARCH__" => return Value::Arch(1),
            "true" => return Value::Number(1),
            "false" => return Value::Number(0),
            _ => {}
        }
        if let Some(known) = known(name) {
            return Value::Truth(known);
        }
        let Some(all) = self.now.get(name).filter(|_| depth < DEPTH) else { return Value::unknown() };
        if let [Definition { body: Some(body), under, .. }] = all.as_slice()
            && *under == Condition::exactly(&Archs::all())
        {
            return self.evaluate(body, depth + 1);
        }
        let mut truth: Option<Condition> = None;
        for Definition { body, under, .. } in all {
            let Some(body) = body else { return Value::unknown() };
            let here = under.and(&self.evaluate(body, depth + 1).truth());
            truth = Some(truth.map_or(here.clone(), |before| before.or(&here)));
        }
        truth.map_or_else(Value::unknown, |truth| Value::Truth(Condition::at_least(truth.holds().must.clone())))
    }
}

/// Macros that stand for macros are followed so far, and parentheses.
const DEPTH: usize = 12;
/// Longer conditions are unknown.
const LENGTH: usize = 512;

/// What is known of a macro by its name alone.
pub(super) fn known(name: &str) -> Option<Condition> {
    const FREE: [&str; 24] = [
        "__CUDACC",
        "__NVCC__",
        "__CUDA__",
        "CUDA_VERSION",
        "CUDART_VERSION",
        "__cplusplus",
        "__GNUC",
        "__GNUG__",
        "__clang",
        "_MSC_",
        "__NVCOMPILER",
        "_NVHPC",
        "__INTEL_",
        "NDEBUG",
        "_WIN",
        "__linux__",
        "__unix__",
        "__LP64__",
        "_LP64",
        "__SIZEOF_INT128__",
        "__cccl_ptx_isa",
        "_CCCL_CUDA",
        "_CCCL_COMPILER",
        "_CCCL_OS",
    ];
    const HOST: [&str; 22] = [
        "__x86_64",
        "__i386",
        "__amd64",
        "_M_X64",
        "_M_IX86",
        "_M_AMD64",
        "_M_ARM",
        "__aarch64__",
        "__arm__",
        "__ARM",
        "__powerpc",
        "__PPC",
        "__ppc",
        "__riscv",
        "__s390",
        "__loongarch",
        "__HIP",
        "__AMDGCN",
        "USE_ROCM",
        "__SYCL_DEVICE_ONLY__",
        "__SSE",
        "__AVX",
    ];
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    if let Some(number) = name.strip_prefix("__CUDA_ARCH_FEAT_SM").and_then(|rest| rest.strip_suffix("_ALL")) {
        let arch = number.parse::<u32>().ok()?.checked_mul(10)?;
        return Some(Condition::exactly(&Archs::between(arch, arch)).and(&Condition::unknown()));
    }
    if name.starts_with("__CUDA_ARCH_") {
        return Some(Condition::unknown());
    }
    if let Some(provided) = provided(name) {
        return Some(provided);
    }
    match name {
        _ if begins(&HOST) => Some(Condition::host()),
        _ if begins(&FREE) => Some(Condition::free()),
        _ => feature(name),
    }
}

/// The words of `<nv/target>`.
fn provided(name: &str) -> Option<Condition> {
    let exactly = |low, high| Some(Condition::exactly(&Archs::between(low, high)));
    let arch = |prefix: &str| name.strip_prefix(prefix)?.parse::<u32>().ok()?.checked_mul(10);
    match name {
        "NV_IS_DEVICE" | "NV_ANY_TARGET" => return Some(Condition::exactly(&Archs::all())),
        "NV_IS_HOST" | "NV_NO_TARGET" => return Some(Condition::exactly(&Archs::none())),
        _ => {}
    }
    if let Some(arch) = arch("NV_PROVIDES_SM_") {
        return exactly(arch, u32::MAX);
    }
    arch("NV_IS_EXACTLY_SM_").and_then(|arch| exactly(arch, arch))
}

/// The switches of CUTLASS that say from which architecture on something is compiled: `CUTE_ARCH_TMA_SM90_ENABLED`.
fn feature(name: &str) -> Option<Condition> {
    let name = name.strip_prefix("CUTE_ARCH_").or_else(|| name.strip_prefix("CUTLASS_ARCH_"))?;
    let number = name.strip_suffix("_ENABLED")?.rsplit_once("SM")?.1;
    let arch = number.parse::<u32>().ok()?.checked_mul(10)?;
    Some(Condition::at_least(Archs::between(arch, u32::MAX)))
}

#[derive(Clone, Debug)]
enum Value {
    Number(i64),
    /// `__CUDA_ARCH__`, divided.
    Arch(u32),
    Truth(Condition),
}

impl Value {
    fn unknown() -> Self {
        Value::Truth(Condition::unknown())
    }

    fn certain(holds: bool) -> Self {
        Value::Truth(Condition::exactly(&if holds { Archs::all() } else { Archs::none() }))
    }

    fn truth(self) -> Condition {
        match self {
            Value::Number(0) => Condition::exactly(&Archs::none()),
            Value::Number(_) | Value::Arch(_) => Condition::exactly(&Archs::all()),
            Value::Truth(condition) => condition,
        }
    }
}

struct Parser<'m, 't> {
    macros: &'m Macros<'t>,
    text: &'t str,
    lexemes: Vec<Lexeme>,
    at: usize,
    depth: usize,
}

impl<'t> Parser<'_, 't> {
    fn sign(&self, ahead: usize) -> u8 {
        match self.lexemes.get(self.at + ahead).map(|lexeme| &lexeme.kind) {
            Some(Kind::Sign(sign)) => *sign,
            _ => 0,
        }
    }

    fn word(&self, ahead: usize) -> Option<&'t str> {
        let lexeme = self.lexemes.get(self.at + ahead).filter(|lexeme| lexeme.kind == Kind::Word)?;
        Some(&self.text[lexeme.range.clone()])
    }

    fn take(&mut self, signs: &str) -> bool {
        let found = signs.bytes().enumerate().all(|(at, sign)| self.sign(at) == sign);
        if found {
            self.at += signs.len();
        }
        found
    }

    fn either(&mut self) -> Value {
        let mut value = self.both();
        while self.take("||") || self.named("or") {
            let right = self.both().truth();
            value = Value::Truth(value.truth().or(&right));
        }
        value
    }

    fn both(&mut self) -> Value {
        let mut value = self.comparison();
        while self.take("&&") || self.named("and") {
            let right = self.comparison().truth();
            value = Value::Truth(value.truth().and(&right));
        }
        value
    }

    fn named(&mut self, word: &str) -> bool {
        let found = self.word(0) == Some(word);
        self.at += usize::from(found);
        found
    }

    fn comparison(&mut self) -> Value {
        let left = self.product();
        for sign in [">=", "<=", "==", "!=", ">", "<"] {
            if self.take(sign) {
                let right = self.product();
                return compare(left, sign, right);
            }
        }
        left
    }

    fn product(&mut self) -> Value {
        let mut value = self.single();
        while matches!(self.sign(0), b'*' | b'/' | b'+' | b'-' | b'%') {
            let sign = self.sign(0);
            self.at += 1;
            value = match (value, sign, self.single()) {
                (Value::Number(a), b'*', Value::Number(b)) => {
                    a.checked_mul(b).map_or_else(Value::unknown, Value::Number)
                }
                (Value::Number(a), b'/', Value::Number(b)) => {
                    a.checked_div(b).map_or_else(Value::unknown, Value::Number)
                }
                (Value::Number(a), b'+', Value::Number(b)) => {
                    a.checked_add(b).map_or_else(Value::unknown, Value::Number)
                }
                (Value::Number(a), b'-', Value::Number(b)) => {
                    a.checked_sub(b).map_or_else(Value::unknown, Value::Number)
                }
                (Value::Arch(by), b'/', Value::Number(b @ 1..=1000)) => Value::Arch(by.saturating_mul(b as u32)),
                (Value::Truth(condition), ..) | (_, _, Value::Truth(condition)) => Value::Truth(condition),
                _ => Value::unknown(),
            };
        }
        value
    }

    fn single(&mut self) -> Value {
        let mut negated = false;
        while self.sign(0) == b'!' && self.sign(1) != b'=' || self.word(0) == Some("not") {
            negated = !negated;
            self.at += 1;
        }
        let value = self.primary();
        if negated { Value::Truth(value.truth().not()) } else { value }
    }

    fn primary(&mut self) -> Value {
        self.depth += 1;
        let value = if self.depth > 4 * DEPTH { self.give_up() } else { self.inside() };
        self.depth -= 1;
        value
    }

    fn give_up(&mut self) -> Value {
        self.at = self.lexemes.len();
        Value::unknown()
    }

    fn inside(&mut self) -> Value {
        if self.take("(") {
            let value = self.either();
            return if self.take(")") { value } else { self.give_up() };
        }
        let Some(lexeme) = self.lexemes.get(self.at).cloned() else { return Value::unknown() };
        match lexeme.kind {
            Kind::Number => {
                self.at += 1;
                number(&self.text[lexeme.range]).map_or_else(Value::unknown, Value::Number)
            }
            Kind::Word => {
                let word = &self.text[lexeme.range];
                self.at += 1;
                if word == "defined" {
                    return self.defined();
                }
                if self.sign(0) == b'(' {
                    self.arguments();
                    return match word {
                        "_CCCL_PTX_ARCH" => Value::Arch(1),
                        _ => known(word).map_or_else(Value::unknown, Value::Truth),
                    };
                }
                self.macros.value(word, self.depth)
            }
            _ => self.give_up(),
        }
    }

    fn defined(&mut self) -> Value {
        let open = self.take("(");
        let Some(name) = self.word(0) else { return self.give_up() };
        self.at += 1;
        if open && !self.take(")") {
            return self.give_up();
        }
        Value::Truth(self.macros.defined(name))
    }

    fn arguments(&mut self) {
        let mut depth = 0usize;
        while self.at < self.lexemes.len() {
            match self.sign(0) {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }
}

fn number(text: &str) -> Option<i64> {
    let text = text.replace('\'', "");
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn compare(left: Value, sign: &str, right: Value) -> Value {
    let turned = match sign {
        ">=" => "<=",
        "<=" => ">=",
        ">" => "<",
        "<" => ">",
        same => same,
    };
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => Value::certain(match sign {
            ">=" => a >= b,
            "<=" => a <= b,
            ">" => a > b,
            "<" => a < b,
            "==" => a == b,
            _ => a != b,
        }),
        (Value::Arch(by), Value::Number(number)) => archs(by, sign, number),
        (Value::Number(number), Value::Arch(by)) => archs(by, turned, number),
        (Value::Truth(condition), Value::Number(0)) if sign == "==" => Value::Truth(condition.not()),
        (Value::Truth(condition), _) | (_, Value::Truth(condition)) => Value::Truth(condition),
        (Value::Arch(_), Value::Arch(_)) => Value::unknown(),
    }
}

/// `__CUDA_ARCH__ / by SIGN number`.
fn archs(by: u32, sign: &str, number: i64) -> Value {
    let clamp = |value: i64| u32::try_from(value.max(0)).unwrap_or(u32::MAX);
    let from = clamp(number.saturating_mul(i64::from(by)));
    let to = clamp(number.saturating_mul(i64::from(by)).saturating_add(i64::from(by) - 1));
    let condition = |low, high| Condition::exactly(&Archs::between(low, high));
    Value::Truth(match sign {
        ">=" => condition(from, u32::MAX),
        ">" => condition(to.saturating_add(1), u32::MAX),
        "<=" => condition(0, to),
        "<" => match from {
            0 => Condition::exactly(&Archs::none()),
            from => condition(0, from - 1),
        },
        "==" => condition(from, to),
        _ => condition(from, to).not(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(text: &str) -> (Option<u32>, Option<u32>, bool) {
        let condition = Macros::default().condition(text);
        let side = condition.holds();
        (side.must.least(), side.may.greatest(), side.must.is_empty())
    }

    #[test]
    fn comparisons_say_which_devices() {
        assert_eq!(limits("__CUDA_ARCH__ >= 900"), (Some(900), None, false));
        assert_eq!(limits("defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 900)"), (Some(900), None, false));
        assert_eq!(limits("!defined __CUDA_ARCH__ || 700 <= __CUDA_ARCH__"), (Some(700), None, false));
        assert_eq!(limits("__CUDA_ARCH__ < 900"), (None, Some(899), false));
        assert_eq!(limits("!(__CUDA_ARCH__ < 900)"), (Some(900), None, false));
        assert_eq!(limits("__CUDA_ARCH__ / 100 == 10"), (Some(1000), Some(1099), false));
        assert_eq!(limits("__CUDA_ARCH__ > 0x384"), (Some(901), None, false));
        assert_eq!(limits("__CUDA_ARCH__ >= 900 && CUDA_VERSION >= 12000"), (Some(900), None, false));
        assert_eq!(limits("__CUDA_ARCH__ >= 900 && MY_SWITCH"), (None, None, true));
        assert_eq!(limits("__CUDA_ARCH_FEAT_SM90_ALL"), (None, Some(900), true));
        assert_eq!(limits("_CCCL_PTX_ARCH() >= 900"), (Some(900), None, false));
        assert_eq!(limits("0"), (None, None, true));
    }

    #[test]
    fn macros_that_are_comparisons_are_followed() {
        let mut macros = Macros::default();
        let all = || Condition::exactly(&Archs::all());
        macros.define("HOPPER", Some("(__CUDA_ARCH__ >= 900)"), 0, all());
        macros.define("SAME", Some("HOPPER"), 0, all());
        macros.define("LOOP", Some("LOOP || 1"), 0, all());
        macros.define("HAS", Some("1"), 0, macros.condition("__CUDA_ARCH__ >= 800"));
        assert_eq!(macros.condition("SAME").holds().must.least(), Some(900));
        assert_eq!(macros.condition("!SAME").holds().may.greatest(), Some(899));
        assert_eq!(macros.condition("defined(HAS)").holds().must.least(), Some(800));
        assert_eq!(macros.condition("HAS == 1").holds().must.least(), Some(800));
        let _ = macros.condition("LOOP");
        let deep = "(".repeat(100_000);
        assert!(macros.condition(&deep).holds().must.is_empty());
    }

    #[test]
    fn other_processors_are_told_apart() {
        assert!(Macros::default().condition("defined(__x86_64__) || defined(__aarch64__)").holds().host);
        assert!(!Macros::default().condition("!defined(__x86_64__)").holds().host);
    }
}
