//! `MPI_Sizeof`, which has a procedure in the modules for each type and kind.

/// Types and kinds that all compilers have.
const TYPES: [(&str, &str); 12] = [
    ("int8", "integer(1)"),
    ("int16", "integer(2)"),
    ("int32", "integer(4)"),
    ("int64", "integer(8)"),
    ("real32", "real(4)"),
    ("real64", "real(8)"),
    ("complex32", "complex(4)"),
    ("complex64", "complex(8)"),
    ("logical8", "logical(1)"),
    ("logical32", "logical(4)"),
    ("logical64", "logical(8)"),
    ("character", "character(*)"),
];

/// The generic interface.
pub fn interface() -> String {
    let mut text = String::from("  interface MPI_Sizeof\n");
    for (name, _) in TYPES {
        text.push_str(&format!("    module procedure sizeof_{name}\n"));
    }
    text.push_str("  end interface\n");
    for (name, _) in TYPES {
        text.push_str(&format!("  private :: sizeof_{name}\n"));
    }
    text
}

/// The procedures, for scalars and arrays of any rank.
pub fn procedures(is_f08: bool) -> String {
    let (optional, condition) = if is_f08 { (", optional", "if (present(ierror)) ") } else { ("", "") };
    let mut text = String::new();
    for (name, type_) in TYPES {
        text.push_str(&format!(
            "  subroutine sizeof_{name}(x, size, ierror)\n    {type_}, intent(in) :: x(..)\n    \
             integer, intent(out) :: size\n    integer{optional}, intent(out) :: ierror\n    \
             size = storage_size(x) / 8\n    {condition}ierror = MPI_SUCCESS\n  end subroutine\n"
        ));
    }
    text
}
