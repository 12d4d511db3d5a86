//! What is compared of a module.

use super::ComparedInstruction;
use diagnostics::{Context, Settings, Snapshot};
use isa::{Module, Resolution, Spelling};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use syntax::{
    Declaration, DeclarationKind, Declarator, DeclaredType, FunctionBody, FunctionHead, Item, LintFile, Opcode, Token,
    WalkEvent, demangle,
};

/// Properties with their values, in the order in which they are shown.
pub(super) type Properties = Vec<(String, String)>;

/// What is compared of a module.
pub(super) struct ModuleFacts {
    pub header: Properties,
    /// The `.shared` variables of the module, by name.
    pub shared_variables: Properties,
    pub functions: Vec<FunctionFacts>,
}

/// What is compared of a function with a body.
pub(super) struct FunctionFacts {
    pub name: String,
    pub kind: String,
    pub properties: Properties,
    pub instructions: Vec<(ComparedInstruction, Rc<InstructionMeaning>)>,
}

/// What is compared of an instruction.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct InstructionMeaning {
    /// The opcode of its family: `atom`, `fence.proxy`.
    pub name: String,
    /// What its modifiers mean, defaults included.
    pub modifiers: Properties,
    pub is_guarded: bool,
}

/// An instruction of an opcode: its text in conventional order, and its meaning without and with a guard.
struct ReadOpcode {
    text: String,
    meanings: [Rc<InstructionMeaning>; 2],
}

/// Mnemonics whose instructions order memory or threads without a memory ordering.
const ORDERING: [&str; 6] = ["fence", "membar", "bar", "barrier", "mbarrier", "griddepcontrol"];

/// Mnemonics whose instructions order memory by their modifiers, if their opcode is not legal.
const ATOMIC: [&str; 3] = ["atom", "red", "multimem"];

impl ModuleFacts {
    pub(super) fn of(text: &str) -> ModuleFacts {
        let snapshot = Snapshot::new(LintFile::parse(text), Settings::default());
        let context = Context::new(&snapshot);
        let (mut shared_variables, mut functions, mut opcodes) = (Vec::new(), Vec::new(), HashMap::new());
        for item in snapshot.file.module_items() {
            let Some(head) = item.head() else { continue };
            if let Some(function) = head.function() {
                if function.body == FunctionBody::Defined {
                    functions.push(FunctionFacts::of(
                        &item,
                        &function,
                        (&snapshot.file, &context.module),
                        &mut opcodes,
                    ));
                }
            } else if let Some(variable) = head.variable()
                && variable.storage.space.text == ".shared"
            {
                let described = |one: &Declarator| {
                    (shown_name(&one.name.text), joined([&*variable.linkage.text, &*described(&variable.storage, one)]))
                };
                shared_variables.extend(variable.declarators.iter().map(described));
            }
        }
        ModuleFacts { header: header(&context), shared_variables, functions }
    }
}

fn header(context: &Context) -> Properties {
    let header = &context.header;
    let targets: Vec<_> = header.targets.iter().map(|target| &*target.text).collect();
    let of = |token: &Option<Token>| token.as_ref().map(|token| token.text.to_string());
    let values = [
        (".version", of(&header.version)),
        (".target", (!targets.is_empty()).then(|| targets.join(", "))),
        (".address_size", of(&header.address_size)),
    ];
    values.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// A name as it is matched and shown: demangled.
pub(super) fn shown_name(name: &str) -> String {
    demangle(name).map_or_else(|| name.to_owned(), |demangled| demangled.full)
}

/// The words that are not empty.
fn joined<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The type of a declared name: `.align 16 .b8[256]`.
fn described(storage: &DeclaredType, declarator: &Declarator) -> String {
    let alignment = storage.alignment.as_ref().map_or(String::new(), |bytes| format!(".align {}", bytes.text));
    let dimensions: String = declarator.dimensions.iter().map(|size| format!("[{size}]")).collect();
    joined([&*alignment, &*storage.vector.text, &*storage.ty.text]) + &dimensions
}

impl FunctionFacts {
    fn of(
        item: &Item,
        head: &FunctionHead,
        (file, module): (&LintFile, &Module),
        opcodes: &mut HashMap<String, Option<ReadOpcode>>,
    ) -> FunctionFacts {
        let (mut resources, mut instructions) = (Resources::default(), Vec::new());
        item.walk(|event| match event {
            WalkEvent::Declare(declaration) => resources.add(&declaration),
            WalkEvent::Instruction(instruction) => {
                let token = instruction.opcode_token();
                if !opcodes.contains_key(&*token.text) {
                    opcodes.insert(token.text.to_string(), ReadOpcode::new(&token, module));
                }
                let Some(Some(opcode)) = opcodes.get(&*token.text) else { return };
                let is_guarded = instruction.guard().is_some();
                let guard = if is_guarded { "@… " } else { "" };
                let line = file.position(token.range.start).line + 1;
                let text = format!("{guard}{}", opcode.text);
                let meaning = Rc::clone(&opcode.meanings[usize::from(is_guarded)]);
                instructions.push((ComparedInstruction { line, text }, meaning));
            }
            _ => {}
        });
        let mut properties = head_properties(head);
        properties.extend(resources.properties());
        FunctionFacts { name: head.name.text.to_string(), kind: head.kind.text.to_string(), properties, instructions }
    }
}

/// What the head of a function declares.
fn head_properties(head: &FunctionHead) -> Properties {
    let list = |parameters: &[syntax::DeclaredParameter]| {
        let all = parameters.iter().map(|one| {
            let space = if one.storage.space.text == ".reg" { ".reg" } else { "" };
            let pointer = if one.pointer.is_some() { ".ptr" } else { "" };
            joined([space, &*described(&one.storage, &one.declarator), pointer])
        });
        all.collect::<Vec<_>>().join(", ")
    };
    let mut properties: Properties = [
        ("kind", head.kind.text.to_string()),
        ("linkage", head.linkage.text.to_string()),
        ("results", list(&head.returns)),
        ("parameters", list(&head.parameters)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    for directive in &head.directives {
        let values = directive.values.iter().map(|value| &*value.text).collect::<Vec<_>>().join(", ");
        properties.push((directive.word.text.to_string(), values));
    }
    properties.retain(|(name, value)| name.starts_with('.') || !value.is_empty());
    properties
}

/// The registers and the memory that a function declares.
#[derive(Default)]
struct Resources {
    /// By type.
    registers: BTreeMap<String, u64>,
    /// In bytes, by state space.
    memory: BTreeMap<&'static str, u64>,
}

impl Resources {
    fn add(&mut self, declaration: &Declaration) {
        match (declaration.kind, &*declaration.space.text) {
            (DeclarationKind::Register, _) if declaration.parameter.is_none() => {
                let ty = joined([&*declaration.vector.text, &*declaration.ty.text]);
                let count = self.registers.entry(ty).or_default();
                *count = count.saturating_add(declaration.count.unwrap_or(1));
            }
            (DeclarationKind::Variable, ".local") => self.add_memory("local memory", declaration),
            (DeclarationKind::Variable, ".shared") => self.add_memory("shared memory", declaration),
            _ => {}
        }
    }

    fn add_memory(&mut self, space: &'static str, declaration: &Declaration) {
        let bytes = self.memory.entry(space).or_default();
        *bytes = bytes.saturating_add(declaration.bytes().unwrap_or_default());
    }

    fn properties(self) -> impl Iterator<Item = (String, String)> {
        let registers = self.registers.into_iter().map(|(ty, count)| (format!("registers {ty}"), count.to_string()));
        let memory = self.memory.into_iter().map(|(space, bytes)| (space.to_owned(), format!("{bytes} bytes")));
        registers.chain(memory)
    }
}

impl ReadOpcode {
    /// Reads an opcode; `None` if its instructions are neither atomic nor order anything.
    fn new(token: &Token, module: &Module) -> Option<ReadOpcode> {
        let opcode = Opcode::split(token);
        let mnemonic = &*opcode.mnemonic.text;
        let words = opcode.words();
        let spelling = Spelling { mnemonic, modifiers: &words };
        // An instruction that the module's target does not have is compared, too.
        let resolved = [*module, Module::default()].iter().find_map(|module| match isa::resolve(&spelling, module) {
            Resolution::Legal(resolved) => Some(resolved),
            _ => None,
        });
        let (name, text, modifiers) = match resolved {
            Some(resolved) => {
                let is_ordered =
                    resolved.sem.is_some_and(|sem| sem.value.word() != "weak") || resolved.at("mmio").is_some();
                let is_relevant = resolved.family.is_atomic() || is_ordered || ORDERING.contains(&mnemonic);
                if !is_relevant && !resolved.family.name.starts_with("cp.reduce") {
                    return None;
                }
                let order = resolved.canonical_order();
                let text = order.iter().fold(mnemonic.to_owned(), |text, at| text + "." + words[*at]);
                let meaning = resolved.meaning().into_iter();
                let modifiers = meaning.map(|(title, word)| (title.to_owned(), word.to_owned())).collect();
                (resolved.family.name.to_owned(), text, modifiers)
            }
            None if ORDERING.contains(&mnemonic) || ATOMIC.contains(&mnemonic) => {
                let modifiers = vec![("modifiers".to_owned(), words.join("."))];
                (mnemonic.to_owned(), spelling.text(), modifiers)
            }
            None => return None,
        };
        let meaning = |is_guarded| {
            Rc::new(InstructionMeaning { name: name.clone(), modifiers: Properties::clone(&modifiers), is_guarded })
        };
        Some(ReadOpcode { text, meanings: [meaning(false), meaning(true)] })
    }
}
