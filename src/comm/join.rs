//! How a rank comes into a communicator of its own links: joins the job, connects, agrees.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::agreement::{self, Agreed};
use super::communicator::{CommConfig, Communicator};
use super::foreign::OnDevice;
use super::programs::Programs;
use super::timeout::Timeout;
use crate::base::{Error, Rank, Result};
use crate::bootstrap::mesh::{self, Witness};
use crate::bootstrap::{self, Job, Mesh, PeerInfo, UniqueId};
use crate::config::Config;
use crate::device::Kinds;
use crate::log_line;
use crate::progress::wait::Driver;
use crate::progress::{Engine, GroupId, Port};
use crate::topology::Topology;
use crate::transport::control::Control;
use crate::transport::loopback::LoopbackLink;
use crate::transport::tcp::TcpLink;
use crate::transport::{Link, shm};
use crate::tuning::Tuning;

/// "For ever", as a deadline of the set-up.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

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
        let mut mesh = mesh::connect(&mut job, config, &tuning.to_bytes(), deadline)?;
        let mut witness = std::mem::replace(&mut mesh.witness, Witness::none());
        let tuning = Tuning::from_bytes(&mesh.root_settings)?;
        let hosts: Vec<&str> = mesh.infos.iter().map(|info| info.host_id.as_str()).collect();
        let topology = Topology::from_labels(&hosts);
        let name = own.name.clone().unwrap_or_else(|| "comm".to_string());
        let settings =
            shm::Settings { ranks: topology.local_size(job.rank), single_copy: config.single_copy };
        let ports = ports(mesh, job.rank, settings, deadline).map_err(|error| witness.explain(error))?;
        let description = describe_transports(&ports);
        let transports = ports.iter().map(Port::transport).collect();
        let is_tcp = |rank: Rank| ports[rank as usize].transport() == "tcp";
        let some_tcp = topology.neighbours(job.rank).any(is_tcp);
        let driver = Driver::new(Engine::new(name.clone(), job.rank, ports), config.spin)?;
        let Agreed { ranks_per_core, some_tcp } =
            agreement::agree(&driver, &topology, job.rank, (some_tcp, config.backend), timeout(config, own))
                .map_err(|error| witness.explain(error))?;
        // All have met.
        drop(witness);
        let crowded = ranks_per_core > 1;
        let tuning = tuning.oversubscribed(ranks_per_core);
        if crowded {
            driver.lock().set_crowded();
        }
        let size = topology.size();
        let mut comm = Communicator {
            name,
            rank: job.rank,
            topology,
            transports,
            timeout: Timeout::new(timeout(config, own)),
            programs: Programs::new(tuning, some_tcp, crowded, size),
            driver: Arc::new(driver),
            group: GroupId::FIRST,
            finalized: AtomicBool::new(false),
            choice: config.backend,
            foreign: None,
            on_device: OnDevice::default(),
            kinds: Kinds::detect(),
        };
        log_line!(
            Info,
            "rank {} of {} in \"{}\" (local {} of {}): {description}; found by {}; builtin engine {}{}",
            comm.rank,
            comm.size(),
            comm.name,
            comm.local_rank(),
            comm.local_size(),
            job.source,
            crate::base::VERSION,
            if crowded { "; more ranks than processors" } else { "" },
        );
        if let Err(error) = comm.attach(config.backend) {
            // All ranks have the same error: they part in good order, and nobody takes another for crashed.
            let _ = comm.finalize();
            return Err(error);
        }
        Ok(comm)
    }
}

fn timeout(config: &Config, own: &CommConfig) -> Option<Duration> {
    own.timeout.or(config.timeout).filter(|t| !t.is_zero())
}

pub(super) fn deadline(config: &Config, own: &CommConfig) -> Instant {
    Instant::now() + timeout(config, own).unwrap_or(FOREVER)
}

/// A port per rank: shared memory where no data socket was made, else TCP.
fn ports(mesh: Mesh, rank: Rank, settings: shm::Settings, deadline: Instant) -> Result<Vec<Port>> {
    let label =
        |peer: usize, info: &PeerInfo| format!("rank {peer} (host {}, pid {})", info.host_name, info.pid);
    let start = Instant::now();
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
                let link = offered.complete(&peer.control, Some(deadline));
                (Box::new(link.map_err(|error| not_shared(at, &label, error, start))?), Some(peer.control))
            }
            (Some(peer), None) => match peer.data {
                Some(data) => (Box::new(TcpLink::new(data)), Some(peer.control)),
                None => {
                    let link = shm::accept(&peer.control, Some(deadline), settings);
                    (
                        Box::new(link.map_err(|error| not_shared(at, &label, error, start))?),
                        Some(peer.control),
                    )
                }
            },
        };
        ports.push(Port::new(link, control.map(Control::new), label));
    }
    Ok(ports)
}

/// Names the peer whose memory has not come.
fn not_shared(peer: usize, label: &str, error: Error, start: Instant) -> Error {
    let Error::System { what, source } = &error else { return error };
    match source.kind() {
        ErrorKind::TimedOut => {
            let detail = format!("{label} has not shared its memory: it may be connecting with others");
            Error::Timeout { waited: start.elapsed(), detail }
        }
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            let detail = format!("{label} ended before it had connected with everybody");
            Error::PeerLost { rank: peer as Rank, detail }
        }
        kind => Error::system(format!("{what}, {label}"), kind.into()),
    }
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
