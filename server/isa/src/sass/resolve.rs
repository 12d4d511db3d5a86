//! Resolves the words of an opcode to an instruction, or to the reason why it is illegal.

use crate::reason::ReasonCode;
use crate::sass::parts::{SassSlot, parts};
use crate::sass::reason::{fail, illegal_size, list, no_op, within};
use crate::sass::size::{SassSize, size_of};
use crate::sass::words::{SCOPE, STRENGTH};
use crate::sass::{ExtendedAddress, SassDialect, SassFamily, SassReason, SassRole, SassRow, families};
use crate::types::Op;

/// What is known beside the opcode.
#[derive(Clone, Copy, Debug, Default)]
pub struct SassContext {
    /// The dialect, if the operands or the listing determine it.
    pub dialect: Option<SassDialect>,
    /// The target's number, where the listing names one: 90 for sm_90a.
    pub target: Option<u32>,
}

/// A legal instruction.
#[derive(Clone, Copy, Debug)]
pub struct ResolvedSass {
    /// Its family.
    pub family: &'static SassFamily,
    /// The row that allows it.
    pub row: &'static SassRow,
    /// Its operation, such as `ADD`.
    pub op: &'static str,
    /// Its size; the default if none is written.
    pub size: &'static SassSize,
    /// Whether the address has 64 bits.
    pub extended: bool,
}

impl ResolvedSass {
    /// What it does to memory, where PTX has a word for it.
    pub fn operation(&self) -> Option<Op> {
        operation(self.op)
    }

    /// The operands in their order.
    pub fn operands(&self) -> &'static [SassRole] {
        &self.row.operands
    }

    /// Whether it returns the old value in a register.
    pub fn returns(&self) -> bool {
        self.row.operands.contains(&SassRole::Destination)
    }
}

/// PTX's word for an operation.
fn operation(op: &str) -> Option<Op> {
    Op::parse(&op.to_ascii_lowercase())
}

/// What an opcode is.
#[derive(Clone, Debug)]
pub enum SassResolution {
    /// Nothing that these tables know.
    Unknown,
    /// A legal instruction.
    Legal(ResolvedSass),
    /// No legal one.
    Illegal(SassReason),
}

/// The family of an opcode. A `RED` is Maxwell's unless the words or the target show otherwise; the other mnemonics of Maxwell have no rows.
pub(super) fn family(mnemonic: &str, words: &[&str], given: SassContext) -> Option<&'static SassFamily> {
    // GPUs before Maxwell have another encoding and no rows.
    if given.target.is_some_and(|target| target < 50) {
        return None;
    }
    let scoped = words.iter().any(|word| STRENGTH.contains(word) || SCOPE.contains(word));
    let old = given.target.map(|target| target < 70);
    let dialect = match (scoped, old.or(given.dialect.map(|dialect| dialect == SassDialect::Maxwell))) {
        (true, _) => SassDialect::Current,
        (false, Some(false)) => SassDialect::Current,
        (false, Some(true)) => SassDialect::Maxwell,
        (false, None) if mnemonic == "RED" => SassDialect::Maxwell,
        // An `ATOM` without a scope is one of Maxwell.
        (false, None) if mnemonic == "ATOM" || mnemonic == "ATOMG" => return None,
        (false, None) => SassDialect::Current,
    };
    families().iter().find(|family| family.name == mnemonic && family.dialect == dialect)
}

/// What the words of an opcode mean.
pub fn resolve(mnemonic: &str, words: &[&str], given: SassContext) -> SassResolution {
    let Some(family) = family(mnemonic, words, given) else { return SassResolution::Unknown };
    match legal(family, words, given) {
        Ok(instruction) => SassResolution::Legal(instruction),
        Err(reason) => SassResolution::Illegal(*reason),
    }
}

fn legal(family: &'static SassFamily, words: &[&str], given: SassContext) -> Result<ResolvedSass, Box<SassReason>> {
    let parts = parts(family, words)?;
    let text = |slot: SassSlot| parts[slot as usize].clone().map(|at| words[at].join("."));
    if let Some(target) = given.target {
        within(family, family.since, family.until, target, 0..0)?;
    }
    let extended = parts[SassSlot::Extended as usize].is_some();
    if family.extended == ExtendedAddress::Always && !extended {
        return fail(
            ReasonCode::MissingModifier,
            0..0,
            format!("missing `.E` on `{}`: its addresses have 64 bits", family.name),
            format!("write `{}.E`", family.name),
            None,
        );
    }
    let Some(op) = text(SassSlot::Op) else {
        let ops: Vec<String> = family.ops().iter().map(|op| format!("`.{op}`")).collect();
        return fail(
            ReasonCode::MissingModifier,
            0..0,
            format!("missing operation on `{}`", family.name),
            format!("add {}", list(&ops)),
            None,
        );
    };
    let at = parts[SassSlot::Op as usize].clone().unwrap_or_default();
    let Some(op) = family.ops().into_iter().find(|known| *known == op) else {
        return fail(
            ReasonCode::IllegalModifier,
            at,
            format!("`.{op}` is not supported by `{}`", family.name),
            no_op(family, &op),
            None,
        );
    };
    let size_at = parts[SassSlot::Size as usize].clone().unwrap_or(at.end..at.end);
    let written = text(SassSlot::Size).unwrap_or_default();
    let default = if family.dialect == SassDialect::Maxwell && written.is_empty() { "U32" } else { &written };
    let size = size_of(default);
    let row =
        family.rows.iter().find(|row| row.ops.contains(&op) && size.is_some_and(|size| row.sizes.contains(&size)));
    let (Some(row), Some(size)) = (row, size) else {
        return Err(Box::new(illegal_size(family, op, &written, size_at)));
    };
    if let Some(target) = given.target {
        within(family, row.since, row.until, target, size_at)?;
    }
    if family.scoped && parts[SassSlot::Scope as usize].is_none() {
        let end = words.len();
        return fail(
            ReasonCode::MissingModifier,
            end - 1..end,
            format!("missing scope on `{}`", family.name),
            "add a scope, such as `.STRONG.GPU`".to_owned(),
            None,
        );
    }
    Ok(ResolvedSass { family, row, op, size, extended })
}
