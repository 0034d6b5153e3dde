//! Tests of `--as` and `--nccl-of` or `--mpi-of` for a tool without its libraries, as cargo builds it.
//! capi-tests/nccl/ways_in.py and mpi-tests/starting.py test them with everything installed.

use crate::common::{anyccl, finish};

#[test]
fn without_the_library_nothing_is_started_and_what_installs_it_is_named() {
    for arguments in [
        &["run", "--as", "nccl", "-n", "2", "echo", "started"][..],
        &[
            "run",
            "--as",
            "nccl",
            "--nccl-by",
            "preload",
            "--hosts",
            "a:1",
            "--launcher",
            "sh -c {cmd}",
            "echo",
            "started",
        ],
        &["run", "--as", "mpi", "-n", "2", "echo", "started"],
        &["info", "--nccl-of", "echo", "started"],
        &["info", "--mpi-of", "echo", "started"],
    ] {
        let tool = finish(anyccl(arguments));
        assert_eq!(tool.code(), 1, "{arguments:?}: {}", tool.stderr);
        assert!(tool.stderr.contains("lib/anyccl/"), "{arguments:?}: {}", tool.stderr);
        assert!(tool.stderr.contains("xtask install"), "{arguments:?}: {}", tool.stderr);
        assert!(tool.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn words_that_go_together_are_asked_for_together() {
    for (arguments, missing) in [
        (&["run", "-n", "1", "--by", "audit", "true"][..], "--as"),
        (&["run", "-n", "1", "--as", "oneccl", "true"], "nccl"),
        (&["run", "-n", "1", "--as", "nccl", "--nccl-by", "magic", "true"], "overlay"),
        (&["run", "-n", "1", "--by", "path", "--as", "nccl"], "PROGRAM"),
        (&["run", "-n", "1", "--as", "gloo", "--by", "audit", "true"], "--by is for nccl and mpi"),
        (&["info", "--torch", "python3", "--mpi-of", "true"], "cannot be used with"),
        (&["info", "--deadline", "3"], "--nccl-of"),
        (&["info", "--mpi-of"], "COMMAND"),
        (&["info", "--nccl-of"], "COMMAND"),
    ] {
        let tool = finish(anyccl(arguments));
        assert_eq!(tool.code(), 2, "{arguments:?}: {}", tool.stderr);
        assert!(tool.stderr.contains(missing), "{arguments:?}: {}", tool.stderr);
    }
}
