//! Products of matrices against what an H200 and a model of other GPUs computed: tests/evidence/matrix_products.

mod kernels;
mod values;

use flate2::read::GzDecoder;
use std::io::Read;

/// The bytes of a gzip file of the recordings.
fn recorded(name: &str) -> Vec<u8> {
    let path = support::evidence("matrix_products").join(name);
    let file = std::fs::File::open(path).expect("the recordings are in the repository");
    let mut bytes = Vec::new();
    GzDecoder::new(file).read_to_end(&mut bytes).expect("a gzip file");
    bytes
}
