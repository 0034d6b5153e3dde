//! What the environment says, by table.

use crate::base::Error;
use crate::bootstrap::JobKey;
use crate::bootstrap::environment::{Description, Place, describe};

fn with(variables: &[(&str, &str)]) -> crate::base::Result<Description> {
    describe(&|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into()))
}

fn place_of(store: &str) -> crate::base::Result<Place> {
    with(&[("ANYCCL_RANK", "1"), ("ANYCCL_WORLD_SIZE", "2"), ("ANYCCL_STORE", store)]).map(|d| d.place)
}

fn tcp(host: &str, port: u16, served: bool) -> Place {
    Place::Tcp { host: host.into(), port, served }
}

#[test]
fn an_empty_environment_is_a_world_of_one() {
    let alone = with(&[]).unwrap();
    assert_eq!((alone.rank, alone.size, alone.place, alone.source), (0, 1, Place::Alone, "alone"));
}

#[test]
fn every_form_of_store_is_understood() {
    for (text, place) in [
        ("tcp://10.0.0.1:5000", tcp("10.0.0.1", 5000, false)),
        ("tcp://node-1:5000?served=1", tcp("node-1", 5000, true)),
        ("tcp://[2001:db8::1]:5000", tcp("2001:db8::1", 5000, false)),
        ("file:/shared/x", Place::File("/shared/x".into())),
        ("file:///shared/x", Place::File("/shared/x".into())),
        ("file:x", Place::File("x".into())),
    ] {
        assert_eq!(place_of(text).unwrap(), place, "{text}");
    }
}

#[test]
fn a_store_that_cannot_be_understood_is_an_error_that_names_the_variable() {
    for text in [
        "",
        "x",
        "http://a:1",
        "tcp://",
        "tcp://a",
        "tcp://a:",
        "tcp://a:0",
        "tcp://a:65536",
        "tcp://:1",
        "tcp://2001:db8::1:5",
        "tcp://a:1?served=2",
        "tcp://[a:1",
        "file:",
    ] {
        let error = place_of(text).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { what: "ANYCCL_STORE", .. }), "{text}: {error}");
    }
}

#[test]
fn partial_or_impossible_settings_are_errors_that_name_the_variable() {
    for (variables, culprit) in [
        (&[("ANYCCL_RANK", "0")][..], "ANYCCL_WORLD_SIZE"),
        (&[("ANYCCL_WORLD_SIZE", "2")], "ANYCCL_RANK"),
        (&[("ANYCCL_STORE", "file:x")], "ANYCCL_RANK"),
        (&[("ANYCCL_RANK", "0"), ("ANYCCL_WORLD_SIZE", "2")], "ANYCCL_STORE"),
        (&[("ANYCCL_RANK", "2"), ("ANYCCL_WORLD_SIZE", "2")], "ANYCCL_RANK"),
        (&[("ANYCCL_RANK", "0"), ("ANYCCL_WORLD_SIZE", "0")], "ANYCCL_WORLD_SIZE"),
        (&[("ANYCCL_RANK", "-1"), ("ANYCCL_WORLD_SIZE", "2")], "ANYCCL_RANK"),
        (&[("ANYCCL_JOB_KEY", "abc")], "ANYCCL_JOB_KEY"),
        (&[("RANK", "0")], "WORLD_SIZE"),
        (&[("WORLD_SIZE", "4")], "RANK"),
        (&[("RANK", "0"), ("WORLD_SIZE", "2")], "MASTER_ADDR"),
        (&[("RANK", "0"), ("WORLD_SIZE", "2"), ("MASTER_ADDR", "a")], "MASTER_PORT"),
        (&[("RANK", "0"), ("WORLD_SIZE", "2"), ("MASTER_ADDR", "a"), ("MASTER_PORT", "x")], "MASTER_PORT"),
    ] {
        let Err(Error::InvalidArgument { what, got }) = with(variables) else {
            panic!("{variables:?} accepted")
        };
        assert_eq!(what, culprit, "{variables:?}: {got}");
    }
}

#[test]
fn anyccls_own_variables_come_before_torchruns() {
    let torchrun = [("RANK", "1"), ("WORLD_SIZE", "2"), ("MASTER_ADDR", "h"), ("MASTER_PORT", "29500")];
    let described = with(&torchrun).unwrap();
    assert_eq!(described.source, "torchrun");
    let place = Place::Torchrun { host: "h".into(), port: 29500, run_id: String::new() };
    assert_eq!((described.rank, described.size, described.place), (1, 2, place));

    let both = [&torchrun[..], &[("ANYCCL_RANK", "0"), ("ANYCCL_WORLD_SIZE", "1")]].concat();
    let described = with(&both).unwrap();
    assert_eq!((described.source, described.size, described.place), ("ANYCCL_RANK", 1, Place::Alone));
}

#[test]
fn a_given_key_goes_with_every_source() {
    let key = JobKey([0xab; 32]);
    let hex = key.to_hex();
    assert_eq!(with(&[("ANYCCL_JOB_KEY", &hex)]).unwrap().key, Some(key));
}
