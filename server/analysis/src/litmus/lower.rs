//! From functions of a PTX module to threads of the memory model: addresses by symbol or parameter, moves, arithmetic, comparisons, jumps,
//! and everything that accesses or orders memory.
//!
//! What it does not know it names, so that nothing is left out in silence. Must not know what the model says.

use super::module::Role;
use super::parse::number;
use super::test::{Mistake, Test};
use emulator::model::compute::{Alu, Op};
use emulator::model::{
    Access, Address, Bits, Compare, Instruction, Level, Location, Mode, Operand, Order, Proxy, Reach, Register, Scope,
    Thread, Update,
};
use emulator::{Computation, Location as Space};
use isa::types::{Kind, Type};
use isa::{Resolution, Spelling};
use std::collections::BTreeMap;
use std::ops::Range;
use syntax::{DeclarationKind, Event, SourceFile};

/// What the comments say.
pub struct Lowering {
    pub roles: Vec<Role>,
    /// First values by name, with the line that says so.
    pub inits: BTreeMap<String, (String, Range<usize>)>,
}

/// How far symbols are apart.
const APART: u64 = 1 << 20;

/// A function as it is written.
#[derive(Default)]
struct Body<'a> {
    name: String,
    code: Vec<syntax::Instruction<'a>>,
    /// Where each label stands: the index of the next instruction.
    labels: BTreeMap<String, usize>,
    parameters: Vec<String>,
}

/// A variable of the module: whether it is shared memory of a CTA, and the size of its elements in bytes.
struct Symbol {
    shared: bool,
    bytes: u32,
}

/// Adds the threads to a test.
pub fn lower(file: &SourceFile, lowering: &Lowering, test: &mut Test) {
    let (bodies, symbols) = read(file);
    for role in &lowering.roles {
        let Some(body) = bodies.iter().find(|body| body.name == role.function) else {
            test.mistakes.push(Mistake {
                range: role.range.clone(),
                message: format!("there is no function `{}` here", role.function),
                help: "name an .entry or .func of this file".into(),
            });
            continue;
        };
        let number = test.program.threads.len();
        test.numbers.push(number as u32);
        test.program.threads.push(Thread { name: role.function.clone(), place: role.place, ..Thread::default() });
        let mut thread = Lower { file, test, symbols: &symbols, lowering, body, number, ends: Vec::new() };
        if let Err(mistake) = thread.all() {
            test.mistakes.push(mistake);
        }
    }
    for (name, (value, range)) in &lowering.inits {
        if name.contains(':') {
            continue;
        }
        let location = test.program.locations.iter().position(|location| location.name == *name);
        match (location, number(value)) {
            (Some(at), Some(value)) => {
                test.program.locations[at].init = cut(value, test.program.locations[at].bytes * 8)
            }
            _ => test.mistakes.push(Mistake {
                range: range.clone(),
                message: format!("no thread accesses `{name}`, or `{value}` is no number"),
                help: "name a variable or a pointer parameter of the functions".into(),
            }),
        }
    }
}

fn cut(value: Bits, width: u32) -> Bits {
    value & (Bits::MAX >> (128 - width.clamp(1, 128)))
}

fn read(file: &SourceFile) -> (Vec<Body<'_>>, BTreeMap<String, Symbol>) {
    let mut bodies: Vec<Body> = Vec::new();
    let mut symbols = BTreeMap::new();
    let mut depth = 0usize;
    let mut name = None;
    syntax::walk(file, |event| match event {
        Event::EnterFunction => {
            depth += 1;
            bodies.push(Body { name: name.take().unwrap_or_default(), ..Body::default() });
        }
        Event::EnterBlock => depth += 1,
        Event::Leave => depth = depth.saturating_sub(1),
        Event::Declare(declaration) => match (declaration.kind, bodies.last_mut().filter(|_| depth > 0)) {
            (DeclarationKind::Function, _) => name = Some(declaration.name.text.into_owned()),
            (DeclarationKind::Label, Some(body)) => {
                body.labels.insert(declaration.name.text.into_owned(), body.code.len());
            }
            (DeclarationKind::Variable, Some(body)) if declaration.space.text == ".param" => {
                body.parameters.push(declaration.name.text.into_owned());
            }
            (DeclarationKind::Variable, _) => {
                let bytes = Type::parse(declaration.ty.text.trim_start_matches('.')).map_or(4, |ty| ty.bits() / 8);
                let shared = declaration.space.text.starts_with(".shared");
                symbols.insert(declaration.name.text.into_owned(), Symbol { shared, bytes });
            }
            _ => {}
        },
        Event::Instruction(instruction) => {
            if let Some(body) = bodies.last_mut() {
                body.code.push(instruction);
            }
        }
    });
    (bodies, symbols)
}

struct Lower<'l> {
    file: &'l SourceFile,
    test: &'l mut Test,
    symbols: &'l BTreeMap<String, Symbol>,
    lowering: &'l Lowering,
    body: &'l Body<'l>,
    number: usize,
    /// Jumps whose target is known at the end: instruction, label or the end.
    ends: Vec<(usize, Option<Label>)>,
}

/// A label's name, and where it is written.
type Label = (String, Range<usize>);

/// An instruction's words and operands.
struct Written {
    words: Vec<String>,
    operands: Vec<(String, Range<usize>)>,
    range: Range<usize>,
    opcode: Range<usize>,
}

impl Written {
    fn ty(&self) -> Option<Type> {
        self.words.iter().rev().find_map(|word| Type::parse(word))
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|known| known == word)
    }

    fn mistake(&self, message: String) -> Mistake {
        let help = "leave it out of the functions of a litmus test, or test it with ptx-atomics litmus".into();
        Mistake { range: self.opcode.clone(), message, help }
    }

    fn unknown(&self) -> Mistake {
        self.mistake(format!("the memory model is not told what `{}` does", self.words.join(".")))
    }
}

impl Lower<'_> {
    fn all(&mut self) -> Result<(), Mistake> {
        let mut starts = Vec::new();
        for instruction in &self.body.code {
            starts.push(self.code().len());
            let opcode = instruction.opcode();
            let mut words = vec![opcode.mnemonic.text.clone().into_owned()];
            words.extend(opcode.words().into_iter().map(str::to_owned));
            let operands = instruction.operands().into_iter().map(|operand| {
                let token = operand.token;
                (token.text.split_whitespace().collect::<String>(), token.range.clone())
            });
            let operands = operands.collect();
            let written = Written { words, operands, range: instruction.range(), opcode: opcode.range.clone() };
            let guard = instruction.guard().map(|guard| {
                let head = self.file.text().byte_slice(instruction.range().start..guard.range.start).to_string();
                (guard.text.into_owned(), head.contains('!'))
            });
            self.one(&written, guard)?;
        }
        let end = self.code().len();
        starts.push(end);
        for (at, label) in std::mem::take(&mut self.ends) {
            let to = match label {
                None => end,
                Some((label, range)) => match self.body.labels.get(&label) {
                    Some(index) => starts.get(*index).copied().unwrap_or(end),
                    None => {
                        let message = format!("there is no label `{label}` in `{}`", self.body.name);
                        return Err(Mistake { range, message, help: "jump to a label of the same function".into() });
                    }
                },
            };
            if let Instruction::Branch { target, .. } = &mut self.code()[at] {
                *target = to;
            }
        }
        Ok(())
    }

    fn code(&mut self) -> &mut Vec<Instruction> {
        &mut self.test.program.threads[self.number].code
    }

    fn push(&mut self, written: &Written, instruction: Instruction) {
        let at = self.code().len();
        self.code().push(instruction);
        self.test.places.push((self.number, at, written.range.clone()));
    }

    fn one(&mut self, written: &Written, guard: Option<(String, bool)>) -> Result<(), Mistake> {
        let guard = guard.map(|(name, negated)| (Operand::Register(self.register(&name)), negated));
        let jump = matches!(&*written.words[0], "bra" | "ret" | "exit");
        let when = |skip: bool| {
            guard.map(|(name, not)| (if not ^ skip { Compare::Eq } else { Compare::Ne }, name, Operand::Constant(0)))
        };
        if jump {
            let label = match &*written.words[0] {
                "bra" => Some(written.operands.first().cloned().ok_or_else(|| written.unknown())?),
                _ => None,
            };
            let at = self.code().len();
            self.ends.push((at, label));
            self.push(written, Instruction::Branch { when: when(false), target: 0, guard: false });
            return Ok(());
        }
        let skip = when(true).map(|when| {
            let at = self.code().len();
            self.push(written, Instruction::Branch { when: Some(when), target: 0, guard: true });
            at
        });
        self.plain(written)?;
        if let Some(at) = skip {
            let next = self.code().len();
            if let Instruction::Branch { target, .. } = &mut self.code()[at] {
                *target = next;
            }
        }
        Ok(())
    }

    fn plain(&mut self, written: &Written) -> Result<(), Mistake> {
        match &*written.words[0] {
            "ld" if written.has("param") => {
                let name = written.operands.get(1).map(|(text, _)| text.trim_matches(['[', ']'])).unwrap_or_default();
                let value = self.symbol(name, written)?;
                let to = self.destination(written)?;
                self.compute(written, to, Op::Move, (64, false), value, Operand::Constant(0));
            }
            "ld" | "st" => self.access(written)?,
            "atom" | "red" => self.update(written)?,
            "fence" => self.fence(written)?,
            "membar" if written.words.get(1).is_some_and(|word| word == "proxy") => self.fence(written)?,
            "membar" => {
                let scope = match written.words.get(1).map(String::as_str) {
                    Some("cta") => Scope::Cta,
                    Some("gl") => Scope::Gpu,
                    Some("sys") => Scope::Sys,
                    _ => return Err(written.unknown()),
                };
                self.push(written, Instruction::Fence(Reach::Sc(scope)));
            }
            "bar" | "barrier" => self.barrier(written)?,
            "nop" | "pragma" => {}
            _ => self.arithmetic(written)?,
        }
        Ok(())
    }

    fn arithmetic(&mut self, written: &Written) -> Result<(), Mistake> {
        let ty = written.ty();
        let floats = ty.is_some_and(|ty| ty.kind() == Kind::Float);
        let width = match ty {
            Some(ty) => ty.bits().min(64) as u8,
            None if written.has("pred") => 1,
            None => return Err(written.unknown()),
        };
        let signed = ty.is_some_and(|ty| ty.kind() == Kind::Signed);
        let number = (width, signed);
        let mnemonic = &*written.words[0];
        let op = match mnemonic {
            "mov" | "cvta" => Op::Move,
            "add" => Op::Add,
            "sub" => Op::Sub,
            "mul" | "mad" => Op::Mul,
            "div" => Op::Div,
            "rem" => Op::Rem,
            "and" => Op::And,
            "or" => Op::Or,
            "xor" => Op::Xor,
            "shl" => Op::Shl,
            "shr" => Op::Shr,
            "min" => Op::Min,
            "max" => Op::Max,
            "not" => Op::Xor,
            "neg" => Op::Sub,
            "setp" | "selp" | "cvt" => Op::Move,
            _ => return Err(written.unknown()),
        };
        if floats && !matches!(mnemonic, "mov" | "selp") {
            return Err(written.mistake("sums of floating-point registers are not computed here".into()));
        }
        let to = self.destination(written)?;
        match mnemonic {
            "mov" | "cvta" => {
                let a = self.operand(written, 1)?;
                self.compute(written, to, op, number, a, Operand::Constant(0));
            }
            "cvt" => {
                // The last type is the source's; what is narrower is cut when it is used.
                let a = self.operand(written, 1)?;
                self.compute(written, to, op, number, a, Operand::Constant(0));
                if signed && width < 64 {
                    let shift = Operand::Constant(u32::from(64 - width).into());
                    self.compute(written, to, Op::Shl, (64, true), Operand::Register(to), shift);
                    self.compute(written, to, Op::Shr, (64, true), Operand::Register(to), shift);
                }
            }
            "not" | "neg" => {
                let a = self.operand(written, 1)?;
                let all = Operand::Constant(u64::MAX.into());
                let (a, b) = if mnemonic == "not" { (a, all) } else { (Operand::Constant(0), a) };
                self.compute(written, to, op, number, a, b);
            }
            "setp" => {
                let op = match written.words.get(1).map(String::as_str) {
                    Some("eq") => Op::Eq,
                    Some("ne") => Op::Ne,
                    Some("lt" | "lo") => Op::Lt,
                    Some("le" | "ls") => Op::Le,
                    Some("gt" | "hi") => Op::Gt,
                    Some("ge" | "hs") => Op::Ge,
                    _ => return Err(written.unknown()),
                };
                if written.operands.len() != 3 || written.operands[0].0.contains('|') {
                    return Err(written.unknown());
                }
                let (a, b) = (self.operand(written, 1)?, self.operand(written, 2)?);
                self.compute(written, to, op, number, a, b);
            }
            "selp" => {
                let [a, b, when] = [1, 2, 3].map(|at| self.operand(written, at));
                self.push(written, Instruction::Select { to, when: when?, a: a?, b: b? });
            }
            "mad" | "mul" if written.has("hi") => return Err(written.unknown()),
            "mad" | "mul" => {
                let (a, b) = (self.operand(written, 1)?, self.operand(written, 2)?);
                let number = if written.has("wide") { (64, signed) } else { number };
                if written.has("wide") && signed {
                    return Err(written.mistake("a signed wide product is not computed here".into()));
                }
                if mnemonic == "mul" {
                    self.compute(written, to, Op::Mul, number, a, b);
                } else {
                    let product = self.register("(product)");
                    self.compute(written, product, Op::Mul, number, a, b);
                    let c = self.operand(written, 3)?;
                    self.compute(written, to, Op::Add, number, Operand::Register(product), c);
                }
            }
            _ => {
                let (a, b) = (self.operand(written, 1)?, self.operand(written, 2)?);
                self.compute(written, to, op, number, a, b);
            }
        }
        Ok(())
    }

    fn compute(&mut self, written: &Written, to: usize, op: Op, (width, signed): (u8, bool), a: Operand, b: Operand) {
        self.push(written, Instruction::Compute { to, alu: Alu { op, width, signed }, a, b });
    }

    fn access(&mut self, written: &Written) -> Result<(), Mistake> {
        let Some(ty) = written.ty() else { return Err(written.unknown()) };
        if ["v2", "v4", "v8", "const", "local"].iter().any(|word| written.has(word)) {
            return Err(written.unknown());
        }
        let bytes = ty.bits() / 8;
        let access = access(written, Order::Weak)?;
        if written.words[0] == "ld" {
            let to = self.destination(written)?;
            let at = self.address(written, 1, bytes)?;
            self.push(written, Instruction::Load { to: Some(to), at, bytes, access });
        } else {
            let at = self.address(written, 0, bytes)?;
            let value = match self.operand(written, 1)? {
                Operand::Constant(value) => Operand::Constant(cut(value, bytes * 8)),
                register => register,
            };
            self.push(written, Instruction::Store { at, value, bytes, access });
        }
        Ok(())
    }

    fn update(&mut self, written: &Written) -> Result<(), Mistake> {
        let modifiers: Vec<&str> = written.words[1..].iter().map(String::as_str).collect();
        let spelling = Spelling { mnemonic: &written.words[0], modifiers: &modifiers };
        let Resolution::Legal(instruction) = isa::resolve(&spelling, &isa::Module::default()) else {
            return Err(written.unknown());
        };
        let computation = Computation::of(&instruction, Space::Global);
        let Ok(Computation::Update { operation, returns }) = computation else { return Err(written.unknown()) };
        if instruction.lanes > 1 {
            return Err(written.unknown());
        }
        let bytes = operation.shape().bytes();
        let access = access(written, Order::Relaxed)?;
        let first = usize::from(returns);
        let to = match returns {
            true if written.operands.first().is_some_and(|(text, _)| text != "_") => Some(self.destination(written)?),
            _ => None,
        };
        let at = self.address(written, first, bytes)?;
        let b = self.operand(written, first + 1)?;
        let c = match operation.op() {
            isa::types::Op::Cas => self.operand(written, first + 2)?,
            _ => Operand::Constant(0),
        };
        let update = Update::Ptx(operation);
        self.push(written, Instruction::Update { to, at, update, b, c, bytes, access, reduction: !returns });
        Ok(())
    }

    fn fence(&mut self, written: &Written) -> Result<(), Mistake> {
        let words: Vec<&str> = written.words[1..].iter().map(String::as_str).collect();
        let reach = match words[..] {
            ["proxy", "alias"] => Some(Reach::Alias),
            ["proxy", ..] => None,
            ["sc", scope] => Scope::parse(scope).map(Reach::Sc),
            ["acq_rel", scope] | [scope] => Scope::parse(scope).map(Reach::AcqRel),
            ["acquire", scope] => Scope::parse(scope).map(Reach::Acquire),
            ["release", scope] => Scope::parse(scope).map(Reach::Release),
            _ => None,
        };
        let reach = reach.ok_or_else(|| written.unknown())?;
        self.push(written, Instruction::Fence(reach));
        Ok(())
    }

    fn barrier(&mut self, written: &Written) -> Result<(), Mistake> {
        let level = if written.has("cluster") { Level::Cluster } else { Level::Cta };
        let mode = match () {
            () if written.has("sync") => Mode::Sync,
            () if written.has("arrive") => Mode::Arrive,
            () if written.has("wait") => Mode::Wait,
            () => return Err(written.unknown()),
        };
        let id = match level {
            Level::Cta => self.operand(written, 0)?,
            Level::Cluster => Operand::Constant(1 << 64),
        };
        // Counts are of whole warps, and a thread of a test stands for one thread: all that are named take part.
        let orders = !written.has("relaxed");
        self.push(written, Instruction::Barrier { level, instance: 0, id, quorum: None, mode, orders });
        Ok(())
    }

    fn destination(&mut self, written: &Written) -> Result<usize, Mistake> {
        match written.operands.first() {
            Some((name, _)) if !name.contains(['{', '[', '|']) => Ok(self.register(name)),
            _ => Err(written.unknown()),
        }
    }

    fn register(&mut self, name: &str) -> usize {
        let registers = &self.test.program.threads[self.number].registers;
        if let Some(at) = registers.iter().position(|register| register.name == name) {
            return at;
        }
        let thread = &self.test.program.threads[self.number].name;
        let given = self.lowering.inits.get(&format!("{thread}:{name}")).and_then(|(value, _)| number(value));
        let registers = &mut self.test.program.threads[self.number].registers;
        registers.push(Register { name: name.to_owned(), init: given.unwrap_or(0) });
        registers.len() - 1
    }

    /// A register, a number, or the address of a variable.
    fn operand(&mut self, written: &Written, at: usize) -> Result<Operand, Mistake> {
        let Some((text, _)) = written.operands.get(at) else { return Err(written.unknown()) };
        if let Some(value) = number(text.trim_end_matches('U')) {
            return Ok(Operand::Constant(value));
        }
        if self.symbols.contains_key(text.as_str()) {
            return self.symbol(text, written);
        }
        match text.contains(['{', '[', '|', '-', '!', '+']) {
            true => Err(written.unknown()),
            false => Ok(Operand::Register(self.register(text))),
        }
    }

    /// The value of a parameter, or the address of a variable: a pointer parameter points at memory of its own name unless it is given.
    fn symbol(&mut self, name: &str, written: &Written) -> Result<Operand, Mistake> {
        let thread = self.test.program.threads[self.number].name.clone();
        if let Some((value, _)) = self.lowering.inits.get(&format!("{thread}:{name}")) {
            return match number(value) {
                Some(value) => Ok(Operand::Constant(value)),
                None => Ok(Operand::Constant(self.base(value.trim_start_matches('&')).into())),
            };
        }
        if self.symbols.contains_key(name) || self.body.parameters.iter().any(|known| known == name) {
            return Ok(Operand::Constant(self.base(name).into()));
        }
        Err(written.mistake(format!("`{name}` is no variable and no parameter here")))
    }

    /// The address of a name; shared memory has one for each CTA.
    fn base(&mut self, name: &str) -> u64 {
        let key = self.key(name);
        let symbol = self.symbols.get(name);
        let known = self.test.program.locations.iter().find(|location| location.name == key);
        if let Some(location) = known {
            return location.address;
        }
        let highest = self.test.program.locations.iter().map(|location| location.address / APART).max().unwrap_or(0);
        let address = (highest + 1) * APART;
        let bytes = symbol.map_or_else(|| self.pointee(), |symbol| symbol.bytes);
        self.test.program.locations.push(Location { name: key, init: 0, address, bytes, alias: None });
        address
    }

    fn key(&self, name: &str) -> String {
        let place = self.test.program.threads[self.number].place;
        let first = self.test.program.threads[0].place;
        match self.symbols.get(name) {
            Some(symbol) if symbol.shared && place != first => {
                format!("{name}@{}.{}.{}", place.gpu, place.cluster, place.cta)
            }
            _ => name.to_owned(),
        }
    }

    /// The size of what a function accesses through registers, where it has one size: that of its first such access.
    fn pointee(&self) -> u32 {
        let size = |instruction: &syntax::Instruction| {
            let opcode = instruction.opcode();
            let memory = matches!(&*opcode.mnemonic.text, "ld" | "st" | "atom" | "red");
            let words = opcode.words();
            let ty = words
                .iter()
                .rev()
                .find_map(|word| Type::parse(word))
                .filter(|_| memory && !words.contains(&"param"))?;
            Some(ty.bits() / 8)
        };
        self.body.code.iter().find_map(size).unwrap_or(4)
    }

    /// `[name]`, `[name+4]`, `[%rd1]`, `[%rd1+4]`.
    fn address(&mut self, written: &Written, at: usize, bytes: u32) -> Result<Address, Mistake> {
        let Some((text, _)) = written.operands.get(at) else { return Err(written.unknown()) };
        let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).ok_or_else(|| written.unknown())?;
        let (base, offset) = match inner.find(['+', '-']) {
            Some(sign) if sign > 0 => {
                let offset = inner[sign..].trim_start_matches('+');
                let offset = number(offset.trim_start_matches("+")).ok_or_else(|| written.unknown())?;
                (&inner[..sign], offset as i64)
            }
            _ => (inner, 0),
        };
        if !self.symbols.contains_key(base) {
            return Ok(Address::Register(self.register(base), offset));
        }
        let address = self.base(base).wrapping_add_signed(offset);
        if let Some(location) = self.test.program.at(address, bytes) {
            return Ok(Address::Location(location));
        }
        let overlaps = |location: &Location| {
            location.address < address + u64::from(bytes) && address < location.address + u64::from(location.bytes)
        };
        if self.test.program.locations.iter().any(overlaps) {
            return Err(written.mistake(format!(
                "accesses of different sizes overlap in `{base}`: the model does not speak of that"
            )));
        }
        let name = format!("{}+{offset}", self.key(base));
        self.test.program.locations.push(Location { name, init: 0, address, bytes, alias: None });
        Ok(Address::Location(self.test.program.locations.len() - 1))
    }
}

/// The qualifiers of a memory operation. Volatile accesses are relaxed in the system scope.
fn access(written: &Written, silent: Order) -> Result<Access, Mistake> {
    let (mut order, mut scope) = (silent, Scope::Gpu);
    for word in &written.words[1..] {
        if let Some(known) = Scope::parse(word) {
            scope = known;
        }
        match &**word {
            "weak" => order = Order::Weak,
            "relaxed" => order = Order::Relaxed,
            "acquire" => order = Order::Acquire,
            "release" => order = Order::Release,
            "acq_rel" => order = Order::AcqRel,
            "volatile" | "mmio" => (order, scope) = (Order::Relaxed, Scope::Sys),
            _ => {}
        }
    }
    Ok(Access { order, scope, proxy: Proxy::Generic })
}
