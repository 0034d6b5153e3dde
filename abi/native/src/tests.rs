//! Tests of the C functions that need one rank only. capi-tests has those with several ranks.

use std::cell::Cell;
use std::ffi::{CStr, c_int};
use std::ptr::{null, null_mut};

use anyccl_engine::base::WireFormat;

use crate::comm::to_c;
use crate::communicator::{anyccl_comm_create, anyccl_comm_destroy, anyccl_comm_size};
use crate::config::{self, anyccl_config_t};
use crate::reduce_op::anyccl_is_supported;
use crate::request::{anyccl_test, anyccl_wait, anyccl_wait_all};
use crate::status::{anyccl_last_error, anyccl_status::*, anyccl_status_string};
use crate::unique_id::anyccl_unique_id_t;
use crate::version::{anyccl_version, anyccl_version_string};

thread_local! {
    static PANIC: Cell<bool> = const { Cell::new(false) };
}

/// Called by `edge` in this test build only.
pub fn panic_if_asked() {
    assert!(!PANIC.take(), "asked for by a test");
}

fn last_error() -> String {
    // SAFETY: never NULL, terminated, and copied before anything else fails.
    unsafe { CStr::from_ptr(anyccl_last_error()) }.to_str().unwrap().to_owned()
}

fn config() -> anyccl_config_t {
    anyccl_config_t {
        struct_size: size_of::<anyccl_config_t>(),
        name: null(),
        timeout_ms: 0,
        log_level: 0,
        for_devices: 0,
        interface: std::ptr::null(),
        backend: std::ptr::null(),
        deterministic: 0,
        wire: 0,
    }
}

#[test]
fn a_panic_inside_a_call_becomes_err_internal_and_leaves_out_parameters_alone() {
    let mut supported = 77;
    PANIC.set(true);
    // SAFETY: `supported` is ours.
    let status = unsafe { anyccl_is_supported(0, 0, &mut supported) };
    assert_eq!((status, supported), (ANYCCL_ERR_INTERNAL, 77));
    assert!(last_error().starts_with("anyccl_is_supported: internal error"), "{}", last_error());
    assert!(last_error().contains("asked for by a test"), "{}", last_error());
    // SAFETY: as above.
    let status = unsafe { anyccl_is_supported(0, 0, &mut supported) };
    assert_eq!((status, supported), (ANYCCL_SUCCESS, 1));
}

#[test]
fn a_handle_that_never_was_is_refused_and_named() {
    let mut size = 77;
    for handle in [2, 0xacc1_ffff_ffff, usize::MAX] {
        // SAFETY: `size` is ours; handles are looked up, not followed.
        let status = unsafe { anyccl_comm_size(to_c(handle), &mut size) };
        assert_eq!((status, size), (ANYCCL_ERR_INVALID_ARGUMENT, 77));
        assert!(last_error().starts_with("anyccl_comm_size: invalid comm: 0x"), "{}", last_error());
        assert_eq!(anyccl_comm_destroy(to_c(handle)), ANYCCL_ERR_INVALID_ARGUMENT);
        let mut request = std::ptr::without_provenance_mut(handle);
        // SAFETY: as above.
        assert_eq!(unsafe { anyccl_wait(&mut request) }, ANYCCL_ERR_INVALID_ARGUMENT);
        assert_eq!(request.addr(), handle);
    }
}

#[test]
fn a_request_that_is_null_has_ended() {
    let (mut request, mut done) = (null_mut(), 77);
    // SAFETY: all places are ours.
    assert_eq!(unsafe { anyccl_wait(&mut request) }, ANYCCL_SUCCESS);
    // SAFETY: as above.
    assert_eq!(unsafe { anyccl_test(&mut request, &mut done) }, ANYCCL_SUCCESS);
    assert_eq!(done, 1);
    // SAFETY: one request, which is NULL.
    assert_eq!(unsafe { anyccl_wait_all(1, &mut request) }, ANYCCL_SUCCESS);
    // SAFETY: no request at all.
    assert_eq!(unsafe { anyccl_wait_all(0, null_mut()) }, ANYCCL_SUCCESS);
    // SAFETY: NULL is refused.
    assert_eq!(unsafe { anyccl_wait_all(1, null_mut()) }, ANYCCL_ERR_INVALID_ARGUMENT);
}

#[test]
fn comm_create_refuses_ranks_and_sizes_that_cannot_be() {
    let id = anyccl_unique_id_t { bytes: [0; 128] };
    let mut comm = to_c(77);
    for (size, rank, what) in [(0, 0, "size"), (-1, 0, "size"), (2, 2, "rank"), (2, -1, "rank")] {
        // SAFETY: everything is ours.
        let status = unsafe { anyccl_comm_create(&id, size, rank, null(), &mut comm) };
        assert_eq!((status, comm.addr()), (ANYCCL_ERR_INVALID_ARGUMENT, 77));
        assert!(
            last_error().starts_with(&format!("anyccl_comm_create: invalid {what}: ")),
            "{}",
            last_error()
        );
    }
}

#[test]
fn a_config_of_another_version_is_accepted_when_nothing_unknown_is_set() {
    let read = |bytes: &[u64]| {
        // SAFETY: `bytes` is as long as its first word says, where that is at most 4096; the name is NULL.
        unsafe { config::read(bytes.as_ptr().cast()) }.map(|(_, own)| own.timeout)
    };
    let ms = |ms| Some(std::time::Duration::from_millis(ms));
    assert_eq!(read(&[8]).unwrap(), None);
    assert_eq!(read(&[24, 0, 1500]).unwrap(), ms(1500));
    assert_eq!(read(&[32, 0, 1500, 0]).unwrap(), ms(1500));
    // One word more than the library knows.
    const KNOWN: usize = size_of::<anyccl_config_t>();
    let mut larger = vec![0; KNOWN / 8 + 1];
    (larger[0], larger[2]) = (KNOWN as u64 + 8, 1500);
    assert_eq!(read(&larger).unwrap(), ms(1500));
    larger[KNOWN / 8] = 1;
    assert!(read(&larger).unwrap_err().to_string().contains(&format!("byte {KNOWN}")));
    for size in [0, 7, 4097, u64::MAX] {
        assert!(read(&[size, 0, 0, 0]).is_err(), "{size}");
    }
}

#[test]
fn a_config_says_what_is_wrong_with_it() {
    let wrong = [
        (anyccl_config_t { timeout_ms: -2, ..config() }, "timeout_ms"),
        (anyccl_config_t { log_level: 6, ..config() }, "log_level"),
        (anyccl_config_t { for_devices: 2, ..config() }, "for_devices"),
        (anyccl_config_t { deterministic: 2, ..config() }, "deterministic"),
        (anyccl_config_t { wire: 5, ..config() }, "wire"),
        (anyccl_config_t { wire: -1, ..config() }, "wire"),
        (anyccl_config_t { name: c"\xff".as_ptr(), ..config() }, "name"),
    ];
    for (config, what) in wrong {
        // SAFETY: a whole config, with a terminated name.
        let error = unsafe { config::read(&config) }.unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
    let for_devices = anyccl_config_t { for_devices: 1, ..config() };
    // SAFETY: as above.
    assert!(unsafe { config::read(&for_devices) }.unwrap().1.for_devices);
    for (given, wanted) in [(-1, Some(false)), (0, None), (1, Some(true))] {
        let deterministic = anyccl_config_t { deterministic: given, ..config() };
        // SAFETY: as above.
        assert_eq!(unsafe { config::read(&deterministic) }.unwrap().1.deterministic, wanted);
    }
    let formats = WireFormat::ALL.map(|format| Some(Some(format)));
    for (given, wanted) in (0..).zip([None, Some(None)].into_iter().chain(formats)) {
        let wire = anyccl_config_t { wire: given, ..config() };
        // SAFETY: as above.
        assert_eq!(unsafe { config::read(&wire) }.unwrap().1.wire, wanted);
    }
    let never = anyccl_config_t {
        timeout_ms: config::ANYCCL_TIMEOUT_NEVER.into(),
        name: c"mine".as_ptr(),
        ..config()
    };
    // SAFETY: as above.
    let (_, own) = unsafe { config::read(&never) }.unwrap();
    assert_eq!((own.timeout, own.name.as_deref()), (Some(std::time::Duration::ZERO), Some("mine")));
}

#[test]
fn every_status_has_a_name_of_its_own() {
    // SAFETY: always a terminated text.
    let name = |status: c_int| unsafe { CStr::from_ptr(anyccl_status_string(status)) };
    let names: std::collections::HashSet<&CStr> = (0..=ANYCCL_ERR_INTERNAL as c_int).map(name).collect();
    assert_eq!(names.len(), ANYCCL_ERR_INTERNAL as usize + 1);
    for outside in [-1, 11, c_int::MIN, c_int::MAX] {
        assert_eq!(name(outside), c"unknown status");
    }
}

#[test]
fn the_version_is_the_one_of_cargo_toml() {
    // SAFETY: always a terminated text.
    let text = unsafe { CStr::from_ptr(anyccl_version_string()) }.to_str().unwrap();
    assert_eq!(text, env!("CARGO_PKG_VERSION"));
    let number = anyccl_version();
    assert_eq!(text, format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100));
}
