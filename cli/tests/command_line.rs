//! Tests of the command line itself: man pages, colour.

use std::fs;

use crate::common::{Finished, anyccl, finish};

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
fn there_is_a_man_page_for_the_tool_and_for_each_public_subcommand() {
    let folder = std::env::temp_dir().join(format!("anyccl-man-pages-{}", std::process::id()));
    let output = finish(anyccl(&["man-pages", folder.to_str().unwrap()]));
    assert_eq!(output.code(), 0, "{}", output.stderr);
    for name in SUBCOMMANDS {
        let page = fs::read_to_string(folder.join(format!("anyccl-{name}.1"))).expect(name);
        assert!(page.contains(".SH OPTIONS") && page.contains(".SH EXAMPLES\n.nf\n  anyccl "), "{page}");
        assert!(!page.contains(".SH EXTRA"), "{page}");
    }
    for (name, part) in [("anyccl-mpiexec", "\\-host A,B"), ("anyccl-mpicc", "\\-show [ARGUMENTS]")] {
        let page = fs::read_to_string(folder.join(format!("{name}.1"))).expect(name);
        assert!(page.contains(".SH NAME\n") && page.contains(part), "{page}");
    }
    for name in ["anyccl-mpicxx.1", "anyccl-mpifort.1"] {
        assert!(folder.join(name).exists(), "{name}");
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
fn errors_of_the_ranks_of_perf_have_the_colour_of_all_errors() {
    let words = ["perf", "gather", "-n", "2", "--json", "no/such/folder/report.json"];
    for (choice, prefix) in [
        ("always", "anyccl: \x1b[1m\x1b[31merror:\x1b[0m cannot write"),
        ("never", "anyccl: error: cannot write"),
    ] {
        let output = finish(anyccl(&[&words[..], &["--color", choice]].concat()));
        assert_eq!(output.code(), 1);
        assert!(output.stderr.contains(prefix), "{:?}", output.stderr);
    }
}

#[test]
fn color_of_run_is_that_of_the_prefixes_and_a_program_keeps_its_own_option() {
    let output = finish(anyccl(&["run", "-n", "1", "--color", "always", "echo", "--color=never"]));
    assert_eq!(text(&output), "\x1b[36m[0]\x1b[0m --color=never\n");
    let output = with_variables(&["run", "-n", "1", "echo", "--color=always"], &[]);
    assert_eq!(text(&output), "[0] --color=always\n");
}
