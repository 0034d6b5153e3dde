//! Interfaces of procedures.

use super::callbacks;
use super::rows::Row;

/// The module for which an interface is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `use mpi`: handles are INTEGERs.
    Mpi,
    /// `use mpi`, with the address of memory as a pointer of C.
    MpiWithPointers,
    /// `use mpi_f08`: handles have types, and the error code may be left out.
    F08,
}

/// Arguments that are INTEGERs in C, and LOGICALs in Fortran.
const LOGICALS: [&str; 7] = ["reorder", "periods", "remain_dims", "commute", "high", "weighted", "flag"];

/// How an argument is declared: its type, its shape, and whether memory of any type may be passed.
struct Declared {
    type_: String,
    shape: &'static str,
    is_any: bool,
}

/// Whether the function returns the address of memory.
pub fn has_memory(row: &Row) -> bool {
    row.arguments.iter().any(|(name, _)| name == "baseptr")
}

/// The interface body of a procedure.
pub fn procedure(row: &Row, name: &str, dialect: Dialect) -> String {
    let mut names: Vec<&str> = row.arguments.iter().map(|(name, _)| name.as_str()).collect();
    if row.has_error() {
        names.push("ierror");
    }
    let kind = match row.returned.as_deref() {
        None => "subroutine",
        Some("Seconds") => "double precision function",
        Some(_) => "integer(MPI_ADDRESS_KIND) function",
    };
    let mut text = statement(&format!("    {kind} {name}("), &names);
    if dialect == Dialect::MpiWithPointers {
        // The procedure of the library that the INTEGER is passed to, too.
        text.push_str(&format!(" &\n      bind(C, name=\"{}_\")", name.trim_end_matches("_cptr")));
    }
    text.push_str("\n      import\n");
    for (argument, kind) in &row.arguments {
        let Declared { type_, shape, is_any } = declared(argument, kind, dialect);
        if is_any {
            text.push_str(&format!(
                "!GCC$ ATTRIBUTES NO_ARG_CHECK :: {argument}\n!DIR$ IGNORE_TKR {argument}\n"
            ));
        }
        match type_.as_str() {
            "external" => text.push_str(&format!("      external :: {argument}\n")),
            type_ => text.push_str(&format!("      {type_} :: {argument}{shape}\n")),
        }
    }
    if row.has_error() {
        let optional = if dialect == Dialect::F08 { ", optional" } else { "" };
        text.push_str(&format!("      integer{optional} :: ierror\n"));
    }
    text.push_str(&format!("    end {}\n", if row.returns_value() { "function" } else { "subroutine" }));
    text
}

/// The first statement of a procedure, on lines that every compiler takes.
fn statement(begin: &str, names: &[&str]) -> String {
    let (mut text, mut line) = (String::new(), begin.to_string());
    for (at, name) in names.iter().enumerate() {
        let end = if at + 1 < names.len() { ", " } else { "" };
        if line.len() + name.len() > 100 {
            text.push_str(&format!("{}&\n", line));
            line = "      ".into();
        }
        line.push_str(name);
        line.push_str(end);
    }
    text.push_str(&line);
    text.push(')');
    text
}

/// What tells the procedures of a generic interface apart.
pub fn signature(row: &Row) -> Vec<String> {
    // Integers of the size of an address are large counts, too.
    let type_ = |(name, kind): &(String, String)| {
        let type_ = declared(name, kind, Dialect::F08).type_;
        // Nor do the arguments of procedures tell them apart.
        if type_.starts_with("procedure") { "procedure".into() } else { type_.replace("ADDRESS", "COUNT") }
    };
    row.arguments.iter().map(type_).collect()
}

fn declared(name: &str, kind: &str, dialect: Dialect) -> Declared {
    let (outer, inner) = match kind.split_once('<') {
        Some((outer, inner)) => (outer, inner.trim_end_matches('>')),
        None => ("", kind),
    };
    let shape = match (outer, inner) {
        ("Array", "Range") => "(3, *)",
        ("Array" | "OutArray" | "InOutArray", _) => "(*)",
        (_, "Weights" | "OutWeights") => "(*)",
        (_, "OutStatusArray") if dialect != Dialect::F08 => "(MPI_STATUS_SIZE, *)",
        (_, "OutStatusArray") => "(*)",
        (_, "OutStatus" | "InStatus" | "InOutStatus") if dialect != Dialect::F08 => "(MPI_STATUS_SIZE)",
        _ => "",
    };
    let is_address = matches!(name, "baseptr" | "extra_state");
    let is_detached = name == "buffer_addr" && dialect == Dialect::F08;
    let is_any = match inner {
        "SendBuffer" | "RecvBuffer" | "ConstPointer" | "Unused" | "Pointer" => !is_address && !is_detached,
        _ => false,
    };
    let type_ = match inner {
        _ if is_any => return Declared { type_: "type(*), dimension(*)".into(), shape: "", is_any },
        _ if is_detached || name == "baseptr" && dialect != Dialect::Mpi => "type(c_ptr)".into(),
        "Pointer" | "Aint" => "integer(MPI_ADDRESS_KIND)".into(),
        "LargeCount" | "Displacement" => "integer(MPI_COUNT_KIND)".into(),
        "InText" | "OutText" | "OutTextOrNull" => "character(*)".into(),
        "Flag" => "logical".into(),
        "Int" if LOGICALS.contains(&name) => "logical".into(),
        "OutStatus" | "InStatus" | "InOutStatus" | "OutStatusArray" if dialect == Dialect::F08 => {
            "type(MPI_Status)".into()
        }
        function if dialect == Dialect::F08 && callbacks::of_kind(function).is_some() => {
            format!("procedure({})", callbacks::of_kind(function).unwrap_or_default())
        }
        function if function.ends_with("Function") => "external".into(),
        handle if handle.ends_with("Handle") && dialect == Dialect::F08 => {
            format!("type(MPI_{})", handle.trim_end_matches("Handle"))
        }
        _ => "integer".into(),
    };
    Declared { type_, shape, is_any }
}
