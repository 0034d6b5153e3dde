//! The promises of this tree, as text: one a line, `KIND NAME: VALUE`.
//!
//! ```text
//! export libanyccl anyccl_rank:
//! function anyccl_rank: anyccl_status_t (int *)
//! type anyccl_comm_t: struct anyccl_comm *
//! constant ANYCCL_SUM: 0
//! size anyccl_config_t: 48
//! member anyccl_config_t.name: const char * at 8
//! ```
//!
//! The C compiler gives the declarations without comments, and the sizes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use crate::result::Result;
use crate::{cargo, workspace};

const HEADER: &str = "include/anyccl/anyccl.h";
/// Macros that only speak to the compiler.
const ATTRIBUTES: [&str; 3] = ["ANYCCL_NODISCARD", "ANYCCL_ENUM_TYPE", "ANYCCL_ENUM_SIZE"];

/// The record of this tree.
pub fn fresh() -> Result<String> {
    let mut lines = exports()?;
    let declarations = preprocess(&["-P", "-DANYCCL_ALLOW_UNUSED_STATUS"])?;
    let mut structures = Vec::new();
    for declaration in declarations_of(&declarations) {
        match parse(&declaration) {
            Parsed::Lines(fresh) => lines.extend(fresh),
            Parsed::Structure(structure) => structures.push(structure),
            Parsed::Other => {}
        }
    }
    lines.extend(preprocess(&["-dM"])?.lines().filter_map(macro_constant));
    lines.extend(layouts(&structures)?);
    let head = "# What programs rely on. Made by `cargo xtask abi --write`; docs/releasing.md says when.\n";
    Ok(lines.into_iter().fold(head.to_owned(), |text, line| text + &line + "\n"))
}

/// The exported names of all libraries, from abi/symbols.
fn exports() -> Result<BTreeSet<String>> {
    let mut lines = BTreeSet::new();
    for file in fs::read_dir(workspace::root().join("abi/symbols"))? {
        let path = file?.path();
        let library = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let names = fs::read_to_string(&path)?;
        lines.extend(names.lines().map(|name| format!("export {library} {name}:")));
    }
    Ok(lines)
}

fn compiler() -> Command {
    let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    command.arg("-I").arg(workspace::root().join("include"));
    command
}

fn preprocess(flags: &[&str]) -> Result<String> {
    cargo::output(compiler().arg("-E").args(flags).arg(workspace::root().join(HEADER)))
}

/// The declarations of anyccl, each on one line with single blanks.
fn declarations_of(text: &str) -> Vec<String> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ';' if depth == 0 => {
                found.push(text[start..at].split_whitespace().collect::<Vec<_>>().join(" "));
                start = at + 1;
            }
            _ => {}
        }
    }
    found.retain(|declaration| declaration.contains("anyccl"));
    found
}

/// What a declaration promises.
enum Parsed {
    /// Promises that stand in the text.
    Lines(Vec<String>),
    /// A structure, whose layout the compiler knows.
    Structure(Structure),
    /// None.
    Other,
}

struct Structure {
    name: String,
    /// Type and name of each member.
    members: Vec<(String, String)>,
}

fn parse(declaration: &str) -> Parsed {
    if let Some((head, rest)) = declaration.split_once('{') {
        let Some((body, name)) = rest.rsplit_once('}') else { return Parsed::Other };
        let name = name.trim().to_owned();
        if head.contains("enum") {
            let items = body.split(',').filter_map(|item| item.split_once('='));
            return Parsed::Lines(items.map(|(name, value)| constant(name, value)).collect());
        }
        let members = body.split(';').filter_map(split_name).collect();
        return Parsed::Structure(Structure { name, members });
    }
    let line = match declaration.strip_prefix("typedef ") {
        // A type of functions has its name in the middle: int (*name)(arguments).
        Some(function) if function.contains("(*") => {
            let Some((result, rest)) = function.split_once("(*") else { return Parsed::Other };
            let Some((name, arguments)) = rest.split_once(")(") else { return Parsed::Other };
            format!("type {name}: {} (*)({})", result.trim(), types(arguments.trim_end_matches(')')))
        }
        Some(plain) => match split_name(plain) {
            Some((kind, name)) => format!("type {name}: {kind}"),
            None => return Parsed::Other,
        },
        None => {
            let Some((head, arguments)) = declaration.split_once('(') else { return Parsed::Other };
            // Attributes may follow.
            let arguments = arguments.split(')').next().unwrap_or_default();
            let Some((result, name)) = split_name(head) else { return Parsed::Other };
            format!("function {name}: {result} ({})", types(arguments))
        }
    };
    Parsed::Lines(vec![line])
}

fn constant(name: &str, value: &str) -> String {
    format!("constant {}: {}", name.trim(), value.trim())
}

/// Splits `const char *name` or `char bytes[128]` into type and name.
fn split_name(text: &str) -> Option<(String, String)> {
    let text = text.trim();
    let (text, array) = text.find('[').map_or((text, ""), |at| text.split_at(at));
    let start = text.rfind(|letter: char| !letter.is_alphanumeric() && letter != '_')? + 1;
    let (kind, name) = text.split_at(start);
    if name.is_empty() { None } else { Some((format!("{}{array}", kind.trim()), name.to_owned())) }
}

/// The types of arguments, without their names: a program does not rely on them.
fn types(arguments: &str) -> String {
    let kinds = arguments.split(',').map(|argument| match split_name(argument) {
        Some((kind, _)) => kind,
        None => argument.trim().to_owned(),
    });
    kinds.collect::<Vec<_>>().join(", ")
}

/// A macro of anyccl that is a value. Versions change, initialisers grow, guards mean nothing, and attributes
/// differ between compilers.
fn macro_constant(line: &str) -> Option<String> {
    let (name, value) = line.strip_prefix("#define ")?.split_once(' ')?;
    let counts = name.starts_with("ANYCCL_") && !name.contains('(') && !name.starts_with("ANYCCL_VERSION");
    if counts && !ATTRIBUTES.contains(&name) && !value.trim().is_empty() && !value.starts_with('{') {
        Some(constant(name, value))
    } else {
        None
    }
}

/// Sizes and offsets, as the compiler lays the structures out.
fn layouts(structures: &[Structure]) -> Result<BTreeSet<String>> {
    let folder = workspace::target().join("abi");
    fs::create_dir_all(&folder)?;
    let (source, program) = (folder.join("layout.c"), folder.join("layout"));
    let mut text = "#include <anyccl/anyccl.h>\n#include <stdio.h>\nint main(void) {\n".to_owned();
    for Structure { name, members } in structures {
        writeln!(text, "printf(\"size {name}: %zu\\n\", sizeof({name}));")?;
        for (kind, member) in members {
            let line = format!("member {name}.{member}: {kind} at %zu\\n");
            writeln!(text, "printf(\"{line}\", offsetof({name}, {member}));")?;
        }
    }
    fs::write(&source, text + "return 0;\n}\n")?;
    cargo::run(compiler().args(["-include", "stddef.h"]).arg(&source).arg("-o").arg(&program))?;
    Ok(cargo::output(&mut Command::new(program))?.lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(declaration: &str) -> Vec<String> {
        match parse(declaration) {
            Parsed::Lines(lines) => lines,
            _ => Vec::new(),
        }
    }

    #[test]
    fn a_function_is_recorded_by_its_types_alone() {
        let line = lines("anyccl_status_t anyccl_rank(const int *rank, anyccl_comm_t comm)");
        assert_eq!(line, ["function anyccl_rank: anyccl_status_t (const int *, anyccl_comm_t)"]);
        assert_eq!(lines("int anyccl_version(void)"), ["function anyccl_version: int (void)"]);
    }

    #[test]
    fn types_and_constants_are_recorded() {
        assert_eq!(
            lines("typedef struct anyccl_comm *anyccl_comm_t"),
            ["type anyccl_comm_t: struct anyccl_comm *"]
        );
        assert_eq!(
            lines("typedef int (*anyccl_f_t)(void *context, size_t bytes)"),
            ["type anyccl_f_t: int (*)(void *, size_t)"]
        );
        assert_eq!(
            lines("typedef enum anyccl_s { A = 0, B = 1, } anyccl_s"),
            ["constant A: 0", "constant B: 1"]
        );
        assert_eq!(
            macro_constant("#define ANYCCL_ANY_TAG -1").as_deref(),
            Some("constant ANYCCL_ANY_TAG: -1")
        );
        assert_eq!(macro_constant("#define ANYCCL_BATCH_H "), None);
        assert_eq!(macro_constant("#define ANYCCL_NODISCARD [[nodiscard]]"), None);
    }
}
