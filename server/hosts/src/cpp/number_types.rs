//! The types of C++ that are numbers, as PTX has them.

/// Words of a declaration that are no part of its type.
pub(super) const QUALIFIERS: [&str; 10] = [
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

impl CppParameterType {
    /// Its size.
    pub(super) fn bytes(self) -> i64 {
        let bits: i64 = self.ty.trim_start_matches(|c: char| c.is_alphabetic()).parse().unwrap_or(0);
        if self.is_pointer { 8 } else { bits / 8 }
    }
}

/// The type that words name.
pub(super) fn element(words: &[String]) -> Option<CppElement> {
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
