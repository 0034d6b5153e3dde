//! The variables of the double. README.md describes them; this is the only file that reads them.

use std::str::FromStr;
use std::sync::OnceLock;
use std::time::Duration;

use crate::loud;

/// What the variables say. Read once, at the first call of the process.
#[derive(Debug)]
pub struct Settings {
    /// Seed of all random choices, another one for each rank.
    pub seed: u64,
    /// The usual upper bound of a delay; zero for none.
    pub delay: Duration,
    /// Number of hardware queues that the streams of a device share; none for a queue per stream.
    pub channels: Option<usize>,
    /// Number of operations that a queue holds.
    pub depth: usize,
    /// How long a value wait may be pending while a call synchronises the device implicitly.
    pub hang: Duration,
    /// Whether calls that allocate, register, open or load do not synchronise the device.
    pub lenient: bool,
    /// Whether memory may be freed while another process has it open, and lives on there.
    pub open_free: bool,
    /// Number of devices of the machine.
    pub devices: usize,
    /// Devices that the process sees, by their number on the machine.
    pub visible: Vec<usize>,
    /// Pairs of devices that may access each other.
    pub peers: Peers,
    /// Bytes of memory of a device.
    pub memory: u64,
    /// Version of the driver, as in `cuDriverGetVersion`.
    pub version: i32,
    /// Whether a device can flush remote writes.
    pub flush: bool,
    /// Calls that fail: the text of `CUDA_DOUBLE_FAIL`.
    pub fail: String,
    /// Whether all calls after the first failure fail, too.
    pub sticky: bool,
    /// Number of the operation that is an illegal access, among all that run in streams; zero for none.
    pub corrupt: u64,
    /// Ordering calls that do nothing: the text of `CUDA_DOUBLE_IGNORE`.
    pub ignore: String,
    /// Whether each call is a line on stderr.
    pub trace: bool,
    /// Where the report at exit goes: a descriptor or a path.
    pub report: Option<String>,
}

/// Which devices may access each other's memory.
#[derive(Debug, PartialEq)]
pub enum Peers {
    /// Each may access each.
    All,
    /// None may.
    None,
    /// Only these pairs may, in both directions.
    Pairs(Vec<(usize, usize)>),
}

impl Peers {
    /// Whether `one` may access the memory of `other`; both are numbers on the machine.
    pub fn may_access(&self, one: usize, other: usize) -> bool {
        match self {
            Peers::All => one != other,
            Peers::None => false,
            Peers::Pairs(pairs) => pairs.contains(&(one, other)) || pairs.contains(&(other, one)),
        }
    }

    fn parse(text: &str) -> Option<Peers> {
        match text {
            "all" => Some(Peers::All),
            "none" => Some(Peers::None),
            _ => text.split(',').map(pair).collect::<Option<Vec<_>>>().map(Peers::Pairs),
        }
    }
}

fn pair(text: &str) -> Option<(usize, usize)> {
    let (one, other) = text.trim().split_once('-')?;
    Some((one.parse().ok()?, other.parse().ok()?))
}

/// The settings of this process.
pub fn settings() -> &'static Settings {
    static SETTINGS: OnceLock<Settings> = OnceLock::new();
    SETTINGS.get_or_init(|| read(|name| std::env::var(name).ok()))
}

/// Settings from `variable`, which gives the values of variables. A wrong value aborts the process.
fn read(variable: impl Fn(&str) -> Option<String>) -> Settings {
    let value = |name: &str| variable(&format!("CUDA_DOUBLE_{name}")).filter(|text| !text.is_empty());
    let devices = number(&value, "DEVICES", 1);
    let peers = value("PEERS").map_or(Peers::All, |text| {
        Peers::parse(&text).unwrap_or_else(|| {
            loud::stop(&format!("CUDA_DOUBLE_PEERS={text}: give all, none, or pairs such as 0-1,2-3"))
        })
    });
    Settings {
        seed: number(&value, "SEED", 0u64) ^ rank(&variable) << 48,
        delay: Duration::from_micros(number(&value, "DELAY_US", 100)),
        channels: Some(number(&value, "CHANNELS", 0)).filter(|&channels| channels > 0),
        depth: number(&value, "DEPTH", 1024usize).max(1),
        hang: Duration::from_millis(number(&value, "HANG_MS", 2000)),
        lenient: number(&value, "LENIENT", 0) != 0,
        open_free: number(&value, "OPEN_FREE", 0) != 0,
        devices,
        visible: visible(variable("CUDA_VISIBLE_DEVICES").as_deref(), devices),
        peers,
        memory: number(&value, "MEMORY", 8 << 30),
        version: number(&value, "VERSION", 12080),
        flush: number(&value, "FLUSH", 0) != 0,
        fail: value("FAIL").unwrap_or_default(),
        sticky: number(&value, "FAIL_STICKY", 0) != 0,
        corrupt: number(&value, "CORRUPT", 0),
        ignore: value("IGNORE").unwrap_or_default(),
        trace: number(&value, "TRACE", 0) != 0,
        report: value("REPORT"),
    }
}

/// The rank that a launcher gave to this process, so that ranks with one seed differ; else 0.
fn rank(variable: &impl Fn(&str) -> Option<String>) -> u64 {
    let names = ["ANYCCL_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "RANK"];
    names.into_iter().find_map(|name| variable(name)?.parse().ok()).unwrap_or(0)
}

fn number<T: FromStr>(value: &impl Fn(&str) -> Option<String>, name: &str, otherwise: T) -> T {
    let Some(text) = value(name) else { return otherwise };
    text.parse().unwrap_or_else(|_| loud::stop(&format!("CUDA_DOUBLE_{name}={text}: give a number")))
}

/// Devices that `CUDA_VISIBLE_DEVICES` leaves. As with CUDA, the list ends at the first that does not exist.
fn visible(list: Option<&str>, devices: usize) -> Vec<usize> {
    let Some(list) = list else { return (0..devices).collect() };
    let ordinals = list.split(',').map(|text| text.trim().parse().ok().filter(|&ordinal| ordinal < devices));
    ordinals.map_while(|ordinal| ordinal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_variables_there_is_one_device_with_delays() {
        let settings = read(|_| None);
        assert_eq!((settings.devices, settings.visible), (1, vec![0]));
        assert_eq!(settings.delay, Duration::from_micros(100));
        assert_eq!(settings.channels, None);
    }

    #[test]
    fn peers_are_pairs_in_both_directions() {
        let peers = Peers::parse("0-1, 2-3").unwrap();
        assert!(peers.may_access(0, 1) && peers.may_access(1, 0) && peers.may_access(3, 2));
        assert!(!peers.may_access(1, 2) && !peers.may_access(0, 0));
        assert!(!Peers::All.may_access(2, 2));
        assert_eq!(Peers::parse("0+1"), None);
    }

    #[test]
    fn the_list_of_visible_devices_ends_at_the_first_that_does_not_exist() {
        assert_eq!(visible(None, 2), [0, 1]);
        assert_eq!(visible(Some("1,0"), 2), [1, 0]);
        assert_eq!(visible(Some("1,5,0"), 2), [1]);
        assert!(visible(Some(""), 2).is_empty());
    }
}
