//! Collects everything that `anyccl info` prints.

use std::fs;

use serde::Serialize;

use super::backends::{Backend, backends};
use super::engine;
use super::facades::{FacadeRow, facades};
use super::machine::{Processor, processor};
use super::tables::{CollectiveRow, DatatypeRow, VariableRow, collectives, datatypes, variables};
use super::transports::{Transport, transports};
use crate::devices::Gpus;

/// Everything that `anyccl info` prints. The keys are stable.
#[derive(Serialize)]
pub struct Info {
    /// Version of anyccl.
    pub version: &'static str,
    /// Version of the kernel.
    pub kernel: Option<String>,
    /// Where anyccl_init would find its job.
    pub job: String,
    /// The processor.
    pub processor: Processor,
    /// The network.
    pub network: Network,
    /// Ways to move bytes.
    pub transports: Vec<Transport>,
    /// Libraries that anyccl can stand in for.
    pub facades: Vec<FacadeRow>,
    /// GPUs, and the way in which calls on their memory go.
    pub gpus: GpuSection,
    /// Foreign engines.
    pub backends: Vec<Backend>,
    /// Collectives with their algorithms.
    pub collectives: Vec<CollectiveRow>,
    /// Datatypes with their operators.
    pub datatypes: Vec<DatatypeRow>,
    /// Environment variables.
    pub variables: Vec<VariableRow>,
}

/// The GPUs, and the way in which calls on their memory go.
#[derive(Serialize)]
pub struct GpuSection {
    /// Devices and pairs.
    #[serde(flatten)]
    pub found: Gpus,
    /// The way in which the calls of a communicator go by `ANYCCL_BACKEND`.
    pub way: &'static str,
    /// What that means.
    pub way_meaning: &'static str,
    /// Whether ranks that each have a GPU try NCCL by themselves.
    pub may_choose_nccl: bool,
}

/// The network interfaces and the choice among them.
#[derive(Serialize)]
pub struct Network {
    /// Every interface of this host.
    pub interfaces: Vec<Interface>,
    /// The reason for the choice; `None` if none was chosen.
    pub reason: Option<String>,
    /// The reason why none was chosen, or why the interfaces could not be listed.
    pub error: Option<String>,
}

/// A network interface.
#[derive(Serialize)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// Whether it is switched on.
    pub up: bool,
    /// Its IP addresses.
    pub addresses: Vec<String>,
    /// Whether TCP between hosts would use it.
    pub chosen: bool,
}

/// Asks the machine, the engine and the environment. Never fails: what cannot be determined is reported as
/// such, because this command is used on machines where something is wrong.
pub fn collect() -> Info {
    Info {
        version: anyccl_engine::base::VERSION,
        kernel: fs::read_to_string("/proc/sys/kernel/osrelease").ok().map(|text| text.trim().to_string()),
        job: engine::job(),
        processor: processor(),
        network: network(),
        transports: transports(),
        facades: facades(),
        // After everything that forks: a driver and an engine may have threads.
        gpus: gpus(),
        backends: backends(),
        collectives: collectives(),
        datatypes: datatypes(),
        variables: variables(),
    }
}

fn gpus() -> GpuSection {
    let (way, way_meaning, may_choose_nccl) = engine::device_way();
    GpuSection { found: Gpus::find(), way, way_meaning, may_choose_nccl }
}

fn network() -> Network {
    let (chosen, reason, error) = match engine::chosen_interfaces() {
        Ok((names, reason)) => (names, Some(reason), None),
        Err(error) => (Vec::new(), None, Some(error)),
    };
    let (found, error) = match engine::interfaces() {
        Ok(found) => (found, error),
        Err(listing) => (Vec::new(), Some(listing)),
    };
    let interfaces = found.into_iter().map(|interface| Interface {
        chosen: chosen.contains(&interface.name),
        name: interface.name,
        up: interface.up,
        addresses: interface.addresses.iter().map(ToString::to_string).collect(),
    });
    Network { interfaces: interfaces.collect(), reason, error }
}
