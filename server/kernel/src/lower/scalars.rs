//! Computations on registers.

use crate::lower::function::FunctionLowering;
use crate::lower::opcode::InstructionWords;
use crate::lower::operands::ConstantKind;
use program::{Destination, MachineAction, ScalarAction, SecondTarget};
use syntax::{Operand, OperandKind, integer_value};
use values::scalar::{ScalarOperation, ScalarType, SecondResult, VideoOperands, VideoSource};

impl FunctionLowering<'_, '_> {
    /// Lowers a computation.
    pub fn scalar(&mut self, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
        let (first, rest) = operands.split_first()?;
        let mut rest: Vec<&Operand> = rest.iter().collect();
        let mut operation = ScalarOperation::new(&words.mnemonic, &words.words()).ok()?;
        if words.mnemonic == "lop3" {
            let table = rest.get(3).and_then(|table| integer_value(&table.token.text))?;
            rest.remove(3);
            operation = operation.with_table(table as u8);
        }
        if matches!(&*words.mnemonic, "min" | "max") && rest.len() == 3 {
            operation = operation.with_three_sources();
        }
        if let Some(video) = video_operands(first, &rest) {
            operation = operation.with_video_operands(&video);
        }
        let types = operation.source_types().to_vec();
        if rest.len() > types.len() {
            return None;
        }
        let zero = self.constant(0);
        let mut sources = [zero; 4];
        for ((source, operand), ty) in sources.iter_mut().zip(&rest).zip(&types) {
            *source = self.source(&without_selector(operand), constant_kind(*ty))?;
        }
        let (destination, second) = self.results(first, &operation)?;
        self.emit(MachineAction::Scalar(Box::new(ScalarAction { operation, sources, destination, second })));
        Some(())
    }

    fn results(
        &mut self,
        operand: &Operand,
        operation: &ScalarOperation,
    ) -> Option<(Option<Destination>, SecondTarget)> {
        if operand.kind == OperandKind::Pair {
            let (first, second) = operand.parts()?;
            let second = self.optional_destination(&second)?;
            let second = second.map_or(SecondTarget::None, SecondTarget::Register);
            return Some((self.optional_destination(&first)?, second));
        }
        let destination = self.optional_destination(&without_selector(operand))?;
        let uses_carry = operation.reads_carry() || operation.second_result() == SecondResult::Carry;
        let second = if uses_carry { SecondTarget::Carry(self.carry()) } else { SecondTarget::None };
        Some((destination, second))
    }
}

/// The selectors and signs of the operands of a video instruction; `None` if there are none.
fn video_operands(destination: &Operand, sources: &[&Operand]) -> Option<VideoOperands> {
    let selector = |operand: &Operand| match operand.element() {
        Some((_, element)) if is_selector(&element.text) => element.text.into_owned(),
        _ => String::new(),
    };
    let source = |at: usize| {
        let operand = sources.get(at).copied().filter(|operand| operand.kind != OperandKind::Constant);
        let inner = operand.and_then(|operand| operand.negated("-"));
        let selected = inner.as_ref().or(operand);
        VideoSource { selector: selected.map_or_else(String::new, selector), negated: inner.is_some() }
    };
    let all = VideoOperands { destination: selector(destination), sources: [source(0), source(1), source(2)] };
    let is_plain =
        all.destination.is_empty() && all.sources.iter().all(|source| source.selector.is_empty() && !source.negated);
    (!is_plain).then_some(all)
}

/// Whether an element of a register is a part that a video instruction selects: `b0`, `h10`.
fn is_selector(element: &str) -> bool {
    let digits = element.strip_prefix(['b', 'h']);
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A register without a sign and without the part that is selected.
fn without_selector<'a>(operand: &Operand<'a>) -> Operand<'a> {
    let inner = operand.negated("-").filter(|inner| inner.kind != OperandKind::Constant);
    let operand = inner.as_ref().unwrap_or(operand);
    match operand.element() {
        Some((name, element)) if is_selector(&element.text) => Operand::new(name),
        _ => operand.clone(),
    }
}

/// How a constant operand of a type is read.
const fn constant_kind(ty: ScalarType) -> ConstantKind {
    match (ty, ty.bits()) {
        (ScalarType::Float(_), 32) => ConstantKind::Single,
        (ScalarType::Float(_), 64) => ConstantKind::Double,
        _ => ConstantKind::Bits,
    }
}
