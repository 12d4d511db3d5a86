//! Lowers copies of boxes of tensors. A comment says what is known of a tensor map: `init map = tensor(u32[16x4], box=8x4, of=data)`.

use crate::lower::copies::{CopiedAddress, CopiedShape, CopiedValue, SignalledMbarrier, UnresolvedCopy};
use crate::lower::initial_values::{TENSOR_HELP, written_tensor};
use crate::lower::source_instruction::SourceInstruction;
use crate::lower::thread::Lower;
use crate::parse::{AsyncGroup, number};
use crate::test::LitmusError;
use isa::types::Op;
use memory_model::{FencedSpace, ModelOperand, Scope, Update};
use program::TensorMap;
use values::{AccessedSpace, Operation, Shape, Subnormals};

/// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor` of boxes.
pub fn tensor_copy(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let is_other =
        |word: &String| ["im2col", "tile::", "override", "report"].iter().any(|begin| word.starts_with(begin));
    let is_load = source.has("mbarrier::complete_tx::bytes");
    let has_ranks = source.has("multicast::cluster");
    let expected = 2 + usize::from(is_load) + usize::from(has_ranks);
    let has_policy = source.words.iter().any(|word| word.starts_with("L2::cache_hint"));
    // Whose mbarrier is notified depends on the rank of the named one.
    let is_of_pair = has_ranks && source.has("cta_group::2");
    if is_of_pair || source.words.iter().any(is_other) || source.operands.len() != expected + usize::from(has_policy) {
        return Err(source.unsupported());
    }
    let (map, coordinates) = tensor_and_coordinates(lower, source, usize::from(is_load))?;
    let tensor =
        CopiedAddress { base: ModelOperand::Constant(map.address.into()), offset: 0, space: Some(FencedSpace::Global) };
    let shared = lower.copied_address(source, usize::from(!is_load), Some(FencedSpace::Shared))?;
    let (to, from) = if is_load { (shared, tensor) } else { (tensor, shared) };
    let bytes = map.box_bytes();
    let reduction = match source.has("reduce") {
        true => Some((update(source, &map)?, Scope::Gpu)),
        false => None,
    };
    let ranks: Vec<Option<u32>> = match has_ranks {
        true => {
            let mask = lower.number_operand(source, 3)?;
            (0..u32::BITS).filter(|rank| mask >> rank & 1 == 1).map(Some).collect()
        }
        false => vec![None],
    };
    for rank in ranks {
        if let Some(rank) = rank {
            lower.check_rank(source, rank.into())?;
        }
        let signal = match is_load {
            true => Some(SignalledMbarrier { at: lower.address_parts(source, 2)?, bytes: bytes.into() }),
            false => None,
        };
        let group = if is_load { None } else { Some(AsyncGroup::Bulk) };
        let shape = CopiedShape::Box(map.clone(), coordinates.clone());
        let from = CopiedValue::Memory(from.clone());
        lower.issue(source, group, (to.clone(), from, shape), |copy| UnresolvedCopy {
            reduction,
            signal,
            rank,
            ..copy
        });
    }
    Ok(())
}

/// The tensor map of `[map, {x, y}]` with the address of its tensor, and the coordinates.
fn tensor_and_coordinates(
    lower: &mut Lower<'_>,
    source: &SourceInstruction,
    at: usize,
) -> Result<(TensorMap, Vec<i64>), LitmusError> {
    let (text, _) = &source.operands[at];
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).ok_or_else(|| source.unsupported())?;
    let (map, coordinates) = inner.split_once(',').ok_or_else(|| source.unsupported())?;
    let unknown = |message: &str| LitmusError { help: TENSOR_HELP.to_owned(), ..source.error(message.to_owned()) };
    let map = ModelOperand::Register(lower.register(map));
    let address = lower.constant(map, unknown("the address of the tensor map is not constant"))?;
    let mut locations = lower.test.program.locations.iter();
    let name = locations.find(|location| u128::from(location.address) == address).map(|one| one.name.clone());
    let written = name.and_then(|name| written_tensor(&lower.lowering.inits.get(&name)?.0));
    let (map, tensor) = match written {
        Some(Ok(tensor)) => tensor,
        Some(Err(message)) => return Err(unknown(&message)),
        None => return Err(unknown("unknown tensor map")),
    };
    let ModelOperand::Constant(address) = lower.symbol(&tensor, source)? else {
        return Err(unknown("the tensor is not in a variable or parameter"));
    };
    let mut found = Vec::new();
    for coordinate in coordinates.trim_matches(['{', '}']).split(',') {
        let operand = match number(coordinate) {
            Some(value) => ModelOperand::Constant(value),
            None => ModelOperand::Register(lower.register(coordinate)),
        };
        let error = source.error(format!("coordinate `{coordinate}` is not a constant"));
        found.push(i64::from(lower.constant(operand, error)? as u32 as i32));
    }
    if found.len() != map.dimensions.len() {
        let (coordinates, dimensions) = (found.len(), map.dimensions.len());
        return Err(unknown(&format!("{coordinates} coordinates for a tensor map with {dimensions} dimensions")));
    }
    Ok((TensorMap { address: address as u64, ..map }, found))
}

/// The update of each element.
fn update(source: &SourceInstruction, map: &TensorMap) -> Result<Update, LitmusError> {
    let operation = source.words.iter().find_map(|word| Op::parse(word)).and_then(|op| {
        Operation::new(op, Shape::scalar(map.element), Subnormals::Preserved, AccessedSpace::Global).ok()
    });
    operation.map(Update::Ptx).ok_or_else(|| source.unsupported())
}
