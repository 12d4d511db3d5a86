//! Computations on values that may be unknown.

use crate::value::{SymbolicValue, ValueCertainty, ValueOrigin};
use program::{AddressConversion, AddressSize, MemorySpace, ScalarAction, Source};
use values::scalar::{ScalarResult, ScalarType};

/// The windows of generic addresses.
pub(crate) const ADDRESSES: AddressSize = AddressSize::Bits64;

/// The results of a computation. They are known if they are the same for all values of the predicates that are not.
pub(crate) fn computed(
    scalar: &ScalarAction,
    sources: &mut [SymbolicValue; 4],
    types: &[ScalarType],
    carry: u64,
) -> (SymbolicValue, SymbolicValue) {
    let origin = sources.iter().fold(ValueOrigin::Number, |origin, source| origin.joined(source.origin));
    let is_predicate = scalar.operation.destination_type() == ScalarType::Predicate;
    let origin = if is_predicate { ValueOrigin::Number } else { origin };
    let compute =
        |sources: &[SymbolicValue; 4]| scalar.operation.compute(sources.map(|source| source.bits), carry != 0);
    if sources.iter().all(|source| source.is_known()) {
        let result = compute(sources);
        return (SymbolicValue { origin, ..SymbolicValue::number(result.value) }, SymbolicValue::number(result.second));
    }
    if is_sum_with_index(scalar, sources) {
        let bits = compute(sources).value;
        return (SymbolicValue { bits, origin, certainty: ValueCertainty::Indexed }, SymbolicValue::UNKNOWN);
    }
    let unknown = |at: &usize| !sources[*at].is_known();
    let unknown: Vec<usize> = (0..4).filter(unknown).collect();
    if unknown.iter().any(|at| types.get(*at) != Some(&ScalarType::Predicate)) {
        return (SymbolicValue::UNKNOWN, SymbolicValue::UNKNOWN);
    }
    let known = sources.iter().filter(|source| source.is_known());
    let origin = known.fold(ValueOrigin::Number, |origin, source| origin.joined(source.origin));
    let results: Vec<_> = (0..1u64 << unknown.len())
        .map(|bits| {
            for (number, at) in unknown.iter().enumerate() {
                sources[*at] = SymbolicValue::number(bits >> number & 1);
            }
            compute(sources)
        })
        .collect();
    let same = |of: fn(&ScalarResult) -> u64| {
        let first = of(&results[0]);
        results.iter().all(|result| of(result) == first).then_some(first)
    };
    let value = same(|result| result.value)
        .map_or(SymbolicValue::UNKNOWN, |bits| SymbolicValue { origin, ..SymbolicValue::number(bits) });
    (value, same(|result| result.second).map_or(SymbolicValue::UNKNOWN, SymbolicValue::number))
}

/// Whether the result is a sum in which values from memory are multiplied with constants at most.
fn is_sum_with_index(scalar: &ScalarAction, sources: &[SymbolicValue; 4]) -> bool {
    let is_unknown = |source: &SymbolicValue| source.certainty == ValueCertainty::Unknown;
    if sources.iter().any(is_unknown) || scalar.operation.destination_type() == ScalarType::Predicate {
        return false;
    }
    let addends = scalar.operation.addends();
    let is_scaled = |at: usize| {
        let is_factor = |other: usize| {
            other == at || addends.contains(&other) || matches!(scalar.sources[other], Source::Constant(_))
        };
        sources[at] == SymbolicValue::LOADED && (0..4).all(is_factor)
    };
    (0..4).all(|at| sources[at].is_known() || addends.contains(&at) || is_scaled(at))
}

/// The address in another space.
pub(crate) fn converted(value: SymbolicValue, conversion: AddressConversion) -> SymbolicValue {
    let window = |space: MemorySpace| match space {
        MemorySpace::SharedCta | MemorySpace::SharedCluster => Some(ADDRESSES.shared_window()),
        MemorySpace::Local | MemorySpace::Frame | MemorySpace::Parameter => None,
        MemorySpace::Generic | MemorySpace::Global | MemorySpace::Constant => Some(0),
    };
    let moved = match conversion {
        AddressConversion::FromSpace(space) => window(space).map(|window| value.bits.wrapping_add(window)),
        AddressConversion::ToSpace(space) => window(space).map(|window| value.bits.wrapping_sub(window)),
        AddressConversion::FrameToLocal => None,
    };
    moved
        .filter(|_| value.certainty != ValueCertainty::Unknown)
        .map_or(SymbolicValue::UNKNOWN, |bits| SymbolicValue { bits, ..value })
}
