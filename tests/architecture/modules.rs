//! The modules of a crate: what each defines, imports and refers to, read with a Rust parser. Tests are left out.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Meta, UseTree};

/// One file of a crate, by its place in [`Crate::files`].
pub type File = usize;

/// The segments of a path.
pub type Segments = Vec<String>;

/// The files of one crate and their modules; the first of each is the root.
#[derive(Default)]
pub struct Crate {
    /// Every file, relative to the crate's `src`.
    pub files: Vec<PathBuf>,
    /// The file whose module holds a file's own; the root has none.
    pub parents: Vec<Option<File>>,
    /// Every module, in a file of its own or inline.
    pub modules: Vec<Module>,
}

/// One module.
#[derive(Default)]
pub struct Module {
    /// Where it is written.
    pub file: File,
    /// The module that holds it, by its place in [`Crate::modules`].
    pub parent: Option<usize>,
    /// The modules that it holds.
    pub children: BTreeMap<String, usize>,
    /// The items that it defines.
    pub defined: BTreeSet<(String, Kind)>,
    /// What `use` brings in under a name.
    pub imports: BTreeSet<(String, Segments)>,
    /// What `use` brings in with `*`.
    pub globs: BTreeSet<Segments>,
    /// The paths of expressions, types, patterns, macros and attributes.
    pub paths: BTreeSet<Segments>,
    /// Every identifier, those of fields and methods too.
    pub identifiers: BTreeSet<String>,
}

/// Whether a path can lead on through an item's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A type or a trait: `T::new` is written where `T` is, as far as a path shows.
    Type,
    /// A function, a constant, a macro.
    Value,
}

impl Crate {
    /// Reads the crate whose root module is in a file.
    ///
    /// # Panics
    /// If a file cannot be read or parsed.
    pub fn read(root: &Path) -> Self {
        let folder = root.parent().expect("a file is in a folder");
        let name = root.strip_prefix(folder).expect("a file is in its folder");
        Self::parse(name, &|path| std::fs::read_to_string(folder.join(path)).ok())
    }

    /// Parses a crate whose files a function reads, from the root module on.
    ///
    /// # Panics
    /// If a file does not exist or cannot be parsed.
    pub fn parse(root: &Path, text: &dyn Fn(&Path) -> Option<String>) -> Self {
        let mut read = Self::default();
        let contents = text(root).unwrap_or_else(|| panic!("{} cannot be read", root.display()));
        read.take_file(root, &contents, Path::new(""), None, text);
        read
    }

    fn take_file(
        &mut self,
        path: &Path,
        contents: &str,
        folder: &Path,
        parent: Option<usize>,
        text: &dyn Fn(&Path) -> Option<String>,
    ) -> usize {
        let parsed = syn::parse_file(contents).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file = self.files.len();
        self.files.push(path.to_owned());
        self.parents.push(parent.map(|parent| self.modules[parent].file));
        self.take_items(&parsed.items, file, folder, parent, text)
    }

    fn take_items(
        &mut self,
        items: &[Item],
        file: File,
        folder: &Path,
        parent: Option<usize>,
        text: &dyn Fn(&Path) -> Option<String>,
    ) -> usize {
        let at = self.modules.len();
        self.modules.push(Module { file, parent, ..Module::default() });
        for item in items {
            let Item::Mod(module) = item else {
                self.modules[at].take(item);
                continue;
            };
            if is_test(&module.attrs) {
                continue;
            }
            let name = module.ident.to_string();
            let own = folder.join(&name);
            let child = match &module.content {
                Some((_, items)) => self.take_items(items, file, &own, Some(at), text),
                None => {
                    let flat = own.with_extension("rs");
                    let read = |path: PathBuf| text(&path).map(|contents| (path, contents));
                    let found = read(flat).or_else(|| read(own.join("mod.rs")));
                    let (path, contents) = found.unwrap_or_else(|| panic!("module {} has no file", own.display()));
                    self.take_file(&path, &contents, &own, Some(at), text)
                }
            };
            self.modules[at].children.insert(name, child);
        }
        at
    }
}

impl Module {
    fn take(&mut self, item: &Item) {
        if is_test(attributes(item)) {
            return;
        }
        match item {
            Item::Macro(item) => {
                self.defined.extend(item.ident.iter().map(|name| (name.to_string(), Kind::Value)));
                self.defined.extend(made_by_macro(&item.mac.tokens));
            }
            item => self.defined.extend(definition(item)),
        }
        self.visit_item(item);
    }

    fn import(&mut self, tree: &UseTree, path: &mut Segments) {
        match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                self.import(&tree.tree, path);
                path.pop();
            }
            UseTree::Name(tree) if tree.ident == "self" => {
                self.imports.insert((path.last().cloned().unwrap_or_default(), path.clone()));
            }
            UseTree::Name(tree) => {
                let name = tree.ident.to_string();
                self.imports.insert((name.clone(), [path.as_slice(), &[name]].concat()));
            }
            UseTree::Rename(tree) => {
                let own = (tree.ident != "self").then(|| tree.ident.to_string());
                let path = path.iter().cloned().chain(own).collect();
                self.imports.insert((tree.rename.to_string(), path));
            }
            UseTree::Glob(_) => {
                self.globs.insert(path.clone());
            }
            UseTree::Group(tree) => tree.items.iter().for_each(|tree| self.import(tree, path)),
        }
    }

    /// Takes up the paths in tokens that no parser has read: words joined by `::`.
    fn take_tokens(&mut self, tokens: TokenStream) {
        let mut path = Segments::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Ident(ident) => {
                    // After `>::` is the rest of a path that begins with a type with arguments.
                    let continues = colons == 2;
                    if !continues {
                        self.take_path(std::mem::take(&mut path));
                    }
                    if !continues || !path.is_empty() {
                        path.push(ident.to_string());
                    }
                    self.identifiers.insert(ident.to_string());
                    colons = 0;
                }
                other => {
                    self.take_path(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.take_tokens(group.stream());
                    }
                }
            }
        }
        self.take_path(path);
    }

    fn take_path(&mut self, path: Segments) {
        if !path.is_empty() {
            self.paths.insert(path);
        }
    }
}

impl<'ast> Visit<'ast> for Module {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.take_path(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.take_tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    fn visit_meta_list(&mut self, list: &'ast syn::MetaList) {
        self.take_tokens(list.tokens.clone());
        visit::visit_meta_list(self, list);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.import(&item.tree, &mut Segments::new());
        visit::visit_item_use(self, item);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_ident(&mut self, ident: &'ast syn::Ident) {
        self.identifiers.insert(ident.to_string());
    }
}

/// The items that the tokens of a macro's call spell out, such as a table of bit sets.
fn made_by_macro(tokens: &TokenStream) -> BTreeSet<(String, Kind)> {
    let mut made = BTreeSet::new();
    let mut introduced = None;
    for token in tokens.clone() {
        let TokenTree::Ident(ident) = token else { continue };
        let word = ident.to_string();
        made.extend(introduced.map(|kind| (word.clone(), kind)));
        introduced = match word.as_str() {
            "struct" | "enum" | "type" | "trait" => Some(Kind::Type),
            "fn" | "const" | "static" => Some(Kind::Value),
            _ => None,
        };
    }
    made
}

/// Whether an item is compiled for tests only.
fn is_test(attributes: &[Attribute]) -> bool {
    let asks_for_test = |meta: &Meta| meta.require_list().is_ok_and(|list| is_word_test(&list.tokens));
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg") && asks_for_test(&attribute.meta))
}

/// `test`, or `all(test, …)`; not `not(test)`.
fn is_word_test(condition: &TokenStream) -> bool {
    let mut before = None;
    for token in condition.clone() {
        match &token {
            TokenTree::Ident(word) if word == "test" => return true,
            TokenTree::Group(group) if before.as_deref() == Some("all") && is_word_test(&group.stream()) => {
                return true;
            }
            _ => {}
        }
        before = if let TokenTree::Ident(word) = &token { Some(word.to_string()) } else { None };
    }
    false
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn definition(item: &Item) -> Option<(String, Kind)> {
    let (name, kind) = match item {
        Item::Enum(item) => (&item.ident, Kind::Type),
        Item::Struct(item) => (&item.ident, Kind::Type),
        Item::Trait(item) => (&item.ident, Kind::Type),
        Item::Type(item) => (&item.ident, Kind::Type),
        Item::Union(item) => (&item.ident, Kind::Type),
        Item::Const(item) => (&item.ident, Kind::Value),
        Item::Fn(item) => (&item.sig.ident, Kind::Value),
        Item::Static(item) => (&item.ident, Kind::Value),
        _ => return None,
    };
    Some((name.to_string(), kind))
}
