//! Tests of the command line itself: completions, man pages, colour.

mod common;

use std::fs;
use std::process::{Command, Stdio};

use common::{Finished, anyccl, finish};

const SUBCOMMANDS: [&str; 5] = ["run", "perf", "info", "plan", "simulate"];

fn text(output: &Finished) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The output with no variable about colour but these.
fn with_variables(arguments: &[&str], variables: &[(&str, &str)]) -> Finished {
    let mut command = anyccl(arguments);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    finish(command)
}

#[test]
fn completions_have_every_public_subcommand() {
    for shell in ["bash", "zsh", "fish"] {
        let output = finish(anyccl(&["completions", shell]));
        assert_eq!(output.code(), 0, "{}", output.stderr);
        let text = text(&output);
        for name in SUBCOMMANDS {
            assert!(text.contains(name), "{shell}: {name}");
        }
        assert!(text.contains("fake-gpu"), "{shell}");
    }
}

#[test]
fn bash_completes_a_subcommand_and_the_values_of_an_option() {
    let script = r#"
        source <("$0" completions bash)
        complete() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _anyccl anyccl "${@: -1}" "${@: -2:1}"; echo "${COMPREPLY[@]}"; }
        complete anyccl simu
        complete anyccl info netw
        complete anyccl run --bind n"#;
    let mut bash = Command::new("bash");
    bash.args(["-c", script, env!("CARGO_BIN_EXE_anyccl")]).stdin(Stdio::null());
    let output = finish(bash);
    assert_eq!(
        text(&output).lines().collect::<Vec<_>>(),
        ["simulate", "network", "none"],
        "{}",
        output.stderr
    );
}

#[test]
fn there_is_a_man_page_for_the_tool_and_for_each_public_subcommand() {
    let folder = std::env::temp_dir().join(format!("anyccl-man-pages-{}", std::process::id()));
    let output = finish(anyccl(&["man-pages", folder.to_str().unwrap()]));
    assert_eq!(output.code(), 0, "{}", output.stderr);
    for name in SUBCOMMANDS {
        let page = fs::read_to_string(folder.join(format!("anyccl-{name}.1"))).expect(name);
        assert!(page.contains(".SH OPTIONS") && page.contains("Examples:"), "{page}");
    }
    let tool = fs::read_to_string(folder.join("anyccl.1")).unwrap();
    assert!(SUBCOMMANDS.iter().all(|name| tool.contains(&format!("anyccl\\-{name}(1)"))), "{tool}");
    assert!(!folder.join("anyccl-agent.1").exists());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn man_pages_in_a_place_that_is_no_folder_are_an_error_that_names_it() {
    let output = finish(anyccl(&["man-pages", "/dev/null"]));
    assert_eq!(output.code(), 1);
    assert!(output.stderr.contains("cannot write man pages to /dev/null: "), "{}", output.stderr);
}

#[test]
fn color_goes_for_results_errors_and_the_parser() {
    const CODE: &str = "\x1b[";
    for (arguments, fails) in [(["info", "job"], false), (["plan", "nonsense"], true)] {
        let [plain, never, forced, always] = [
            with_variables(&arguments, &[]),
            with_variables(&[&["--color", "never"], &arguments[..]].concat(), &[("CLICOLOR_FORCE", "1")]),
            with_variables(&arguments, &[("CLICOLOR_FORCE", "1")]),
            with_variables(&[&arguments[..], &["--color=always"]].concat(), &[("NO_COLOR", "1")]),
        ]
        .map(|output| if fails { output.stderr.clone() } else { text(&output) });
        assert!(!plain.contains(CODE) && !never.contains(CODE), "{plain}{never}");
        assert!(forced.contains(CODE) && always.contains(CODE), "{forced}{always}");
    }
}

#[test]
fn color_of_run_is_that_of_the_prefixes_and_a_program_keeps_its_own_option() {
    let output = finish(anyccl(&["run", "-n", "1", "--color", "always", "echo", "--color=never"]));
    assert_eq!(text(&output), "\x1b[36m[0]\x1b[0m --color=never\n");
    let output = with_variables(&["run", "-n", "1", "echo", "--color=always"], &[]);
    assert_eq!(text(&output), "[0] --color=always\n");
}
