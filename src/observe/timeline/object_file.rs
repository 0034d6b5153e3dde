//! A file with an array of JSON objects, each in a line. Its end may be missing.
//!
//! Text is collected in memory, and written when there is much of it, or when somebody asks for that. If it
//! cannot be written, there is one warning, and nothing more is kept. A child of fork writes nothing.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use crate::base::Rank;
use crate::log_line;
use crate::sys::owned::Owned;
use crate::sys::{fork, limits};

/// Text that is kept in memory.
const MOST_KEPT: usize = 256 << 10;

/// The file of a rank.
#[derive(Debug)]
pub(super) struct ObjectFile {
    /// `None` once it could not be written.
    pub(super) file: Option<Owned<File>>,
    pub(super) path: PathBuf,
    pub(super) text: String,
    rank: Rank,
    /// The process that writes: a child of fork does not.
    epoch: u16,
    /// Bytes of the file.
    written: usize,
}

impl ObjectFile {
    /// Makes the file. It is an error if it is there.
    pub fn create(path: PathBuf, rank: Rank) -> io::Result<ObjectFile> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let (file, text) = (Some(Owned::new(file)), "[\n".into());
        Ok(ObjectFile { file, path, text, rank, epoch: fork::epoch(), written: 0 })
    }

    /// Whether it can be written.
    pub fn is_open(&self) -> bool {
        self.file.is_some()
    }

    /// Adds an object, whose members are given.
    pub fn push(&mut self, object: &str) {
        if self.file.is_none() {
            return;
        }
        if self.text != "[\n" {
            self.text.push_str(",\n");
        }
        self.text.push('{');
        self.text.push_str(object);
        self.text.push('}');
        if self.text.len() >= MOST_KEPT {
            self.flush();
        }
    }

    /// Writes what is in memory.
    pub fn flush(&mut self) {
        if fork::last_epoch() != self.epoch {
            self.file = None;
        }
        let Some(file) = &mut self.file else { return };
        self.written += self.text.len();
        if let Err(error) =
            limits::check_file(self.written).and_then(|()| file.write_all(self.text.as_bytes()))
        {
            let path = self.path.display();
            log_line!(Warn, "rank {}: its file ends here: cannot write {path}: {error}", self.rank);
            self.file = None;
        }
        self.text.clear();
    }

    /// Ends the file.
    pub fn end(&mut self) {
        if self.file.is_none() {
            return;
        }
        self.text.push_str("\n]\n");
        self.flush();
        self.file = None;
    }
}
