//! The structs with which programs pass settings. Each begins with its size, and newer versions are longer.
//!
//! The program's struct is copied over one in which nothing is set, as far as both reach, whatever its
//! version. A member that lies where older versions had padding is read only if the version has it.

use std::ffi::{c_char, c_int};
use std::mem::{offset_of, size_of};
use std::ptr;

use anyccl_edge::check::{self, invalid};
use anyccl_engine::base::Result;
use anyccl_engine::log_line;

use crate::types::{Head, NCCL_API_MAGIC, NCCL_CONFIG_UNDEF_INT, ncclCollConfig_t, ncclConfig_t};
use crate::variables;

/// Upper limit of a believable size. Reading further could fault.
const LARGEST_SIZE: usize = 4096;
/// The first version whose struct has a member where there was padding before.
const TRAFFIC_CLASS_SINCE: u32 = 22600;

const UNDEF: c_int = NCCL_CONFIG_UNDEF_INT;
const NOTHING: *const c_char = ptr::null();

const NONE_SET: ncclConfig_t = ncclConfig_t {
    head: Head { size: size_of::<ncclConfig_t>(), magic: NCCL_API_MAGIC, version: 0 },
    blocking: UNDEF,
    cgaClusterSize: UNDEF,
    minCTAs: UNDEF,
    maxCTAs: UNDEF,
    netName: NOTHING,
    splitShare: UNDEF,
    trafficClass: UNDEF,
    commName: NOTHING,
    collnetEnable: UNDEF,
    CTAPolicy: UNDEF,
    shrinkShare: UNDEF,
    nvlsCTAs: UNDEF,
    nChannelsPerNetPeer: UNDEF,
    nvlinkCentricSched: UNDEF,
    graphUsageMode: UNDEF,
    numRmaCtx: UNDEF,
    maxP2pPeers: UNDEF,
    graphStreamOrdering: UNDEF,
    launchOrderImplicit: UNDEF,
    numRmaSig: UNDEF,
    rmaEagerInit: UNDEF,
    hostCftMode: UNDEF,
    nvlsHostMode: UNDEF,
};

/// The settings of a program that have an effect here.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Whether calls block. Unset: the environment or the parent decides.
    pub is_blocking: Option<bool>,
    /// Name of the communicator in messages.
    pub name: Option<String>,
}

/// Reads a configuration; NULL sets nothing.
///
/// # Safety
/// A `config` that is not NULL points to as many readable bytes as its first member says. Its texts are
/// terminated.
pub unsafe fn read(config: *const ncclConfig_t) -> Result<Settings> {
    if config.is_null() {
        return Ok(Settings::default());
    }
    // SAFETY: passed on from our caller.
    let config = unsafe { copy(config) }?;
    check_numbers(&config)?;
    let is_blocking = match config.blocking {
        UNDEF => None,
        0 => Some(false),
        1 => Some(true),
        other => return invalid("config->blocking", format!("{other}; accepted: 0 and 1")),
    };
    // SAFETY: the caller promises a terminated text or NULL.
    let name = unsafe { check::text(config.commName, "config->commName") }?;
    Ok(Settings { is_blocking, name })
}

/// Whether a new communicator blocks, by its settings or else by the environment.
pub fn is_blocking(settings: &Settings) -> Result<bool> {
    settings.is_blocking.map_or_else(variables::is_blocking, Ok)
}

/// Copies the members that both versions know; the rest is not set.
///
/// # Safety
/// `config` points to as many readable bytes as its first member says.
unsafe fn copy(config: *const ncclConfig_t) -> Result<ncclConfig_t> {
    // SAFETY: every version begins with these members.
    let head = unsafe { config.cast::<Head>().read() };
    const SMALLEST: usize = offset_of!(ncclConfig_t, blocking) + size_of::<c_int>();
    check_head(head, SMALLEST, "config", "NCCL_CONFIG_INITIALIZER")?;
    let mut known = NONE_SET;
    let bytes = head.size.min(size_of::<ncclConfig_t>());
    // SAFETY: the caller vouches for its struct; `known` is ours and at least as long. Integers and pointers
    // may have any bytes.
    unsafe { ptr::copy_nonoverlapping(config.cast::<u8>(), (&raw mut known).cast(), bytes) };
    if head.version < TRAFFIC_CLASS_SINCE {
        known.trafficClass = UNDEF;
    }
    Ok(known)
}

fn check_head(head: Head, smallest: usize, what: &'static str, initializer: &str) -> Result<()> {
    if head.magic != NCCL_API_MAGIC {
        return invalid(what, format!("magic {:#x}: begin with {initializer}", head.magic));
    }
    if !(smallest..=LARGEST_SIZE).contains(&head.size) {
        return invalid(what, format!("size {}: begin with {initializer}", head.size));
    }
    Ok(())
}

/// Refuses numbers that NCCL refuses. They tune kernels that this library does not have.
fn check_numbers(config: &ncclConfig_t) -> Result<()> {
    let within = |number: c_int, least: c_int, most: c_int, what| match number {
        UNDEF => Ok(()),
        number if (least..=most).contains(&number) => Ok(()),
        number => invalid(what, format!("{number}; accepted: {least} to {most}")),
    };
    within(config.cgaClusterSize, 0, 8, "config->cgaClusterSize")?;
    within(config.minCTAs, 1, c_int::MAX, "config->minCTAs")?;
    within(config.maxCTAs, 1, c_int::MAX, "config->maxCTAs")?;
    within(config.splitShare, 0, 1, "config->splitShare")?;
    within(config.shrinkShare, 0, 1, "config->shrinkShare")?;
    if config.maxCTAs != UNDEF && config.minCTAs > config.maxCTAs {
        return invalid("config->minCTAs", format!("{}, above maxCTAs, {}", config.minCTAs, config.maxCTAs));
    }
    Ok(())
}

/// Checks the settings of one call. An algorithm that they name is one of NCCL's. This library does not have
/// it, and chooses its own.
///
/// # Safety
/// See [`read`].
pub unsafe fn check_call(config: *const ncclCollConfig_t) -> Result<()> {
    if config.is_null() {
        return Ok(());
    }
    // SAFETY: every version begins with these members.
    let head = unsafe { config.cast::<Head>().read() };
    const SMALLEST: usize = offset_of!(ncclCollConfig_t, userProfilerTag);
    check_head(head, SMALLEST, "config", "NCCL_COLLCONFIG_INITIALIZER")?;
    // SAFETY: the struct is as long as was checked, and this member lies within; a pointer may have any
    // bytes.
    let selection = unsafe { (*config).algSelection };
    // SAFETY: the caller promises a terminated text or NULL.
    if let Some(text) = unsafe { check::text(selection, "config->algSelection") }?
        && !text.is_empty()
    {
        log_line!(
            Debug,
            "algSelection \"{text}\" names an algorithm of NCCL; this library chooses one of its own"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(size: usize, version: u32) -> ncclConfig_t {
        let head = Head { size, magic: NCCL_API_MAGIC, version };
        ncclConfig_t { head, blocking: 0, trafficClass: 7, commName: c"mine".as_ptr(), ..NONE_SET }
    }

    #[test]
    fn members_that_the_program_does_not_know_are_not_read() {
        for (size, version) in [(24, 21400), (40, 21700), (48, 21800), (48, 22500)] {
            // SAFETY: a whole struct, which states a smaller size.
            let copied = unsafe { copy(&given(size, version)) }.unwrap();
            assert_eq!(copied.blocking, 0);
            assert_eq!((copied.trafficClass, copied.commName), (UNDEF, NOTHING), "{size}");
        }
        for size in [72, 80, 88, 96, 112, 120] {
            // SAFETY: as above.
            let read = unsafe { read(&given(size, 22700)) }.unwrap();
            assert_eq!(read, Settings { is_blocking: Some(false), name: Some("mine".into()) });
        }
    }

    #[test]
    fn a_newer_and_longer_struct_is_read_as_far_as_it_is_known() {
        #[repr(C)]
        struct Newer(ncclConfig_t, [u64; 4]);
        let newer = Newer(given(size_of::<Newer>(), 29900), [u64::MAX; 4]);
        // SAFETY: the struct is as long as it states.
        assert_eq!(unsafe { read(&newer.0) }.unwrap().is_blocking, Some(false));
    }

    #[test]
    fn an_uninitialised_config_is_refused() {
        let mut config = given(120, 23200);
        config.head.magic = 0;
        // SAFETY: a whole struct.
        assert!(unsafe { read(&config) }.is_err());
        // SAFETY: as above; only its head is read.
        assert!(unsafe { read(&given(16, 23200)) }.is_err());
        let wrong = ncclConfig_t { minCTAs: 8, maxCTAs: 4, ..given(120, 23200) };
        // SAFETY: as above.
        assert!(unsafe { read(&wrong) }.unwrap_err().to_string().contains("above maxCTAs"));
    }
}
