//! The variables of CUDA C++ in memory that threads share, as their author declared them.

use super::constants::{Constants, value_end};
use super::declaration_tokens::DeclarationTokens;
use super::lexer::{CppToken, CppTokenKind};

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

/// A type of numbers, or of vectors of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CppElement {
    /// The type of a number in PTX, such as `f32`.
    pub ty: &'static str,
    /// The numbers of a vector, as those of `float4`; 1 for others.
    pub lanes: u32,
}

/// The type of a parameter: a number, or a pointer to numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CppParameterType {
    /// The type of the numbers in PTX.
    pub ty: &'static str,
    /// Whether the parameter is a pointer to them.
    pub is_pointer: bool,
}

impl CppParameterType {
    /// The type that a text writes, such as `const float*`, without the name of the parameter.
    pub fn read(text: &str) -> Option<Self> {
        let is_part = |c: char| c.is_alphanumeric() || "_: *".contains(c);
        if !text.chars().all(is_part) {
            return None;
        }
        let pointers = text.matches('*').count();
        let words = text.split([' ', '*']).filter(|word| !word.is_empty() && !QUALIFIERS.contains(word));
        let words: Vec<String> = words.map(str::to_owned).collect();
        let element = element(&words).filter(|one| one.lanes == 1 && pointers <= 1)?;
        Some(Self { ty: element.ty, is_pointer: pointers == 1 })
    }
}

/// The words that say where a variable is.
const SPACES: [&str; 4] = ["__shared__", "__device__", "__constant__", "__managed__"];

/// Words of a declaration that are no part of its type.
const QUALIFIERS: [&str; 10] = [
    "const",
    "constexpr",
    "extern",
    "inline",
    "static",
    "struct",
    "typename",
    "volatile",
    "__grid_constant__",
    "__restrict__",
];

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

/// The type that words name.
fn element(words: &[String]) -> Option<CppElement> {
    let scalar = |ty| Some(CppElement { ty, lanes: 1 });
    let names: Vec<&str> = words.iter().map(|word| word.strip_prefix("std::").unwrap_or(word)).collect();
    let is_unsigned = names.contains(&"unsigned");
    let has = |word: &str| names.contains(&word);
    match &names[..] {
        [only] if let Some(named) = named(only) => Some(named),
        all if all.iter().all(|word| ["unsigned", "signed", "int", "long", "short", "char"].contains(word)) => {
            scalar(match is_unsigned {
                true if has("long") => "u64",
                true if has("short") => "u16",
                true if has("char") => "u8",
                true => "u32",
                false if has("long") => "s64",
                false if has("short") => "s16",
                false if has("char") => "s8",
                false => "s32",
            })
        }
        _ => None,
    }
}

/// The type of a name.
fn named(name: &str) -> Option<CppElement> {
    let scalar = match name {
        "float" => "f32",
        "double" => "f64",
        "half" | "__half" => "f16",
        "nv_bfloat16" | "__nv_bfloat16" => "bf16",
        "bool" | "uint8_t" | "uchar" => "u8",
        "int8_t" => "s8",
        "uint16_t" | "ushort" => "u16",
        "int16_t" => "s16",
        "uint32_t" | "uint" => "u32",
        "int32_t" => "s32",
        "uint64_t" | "size_t" | "uintptr_t" => "u64",
        "int64_t" | "ptrdiff_t" => "s64",
        _ => return vector(name),
    };
    Some(CppElement { ty: scalar, lanes: 1 })
}

/// The type of a vector of CUDA: `float4`.
fn vector(name: &str) -> Option<CppElement> {
    let lanes = name.chars().last()?.to_digit(10).filter(|lanes| (1..=4).contains(lanes))?;
    let ty = match &name[..name.len() - 1] {
        "float" => "f32",
        "double" => "f64",
        "int" => "s32",
        "uint" => "u32",
        "short" => "s16",
        "ushort" => "u16",
        "char" => "s8",
        "uchar" => "u8",
        "long" | "longlong" => "s64",
        "ulong" | "ulonglong" => "u64",
        _ => return None,
    };
    Some(CppElement { ty, lanes })
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
