//! The launches of kernels in CUDA C++: `kernel<<<grid, block, shared>>>(arguments)`, with the sizes that the source says.

use super::constants::Constants;
use super::declaration_tokens::DeclarationTokens;
use super::lexer::{CppToken, CppTokenKind};
use std::collections::HashMap;

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CppLaunch {
    /// The name of the kernel, without namespaces and template arguments.
    pub kernel: String,
    /// Its line, from 1 on.
    pub line: usize,
    /// The blocks of the grid; `None` if they are not certain.
    pub grid: Option<[u32; 3]>,
    /// The threads of a block.
    pub block: Option<[u32; 3]>,
    /// The bytes of dynamic shared memory.
    pub shared: Option<u32>,
    /// The arguments, in their order.
    pub arguments: Vec<CppArgument>,
}

/// An argument of a launch, as far as the source says what it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CppArgument {
    /// The value of an integer.
    pub number: Option<u64>,
    /// The bytes that are allocated for a pointer.
    pub bytes: Option<u64>,
}

/// The functions that allocate memory, whose address they store where their first argument points to.
const ALLOCATIONS: [&str; 3] = ["cudaMalloc", "cudaMallocAsync", "cudaMallocManaged"];

/// The launches of a text, in its order.
pub fn launches(text: &str) -> Vec<CppLaunch> {
    let constants = Constants::of_host(text);
    let sizes = declared_sizes(text, &constants);
    let allocated = allocated_bytes(text, &constants);
    let reader = SizeReader { text, constants: &constants, sizes: &sizes, allocated: &allocated };
    let mut tokens = DeclarationTokens::of(text);
    let (mut name, mut templates, mut found) = (None, Vec::new(), Vec::new());
    loop {
        let token = tokens.next();
        match token.kind {
            CppTokenKind::End => return found,
            CppTokenKind::Word => name = Some(token),
            CppTokenKind::Sign(b'<') if begins_launch(&mut tokens, &token) => {
                found.extend(name.take().and_then(|name| reader.launch(&mut tokens, &name)));
            }
            CppTokenKind::Sign(b'<') => templates.push(name.take()),
            CppTokenKind::Sign(b'>') => name = templates.pop().flatten(),
            CppTokenKind::Sign(b';' | b'{' | b'}') => {
                templates.clear();
                name = None;
            }
            _ => name = None,
        }
    }
}

/// Whether three angle brackets follow each other; two of them are read.
fn begins_launch(tokens: &mut DeclarationTokens, first: &CppToken) -> bool {
    let mut ahead = tokens.lexer.clone();
    let [second, third] = [ahead.next(), ahead.next()];
    let is_next = |token: &CppToken, at: usize| token.is(b'<') && token.range.start == at;
    let begins = is_next(&second, first.range.end) && is_next(&third, second.range.end);
    if begins {
        tokens.lexer = ahead;
    }
    begins
}

/// The bytes that are allocated for pointers; `None` for names that are given several.
fn allocated_bytes<'t>(text: &'t str, constants: &Constants<'t>) -> HashMap<&'t str, Option<u64>> {
    let mut allocated = HashMap::new();
    let mut tokens = DeclarationTokens::of(text);
    loop {
        let token = tokens.next();
        if token.kind == CppTokenKind::End {
            return allocated;
        }
        let is_allocation = tokens.word(&token).is_some_and(|word| ALLOCATIONS.contains(&word));
        if !is_allocation || !tokens.next().is(b'(') {
            continue;
        }
        let parts = tokens.group();
        let [pointer, size, ..] = &parts[..] else { continue };
        let [.., reference, name] = &pointer[..] else { continue };
        let Some(name) = tokens.word(name).filter(|_| reference.is(b'&')) else { continue };
        let written = size.first().zip(size.last());
        let bytes = written.and_then(|(first, last)| constants.value(&text[first.range.start..last.range.end]));
        allocated.entry(name).and_modify(|known| *known = None).or_insert(bytes);
    }
}

/// The sizes of `dim3` variables; `None` for names that are given several.
fn declared_sizes<'t>(text: &'t str, constants: &Constants<'t>) -> HashMap<&'t str, Option<[u32; 3]>> {
    let mut sizes = HashMap::new();
    let mut tokens = DeclarationTokens::of(text);
    loop {
        let token = tokens.next();
        if token.kind == CppTokenKind::End {
            return sizes;
        }
        if tokens.word(&token) != Some("dim3") {
            continue;
        }
        let mut token = tokens.next();
        while let Some(name) = tokens.word(&token) {
            let mut open = tokens.next();
            if open.is(b'=') {
                open = tokens.next();
                open = if tokens.word(&open) == Some("dim3") { tokens.next() } else { open };
            }
            let reader = SizeReader { text, constants, sizes: &HashMap::new(), allocated: &HashMap::new() };
            let size = match open.kind {
                CppTokenKind::Sign(b'(' | b'{') => reader.size_of_parts(&tokens.group()),
                _ => None,
            };
            sizes.entry(name).and_modify(|known: &mut Option<[u32; 3]>| *known = None).or_insert(size);
            if !tokens.next().is(b',') {
                break;
            }
            token = tokens.next();
        }
    }
}

struct SizeReader<'r, 't> {
    text: &'t str,
    constants: &'r Constants<'t>,
    sizes: &'r HashMap<&'t str, Option<[u32; 3]>>,
    allocated: &'r HashMap<&'t str, Option<u64>>,
}

impl SizeReader<'_, '_> {
    /// The launch after its angle brackets.
    fn launch(&self, tokens: &mut DeclarationTokens, name: &CppToken) -> Option<CppLaunch> {
        let mut parts: Vec<Vec<CppToken>> = vec![Vec::new()];
        let mut depth = 0;
        loop {
            let token = tokens.next();
            match token.kind {
                CppTokenKind::Sign(b'(' | b'[' | b'{') => depth += 1,
                CppTokenKind::Sign(b')' | b']' | b'}') => depth -= 1,
                CppTokenKind::Sign(b',') if depth == 0 => {
                    parts.push(Vec::new());
                    continue;
                }
                CppTokenKind::Sign(b'>') if depth == 0 && self.text[token.range.start..].starts_with(">>>") => {
                    tokens.next();
                    tokens.next();
                    break;
                }
                CppTokenKind::Sign(b';') | CppTokenKind::End => return None,
                _ => {}
            }
            parts.last_mut()?.push(token);
        }
        let arguments = if tokens.next().is(b'(') { tokens.group() } else { return None };
        let arguments = arguments.iter().filter(|one| !one.is_empty()).map(|one| self.argument(one)).collect();
        let shared = match parts.get(2) {
            None => Some(0),
            Some(part) => self.number(part).and_then(|bytes| u32::try_from(bytes).ok()),
        };
        Some(CppLaunch {
            kernel: tokens.lexer.read(&name.range).to_owned(),
            line: self.text[..name.range.start].matches('\n').count() + 1,
            grid: self.size(parts.first()?),
            block: self.size(parts.get(1)?),
            shared,
            arguments,
        })
    }

    fn written(&self, part: &[CppToken]) -> Option<&str> {
        Some(&self.text[part.first()?.range.start..part.last()?.range.end])
    }

    fn argument(&self, part: &[CppToken]) -> CppArgument {
        let bytes = self.written(part).and_then(|name| *self.allocated.get(name)?);
        CppArgument { number: self.number(part), bytes }
    }

    fn number(&self, part: &[CppToken]) -> Option<u64> {
        self.constants.value(self.written(part)?)
    }

    /// A size: a number, a variable, or `dim3(…)`.
    fn size(&self, part: &[CppToken]) -> Option<[u32; 3]> {
        let written = self.written(part)?;
        if let Some(known) = self.sizes.get(written) {
            return *known;
        }
        let Some(list) = written.strip_prefix("dim3").map(str::trim_start) else {
            return Some([u32::try_from(self.number(part)?).ok()?, 1, 1]);
        };
        let inner = list.strip_prefix(['(', '{'])?.strip_suffix([')', '}'])?;
        self.size_of(inner.split(',').map(|one| self.constants.value(one)))
    }

    fn size_of_parts(&self, parts: &[Vec<CppToken>]) -> Option<[u32; 3]> {
        self.size_of(parts.iter().map(|part| self.number(part)))
    }

    fn size_of(&self, parts: impl Iterator<Item = Option<u64>>) -> Option<[u32; 3]> {
        let mut size = [1; 3];
        for (at, part) in parts.enumerate() {
            *size.get_mut(at)? = u32::try_from(part?).ok()?;
        }
        Some(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_have_their_sizes() {
        let launch = |text: &str| launches(text).pop().map(|one| (one.kernel, one.grid, one.block, one.shared));
        let known = |kernel: &str, grid, block, shared| Some((kernel.to_owned(), grid, block, shared));
        for (text, expected) in [
            ("k<<<8, 256>>>(a, n);", known("k", Some([8, 1, 1]), Some([256, 1, 1]), Some(0))),
            (
                "int n = 1000; const int B = 128; ns::k<float, 4><<<(n + B - 1) / B, B, B * sizeof(float), stream>>>(a);",
                known("k", Some([8, 1, 1]), Some([128, 1, 1]), Some(512)),
            ),
            (
                "dim3 grid(2, 3), block{16, 16}; k<<<grid, block>>>();",
                known("k", Some([2, 3, 1]), Some([16, 16, 1]), Some(0)),
            ),
            ("k<<<dim3(4), dim3(8, 8), m>>>(a);", known("k", Some([4, 1, 1]), Some([8, 8, 1]), None)),
            ("int n = 4; n += 2; k<<<n, 32>>>(a);", known("k", None, Some([32, 1, 1]), Some(0))),
            ("void f(int n) { k<<<n, 32>>>(a); }", known("k", None, Some([32, 1, 1]), Some(0))),
            ("x = a << b; // k<<<1, 1>>>();", None),
        ] {
            assert_eq!(launch(text), expected, "{text}");
        }
        let text = "int main() {\n  int n = 64; float *p;\n  cudaMalloc(&p, n * sizeof(*p));\n  k<<<1, n>>>(p, n, 2 * n, 1.f);\n}";
        let text = text.replace("sizeof(*p)", "sizeof(float)");
        let found = launches(&text).pop().expect("a launch");
        let numbers: Vec<_> = found.arguments.iter().map(|one| (one.number, one.bytes)).collect();
        assert_eq!(found.line, 4);
        assert_eq!(numbers, [(None, Some(256)), (Some(64), None), (Some(128), None), (None, None)]);
    }
}
