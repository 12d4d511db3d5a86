//! Which matrix an operand of a matrix instruction is, and where its elements are in the registers of the threads.

use crate::fragment::{MatrixWords, bits, element, shape, wmma_matrix};
use crate::fragment_layout::{ElementPosition, FragmentLayout, fragment_layout};
use crate::resolve::ResolvedInstruction;

/// What a matrix is in `d = a * b + c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixRole {
    /// The left factor.
    A,
    /// The right factor.
    B,
    /// What is added to the product.
    C,
    /// The result. An instruction without `c` adds the product to it.
    D,
}

impl MatrixRole {
    /// What the operand of this name is in the forms of the tables: `a`.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "a" => MatrixRole::A,
            "b" => MatrixRole::B,
            "c" => MatrixRole::C,
            "d" => MatrixRole::D,
            _ => return None,
        })
    }

    /// Its letter: `A`.
    pub const fn letter(self) -> &'static str {
        match self {
            MatrixRole::A => "A",
            MatrixRole::B => "B",
            MatrixRole::C => "C",
            MatrixRole::D => "D",
        }
    }

    /// What it is, as a noun phrase.
    pub const fn summary(self) -> &'static str {
        match self {
            MatrixRole::A => "the left factor",
            MatrixRole::B => "the right factor",
            MatrixRole::C => "added to the product",
            MatrixRole::D => "the result",
        }
    }
}

/// A matrix that is an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixOperand {
    /// What it is.
    pub role: MatrixRole,
    /// The number of rows, of stored ones if it is sparse.
    pub rows: u32,
    /// The number of columns, of stored ones if it is sparse.
    pub columns: u32,
    /// The type of its elements, without its dot.
    pub element: &'static str,
    /// The bits of an element in a register; 32 for `.b1`, whose elements are counted in words.
    pub bits: u32,
    /// Whether half of its elements are stored.
    pub is_sparse: bool,
    /// Whether a GPU was measured, because PTX leaves the layout open.
    pub is_measured: bool,
    /// Where its elements are if it is in registers; `None` if that is not known.
    pub layout: Option<FragmentLayout>,
    /// The indices of the row and of the column in a position.
    pub(crate) dimensions: [usize; 2],
}

impl MatrixOperand {
    /// The row and the column of a position in its layout.
    pub fn place(&self, position: ElementPosition) -> [u32; 2] {
        self.dimensions.map(|dimension| position[dimension])
    }

    /// How many elements a register of 32 bits has.
    pub fn elements_of_register(&self) -> u32 {
        (32 / self.bits).max(1)
    }
}

impl ResolvedInstruction {
    /// The matrix that the operand of this name is; `None` if it is none of an instruction that multiplies matrices or moves one.
    pub fn matrix_operand(&self, operand: &str) -> Option<MatrixOperand> {
        let instruction = MatrixWords { family: self.family.name, word: &|slot| self.word(slot) };
        match self.family.name.split('.').next()? {
            "mma" => warp_product(&instruction, MatrixRole::of(operand)?),
            "wmma" => warp_matrix(&instruction, operand),
            "wgmma" => warpgroup_product(&instruction, MatrixRole::of(operand)?),
            _ => None,
        }
    }
}

/// A matrix of a size `(m, n, k)` without a layout.
fn matrix(role: MatrixRole, (m, n, k): (u32, u32, u32), element: &'static str) -> MatrixOperand {
    let bits = bits(element);
    // Elements of `.b1` are counted in words of 32 bits.
    let (k, bits) = if bits == 1 { (k / 32, 32) } else { (k, bits) };
    let (rows, columns, dimensions) = match role {
        MatrixRole::A => (m, k, [0, 2]),
        MatrixRole::B => (k, n, [2, 1]),
        MatrixRole::C | MatrixRole::D => (m, n, [0, 1]),
    };
    MatrixOperand { role, rows, columns, element, bits, is_sparse: false, is_measured: false, layout: None, dimensions }
}

fn warp_product(instruction: &MatrixWords, role: MatrixRole) -> Option<MatrixOperand> {
    let (m, n, k) = shape(instruction);
    let name = role.letter().to_ascii_lowercase();
    let element = element(instruction, &name);
    let is_sparse = role == MatrixRole::A && (instruction.word)("sparse").is_some();
    let stored = if is_sparse { k / 2 } else { k };
    let found = matrix(role, (m, n, stored), element);
    // How elements of 4 and 6 bits are placed in bytes was not measured.
    let is_unknown = matches!(element, "e2m1" | "e2m3" | "e3m2") || (instruction.word)("block_scale").is_some();
    let is_quad = (m, n, k) == (8, 8, 4) && bits(self::element(instruction, "a")) == 16;
    let major = |slot| (instruction.word)(slot).unwrap_or_default();
    let (key, size) = match (role, is_quad) {
        (MatrixRole::A, false) => ("a".to_owned(), format!("m{m}k{stored}")),
        (MatrixRole::B, false) => ("b".to_owned(), format!("n{n}k{k}")),
        (_, false) => ("d".to_owned(), format!("m{m}n{n}")),
        (MatrixRole::A, true) => (format!("a.{}", major("alayout")), format!("m{m}k{k}")),
        (MatrixRole::B, true) => (format!("b.{}", major("blayout")), format!("n{n}k{k}")),
        (_, true) => ("d.quad".to_owned(), format!("m{m}n{n}")),
    };
    let layout = fragment_layout("mma", &key, &size, bits(element)).filter(|_| !is_unknown).cloned();
    Some(MatrixOperand { is_sparse, layout, ..found })
}

fn warp_matrix(instruction: &MatrixWords, operand: &str) -> Option<MatrixOperand> {
    // The registers of a load are called `d`, and those of the store `b`.
    let (name, element) = wmma_matrix(instruction, operand);
    let is_access = instruction.family != "wmma.mma";
    if is_access && operand != if instruction.family == "wmma.store.d" { "b" } else { "d" } {
        return None;
    }
    let role = MatrixRole::of(name)?;
    let (m, n, k) = shape(instruction);
    let (key, size) = match role {
        MatrixRole::A => ("a", format!("m{m}k{k}")),
        MatrixRole::B => ("b", format!("n{n}k{k}")),
        MatrixRole::C | MatrixRole::D => ("d", format!("m{m}n{n}")),
    };
    let layout = fragment_layout("wmma", key, &size, bits(element)).cloned();
    Some(MatrixOperand { is_measured: true, layout, ..matrix(role, (m, n, k), element) })
}

fn warpgroup_product(instruction: &MatrixWords, role: MatrixRole) -> Option<MatrixOperand> {
    let (m, n, k) = shape(instruction);
    let is_sparse = role == MatrixRole::A && (instruction.word)("sparse").is_some();
    let stored = if is_sparse { k / 2 } else { k };
    let element = element(instruction, &role.letter().to_ascii_lowercase());
    let layout = match role {
        MatrixRole::A => fragment_layout("wgmma", "a", &format!("m{m}k{stored}"), bits(element)).cloned(),
        MatrixRole::D => {
            let of_all = fragment_layout("wgmma", "d", &format!("m{m}"), bits(element))?;
            Some(of_all.first_elements(m * n / of_all.threads()))
        }
        _ => None,
    };
    Some(MatrixOperand { is_sparse, layout, ..matrix(role, (m, n, stored), element) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::{Resolution, resolve};
    use crate::{Module, Spelling};

    fn operand(opcode: &str, name: &str) -> MatrixOperand {
        let words: Vec<&str> = opcode.split('.').collect();
        match resolve(&Spelling { mnemonic: words[0], modifiers: &words[1..] }, &Module::default()) {
            Resolution::Legal(instruction) => instruction.matrix_operand(name).expect("a matrix"),
            other => panic!("{opcode}: {other:?}"),
        }
    }

    /// Rows, columns, and how many elements each thread holds.
    fn size(opcode: &str, name: &str) -> (u32, u32, Option<u32>) {
        let found = operand(opcode, name);
        (found.rows, found.columns, found.layout.map(|layout| layout.elements()))
    }

    #[test]
    fn each_operand_has_the_size_of_its_matrix() {
        let mma = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
        assert_eq!(size(mma, "a"), (16, 16, Some(8)));
        assert_eq!(size(mma, "b"), (16, 8, Some(4)));
        assert_eq!(size(mma, "d"), (16, 8, Some(4)));
        let sparse = "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32";
        assert_eq!(size(sparse, "a"), (16, 16, Some(8)));
        assert!(operand(sparse, "a").is_sparse && !operand(sparse, "b").is_sparse);
        let bits = "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc";
        assert_eq!(size(bits, "a"), (16, 8, Some(4)));
        let wgmma = "wgmma.mma_async.sync.aligned.m64n24k16.f32.f16.f16";
        assert_eq!(size(wgmma, "d"), (64, 24, Some(12)));
        assert_eq!(size(wgmma, "a"), (64, 16, Some(8)));
        assert_eq!(size(wgmma, "b"), (16, 24, None));
        assert_eq!(size("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", "d"), (8, 8, Some(8)));
    }

    #[test]
    fn loads_and_stores_of_wmma_name_their_matrix() {
        let load = operand("wmma.load.b.sync.aligned.col.m16n16k16.shared.f16", "d");
        assert_eq!((load.role, load.rows, load.columns), (MatrixRole::B, 16, 16));
        let store = operand("wmma.store.d.sync.aligned.row.m16n16k16.global.f32", "b");
        assert_eq!((store.role, store.is_measured), (MatrixRole::D, true));
    }

    #[test]
    fn a_layout_holds_each_element_of_the_matrix() {
        let wgmma = operand("wgmma.mma_async.sync.aligned.m64n24k16.f32.f16.f16", "d");
        let layout = wgmma.layout.as_ref().expect("a layout");
        let (threads, elements) = (0..layout.threads(), layout.elements());
        let mut places: Vec<[u32; 2]> = threads
            .flat_map(|thread| (0..elements).map(move |element| (thread, element)))
            .map(|(thread, element)| wgmma.place(layout.position(thread, element)))
            .collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!((places.len(), places.last()), (64 * 24, Some(&[63, 23])));
    }
}
