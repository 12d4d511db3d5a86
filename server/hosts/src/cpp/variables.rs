//! The variables of CUDA C++ in memory that threads share, as their author declared them.

use super::constants::{Constants, value_end};
use super::declaration_tokens::DeclarationTokens;
use super::lexer::{CppToken, CppTokenKind};
use super::number_types::{CppElement, QUALIFIERS, element};

/// A variable in shared, global or constant memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CppVariable {
    /// Its name, without namespaces.
    pub name: String,
    /// The type of its elements; `None` for one that is not known here.
    pub element: Option<CppElement>,
    /// The lengths of an array, the outermost first; `None` for one that is not known.
    pub lengths: Vec<Option<u64>>,
}

/// The words that say where a variable is.
const SPACES: [&str; 4] = ["__shared__", "__device__", "__constant__", "__managed__"];

/// Words with a group of their own.
const ATTRIBUTES: [&str; 4] = ["alignas", "__align__", "__attribute__", "decltype"];

/// The variables that a text declares, in its order.
pub fn variables(text: &str) -> Vec<CppVariable> {
    let constants = Constants::of(text);
    let mut reader = VariableReader { tokens: DeclarationTokens::of(text), constants, found: Vec::new() };
    loop {
        let token = reader.tokens.next();
        match reader.tokens.word(&token) {
            Some(word) if SPACES.contains(&word) => {
                let before = reader.found.len();
                if reader.declaration().is_none() {
                    reader.found.truncate(before);
                }
            }
            _ if token.kind == CppTokenKind::End => return reader.found,
            _ => {}
        }
    }
}

struct VariableReader<'t> {
    tokens: DeclarationTokens<'t>,
    constants: Constants<'t>,
    found: Vec<CppVariable>,
}

impl VariableReader<'_> {
    /// The variables of a declaration after its space; `None` if it declares something else.
    fn declaration(&mut self) -> Option<()> {
        let mut words: Vec<String> = Vec::new();
        let mut lengths = Vec::new();
        let mut ty: Option<Vec<String>> = None;
        loop {
            let token = self.tokens.next();
            match token.kind {
                CppTokenKind::Word => self.word(&token, &mut words),
                CppTokenKind::Sign(b':') => words.last_mut()?.push(':'),
                CppTokenKind::Sign(b'<') => {
                    self.tokens.group();
                    words.last_mut()?.push_str("<>");
                }
                CppTokenKind::Sign(b'*' | b'&') => words.push("*".to_owned()),
                CppTokenKind::Sign(b'[') => lengths.push(self.length()),
                CppTokenKind::Sign(sign @ (b',' | b';' | b'=' | b'{')) => {
                    let name = words.pop().filter(|name| name != "*" && !name.contains([':', '<']))?;
                    let known = ty.get_or_insert_with(|| words.clone());
                    let is_pointer = words.contains(&"*".to_owned());
                    if known.is_empty() {
                        return None;
                    }
                    let element = if is_pointer { None } else { element(known) };
                    self.found.push(CppVariable { name, element, lengths: std::mem::take(&mut lengths) });
                    if matches!(sign, b'=' | b'{') && !self.skip_value(sign)? || sign == b';' {
                        return Some(());
                    }
                    words.clear();
                }
                CppTokenKind::Sign(_) | CppTokenKind::End => return None,
                _ => {}
            }
        }
    }

    fn word(&mut self, token: &CppToken, words: &mut Vec<String>) {
        let word = self.tokens.lexer.read(&token.range);
        if ATTRIBUTES.contains(&word) {
            if self.tokens.lexer.peek().is(b'(') {
                self.tokens.next();
                self.tokens.group();
            }
        } else if let Some(last) = words.last_mut().filter(|last| last.ends_with(':')) {
            last.push_str(word);
        } else if !QUALIFIERS.contains(&word) && !SPACES.contains(&word) {
            words.push(word.to_owned());
        }
    }

    /// The length between brackets.
    fn length(&mut self) -> Option<u64> {
        let start = self.tokens.lexer.at;
        let end = value_end(&mut self.tokens).range.start;
        self.constants.value(self.tokens.lexer.read(&(start..end)))
    }

    /// Skips an initial value. Returns whether another variable follows.
    fn skip_value(&mut self, sign: u8) -> Option<bool> {
        if sign == b'{' {
            self.tokens.group();
        }
        loop {
            let token = self.tokens.next();
            match token.kind {
                CppTokenKind::Sign(b'(' | b'[' | b'{') => {
                    self.tokens.group();
                }
                CppTokenKind::Sign(b',') => return Some(true),
                CppTokenKind::Sign(b';') => return Some(false),
                CppTokenKind::End => return None,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let length = |one: &Option<u64>| one.map_or("[?]".to_owned(), |length| format!("[{length}]"));
        let shown = |one: &CppVariable| {
            let lanes = |lanes| if lanes > 1 { format!(" x{lanes}") } else { String::new() };
            let ty = one.element.map_or("?".to_owned(), |one| format!("{}{}", one.ty, lanes(one.lanes)));
            format!("{}: {ty}{}", one.name, one.lengths.iter().map(length).collect::<String>())
        };
        variables(text).iter().map(shown).collect()
    }

    #[test]
    fn variables_have_their_types_and_lengths() {
        for (text, expected) in [
            ("__shared__ float s[256], t;", vec!["s: f32[256]", "t: f32"]),
            (
                "constexpr int STAGES = 2, BYTES = 512;\n__shared__ alignas(128) float tile[STAGES][BYTES / 4];",
                vec!["tile: f32[2][128]"],
            ),
            ("#define N 8 // rows\n__device__ volatile unsigned long long done[N + 1] = {0};", vec!["done: u64[9]"]),
            ("template <int R> void k() { __shared__ float4 tile[128 + 2 * R]; }", vec!["tile: f32 x4[?]"]),
            ("extern __shared__ __align__(16) unsigned char buffer[];", vec!["buffer: u8[?]"]),
            ("__shared__ cuda::barrier<cuda::thread_scope_block> bar; __shared__ T *p;", vec!["bar: ?", "p: ?"]),
            ("__device__ uint32_t smem(const void* p) { return 0; } __constant__ std::uint16_t c = 1;", vec!["c: u16"]),
            (
                "const int A = 1; const int B = 2;\n#if X\nconst int A = 3;\n#endif\n__shared__ int s[A][B << 4];",
                vec!["s: s32[?][32]"],
            ),
            ("// __shared__ int a;\n__shared__ struct { int x; } s; __shared__ bool last;", vec!["last: u8"]),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
