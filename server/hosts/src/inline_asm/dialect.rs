//! What is special in the text of a template.

/// Who reads a template before the assembler does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AsmDialect {
    /// nvcc: `%0` in a statement with operands.
    #[default]
    Nvcc,
    /// LLVM: `$0`, and `$$` for a dollar.
    Llvm,
    /// `inline_ptx` of CuTe DSL: `{$r0}`, `{$w0}` and `{$rw0}`.
    Cute,
    /// rustc: `{}`, `{0}` and `{name}`.
    Rust,
    /// TVM: the opcode is attributes of a Python object, and operands are values.
    Attributes,
    /// Nobody: the text is a PTX module.
    Module,
    /// Nobody: the text is instructions that a document shows.
    Excerpt,
}

impl AsmDialect {
    /// The character before an operand.
    pub fn sigil(self) -> char {
        match self {
            AsmDialect::Nvcc | AsmDialect::Rust | AsmDialect::Attributes | AsmDialect::Module | AsmDialect::Excerpt => {
                '%'
            }
            AsmDialect::Llvm | AsmDialect::Cute => '$',
        }
    }

    /// Whether a name in the PTX text of a statement is that of an operand.
    pub fn is_operand(self, name: &str) -> bool {
        let letters: &[char] = if self == AsmDialect::Cute { &['r', 'w'] } else { &[] };
        let number = name.strip_prefix(self.sigil()).map(|rest| rest.trim_start_matches(letters));
        !matches!(self, AsmDialect::Module | AsmDialect::Excerpt)
            && number.is_some_and(|number| number.parse::<usize>().is_ok())
    }
}
