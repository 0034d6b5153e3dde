//! `cargo xtask header`: include/anyccl/anyccl.h from the sources of abi/native.
//!
//! cbindgen reads the sources, abi/native/cbindgen.toml says how; Cargo.lock fixes the version, so that
//! everybody makes the same bytes. The version macros come from Cargo.toml.

use crate::Result;
use crate::workspace::{self, VERSION};

/// Makes the header; with `check`, compares it with the committed one.
pub fn run(check: bool) -> Result {
    let path = workspace::root().join("include/anyccl/anyccl.h");
    workspace::write_or_compare(&path, &generate()?, check, "header")
}

fn generate() -> Result<String> {
    let crate_folder = workspace::root().join("abi/native");
    let mut config = cbindgen::Config::from_file(crate_folder.join("cbindgen.toml"))?;
    config.after_includes = Some(version_macros(VERSION)?);
    let trailer = config.trailer.take().ok_or("cbindgen.toml has no trailer")?;
    let bindings = cbindgen::Builder::new().with_crate(&crate_folder).with_config(config).generate()?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    inside_the_guard(&String::from_utf8(text)?, &trailer)
}

/// Puts the trailer before the `#endif` of the include guard: cbindgen would put it behind.
fn inside_the_guard(header: &str, trailer: &str) -> Result<String> {
    let end = header.rfind("#endif").ok_or("the header has no include guard")?;
    let (body, guard) = header.split_at(end);
    Ok(format!("{}\n\n{}\n\n{guard}", body.trim_end(), trailer.trim()))
}

fn version_macros(version: &str) -> Result<String> {
    let parts = version.split('.').map(str::parse).collect::<std::result::Result<Vec<u32>, _>>()?;
    let [major, minor, patch] = parts[..] else {
        return Err(format!("the version {version} is not MAJOR.MINOR.PATCH").into());
    };
    Ok(format!(
        "\n/* The version of this header; anyccl_version() gives the library's. */\n\
         #define ANYCCL_VERSION_MAJOR {major}\n\
         #define ANYCCL_VERSION_MINOR {minor}\n\
         #define ANYCCL_VERSION_PATCH {patch}\n\
         #define ANYCCL_VERSION (10000 * ANYCCL_VERSION_MAJOR + 100 * ANYCCL_VERSION_MINOR + ANYCCL_VERSION_PATCH)"
    ))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::cargo;

    #[test]
    fn the_header_compiles_alone_without_warnings_in_every_language_it_promises() {
        let include = workspace::root().join("include");
        let variants = [
            ("cc", "c", "c99"),
            ("cc", "c", "c11"),
            ("cc", "c", "c17"),
            ("c++", "c++", "c++11"),
            ("c++", "c++", "c++17"),
        ];
        for (compiler, language, standard) in variants {
            let mut command = Command::new(compiler);
            command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-x", language]);
            command
                .arg(format!("-std={standard}"))
                .arg("-I")
                .arg(&include)
                .arg("-include")
                .arg("anyccl/anyccl.h");
            cargo::output(command.arg("/dev/null")).unwrap();
        }
    }

    #[test]
    fn a_trailer_stands_before_the_end_of_the_include_guard() {
        let header = inside_the_guard("#ifndef A\nint a;\n\n#endif  /* A */\n", "\n#define B\n").unwrap();
        assert_eq!(header, "#ifndef A\nint a;\n\n#define B\n\n#endif  /* A */\n");
        assert!(inside_the_guard("int a;\n", "").is_err());
    }

    #[test]
    fn a_version_that_is_not_three_numbers_is_refused() {
        assert!(version_macros("1.20.3").unwrap().contains("#define ANYCCL_VERSION_MINOR 20\n"));
        assert!(version_macros("1.2").is_err());
        assert!(version_macros("1.2.3-beta").is_err());
    }
}
