//! Tables of environments and of the job that each describes.

use crate::base::Error;
use crate::bootstrap::job::environment::{Description, describe, half_a_launcher};
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::store_address::{ManagerAddress, StoreAddress};

fn with(variables: &[(&str, &str)]) -> crate::base::Result<Description> {
    describe(&|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into()))
}

fn seat(rank: u32, size: u32) -> Option<Seat> {
    Some(Seat { rank, size })
}

fn place_of(store: &str) -> crate::base::Result<StoreAddress> {
    with(&[("ANYCCL_RANK", "1"), ("ANYCCL_WORLD_SIZE", "2"), ("ANYCCL_STORE", store)]).map(|d| d.place)
}

fn tcp(host: &str, port: u16, served: bool) -> StoreAddress {
    StoreAddress::Tcp { host: host.into(), port, served }
}

#[test]
fn an_empty_environment_is_a_world_of_one() {
    let alone = with(&[]).unwrap();
    assert_eq!((alone.seat, alone.place, alone.source), (seat(0, 1), StoreAddress::Alone, "alone"));
}

#[test]
fn every_form_of_store_is_understood() {
    for (text, place) in [
        ("tcp://10.0.0.1:5000", tcp("10.0.0.1", 5000, false)),
        ("tcp://node-1:5000?served=1", tcp("node-1", 5000, true)),
        ("tcp://[2001:db8::1]:5000", tcp("2001:db8::1", 5000, false)),
        ("file:/shared/x", StoreAddress::File("/shared/x".into())),
        ("file:///shared/x", StoreAddress::File("/shared/x".into())),
        ("file:x", StoreAddress::File("x".into())),
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
fn half_of_a_launchers_variables_is_told_from_a_launcher_and_from_none() {
    let half = |variables: &[(&str, &str)]| {
        let lookup = |name: &'static str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
        };
        half_a_launcher(&lookup).is_some()
    };
    for yes in [("RANK", "0"), ("WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_RANK", "0")] {
        assert!(half(&[yes]), "{yes:?}");
    }
    let slurm = [("SLURM_PROCID", "0"), ("SLURM_STEP_ID", "0")];
    assert!(half(&slurm));
    for no in [
        &[][..],
        &[("RANK", "0"), ("WORLD_SIZE", "2")],
        &[("ANYCCL_RANK", "0"), ("RANK", "0")],
        &[("PMI_FD", "7")],
        &[("RANK", "5"), ("WORLD_SIZE", "2")],
        &[("PMI_RANK", "0")],
    ] {
        assert!(!half(no), "{no:?}");
    }
}

#[test]
fn anyccls_own_variables_come_before_torchruns() {
    let torchrun = [("RANK", "1"), ("WORLD_SIZE", "2"), ("MASTER_ADDR", "h"), ("MASTER_PORT", "29500")];
    let described = with(&torchrun).unwrap();
    assert_eq!(described.source, "torchrun");
    let place =
        StoreAddress::Ports { launcher: "torchrun", host: "h".into(), taken: 29500, job: String::new() };
    assert_eq!((described.seat, described.place), (seat(1, 2), place));

    let both = [&torchrun[..], &[("ANYCCL_RANK", "0"), ("ANYCCL_WORLD_SIZE", "1")]].concat();
    let described = with(&both).unwrap();
    assert_eq!(
        (described.source, described.seat, described.place),
        ("ANYCCL_RANK", seat(0, 1), StoreAddress::Alone)
    );
}

#[test]
fn a_given_key_goes_with_every_source() {
    let key = JobKey([0xab; 32]);
    let hex = key.to_hex();
    assert_eq!(with(&[("ANYCCL_JOB_KEY", &hex)]).unwrap().key, Some(key));
}

const SLURM: [(&str, &str); 5] = [
    ("SLURM_PROCID", "3"),
    ("SLURM_NTASKS", "4"),
    ("SLURM_JOB_ID", "77"),
    ("SLURM_STEP_ID", "0"),
    ("SLURM_STEP_NODELIST", "n[07-08]"),
];
const OPEN_MPI: [(&str, &str); 4] = [
    ("OMPI_COMM_WORLD_RANK", "1"),
    ("OMPI_COMM_WORLD_SIZE", "4"),
    ("OMPI_COMM_WORLD_LOCAL_SIZE", "4"),
    ("PMIX_NAMESPACE", "prterun-a-1@1"),
];
const HYDRA: [(&str, &str); 4] =
    [("PMI_FD", "9"), ("PMI_RANK", "0"), ("PMI_SIZE", "2"), ("MPI_LOCALNRANKS", "2")];

#[test]
fn every_launchers_variables_are_understood() {
    let ports = StoreAddress::Ports { launcher: "slurm", host: "n07".into(), taken: 0, job: "77.0".into() };
    let apart = [&OPEN_MPI[..2], &[("OMPI_COMM_WORLD_LOCAL_SIZE", "2")], &OPEN_MPI[3..]].concat();
    let torn_apart = [&HYDRA[..3], &[("MPI_LOCALNRANKS", "1")]].concat();
    let one_host = [&SLURM[..4], &[("SLURM_STEP_NODELIST", "n7"), ("SLURM_STEP_NUM_TASKS", "5")]].concat();
    let by_tcp = [("PMI_PORT", "::1:4000"), ("PMI_ID", "3")];
    for (variables, source, seat, place) in [
        (&SLURM[..], "Slurm", seat(3, 4), ports),
        (&one_host, "Slurm", seat(3, 5), StoreAddress::Private { name: "slurm 77.0".into() }),
        (&OPEN_MPI, "Open MPI", seat(1, 4), StoreAddress::Private { name: "open-mpi prterun-a-1@1".into() }),
        (&apart, "Open MPI", seat(1, 4), StoreAddress::Pmix),
        (
            &HYDRA,
            "PMI",
            seat(0, 2),
            StoreAddress::Pmi(ManagerAddress::Descriptor { number: 9, one_host: true }),
        ),
        (
            &torn_apart,
            "PMI",
            seat(0, 2),
            StoreAddress::Pmi(ManagerAddress::Descriptor { number: 9, one_host: false }),
        ),
        (
            &by_tcp,
            "PMI",
            None,
            StoreAddress::Pmi(ManagerAddress::Address { host: "::1".into(), port: 4000, id: "3".into() }),
        ),
    ] {
        let found = with(variables).unwrap();
        assert_eq!((found.source, found.seat, found.place), (source, seat, place), "{variables:?}");
    }
}

#[test]
fn the_innermost_launcher_counts_and_a_store_alone_says_where_its_ranks_meet() {
    let torchrun = [("RANK", "1"), ("WORLD_SIZE", "2"), ("MASTER_ADDR", "h"), ("MASTER_PORT", "29500")];
    assert_eq!(with(&[&SLURM[..], &torchrun].concat()).unwrap().source, "torchrun");
    assert_eq!(with(&[&SLURM[..], &HYDRA].concat()).unwrap().source, "PMI");
    for (variables, source, seat) in [
        (&OPEN_MPI[..2], "Open MPI", seat(1, 4)),
        (&HYDRA, "PMI", seat(0, 2)),
        (&SLURM[..4], "Slurm", seat(3, 4)),
    ] {
        let found = with(&[variables, &[("ANYCCL_STORE", "file:x")]].concat()).unwrap();
        assert_eq!((found.source, found.seat, found.place), (source, seat, StoreAddress::File("x".into())));
    }
}

#[test]
fn ranks_that_torchrun_has_restarted_are_another_job_than_those_before() {
    let first = [("RANK", "1"), ("WORLD_SIZE", "2"), ("MASTER_ADDR", "h"), ("MASTER_PORT", "29500")];
    let job = |count| {
        let more = [("TORCHELASTIC_RUN_ID", "none"), ("TORCHELASTIC_RESTART_COUNT", count)];
        match with(&[&first[..], &more].concat()).unwrap().place {
            StoreAddress::Ports { job, .. } => job,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(job("0"), "none");
    assert_ne!(job("1"), job("0"));
    assert_ne!(job("2"), job("1"));
}

#[test]
fn a_batch_script_is_a_world_of_one_though_it_has_a_tasks_variables() {
    for step in [None, Some("4294967291"), Some("x")] {
        let step: Vec<_> = step.map(|step| ("SLURM_STEP_ID", step)).into_iter().collect();
        assert_eq!(with(&[&SLURM[..3], &step].concat()).unwrap().source, "alone");
    }
}

#[test]
fn a_variable_that_the_launcher_leaves_out_is_named_by_the_error() {
    // Without the name of the job, there is no PMIx.
    let apart = [&OPEN_MPI[..2], &[("OMPI_COMM_WORLD_LOCAL_SIZE", "2")]].concat();
    let no_list = [&SLURM[..4], &[("SLURM_STEP_NODELIST", "n[")]].concat();
    for (variables, culprit) in [
        (&apart[..], "ANYCCL_STORE"),
        (&OPEN_MPI[..1], "OMPI_COMM_WORLD_SIZE"),
        (&no_list, "SLURM_STEP_NODELIST"),
        (&SLURM[..4], "SLURM_STEP_NODELIST"),
        (&HYDRA[..2], "PMI_SIZE"),
        (&[("PMI_FD", "x"), ("PMI_RANK", "0"), ("PMI_SIZE", "2")], "PMI_FD"),
        (&[("PMI_PORT", "h:1")], "PMI_ID"),
        (&[("PMI_PORT", "h"), ("PMI_ID", "0")], "PMI_PORT"),
        (&[("PMI_PORT", "h:1"), ("PMI_ID", "0"), ("ANYCCL_STORE", "file:x")], "ANYCCL_STORE"),
    ] {
        let Err(Error::InvalidArgument { what, got }) = with(variables) else {
            panic!("{variables:?} accepted")
        };
        assert_eq!(what, culprit, "{variables:?}: {got}");
    }
}
