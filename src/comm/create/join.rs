//! Joining: a rank joins a job, connects to the other ranks, and agrees with them on the settings of the
//! communicator.

use std::os::fd::RawFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::agreement::{self, Agreed, OwnSettings};
use super::backends::{attach, check_promises};
use super::on_demand;
use crate::base::{Error, Rank, Result};
use crate::bootstrap::mesh::{self, ConnectedRanks, FailureReports, Peer, PeerInfo};
use crate::bootstrap::{self, CallerStore, Job, Mesh, UniqueId, job_from_caller};
use crate::comm::call::plan_cache::PlanCache;
use crate::comm::communicator::{CommConfig, Communicator};
use crate::comm::device::{DevicePart, set_up_direct_path};
use crate::comm::foreign::engines::Engines;
use crate::comm::timeout::Timeout;
use crate::config::{Config, DevicePathChoice, TransportChoice, warn_of_unknown_variables};
use crate::device::Kinds;
use crate::endpoint::Endpoint;
use crate::log_line;
use crate::observe::counts::CountedRank;
use crate::observe::status::StatusPage;
use crate::observe::{metrics, timeline};
use crate::progress::wait::Driver;
use crate::progress::{CommId, Engine};
use crate::sys::clock;
use crate::sys::socket::Socket;
use crate::topology::Topology;
use crate::transport::connect::{self, LinkSettings};
use crate::transport::ofi::{self, OfiLink};
use crate::transport::shm;
use crate::tuning::Tuning;

/// Deadline of the set-up that stands for "no limit".
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

impl Communicator {
    /// Joins the communicator named by `id`. Collective over its `size` ranks; blocks until all have joined.
    pub fn create(
        id: &UniqueId,
        size: u32,
        rank: Rank,
        config: &Config,
        own: &CommConfig,
    ) -> Result<Communicator> {
        if size == 0 || rank >= size {
            let got = format!("{rank} of {size}; a rank is at least 0 and below the size");
            return Err(Error::InvalidArgument { what: "rank", got });
        }
        let deadline = deadline(config, own);
        Communicator::join(bootstrap::job_from_id(id, size, rank, deadline)?, config, own)
    }

    /// Joins the communicator of the ranks that share `store`. Collective over its `size` ranks; `rank` is
    /// below `size`. Blocks until all have joined. The store is used on this thread only, and not after the
    /// return.
    pub fn create_with_store(
        store: &mut dyn CallerStore,
        size: u32,
        rank: Rank,
        config: &Config,
        own: &CommConfig,
    ) -> Result<Communicator> {
        Communicator::join(job_from_caller(store, size, rank, config, deadline(config, own))?, config, own)
    }

    /// Joins the communicator of a job. Collective over its ranks.
    pub fn join(mut job: Job, config: &Config, own: &CommConfig) -> Result<Communicator> {
        let deadline = deadline(config, own);
        let tuning = Tuning::from_config(config)?;
        let mesh = mesh::connect(&mut job, config, &tuning.to_bytes(), deadline)?;
        Communicator::on_mesh(mesh, job.rank, job.source, config, own, deadline)
    }

    /// Makes the communicator of ranks that are connected. `source`: what has described their job.
    pub(crate) fn on_mesh(
        mut mesh: Mesh,
        rank: Rank,
        source: &str,
        config: &Config,
        own: &CommConfig,
        deadline: Instant,
    ) -> Result<Communicator> {
        let mut failure_reports = std::mem::replace(&mut mesh.failure_reports, FailureReports::none());
        let tuning = Tuning::from_bytes(&mesh.root_settings)?;
        let hosts: Vec<&str> = mesh.infos.iter().map(|info| &*info.host_id).collect();
        let topology = Topology::from_labels(&hosts);
        let name = own.name.clone().unwrap_or_else(|| "comm".to_string());
        let settings = link_settings(config, topology.local_size(rank));
        let host_names = names_of_hosts(&mesh.infos, &topology);
        let (job, pids) = (mesh.nonce, mesh.infos.iter().map(|info| info.pid).collect::<Vec<u32>>());
        let mut engine =
            engine(&name, mesh, rank, (&topology, settings), (config, deadline), &mut failure_reports)?;
        let endpoints = engine.endpoints();
        let description = describe_transports(endpoints);
        let transports = endpoints.iter().map(Endpoint::transport).collect();
        let some_tcp = topology.neighbours(rank).any(|peer| endpoints[peer as usize].transport() == "tcp");
        engine.show(job, &host_names);
        config.dump.iter().for_each(|folder| engine.dump_to(folder.into()));
        config.ras.iter().for_each(|place| engine.serve_ras(place));
        let driver = Driver::new(engine, config.spin)?;
        let kinds = Kinds::detect();
        let mine = own_settings(config, own, &kinds, some_tcp);
        let (deterministic, wire) = (mine.deterministic, mine.wire);
        // The engine has notified the other ranks, and has received their reports.
        let agreed = agreement::agree(&driver, &topology, rank, &mine, (timeout(config, own), deadline))
            .map_err(|error| failure_reports.explain(error, ConnectedRanks::none()))?;
        let Agreed { ranks_per_core, some_tcp, all_have_devices, may_be_direct, has_profile, .. } = agreed;
        // All ranks have joined.
        drop(failure_reports);
        if agreed.are_apart {
            driver.lock().show_pid_namespaces();
        }
        observe(&mut driver.lock(), (job, rank), &topology, config, has_profile);
        driver.lock().hold_pages(job, holds(&topology, rank, &pids, &agreed.page_files).into_iter());
        let oversubscribed = ranks_per_core > 1;
        let tuning = tuning.oversubscribed(ranks_per_core).with_fixed_bits(deterministic).with_wire(wire);
        if oversubscribed {
            driver.lock().set_oversubscribed();
        }
        let driver = Arc::new(driver);
        driver.share_handles();
        let mut comm = Communicator {
            name,
            rank,
            plan_cache: PlanCache::new(tuning, some_tcp, oversubscribed, topology.size()),
            topology,
            transports,
            timeout: Timeout::new(timeout(config, own)),
            driver,
            id: CommId::FIRST,
            finalized: AtomicBool::new(false),
            has_profile,
            engines: Engines::none(config.backend),
            devices: DevicePart::new(kinds, config),
        };
        comm.log_joined(&description, source, oversubscribed);
        let attached = check_promises(&comm)
            .and_then(|()| attach(&mut comm, config.backend, all_have_devices && !deterministic));
        if let Err(error) = attached.and_then(|()| set_up_direct_path(&mut comm, may_be_direct)) {
            // All ranks have the same error. They leave in good order, so that no rank takes another for
            // crashed.
            let _ = comm.finalize();
            return Err(error);
        }
        comm.log_device_path();
        Ok(comm)
    }

    fn log_joined(&self, description: &str, source: &str, oversubscribed: bool) {
        log_line!(
            Info,
            "rank {} of {} in \"{}\" (local {} of {}): {description}; found by {}; builtin engine {}{}",
            self.rank,
            self.size(),
            self.name,
            self.local_rank(),
            self.local_size(),
            source,
            crate::base::VERSION,
            if oversubscribed { "; more ranks than processors" } else { "" },
        );
        if self.rank == 0 {
            warn_of_unknown_variables();
        }
    }
}

/// What a rank tells the others of itself. `some_tcp`: some of its links on this host are TCP.
fn own_settings(config: &Config, own: &CommConfig, kinds: &Kinds, some_tcp: bool) -> OwnSettings {
    OwnSettings {
        page_file: StatusPage::descriptor(),
        some_tcp,
        // Who asks for the direct path by name does not want another engine.
        has_device: kinds.has_context() && config.device_path != DevicePathChoice::Direct,
        wants_direct: kinds.may_differ() && config.device_path.is_direct(own.for_devices),
        deterministic: own.deterministic.unwrap_or(config.deterministic),
        wire: own.wire.unwrap_or(config.wire),
        wants_profile: config.profile,
        choice: config.backend,
    }
}

/// Makes the engine count and record its calls, as far as wanted. What cannot be written is a warning.
fn observe(
    engine: &mut Engine,
    (job, rank): (u64, Rank),
    topology: &Topology,
    config: &Config,
    has_profile: bool,
) {
    let of = CountedRank { job, rank, size: topology.size() };
    // A trace has all that a recording has.
    let record = config.record.as_ref().filter(|folder| config.trace.as_ref() != Some(folder));
    let folders = [config.trace.as_ref().map(|folder| (folder, true)), record.map(|folder| (folder, false))];
    let begin = |(folder, has_steps): (&String, bool)| {
        let begun = timeline::begin(Path::new(folder), of, topology.hosts(), has_steps);
        let what = if has_steps { "trace" } else { "recording" };
        begun.map_err(|error| log_line!(Warn, "rank {}: no {what} in {folder}: {error}", of.rank)).ok()
    };
    let timelines: Vec<_> = folders.into_iter().flatten().filter_map(begin).collect();
    if config.metrics.is_some() || has_profile || !timelines.is_empty() {
        engine.observe(of, timelines, has_profile);
    }
    if let Some(target) = &config.metrics {
        metrics::export(target, of, topology.local_rank(of.rank));
    }
}

/// The name of each host.
fn names_of_hosts(infos: &[PeerInfo], topology: &Topology) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (info, rank) in infos.iter().zip(0..) {
        // Hosts are numbered in the order of their first ranks.
        if topology.host_of(rank) as usize == names.len() {
            names.push(info.host_name.to_string());
        }
    }
    names
}

/// Ranks whose pages another rank of the host holds.
const HELD: usize = 2;

/// The ranks whose pages a rank holds, with their processes and the descriptors there: the next ones of its
/// host. So the page of a rank outlives it if one of two others does.
fn holds(
    topology: &Topology,
    rank: Rank,
    pids: &[u32],
    files: &[Option<RawFd>],
) -> Vec<((u32, RawFd), Rank)> {
    let here = || topology.neighbours(rank);
    let others = here().skip_while(|other| *other <= rank).chain(here().take_while(|other| *other < rank));
    let others = others.filter(|other| pids[*other as usize] != pids[rank as usize]).take(HELD);
    others.filter_map(|other| Some(((pids[other as usize], files[other as usize]?), other))).collect()
}

fn timeout(config: &Config, own: &CommConfig) -> Option<Duration> {
    own.timeout.or(config.timeout).filter(|t| !t.is_zero())
}

pub(in crate::comm) fn deadline(config: &Config, own: &CommConfig) -> Instant {
    clock::now() + timeout(config, own).unwrap_or(FOREVER)
}

fn link_settings(config: &Config, local_ranks: u32) -> LinkSettings {
    let shm = shm::Settings { ranks: local_ranks, single_copy: config.single_copy };
    LinkSettings { shm, lanes_at_need: config.tcp_lanes.is_none() }
}

/// Makes the engine of ranks that are connected, or connect on demand.
fn engine(
    name: &str,
    mut mesh: Mesh,
    rank: Rank,
    (topology, settings): (&Topology, LinkSettings),
    (config, deadline): (&Config, Instant),
    failure_reports: &mut FailureReports,
) -> Result<Engine> {
    if let Some(unconnected) = mesh.unconnected.take() {
        return on_demand::engine(name, unconnected, &mesh.infos, (rank, topology), settings)
            .map_err(|error| failure_reports.explain(error, ConnectedRanks::none()));
    }
    let endpoints = endpoints(mesh, rank, (topology, settings), (config, deadline), failure_reports)?;
    Ok(Engine::new(name.into(), rank, endpoints))
}

/// Makes one endpoint per rank.
fn endpoints(
    mesh: Mesh,
    rank: Rank,
    (topology, settings): (&Topology, LinkSettings),
    (config, deadline): (&Config, Instant),
    failure_reports: &mut FailureReports,
) -> Result<Vec<Endpoint>> {
    let labels = mesh.infos.iter().zip(0..).map(|(info, peer)| info.label(peer)).collect::<Vec<String>>();
    let (mut controls, mut sockets) = Peer::apart(mesh.peers);
    let local_rank = |peer| topology.local_rank(peer);
    let links = over_fabric(&sockets, (rank, config), deadline)
        .and_then(|ofi| connect::links(&mut controls, &mut sockets, (rank, &local_rank), settings, ofi));
    let links = match links {
        Ok(links) => links,
        // All connections are still open here.
        Err(error) => {
            return Err(failure_reports.explain(error, ConnectedRanks::new(rank, labels, controls)));
        }
    };
    let endpoint = |((control, link), label)| Endpoint::new(link, control, label);
    Ok(controls.into_iter().zip(links).zip(labels).map(endpoint).collect())
}

/// The links over a fabric, by rank, if the configuration wants one.
fn over_fabric(
    sockets: &[Vec<Socket>],
    (rank, config): (Rank, &Config),
    deadline: Instant,
) -> Result<Vec<Option<OfiLink>>> {
    if config.transport != TransportChoice::Ofi {
        return Ok(Vec::new());
    }
    let wanted = config.ofi_provider.as_deref().map_or(ofi::Wanted::Any, ofi::Wanted::Named);
    let agreed = ofi::agree(sockets, config.ofi_library.as_deref(), wanted, deadline);
    // The error names the rank already.
    let agreed = agreed.map_err(|(_, error)| error)?;
    agreed.note.iter().for_each(|note| log_line!(Info, "rank {rank}: {note}"));
    Ok(agreed.links)
}

fn describe_transports(endpoints: &[Endpoint]) -> String {
    let count = |name| endpoints.iter().filter(|endpoint| endpoint.transport() == name).count();
    let peers = |count: usize| if count == 1 { "1 peer".to_string() } else { format!("{count} peers") };
    let used: Vec<(&str, usize)> = ["shm", "tcp", "ofi"].map(|name| (name, count(name))).into();
    let used: Vec<(&str, usize)> = used.into_iter().filter(|(_, count)| *count > 0).collect();
    let Some(((name, count), others)) = used.split_last() else { return "alone".to_string() };
    let others = others.iter().map(|(name, count)| format!("{name} to {count}, ")).collect::<String>();
    format!("{others}{name} to {}", peers(*count))
}
