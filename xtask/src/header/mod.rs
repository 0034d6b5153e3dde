//! `cargo xtask header`: the chapters of the C header, include/anyccl/*.h, from abi/native.
//!
//! cbindgen reads the Rust sources and writes one declaration after the other ([`items`]). It does not see
//! what macros make, so the rows of `forms!` are written out for it ([`forms`]). The files in
//! abi/native/header are the chapters without their declarations: prose, sections, macros, and a line such as
//! `@forms anyccl_reduce` where a declaration belongs ([`chapter`]). anyccl.h includes the chapters in the
//! order in which they are read. A declaration that no chapter names is an error, as is one that two name.
//!
//! Cargo.lock fixes the version of cbindgen, so that everybody generates the same bytes. The version macros
//! come from Cargo.toml.
//!
//! Two things that Rust does not say are added: enumerations are types of their own ([`enums`]), and statuses
//! must not be ignored ([`nodiscard`]).

mod chapter;
mod enums;
mod forms;
mod items;
mod nodiscard;

use std::fs;
use std::path::Path;

use self::chapter::Chapter;
use self::items::Items;
use crate::result::Result;
use crate::workspace::{self, VERSION};

/// The chapter that includes all others.
const ALL: &str = "anyccl";

/// Generates the headers; with `check`, compares them with the committed ones.
pub fn run(check: bool) -> Result {
    let folder = workspace::root().join("include/anyccl");
    let headers = generate(&workspace::root().join("abi/native"))?;
    for (name, text) in &headers {
        workspace::write_or_compare(&folder.join(name), text, check, "header")?;
    }
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".h") && headers.iter().all(|(generated, _)| *generated != *name) {
            return Err(format!("{name} is not generated any more: remove {}", path.display()).into());
        }
    }
    Ok(())
}

/// Names and texts of the headers: the chapters in reading order, then anyccl.h.
fn generate(crate_folder: &Path) -> Result<Vec<(String, String)>> {
    let config = cbindgen::Config::from_file(crate_folder.join("cbindgen.toml"))?;
    let written_out = std::env::temp_dir().join(format!("anyccl-forms-{}.rs", std::process::id()));
    fs::write(&written_out, forms::declarations(&crate_folder.join("src"))?)?;
    let builder = cbindgen::Builder::new().with_crate(crate_folder).with_src(&written_out);
    let bindings = builder.with_config(config).generate();
    fs::remove_file(&written_out)?;
    let bindings = bindings?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    let mut items = Items::parse(&String::from_utf8(text)?)?;
    items.add("@version", version_macros(VERSION)?);
    enums::rewrite(&mut items);
    nodiscard::mark(&mut items);

    let read = |name: &str| -> Result<Chapter> {
        let path = crate_folder.join("header").join(format!("{name}.h.in"));
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Chapter::parse(name, &text).map_err(|error| format!("{}: {error}", path.display()).into())
    };
    let all = read(ALL)?;
    let mut headers = Vec::new();
    for name in all.included() {
        headers.push((format!("{name}.h"), read(name)?.render(&mut items)?));
    }
    headers.push((format!("{ALL}.h"), all.render(&mut items)?));
    items.all_taken()?;
    Ok(headers)
}

fn version_macros(version: &str) -> Result<String> {
    let parts = version.split('.').map(str::parse).collect::<std::result::Result<Vec<u32>, _>>()?;
    let [major, minor, patch] = parts[..] else {
        return Err(format!("the version {version} is not MAJOR.MINOR.PATCH").into());
    };
    Ok(format!(
        "/** Major part of the version of this header. */\n\
         #define ANYCCL_VERSION_MAJOR {major}\n\
         /** Minor part of the version of this header. */\n\
         #define ANYCCL_VERSION_MINOR {minor}\n\
         /** Patch part of the version of this header. */\n\
         #define ANYCCL_VERSION_PATCH {patch}\n\
         /** Version of this header as one number. anyccl_version() gives the library's. */\n\
         #define ANYCCL_VERSION (10000 * ANYCCL_VERSION_MAJOR + 100 * ANYCCL_VERSION_MINOR + ANYCCL_VERSION_PATCH)"
    ))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::cargo;

    #[test]
    fn every_chapter_compiles_alone_without_warnings_in_every_language_it_promises() {
        let include = workspace::root().join("include");
        let variants = [
            ("cc", "c", "c99"),
            ("cc", "c", "c11"),
            ("cc", "c", "c17"),
            ("cc", "c", "c2x"),
            ("c++", "c++", "c++11"),
            ("c++", "c++", "c++17"),
            ("c++", "c++", "c++20"),
        ];
        let headers: Vec<_> = fs::read_dir(include.join("anyccl"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".h"))
            .collect();
        assert!(headers.len() > 10, "{headers:?}");
        for header in headers {
            for (compiler, language, standard) in variants {
                let mut command = Command::new(compiler);
                command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-x", language]);
                command.arg(format!("-std={standard}")).arg("-I").arg(&include);
                // Twice: the second time the include guard leaves everything out.
                for _ in 0..2 {
                    command.arg("-include").arg(format!("anyccl/{header}"));
                }
                cargo::output(command.arg("/dev/null")).unwrap();
            }
        }
    }

    #[test]
    fn the_chapters_declare_exactly_what_the_library_exports() {
        let symbols = fs::read_to_string(workspace::root().join("abi/symbols/libanyccl.txt")).unwrap();
        let exported: Vec<_> =
            symbols.lines().map(str::trim).filter(|line| line.starts_with("anyccl_")).collect();
        assert!(exported.len() > 100, "{}", exported.len());
        let headers = generate(&workspace::root().join("abi/native")).unwrap();
        let text: String = headers.into_iter().map(|(_, text)| text).collect();
        for name in exported {
            let declared = text
                .lines()
                .filter(|line| !line.starts_with([' ', '/', '#', '*']) && line.contains(&format!("{name}(")))
                .count();
            assert_eq!(declared, 1, "{name}");
        }
    }

    #[test]
    fn a_version_that_is_not_three_numbers_is_refused() {
        assert!(version_macros("1.20.3").unwrap().contains("#define ANYCCL_VERSION_MINOR 20\n"));
        assert!(version_macros("1.2").is_err());
        assert!(version_macros("1.2.3-beta").is_err());
    }
}
