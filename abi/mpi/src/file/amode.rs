//! Access modes (MPI 5.0, section 14.2.1).

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;

use crate::constants as c;
use crate::error::{Class, Error, Result};

/// The three modes, of which each file has one.
const DIRECTIONS: i32 = c::MODE_RDONLY | c::MODE_WRONLY | c::MODE_RDWR;
const KNOWN: i32 = DIRECTIONS
    | c::MODE_CREATE
    | c::MODE_EXCL
    | c::MODE_DELETE_ON_CLOSE
    | c::MODE_UNIQUE_OPEN
    | c::MODE_SEQUENTIAL
    | c::MODE_APPEND;

/// Refuses an access mode that no file can have.
pub fn check(amode: i32) -> Result<()> {
    let has = |bits| amode & bits != 0;
    let why = if amode & !KNOWN != 0 {
        "it has an unknown bit"
    } else if (amode & DIRECTIONS).count_ones() != 1 {
        "it needs one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR"
    } else if has(c::MODE_RDONLY) && has(c::MODE_CREATE | c::MODE_EXCL) {
        "MPI_MODE_RDONLY excludes MPI_MODE_CREATE and MPI_MODE_EXCL"
    } else if has(c::MODE_RDWR) && has(c::MODE_SEQUENTIAL) {
        "MPI_MODE_RDWR excludes MPI_MODE_SEQUENTIAL"
    } else {
        return Ok(());
    };
    Err(Error::new(Class::AMODE, format!("the access mode is impossible: {why}")))
}

/// How to open a file. `is_first`: before all other processes, so this one creates the file, with these
/// permissions.
pub fn options(amode: i32, is_first: bool, permissions: u32) -> OpenOptions {
    let has = |bits| amode & bits != 0;
    let mut flags = 0;
    if has(c::MODE_CREATE) && is_first {
        flags |= libc::O_CREAT;
    }
    if has(c::MODE_EXCL) && is_first {
        flags |= libc::O_EXCL;
    }
    let mut options = OpenOptions::new();
    options.read(!has(c::MODE_WRONLY)).write(!has(c::MODE_RDONLY)).custom_flags(flags).mode(permissions);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_access_modes_are_refused() {
        let good =
            [c::MODE_RDONLY, c::MODE_WRONLY | c::MODE_CREATE | c::MODE_EXCL, c::MODE_RDWR | c::MODE_APPEND];
        let bad =
            [0, c::MODE_RDONLY | c::MODE_CREATE, c::MODE_RDWR | c::MODE_SEQUENTIAL, 1 << 20 | c::MODE_RDWR];
        assert!(good.into_iter().all(|amode| check(amode).is_ok()));
        assert!(bad.into_iter().all(|amode| check(amode).is_err_and(|error| error.class == Class::AMODE)));
    }
}
