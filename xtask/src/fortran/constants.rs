//! The constants of mpi.h.

/// A constant.
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: i64,
    /// The type of object without `MPI_`, or `Offset`. `None`: it is an integer.
    pub handle: Option<String>,
}

impl Constant {
    /// Whether it is an `MPI_Offset`.
    pub fn is_offset(&self) -> bool {
        self.handle.as_deref() == Some("Offset")
    }
}

/// Reads the constants that Fortran has, too. A string in Fortran has no zero at its end, so the limits of
/// strings are smaller by one.
pub fn read(header: &str) -> Vec<Constant> {
    let mut constants = Vec::new();
    for line in header.lines() {
        let found = constant(line).or_else(|| synonym(line, &constants));
        constants.extend(found.filter(|constant| !is_only_in_c(&constant.name)));
    }
    constants
}

/// The constant that a line defines as another name of one before it.
fn synonym(line: &str, before: &[Constant]) -> Option<Constant> {
    let (name, other) = line.strip_prefix("#define ")?.split_once(' ')?;
    let of = before.iter().find(|constant| constant.name == other.trim())?;
    is_name(name).then(|| Constant { name: name.to_string(), value: of.value, handle: of.handle.clone() })
}

fn is_only_in_c(name: &str) -> bool {
    name.starts_with("MPI_T_")
        || name.starts_with("MPI_ABI_")
        || name.ends_with("_FN")
        || matches!(name, "MPI_F_STATUS_SIZE" | "MPI_F_SOURCE" | "MPI_F_TAG" | "MPI_F_ERROR")
}

/// The constant that a line defines, as a macro or in an enum.
fn constant(line: &str) -> Option<Constant> {
    let line = line.trim();
    let (name, rest) = match line.strip_prefix("#define ") {
        Some(rest) => rest.split_once(' ')?,
        None => line.split_once('=')?,
    };
    let name = name.trim();
    let rest = rest.split("/*").next()?.trim().trim_end_matches(',');
    let (handle, digits) = match rest.strip_prefix("((MPI_") {
        Some(typed) => {
            let (handle, digits) = typed.split_once(')')?;
            (Some(handle.to_string()), digits.strip_suffix(')')?)
        }
        None => (None, rest),
    };
    let mut value = number(digits)?;
    if name.starts_with("MPI_MAX_") {
        value -= 1;
    }
    // Of a pointer, Fortran has the address of a common block.
    let is_pointer = handle.as_deref().is_some_and(|handle| handle.contains('*'));
    (is_name(name) && !is_pointer).then(|| Constant { name: name.to_string(), value, handle })
}

/// Whether a name is that of a constant.
fn is_name(name: &str) -> bool {
    let of_constants = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    name.strip_prefix("MPI_").is_some_and(|rest| rest.chars().all(of_constants))
}

fn number(digits: &str) -> Option<i64> {
    match digits.strip_prefix("0x") {
        Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16).ok(),
        None => digits.parse().ok(),
    }
}
