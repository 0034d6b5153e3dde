//! What the tests stand on: a context that is current, and helpers that fail with the name of what failed.

#![allow(dead_code)]

pub mod flags;

use std::ffi::c_char;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use cuda::allocation::{cuMemAlloc_v2, cuMemFree_v2};
use cuda::argument::Out;
use cuda::context::api::cuCtxSetCurrent;
use cuda::context::primary::{cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRetain};
use cuda::control::cudaDoubleLiveObjects;
use cuda::copy::api::{cuMemcpyDtoH_v2, cuMemcpyHtoD_v2};
use cuda::delays::Naps;
use cuda::event::{cuEventCreate, cuEventDestroy_v2, cuEventRecord};
use cuda::init::cuInit;
use cuda::pinned::{cuMemFreeHost, cuMemHostAlloc};
use cuda::status::Status;
use cuda::stream::api::{
    cuStreamCreate, cuStreamCreateWithPriority, cuStreamDestroy_v2, cuStreamSynchronize,
};

/// Fails unless the call succeeded.
#[track_caller]
pub fn ok(status: Status) {
    assert_eq!(status, Status::SUCCESS);
}

/// The result of a function that writes one.
#[track_caller]
pub fn given<T: Default>(function: impl FnOnce(Out<T>) -> Status) -> T {
    let mut value = T::default();
    ok(function(Out::to(&mut value)));
    value
}

/// The primary context of device 0, current in this thread; tests that hold it run one after the other.
pub struct Context {
    pub handle: usize,
    _alone: MutexGuard<'static, ()>,
}

impl Context {
    pub fn current() -> Context {
        static ALONE: Mutex<()> = Mutex::new(());
        end_what_hangs();
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        ok(cuInit(0));
        let handle = given(|context| cuDevicePrimaryCtxRetain(context, 0));
        ok(cuCtxSetCurrent(handle));
        Context { handle, _alone: alone }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        cuDevicePrimaryCtxRelease_v2(0);
        cuCtxSetCurrent(0);
    }
}

/// Lets the kernel end the process if it still runs after three minutes. `CUDA_DOUBLE_TRACE=1` shows the
/// calls of a test that hangs.
fn end_what_hangs() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: takes a number. No other part of these tests uses the alarm of the process.
        unsafe { libc::alarm(180) };
    });
}

/// Memory of the device that holds these bytes.
pub fn device_memory(bytes: &[u8]) -> u64 {
    let address = given(|address| cuMemAlloc_v2(address, bytes.len()));
    ok(cuMemcpyHtoD_v2(address, bytes.as_ptr() as u64, bytes.len()));
    // The copy is only staged when the call returns, and streams that do not block do not wait for it.
    ok(cuStreamSynchronize(0));
    address
}

/// Bytes of the device's memory.
pub fn bytes_of(address: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    ok(cuMemcpyDtoH_v2(bytes.as_mut_ptr() as u64, address, length));
    bytes
}

pub fn free(address: u64) {
    ok(cuMemFree_v2(address));
}

/// Pinned memory.
pub struct Pinned {
    pub address: u64,
    length: usize,
}

impl Pinned {
    pub fn new(length: usize) -> Pinned {
        let address = given(|address| cuMemHostAlloc(address, length, 0));
        let pinned = Pinned { address, length };
        pinned.fill(0);
        pinned
    }

    pub fn fill(&self, byte: u8) {
        // SAFETY: the driver gave so many bytes.
        unsafe { std::ptr::write_bytes(self.address as *mut u8, byte, self.length) };
    }

    pub fn bytes(&self) -> Vec<u8> {
        (0..self.length)
            // SAFETY: the driver gave so many bytes; a stream may write them meanwhile, so each is read by
            // itself.
            .map(|index| unsafe { (self.address as *const u8).wrapping_add(index).read_volatile() })
            .collect()
    }

    /// The word at position `index`.
    pub fn word(&self, index: usize) -> &std::sync::atomic::AtomicU32 {
        assert!(4 * index + 4 <= self.length);
        let address = (self.address as *mut u32).wrapping_add(index);
        // SAFETY: the word lies in the memory, which is aligned to a page.
        unsafe { std::sync::atomic::AtomicU32::from_ptr(address) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        cuMemFreeHost(self.address);
    }
}

/// A stream that is destroyed at the end.
pub struct Stream(pub usize);

impl Stream {
    pub fn new(flags: u32) -> Stream {
        Stream(given(|stream| cuStreamCreate(stream, flags)))
    }

    pub fn synchronize(&self) {
        ok(cuStreamSynchronize(self.0));
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        cuStreamDestroy_v2(self.0);
    }
}

/// Lets the other streams work: runs many operations in a stream of its own, with their delays, to their end.
pub fn let_streams_work(priority: i32) {
    let stream = Stream(given(|stream| cuStreamCreateWithPriority(stream, 1, priority)));
    let event = given(|event| cuEventCreate(event, 2));
    for _ in 0..64 {
        ok(cuEventRecord(event, stream.0));
    }
    stream.synchronize();
    ok(cuEventDestroy_v2(event));
}

/// Waits until a count is at least `number`.
pub fn wait_for_count(name: &str, number: i64) {
    let (mut naps, start) = (Naps::short(), Instant::now());
    while live(name) < number {
        assert!(start.elapsed() < Duration::from_secs(60), "{name} is {}, not {number}", live(name));
        naps.nap();
    }
}

/// The count of live objects with this name.
pub fn live(name: &str) -> i64 {
    let mut text = [0 as c_char; 1024];
    ok(cudaDoubleLiveObjects(Out::to(&mut text[0]), text.len()));
    let text: String = text.iter().take_while(|&&byte| byte != 0).map(|&byte| byte as u8 as char).collect();
    let found = text.split(' ').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
    found.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no {name} in {text}"))
}

/// The role of this process in a test that runs several.
pub fn role() -> Option<String> {
    std::env::var("CUDA_DOUBLE_ROLE").ok()
}

/// A process that runs the test `name` of this program in a role.
pub fn process(name: &str, role: &str) -> std::process::Command {
    let program = std::env::current_exe().expect("a test knows its own program");
    let mut command = std::process::Command::new(program);
    command.args([name, "--exact", "--nocapture", "--test-threads=1"]).env("CUDA_DOUBLE_ROLE", role);
    command
}

/// Runs the test `name` in a role with these variables; its exit status and stderr.
pub fn run_alone(name: &str, variables: &[(&str, &str)]) -> (std::process::ExitStatus, String) {
    let mut command = process(name, "alone");
    // A crash on purpose leaves no file.
    let without_core_file = || {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the kernel reads the limit.
        unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) };
        Ok(())
    };
    // SAFETY: the function makes one system call, and allocates nothing between fork and exec.
    unsafe { std::os::unix::process::CommandExt::pre_exec(&mut command, without_core_file) };
    let output = command.envs(variables.iter().copied()).output().expect("a test can start its own program");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("running 1 test"), "no test has the name {name}: {said}");
    (output.status, String::from_utf8_lossy(&output.stderr).into_owned())
}
