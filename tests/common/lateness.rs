//! Limits on the time until an error is known, on a machine that may itself be late.

use std::fmt::Display;
use std::time::Duration;

/// Number of attempts. A library that is late in each of them is late.
const ATTEMPTS: usize = 3;

/// Something came later than its limit.
#[derive(Debug)]
pub struct Late(String);

/// Checks that `who` was told of an event within `limit`.
pub fn within(limit: Duration, late: Duration, who: impl Display) -> Result<(), Late> {
    if late < limit { Ok(()) } else { Err(Late(format!("{who} learnt it after {late:?}, not {limit:?}"))) }
}

/// Runs a trial until it is in time, at most three times: another load of the machine may make it late. Only
/// lateness is forgiven; everything else that is wrong must panic.
pub fn in_time<T>(mut trial: impl FnMut() -> Result<T, Late>) -> T {
    let mut said = Vec::new();
    for _ in 0..ATTEMPTS {
        match trial() {
            Ok(value) => return value,
            Err(Late(text)) => said.push(text),
        }
    }
    panic!("late in each of {ATTEMPTS} attempts: {said:?}");
}
