//! The launches of kernels in CUDA C++, with the sizes that the source says: `kernel<<<grid, block, shared>>>(arguments)`, `cudaLaunchKernelEx` and
//! `cudaLaunchCooperativeKernel`.

use super::configurations::{Configuration, configurations};
use crate::cpp::constants::Constants;
use crate::cpp::declaration_tokens::DeclarationTokens;
use crate::cpp::lexer::{CppToken, CppTokenKind};
use std::collections::{HashMap, HashSet};

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
    /// The blocks of a cluster, if the launch asks for some.
    pub cluster: Option<[u32; 3]>,
    /// The bytes of dynamic shared memory.
    pub shared: Option<u32>,
    /// The arguments, in their order.
    pub arguments: Vec<CppArgument>,
}

/// An argument of a launch, as far as the source says what it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CppArgument {
    /// The variable of the host that it is, if that can have another value.
    pub variable: Option<String>,
    /// The value of an integer.
    pub number: Option<u64>,
    /// The bytes that are allocated for a pointer.
    pub bytes: Option<u64>,
}

/// The functions that allocate memory, whose address they store where their first argument points to.
const ALLOCATIONS: [&str; 3] = ["cudaMalloc", "cudaMallocAsync", "cudaMallocManaged"];

/// The functions that launch a kernel.
const LAUNCH: [&str; 2] = ["cudaLaunchKernelEx", "cudaLaunchCooperativeKernel"];

/// The launches of a text, in its order. Words of device code are the same for all launches.
pub(super) fn launches(text: &str, constants: &Constants, device_words: &HashSet<&str>) -> Vec<CppLaunch> {
    let sizes = declared_sizes(text, constants);
    let allocated = allocated_bytes(text, constants);
    let configurations = configurations(text);
    let reader = LaunchReader {
        text,
        constants,
        sizes: &sizes,
        allocated: &allocated,
        device_words,
        configurations: &configurations,
    };
    let mut tokens = DeclarationTokens::of(text);
    let (mut name, mut templates, mut found) = (None, Vec::new(), Vec::new());
    loop {
        let token = tokens.next();
        match token.kind {
            CppTokenKind::End => return found,
            CppTokenKind::Word if LAUNCH.contains(&tokens.lexer.read(&token.range)) => {
                found.extend(reader.called(&mut tokens, &token));
            }
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
            let start = tokens.lexer.at;
            let size = match open.kind {
                CppTokenKind::Sign(b'(' | b'{') => {
                    tokens.group();
                    size_of(text[start..tokens.lexer.at - 1].split(',').map(|one| constants.value(one)))
                }
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

/// A size of the values in its dimensions.
fn size_of(parts: impl Iterator<Item = Option<u64>>) -> Option<[u32; 3]> {
    let mut size = [1; 3];
    for (at, part) in parts.enumerate() {
        *size.get_mut(at)? = u32::try_from(part?).ok()?;
    }
    Some(size)
}

struct LaunchReader<'r, 't> {
    text: &'t str,
    constants: &'r Constants<'t>,
    sizes: &'r HashMap<&'t str, Option<[u32; 3]>>,
    allocated: &'r HashMap<&'t str, Option<u64>>,
    device_words: &'r HashSet<&'t str>,
    configurations: &'r HashMap<&'t str, Configuration<'t>>,
}

impl LaunchReader<'_, '_> {
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
        let written: Vec<&str> = parts.iter().map(|part| self.written(part)).collect::<Option<_>>()?;
        let configuration = Configuration::positional(&written);
        let arguments = arguments.iter().filter(|one| !one.is_empty()).filter_map(|one| self.written(one));
        Some(self.with_sizes(name, &configuration, arguments))
    }

    /// The launch by a function.
    fn called(&self, tokens: &mut DeclarationTokens, function: &CppToken) -> Option<CppLaunch> {
        let is_cooperative = tokens.lexer.read(&function.range) == LAUNCH[1];
        let parts = if tokens.next().is(b'(') { tokens.group() } else { return None };
        let written: Vec<&str> = parts.iter().map(|part| self.written(part)).collect::<Option<_>>()?;
        if is_cooperative {
            // `(void*)kernel, grid, block, arguments, shared, stream`
            let [_, grid, block, _, rest @ ..] = &*written else { return None };
            let sizes = [&[*grid, *block], rest].concat();
            return Some(self.with_sizes(
                name_of(tokens, parts.first()?)?,
                &Configuration::positional(&sizes),
                [].into_iter(),
            ));
        }
        let configuration = self.configurations.get(written.first()?.trim_start_matches('&').trim())?;
        let name = name_of(tokens, parts.get(1)?)?;
        Some(self.with_sizes(name, configuration, written.into_iter().skip(2)))
    }

    fn with_sizes<'a>(
        &self,
        name: &CppToken,
        Configuration { grid, block, cluster, shared }: &Configuration,
        arguments: impl Iterator<Item = &'a str>,
    ) -> CppLaunch {
        CppLaunch {
            kernel: self.text[name.range.clone()].to_owned(),
            line: self.text[..name.range.start].matches('\n').count() + 1,
            grid: grid.and_then(|grid| self.size(grid)),
            block: block.and_then(|block| self.size(block)),
            cluster: cluster
                .iter()
                .find_map(|cluster| size_of(cluster.map(|one| self.constants.value(one)).into_iter())),
            shared: match shared {
                None => Some(0),
                Some(bytes) => self.constants.value(bytes).and_then(|bytes| u32::try_from(bytes).ok()),
            },
            arguments: arguments.map(|one| self.argument(one)).collect(),
        }
    }

    fn written(&self, part: &[CppToken]) -> Option<&str> {
        Some(&self.text[part.first()?.range.start..part.last()?.range.end])
    }

    fn argument(&self, written: &str) -> CppArgument {
        let is_name = written.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let is_free = |name: &&str| self.constants.is_free(name) && !self.device_words.contains(name);
        CppArgument {
            variable: Some(written).filter(|_| is_name).filter(is_free).map(str::to_owned),
            number: self.constants.value(written),
            bytes: self.allocated.get(written).copied().flatten(),
        }
    }

    /// A size: a number, a variable, or `dim3(…)`.
    fn size(&self, written: &str) -> Option<[u32; 3]> {
        if let Some(known) = self.sizes.get(written) {
            return *known;
        }
        let list = written.strip_prefix("dim3").unwrap_or(written).trim_start();
        let inner = list.strip_prefix(['(', '{']).and_then(|list| list.strip_suffix([')', '}']));
        match inner.filter(|_| written != list || written.starts_with('{')) {
            Some(inner) => size_of(inner.split(',').map(|one| self.constants.value(one))),
            None => size_of([self.constants.value(written)].into_iter()),
        }
    }
}

/// The name of a kernel in an argument: `kernel`, `ns::kernel<4>`, `(void*)kernel`.
fn name_of<'p>(tokens: &DeclarationTokens, part: &'p [CppToken]) -> Option<&'p CppToken> {
    let end = part.iter().position(|token| token.is(b'<')).unwrap_or(part.len());
    part[..end].iter().rfind(|token| tokens.word(token).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_have_their_sizes() {
        let launches = |text: &str| launches(text, &Constants::of_host(text), &HashSet::new());
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
            (
                "int up(int a, int b) { return (a + b - 1) / b; } int n = 65; k<<<up(n, 32), n > 32 ? 64 : 32>>>();",
                known("k", Some([3, 1, 1]), Some([64, 1, 1]), Some(0)),
            ),
            (
                "cudaLaunchConfig_t c = {0}; c.gridDim = 4; c.blockDim = dim3(8, 8); c.dynamicSmemBytes = 1 << 10; cudaLaunchKernelEx(&c, ns::k<4>, a);",
                known("k", Some([4, 1, 1]), Some([8, 8, 1]), Some(1024)),
            ),
            (
                "cudaLaunchConfig_t c{2, {32, 2}, 64}; cudaLaunchKernelEx(&c, k, a);",
                known("k", Some([2, 1, 1]), Some([32, 2, 1]), Some(64)),
            ),
            (
                "cudaLaunchCooperativeKernel((void*)k, 2, 32, arguments, 128, stream);",
                known("k", Some([2, 1, 1]), Some([32, 1, 1]), Some(128)),
            ),
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
