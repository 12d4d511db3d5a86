//! The kernels of CUDA C++ as their author wrote them: their names and those of their parameters.

use super::declaration_tokens::DeclarationTokens;
use super::lexer::{CppToken, CppTokenKind};
use super::number_types::CppParameterType;

/// A declaration or definition of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CppKernel {
    /// Its name, without namespaces and template parameters.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<CppParameter>,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CppParameter {
    /// Its name; `None` for one without a name, or whose name is not certain.
    pub name: Option<String>,
    /// Its type, if it is one of numbers or a pointer to them.
    pub ty: Option<CppParameterType>,
}

/// Words that end the type of a parameter without a name.
const TYPES: [&str; 10] = ["bool", "char", "const", "double", "float", "int", "long", "short", "signed", "unsigned"];

/// The kernels that a text declares, in its order. Macros are not expanded: what one writes is not found.
pub fn kernels(text: &str) -> Vec<CppKernel> {
    let mut tokens = DeclarationTokens::of(text);
    let mut found = Vec::new();
    loop {
        match tokens.next() {
            CppToken { kind: CppTokenKind::End, .. } => return found,
            CppToken { kind: CppTokenKind::Word, range } if tokens.lexer.read(&range) == "__global__" => {
                found.extend(tokens.kernel());
            }
            _ => {}
        }
    }
}

impl DeclarationTokens<'_> {
    /// The kernel after its `__global__`.
    fn kernel(&mut self) -> Option<CppKernel> {
        let mut name: Option<String> = None;
        loop {
            let token = self.next();
            match token.kind {
                CppTokenKind::Word => name = Some(self.lexer.read(&token.range).to_owned()),
                // Attributes: `__launch_bounds__(256)`.
                CppTokenKind::Sign(b'(') if name.as_ref().is_none_or(|name| name.starts_with("__")) => {
                    self.group();
                }
                CppTokenKind::Sign(b'(') => {
                    let parameters = self.group().iter().filter_map(|one| self.parameter(one)).collect();
                    return Some(CppKernel { name: name?, parameters });
                }
                CppTokenKind::Sign(b';' | b'{' | b'}') | CppTokenKind::End => return None,
                _ => {}
            }
        }
    }

    /// The name of a parameter; `None` if there is none because the list is empty.
    fn parameter(&self, tokens: &[CppToken]) -> Option<CppParameter> {
        let end = tokens.iter().position(|token| token.is(b'=') || token.is(b'[')).unwrap_or(tokens.len());
        let name = match &tokens[..end] {
            [] => return None,
            [only] if self.word(only) == Some("void") => return None,
            [.., before, last] => {
                let is_type_before =
                    self.word(before).is_some() || [b'*', b'&', b'>'].iter().any(|sign| before.is(*sign));
                let is_plain = !tokens.iter().any(|token| token.is(b'('));
                let name = self.word(last).filter(|name| is_type_before && is_plain && !TYPES.contains(name));
                name.map(str::to_owned)
            }
            [_] => None,
        };
        let is_array = tokens.get(end).is_some_and(|token| token.is(b'['));
        let (first, last) = (tokens.first()?, tokens[..end].last()?);
        let end = if name.is_some() { last.range.start } else { last.range.end };
        let ty = CppParameterType::read(self.lexer.read(&(first.range.start..end)));
        Some(CppParameter { name, ty: ty.filter(|_| !is_array) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, Vec<String>)> {
        let name = |one: CppParameter| one.name.unwrap_or_else(|| "?".to_owned());
        kernels(text).into_iter().map(|one| (one.name, one.parameters.into_iter().map(name).collect())).collect()
    }

    #[test]
    fn parameters_have_their_types() {
        let text =
            "__global__ void k(const float* __restrict__ in, unsigned n, float4 *v, T x, int** p, float a[4], size_t)";
        let shown = |one: CppParameter| match one.ty {
            Some(CppParameterType { ty, is_pointer: true }) => format!("{ty}*"),
            Some(CppParameterType { ty, is_pointer: false }) => ty.to_owned(),
            None => "?".to_owned(),
        };
        let found: Vec<String> = kernels(text).remove(0).parameters.into_iter().map(shown).collect();
        assert_eq!(found, ["f32*", "u32", "?", "?", "?", "?", "u64"]);
    }

    #[test]
    fn kernels_have_their_names_and_parameters() {
        for (text, name, parameters) in [
            ("extern \"C\" __global__ void reduce(const float* in, int n) {}", "reduce", vec!["in", "n"]),
            (
                "template <class T, int N> __global__ void __launch_bounds__(256, 2) k(T (&a)[N], T *b[2]);",
                "k",
                vec!["?", "b"],
            ),
            (
                "__global__ __cluster_dims__(2) void k(std::array<int, 3> a = {1, 2}, const __grid_constant__ Map map)",
                "k",
                vec!["a", "map"],
            ),
            ("static __global__ void k(void) {}", "k", vec![]),
            ("__global__ void k(int, float*, unsigned int, int /* n */ m)", "k", vec!["?", "?", "?", "m"]),
            ("__global__ void k(int a,\n#if X\nint b,\n#endif\nint c)", "k", vec!["a", "b", "c"]),
        ] {
            assert_eq!(read(text), [(name.to_owned(), parameters.into_iter().map(str::to_owned).collect())], "{text}");
        }
        assert_eq!(read("// __global__ void k(int a)\n__global__ int x; #define G __global__"), []);
    }
}
