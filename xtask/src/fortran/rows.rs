//! The rows of the tables of functions, for their interfaces in Fortran.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::result::Result;

/// A function: its name and its arguments.
pub struct Row {
    /// Its name in C.
    pub name: String,
    /// Names and kinds of its arguments.
    pub arguments: Vec<(String, String)>,
    /// What it returns, if no error code.
    pub returned: Option<String>,
    /// Whether it is only in mpif.h and `use mpi`.
    pub is_removed: bool,
}

impl Row {
    /// Whether its counts are large.
    pub fn is_large(&self) -> bool {
        self.name.ends_with("_c")
    }

    /// Whether it returns a value.
    pub fn returns_value(&self) -> bool {
        self.returned.is_some()
    }

    /// Whether it has an argument for an error code.
    pub fn has_error(&self) -> bool {
        !self.returns_value() && !matches!(self.name.as_str(), "MPI_Pcontrol" | "MPI_F_sync_reg")
    }
}

/// Tables that Fortran has not, or not in this form.
const OTHER: [&str; 6] = ["mod.rs", "tools.rs", "handles.rs", "removed.rs", "failures.rs", "conversions.rs"];
/// The table of functions with other arguments in Fortran than in C.
const IN_FORTRAN: &str = "in_fortran.rs";

/// Reads the tables in a folder, in the order of names.
pub fn read(folder: &Path) -> Result<Vec<Row>> {
    let text = |name: &str| fs::read_to_string(folder.join(name));
    let removed: Vec<String> = parse(&text("removed.rs")?).into_iter().map(|row| row.name).collect();
    let mut rows = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !OTHER.contains(&name.as_str()) && name != IN_FORTRAN {
            rows.extend(parse(&text(&name)?).into_iter().map(|row| (row.name.clone(), row)));
        }
    }
    for row in parse(&text(IN_FORTRAN)?) {
        rows.insert(row.name.clone(), row);
    }
    let sync = Row {
        name: "MPI_F_sync_reg".into(),
        arguments: vec![("buf".into(), "RecvBuffer".into())],
        returned: None,
        is_removed: false,
    };
    rows.insert(sync.name.clone(), sync);
    let mut rows: Vec<Row> = rows.into_values().collect();
    for row in &mut rows {
        row.is_removed = removed.contains(&row.name);
    }
    Ok(rows)
}

/// The rows in a table's text: `1 "1.0" MPI_Send PMPI_Send (buf: SendBuffer, ...) on comm = ...;`
fn parse(text: &str) -> Vec<Row> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let mut rows = Vec::new();
    for row in text.split(';') {
        // Before the first row stands the head of the macro.
        let row = row.rsplit('{').next().unwrap_or(row);
        let Some((before, rest)) = row.split_once(" (") else { continue };
        let mut names = before.split(' ').rev();
        let (Some(twin), Some(name)) = (names.next(), names.next()) else { continue };
        if twin.strip_prefix('P') != Some(name) || !name.starts_with("MPI_") {
            continue;
        }
        let Some((arguments, rest)) = rest.split_once(')') else { continue };
        let returned = rest.split('=').next().and_then(|part| part.split_once("->"));
        rows.push(Row {
            name: name.to_string(),
            arguments: arguments.split(',').filter_map(argument).collect(),
            returned: returned.map(|(_, kind)| kind.trim().to_string()),
            is_removed: false,
        });
    }
    rows
}

fn argument(text: &str) -> Option<(String, String)> {
    let (name, kind) = text.split_once(':')?;
    Some((name.trim().to_string(), kind.trim().to_string()))
}
