//! Evaluates the conditions of `#if` for the device architecture.
//!
//! Conditions on macros that the text does not define are unknown.

use super::condition::ArchCondition;
use super::macros::{MacroDefinition, Macros};
use super::predefined::{is_arch, predefined};
use super::value::{ConditionValue, calculate, compare};
use crate::cpp::lexer::{CppLexer, CppToken, CppTokenKind};
use syntax::decimal_or_hex;

/// The maximum nesting of macros and parentheses.
const DEPTH: usize = 12;
/// Longer conditions are unknown.
const LENGTH: usize = 512;

/// Evaluates a condition with the macros that are defined.
pub(super) fn condition<'t>(text: &'t str, macros: &Macros<'t>) -> ArchCondition {
    evaluate(text, macros, 0).truth()
}

fn evaluate<'t>(text: &'t str, macros: &Macros<'t>, depth: usize) -> ConditionValue {
    let mut lexer = CppLexer::new(text, 0);
    lexer.in_line = true;
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next();
        if token.kind == CppTokenKind::End || tokens.len() > LENGTH {
            break;
        }
        tokens.push(token);
    }
    let mut parser = ConditionParser { macros, text, tokens, at: 0, depth };
    let value = parser.either();
    if parser.at < parser.tokens.len() { ConditionValue::unknown() } else { value }
}

/// The meaning of a name.
fn meaning<'t>(name: &str, macros: &Macros<'t>, depth: usize) -> ConditionValue {
    match name {
        _ if is_arch(name) => return ConditionValue::Arch(1),
        "true" => return ConditionValue::Number(1),
        "false" => return ConditionValue::Number(0),
        _ => {}
    }
    if let Some(known) = predefined(name) {
        return ConditionValue::Truth(known);
    }
    let all = macros.definitions(name);
    if all.is_empty() || depth >= DEPTH {
        return ConditionValue::unknown();
    }
    if let [MacroDefinition { body: Some(body), under, .. }] = all
        && under.is_always()
    {
        return evaluate(body, macros, depth + 1);
    }
    let mut truth: Option<ArchCondition> = None;
    for MacroDefinition { body, under, .. } in all {
        let Some(body) = body else { return ConditionValue::unknown() };
        let here = under.and(&evaluate(body, macros, depth + 1).truth());
        truth = Some(truth.map_or(here.clone(), |before| before.or(&here)));
    }
    truth.map_or_else(ConditionValue::unknown, |truth| ConditionValue::Truth(truth.implied()))
}

struct ConditionParser<'m, 't> {
    macros: &'m Macros<'t>,
    text: &'t str,
    tokens: Vec<CppToken>,
    at: usize,
    depth: usize,
}

impl<'t> ConditionParser<'_, 't> {
    fn sign(&self, ahead: usize) -> u8 {
        match self.tokens.get(self.at + ahead).map(|token| &token.kind) {
            Some(CppTokenKind::Sign(sign)) => *sign,
            _ => 0,
        }
    }

    fn word(&self, ahead: usize) -> Option<&'t str> {
        let token = self.tokens.get(self.at + ahead).filter(|token| token.kind == CppTokenKind::Word)?;
        Some(&self.text[token.range.clone()])
    }

    fn take(&mut self, signs: &str) -> bool {
        let found = signs.bytes().enumerate().all(|(at, sign)| self.sign(at) == sign);
        if found {
            self.at += signs.len();
        }
        found
    }

    fn either(&mut self) -> ConditionValue {
        let mut value = self.both();
        while self.take("||") || self.named("or") {
            let right = self.both().truth();
            value = ConditionValue::Truth(value.truth().or(&right));
        }
        value
    }

    fn both(&mut self) -> ConditionValue {
        let mut value = self.comparison();
        while self.take("&&") || self.named("and") {
            let right = self.comparison().truth();
            value = ConditionValue::Truth(value.truth().and(&right));
        }
        value
    }

    fn named(&mut self, word: &str) -> bool {
        let found = self.word(0) == Some(word);
        self.at += usize::from(found);
        found
    }

    fn comparison(&mut self) -> ConditionValue {
        let left = self.product();
        for sign in [">=", "<=", "==", "!=", ">", "<"] {
            if self.take(sign) {
                let right = self.product();
                return compare(left, sign, right);
            }
        }
        left
    }

    fn product(&mut self) -> ConditionValue {
        let mut value = self.single();
        while matches!(self.sign(0), b'*' | b'/' | b'+' | b'-' | b'%') {
            let sign = self.sign(0);
            self.at += 1;
            value = calculate(value, sign, self.single());
        }
        value
    }

    fn single(&mut self) -> ConditionValue {
        let mut negated = false;
        while self.sign(0) == b'!' && self.sign(1) != b'=' || self.word(0) == Some("not") {
            negated = !negated;
            self.at += 1;
        }
        let value = self.primary();
        if negated { ConditionValue::Truth(value.truth().not()) } else { value }
    }

    fn primary(&mut self) -> ConditionValue {
        self.depth += 1;
        let value = if self.depth > 4 * DEPTH { self.give_up() } else { self.inside() };
        self.depth -= 1;
        value
    }

    fn give_up(&mut self) -> ConditionValue {
        self.at = self.tokens.len();
        ConditionValue::unknown()
    }

    fn inside(&mut self) -> ConditionValue {
        if self.take("(") {
            let value = self.either();
            return if self.take(")") { value } else { self.give_up() };
        }
        let Some(token) = self.tokens.get(self.at).cloned() else { return ConditionValue::unknown() };
        match token.kind {
            CppTokenKind::Number => {
                self.at += 1;
                number(&self.text[token.range]).map_or_else(ConditionValue::unknown, ConditionValue::Number)
            }
            CppTokenKind::Word => {
                let word = &self.text[token.range];
                self.at += 1;
                if word == "defined" {
                    return self.defined();
                }
                if self.sign(0) == b'(' {
                    self.arguments();
                    return match word {
                        "_CCCL_PTX_ARCH" => ConditionValue::Arch(1),
                        _ => predefined(word).map_or_else(ConditionValue::unknown, ConditionValue::Truth),
                    };
                }
                meaning(word, self.macros, self.depth)
            }
            _ => self.give_up(),
        }
    }

    fn defined(&mut self) -> ConditionValue {
        let open = self.take("(");
        let Some(name) = self.word(0) else { return self.give_up() };
        self.at += 1;
        if open && !self.take(")") {
            return self.give_up();
        }
        ConditionValue::Truth(self.macros.defined(name))
    }

    fn arguments(&mut self) {
        let mut depth = 0usize;
        while self.at < self.tokens.len() {
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
    decimal_or_hex(text)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(text: &str) -> (Option<u32>, Option<u32>, bool) {
        let condition = condition(text, &Macros::default());
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
        macros.define("HOPPER", MacroDefinition::new(Some("(__CUDA_ARCH__ >= 900)"), 0, ArchCondition::always()));
        macros.define("SAME", MacroDefinition::new(Some("HOPPER"), 0, ArchCondition::always()));
        macros.define("LOOP", MacroDefinition::new(Some("LOOP || 1"), 0, ArchCondition::always()));
        macros.define("HAS", MacroDefinition::new(Some("1"), 0, condition("__CUDA_ARCH__ >= 800", &macros)));
        assert_eq!(condition("SAME", &macros).holds().must.least(), Some(900));
        assert_eq!(condition("!SAME", &macros).holds().may.greatest(), Some(899));
        assert_eq!(condition("defined(HAS)", &macros).holds().must.least(), Some(800));
        assert_eq!(condition("HAS == 1", &macros).holds().must.least(), Some(800));
        let _ = condition("LOOP", &macros);
        let deep = "(".repeat(100_000);
        assert!(condition(&deep, &macros).holds().must.is_empty());
    }

    #[test]
    fn other_processors_are_detected() {
        assert!(condition("defined(__x86_64__) || defined(__aarch64__)", &Macros::default()).holds().host);
        assert!(!condition("!defined(__x86_64__)", &Macros::default()).holds().host);
        assert!(condition("USE_HIP", &Macros::default()).holds().host);
        assert!(!condition("SYCL_BACKEND_CUDA", &Macros::default()).holds().host);
    }

    #[test]
    fn conditions_on_the_architecture_say_that_code_is_for_devices() {
        let is_device = |text: &str| condition(text, &Macros::default()).holds().device;
        assert!(is_device("defined(__CUDA_ARCH__)"));
        assert!(is_device("defined(__CUDA_ARCH__) && FAST"));
        assert!(is_device("__CUDA_ARCH__ >= 800"));
        assert!(is_device("!(__CUDA_ARCH__ < 800)"));
        assert!(is_device("defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__)"));
        assert!(is_device("CUTE_ARCH_TMA_SM90_ENABLED"));
        assert!(!is_device("__CUDA_ARCH__ < 800"));
        assert!(!is_device("!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800"));
        assert!(!is_device("defined(__CUDACC__)"));
    }
}
