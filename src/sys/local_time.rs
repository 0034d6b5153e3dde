//! The calendar and the clock on the wall, in the time zone of this process.

use std::mem::MaybeUninit;
use std::time::{SystemTime, UNIX_EPOCH};

/// Date and time of now, such as `2026-06-19 06:51:56`.
pub fn date_and_time() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as libc::time_t;
    let mut parts = MaybeUninit::<libc::tm>::zeroed();
    // SAFETY: reads a number and writes a structure, both of which outlive the call.
    let _ = unsafe { libc::localtime_r(&raw const seconds, parts.as_mut_ptr()) };
    // SAFETY: zero is valid for each field, and a call that fails has written none.
    let parts = unsafe { parts.assume_init() };
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
        parts.tm_year + 1900,
        parts.tm_mon + 1,
        parts.tm_mday,
        parts.tm_hour,
        parts.tm_min,
        parts.tm_sec
    )
}
