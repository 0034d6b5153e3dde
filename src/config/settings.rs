//! The typed settings of one process.

use std::time::Duration;

use super::backends::BackendChoice;
use super::place::host_and_port;
use super::ports::PortRange;
use super::variables::{DEVICE_PATH_VARIABLE, bad, raw};
use crate::base::{Result, WireFormat};
use crate::observe::log::Level;
use crate::observe::metrics::MetricsTarget;
use crate::observe::ras;

/// Most lanes of a pair of ranks.
pub const MOST_LANES: u8 = 16;
const LANES_VARIABLE: &str = "ANYCCL_TCP_LANES";

/// Transports that may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportChoice {
    /// Shared memory within a host, TCP between hosts.
    Auto,
    /// Shared memory, or an error.
    Shm,
    /// TCP everywhere.
    Tcp,
    /// Shared memory within a host, libfabric between hosts, or an error.
    Ofi,
}

/// When two ranks connect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConnectChoice {
    /// At the start if there are few ranks, else on demand.
    #[default]
    Auto,
    /// When they join.
    AtStart,
    /// When one of them first needs the other.
    OnDemand,
}

/// The path of collectives on device memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DevicePathChoice {
    /// Direct in communicators that are made for memory of devices, if their ranks can; else staged.
    #[default]
    Auto,
    /// Through copies in host memory.
    Staged,
    /// By one kernel for all ranks, if they can; else staged.
    Direct,
}

impl DevicePathChoice {
    /// Whether a communicator should have the direct path. `for_devices`: it is made for memory of devices.
    pub fn is_direct(self, for_devices: bool) -> bool {
        match self {
            DevicePathChoice::Auto => for_devices,
            DevicePathChoice::Direct => true,
            DevicePathChoice::Staged => false,
        }
    }
}

/// Longest message of a group that is staged on the direct path, unless a variable says otherwise. As far as
/// that, a staged send does not wait for its receive.
pub const STAGED_MESSAGE_BYTES: usize = 1 << 20;

/// Which buffers of other processes the leader of the direct path maps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceMapChoice {
    /// All that the driver can export.
    #[default]
    All,
    /// Buffers that live until the last process has unmapped them.
    Exportable,
    /// None.
    Off,
}

/// Settings of the process that do not concern the members of the job (for those see `bootstrap::job`).
#[derive(Clone, Debug)]
pub struct Config {
    /// Deadline of every wait; `None` waits for ever.
    pub timeout: Option<Duration>,
    /// Transports that may be used.
    pub transport: TransportChoice,
    /// When two ranks connect. The choice of rank 0 counts.
    pub connect: ConnectChoice,
    /// The file of libfabric.
    pub ofi_library: Option<String>,
    /// Name of the provider of libfabric.
    pub ofi_provider: Option<String>,
    /// TCP connections for long messages to a rank. 1: the only connection carries all. `None`: as many as
    /// the path needs.
    pub tcp_lanes: Option<u8>,
    /// `ANYCCL_ALGORITHM` as written.
    pub algorithm: Option<String>,
    /// `ANYCCL_TUNING_FILE` as written.
    pub tuning_file: Option<String>,
    /// Bytes of one chunk of a pipelined algorithm.
    pub chunk_bytes: usize,
    /// Least bytes of a piece of a long call on memory of a GPU; 0 for no pieces.
    pub device_piece_bytes: usize,
    /// Longest message of a group on GPU memory that goes through host memory on the direct path.
    pub device_message_bytes: usize,
    /// Polling time before a waiting rank yields its core.
    pub spin: Duration,
    /// Whether large messages within a host may be read out of the sender's memory.
    pub single_copy: bool,
    /// Interfaces of this communicator, in the syntax of `ANYCCL_SOCKET_IFNAME`, which they replace.
    pub interface: Option<String>,
    /// Ports at which this process may listen, where nothing else fixes the port.
    pub ports: PortRange,
    /// Engines by kind of memory.
    pub backend: BackendChoice,
    /// The path of collectives on device memory. Direct only if all ranks allow it.
    pub device_path: DevicePathChoice,
    /// Which buffers of other processes the leader of the direct path maps.
    pub device_map: DeviceMapChoice,
    /// Whether a thread serves accesses to windows.
    pub async_progress: bool,
    /// Name of a pretended host.
    pub host_id: Option<String>,
    /// Whether files and processes of other users are trusted.
    pub allow_other_users: bool,
    /// Folder for the last operations of ranks on which a communicator fails.
    pub dump: Option<String>,
    /// Whether reductions have the same bits in every call.
    pub deterministic: bool,
    /// The format in which sums of floats travel between hosts. `None`: as they are.
    pub wire: Option<WireFormat>,
    /// Where the metrics of this process go.
    pub metrics: Option<MetricsTarget>,
    /// Folder for the time line of each rank.
    pub trace: Option<String>,
    /// Folder for the calls of each rank.
    pub record: Option<String>,
    /// Whether a table of all calls is written at the end.
    pub profile: bool,
    /// Host and port at which clients of NCCL's RAS are served.
    pub ras: Option<(String, u16)>,
    /// Log level.
    pub log: Level,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            timeout: Some(Duration::from_secs(300)),
            transport: TransportChoice::Auto,
            connect: ConnectChoice::Auto,
            ofi_library: None,
            ofi_provider: None,
            tcp_lanes: Some(1),
            algorithm: None,
            tuning_file: None,
            chunk_bytes: 64 << 10,
            device_piece_bytes: 1 << 20,
            device_message_bytes: STAGED_MESSAGE_BYTES,
            spin: Duration::from_micros(30),
            single_copy: true,
            interface: None,
            ports: PortRange::ANY,
            backend: BackendChoice::default(),
            device_path: DevicePathChoice::Auto,
            device_map: DeviceMapChoice::All,
            async_progress: false,
            host_id: None,
            allow_other_users: false,
            dump: None,
            deterministic: false,
            wire: None,
            metrics: None,
            trace: None,
            record: None,
            profile: false,
            ras: None,
            log: Level::Warn,
        }
    }
}

impl Config {
    /// Reads the environment. A value that cannot be understood is an error and never ignored.
    pub fn from_environment() -> Result<Config> {
        let mut config = Config::default();
        if let Some(ms) = number("ANYCCL_TIMEOUT_MS")? {
            config.timeout = (ms > 0).then(|| Duration::from_millis(ms));
        }
        if let Some(text) = raw("ANYCCL_TRANSPORT") {
            config.transport = match text.as_str() {
                "auto" => TransportChoice::Auto,
                "shm" => TransportChoice::Shm,
                "tcp" => TransportChoice::Tcp,
                "ofi" => TransportChoice::Ofi,
                _ => return Err(bad("ANYCCL_TRANSPORT", &text, "auto, shm, tcp or ofi")),
            };
        }
        if let Some(text) = raw("ANYCCL_CONNECT") {
            config.connect = match text.as_str() {
                "auto" => ConnectChoice::Auto,
                "start" => ConnectChoice::AtStart,
                "demand" => ConnectChoice::OnDemand,
                _ => return Err(bad("ANYCCL_CONNECT", &text, "auto, start or demand")),
            };
        }
        config.ofi_library = raw("ANYCCL_OFI_LIB");
        config.ofi_provider = raw("ANYCCL_OFI_PROVIDER");
        config.tcp_lanes = raw(LANES_VARIABLE).map_or(Ok(config.tcp_lanes), |text| lanes(&text))?;
        config.algorithm = raw("ANYCCL_ALGORITHM");
        config.tuning_file = raw("ANYCCL_TUNING_FILE");
        if let Some(bytes) = number("ANYCCL_CHUNK_BYTES")? {
            if bytes == 0 {
                return Err(bad("ANYCCL_CHUNK_BYTES", "0", "at least 1"));
            }
            config.chunk_bytes = bytes as usize;
        }
        if let Some(us) = number("ANYCCL_SPIN_US")? {
            config.spin = Duration::from_micros(us);
        }
        if let Some(chosen) = switch("ANYCCL_SINGLE_COPY")? {
            config.single_copy = chosen;
        }
        config.async_progress = switch("ANYCCL_ASYNC_PROGRESS")?.unwrap_or(config.async_progress);
        config.allow_other_users = switch("ANYCCL_ALLOW_OTHER_USERS")?.unwrap_or(config.allow_other_users);
        config.deterministic = switch("ANYCCL_DETERMINISTIC")?.unwrap_or(config.deterministic);
        config.wire = wire()?;
        config.ports = PortRange::from_environment()?;
        if let Some(text) = raw("ANYCCL_BACKEND") {
            config.backend = BackendChoice::parse("ANYCCL_BACKEND", &text)?;
        }
        config.read_devices()?;
        config.host_id = raw("ANYCCL_HOST_ID");
        config.read_observation()?;
        if let Some(text) = raw("ANYCCL_LOG") {
            config.log = Level::from_name(&text)
                .ok_or_else(|| bad("ANYCCL_LOG", &text, "off, error, warn, info or debug"))?;
        }
        Ok(config)
    }

    /// Reads how calls on GPU memory are carried out.
    fn read_devices(&mut self) -> Result<()> {
        if let Some(bytes) = number("ANYCCL_DEVICE_PIECE_BYTES")? {
            self.device_piece_bytes = bytes as usize;
        }
        if let Some(bytes) = number("ANYCCL_DEVICE_MESSAGE_BYTES")? {
            self.device_message_bytes = bytes as usize;
        }
        if let Some(text) = raw(DEVICE_PATH_VARIABLE) {
            self.device_path = match text.as_str() {
                "auto" => DevicePathChoice::Auto,
                "staged" => DevicePathChoice::Staged,
                "direct" => DevicePathChoice::Direct,
                _ => return Err(bad(DEVICE_PATH_VARIABLE, &text, "auto, staged or direct")),
            };
        }
        if let Some(text) = raw("ANYCCL_DEVICE_MAP") {
            self.device_map = match text.as_str() {
                "all" => DeviceMapChoice::All,
                "exportable" => DeviceMapChoice::Exportable,
                "off" => DeviceMapChoice::Off,
                _ => return Err(bad("ANYCCL_DEVICE_MAP", &text, "all, exportable or off")),
            };
        }
        Ok(())
    }

    /// Reads what is counted and recorded, and where it goes.
    fn read_observation(&mut self) -> Result<()> {
        self.dump = raw("ANYCCL_DUMP");
        self.ras = chosen_ras_place()?;
        if let Some(text) = raw("ANYCCL_METRICS") {
            let target = MetricsTarget::parse(&text);
            self.metrics = Some(target.ok_or_else(|| bad("ANYCCL_METRICS", &text, MetricsTarget::FORMS))?);
        }
        self.trace = raw("ANYCCL_TRACE");
        self.record = raw("ANYCCL_RECORD");
        self.profile = switch("ANYCCL_PROFILE")?.unwrap_or(self.profile);
        Ok(())
    }
}

/// The format that `ANYCCL_WIRE` wants between hosts.
fn wire() -> Result<Option<WireFormat>> {
    let Some(text) = raw("ANYCCL_WIRE") else { return Ok(None) };
    WireFormat::parse(&text).ok_or_else(|| bad("ANYCCL_WIRE", &text, "full, bf16, f8 or int8-block"))
}

/// Where `ANYCCL_RAS` wants NCCL's RAS to be served.
fn chosen_ras_place() -> Result<Option<(String, u16)>> {
    match raw("ANYCCL_RAS").as_deref() {
        None | Some("0") => Ok(None),
        Some("1") => ras_place().map(Some),
        Some(text) => place("ANYCCL_RAS", text, "0, 1 or HOST:PORT").map(Some),
    }
}

/// Where NCCL's RAS is served: at `NCCL_RAS_ADDR`, else where its clients ask.
pub fn ras_place() -> Result<(String, u16)> {
    match raw("NCCL_RAS_ADDR") {
        None => Ok((ras::HOST.into(), ras::PORT)),
        Some(text) => place("NCCL_RAS_ADDR", &text, "HOST:PORT"),
    }
}

fn place(name: &'static str, text: &str, accepted: &str) -> Result<(String, u16)> {
    let (host, port) = host_and_port(text).ok_or_else(|| bad(name, text, accepted))?;
    Ok((host.into(), port))
}

/// Reads a number of lanes. `None`: as many as the path needs.
fn lanes(text: &str) -> Result<Option<u8>> {
    if text == "auto" {
        return Ok(None);
    }
    let lanes = text.parse().ok().filter(|lanes| (1..=MOST_LANES).contains(lanes));
    lanes.map(Some).ok_or_else(|| bad(LANES_VARIABLE, text, "auto, or a whole number from 1 to 16"))
}

fn number(name: &'static str) -> Result<Option<u64>> {
    raw(name).map(|text| text.parse().map_err(|_| bad(name, &text, "a whole number"))).transpose()
}

fn switch(name: &'static str) -> Result<Option<bool>> {
    let Some(text) = raw(name) else { return Ok(None) };
    match text.as_str() {
        "1" => Ok(Some(true)),
        "0" => Ok(Some(false)),
        _ => Err(bad(name, &text, "0 or 1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_lanes_out_of_bounds_is_an_error_that_names_the_bounds() {
        for (text, expected) in [("1", Some(1)), ("16", Some(MOST_LANES)), ("auto", None)] {
            assert_eq!(lanes(text).unwrap(), expected);
        }
        for text in ["0", "17", "-1", "256", "many", "2 ", "AUTO"] {
            let error = lanes(text).unwrap_err().to_string();
            assert!(error.contains("ANYCCL_TCP_LANES") && error.contains("from 1 to 16"), "{error}");
        }
    }
}
