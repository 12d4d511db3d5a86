//! The host's code of CUDA C++: which kernels it launches, and how the sizes of a launch depend on variables.

mod configurations;
mod launches;

use super::constants::Constants;
use super::declaration_tokens::DeclarationTokens;
use super::lexer::CppTokenKind;
pub use launches::{CppArgument, CppLaunch};
use std::collections::HashSet;

/// The host's code of a source.
#[derive(Clone, Debug, Default)]
pub struct LaunchingCode {
    text: String,
}

/// The words that begin device code.
const DEVICE: [&str; 5] = ["__global__", "__device__", "__shared__", "__constant__", "__managed__"];

impl LaunchingCode {
    /// That of a text.
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned() }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The launches, in the order of the text, if variables have other values than it gives them.
    pub fn launches(&self, values: &[(String, u64)]) -> Vec<CppLaunch> {
        let constants = Constants::of_host(&self.text).with(values);
        launches::launches(&self.text, &constants, &device_words(&self.text))
    }

    /// Whether the host asserts no condition that is false for these values.
    pub fn allows(&self, values: &[(String, u64)]) -> bool {
        Constants::of_host(&self.text).with(values).meets_assertions()
    }
}

/// The names of the whole file that device code uses: such a name has one value, whatever a launch says.
fn device_words(text: &str) -> HashSet<&str> {
    let mut tokens = DeclarationTokens::of(text);
    let (mut used, mut of_file) = (HashSet::new(), macro_names(text));
    let mut place = TokenPlace::default();
    let (mut last, mut is_after_list) = (None, false);
    loop {
        let token = tokens.next();
        let word = tokens.word(&token);
        match &token.kind {
            CppTokenKind::End => return used.intersection(&of_file).copied().collect(),
            CppTokenKind::Word => {
                place.is_device |= word.is_some_and(|word| DEVICE.contains(&word));
                // The names of parameters are their own.
                used.extend(word.filter(|_| place.is_device && (place.depth > 0 || place.lists == 0)));
            }
            CppTokenKind::Sign(b'=') if place.functions == 0 && place.lists == 0 => of_file.extend(last),
            CppTokenKind::Sign(sign) => place.pass(*sign, is_after_list),
            _ => {}
        }
        (last, is_after_list) = (word, token.is(b')'));
    }
}

/// Where a token of a text is.
#[derive(Default)]
struct TokenPlace {
    /// Whether it is in code or a variable of the device.
    is_device: bool,
    /// The braces around it.
    depth: usize,
    /// Those of them that are in a function.
    functions: usize,
    /// The parentheses around it.
    lists: usize,
}

impl TokenPlace {
    /// Goes past a sign, which may be directly after a list in parentheses.
    fn pass(&mut self, sign: u8, is_after_list: bool) {
        match sign {
            b'(' => self.lists += 1,
            b')' => self.lists = self.lists.saturating_sub(1),
            b'{' => {
                self.depth += 1;
                self.functions += usize::from(self.functions > 0 || is_after_list);
            }
            b'}' => {
                self.depth = self.depth.saturating_sub(1);
                self.functions = self.functions.saturating_sub(1);
                self.is_device &= self.functions > 0;
            }
            b';' => self.is_device &= self.functions > 0,
            _ => {}
        }
    }
}

/// The names that a text defines as macros.
fn macro_names(text: &str) -> HashSet<&str> {
    let name = |line: &'_ str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?.trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        Some(line.len() - rest.len()..line.len() - rest.len() + end)
    };
    text.lines().filter_map(|line| name(line).map(|range| &line[range])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "\
#define BLOCK 128
__global__ void scale(float* data, int n) { __shared__ float s[BLOCK]; if (threadIdx.x < n) data[0] = s[0]; }
void launch(float* data, int count) { assert(count % 2 == 0); scale<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(data, count); }
";

    #[test]
    fn sizes_follow_from_the_variables_that_are_passed() {
        let host = LaunchingCode::new(HOST);
        let one = host.launches(&[]).remove(0);
        assert_eq!((one.grid, one.block), (None, Some([128, 1, 1])));
        let count = one.arguments[1].variable.clone().expect("a variable");
        assert_eq!((&*count, one.arguments[1].number), ("count", None));
        let values = [(count, 300)];
        let one = host.launches(&values).remove(0);
        assert_eq!((one.grid, one.arguments[1].number), (Some([3, 1, 1]), Some(300)));
        assert!(host.allows(&values) && !host.allows(&[("count".to_owned(), 301)]));
    }

    #[test]
    fn what_device_code_names_or_the_host_changes_has_one_value() {
        for (text, variable) in [
            ("const int n = 64; __global__ void k(int n); int main() { k<<<1, n>>>(n); }", Some("n")),
            ("const int n = 64; __device__ float a[n]; int main() { k<<<1, n>>>(n); }", None),
            ("int main() { int n = 64; n += 1; k<<<1, n>>>(n); }", None),
            ("int main() { int m = 64; int n = 2 * m; k<<<1, n>>>(n); }", None),
            ("int main() { k<<<1, 32>>>(n); assert(n == 64); }", Some("n")),
        ] {
            let found = LaunchingCode::new(text).launches(&[]).remove(0).arguments.remove(0);
            assert_eq!(found.variable.as_deref(), variable, "{text}");
        }
    }
}
