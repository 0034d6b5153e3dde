//! The shared file pointer: a number in a small file that all ranks have open and nobody can find by name.
//!
//! Rank 0 makes the file when the program's file is opened: in shared memory if all ranks are on one host,
//! otherwise beside the program's file. Its name is removed as soon as all ranks have it open, so nothing is
//! left behind by a job that is killed. A lock makes reading and writing the number one step.

use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyccl_engine::comm::Communicator;
use parking_lot::Mutex;

use super::lock::Lock;
use crate::comm::agreement::{broadcast, gather};
use crate::error::{Class, Error, Result};

/// A shared file pointer, in etypes.
pub struct SharedPointer {
    file: File,
    /// Locks exclude other processes only.
    turn: Mutex<()>,
}

/// Bytes of the number.
const LEN: i64 = 8;

impl SharedPointer {
    /// Makes the pointer for a program's file. Collective. `None`: a rank cannot have it.
    pub fn make(engine: &Communicator, path: &Path) -> Result<Option<SharedPointer>> {
        let mut token = [RandomState::new().hash_one(std::process::id())];
        broadcast(engine, 0, &mut token)?;
        let place = place(engine, path, token[0]);
        let open = |is_first| {
            OpenOptions::new().read(true).write(true).create_new(is_first).mode(0o600).open(&place).ok()
        };
        // A disk may be full, and a file system may have no locks: then no rank has the pointer.
        let made = if engine.rank() == 0 { open(true).filter(is_usable) } else { None };
        // The other ranks open the file that rank 0 has made.
        gather(engine, [0])?;
        let file = if engine.rank() == 0 { made } else { open(false) };
        let all = gather(engine, [u64::from(file.is_some())])?;
        if engine.rank() == 0 {
            // If it was not made, there is nothing to be removed.
            let _ = std::fs::remove_file(&place);
        }
        let have_all = all.iter().all(|[has]| *has == 1);
        Ok(file.filter(|_| have_all).map(|file| SharedPointer { file, turn: Mutex::new(()) }))
    }

    /// Replaces the number by what `change` makes of it, in one step. Returns the old one.
    pub fn update(&self, change: impl FnOnce(i64) -> Result<i64>) -> Result<i64> {
        let _turn = self.turn.lock();
        let _lock = Lock::take(&self.file, 0, LEN, true).map_err(failed)?;
        let mut bytes = [0; LEN as usize];
        let old = match self.file.read_exact_at(&mut bytes, 0) {
            Ok(()) => i64::from_ne_bytes(bytes),
            // Nobody has set it yet.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => 0,
            Err(error) => return Err(failed(error)),
        };
        let new = change(old)?;
        self.file.write_all_at(&new.to_ne_bytes(), 0).map_err(failed)?;
        Ok(old)
    }

    /// Moves the pointer. Returns where it was.
    pub fn add(&self, etypes: i64) -> Result<i64> {
        let too_large = || Error::new(Class::ARG, "the file pointer would be too large");
        self.update(|old| old.checked_add(etypes).ok_or_else(too_large))
    }

    /// Where the pointer is.
    pub fn get(&self) -> Result<i64> {
        self.update(Ok)
    }

    /// Sets the pointer.
    pub fn set(&self, etypes: i64) -> Result<()> {
        self.update(|_| Ok(etypes)).map(drop)
    }
}

fn is_usable(file: &File) -> bool {
    Lock::take(file, 0, LEN, true).is_ok() && file.write_all_at(&0i64.to_ne_bytes(), 0).is_ok()
}

fn place(engine: &Communicator, path: &Path, token: u64) -> PathBuf {
    if engine.local_size() == engine.size() {
        return PathBuf::from(format!("/dev/shm/anyccl-file-{token:x}"));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.anyccl-{token:x}"))
}

#[cold]
fn failed(error: io::Error) -> Error {
    Error::new(Class::IO, format!("the shared file pointer: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_move_the_pointer_get_ranges_that_do_not_overlap() {
        let path = std::env::temp_dir().join(format!("anyccl-shared-{}", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let pointer = SharedPointer { file, turn: Mutex::new(()) };
        let mut starts: Vec<i64> = std::thread::scope(|scope| {
            let add = || (0..100).map(|_| pointer.add(3).unwrap()).collect::<Vec<_>>();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(add)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        starts.sort_unstable();
        assert_eq!(starts, (0..400).map(|at| at * 3).collect::<Vec<_>>());
        let seek = || {
            for _ in 0..100 {
                pointer.update(|old| Ok(old + 1)).unwrap();
            }
        };
        pointer.set(0).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(seek);
            scope.spawn(seek);
            for _ in 0..100 {
                pointer.add(1).unwrap();
            }
        });
        assert_eq!(pointer.get().unwrap(), 300);
        pointer.set(7).unwrap();
        assert_eq!(pointer.get().unwrap(), 7);
        assert!(pointer.add(i64::MAX).is_err() && pointer.get().unwrap() == 7);
    }
}
