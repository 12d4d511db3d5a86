//! The engine and the second implementation agree on random programs: 10,000 with `--full`, fewer otherwise.

use crate::naive::{self, Mutant};
use crate::{outcomes, read};

/// A small generator of numbers, so that the programs are the same everywhere (xorshift64*).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }
}

const SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];

/// An instruction; registers count up, so that each is written once.
fn instruction(numbers: &mut Numbers, register: &mut usize) -> String {
    let location = numbers.pick(&["x", "y"]);
    let scope = numbers.pick(&SCOPES);
    let value = match (numbers.below(3), *register) {
        (0, 1..) => format!("r{}", numbers.below(*register as u64)),
        _ => (1 + numbers.below(2)).to_string(),
    };
    let mut fresh = || {
        *register += 1;
        format!("r{}", *register - 1)
    };
    match numbers.below(10) {
        0 => format!("ld.weak {}, {location}", fresh()),
        1 | 2 => format!("ld.{}.{scope} {}, {location}", numbers.pick(&["relaxed", "acquire"]), fresh()),
        3 => format!("st.weak {location}, {value}"),
        4 | 5 => format!("st.{}.{scope} {location}, {value}", numbers.pick(&["relaxed", "release"])),
        6 => format!("fence.{}.{scope}", numbers.pick(&["acq_rel", "sc", "sc"])),
        7 => {
            let sem = numbers.pick(&["relaxed", "acquire", "release", "acq_rel"]);
            format!("red.{sem}.{scope}.{} {location}, 1", numbers.pick(&["or", "exch"]).replace("exch", "max"))
        }
        _ => {
            let sem = numbers.pick(&["relaxed", "acquire", "release", "acq_rel"]);
            match numbers.below(3) {
                0 => format!("atom.{sem}.{scope}.exch {}, {location}, {value}", fresh()),
                1 => format!("atom.{sem}.{scope}.cas {}, {location}, {}, 2", fresh(), numbers.below(2)),
                _ => format!("atom.{sem}.{scope}.or {}, {location}, 2", fresh()),
            }
        }
    }
}

fn program(numbers: &mut Numbers) -> String {
    let threads = 2 + numbers.below(2) as usize;
    let most = if threads == 2 { 4 } else { 2 };
    let mut columns = Vec::new();
    let mut inits = String::from("x=0; y=0;");
    for thread in 0..threads {
        let mut register = 0;
        let count = 1 + numbers.below(most);
        let column: Vec<String> = (0..count).map(|_| instruction(numbers, &mut register)).collect();
        (0..register).for_each(|register| inits += &format!(" P{thread}:r{register}=0;"));
        columns.push(column);
    }
    let head = |thread: usize, numbers: &mut Numbers| {
        let place = (numbers.below(2), numbers.below(2), u64::from(numbers.below(8) == 0));
        format!("P{thread}@cta {},cluster {},gpu {}", place.0, place.1, place.2)
    };
    let heads: Vec<String> = (0..threads).map(|thread| head(thread, numbers)).collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or_default();
    let row = |at: usize| {
        let cells: Vec<&str> = columns.iter().map(|column| column.get(at).map_or("", String::as_str)).collect();
        format!("{} ;\n", cells.join(" | "))
    };
    let body: String = (0..rows).map(row).collect();
    format!("PTX random\n{{ {inits} }}\n{} ;\n{body}exists (x == 0)\n", heads.join(" | "))
}

#[test]
fn both_implementations_agree_on_random_programs() {
    let mut numbers = Numbers(20_261_121);
    let wanted = if support::full() { 10_000 } else { 60 };
    let (mut asked, mut several) = (0, 0);
    while asked < wanted {
        let text = program(&mut numbers);
        let test = read(&text);
        let Some(expected) = naive::outcomes(&test.program, &test.observables(), Mutant::None) else { continue };
        assert_eq!(outcomes(&test), expected, "{text}");
        several += usize::from(expected.len() > 1);
        asked += 1;
    }
    assert!(several * 2 > wanted, "only {several} of {wanted} programs have more than one outcome");
}
