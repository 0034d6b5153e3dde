//! The modules of a crate, read from its sources: what each defines, what it calls by another name, and which
//! paths its code uses.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

use crate::result::Result;

/// The names of a path, such as `["crate", "sys", "clock"]`.
pub type Names = Vec<String>;

/// A `use` of one name, or of all names of a module.
#[derive(Debug)]
pub struct Import {
    pub path: Names,
    /// The name that it has here. `None`: all names of the module.
    pub name: Option<String>,
    /// Whether others may use the name from here.
    pub is_public: bool,
}

/// A module, in a file of its own or inside another one.
#[derive(Debug, Default)]
pub struct Module {
    /// The file that holds it, as a number in [`CrateFiles::files`].
    pub file: usize,
    pub children: BTreeMap<String, usize>,
    /// Names of what it defines itself.
    pub items: BTreeSet<String>,
    pub imports: Vec<Import>,
    /// Paths that its code uses, apart from imports.
    pub paths: BTreeSet<Names>,
    /// Single names that its code uses.
    pub names: BTreeSet<String>,
    pub parent: Option<usize>,
}

/// The files and modules of a crate, without those for tests. The first module is the root.
#[derive(Debug, Default)]
pub struct CrateFiles {
    /// Paths in the workspace.
    pub files: Vec<String>,
    pub modules: Vec<Module>,
}

impl CrateFiles {
    /// Reads a crate from the file of its root, a path in the workspace at `workspace`.
    pub fn read(workspace: &Path, root: &str) -> Result<CrateFiles> {
        let mut all = CrateFiles::default();
        all.read_file(workspace, Path::new(root), None, true)?;
        Ok(all)
    }

    /// Reads the module of a file, and those below it. `is_face`: its children lie beside it.
    fn read_file(
        &mut self,
        workspace: &Path,
        path: &Path,
        parent: Option<usize>,
        is_face: bool,
    ) -> Result<usize> {
        let text = fs::read_to_string(workspace.join(path))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let parsed = syn::parse_file(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        self.files.push(path.display().to_string());
        let folder = path.parent().unwrap_or(Path::new(""));
        let below = if is_face { folder.to_path_buf() } else { path.with_extension("") };
        self.read_items(workspace, &parsed.items, parent, self.files.len() - 1, &below)
    }

    fn read_items(
        &mut self,
        workspace: &Path,
        items: &[syn::Item],
        parent: Option<usize>,
        file: usize,
        below: &Path,
    ) -> Result<usize> {
        let own = self.modules.len();
        self.modules.push(Module { file, parent, ..Module::default() });
        for item in items {
            if is_for_tests(attributes(item)) {
                continue;
            }
            if let syn::Item::Mod(module) = item {
                let name = module.ident.to_string();
                let child = match &module.content {
                    Some((_, items)) => {
                        self.read_items(workspace, items, Some(own), file, &below.join(&name))?
                    }
                    None => {
                        let (path, is_face) = find(workspace, below, &name, path_of(&module.attrs))?;
                        self.read_file(workspace, &path, Some(own), is_face)?
                    }
                };
                self.modules[own].children.insert(name, child);
            } else {
                Reader(&mut self.modules[own]).visit_item(item);
                self.modules[own].items.extend(defined(item));
            }
        }
        Ok(own)
    }
}

/// The file of a module, and whether its children lie beside it.
fn find(workspace: &Path, below: &Path, name: &str, given: Option<String>) -> Result<(PathBuf, bool)> {
    if let Some(given) = given {
        return Ok((normal(&below.join(given)), true));
    }
    let (file, face) = (below.join(format!("{name}.rs")), below.join(name).join("mod.rs"));
    match (workspace.join(&file).is_file(), workspace.join(&face).is_file()) {
        (true, _) => Ok((file, false)),
        (_, true) => Ok((face, true)),
        _ => Err(format!("module {name} has no file below {}", below.display()).into()),
    }
}

/// A path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        if part.as_os_str() == ".." {
            normal.pop();
        } else {
            normal.push(part);
        }
    }
    normal
}

fn path_of(attributes: &[syn::Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

/// Whether the compiler leaves something out unless it builds tests, models or fuzzers.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return attribute.path().is_ident("test") };
        let condition = list.tokens.to_string();
        list.path.is_ident("cfg")
            && !condition.starts_with("not")
            && ["test", "loom", "feature = \"fuzzing\""].iter().any(|word| condition.contains(word))
    })
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::ExternCrate(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::ForeignMod(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Union(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The name of what an item defines, if it has one.
fn defined(item: &syn::Item) -> Option<String> {
    let name = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Macro(item) => item.ident.as_ref()?,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Collects the paths of an item.
struct Reader<'a>(&'a mut Module);

impl Reader<'_> {
    fn note(&mut self, path: Names) {
        match path.as_slice() {
            [] => {}
            [one] => drop(self.0.names.insert(one.clone())),
            _ => drop(self.0.paths.insert(path)),
        }
    }

    fn add_imports(&mut self, tree: &syn::UseTree, mut before: Names, is_public: bool) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.add_imports(&path.tree, before, is_public);
            }
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_imports(tree, before.clone(), is_public));
            }
            syn::UseTree::Glob(_) => self.0.imports.push(Import { path: before, name: None, is_public }),
            syn::UseTree::Name(name) => self.add_import(before, &name.ident, &name.ident, is_public),
            syn::UseTree::Rename(rename) => self.add_import(before, &rename.ident, &rename.rename, is_public),
        }
    }

    fn add_import(&mut self, mut path: Names, name: &syn::Ident, here: &syn::Ident, is_public: bool) {
        let here = if here == "self" { path.last().cloned() } else { Some(here.to_string()) };
        if name != "self" {
            path.push(name.to_string());
        }
        self.0.imports.push(Import { path, name: here, is_public });
    }

    /// Collects the paths of the tokens of a macro, which is no Rust yet.
    fn add_tokens(&mut self, tokens: proc_macro2::TokenStream) {
        let mut path = Names::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.note(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                proc_macro2::TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                other => {
                    self.note(std::mem::take(&mut path));
                    colons = 0;
                    if let proc_macro2::TokenTree::Group(group) = other {
                        self.add_tokens(group.stream());
                    }
                }
            }
        }
        self.note(path);
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_public = !matches!(item.vis, syn::Visibility::Inherited);
        self.add_imports(&item.tree, Names::new(), is_public);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.note(path.segments.iter().map(|part| part.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.note(call.path.segments.iter().map(|part| part.ident.to_string()).collect());
        self.add_tokens(call.tokens.clone());
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_for_tests(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }
}
