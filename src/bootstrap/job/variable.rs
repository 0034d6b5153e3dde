//! Values of environment variables, read through a closure, and the errors for invalid values.

use super::seat::Seat;
use crate::base::{Error, Result};

/// Looks up a variable; unset and empty are both `None`.
pub(crate) type Lookup<'a> = &'a dyn Fn(&'static str) -> Option<String>;

/// The seat given by two variables.
pub(crate) fn seat_of(lookup: Lookup<'_>, rank_name: &'static str, size_name: &'static str) -> Result<Seat> {
    let rank = number(lookup, rank_name, size_name)?;
    let size = number(lookup, size_name, rank_name)?;
    if size == 0 {
        return Err(invalid(size_name, "0; a world has at least one rank"));
    }
    if rank >= size {
        return Err(invalid(
            rank_name,
            format!("{rank}; with {size_name}={size} ranks go from 0 to {}", size - 1),
        ));
    }
    Ok(Seat { rank, size })
}

/// The number in the variable `name`, which belongs together with `other`.
pub(crate) fn number(lookup: Lookup<'_>, name: &'static str, other: &'static str) -> Result<u32> {
    let Some(text) = lookup(name) else {
        let got = format!(
            "unset, but {other} or a variable that goes with it is set; set both, or unset all for a world of one"
        );
        return Err(invalid(name, got));
    };
    text.trim().parse().map_err(|_| invalid(name, format!("\"{text}\"; accepted: a whole number")))
}

/// The error for a variable with an invalid value.
pub(crate) fn invalid(what: &'static str, got: impl Into<String>) -> Error {
    Error::InvalidArgument { what, got: got.into() }
}
