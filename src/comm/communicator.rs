//! The communicator.

use std::time::{Duration, Instant};

use super::Operation;
use super::agreement::{self, Agreed};
use super::operation::Checked;
use super::programs::Programs;
use super::request::Request;
use crate::algo::Algorithm;
use crate::base::{Call, CallKind, Collective, Datatype, Error, Rank, Result};
use crate::bootstrap::{self, Job, Mesh, PeerInfo, UniqueId, mesh};
use crate::config::Config;
use crate::log_line;
use crate::progress::wait::{Driver, Policy};
use crate::progress::{Engine, Port, Start};
use crate::topology::Topology;
use crate::transport::control::Control;
use crate::transport::loopback::LoopbackLink;
use crate::transport::tcp::TcpLink;
use crate::transport::{Link, shm};
use crate::tuning::Tuning;

/// How long a rank that leaves waits for the others' goodbye.
const BYE_TIME: Duration = Duration::from_secs(5);
/// "For ever", as a deadline of the set-up.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// What a caller may set for one communicator.
#[derive(Clone, Debug, Default)]
pub struct CommConfig {
    /// Name in messages; "world" or "comm" when unset.
    pub name: Option<String>,
    /// Longest time without progress of every wait; unset: `ANYCCL_TIMEOUT_MS`. Zero waits for ever.
    pub timeout: Option<Duration>,
}

/// Ranks with a private context. Any thread may use it.
pub struct Communicator {
    rank: Rank,
    topology: Topology,
    transports: Vec<&'static str>,
    timeout: Option<Duration>,
    programs: Programs,
    driver: std::sync::Arc<Driver>,
    finalized: parking_lot::Mutex<bool>,
}

impl Communicator {
    /// Joins the communicator named by `id`. Collective over its `size` ranks; blocks until all have come.
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

    /// Joins the communicator of a job. Collective over its ranks.
    pub fn join(mut job: Job, config: &Config, own: &CommConfig) -> Result<Communicator> {
        let deadline = deadline(config, own);
        let tuning = Tuning::from_config(config)?;
        let mesh = mesh::connect(&mut job, config, &tuning.to_bytes(), deadline)?;
        let tuning = Tuning::from_bytes(&mesh.root_settings)?;
        let hosts: Vec<&str> = mesh.infos.iter().map(|info| info.host_id.as_str()).collect();
        let topology = Topology::from_labels(&hosts);
        let name = own.name.clone().unwrap_or_else(|| "comm".to_string());
        let ports = ports(mesh, job.rank, deadline)?;
        let description = describe_transports(&ports);
        let mut transports: Vec<_> =
            ports.iter().map(Port::transport).filter(|name| *name != "self").collect();
        transports.sort_unstable();
        transports.dedup();
        let some_tcp = ports.iter().any(|port| port.transport() == "tcp");
        let driver = Driver::new(Engine::new(name.clone(), job.rank, ports), Policy { spin: config.spin })?;
        let Agreed { crowded, some_tcp } =
            agreement::agree(&driver, &topology, job.rank, some_tcp, timeout(config, own))?;
        let tuning = if crowded { tuning.oversubscribed() } else { tuning };
        if crowded {
            driver.set_policy(Policy { spin: Duration::ZERO });
        }
        let comm = Communicator {
            rank: job.rank,
            topology,
            transports,
            timeout: timeout(config, own),
            programs: Programs::new(tuning, some_tcp),
            driver: std::sync::Arc::new(driver),
            finalized: parking_lot::Mutex::new(false),
        };
        log_line!(
            Info,
            "rank {} of {} in \"{name}\" (local {} of {}): {description}; found by {}; builtin engine {}{}",
            comm.rank,
            comm.size(),
            comm.local_rank(),
            comm.local_size(),
            job.source,
            crate::base::VERSION,
            if crowded { "; more ranks than processors" } else { "" },
        );
        Ok(comm)
    }

    /// My rank.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// Number of ranks.
    pub fn size(&self) -> u32 {
        self.topology.size()
    }

    /// My position among the ranks of my host.
    pub fn local_rank(&self) -> u32 {
        self.topology.local_rank(self.rank)
    }

    /// Number of ranks on my host.
    pub fn local_size(&self) -> u32 {
        self.topology.local_size(self.rank)
    }

    /// Names of the transports between this rank and the others, sorted; none when it is alone.
    pub fn transports(&self) -> &[&'static str] {
        &self.transports
    }

    /// The algorithm that this communicator uses for a collective. Local; equal on all ranks.
    pub fn algorithm(
        &self,
        collective: Collective,
        count: usize,
        datatype: Datatype,
        root: Rank,
    ) -> Result<&'static Algorithm> {
        self.programs.algorithm(collective, count, datatype, root, &self.topology)
    }

    /// Runs a call to its end.
    ///
    /// # Safety
    /// The buffers of `operation` are valid for what `operation.call` reads and writes, for the whole call.
    pub unsafe fn run(&self, operation: &Operation) -> Result<()> {
        let start = self.prepare(operation)?;
        // SAFETY: the programs of `prepare` touch what the call reads and writes, for which the caller vouches.
        unsafe { self.driver.run(start, self.timeout) }
    }

    /// Starts a call.
    ///
    /// # Safety
    /// As [`Communicator::run`], until the request is complete.
    pub unsafe fn start(&self, operation: &Operation) -> Result<Request> {
        let start = self.prepare(operation)?;
        // SAFETY: as in `run`; a request that is dropped waits, so the buffers are not outlived unnoticed.
        let ticket = unsafe { self.driver.start(start) }?;
        Ok(Request::new(std::sync::Arc::clone(&self.driver), ticket, self.timeout))
    }

    fn prepare(&self, operation: &Operation) -> Result<Start> {
        if *self.finalized.lock() {
            return Err(Error::InvalidUsage("the communicator is finalized".into()));
        }
        let checked = Checked::new(operation, self.rank, self.size())?;
        Ok(checked.start(self.programs.get(&checked, self.rank, &self.topology)?))
    }

    /// Fails the communicator on all ranks; blocked calls return at once. From any thread.
    pub fn abort(&self, reason: &str) {
        self.driver.abort(&format!("rank {}: {reason}", self.rank));
    }

    /// Leaves in good order: collective, waits for the others. After a failure it is local.
    pub fn finalize(&self) -> Result<()> {
        if std::mem::replace(&mut *self.finalized.lock(), true) {
            return Err(Error::InvalidUsage("the communicator is already finalized".into()));
        }
        if self.failure().is_some() {
            return Ok(());
        }
        let call = Call {
            kind: CallKind::Collective(Collective::Barrier),
            datatype: Datatype::Byte,
            op: None,
            root: 0,
            count: 0,
        };
        let barrier = Operation { call, send: std::ptr::null(), recv: std::ptr::null_mut(), peer: 0 };
        let checked = Checked::new(&barrier, self.rank, self.size())?;
        let start = checked.start(self.programs.get(&checked, self.rank, &self.topology)?);
        // SAFETY: a barrier touches no buffer.
        unsafe { self.driver.run(start, self.timeout) }?;
        self.driver.lock().say_bye();
        self.driver.wait_for_byes(BYE_TIME);
        Ok(())
    }

    /// Why this communicator can no longer be used, if it cannot.
    pub fn failure(&self) -> Option<Error> {
        self.driver.lock().failure().cloned()
    }
}

fn timeout(config: &Config, own: &CommConfig) -> Option<Duration> {
    own.timeout.or(config.timeout).filter(|t| !t.is_zero())
}

fn deadline(config: &Config, own: &CommConfig) -> Instant {
    Instant::now() + timeout(config, own).unwrap_or(FOREVER)
}

/// A port per rank: shared memory where no data socket was made, else TCP.
fn ports(mesh: Mesh, rank: Rank, deadline: Instant) -> Result<Vec<Port>> {
    let label =
        |peer: usize, info: &PeerInfo| format!("rank {peer} (host {}, pid {})", info.host_name, info.pid);
    // All offers go out before the first is waited for: nobody waits for somebody who waits.
    let mut offered: Vec<Option<Box<dyn Link>>> = Vec::new();
    for (at, peer) in mesh.peers.iter().enumerate() {
        offered.push(match peer {
            Some(peer) if peer.data.is_none() && rank < at as Rank => {
                Some(Box::new(shm::offer(&peer.control)?))
            }
            _ => None,
        });
    }
    let mut ports = Vec::new();
    for (at, (peer, offered)) in mesh.peers.into_iter().zip(offered).enumerate() {
        let label = label(at, &mesh.infos[at]);
        let (link, control): (Box<dyn Link>, _) = match (peer, offered) {
            (None, _) => (Box::new(LoopbackLink::default()), None),
            (Some(peer), Some(link)) => (link, Some(peer.control)),
            (Some(peer), None) => match peer.data {
                Some(data) => (Box::new(TcpLink::new(data)), Some(peer.control)),
                None => (Box::new(shm::accept(&peer.control, Some(deadline))?), Some(peer.control)),
            },
        };
        ports.push(Port::new(link, control.map(Control::new), label));
    }
    Ok(ports)
}

fn describe_transports(ports: &[Port]) -> String {
    let count = |name| ports.iter().filter(|port| port.transport() == name).count();
    match (count("shm"), count("tcp")) {
        (0, 0) => "alone".to_string(),
        (shm, 0) => format!("shm to {shm}"),
        (0, tcp) => format!("tcp to {tcp}"),
        (shm, tcp) => format!("shm to {shm}, tcp to {tcp}"),
    }
}
