//! Memory of a device that other processes map: the same bytes at both ends, and nothing left behind.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::process::Command;
use std::sync::Mutex;

use crate::common;
use anyccl_engine::device::Exportable;
use anyccl_engine::device::allocations::{self, DeviceMemory};
use common::device::double;
use common::processes::name_of_test;

const BYTES: usize = 3 << 20;
/// What is counted, and must be as before at the end.
const OBJECTS: [&str; 5] = ["reservations", "physical", "mappings", "bytes", "descriptors"];
/// The tests count live objects, so they run one after the other.
static ALONE: Mutex<()> = Mutex::new(());

fn live() -> Vec<u64> {
    OBJECTS.iter().map(|kind| double().live(kind)).collect()
}

#[test]
fn an_import_shows_the_memory_of_the_export_and_outlives_it() {
    let _alone = ALONE.lock();
    let before = double().live("physical");
    let counts = live();
    let owner = Exportable::allocate(0, BYTES).unwrap();
    assert!(owner.bytes() >= BYTES && Exportable::is_supported(0).unwrap());
    let content: Vec<u8> = (0..BYTES).map(|at| (at % 251) as u8).collect();
    double().write(owner.address(), &content);
    let descriptor = owner.export().unwrap();
    let importer = Exportable::import(0, descriptor.as_fd(), owner.bytes()).unwrap();
    assert_ne!(importer.address(), owner.address());
    drop((owner, descriptor));
    assert!(double().read(importer.address(), BYTES) == content);
    drop(importer);
    assert_eq!(double().live("physical"), before);
    assert_eq!(live(), counts);
}

#[test]
fn another_process_maps_the_memory_and_its_writes_are_seen() {
    const NAME: &str = "another_process_maps_the_memory_and_its_writes_are_seen";
    if let Ok(given) = std::env::var("EXPORTED") {
        let numbers: Vec<i64> = given.split(' ').map(|number| number.parse().unwrap()).collect();
        double();
        // SAFETY: the parent left this descriptor open for this process.
        let descriptor = unsafe { BorrowedFd::borrow_raw(numbers[0] as i32) };
        let memory = Exportable::import(0, descriptor, numbers[1] as usize).unwrap();
        assert_eq!(double().read(memory.address(), 5), b"hello");
        return double().write(memory.address() + 5, b" world");
    }
    let _alone = ALONE.lock();
    double();
    let memory = Exportable::allocate(0, 1).unwrap();
    double().write(memory.address(), b"hello");
    let descriptor = memory.export().unwrap();
    // SAFETY: an open descriptor, which the child inherits from now on.
    assert_eq!(unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_SETFD, 0) }, 0);
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([&name_of_test(module_path!(), NAME), "--exact", "--test-threads=1"]);
    child.env("EXPORTED", format!("{} {}", descriptor.as_raw_fd(), memory.bytes()));
    assert!(child.status().unwrap().success());
    assert_eq!(double().read(memory.address(), 11), b"hello world");
}

#[test]
fn memory_of_the_library_is_freed_once_and_leaves_nothing() {
    let _alone = ALONE.lock();
    double();
    let before = (double().live("allocations"), live());
    for kind in [DeviceMemory::Plain, DeviceMemory::Exportable] {
        let memory = allocations::allocate(kind, BYTES).unwrap();
        double().write(memory as u64, &[7; BYTES]);
        assert!(!allocations::free(memory + 1).unwrap());
        assert!(allocations::free(memory).unwrap());
        assert!(!allocations::free(memory).unwrap());
        assert!(allocations::allocate(kind, 1 << 60).is_err());
    }
    assert_eq!((double().live("allocations"), live()), before);
}

#[test]
fn a_driver_that_fails_at_its_nth_call_leaves_nothing_behind() {
    let _alone = ALONE.lock();
    if double().leaves_out("calls that fail when they are told to") {
        return;
    }
    let attempt = || -> anyccl_engine::base::Result<()> {
        let owner = Exportable::allocate(0, BYTES)?;
        let descriptor = owner.export()?;
        let importer = Exportable::import(0, descriptor.as_fd(), owner.bytes())?;
        importer.let_access(0)
    };
    attempt().unwrap();
    let before = live();
    for function in [
        "cuMemGetAllocationGranularity:1",
        "cuMemCreate:1",
        "cuMemAddressReserve:1",
        "cuMemMap:1",
        "cuMemSetAccess:1",
        "cuMemExportToShareableHandle:1",
        "cuMemImportFromShareableHandle:1",
        "cuMemAddressReserve:2",
        "cuMemMap:2",
        "cuMemSetAccess:2",
        "cuMemSetAccess:3",
    ] {
        double().set_faults(function, "");
        let error = attempt().expect_err(function);
        double().set_faults("", "");
        let name = function.split(':').next().unwrap();
        assert!(error.to_string().contains(name), "{function}: {error}");
        assert_eq!(live(), before, "{function}");
    }
}
