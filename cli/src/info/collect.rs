//! Collects everything that `anyccl info` prints.

use std::fs;

use anyccl_engine::comm::DeviceMemoryLimits;
use serde::Serialize;

use super::backends::{Backend, backends};
use super::engine;
use super::facades::{FacadeRow, facades};
use super::machine::{Processor, processor};
use super::section::{Section, Wanted};
use super::tables::{CollectiveRow, DatatypeRow, VariableRow, collectives, datatypes, variables};
use super::transports::{Transport, fabrics, transports};
use crate::devices::Gpus;

/// Everything that `anyccl info` prints. The keys are stable. Sections that are not wanted are `None`.
#[derive(Serialize)]
pub struct Info {
    /// Version of anyccl.
    pub version: &'static str,
    /// Version of the kernel.
    pub kernel: Option<String>,
    /// Where anyccl_init would find its job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// The processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor: Option<Processor>,
    /// The network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// Ways to move bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transports: Option<Vec<Transport>>,
    /// Libraries that anyccl can stand in for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facades: Option<Vec<FacadeRow>>,
    /// GPUs, and the path of calls on their memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus: Option<GpuSection>,
    /// Foreign engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backends: Option<Vec<Backend>>,
    /// Collectives with their algorithms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collectives: Option<Vec<CollectiveRow>>,
    /// Datatypes with their operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub datatypes: Option<Vec<DatatypeRow>>,
    /// Environment variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<Vec<VariableRow>>,
}

/// The GPUs, and the path of calls on their memory.
#[derive(Serialize)]
pub struct GpuSection {
    /// Devices and pairs.
    #[serde(flatten)]
    pub found: Gpus,
    /// The path of the calls of a communicator by `ANYCCL_BACKEND`. The key is older than the word.
    #[serde(rename = "way")]
    pub path: &'static str,
    /// What that means.
    #[serde(rename = "way_meaning")]
    pub path_meaning: &'static str,
    /// What the builtin engine takes for such calls.
    pub memory: GpuMemory,
    /// Whether ranks that each have a GPU try NCCL by themselves.
    pub may_choose_nccl: bool,
    /// Version of the NCCL that they would get, if one was found.
    #[serde(skip)]
    pub nccl: Option<String>,
}

/// Memory that the builtin engine takes in each process for calls on memory of GPUs.
#[derive(Serialize)]
pub struct GpuMemory {
    /// Bytes of a bounce buffer, in memory of the GPU. Communicators with the direct path share it.
    pub bounce_bytes: usize,
    /// Communicators for which one bounce buffer is enough.
    pub communicators_in_one: usize,
    /// Communicators for which each further one is enough.
    pub communicators_in_more: usize,
    /// Bytes of pinned memory at the first call.
    pub pinned_at_first: usize,
    /// Bytes up to which that grows because a call has found none.
    pub pinned_for_later: usize,
}

impl From<DeviceMemoryLimits> for GpuMemory {
    fn from(limits: DeviceMemoryLimits) -> GpuMemory {
        let DeviceMemoryLimits {
            bounce_bytes,
            communicators_in_one,
            communicators_in_more,
            pinned_at_first,
            pinned_for_later,
        } = limits;
        GpuMemory {
            bounce_bytes,
            communicators_in_one,
            communicators_in_more,
            pinned_at_first,
            pinned_for_later,
        }
    }
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

/// Asks the machine, the engine and the environment for what is wanted. Never fails: what cannot be
/// determined is reported as such, because this command is used on machines where something is wrong.
pub fn collect(wanted: &Wanted<'_>) -> Info {
    let job = wanted.then(Section::Job, engine::job);
    let processor = wanted.then(Section::Processor, processor);
    let network = wanted.then(Section::Network, network);
    let mut transports = wanted.then(Section::Transports, transports);
    let facades = wanted.then(Section::Facades, facades);
    // After everything that forks: libraries of others may have threads.
    transports.iter_mut().for_each(|transports| transports.push(fabrics()));
    let mut gpus = wanted.then(Section::Gpus, gpus);
    let engines = wanted.then(Section::Backends, backends);
    if let Some(gpus) = &mut gpus
        && gpus.may_choose_nccl
        && !gpus.found.devices.is_empty()
    {
        gpus.nccl = match &engines {
            Some(engines) => nccl_of(engines),
            None => nccl_of(&backends()),
        };
    }
    Info {
        version: anyccl_engine::base::VERSION,
        kernel: fs::read_to_string("/proc/sys/kernel/osrelease").ok().map(|text| text.trim().to_string()),
        job,
        processor,
        network,
        transports,
        facades,
        gpus,
        backends: engines,
        collectives: wanted.then(Section::Collectives, collectives),
        datatypes: wanted.then(Section::Datatypes, datatypes),
        variables: wanted.then(Section::Variables, variables),
    }
}

fn gpus() -> GpuSection {
    let (path, path_meaning, may_choose_nccl) = engine::device_path();
    let memory = DeviceMemoryLimits::ALL.into();
    GpuSection { found: Gpus::find(), path, path_meaning, memory, may_choose_nccl, nccl: None }
}

/// The version of NCCL among the engines that were found.
fn nccl_of(engines: &[Backend]) -> Option<String> {
    engines.iter().find(|engine| engine.name == "nccl")?.version.clone()
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
