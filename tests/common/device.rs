//! Memory of a pretended GPU: the driver double, loaded into this process, and buffers in it.
//!
//! The double is built next to the test program. A test allocates the device memory of all ranks before its
//! ranks begin ([`Arena`]), because an allocation waits until the device is idle.
//!
//! `ANYCCL_TEST_DRIVER` names another driver: with `libcuda.so.1` the tests use the GPU of this machine.
//! Seeds do nothing there, no objects are counted, and tests that make the driver fail cannot run.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

use anyccl_engine::base::{Collective, Datatype, ReduceOp, Result};
use anyccl_engine::comm::{Communicator, Operation};
use anyccl_engine::config::{Config, DevicePathChoice};
use anyccl_engine::device::CudaStream;
use anyccl_engine::device::allocations::{self, DeviceMemory};

use super::attempt::Placement;
use super::case::{Case, support_table};
use super::sample::points;

/// Functions of the double that tests call.
pub struct Double {
    set_context: unsafe extern "C" fn(*mut c_void) -> c_int,
    allocate: unsafe extern "C" fn(*mut u64, usize) -> c_int,
    allocate_async: unsafe extern "C" fn(*mut u64, usize, *mut c_void) -> c_int,
    free: unsafe extern "C" fn(u64) -> c_int,
    to_device: unsafe extern "C" fn(u64, *const c_void, usize) -> c_int,
    to_host: unsafe extern "C" fn(*mut c_void, u64, usize) -> c_int,
    to_host_async: unsafe extern "C" fn(*mut c_void, u64, usize, *mut c_void) -> c_int,
    fill_async: unsafe extern "C" fn(u64, u8, usize, *mut c_void) -> c_int,
    create_stream: unsafe extern "C" fn(*mut *mut c_void, c_uint) -> c_int,
    destroy_stream: unsafe extern "C" fn(*mut c_void) -> c_int,
    synchronize: unsafe extern "C" fn(*mut c_void) -> c_int,
    /// None: a real GPU.
    controls: Option<Controls>,
    context: usize,
    library: usize,
}

/// Functions that only the double has.
struct Controls {
    set_faults: unsafe extern "C" fn(*const c_char, c_int, *const c_char) -> c_int,
    set_seed: unsafe extern "C" fn(u64),
    corrupt: unsafe extern "C" fn(u64),
    live: unsafe extern "C" fn(*mut c_char, usize) -> usize,
}

/// Loads the double, once per process, and makes its context current in this thread.
pub fn double() -> &'static Double {
    let double = functions();
    // SAFETY: the primary context, which is kept.
    check(
        unsafe { (double.set_context)(std::ptr::with_exposed_provenance_mut(double.context)) },
        "cuCtxSetCurrent",
    );
    double
}

/// The functions of the double, whatever context this thread has.
fn functions() -> &'static Double {
    static DOUBLE: OnceLock<Double> = OnceLock::new();
    DOUBLE.get_or_init(load)
}

fn load() -> Double {
    let other = std::env::var("ANYCCL_TEST_DRIVER").ok();
    let is_double = other.is_none();
    let path = other.map_or_else(path_of_double, PathBuf::from);
    let name = CString::new(path.to_str().expect("a path of text")).expect("no NUL");
    // SAFETY: the double, built with this test, or the driver of this machine.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    assert!(!library.is_null(), "{} is not there: cargo builds the double with the tests", path.display());
    let init: unsafe extern "C" fn(c_uint) -> c_int = symbol(library, "cuInit");
    // SAFETY: the only valid argument.
    check(unsafe { init(0) }, "cuInit");
    let retain: unsafe extern "C" fn(*mut *mut c_void, c_int) -> c_int =
        symbol(library, "cuDevicePrimaryCtxRetain");
    let mut context = std::ptr::null_mut();
    // SAFETY: writes one handle.
    check(unsafe { retain(&mut context, device()) }, "cuDevicePrimaryCtxRetain");
    Double {
        set_context: symbol(library, "cuCtxSetCurrent"),
        allocate: symbol(library, "cuMemAlloc_v2"),
        allocate_async: symbol(library, "cuMemAllocAsync"),
        free: symbol(library, "cuMemFree_v2"),
        to_device: symbol(library, "cuMemcpyHtoD_v2"),
        to_host: symbol(library, "cuMemcpyDtoH_v2"),
        to_host_async: symbol(library, "cuMemcpyDtoHAsync_v2"),
        fill_async: symbol(library, "cuMemsetD8Async"),
        create_stream: symbol(library, "cuStreamCreate"),
        destroy_stream: symbol(library, "cuStreamDestroy_v2"),
        synchronize: symbol(library, "cuStreamSynchronize"),
        controls: is_double.then(|| Controls {
            set_faults: symbol(library, "cudaDoubleSetFaults"),
            set_seed: symbol(library, "cudaDoubleSetSeed"),
            corrupt: symbol(library, "cudaDoubleCorrupt"),
            live: symbol(library, "cudaDoubleLiveObjects"),
        }),
        context: context.expose_provenance(),
        library: library.expose_provenance(),
    }
}

fn path_of_double() -> PathBuf {
    let program = std::env::current_exe().expect("the path of the test");
    program.parent().expect("it lies in a folder").join("libcuda.so")
}

/// The device of this process: with `ANYCCL_TEST_DEVICES` devices, those of the ranks take turns.
fn device() -> c_int {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<c_int>().ok());
    number("ANYCCL_RANK").unwrap_or(0) % number("ANYCCL_TEST_DEVICES").unwrap_or(1)
}

fn symbol<F: Copy>(library: *mut c_void, name: &str) -> F {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let text = CString::new(name).expect("no NUL");
    // SAFETY: an open library and a terminated name.
    let address = unsafe { libc::dlsym(library, text.as_ptr()) };
    assert!(!address.is_null(), "the double has no {name}");
    // SAFETY: the address of a function of that type; the sizes are equal.
    unsafe { std::mem::transmute_copy(&address) }
}

pub(super) fn check(result: c_int, what: &str) {
    assert_eq!(result, 0, "{what}");
}

impl Double {
    fn controls(&self) -> &Controls {
        self.controls.as_ref().expect("this test needs the driver double: a real GPU cannot be told to fail")
    }

    /// Whether this is the driver of a real GPU.
    pub fn is_real(&self) -> bool {
        self.controls.is_none()
    }

    /// Whether a test must be left out on this driver, because it is that of a real GPU. Says so.
    pub fn leaves_out(&self, what: &str) -> bool {
        if self.is_real() {
            eprintln!("left out: a real GPU has no {what}");
        }
        self.is_real()
    }

    /// Number of devices that this process sees.
    pub fn device_count(&self) -> c_int {
        let count: unsafe extern "C" fn(*mut c_int) -> c_int =
            symbol(std::ptr::with_exposed_provenance_mut(self.library), "cuDeviceGetCount");
        let mut devices = 0;
        // SAFETY: writes one number.
        check(unsafe { count(&mut devices) }, "cuDeviceGetCount");
        devices
    }

    /// Pinned memory, which stays until the process ends.
    pub fn pinned(&self, bytes: usize) -> &'static mut [u8] {
        let allocate: unsafe extern "C" fn(*mut *mut u8, usize) -> c_int = self.function("cuMemAllocHost_v2");
        let mut start = std::ptr::null_mut();
        // SAFETY: writes one address.
        check(unsafe { allocate(&mut start, bytes) }, "cuMemAllocHost");
        // SAFETY: the first bytes of a page, and nothing else has these.
        unsafe { start.write_bytes(0, bytes) };
        // SAFETY: as many bytes as were allocated and written, and nobody frees them.
        unsafe { std::slice::from_raw_parts_mut(start, bytes) }
    }

    /// Copies bytes to the device, and waits.
    pub fn write(&self, to: u64, bytes: &[u8]) {
        // SAFETY: as many bytes as the slice has.
        check(unsafe { (self.to_device)(to, bytes.as_ptr().cast(), bytes.len()) }, "cuMemcpyHtoD");
        // The copy may return when the bytes are staged, and other streams do not wait for it.
        // SAFETY: NULL is the default stream.
        check(unsafe { (self.synchronize)(std::ptr::null_mut()) }, "cuStreamSynchronize");
    }

    /// Copies bytes from the device, and waits.
    pub fn read(&self, from: u64, bytes: usize) -> Vec<u8> {
        let mut read = vec![0; bytes];
        // SAFETY: as many bytes as the vector has.
        check(unsafe { (self.to_host)(read.as_mut_ptr().cast(), from, bytes) }, "cuMemcpyDtoH");
        read
    }

    /// Copies bytes from the device to pageable memory, behind what is in a stream. It returns when the
    /// stream has come to it.
    pub fn read_behind(&self, stream: &Stream, from: u64, bytes: usize) -> Vec<u8> {
        let mut read = vec![0; bytes];
        // SAFETY: as many bytes as the vector has. The copy has ended when this returns, since the memory is
        // pageable.
        let result = unsafe { (self.to_host_async)(read.as_mut_ptr().cast(), from, bytes, stream.0) };
        check(result, "cuMemcpyDtoHAsync");
        read
    }

    /// A function of the driver.
    pub(super) fn function<F: Copy>(&self, name: &str) -> F {
        symbol(std::ptr::with_exposed_provenance_mut(self.library), name)
    }

    /// Puts a fill into a stream.
    pub fn fill(&self, to: u64, byte: u8, bytes: usize, stream: &Stream) {
        // SAFETY: memory of a test.
        check(unsafe { (self.fill_async)(to, byte, bytes, stream.0) }, "cuMemsetD8Async");
    }

    /// Puts a copy on the device into a stream.
    pub fn copy(&self, to: u64, from: u64, bytes: usize, stream: &Stream) {
        let copy: unsafe extern "C" fn(u64, u64, usize, *mut c_void) -> c_int =
            self.function("cuMemcpyAsync");
        // SAFETY: memory of a test.
        check(unsafe { copy(to, from, bytes, stream.0) }, "cuMemcpyAsync");
    }

    /// Makes calls of the driver fail, or succeed and do nothing. Empty texts: none.
    pub fn set_faults(&self, fail: &str, ignore: &str) {
        self.replace_faults(fail, false, ignore);
    }

    /// Makes calls of the driver fail, and all calls after the first of them.
    pub fn set_sticky_faults(&self, fail: &str) {
        self.replace_faults(fail, true, "");
    }

    fn replace_faults(&self, fail: &str, is_sticky: bool, ignore: &str) {
        let (fail, ignore) = (CString::new(fail).expect("no NUL"), CString::new(ignore).expect("no NUL"));
        // SAFETY: terminated texts.
        let result =
            unsafe { (self.controls().set_faults)(fail.as_ptr(), c_int::from(is_sticky), ignore.as_ptr()) };
        check(result, "cudaDoubleSetFaults");
    }

    /// Makes the n-th operation from now on that runs in any stream an illegal access. The context is corrupt
    /// for the rest of the process.
    pub fn corrupt(&self, n: u64) {
        // SAFETY: without condition.
        unsafe { (self.controls().corrupt)(n) };
    }

    /// Sets the seed of streams that begin to work from now on.
    pub fn set_seed(&self, seed: u64) {
        if let Some(controls) = &self.controls {
            // SAFETY: without condition.
            unsafe { (controls.set_seed)(seed) };
        }
    }

    /// The number of live objects of a kind, as `cudaDoubleLiveObjects` counts them. On a real GPU: 0.
    pub fn live(&self, kind: &str) -> u64 {
        let Some(controls) = &self.controls else { return 0 };
        let mut text = vec![0u8; 1024];
        // SAFETY: writes a terminated text of at most that length.
        unsafe { (controls.live)(text.as_mut_ptr().cast(), text.len()) };
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
        let text = String::from_utf8_lossy(&text[..end]).into_owned();
        let found = text.split_whitespace().find_map(|pair| pair.strip_prefix(kind)?.strip_prefix('='));
        found.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no {kind} in {text}"))
    }
}

/// A stream of a test.
pub struct Stream(pub(super) *mut c_void);

// SAFETY: any thread may use a stream.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    /// Makes a stream that waits for no default stream.
    pub fn new() -> Stream {
        Stream::with_flags(1)
    }

    /// Makes a stream that waits for the legacy default stream, and that stream for it.
    pub fn blocking() -> Stream {
        Stream::with_flags(0)
    }

    fn with_flags(flags: c_uint) -> Stream {
        let mut stream = std::ptr::null_mut();
        // SAFETY: writes one handle.
        check(unsafe { (double().create_stream)(&mut stream, flags) }, "cuStreamCreate");
        Stream(stream)
    }

    /// Its handle.
    pub fn handle(&self) -> CudaStream {
        CudaStream::from_raw(self.0)
    }

    /// Waits for everything in it.
    pub fn synchronize(&self) {
        assert!(self.has_drained(), "cuStreamSynchronize");
    }

    /// Waits for everything in it. Returns whether the driver has reported no error. This thread has a
    /// context.
    pub fn has_drained(&self) -> bool {
        // SAFETY: a live stream.
        unsafe { (functions().synchronize)(self.0) == 0 }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: a live stream, which nobody uses any more.
        unsafe { (double().destroy_stream)(self.0) };
    }
}

/// Device memory of one rank, handed out from the front.
pub struct Arena {
    start: u64,
    used: usize,
    bytes: usize,
    home: ArenaHome,
}

/// Kind of memory of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArenaHome {
    /// What the driver allocates for any program.
    Plain,
    /// Virtual memory that is exported as a descriptor.
    Exportable,
    /// Memory of the driver's pool, which cannot be exported.
    Pool,
    /// Memory of somebody else, who frees it.
    Borrowed,
}

impl Arena {
    /// Memory of the device.
    pub fn new(bytes: usize) -> Arena {
        Arena::of(ArenaHome::Plain, bytes)
    }

    /// Memory of the device, of a kind.
    pub fn of(home: ArenaHome, bytes: usize) -> Arena {
        let mut start = 0;
        match home {
            // SAFETY: writes one address.
            ArenaHome::Plain => check(unsafe { (double().allocate)(&mut start, bytes) }, "cuMemAlloc"),
            ArenaHome::Exportable => {
                double();
                start = allocations::allocate(DeviceMemory::Exportable, bytes).expect("room") as u64;
            }
            ArenaHome::Pool => {
                let driver = double();
                // SAFETY: writes one address; NULL is the default stream.
                let result = unsafe { (driver.allocate_async)(&mut start, bytes, std::ptr::null_mut()) };
                check(result, "cuMemAllocAsync");
                // SAFETY: as above.
                check(unsafe { (driver.synchronize)(std::ptr::null_mut()) }, "cuStreamSynchronize");
            }
            ArenaHome::Borrowed => panic!("somebody else's memory"),
        }
        Arena { start, used: 0, bytes, home }
    }

    /// The memory of another arena, which frees it.
    pub fn part_of(other: &Arena) -> Arena {
        Arena { start: other.start, used: 0, bytes: other.bytes, home: ArenaHome::Borrowed }
    }

    /// Frees the memory now.
    pub fn free(&mut self) {
        match std::mem::replace(&mut self.home, ArenaHome::Borrowed) {
            ArenaHome::Borrowed => {}
            ArenaHome::Exportable => drop(allocations::free(self.start as usize)),
            // SAFETY: memory of `of`, which nobody uses any more. A context that is corrupt refuses it.
            ArenaHome::Plain | ArenaHome::Pool => drop(unsafe { (double().free)(self.start) }),
        }
    }

    /// Its first byte.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// A piece of it. Pieces begin at odd addresses, so that nothing is aligned by luck.
    pub fn take(&mut self, bytes: usize) -> u64 {
        let at = self.used | 1;
        self.used = at + bytes;
        assert!(self.used <= self.bytes, "the arena is too small");
        self.start + at as u64
    }

    /// Makes all of it free again.
    pub fn clear(&mut self) {
        self.used = 0;
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.free();
    }
}

/// Calls of the table of what is supported, for one of several layouts of ranks. In a sample, each row goes
/// to one of them, and in the full product to all.
pub fn calls_of_table(layouts: usize, layout: usize, size: u32) -> Vec<(Case, Placement, Way)> {
    const WAYS: [Way; 3] = [Way::Blocking, Way::Started, Way::Stream];
    let mut calls = Vec::new();
    for (row, (collective, datatype, op)) in support_table().into_iter().enumerate() {
        for [of_layout, way, placement] in points(row, 1, [layouts, WAYS.len(), Placement::ALL.len()]) {
            if of_layout == layout {
                let case = Case { collective, datatype, op, root: row as u32 % size, count: 1 + row % 7 };
                calls.push((case, Placement::ALL[placement], WAYS[way]));
            }
        }
    }
    calls
}

/// The settings for each path of collectives on device memory. The direct path needs ranks that have a
/// device before they join ([`have_device`]).
pub fn both_paths(config: &Config) -> [Config; 2] {
    [DevicePathChoice::Staged, DevicePathChoice::Direct]
        .map(|device_path| Config { device_path, ..config.clone() })
}

/// Gives the calling rank a device.
pub fn have_device() {
    double();
}

/// How a rank makes a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// On host memory.
    Host,
    /// On device memory, to its end.
    Blocking,
    /// On device memory, with a request.
    Started,
    /// On device memory, as part of a stream.
    Stream,
}

impl Way {
    pub const ALL: [Way; 4] = [Way::Host, Way::Blocking, Way::Started, Way::Stream];
}

/// Makes a call with device buffers, and returns when it has ended.
pub fn call(way: Way, comm: &Communicator, stream: &Stream, operation: &Operation) -> Result<()> {
    comm.set_stream(matches!(way, Way::Stream).then(|| stream.handle()));
    match way {
        // SAFETY: the buffers of the attempt live until this returns, and the call has ended by then.
        Way::Host | Way::Blocking => unsafe { comm.run(operation) },
        // SAFETY: as above.
        Way::Started => unsafe { comm.start(operation) }?.wait(),
        Way::Stream => {
            // SAFETY: as above: the stream passes the call before this returns.
            let outcome = unsafe { comm.run(operation) };
            stream.synchronize();
            // The stream also passes calls that have failed.
            outcome.and_then(|()| comm.failure().map_or(Ok(()), Err))
        }
    }
}

/// Makes sums on a stream of the communicator, on two ranks. The input of each is enqueued before it, and the
/// next input after it. The host does not wait between them.
pub fn check_order_in_stream(comm: &Communicator, (arena, stream): &mut (Arena, Stream), seed: u64) {
    const BYTES: usize = 300_000;
    const ROUNDS: u8 = 5;
    comm.set_stream(Some(stream.handle()));
    let buffer = arena.take(BYTES);
    for round in 1..=ROUNDS {
        double().fill(buffer, round + comm.rank() as u8, BYTES, stream);
        let place = std::ptr::with_exposed_provenance_mut::<u8>(buffer as usize);
        let case = Case::reducing(Collective::AllReduce, Datatype::Uint8, ReduceOp::Sum, 0, BYTES);
        let operation = Operation { call: case.call(), send: place.cast_const(), recv: place };
        // SAFETY: the buffer lives until the stream has passed the call.
        unsafe { comm.run(&operation) }.unwrap();
    }
    stream.synchronize();
    let sum = ROUNDS + (ROUNDS + 1);
    assert!(double().read(buffer, BYTES).iter().all(|byte| *byte == sum), "seed {seed}");
}
