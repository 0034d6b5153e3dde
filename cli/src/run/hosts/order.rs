//! The order to an agent: what it must start. It travels on the agent's standard input, because other users
//! of the host can read command lines.

use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::facade::Facade;
use crate::facade::method::Method;

/// Time that one address of the launcher may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// The order to the agent of one host.
#[derive(Serialize, Deserialize)]
pub struct Order {
    /// Version of the launcher, which the agent must have, too.
    pub version: String,
    /// First rank of this host.
    pub first: u32,
    /// Number of ranks of this host.
    pub count: u32,
    /// Number of ranks of the job.
    pub world: u32,
    /// Addresses of the launcher's store, best first.
    pub stores: Vec<SocketAddr>,
    /// The job's secret.
    pub key: [u8; 32],
    /// Variables for the ranks.
    pub environment: Vec<(String, String)>,
    /// Folder in which to start them, if it exists.
    pub folder: String,
    /// Whether each rank is bound to its cores.
    pub bind: bool,
    /// The library that anyccl stands in for, if any; and the method, if the user insists on one.
    pub facade: Option<Facade>,
    pub facade_is_implied: bool,
    pub by: Option<Method>,
    /// Number of GPUs that the ranks see although there is none.
    pub fake_gpus: Option<u32>,
    /// Program and arguments.
    pub command: Vec<String>,
}

impl Order {
    /// The first address of the launcher's store that can be reached from here.
    pub fn store(&self) -> Result<String, String> {
        let reached = |address: &&SocketAddr| TcpStream::connect_timeout(address, PATIENCE).is_ok();
        match self.stores.iter().find(reached) {
            Some(address) => Ok(format!("tcp://{address}?served=1")),
            None => {
                let all: Vec<String> = self.stores.iter().map(ToString::to_string).collect();
                Err(format!("the launcher cannot be reached from this host at {}", all.join(", ")))
            }
        }
    }
}
