//! Recognises NCCL and MPI by the names of libraries and functions.

use anyccl_launch_report::Facade;

/// File names of the libraries of anyccl that stand in for a facade.
pub fn doors(facade: Facade) -> &'static [&'static str] {
    match facade {
        Facade::Nccl => &["libnccl.so.2"],
        Facade::Mpi => &["libmpi_abi.so.1", "libmpi.so.12", "libmpi.so.40"],
    }
}

/// Whether a library that is requested as `asked`, a name or a path, has this interface.
///
/// NCCL is `libnccl.so`, or `libnccl.so.2` with any minor version. Its plugins (`libnccl-net.so`) and other
/// major versions are not. MPI is `libmpi.so`, `libmpich.so` or `libmpi_abi.so` with any version. Libraries
/// for other languages (`libmpifort.so.12`) are not, but for Open MPI's for Fortran, `libmpi_mpifh.so`: it
/// works only with the libmpi.so.40 that it was built with, so anyccl's libmpi.so.40 has its functions.
pub fn is_library(facade: Facade, asked: &[u8]) -> bool {
    match facade {
        Facade::Nccl => door(facade, asked).is_some(),
        Facade::Mpi => MPI.iter().any(|(name, _, _)| version(asked, name).is_some()),
    }
}

/// The library of anyccl that replaces `asked`. `None`: `asked` has no such interface, or an ABI that anyccl
/// does not have.
pub fn door(facade: Facade, asked: &[u8]) -> Option<&'static str> {
    let fits = |name: &str, major: &str| {
        version(asked, name)
            .is_some_and(|version| version.is_empty() || major_of(version) == major.as_bytes())
    };
    match facade {
        Facade::Nccl => fits("libnccl.so", "2").then_some("libnccl.so.2"),
        Facade::Mpi => MPI.iter().find(|(name, major, _)| fits(name, major)).map(|(_, _, door)| *door),
    }
}

/// Name, major version, and the library of anyccl with that ABI. A name without a version gets the first.
const MPI: [(&str, &str, &str); 5] = [
    ("libmpi_abi.so", "1", "libmpi_abi.so.1"),
    ("libmpi.so", "12", "libmpi.so.12"),
    ("libmpich.so", "12", "libmpi.so.12"),
    ("libmpi.so", "40", "libmpi.so.40"),
    ("libmpi_mpifh.so", "40", "libmpi.so.40"),
];

/// Whether a library is anyccl's own engine, which may want a foreign library as an engine.
pub fn is_engine(path: &[u8]) -> bool {
    base(path).starts_with(b"libanyccl.so")
}

/// Whether a function belongs to this interface.
pub fn is_function(facade: Facade, symbol: &[u8]) -> bool {
    let (twin, prefix): (&[u8], &[u8]) = match facade {
        Facade::Nccl => (b"p", b"nccl"),
        Facade::Mpi => (b"P", b"MPI_"),
    };
    let name = symbol.strip_prefix(twin).unwrap_or(symbol);
    name.strip_prefix(prefix).is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_uppercase))
}

/// The version behind a name in a file name: empty, or `2`, or `2.30.7`.
fn version<'a>(asked: &'a [u8], name: &str) -> Option<&'a [u8]> {
    match base(asked).strip_prefix(name.as_bytes())? {
        b"" => Some(b""),
        rest => rest.strip_prefix(b"."),
    }
}

fn major_of(version: &[u8]) -> &[u8] {
    version.split(|byte| *byte == b'.').next().unwrap_or(version)
}

fn base(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nccl_is_known_by_its_name_wherever_it_lies() {
        for yes in ["libnccl.so.2", "libnccl.so", "/a/nvidia/nccl/lib/libnccl.so.2", "x/libnccl.so.2.30.7"] {
            assert!(is_library(Facade::Nccl, yes.as_bytes()), "{yes}");
            assert_eq!(door(Facade::Nccl, yes.as_bytes()), Some("libnccl.so.2"), "{yes}");
        }
        for no in [
            "",
            "libnccl",
            "libnccl-net.so",
            "libnccl.so.1",
            "libnccl.so.20",
            "libnccl.so.2/x",
            "mylibnccl.so",
            "libmpi.so.12",
        ] {
            assert!(!is_library(Facade::Nccl, no.as_bytes()), "{no}");
        }
    }

    #[test]
    fn each_abi_of_mpi_has_its_library() {
        for (asked, taken) in [
            ("libmpi_abi.so.1", "libmpi_abi.so.1"),
            ("/opt/x/libmpi_abi.so", "libmpi_abi.so.1"),
            ("libmpi.so.12", "libmpi.so.12"),
            ("/usr/lib/libmpi.so", "libmpi.so.12"),
            ("libmpi.so.12.3.1", "libmpi.so.12"),
            ("libmpich.so.12", "libmpi.so.12"),
            ("libmpi.so.40", "libmpi.so.40"),
            ("/x/libmpi.so.40.30.1", "libmpi.so.40"),
            ("libmpi_mpifh.so.40", "libmpi.so.40"),
            ("/x/libmpi_mpifh.so.40.30.0", "libmpi.so.40"),
        ] {
            assert_eq!(door(Facade::Mpi, asked.as_bytes()), Some(taken), "{asked}");
            assert!(is_library(Facade::Mpi, asked.as_bytes()), "{asked}");
        }
        for other in ["libmpi.so.1", "libmpi_abi.so.0", "libmpich.so.10", "libmpi_mpifh.so.20"] {
            assert_eq!(door(Facade::Mpi, other.as_bytes()), None, "{other}");
            assert!(is_library(Facade::Mpi, other.as_bytes()), "{other}");
        }
        for no in ["libmpifort.so.12", "libmpicxx.so.12", "libmpi", "libmpi_cxx.so.40", "libnccl.so.2"] {
            assert!(!is_library(Facade::Mpi, no.as_bytes()), "{no}");
        }
    }

    #[test]
    fn our_engine_is_known_by_its_name() {
        assert!(is_engine(b"/p/lib/libanyccl.so.0") && is_engine(b"libanyccl.so"));
        assert!(!is_engine(b"/p/libanyccl.so.0/other.so") && !is_engine(b"libanyccl_audit.so"));
    }

    #[test]
    fn functions_and_their_twins_are_known_and_nothing_else() {
        for (facade, yes) in [
            (Facade::Nccl, "ncclAllReduce"),
            (Facade::Nccl, "pncclGetVersion"),
            (Facade::Mpi, "MPI_Init"),
            (Facade::Mpi, "PMPI_Send"),
        ] {
            assert!(is_function(facade, yes.as_bytes()), "{yes}");
        }
        for no in ["", "nccl", "ncclx", "main", "p", "_ncclSend", "MPI_", "MPI_x", "MPIX_Get", "PMI_Init"] {
            assert!(!is_function(Facade::Nccl, no.as_bytes()), "{no}");
            assert!(!is_function(Facade::Mpi, no.as_bytes()), "{no}");
        }
    }
}
