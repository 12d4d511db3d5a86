//! An instruction of the PTX source.

use crate::test::LitmusError;
use isa::types::Type;
use std::ops::Range;

/// The opcode words and operands of an instruction.
pub struct SourceInstruction {
    pub words: Vec<String>,
    pub operands: Vec<(String, Range<usize>)>,
    pub range: Range<usize>,
    opcode: Range<usize>,
}

impl SourceInstruction {
    /// The words and operands of an instruction.
    pub fn new(instruction: &syntax::Instruction) -> Self {
        let opcode = instruction.opcode();
        let mut words = vec![opcode.mnemonic.text.clone().into_owned()];
        words.extend(opcode.words().into_iter().map(str::to_owned));
        let operands = instruction.operands().into_iter().map(|operand| {
            let token = operand.token;
            (token.text.split_whitespace().collect::<String>(), token.range.clone())
        });
        SourceInstruction {
            words,
            operands: operands.collect(),
            range: instruction.range(),
            opcode: opcode.range.clone(),
        }
    }

    /// The mnemonic.
    pub fn mnemonic(&self) -> &str {
        &self.words[0]
    }

    /// The modifiers.
    pub fn modifiers(&self) -> Vec<&str> {
        self.words[1..].iter().map(String::as_str).collect()
    }

    /// The last type among the words.
    pub fn ty(&self) -> Option<Type> {
        self.words.iter().rev().find_map(|word| Type::parse(word))
    }

    /// Whether it has a word.
    pub fn has(&self, word: &str) -> bool {
        self.words.iter().any(|known| known == word)
    }

    /// An error at the opcode.
    pub fn error(&self, message: String) -> LitmusError {
        let help = "remove it from the functions of the litmus test, or write the test for `ptx-atomics litmus`".into();
        LitmusError { range: self.opcode.clone(), message, help }
    }

    /// The error of an unsupported instruction.
    pub fn unsupported(&self) -> LitmusError {
        self.error(format!("`{}` is not supported in litmus tests", self.words.join(".")))
    }
}
