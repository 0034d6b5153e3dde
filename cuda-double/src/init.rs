//! The beginning and the end of the driver in a process: `cuInit`, and the report of what was left.

use std::io::Write;

use crate::entry::{self, before_init};
use crate::settings::settings;
use crate::status::Status;
use crate::{counts, device, faults, loud};

/// `cuInit`. A forked child of a process that has called it gets an error, as with CUDA.
#[unsafe(no_mangle)]
pub extern "C" fn cuInit(flags: u32) -> Status {
    before_init("cuInit", || {
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        if entry::begin()? {
            report_at_exit();
        }
        if device::count() == 0 { Err(Status::NO_DEVICE) } else { Ok(()) }
    })
}

/// All counts on one line, such as `allocations=0 bytes=0`; at its end the calls, and those that were made to
/// fail.
pub fn line() -> String {
    let mut line: String = counts::all().map(|(name, count)| format!("{name}={count} ")).collect();
    let (calls, failures) = faults::counts();
    line.push_str(&format!("descriptors={} calls={calls} failures={failures}", counts::open_descriptors()));
    line
}

/// At the exit of the process, writes the counts if the settings say where, and ends the driver.
fn report_at_exit() {
    extern "C" fn report() {
        entry::end();
        if let Some(place) = &settings().report
            && let Err(error) = write(place)
        {
            loud::say(&format!("CUDA_DOUBLE_REPORT={place}: {error}"));
        }
    }
    // SAFETY: the function stays loaded, as the library is linked with nodelete.
    unsafe { libc::atexit(report) };
}

fn write(place: &str) -> std::io::Result<()> {
    let line = format!("cuda-double pid={} {}\n", std::process::id(), line());
    let path = place.parse::<u32>().map_or_else(|_| place.into(), |fd| format!("/proc/self/fd/{fd}"));
    std::fs::OpenOptions::new().append(true).create(true).open(path)?.write_all(line.as_bytes())
}
