//! Memory of a device: a file without a name (memfd), so that other processes can map it and nothing is left
//! behind.
//!
//! The last page of the file is not memory of the device. It says what the file is, so that a descriptor
//! alone is enough to import it.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;

use crate::status::{Result, Status};

/// Size of a page.
pub const PAGE: u64 = 4096;
/// What fresh memory holds.
pub const FRESH: u8 = 0xA5;
/// What freed memory holds.
pub const FREED: u8 = 0xDE;
/// Bytes that are filled at most.
const LARGEST_FILL: u64 = 256 << 20;
/// First word of the last page.
const MAGIC: u64 = 0x6375_6461_2d64_626c;

/// Memory of one allocation.
#[derive(Debug)]
pub struct MemoryFile {
    file: File,
    /// Bytes of memory, a multiple of [`PAGE`].
    pub size: u64,
    /// Position of the device on the machine.
    pub device: u64,
    /// `CUmemAllocationHandleType`s for which the memory may be exported.
    pub handle_types: u64,
}

impl MemoryFile {
    /// Memory of at least `bytes` bytes, filled with [`FRESH`].
    pub fn create(bytes: u64, device: usize, handle_types: u64) -> Result<MemoryFile> {
        let size = bytes.next_multiple_of(PAGE);
        // SAFETY: the name is a string that ends with a zero.
        let descriptor = unsafe { libc::memfd_create(c"cuda-double".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(Status::OPERATING_SYSTEM);
        }
        // SAFETY: the descriptor is new, and nobody else owns it.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
        let memory = MemoryFile { file, size, device: device as u64, handle_types };
        let trailer: Vec<u8> =
            [MAGIC, size, memory.device, handle_types].into_iter().flat_map(u64::to_ne_bytes).collect();
        memory.file.set_len(size + PAGE).map_err(|_| Status::OUT_OF_MEMORY)?;
        memory.file.write_all_at(&trailer, size).map_err(|_| Status::OUT_OF_MEMORY)?;
        memory.fill(FRESH)?;
        Ok(memory)
    }

    /// The memory behind a descriptor that another process or this one exported.
    pub fn from_descriptor(descriptor: OwnedFd) -> Result<MemoryFile> {
        let file = File::from(descriptor);
        let length = file.metadata().map_err(|_| Status::INVALID_VALUE)?.len();
        let size = length.checked_sub(PAGE).ok_or(Status::INVALID_VALUE)?;
        let mut trailer = [0; 32];
        file.read_exact_at(&mut trailer, size).map_err(|_| Status::INVALID_VALUE)?;
        let words: Vec<u64> = trailer
            .chunks_exact(8)
            .map(|word| u64::from_ne_bytes(word.try_into().unwrap_or_default()))
            .collect();
        if words[0] != MAGIC || words[1] != size {
            return Err(Status::INVALID_VALUE);
        }
        Ok(MemoryFile { file, size, device: words[2], handle_types: words[3] })
    }

    /// Fills the memory with one byte; of very large memory only both ends, as each filled page takes real
    /// memory.
    pub fn fill(&self, byte: u8) -> Result {
        let ends = self.size.min(LARGEST_FILL / 2);
        self.fill_part(byte, 0, ends)?;
        self.fill_part(byte, self.size.saturating_sub(LARGEST_FILL / 2).max(ends), self.size)
    }

    fn fill_part(&self, byte: u8, start: u64, end: u64) -> Result {
        let piece = vec![byte; (end - start).min(1 << 20) as usize];
        let mut offset = start;
        while offset < end {
            let length = (end - offset).min(piece.len() as u64);
            self.file.write_all_at(&piece[..length as usize], offset).map_err(|_| Status::OUT_OF_MEMORY)?;
            offset += length;
        }
        Ok(())
    }

    /// A descriptor of the same memory.
    pub fn duplicate(&self) -> Result<OwnedFd> {
        self.file.try_clone().map(OwnedFd::from).map_err(|_| Status::OPERATING_SYSTEM)
    }

    /// The descriptor, for mappings.
    pub fn descriptor(&self) -> i32 {
        self.file.as_raw_fd()
    }

    /// A number that tells the memory from all other memory of this machine.
    pub fn inode(&self) -> u64 {
        use std::os::unix::fs::MetadataExt;
        self.file.metadata().map_or(0, |metadata| metadata.ino())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_is_enough_to_find_the_memory_again() {
        let memory = MemoryFile::create(100, 3, 1).unwrap();
        let again = MemoryFile::from_descriptor(memory.duplicate().unwrap()).unwrap();
        assert_eq!((again.size, again.device, again.handle_types), (PAGE, 3, 1));
        let mut bytes = [0; 100];
        again.file.read_exact_at(&mut bytes, 0).unwrap();
        assert_eq!(bytes, [FRESH; 100]);
    }

    #[test]
    fn a_descriptor_of_something_else_is_refused() {
        let file = File::open("/proc/self/exe").unwrap();
        assert_eq!(MemoryFile::from_descriptor(file.into()).unwrap_err(), Status::INVALID_VALUE);
    }
}
