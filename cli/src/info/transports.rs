//! The transports, and whether each works on this machine. Their needs are tried, not guessed.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};

use anyccl_engine::config::raw;
use anyccl_engine::transport::ofi;
use serde::Serialize;

use crate::sys::probe;

/// One way to move bytes.
#[derive(Serialize)]
pub struct Transport {
    /// Name as in `ANYCCL_TRANSPORT`.
    pub name: &'static str,
    /// Whether everything works that it requires.
    pub works: bool,
    /// The things that were tried.
    pub needs: Vec<Need>,
}

/// Something that a transport requires or can use.
#[derive(Serialize)]
pub struct Need {
    /// Name of the need.
    pub name: String,
    /// Whether the transport also works without it, only slower.
    pub optional: bool,
    /// Whether it works here.
    pub works: bool,
    /// The system's error, if it does not work.
    pub error: Option<String>,
}

/// Tries the transports that need no library. This process must not have a second thread.
pub fn transports() -> Vec<Transport> {
    let shm = vec![
        need("memory without a name (memfd_create)", false, probe::memfd()),
        need("abstract Unix sockets", false, abstract_socket()),
        need("reading other processes' memory (process_vm_readv)", true, probe::read_other_process()),
    ];
    let tcp = vec![need("TCP over loopback", false, tcp())];
    vec![transport("shm", shm), transport("tcp", tcp)]
}

/// Opens libfabric, as a rank does that is asked to use it, and asks what it offers between hosts. The
/// library may start threads.
pub fn fabrics() -> Transport {
    let needs = match ofi::Library::open(raw("ANYCCL_OFI_LIB").as_deref()) {
        Err(error) => vec![need("libfabric", false, Err(io::Error::other(error)))],
        Ok(library) => {
            let offers = library.between_hosts();
            let name = match &offers {
                Ok(offers) => format!("{}: {}", library.described(), offers.join(", ")),
                Err(_) => library.described(),
            };
            vec![need(name, false, offers.map(drop).map_err(io::Error::other))]
        }
    };
    transport("ofi", needs)
}

fn transport(name: &'static str, needs: Vec<Need>) -> Transport {
    let works = needs.iter().all(|need| need.works || need.optional);
    Transport { name, works, needs }
}

fn need(name: impl Into<String>, optional: bool, outcome: io::Result<()>) -> Need {
    let error = outcome.err().map(|error| error.to_string());
    Need { name: name.into(), optional, works: error.is_none(), error }
}

fn abstract_socket() -> io::Result<()> {
    let name = format!("anyccl-info-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(name)?;
    let _listener = UnixListener::bind_addr(&address)?;
    UnixStream::connect_addr(&address).map(drop)
}

fn tcp() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    TcpStream::connect(listener.local_addr()?).map(drop)
}
