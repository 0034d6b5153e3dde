//! Tests of `anyccl info`, and of the tool's own help.

use crate::common::{anyccl, finish};
use anyccl_engine::base::{Collective, Datatype};
use anyccl_engine::config::VARIABLES;
use serde_json::Value;

#[test]
fn json_has_every_variable_with_its_value() {
    let mut command = anyccl(&["info", "--json"]);
    command.env("ANYCCL_CHUNK_BYTES", "4711").env("ANYCCL_JOB_KEY", "abcdef").env_remove("ANYCCL_LOG");
    let output = finish(command);
    assert_eq!(output.code(), 0, "{}", output.stderr);
    let info: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = info["variables"].as_array().unwrap();
    assert_eq!(rows.len(), VARIABLES.len());
    for variable in VARIABLES {
        let row = rows.iter().find(|row| row["name"] == variable.name).expect(variable.name);
        assert_eq!(row["default"], variable.default);
        assert_eq!(row["meaning"], variable.meaning);
    }
    let value = |name| &rows.iter().find(|row| row["name"] == name).unwrap()["value"];
    assert_eq!(value("ANYCCL_CHUNK_BYTES"), "4711");
    assert!(value("ANYCCL_LOG").is_null());
    assert!(!String::from_utf8_lossy(&output.stdout).contains("abcdef"), "the secret is shown");
}

#[test]
fn json_has_the_sections_that_are_promised() {
    let output = finish(anyccl(&["info", "--json"]));
    let info: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(info["version"], anyccl_engine::base::VERSION);
    assert!(!info["processor"]["usable_cores"].as_array().unwrap().is_empty());
    assert!(info["network"]["interfaces"].is_array());
    assert_eq!(info["collectives"].as_array().unwrap().len(), Collective::ALL.len());
    assert_eq!(info["datatypes"].as_array().unwrap().len(), Datatype::ALL.len());
    let transports = info["transports"].as_array().unwrap();
    let names: Vec<&str> = transports.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["shm", "tcp", "ofi"]);
    assert!(transports.iter().all(|row| row["works"].is_boolean()));
    // Installed or not, a foreign engine has a version or a reason.
    let backends = info["backends"].as_array().unwrap();
    assert!(backends.iter().any(|row| row["name"] == "mpi"));
    assert!(backends.iter().all(|row| row["version"].is_string() != row["error"].is_string()));
}

#[test]
fn text_has_every_variable_and_every_datatype() {
    let output = finish(anyccl(&["info"]));
    let text = String::from_utf8(output.stdout).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    for name in VARIABLES.iter().map(|v| v.name).chain(Datatype::ALL.map(Datatype::name)) {
        assert!(words.contains(&name), "{name} is missing in\n{text}");
    }
}

#[test]
fn a_section_is_shown_alone_and_a_misspelt_one_leads_to_it() {
    let output = finish(anyccl(&["info", "job", "datatypes"]));
    let text = String::from_utf8(output.stdout).unwrap();
    let titles: Vec<&str> =
        text.lines().skip(1).filter(|line| line.starts_with(char::is_alphabetic)).collect();
    assert_eq!(titles, ["Job", "Datatypes and operators"], "{text}");

    let output = finish(anyccl(&["info", "--json", "environment", "processor"]));
    let info: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut keys: Vec<&String> = info.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["kernel", "processor", "variables", "version"]);

    let output = finish(anyccl(&["info", "netwrok"]));
    assert_eq!(output.code(), 2);
    assert!(output.stderr.contains("'network'") && output.stderr.contains("transports"), "{}", output.stderr);
}

#[test]
fn help_of_every_command_shows_examples() {
    for arguments in [&["--help"][..], &["run", "--help"], &["info", "--help"]] {
        let output = finish(anyccl(arguments));
        assert_eq!(output.code(), 0);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("Examples:\n  anyccl "), "{text}");
    }
}

#[test]
fn wrong_usage_exits_with_2() {
    for arguments in [&["nonsense"][..], &["info", "--nonsense"], &["run"]] {
        assert_eq!(finish(anyccl(arguments)).code(), 2, "{arguments:?}");
    }
}

#[test]
fn the_source_of_the_job_is_told_or_why_there_is_none() {
    let own =
        ["ANYCCL_RANK", "ANYCCL_WORLD_SIZE", "ANYCCL_STORE", "RANK", "WORLD_SIZE", "PMI_FD", "PMI_PORT"]
            .into_iter()
            .chain(["SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"]);
    let job = |variables: &[(&str, &str)]| {
        let mut command = anyccl(&["info", "--json"]);
        for name in own.clone() {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied());
        let info: Value = serde_json::from_slice(&finish(command).stdout).unwrap();
        info["job"].as_str().unwrap().to_string()
    };
    assert_eq!(job(&[]), "none: a world of one");
    let pmi = [("PMI_FD", "9"), ("PMI_RANK", "1"), ("PMI_SIZE", "2")];
    assert_eq!(job(&pmi), "PMI: rank 1 of 2, by the key-value space of the process manager");
    let store = ("ANYCCL_STORE", "tcp://a:5");
    assert_eq!(job(&[&pmi[..], &[store]].concat()), "PMI: rank 1 of 2, by the store of rank 0 at a, port 5");
    assert!(job(&[store]).contains("ANYCCL_RANK"));
}
