//! Tests of completions, by the shells that read them. A shell that is not installed is left out, aloud.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{Finished, anyccl, finish};

const SUBCOMMANDS: [&str; 5] = ["run", "perf", "info", "plan", "simulate"];

/// A file that is not executable, in the folder in which lines are completed.
const SCRIPT: &str = "train-it.py";

/// Lines of input, and what each has to be completed to: a subcommand, an option, the value of an option,
/// a word without an option, a program of the PATH, one that is a file, and its argument.
const LINES: [(&str, &[&str]); 12] = [
    ("anyccl simu", &["simulate"]),
    ("anyccl run --bi", &["--bind"]),
    ("anyccl run --bind n", &["none"]),
    ("anyccl completions ", &["bash", "zsh", "fish"]),
    ("anyccl perf all_", &["all_reduce", "all_gather", "all_to_all"]),
    ("anyccl simulate br", &["broadcast"]),
    ("anyccl perf -d bf", &["bfloat16"]),
    ("anyccl perf --algorithms rabenseifner_", &["rabenseifner_gather"]),
    ("anyccl plan --algorithm rabenseifner_", &["rabenseifner_gather"]),
    ("anyccl run -n 2 --bind none sha256s", &["sha256sum"]),
    ("anyccl run -x A=B -- train-", &[SCRIPT]),
    ("anyccl run -n 2 sha256sum train-", &[SCRIPT]),
];

fn text(output: &Finished) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A new folder with the completion for `shell` in a file.
struct Installed {
    folder: PathBuf,
}

impl Installed {
    fn new(shell: &str, file: &str) -> Installed {
        let folder = std::env::temp_dir().join(format!("anyccl-{shell}-{}", std::process::id()));
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let output = finish(anyccl(&["completions", shell]));
        assert_eq!(output.code(), 0, "{}", output.stderr);
        fs::write(path, output.stdout).unwrap();
        fs::write(folder.join(SCRIPT), "").unwrap();
        Installed { folder }
    }

    /// The command without settings of the user, and with the tool in its path.
    fn shell(&self, shell: &str) -> Command {
        let tool = Path::new(env!("CARGO_BIN_EXE_anyccl")).parent().unwrap();
        let path = format!("{}:{}", tool.display(), std::env::var("PATH").unwrap());
        let mut command = Command::new(shell);
        command.current_dir(&self.folder).stdin(Stdio::null()).env("PATH", path).env("HOME", &self.folder);
        command.env_remove("XDG_CONFIG_HOME").env_remove("ZDOTDIR").env("TERM", "dumb");
        command
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn is_installed(shell: &str) -> bool {
    let is_there = Command::new(shell).args(["-c", "true"]).stdin(Stdio::null()).status().is_ok();
    if !is_there {
        println!("skipped: {shell} is not installed, so its completion is not loaded");
    }
    is_there
}

#[test]
fn completions_have_every_public_subcommand_and_nothing_hidden() {
    for shell in ["bash", "zsh", "fish"] {
        let output = finish(anyccl(&["completions", shell]));
        assert_eq!(output.code(), 0, "{}", output.stderr);
        let text = text(&output);
        // Names that are no enumeration of the command line: a collective, a datatype, an operator.
        for name in ["reduce_scatter", "bfloat16", "prod"] {
            assert!(text.contains(name), "{shell}: {name}");
        }
        for name in SUBCOMMANDS {
            assert!(text.contains(name), "{shell}: {name}");
        }
        assert!(text.contains("fake-gpu"), "{shell}");
        for hidden in ["agent", "launched"] {
            assert!(!text.contains(hidden), "{shell}: {hidden}");
        }
    }
}

#[test]
fn bash_completes_subcommands_options_values_programs_and_their_arguments() {
    // Words as bash splits them. The last one is completed.
    let script = r#"
        source <("$0" completions bash)
        # Only for a completion that bash has asked for itself.
        compopt() { :; }
        offered() {
            COMP_WORDS=(anyccl "$@"); COMP_CWORD=$#; COMPREPLY=()
            _anyccl_or_program anyccl "${@: -1}" "${@: -2:1}"
            local IFS=' '; echo "$*: ${COMPREPLY[*]}"
        }
        offered simu
        offered info netw
        offered perf all_
        offered simulate br
        offered perf -d bf
        offered perf --algorithms rabenseifner_
        offered plan --algorithm rabenseifner_
        offered run --bi
        offered run --bind n
        offered run --bind = none -x A = B sha256s
        offered run --hosts a : 2,b : 2 -- train-
        _command_offset() { COMPREPLY=("argument of ${COMP_WORDS[$1]}"); }
        offered run -n 2 sha256sum train-"#;
    let installed = Installed::new("bash", "anyccl");
    let mut bash = installed.shell("bash");
    bash.args(["-c", script, env!("CARGO_BIN_EXE_anyccl")]);
    let output = finish(bash);
    let expected = [
        "simu: simulate",
        "info netw: network",
        "perf all_: all_reduce all_gather all_to_all",
        "simulate br: broadcast",
        "perf -d bf: bfloat16",
        "perf --algorithms rabenseifner_: rabenseifner_gather",
        "plan --algorithm rabenseifner_: rabenseifner_gather",
        "run --bi: --bind",
        "run --bind n: none",
        "run --bind = none -x A = B sha256s: sha256sum",
        "run --hosts a : 2,b : 2 -- train-: train-it.py",
        "run -n 2 sha256sum train-: argument of sha256sum",
    ];
    assert_eq!(text(&output).lines().collect::<Vec<_>>(), expected, "{}", output.stderr);
}

#[test]
fn zsh_loads_the_completion_and_completes_subcommands_options_and_values() {
    if !is_installed("zsh") {
        return;
    }
    let installed = Installed::new("zsh", "_anyccl");
    for (line, expected) in LINES {
        let mut zsh = installed.shell("zsh");
        zsh.args(["-f", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/completions.zsh")]);
        zsh.arg(&installed.folder).arg(line);
        let output = finish(zsh);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let offered: Vec<&str> =
            said.lines().filter_map(|line| line.trim().strip_prefix("offered ")).collect();
        assert_eq!(offered, expected, "{line}: {said}{}", output.stderr);
    }
}

#[test]
fn fish_loads_the_completion_and_completes_subcommands_options_and_values() {
    if !is_installed("fish") {
        return;
    }
    let installed = Installed::new("fish", "fish/vendor_completions.d/anyccl.fish");
    for (line, expected) in LINES {
        let mut fish = installed.shell("fish");
        fish.env("XDG_DATA_DIRS", format!("{}:/usr/local/share:/usr/share", installed.folder.display()));
        let output = finish({
            fish.args(["-c", "complete --do-complete $argv[1]", line]);
            fish
        });
        let said = text(&output);
        let mut offered: Vec<&str> = said.lines().filter_map(|line| line.split('\t').next()).collect();
        let mut expected = expected.to_vec();
        offered.sort_unstable();
        expected.sort_unstable();
        assert_eq!(offered, expected, "{line}: {}", output.stderr);
    }
}
