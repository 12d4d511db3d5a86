//! Evaluation comments on instructions that are no atomics: what the instruction wrote in a launch.

use crate::comments::atomic::compact;
use crate::comments::comment::{CommentError, CommentItem, EvaluationComment};
use crate::comments::evaluate::{CommentOutcome, Mismatch, meets, written_like};
use crate::comments::guard::GuardValue;
use isa::types::Type;
use syntax::{Instruction, Operand, OperandKind};
use values::{Element, Shape, Value, literal};

/// An instruction that is no atomic.
#[derive(Clone, Debug)]
pub struct WritingInstruction {
    /// Its mnemonic with its modifiers.
    pub opcode: String,
    words: Vec<String>,
    /// The registers of its operands, each once.
    pub registers: Vec<String>,
    /// Those after the first operand.
    pub sources: Vec<String>,
    /// Its address operand, as it is written.
    address: Option<String>,
}

/// How an instruction uses a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterUse {
    /// It reads it.
    Read,
    /// It writes it.
    Written,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum NamedContent {
    /// A predicate.
    Predicate(bool),
    /// A number.
    Number(Value),
}

/// The values of one execution by their names.
#[derive(Clone, Debug, Default)]
pub struct ExecutionValues {
    /// The registers that the instruction reads, before it.
    pub inputs: Vec<(String, NamedContent)>,
    /// The registers that it wrote, and the memory, whose name is `None`.
    pub results: Vec<(Option<String>, NamedContent)>,
}

impl WritingInstruction {
    /// The parts of an instruction.
    pub fn new(instruction: &Instruction) -> Self {
        let opcode = instruction.opcode();
        let operands = instruction.operands();
        let (mut registers, mut sources) = (Vec::new(), Vec::new());
        for (at, operand) in operands.iter().enumerate() {
            add_registers(operand, &mut registers);
            if at > 0 {
                add_registers(operand, &mut sources);
            }
        }
        Self {
            opcode: instruction.opcode_token().text.to_string(),
            words: opcode.words().iter().map(|word| (*word).to_owned()).collect(),
            registers,
            sources,
            address: operands.iter().find(|one| one.kind == OperandKind::Address).map(compact),
        }
    }

    /// The contents of a register with a declared type: read with the type that the instruction has for this width, unless that says
    /// nothing but the width. Of several types the first is that of the result, the last that of a source.
    pub fn content(&self, usage: RegisterUse, declared: &str, width: u32, bits: u128) -> Option<NamedContent> {
        if width == 1 {
            return Some(NamedContent::Predicate(bits & 1 == 1));
        }
        let fits = |shape: &Shape| shape.width() == width && !matches!(shape.element(), Element::Bits(_));
        let mut own = self.words.iter().filter_map(|word| scalar(word)).filter(fits);
        let own = match usage {
            RegisterUse::Written => own.next(),
            RegisterUse::Read => own.next_back(),
        };
        let shape = own.or_else(|| scalar(declared)).or_else(|| scalar(&format!("b{width}")))?;
        Some(NamedContent::Number(Value::new(shape, bits)))
    }

    /// The contents of memory that the instruction wrote.
    pub fn stored(&self, bytes: &[u8]) -> Option<NamedContent> {
        let ty = self.words.iter().rev().find_map(|word| Type::parse(word))?;
        let shape = Shape::new(ty, (bytes.len() as u32).checked_div(scalar(ty.word())?.bytes())?)?;
        let bits = bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte));
        (shape.bytes() as usize == bytes.len()).then(|| NamedContent::Number(Value::new(shape, bits)))
    }

    /// Why a comment cannot be evaluated before it is known what a launch does.
    pub fn without_launch(&self, comment: &EvaluationComment) -> CommentError {
        let (range, opcode) = (comment.range.clone(), &self.opcode);
        match comment.given.is_empty() {
            true => CommentError {
                range,
                message: format!("value that `{opcode}` writes is unknown"),
                help: "write the comment at an `atom`, `red` or `multimem` instruction".to_owned(),
            },
            false => CommentError {
                range,
                message: format!("inputs of `{opcode}`, which is no atomic"),
                help: "write `//=` without inputs, and run the kernel with `//! run`".to_owned(),
            },
        }
    }

    /// Compares the values of an execution with those that a comment expects.
    ///
    /// # Errors
    /// [`CommentError`] if a name or a value is wrong, or the instruction writes nothing.
    pub fn outcome(
        &self,
        comment: &EvaluationComment,
        values: &ExecutionValues,
    ) -> Result<CommentOutcome, CommentError> {
        if values.results.is_empty() {
            return Err(CommentError {
                range: comment.range.clone(),
                message: format!("`{}` writes no value", self.opcode),
                help: "remove the comment".to_owned(),
            });
        }
        let mut mismatches = Vec::new();
        for item in comment.expected.iter().flatten() {
            let truth = self.result(item, values).ok_or_else(|| self.no_result(item, values))?;
            mismatches.extend(mismatch(item, truth)?);
        }
        let sample = comment.expected.iter().flatten().map(|item| &*item.value.text).next();
        let inputs = values.inputs.iter().map(|(name, content)| (name.clone(), content.text(None)));
        let results = values.results.iter().map(|(name, content)| (self.name(name.as_deref()), content.text(sample)));
        Ok(CommentOutcome {
            results: results.collect(),
            observed: inputs.collect(),
            notes: Vec::new(),
            mismatches,
            checked: comment.expected.is_some(),
        })
    }

    /// The name of a result as it is shown.
    fn name(&self, register: Option<&str>) -> String {
        let address = || self.address.clone().unwrap_or_else(|| "[a]".to_owned());
        register.map_or_else(address, str::to_owned)
    }

    fn result<'v>(&self, item: &CommentItem, values: &'v ExecutionValues) -> Option<&'v NamedContent> {
        let wanted = &*item.name.text;
        let is_it = |name: Option<&str>| match name {
            Some(name) => name == wanted,
            None => ["[a]", "mem"].contains(&wanted) || self.address.as_deref() == Some(wanted),
        };
        let named = values.results.iter().find(|(name, _)| is_it(name.as_deref()));
        let first = values.results.first().filter(|(name, _)| wanted == "d" && name.is_some());
        named.or(first).map(|(_, content)| content)
    }

    fn no_result(&self, item: &CommentItem, values: &ExecutionValues) -> CommentError {
        let names: Vec<String> =
            values.results.iter().map(|(name, _)| format!("`{}`", self.name(name.as_deref()))).collect();
        let help = match &*names {
            [one] => format!("the result is {one}"),
            all => format!("results are {}", all.join(", ")),
        };
        let message = format!("`{}` is not a result of the instruction", item.name.text);
        CommentError { range: item.name.range.clone(), message, help }
    }
}

/// Adds the registers of an operand, each once.
fn add_registers(operand: &Operand, all: &mut Vec<String>) {
    let (lanes, parts) = (operand.lanes(), operand.parts());
    match (operand.kind, parts) {
        (OperandKind::Name | OperandKind::Element, _) => {
            let name = operand.token.text.to_string();
            if !all.contains(&name) {
                all.push(name);
            }
        }
        (OperandKind::Pair, Some((first, second))) => [first, second].iter().for_each(|part| add_registers(part, all)),
        (OperandKind::Vector, _) => lanes.iter().for_each(|lane| add_registers(lane, all)),
        _ => {}
    }
}

fn scalar(ty: &str) -> Option<Shape> {
    Type::parse(ty).filter(|ty| *ty != Type::Pred).map(Shape::scalar)
}

fn mismatch(item: &CommentItem, truth: &NamedContent) -> Result<Option<Mismatch>, CommentError> {
    let (name, value) = (&item.name.text, &item.value);
    let invalid =
        |message: String, help: &str| CommentError { range: value.range.clone(), message, help: help.to_owned() };
    let is_right = match truth {
        NamedContent::Predicate(truth) => {
            let expected = GuardValue::read(&value.text)
                .ok_or_else(|| invalid(format!("invalid value of predicate `{name}`"), "write `0` or `1`"))?;
            expected == *truth
        }
        NamedContent::Number(truth) => {
            let expected = literal::parse(&value.text, truth.shape()).map_err(|error| {
                let help = "write a number, bits as `0x…`, `0f…` or `0d…`, or elements as `{…}`";
                invalid(format!("invalid value of `{name}`: {error}"), help)
            })?;
            meets(expected, *truth, &value.text)
        }
    };
    let truth = truth.text(Some(&value.text));
    let what =
        if name.starts_with('[') || name == "mem" { "memory holds".to_owned() } else { format!("`{name}` receives") };
    let message = format!("{what} {truth}, not {}", value.text);
    Ok((!is_right).then(|| Mismatch { range: value.range.clone(), message, truth }))
}

impl NamedContent {
    /// The text, in the format of a sample.
    fn text(&self, sample: Option<&str>) -> String {
        match self {
            Self::Predicate(value) => if *value { "1" } else { "0" }.to_owned(),
            Self::Number(value) => written_like(sample, *value),
        }
    }
}
