//! What counts as NCCL.

/// Whether a library that is asked for as `asked`, a name or a path, is NCCL: `libnccl.so`, or `libnccl.so.2`
/// with whatever minor version. Its plugins (`libnccl-net.so`) and other major versions are not.
pub fn is_nccl(asked: &[u8]) -> bool {
    match base(asked).strip_prefix(b"libnccl.so") {
        None => false,
        Some(b"" | b".2") => true,
        Some(version) => version.starts_with(b".2."),
    }
}

/// Whether a library is anyccl's own, which may want NCCL itself as its engine.
pub fn is_engine(path: &[u8]) -> bool {
    base(path).starts_with(b"libanyccl.so")
}

fn base(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// Whether a function is one of NCCL's.
pub fn is_function(symbol: &[u8]) -> bool {
    let name = symbol.strip_prefix(b"p").unwrap_or(symbol);
    name.strip_prefix(b"nccl").is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nccl_is_known_by_its_name_wherever_it_lies() {
        for yes in ["libnccl.so.2", "libnccl.so", "/a/nvidia/nccl/lib/libnccl.so.2", "x/libnccl.so.2.30.7"] {
            assert!(is_nccl(yes.as_bytes()), "{yes}");
        }
        for no in [
            "",
            "libnccl",
            "libnccl-net.so",
            "libnccl.so.1",
            "libnccl.so.20",
            "libnccl.so.2/x",
            "mylibnccl.so",
        ] {
            assert!(!is_nccl(no.as_bytes()), "{no}");
        }
    }

    #[test]
    fn our_engine_is_known_by_its_name() {
        assert!(is_engine(b"/p/lib/libanyccl.so.0") && is_engine(b"libanyccl.so"));
        assert!(!is_engine(b"/p/libanyccl.so.0/other.so") && !is_engine(b"libanyccl_audit.so"));
    }

    #[test]
    fn functions_and_their_twins_are_known_and_nothing_else() {
        for yes in ["ncclAllReduce", "pncclGetVersion"] {
            assert!(is_function(yes.as_bytes()), "{yes}");
        }
        for no in ["", "nccl", "ncclx", "main", "p", "_ncclSend"] {
            assert!(!is_function(no.as_bytes()), "{no}");
        }
    }
}
