//! Arrows: which file of a crate uses which other one, and by which names.

use std::collections::{BTreeMap, BTreeSet};

use super::crate_files::{CrateFiles, Import, Names};

/// The names that one file takes from another, by the numbers of the two files.
pub type Arrows = BTreeMap<(usize, usize), BTreeSet<String>>;

/// Most re-exports that lead to one name.
const MOST_STEPS: u32 = 16;

/// Finds all arrows of a crate. A name that a module only hands on makes no arrow.
pub fn arrows(all: &CrateFiles) -> Arrows {
    let mut arrows = Arrows::new();
    for (at, module) in all.modules.iter().enumerate() {
        let is_used = |import: &&Import| {
            let name = import.name.as_ref();
            !import.is_public
                || name.is_some_and(|name| {
                    module.names.contains(name) || module.paths.iter().any(|path| path[0] == *name)
                })
        };
        let imported = module.imports.iter().filter(is_used).map(|import| &import.path);
        // A single name may come from an import of all names.
        let single: Vec<Names> = module.names.iter().map(|name| vec![name.clone()]).collect();
        for path in imported.chain(&module.paths).chain(&single) {
            if let Some((file, name)) = resolve(all, at, path, true, MOST_STEPS)
                && file != module.file
            {
                arrows.entry((module.file, file)).or_default().insert(name);
            }
        }
    }
    arrows
}

/// The file that defines what a path names, and the name. `None`: it is a module, or of another crate.
/// `is_inside`: the path stands in the module itself, so it may begin with any name of it.
fn resolve(
    all: &CrateFiles,
    module: usize,
    path: &[String],
    is_inside: bool,
    steps: u32,
) -> Option<(usize, String)> {
    let (first, rest) = path.split_first()?;
    let steps = steps.checked_sub(1)?;
    let here = &all.modules[module];
    let next = match first.as_str() {
        "crate" => Some(0),
        "self" => Some(module),
        "super" => here.parent,
        name => here.children.get(name).copied(),
    };
    if let Some(next) = next {
        let is_inside = is_inside && ["self", "super"].contains(&first.as_str());
        return resolve(all, next, rest, is_inside, steps);
    }
    if here.items.contains(first) {
        return Some((here.file, first.clone()));
    }
    let named = here.imports.iter().filter(|import| import.name.as_ref() == Some(first));
    for import in named {
        let whole: Names = import.path.iter().chain(rest).cloned().collect();
        // A name may be that of an outer crate.
        if import.path[0] != *first || import.path.len() > 1 {
            return resolve(all, module, &whole, true, steps);
        }
    }
    let of_all = here.imports.iter().filter(|import| import.name.is_none());
    of_all
        .filter_map(|import| {
            let whole: Names = import.path.iter().chain(path).cloned().collect();
            resolve(all, module, &whole, true, steps).filter(|(file, _)| *file != here.file)
        })
        .next()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The arrows of a crate with these files.
    fn arrows_of(name: &str, files: &[(&str, &str)]) -> Vec<String> {
        let folder = std::env::temp_dir().join(format!("anyccl-xtask-rooms-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let all = CrateFiles::read(&folder, files[0].0).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let shown = |((from, to), names): (&(usize, usize), &BTreeSet<String>)| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("{} {} {}", all.files[*from], all.files[*to], names.join(","))
        };
        arrows(&all).iter().map(shown).collect()
    }

    #[test]
    fn an_arrow_leads_to_the_file_that_defines_a_name() {
        let files = [
            ("lib.rs", "mod low; mod high; pub use low::Thing;"),
            ("low/mod.rs", "mod deep; pub use deep::*; pub fn near() {}"),
            ("low/deep.rs", "pub struct Thing; pub const SIZE: usize = 1;"),
            (
                "high.rs",
                "use crate::Thing; fn f(_: Thing) -> usize { crate::low::SIZE + helper!(super::low::near()) }",
            ),
        ];
        assert_eq!(
            arrows_of("defines", &files),
            ["high.rs low/mod.rs near", "high.rs low/deep.rs SIZE,Thing"]
        );
    }

    #[test]
    fn code_for_tests_other_crates_and_names_that_are_handed_on_make_no_arrow() {
        let files = [
            ("lib.rs", "mod one; mod two; #[cfg(test)] mod tests;"),
            ("one.rs", "pub use super::two::Two; use std::io; #[cfg(test)] mod tests { use crate::two::b; }"),
            ("two.rs", "pub struct Two; pub fn b() {} #[cfg(not(test))] fn c() { io::one::d() }"),
        ];
        assert_eq!(arrows_of("tests", &files), Vec::<String>::new());
    }

    #[test]
    fn a_name_that_is_handed_on_and_used_makes_an_arrow() {
        let files = [
            ("lib.rs", "mod one; pub use one::One; fn f(_: One) {}"),
            ("one.rs", "pub struct One; use super::f;"),
        ];
        assert_eq!(arrows_of("used", &files), ["lib.rs one.rs One", "one.rs lib.rs f"]);
    }
}
