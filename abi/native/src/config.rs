//! Settings that a program may give instead of environment variables.

use std::ffi::{c_char, c_int};
use std::mem::{offset_of, size_of};
use std::time::Duration;

use anyccl_edge::check::{self, invalid};
use anyccl_engine::base::{Error, Result, WireFormat};
use anyccl_engine::comm::CommConfig;
use anyccl_engine::config::{BackendChoice, Config};

use crate::log::{self, anyccl_log_level, anyccl_log_level_t};

/// Settings of one communicator.
///
/// Start from ANYCCL_CONFIG_INIT and change what matters: a member that is 0 or NULL means the default. Later
/// versions append members.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct anyccl_config_t {
    /// sizeof(anyccl_config_t) in the program. If it is smaller than the library's, the missing members have
    /// their defaults. If it is larger, the members that the library does not know must be 0.
    pub struct_size: usize,
    /// Name of the communicator in messages and log lines, UTF-8. Copied. NULL: "world" or "comm".
    pub name: *const c_char,
    /// Longest time that a call waits without progress, in milliseconds. 0: the value of ANYCCL_TIMEOUT_MS.
    /// ANYCCL_TIMEOUT_NEVER: no limit.
    pub timeout_ms: i64,
    /// Level of the log lines that are written, for the whole process. ANYCCL_LOG_DEFAULT: the level of an
    /// earlier setting, else the value of ANYCCL_LOG.
    pub log_level: anyccl_log_level_t,
    /// 1: the communicator is made for memory of GPUs. Each collective then has its buffers on GPUs, on all
    /// ranks, or on none. Where the ranks share a host, one of them carries out collectives on GPU memory for
    /// all (docs/gpu.md). The same on all ranks. ANYCCL_DEVICE_WAY, if set, decides instead. 0: it may have
    /// both kinds of memory in one call. A communicator that is made from another one is like that one.
    pub for_devices: c_int,
    /// Network interfaces for TCP, UTF-8, in the syntax of ANYCCL_SOCKET_IFNAME: "eth0", "=eth0,ib0",
    /// "^docker". Copied. NULL: the value of that variable.
    pub interface: *const c_char,
    /// Engine that serves the calls, UTF-8, in the syntax of ANYCCL_BACKEND: "mpi", "cpu:oneccl|mpi|builtin".
    /// Copied. The same on all ranks. NULL: the value of that variable.
    pub backend: *const c_char,
    /// 1: reductions of floating-point numbers have fixed bits. With the same inputs among as many ranks,
    /// each element has the same bits in every call. The length of the message, the algorithm, the
    /// transport, the hosts and the form of the call do not matter (docs/reliability.md). -1: they need not
    /// have. 0: as the communicator from which it is made, else the value of ANYCCL_DETERMINISTIC. The same
    /// on all ranks.
    pub deterministic: c_int,
    /// Format in which sums and averages of floats travel between hosts, one of enum anyccl_wire
    /// (docs/wire.md). ANYCCL_WIRE_DEFAULT: as in the communicator from which it is made, else the value of
    /// ANYCCL_WIRE. The same on all ranks. Formats other than ANYCCL_WIRE_FULL are refused where reductions
    /// have fixed bits.
    pub wire: anyccl_wire_t,
}

/// Format in which sums travel between hosts: one of enum anyccl_wire.
pub type anyccl_wire_t = c_int;

/// Values of anyccl_wire_t. They never change.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum anyccl_wire {
    /// The format of the communicator from which one is made, else that of ANYCCL_WIRE.
    ANYCCL_WIRE_DEFAULT = 0,
    /// Full width: as the numbers are.
    ANYCCL_WIRE_FULL = 1,
    /// bfloat16: 2 bytes for each float32.
    ANYCCL_WIRE_BF16 = 2,
    /// float8_e4m3, with a scale for each 256 numbers: about 1 byte.
    ANYCCL_WIRE_F8 = 3,
    /// 8-bit integers, with a scale for each 256 numbers: about 1 byte.
    ANYCCL_WIRE_INT8_BLOCK = 4,
}

/// Value of `timeout_ms` for a wait without a limit.
pub const ANYCCL_TIMEOUT_NEVER: c_int = -1;

/// Largest plausible `struct_size`. Beyond it the memory was not initialized, and reading that far would
/// fault.
const LARGEST_SIZE: usize = 4096;

/// The settings of the environment, with those of `config` on top. Sets the log level of the process.
///
/// # Safety
/// A `config` that is not NULL points to `struct_size` readable bytes; its texts are NULL or terminated.
pub unsafe fn read(config: *const anyccl_config_t) -> Result<(Config, CommConfig)> {
    let mut settings = Config::from_environment()?;
    let mut own = CommConfig::default();
    let mut level = anyccl_log_level::ANYCCL_LOG_DEFAULT as anyccl_log_level_t;
    if !config.is_null() {
        // SAFETY: the caller's promise, handed on.
        let config = unsafe { copy(config) }?;
        // SAFETY: as above.
        own.name = unsafe { check::text(config.name, "config->name") }?;
        own.timeout = timeout(config.timeout_ms)?;
        // SAFETY: as above.
        settings.interface = unsafe { check::text(config.interface, "config->interface") }?;
        // SAFETY: as above.
        if let Some(text) = unsafe { check::text(config.backend, "config->backend") }? {
            settings.backend = BackendChoice::parse("config->backend", &text)?;
        }
        level = config.log_level;
        own.for_devices = match config.for_devices {
            0 => false,
            1 => true,
            other => return invalid("config->for_devices", format!("{other}; accepted: 0 and 1")),
        };
        own.wire = wire(config.wire)?;
        own.deterministic = match config.deterministic {
            0 => None,
            1 => Some(true),
            -1 => Some(false),
            other => return invalid("config->deterministic", format!("{other}; accepted: -1, 0 and 1")),
        };
    }
    log::set_level(level, settings.log)?;
    Ok((settings, own))
}

/// The format that a member `wire` asks for. `None`: the default.
fn wire(number: anyccl_wire_t) -> Result<Option<Option<WireFormat>>> {
    use anyccl_wire::*;
    let formats = [
        (ANYCCL_WIRE_DEFAULT, None),
        (ANYCCL_WIRE_FULL, Some(None)),
        (ANYCCL_WIRE_BF16, Some(Some(WireFormat::Bf16))),
        (ANYCCL_WIRE_F8, Some(Some(WireFormat::F8))),
        (ANYCCL_WIRE_INT8_BLOCK, Some(Some(WireFormat::Int8Block))),
    ];
    match formats.into_iter().find(|(known, _)| *known as anyccl_wire_t == number) {
        Some((_, format)) => Ok(format),
        None => invalid("config->wire", format!("{number}; accepted: the values of enum anyccl_wire")),
    }
}

/// The members that both sides know. The others are 0.
///
/// # Safety
/// `config` points to `struct_size` readable bytes.
unsafe fn copy(config: *const anyccl_config_t) -> Result<anyccl_config_t> {
    const KNOWN: usize = size_of::<anyccl_config_t>();
    // SAFETY: every version of the struct begins with this member.
    let given = unsafe { config.cast::<usize>().read() };
    if !(offset_of!(anyccl_config_t, name)..=LARGEST_SIZE).contains(&given) {
        let got = format!("{given}; set it to sizeof(anyccl_config_t), or begin with ANYCCL_CONFIG_INIT");
        return invalid("config->struct_size", got);
    }
    // SAFETY: the caller vouches for `given` bytes, which nobody changes during the call.
    let bytes = unsafe { std::slice::from_raw_parts(config.cast::<u8>(), given) };
    if let Some(at) = bytes.iter().skip(KNOWN).position(|byte| *byte != 0) {
        let got =
            format!("{given}, with a member set at byte {}; this library knows {KNOWN} bytes", KNOWN + at);
        return invalid("config->struct_size", got);
    }
    let nothing = std::ptr::null();
    let mut known = anyccl_config_t {
        struct_size: 0,
        name: nothing,
        timeout_ms: 0,
        log_level: 0,
        for_devices: 0,
        interface: nothing,
        backend: nothing,
        deterministic: 0,
        wire: 0,
    };
    // SAFETY: both ranges are that long, and `known` is ours alone. Any bytes make a valid struct of integers
    // and a pointer. If a program gives a size that no version had, a member may be copied by half; its other
    // half stays 0.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), (&raw mut known).cast(), given.min(KNOWN)) };
    Ok(known)
}

/// A timeout that is set later. 0 is refused.
pub fn limit(ms: i64) -> Result<Option<Duration>> {
    match ms {
        0 => invalid("timeout_ms", "0; accepted: ANYCCL_TIMEOUT_NEVER, or milliseconds".to_string()),
        ms => timeout(ms).map_err(|_| Error::InvalidArgument {
            what: "timeout_ms",
            got: format!("{ms}; accepted: ANYCCL_TIMEOUT_NEVER, or milliseconds"),
        }),
    }
}

fn timeout(ms: i64) -> Result<Option<Duration>> {
    const NEVER: i64 = ANYCCL_TIMEOUT_NEVER as i64;
    match ms {
        0 => Ok(None),
        // The engine waits without a limit for zero.
        NEVER => Ok(Some(Duration::ZERO)),
        ms => match u64::try_from(ms) {
            Ok(ms) => Ok(Some(Duration::from_millis(ms))),
            Err(_) => invalid(
                "config->timeout_ms",
                format!("{ms}; accepted: 0 for the default, ANYCCL_TIMEOUT_NEVER, or milliseconds"),
            ),
        },
    }
}
