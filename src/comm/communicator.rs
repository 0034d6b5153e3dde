//! The communicator.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Operation;
use super::agreement::{self, Agreed};
use super::programs::Programs;
use super::request::Request;
use crate::algo::Algorithm;
use crate::base::{Call, CallKind, Collective, Datatype, Error, Rank, Result};
use crate::bootstrap::{self, Job, Mesh, PeerInfo, UniqueId, mesh};
use crate::config::Config;
use crate::log_line;
use crate::progress::wait::Driver;
use crate::progress::{Engine, Port};
use crate::reduce::Reducer;
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
    /// By rank.
    transports: Vec<&'static str>,
    timeout: Option<Duration>,
    programs: Programs,
    driver: Arc<Driver>,
    finalized: AtomicBool,
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
        let settings =
            shm::Settings { ranks: topology.local_size(job.rank), single_copy: config.single_copy };
        let ports = ports(mesh, job.rank, settings, deadline)?;
        let description = describe_transports(&ports);
        let transports = ports.iter().map(Port::transport).collect();
        let is_tcp = |rank: Rank| ports[rank as usize].transport() == "tcp";
        let some_tcp = topology.neighbours(job.rank).any(is_tcp);
        let driver = Driver::new(Engine::new(name.clone(), job.rank, ports), config.spin)?;
        let Agreed { ranks_per_core, some_tcp } =
            agreement::agree(&driver, &topology, job.rank, some_tcp, timeout(config, own))?;
        let crowded = ranks_per_core > 1;
        let tuning = tuning.oversubscribed(ranks_per_core);
        if crowded {
            driver.lock().set_crowded();
        }
        let comm = Communicator {
            rank: job.rank,
            topology,
            transports,
            timeout: timeout(config, own),
            programs: Programs::new(tuning, some_tcp, crowded),
            driver: Arc::new(driver),
            finalized: AtomicBool::new(false),
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

    /// Name of the transport to a rank below the size; "self" for this one.
    pub fn transport(&self, peer: Rank) -> &'static str {
        self.transports[peer as usize]
    }

    /// The algorithm that this communicator uses for a collective call. Local; equal on all ranks.
    pub fn algorithm(&self, call: &Call) -> Result<&'static Algorithm> {
        self.programs.algorithm(call, &self.topology)
    }

    /// Runs a call to its end.
    ///
    /// # Safety
    /// The buffers of `operation` are valid for what `operation.call` reads and writes, for the whole call.
    pub unsafe fn run(&self, operation: &Operation) -> Result<()> {
        self.check_usable()?;
        let (key, buffers) = (operation.key(self.rank), operation.buffers());
        // SAFETY: a prepared call touches what the call reads and writes, for which the caller vouches.
        if let Some(outcome) = unsafe { self.driver.run_recent(&key, buffers, self.timeout) } {
            return outcome;
        }
        let prepared = self.programs.get(&key, operation, self.rank, &self.topology)?;
        // SAFETY: as above.
        unsafe { self.driver.run(Some(&key), prepared, buffers, self.timeout) }
    }

    /// Starts a call.
    ///
    /// # Safety
    /// As [`Communicator::run`], until the request is complete.
    pub unsafe fn start(&self, operation: &Operation) -> Result<Request> {
        self.check_usable()?;
        let (key, buffers) = (operation.key(self.rank), operation.buffers());
        // SAFETY: as in `run`; a request that is dropped waits, so the buffers are not outlived unnoticed.
        let ticket = match unsafe { self.driver.start_recent(&key, buffers) } {
            Some(started) => started?,
            None => {
                let prepared = self.programs.get(&key, operation, self.rank, &self.topology)?;
                // SAFETY: as above.
                unsafe { self.driver.start(&key, prepared, buffers) }?
            }
        };
        Ok(Request::new(Arc::clone(&self.driver), ticket, self.timeout))
    }

    /// Starts a reduction by a function of the program, which has a number here.
    ///
    /// # Safety
    /// As [`Communicator::start`].
    pub(super) unsafe fn start_reducing(
        &self,
        operation: &Operation,
        number: u32,
        reducer: impl FnOnce() -> Reducer,
    ) -> Result<Request> {
        self.check_usable()?;
        let (key, buffers) = (operation.key(self.rank).with_operator(number), operation.buffers());
        let prepared = self.programs.get_with(&key, operation, reducer, self.rank, &self.topology)?;
        // SAFETY: as in `run`; a request that is dropped waits.
        let ticket = unsafe { self.driver.start(&key, prepared, buffers) }?;
        Ok(Request::new(Arc::clone(&self.driver), ticket, self.timeout))
    }

    #[inline]
    fn check_usable(&self) -> Result<()> {
        if self.finalized.load(Ordering::Relaxed) {
            return Err(Error::InvalidUsage("the communicator is finalized".into()));
        }
        Ok(())
    }

    /// Fails the communicator on all ranks; blocked calls return at once. From any thread.
    pub fn abort(&self, reason: &str) {
        self.driver.abort(&format!("rank {}: {reason}", self.rank));
    }

    /// Leaves in good order: collective, waits for the others. After a failure it is local.
    pub fn finalize(&self) -> Result<()> {
        if self.finalized.swap(true, Ordering::Relaxed) {
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
        let key = barrier.key(self.rank);
        let prepared = self.programs.get(&key, &barrier, self.rank, &self.topology)?;
        // SAFETY: a barrier touches no buffer.
        unsafe { self.driver.run(None, prepared, barrier.buffers(), self.timeout) }?;
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
fn ports(mesh: Mesh, rank: Rank, settings: shm::Settings, deadline: Instant) -> Result<Vec<Port>> {
    let label =
        |peer: usize, info: &PeerInfo| format!("rank {peer} (host {}, pid {})", info.host_name, info.pid);
    // All offers go out before the first is waited for: nobody waits for somebody who waits.
    let mut offered: Vec<Option<shm::Offered>> = Vec::new();
    for (at, peer) in mesh.peers.iter().enumerate() {
        offered.push(match peer {
            Some(peer) if peer.data.is_none() && rank < at as Rank => {
                Some(shm::offer(&peer.control, settings)?)
            }
            _ => None,
        });
    }
    let mut ports = Vec::new();
    for (at, (peer, offered)) in mesh.peers.into_iter().zip(offered).enumerate() {
        let label = label(at, &mesh.infos[at]);
        let (link, control): (Box<dyn Link>, _) = match (peer, offered) {
            (None, _) => (Box::new(LoopbackLink::default()), None),
            (Some(peer), Some(offered)) => {
                (Box::new(offered.complete(&peer.control, Some(deadline))?), Some(peer.control))
            }
            (Some(peer), None) => match peer.data {
                Some(data) => (Box::new(TcpLink::new(data)), Some(peer.control)),
                None => (Box::new(shm::accept(&peer.control, Some(deadline), settings)?), Some(peer.control)),
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
