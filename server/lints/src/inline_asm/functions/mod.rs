//! Rules about synchronization on the `asm` statements of a whole C++ function.
//!
//! The function is written as a PTX function: its statements, the barriers between them, and accesses to its parameters and its shared memory. Values that C++ computes
//! are registers that nothing writes, so that they are not known. Code that is not understood may have any effect.

mod messages;
mod operands;
mod parity;

use crate::checker::FragmentCache;
use crate::inline_asm::functions::operands::{LETTERS, aliases, unwrapped, words};
use crate::inline_asm::functions::parity::{PARITY, is_address};
use crate::inline_asm::{HostSource, check_module};
use diagnostics::registry::{
    CLUSTER_SCOPE, EARLY_ACCESS_BEFORE_GRIDDEPCONTROL, MBARRIER_PROTOCOL, MISSING_PROXY_FENCE, NC_OF_WRITTEN,
    POLL_WITHOUT_ACQUIRE, SIGNAL_WITHOUT_RELEASE, UNACQUIRED_FLAG, UNCOMMITTED_ASYNC, UNFENCED_MBARRIER,
    UNRELEASED_FLAG,
};
use diagnostics::{Diagnostic, Rule};
use hosts::cpp::{BranchCondition, CppFunction, FunctionStep};
use hosts::inline_asm::{AsmFragment, ScannedHost};
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

/// The rules that apply. Those about lanes and locks need conditions that C++ computes.
const RULES: [&Rule; 11] = [
    &CLUSTER_SCOPE,
    &EARLY_ACCESS_BEFORE_GRIDDEPCONTROL,
    &MBARRIER_PROTOCOL,
    &MISSING_PROXY_FENCE,
    &NC_OF_WRITTEN,
    &POLL_WITHOUT_ACQUIRE,
    &SIGNAL_WITHOUT_RELEASE,
    &UNACQUIRED_FLAG,
    &UNCOMMITTED_ASYNC,
    &UNFENCED_MBARRIER,
    &UNRELEASED_FLAG,
];

/// The instruction for code that may have any effect.
const UNKNOWN_CALL: &str = "call unknown_function;";

/// Checks a function; `None` if the check is cancelled.
pub(super) fn check(
    function: &CppFunction,
    source: &HostSource,
    last: &FragmentCache,
    fragments: &mut FragmentCache,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Diagnostic>> {
    let (scanned, settings) = (source.text.scanned(), &source.settings);
    let Some(module) = FunctionModule::new(function, scanned) else { return Some(Vec::new()) };
    let found = check_module(&module.text, (settings, &RULES), last, fragments, cancelled)?;
    // What else C++ ends a loop for is not known: a plain load in it may be data.
    let found = found.iter().filter(|diagnostic| !is_plain_poll(diagnostic, &module.text));
    Some(found.filter_map(|diagnostic| module.to_host(diagnostic, scanned)).collect())
}

/// Whether a diagnostic is about a flag that plain loads poll.
fn is_plain_poll(diagnostic: &Diagnostic, text: &str) -> bool {
    let opcode = text.get(diagnostic.range.clone()).unwrap_or_default();
    let is_ordered = |word: &str| matches!(word, "relaxed" | "acquire" | "volatile" | "mmio");
    [&UNACQUIRED_FLAG, &POLL_WITHOUT_ACQUIRE].contains(&diagnostic.rule) && !opcode.split('.').any(is_ordered)
}

/// A function as a PTX module.
struct FunctionModule<'a> {
    function: &'a CppFunction,
    host: &'a str,
    text: String,
    /// The statements: the range of each in the text, and its number.
    statements: Vec<(Range<usize>, usize)>,
    /// The registers by type and expression.
    registers: HashMap<(char, String), String>,
    /// The expressions of variables that are defined once.
    aliases: HashMap<&'a str, &'a str>,
    fresh: usize,
}

impl<'a> FunctionModule<'a> {
    /// `None` if a statement is not complete.
    fn new(function: &'a CppFunction, scanned: &'a ScannedHost) -> Option<Self> {
        let host = &*scanned.text;
        let mut module = FunctionModule {
            function,
            host,
            text: String::new(),
            statements: Vec::new(),
            registers: HashMap::new(),
            aliases: aliases(function, host),
            fresh: 0,
        };
        module.declare_outputs(scanned);
        let steps = &function.steps;
        let is_parity_tested = host[function.range.clone()].contains(PARITY);
        for (at, step) in steps.iter().enumerate() {
            // A loop that its first test cannot leave is one whose test is at its end.
            let is_entered = at > 0 && module.is_entered(&steps[at - 1..]);
            if let (FunctionStep::Label(label), true) = (step, is_entered) {
                module.line(&format!("bra first_{label};"));
            }
            // Its waits are for one phase.
            if is_parity_tested && module.is_once(at.checked_sub(1).map(|before| &steps[before]), step) {
                module.line(UNKNOWN_CALL);
            }
            module.step(step, scanned)?;
            if let (Some(FunctionStep::Label(label)), true) =
                (at.checked_sub(1).map(|before| &steps[before]), at > 1 && module.is_entered(&steps[at - 2..]))
            {
                module.line(&format!("first_{label}:"));
            }
        }
        module.finish(scanned);
        Some(module)
    }

    /// Whether steps begin with a variable that is 0, and a loop that ends once it is not.
    fn is_entered(&self, steps: &[FunctionStep]) -> bool {
        let [
            FunctionStep::Define(name, value),
            FunctionStep::Label(_),
            FunctionStep::Branch(_, Some(BranchCondition { expression, taken_if: false })),
            ..,
        ] = steps
        else {
            return false;
        };
        let is_zero = matches!(self.host[value.clone()].trim(), "0" | "false");
        is_zero && self.host[expression.clone()].trim().strip_prefix('!').is_some_and(|tested| tested.trim() == name)
    }

    /// Adds the registers of outputs, which code before their statement may read in the next iteration of a loop.
    fn declare_outputs(&mut self, scanned: &'a ScannedHost) {
        for step in &self.function.steps {
            let FunctionStep::Statement(number) = step else { continue };
            for operand in scanned.statements[*number].operands.iter().filter(|operand| operand.output) {
                let Some(letter) = operand.letter().filter(|letter| LETTERS.contains(letter)) else { continue };
                let expression = unwrapped(&self.host[operand.expression.clone()]);
                self.aliases.remove(expression);
                let register = self.unknown(letter);
                self.registers.entry((letter, expression.to_owned())).or_insert(register);
            }
        }
    }

    /// Adds the declarations before the steps.
    fn finish(&mut self, scanned: &ScannedHost) {
        let has = |word: &str| {
            self.statements
                .iter()
                .any(|(_, number)| scanned.text[scanned.statements[*number].range.clone()].contains(word))
        };
        let target = if has("wgmma") { "sm_90a" } else { "sm_100a" };
        let parameters: Vec<String> =
            self.function.parameters.iter().map(|name| format!(".param .u64 {name}_parameter")).collect();
        let head = if self.function.kernel { ".entry" } else { ".func" };
        let mut text = format!(
            ".version 9.0\n.target {target}\n.address_size 64\n.visible {head} function({})\n{{\n.reg .pred %any_p<{n}>;\n.reg .b16 %any_h<{n}>;\n\
             .reg .b32 %any_r<{n}>;\n.reg .b64 %any_l<{n}>;\n.reg .f32 %any_f<{n}>;\n.reg .f64 %any_d<{n}>;\n",
            parameters.join(", "),
            n = self.fresh + 1,
        );
        for name in &self.function.shared {
            _ = writeln!(text, ".shared .align 128 .b8 {name}_shared[65536];");
        }
        let shift = text.len();
        text.push_str(&self.text);
        text.push_str("ret;\n}\n");
        self.text = text;
        self.statements.iter_mut().for_each(|(range, _)| *range = range.start + shift..range.end + shift);
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn step(&mut self, step: &FunctionStep, scanned: &ScannedHost) -> Option<()> {
        match step {
            FunctionStep::Statement(number) => self.statement(*number, scanned)?,
            FunctionStep::Barrier(name) => self.line(match *name {
                "__syncthreads" => "bar.sync 0;",
                "__syncwarp" => "bar.warp.sync -1;",
                "__threadfence_block" => "fence.acq_rel.cta;",
                "__threadfence_system" => "fence.acq_rel.sys;",
                _ => "fence.acq_rel.gpu;",
            }),
            FunctionStep::Unknown => self.line(UNKNOWN_CALL),
            FunctionStep::Define(name, _) => self.define(name),
            FunctionStep::Access(name, writes) => self.access(name, *writes),
            FunctionStep::Label(label) => self.line(&format!("label_{label}:")),
            FunctionStep::Branch(to, None) => self.line(&format!("bra label_{to};")),
            FunctionStep::Branch(to, Some(condition)) => self.branch(*to, condition),
            FunctionStep::Return => self.line("ret;"),
        }
        Some(())
    }

    /// Every register of an expression with the variable has another value.
    fn define(&mut self, name: &str) {
        let mut changed: Vec<(char, String)> = self
            .registers
            .iter()
            .filter(|((_, expression), _)| words(expression).any(|word| word == name))
            .map(|((letter, _), register)| (*letter, register.clone()))
            .collect();
        changed.sort();
        for (letter, register) in changed {
            let other = self.changing(letter);
            let size = if letter == 'l' || letter == 'd' {
                64
            } else if letter == 'h' {
                16
            } else {
                32
            };
            self.line(&format!("mov.b{size} {register}, {other};"));
        }
    }

    /// An access of C++ at an unknown index.
    fn access(&mut self, name: &str, writes: bool) {
        let (space, letter) =
            if self.function.shared.iter().any(|shared| shared == name) { ("shared", 'r') } else { ("global", 'l') };
        let Some(address) = self.address(name, "[?]", letter) else { return };
        let value = self.unknown('r');
        self.line(&match writes {
            true => format!("st.{space}.b32 [{address}], {value};"),
            false => format!("ld.{space}.b32 {value}, [{address}];"),
        });
    }

    fn branch(&mut self, to: usize, condition: &BranchCondition) {
        let expression = &self.host[condition.expression.clone()];
        let compact: String = expression.chars().filter(|letter| !letter.is_whitespace()).collect();
        // As in `do { … } while (0)`.
        if matches!(&*compact, "0" | "false") && condition.taken_if {
            return;
        }
        let thread = compact == "!threadIdx.x" || compact == "threadIdx.x==0";
        let known = words(expression).find_map(|word| self.registers.get(&('r', word.to_owned())).cloned());
        let predicate = match known {
            _ if thread => {
                let (predicate, index) = (self.unknown('p'), self.unknown('r'));
                self.line(&format!("mov.u32 {index}, %tid.x;\nsetp.eq.u32 {predicate}, {index}, 0;"));
                predicate
            }
            Some(register) => {
                let predicate = self.unknown('p');
                self.line(&format!("setp.ne.s32 {predicate}, {register}, 0;"));
                predicate
            }
            None => self.changing('p'),
        };
        let not = if condition.taken_if { "" } else { "!" };
        self.line(&format!("@{not}{predicate} bra label_{to};"));
    }

    /// The text of a statement, with registers for its operands.
    fn statement(&mut self, number: usize, scanned: &ScannedHost) -> Option<()> {
        let statement = &scanned.statements[number];
        let choices = statement.choices();
        let fragment = AsmFragment::new(&scanned.text, statement, choices.first()?);
        let template = &fragment.template;
        if choices.len() > 1
            || template.has_placeholder
            || !template.incomplete.is_empty()
            || statement.open
            || !statement.finished
        {
            return None;
        }
        let body = &template.text[template.body.clone()];
        let waits = body.contains(PARITY);
        let operands: Option<Vec<String>> = fragment
            .operands
            .iter()
            .enumerate()
            .map(|(at, operand)| match waits && !operand.output && !is_address(body, at) {
                true => self.parity(operand, scanned),
                false => self.operand(operand),
            })
            .collect();
        let operands = operands?;
        let mut written = String::from("{\n");
        let mut rest = body;
        while let Some(at) = rest.find('%') {
            let digits = rest[at + 1..].find(|digit: char| !digit.is_ascii_digit()).unwrap_or(rest.len() - at - 1);
            written.push_str(&rest[..at]);
            match rest[at + 1..at + 1 + digits].parse::<usize>().ok().map(|number| operands.get(number)) {
                Some(Some(register)) => written.push_str(register),
                Some(None) => return None,
                None => written.push('%'),
            }
            rest = &rest[at + 1 + digits..];
        }
        written.push_str(rest);
        let start = self.text.len();
        self.line(&written);
        self.statements.push((start..self.text.len(), number));
        self.line("}");
        // C++ may read the result of a wait.
        if body.contains("mbarrier") {
            let outputs = fragment.operands.iter().zip(&operands).filter(|(operand, _)| operand.output);
            for (_, register) in outputs.filter(|(operand, _)| operand.letter() == Some('r')) {
                let sum = self.unknown('r');
                self.line(&format!("add.s32 {sum}, {register}, 1;"));
            }
        }
        Some(())
    }

    /// Maps a diagnostic to the opcode in its statement.
    fn to_host(&self, diagnostic: &Diagnostic, scanned: &ScannedHost) -> Option<Diagnostic> {
        let start = diagnostic.range.start;
        let (range, number) = self.statements.iter().find(|(range, _)| range.contains(&start))?;
        let statement = &scanned.statements[*number];
        if diagnostic.rule.code == POLL_WITHOUT_ACQUIRE.code && messages::is_message(self.function, scanned, statement)
        {
            return None;
        }
        let fragment = AsmFragment::new(&scanned.text, statement, statement.choices().first()?);
        // The opcode of the instruction that the diagnostic is on: instructions are in the same order.
        let before = self.text[range.start..start].matches(';').count();
        let body = fragment.template.body.clone();
        let same = |at: usize| fragment.template.text[body.start..at].matches(';').count() == before;
        let instruction = fragment.instructions().iter().find(|instruction| same(instruction.opcode.start))?;
        let found = Diagnostic {
            range: instruction.opcode.clone(),
            related: Vec::new(),
            fixes: Vec::new(),
            ..diagnostic.clone()
        };
        crate::inline_asm::translate::diagnostic(&fragment, &found, instruction.opcode.clone())
    }
}
