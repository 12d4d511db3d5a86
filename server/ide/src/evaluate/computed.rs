//! The SASS instructions that the emulator supports.

use isa::sass::{ExtendedAddress, ResolvedSass, SassFamily, SassRole, SassRow, SassSize};
use std::collections::{BTreeMap, BTreeSet};
use values::{AccessedSpace, Operation, Shape, Subnormals};

/// The operation of an instruction, if the emulator supports it.
pub(super) fn computed(legal: &ResolvedSass, generic: AccessedSpace) -> Option<Operation> {
    let shape = Shape::new(legal.size.ty, legal.size.lanes.into())?;
    let op = legal.operation().filter(|_| legal.operands().contains(&SassRole::Value))?;
    let at = match legal.family.extended {
        ExtendedAddress::Never => AccessedSpace::Shared,
        _ if is_global(legal.family) => AccessedSpace::Global,
        _ => generic,
    };
    Operation::new(op, shape, Subnormals::of(legal.size.noftz), at).ok()
}

/// Whether a family must reach global memory.
pub(super) fn is_global(family: &SassFamily) -> bool {
    family.name != "ATOM" && family.extended != ExtendedAddress::Never
}

/// The families that can be evaluated, each with its unsupported operations.
pub(crate) fn evaluated() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let (mut missing, mut found) = (BTreeMap::<_, BTreeSet<_>>::new(), BTreeSet::new());
    for family in isa::sass::families() {
        for (row, op, size) in forms(family) {
            let form = ResolvedSass { family, row, op, size, extended: family.extended == ExtendedAddress::Always };
            match computed(&form, AccessedSpace::Global) {
                Some(_) => drop(found.insert(family.name)),
                None => drop(missing.entry(family.name).or_default().insert(op)),
            }
        }
    }
    found.into_iter().map(|name| (name, missing.remove(name).unwrap_or_default())).collect()
}

fn forms(family: &'static SassFamily) -> impl Iterator<Item = (&'static SassRow, &'static str, &'static SassSize)> {
    let of_row = |row: &'static SassRow| {
        let SassRow { ops, sizes, .. } = row;
        ops.iter().flat_map(move |op| sizes.iter().map(move |size| (row, *op, *size)))
    };
    family.rows.iter().flat_map(of_row)
}
