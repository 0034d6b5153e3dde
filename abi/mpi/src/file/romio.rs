//! Numbers for files that MPICH and Open MPI share, because both began with ROMIO's, and the corresponding
//! ones of the standard ABI.

use crate::constants as c;

/// `MPI_DISPLACEMENT_CURRENT`.
pub const DISPLACEMENT_CURRENT: i64 = -54_278_278;

/// Bits of an access mode: that of the standard ABI, and ROMIO's.
const MODES: [(i32, i32); 9] = [
    (c::MODE_CREATE, 1),
    (c::MODE_RDONLY, 2),
    (c::MODE_WRONLY, 4),
    (c::MODE_RDWR, 8),
    (c::MODE_DELETE_ON_CLOSE, 16),
    (c::MODE_UNIQUE_OPEN, 32),
    (c::MODE_EXCL, 64),
    (c::MODE_APPEND, 128),
    (c::MODE_SEQUENTIAL, 256),
];
/// Bits that are in no access mode.
const UNKNOWN: i32 = !511;

const WHENCES: [(i32, i32); 3] = [(c::SEEK_SET, 600), (c::SEEK_CUR, 602), (c::SEEK_END, 604)];

/// The access mode of the standard ABI. Unknown bits stay, and are refused.
pub fn access_mode(raw: i32) -> i32 {
    let known = MODES.iter().filter(|(_, its)| raw & its != 0);
    known.fold(raw & UNKNOWN, |mode, (bit, _)| mode | bit)
}

/// ROMIO's access mode.
pub fn raw_access_mode(mode: i32) -> i32 {
    let known = MODES.iter().filter(|(bit, _)| mode & bit != 0);
    known.fold(mode & UNKNOWN, |raw, (_, its)| raw | its)
}

/// The place of the standard ABI from which a seek counts; 0 for none.
pub fn whence(raw: i32) -> i32 {
    WHENCES.iter().find(|(_, its)| *its == raw).map_or(0, |(whence, _)| *whence)
}

/// ROMIO's place from which a seek counts; 0 for none.
pub fn raw_whence(whence: i32) -> i32 {
    WHENCES.iter().find(|(its, _)| *its == whence).map_or(0, |(_, raw)| *raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn access_modes_and_whences_come_back_from_either_form() {
        for mode in 0..512 {
            assert_eq!(raw_access_mode(access_mode(mode)), mode);
        }
        assert_eq!(access_mode(1 | 4), c::MODE_CREATE | c::MODE_WRONLY);
        assert_eq!(access_mode(1 << 20), 1 << 20);
        assert_eq!((whence(604), raw_whence(c::SEEK_CUR), whence(c::SEEK_SET)), (c::SEEK_END, 602, 0));
    }
}
