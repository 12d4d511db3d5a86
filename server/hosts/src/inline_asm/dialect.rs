//! What is special in the text of a template.

/// Who reads a template before the assembler does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AsmDialect {
    /// nvcc: `%0` in a statement with operands.
    #[default]
    Nvcc,
    /// LLVM: `$0`, and `$$` for a dollar.
    Llvm,
}

impl AsmDialect {
    /// The character before an operand.
    pub fn sigil(self) -> char {
        match self {
            AsmDialect::Nvcc => '%',
            AsmDialect::Llvm => '$',
        }
    }

    /// The name of an operand in the PTX text of a statement, by its number.
    pub fn operand_name(self, number: usize) -> String {
        format!("{}{number}", self.sigil())
    }

    /// Whether a name in the PTX text of a statement is that of an operand.
    pub fn is_operand(self, name: &str) -> bool {
        name.strip_prefix(self.sigil()).is_some_and(|rest| rest.parse::<usize>().is_ok())
    }
}
