//! Files that anybody may have written: how they are opened, and how their texts are shown.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::failure::Failure;

/// Opens a file. A pipe is refused, because it would keep its reader waiting.
pub fn open(path: &Path) -> Result<File, Failure> {
    let open = || OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    let file = open().map_err(|error| unreadable(path, &error))?;
    let is_file = file.metadata().is_ok_and(|data| data.is_file());
    if is_file { Ok(file) } else { Err(unreadable(path, &"it is no regular file")) }
}

pub fn unreadable(what: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::own(format_args!("cannot read {}: {error}", what.display()))
}

/// Makes control characters spaces, because a terminal would obey them.
pub fn clean(text: &mut String) {
    if text.contains(char::is_control) {
        *text = text.replace(char::is_control, " ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_a_file_reach_no_terminal() {
        let mut text = "world\u{1b}[31m".to_string();
        clean(&mut text);
        assert_eq!(text, "world [31m");
    }
}
