//! Where the functions around the current position run, by the words `__global__`, `__device__` and `__host__` before their bodies.

/// Where code runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cpp) enum ExecutionSpace {
    /// Unknown, or on the host.
    #[default]
    Unknown,
    /// On a device and on the host.
    Both,
    /// On a device only.
    Device,
}

/// Parts of the names of macros that stand for attributes of functions.
const OF_FUNCTIONS: [&str; 7] = ["", "INLINE", "FORCEINLINE", "FORCE", "FUNC", "FUNCTION", "FN"];

/// What a word of a declaration says about where its function runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SpaceWords {
    pub device: bool,
    pub host: bool,
}

impl SpaceWords {
    /// What the body of a macro says.
    pub fn of_body(body: &str) -> Self {
        let has = |word: &str| body.contains(word);
        SpaceWords { device: has("__device__") || has("__global__"), host: has("__host__") }
    }

    /// What the name of a macro of another file says, as `CUTLASS_DEVICE` or `DEVICE_INLINE`.
    pub fn of_name(name: &str) -> Self {
        let mut parts = name.split('_').rev().skip_while(|part| OF_FUNCTIONS.contains(part));
        let device = parts.next() == Some("DEVICE");
        SpaceWords { device, host: device && parts.any(|part| part == "HOST") }
    }

    fn add(&mut self, other: Self) {
        self.device |= other.device;
        self.host |= other.host;
    }

    fn space(self) -> ExecutionSpace {
        match self {
            SpaceWords { device: true, host: false } => ExecutionSpace::Device,
            SpaceWords { device: true, host: true } => ExecutionSpace::Both,
            SpaceWords { device: false, .. } => ExecutionSpace::Unknown,
        }
    }
}

/// The open braces at the current position, and the words of the declaration that is read.
#[derive(Clone, Debug, Default)]
pub(super) struct FunctionScopes {
    /// Of each open brace: the words before it, and where its code runs. The outermost first.
    open: Vec<(SpaceWords, ExecutionSpace)>,
    /// The words since the last `;` or brace.
    words: SpaceWords,
    /// The number of open parentheses of the declaration, and whether it has had some.
    parentheses: usize,
    has_parentheses: bool,
    /// The words before the brace that was closed last, if the declaration may continue after it.
    closed: Option<SpaceWords>,
}

impl FunctionScopes {
    /// Where the code at the current position runs.
    pub fn here(&self) -> ExecutionSpace {
        self.open.last().map_or(ExecutionSpace::Unknown, |(_, space)| *space)
    }

    /// Whether the declaration of a function for devices has begun, and its body has not.
    pub fn is_declaring(&self) -> bool {
        self.words.device
    }

    /// Adds a word.
    pub fn word(&mut self, word: &str, said: SpaceWords) {
        self.closed = None;
        // A kernel is in no function: braces before it were not closed in the same way as they were opened.
        if word == "__global__" && self.here() != ExecutionSpace::Unknown {
            self.open.clear();
        }
        let is_keyword = word.starts_with("__");
        // A name that is compared or passed on declares nothing.
        if is_keyword || self.parentheses == 0 {
            self.words.add(said);
        }
    }

    /// Adds a sign.
    pub fn sign(&mut self, sign: u8) {
        // `{}` may be a value in a declaration: `f(int a = {}) {`, or `S() : a{1}, b{2} {`.
        if let Some(before) = self.closed.take()
            && matches!(sign, b',' | b')' | b'{')
        {
            (self.words, self.has_parentheses) = (before, true);
        }
        match sign {
            b'{' => {
                let space = match self.words.space() {
                    known if known != ExecutionSpace::Unknown && self.has_parentheses => known,
                    _ => self.here(),
                };
                self.open.push((self.words, space));
                self.begin();
            }
            b'}' => {
                let closed = self.open.pop().map(|(words, _)| words);
                self.begin();
                self.closed = closed;
            }
            b';' => self.begin(),
            b'(' => {
                self.parentheses += 1;
                self.has_parentheses = true;
            }
            b')' => self.parentheses = self.parentheses.saturating_sub(1),
            // A label: no function has begun.
            b':' if !self.has_parentheses => self.begin(),
            _ => {}
        }
    }

    /// A declaration begins.
    fn begin(&mut self) {
        self.words = SpaceWords::default();
        (self.parentheses, self.has_parentheses) = (0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpp::preprocessor::Preprocessor;

    /// Where the code at each `asm` runs.
    fn spaces(text: &str) -> Vec<ExecutionSpace> {
        let mut read = Preprocessor::new(text, 0);
        let mut found = Vec::new();
        while let Some(token) = read.next() {
            if read.lexer.read(&token.range) == "asm" {
                found.push(read.space());
            }
        }
        found
    }

    #[test]
    fn functions_say_where_they_run() {
        use ExecutionSpace::{Both, Device, Unknown};
        assert_eq!(
            spaces("__global__ void __launch_bounds__(128) k(int a) { if (a) { asm } } void h() { asm }"),
            [Device, Unknown]
        );
        assert_eq!(
            spaces("struct S { __host__ __device__ S() : a{1}, b(2) { asm } void h() { asm } };"),
            [Both, Unknown]
        );
        assert_eq!(
            spaces("__device__ int f(int a, V v = {}) { for (int i = 0; i < a; i++) { asm } asm }"),
            [Device, Device]
        );
        assert_eq!(spaces("void h() { each([=] __device__ (int i) { asm }); asm }"), [Device, Unknown]);
        assert_eq!(spaces("__device__ int v[] = {1}; __device__ void g(); void h() { asm }"), [Unknown]);
    }

    #[test]
    fn macros_stand_for_the_words() {
        use ExecutionSpace::{Both, Device, Unknown};
        let text =
            "#ifdef __CUDACC__\n#define FN __device__ inline\n#else\n#define FN inline\n#endif\nFN void f() { asm }";
        assert_eq!(spaces(text), [Device]);
        assert_eq!(spaces("CUTLASS_DEVICE void f() { asm } CUTE_HOST_DEVICE void g() { asm }"), [Device, Both]);
        assert_eq!(
            spaces("void h() { if (x == CPU_DEVICE) { asm } switch (x) { case A_DEVICE: { asm } } }"),
            [Unknown, Unknown]
        );
        assert_eq!(spaces("#define F(n) __device__ void n() { asm }\nvoid h() { asm }"), [Device, Unknown]);
    }

    #[test]
    fn branches_that_open_the_same_brace_count_once() {
        use ExecutionSpace::{Device, Unknown};
        let text = "__device__ void f(int a) {\n#if X\nif (a) {\n#else\nif (!a) {\n#endif\nasm } } void h() { asm }";
        assert_eq!(spaces(text), [Device, Unknown]);
    }
}
