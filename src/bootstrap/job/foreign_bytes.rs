//! Targets of fuzzing: what launchers and people say about the job.

use std::collections::HashMap;

use super::environment::{describe, half_a_launcher};
use super::host_list;
use super::key::JobKey;
use super::store_address::parse_store;
use super::unique_id::{CHECKSUM_AT, UNIQUE_ID_BYTES, UniqueId};
use super::wire::checksum;
use crate::foreign_bytes::harness::check_sentence;
use crate::foreign_bytes::{Target, split};

pub(crate) const TARGETS: &[Target] = &[
    Target { name: "unique_id", read: unique_id, seeds: ids, room: 16 << 10 },
    Target { name: "environment", read: environment, seeds: environments, room: 64 << 20 },
    Target { name: "host_list", read: host_names, seeds: lists, room: 64 << 20 },
];

const KEY: JobKey = JobKey([7; 32]);

/// A unique id as it is, and with a right checksum.
fn unique_id(bytes: &[u8]) {
    let (mut id, _): ([u8; UNIQUE_ID_BYTES], _) = split(bytes);
    if let Err(error) = UniqueId(id).decode() {
        check_sentence(&error.to_string(), &[]);
    }
    let sum = checksum(&id[..CHECKSUM_AT]);
    id[CHECKSUM_AT..].copy_from_slice(&sum);
    match UniqueId(id).decode() {
        Ok((key, addresses)) => {
            let again = UniqueId::encode(&key, &addresses).decode().unwrap();
            assert!(again.0 == key && again.1 == addresses);
        }
        Err(error) => check_sentence(&error.to_string(), &[]),
    }
}

fn ids() -> Vec<Vec<u8>> {
    let id = |addresses: &[&str]| {
        let addresses: Vec<_> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        UniqueId::encode(&KEY, &addresses).0.to_vec()
    };
    vec![
        id(&["127.0.0.1:5"]),
        id(&["[2001:db8::1]:5", "10.0.0.1:40113", "[::1]:9", "10.0.0.2:40113", "127.0.0.1:40113"]),
    ]
}

/// Variables of launchers, one per line.
fn environment(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let variables: HashMap<&str, &str> = text.lines().filter_map(|line| line.split_once('=')).collect();
    let lookup = |name: &'static str| {
        variables.get(name).filter(|value| !value.is_empty()).map(|value| (*value).to_owned())
    };
    match describe(&lookup) {
        Ok(description) => {
            if let Some(seat) = description.seat {
                assert!(seat.rank < seat.size);
            }
        }
        Err(error) => check_sentence(&error.to_string(), bytes),
    }
    if let Some(error) = half_a_launcher(&lookup) {
        check_sentence(&error.to_string(), bytes);
    }
}

fn environments() -> Vec<Vec<u8>> {
    let key = KEY.to_hex();
    let texts = [
        format!("ANYCCL_RANK=1\nANYCCL_WORLD_SIZE=4\nANYCCL_STORE=tcp://[::1]:5000?served=1\nANYCCL_JOB_KEY={key}\n"),
        "ANYCCL_RANK=0\nANYCCL_WORLD_SIZE=2\nANYCCL_STORE=file:///tmp/x\n".into(),
        "RANK=1\nWORLD_SIZE=2\nMASTER_ADDR=node1\nMASTER_PORT=29500\nTORCHELASTIC_RUN_ID=a\nTORCHELASTIC_RESTART_COUNT=2\n"
            .into(),
        "PMI_FD=5\nPMI_RANK=1\nPMI_SIZE=2\nMPI_LOCALNRANKS=2\n".into(),
        "PMI_PORT=node1:4711\nPMI_ID=1\n".into(),
        "OMPI_COMM_WORLD_RANK=0\nOMPI_COMM_WORLD_SIZE=2\nOMPI_COMM_WORLD_LOCAL_SIZE=2\nPMIX_NAMESPACE=prterun-a-1@1\n"
            .into(),
        "SLURM_PROCID=1\nSLURM_STEP_NUM_TASKS=4\nSLURM_JOB_ID=7\nSLURM_STEP_ID=0\nSLURM_STEP_NODELIST=rack[1-2]n[01-03,7]\n"
            .into(),
    ];
    texts.map(String::into_bytes).to_vec()
}

/// A list of hosts of Slurm, and the address of a store.
fn host_names(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(hosts) = host_list::expand(&text) {
        assert!(!hosts.is_empty());
    }
    if let Err(error) = parse_store(&text) {
        check_sentence(&error.to_string(), bytes);
    }
}

fn lists() -> Vec<Vec<u8>> {
    let texts = [
        "a",
        "login,rack[1-2]node[01-03,7]",
        "n[8-11]",
        "x[1-2]y[3,5]z,w",
        "n[0-999]",
        "tcp://[::1]:5?served=1",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}
