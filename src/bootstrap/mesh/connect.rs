//! Connects a rank with all others: publishes its record, reads those of the others, makes the sockets.

use std::sync::Arc;
use std::time::Instant;

use super::connections::Unconnected;
use super::failure_reports::FailureReports;
use super::peer::Peer;
use super::record::{NAME_BYTES, PeerInfo, Record};
use super::{assembly, exchange, outgoing};
use crate::base::{Error, Result, VERSION, mix};
use crate::bootstrap::auth::hello::PROTOCOL;
use crate::bootstrap::discovery::job::Job;
use crate::bootstrap::discovery::listeners;
use crate::bootstrap::job::key;
use crate::config::{Config, ConnectChoice, TransportChoice};
use crate::log_line;
use crate::sys::clock;
use crate::sys::host;
use crate::sys::listener::Listener;

/// Most ranks that connect at the start, each with all others, unless the configuration says otherwise.
const FEW_RANKS: u32 = 256;

/// What one rank has of all others: their places, and sockets or a way to them.
pub struct Mesh {
    /// One record per rank, this one's included.
    pub infos: Vec<PeerInfo>,
    /// The sockets to each rank; `None` at this rank's own place, and for ranks that connect on demand.
    pub peers: Vec<Option<Peer>>,
    /// What connects on demand. `None`: all ranks are connected.
    pub unconnected: Option<Unconnected>,
    /// Random number, the same on all ranks, that no other mesh has.
    pub nonce: u64,
    /// The `settings` that rank 0 passed to [`connect`].
    pub root_settings: Vec<u8>,
    /// Reports of ranks that failed before they were connected with all others.
    pub failure_reports: FailureReports,
}

/// Connects this rank with all others. Every rank gets rank 0's `settings`.
///
/// Takes the job's store. The mesh keeps it for as long as others may be connecting.
pub fn connect(job: &mut Job, config: &Config, settings: &[u8], deadline: Instant) -> Result<Mesh> {
    let start = clock::now();
    if job.size == 1 {
        let info = own_info(config)?;
        job.store = None;
        return Ok(Mesh {
            nonce: u64::from_le_bytes(key::random_bytes()?),
            infos: vec![info],
            peers: vec![None],
            unconnected: None,
            root_settings: settings.to_vec(),
            failure_reports: FailureReports::none(),
        });
    }
    let mut store = job
        .store
        .take()
        .ok_or_else(|| Error::InvalidUsage("the job has connected its ranks already".into()))?;

    // The others do not wait for a rank that cannot come.
    let prepared = prepare(job, config);
    let (own, listeners) = prepared.inspect_err(|error| store.fail(&error.to_string()))?;
    // Listening before publishing: a rank that reads the record finds a listener there.
    let mut table = exchange::exchange(&mut *store, &own, settings, deadline)?;
    Record::share_names(&mut table.records);
    // Each rank's Unix socket has a random name.
    let names = table.records.iter().flat_map(|record| &record.unix_name);
    let nonce = names.fold(0, |number, byte| mix(number ^ u64::from(*byte)));
    let infos = table.records.iter().map(|record| record.info.clone()).collect();
    // Both ranks of an impossible pair notice before anything is connected.
    for peer in table.records.iter().filter(|peer| peer.rank != own.rank) {
        outgoing::share_memory(&own, peer).inspect_err(|error| store.fail(&error.to_string()))?;
    }
    let connects_at_start = connects_at_start(&table.records);
    let user = (!config.allow_other_users).then(host::user_id);
    let records: Arc<[Record]> = table.records.into();
    let unconnected = Unconnected { key: job.key.clone(), records, rank: job.rank, listeners, user };
    let (peers, unconnected) = if connects_at_start {
        let peers = assembly::assemble(unconnected, &mut *store, start, deadline);
        (peers.inspect_err(|error| store.fail(&error.to_string()))?, None)
    } else {
        ((0..job.size).map(|_| None).collect(), Some(unconnected))
    };
    let count = peers.iter().flatten().count();
    log_line!(Debug, "rank {}: connected with {count} ranks in {:?}", job.rank, clock::since(start));
    // On rank 0 the store may end with the failure reports; by now every rank has the table.
    let failure_reports = FailureReports(Some(store));
    Ok(Mesh { infos, peers, unconnected, nonce, root_settings: table.settings, failure_reports })
}

/// Whether each rank connects with all others at the start. Equal on all ranks. A fabric is set up over the
/// connections of all.
fn connects_at_start(records: &[Record]) -> bool {
    let over_fabric = records.iter().any(|record| record.transport == TransportChoice::Ofi);
    over_fabric
        || match records[0].connect {
            ConnectChoice::Auto => records.len() as u32 <= FEW_RANKS,
            ConnectChoice::AtStart => true,
            ConnectChoice::OnDemand => false,
        }
}

/// Opens the listeners of this rank, and writes the record that says where they are.
fn prepare(job: &Job, config: &Config) -> Result<(Record, Vec<Listener>)> {
    let info = own_info(config)?;
    let unix_name = format!("anyccl-{}", key::hex(&key::random_bytes::<16>()?)).into_bytes();
    let unix = Listener::unix(&unix_name).map_err(|e| Error::system("cannot listen at a Unix socket", e))?;
    let (mut listeners, spread) = listeners::open_for_lanes(config)?;
    let own = Record {
        protocol: PROTOCOL,
        version: VERSION.into(),
        rank: job.rank,
        size: job.size,
        info,
        transport: config.transport,
        connect: config.connect,
        lanes: config.tcp_lanes,
        unix_name: unix_name.into(),
        addresses: listeners::addresses(&listeners).into(),
        spread,
    };
    listeners.push(unix);
    Ok((own, listeners))
}

fn own_info(config: &Config) -> Result<PeerInfo> {
    let host_id = match &config.host_id {
        Some(id) if id.len() > NAME_BYTES => {
            let got = format!("{} bytes, at most {NAME_BYTES} are accepted", id.len());
            return Err(Error::InvalidArgument { what: "ANYCCL_HOST_ID", got });
        }
        Some(id) => id.clone(),
        None => host::host_id(),
    };
    let mut host_name = host::host_name();
    while host_name.len() > NAME_BYTES {
        host_name.pop();
    }
    Ok(PeerInfo { host_name: host_name.into(), host_id: host_id.into(), pid: std::process::id() })
}
