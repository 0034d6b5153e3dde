//! Memory shared between processes: a sealed `memfd`, mapped.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;

use super::limits;

const SEALS: libc::c_int = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

/// A mapping that is unmapped on drop. Several processes use its bytes: use atomics and raw pointers, never
/// references to plain data.
#[derive(Debug)]
pub struct SharedMemory(Shared<Mapping>);

#[cfg(not(sanitizer))]
type Shared<T> = T;
/// Sanitizers know memory by its address. Threads at both ends of a pair must see one address, else
/// ThreadSanitizer misses what the words of the pair put in order.
#[cfg(sanitizer)]
type Shared<T> = std::sync::Arc<T>;

#[derive(Debug)]
struct Mapping {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: a mapping is valid for all threads of the process. The users of `start` are responsible for its
// bytes, and use atomics and raw copies.
unsafe impl Send for Mapping {}
// SAFETY: as above: no method gives out a reference to the bytes.
unsafe impl Sync for Mapping {}

impl SharedMemory {
    /// Makes zeroed memory, and the descriptor by which others can map it. The memory can neither shrink nor
    /// grow, so no peer can turn an access into a SIGBUS.
    pub fn create(len: usize) -> io::Result<(SharedMemory, OwnedFd)> {
        SharedMemory::create_named(c"anyccl", len)
    }

    /// Like [`SharedMemory::create`]; `/proc` shows the memory under this name.
    pub fn create_named(name: &CStr, len: usize) -> io::Result<(SharedMemory, OwnedFd)> {
        let fd = sealed_named(name, len)?;
        Ok((SharedMemory::map(&fd, 0, len)?, fd))
    }

    /// Maps memory that a peer made, if it is sealed and has exactly `len` bytes.
    pub fn open(fd: OwnedFd, len: usize) -> io::Result<SharedMemory> {
        SharedMemory::open_part(&fd, len, 0, len)
    }

    /// Maps `len` bytes at `offset` of memory that a peer made, if it is sealed and has exactly `size` bytes.
    /// The offset is a multiple of the size of a page.
    pub fn open_part(fd: &OwnedFd, size: usize, offset: usize, len: usize) -> io::Result<SharedMemory> {
        let found = sealed_size(fd)?;
        if found != size as u64 || offset.checked_add(len).is_none_or(|end| end > size) {
            let text = format!("the peer's memory has {found} bytes, not {size}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        SharedMemory::map(fd, offset, len)
    }

    #[cfg(not(sanitizer))]
    fn map(fd: &OwnedFd, offset: usize, len: usize) -> io::Result<SharedMemory> {
        Mapping::new(fd, offset, len).map(SharedMemory)
    }

    #[cfg(sanitizer)]
    fn map(fd: &OwnedFd, offset: usize, len: usize) -> io::Result<SharedMemory> {
        use std::os::unix::fs::MetadataExt;

        use super::shared_values::SharedValues;

        static MAPPINGS: SharedValues<(u64, u64, usize), Mapping> = SharedValues::new();
        let file = std::fs::File::from(fd.try_clone()?).metadata()?;
        let key = (file.dev(), file.ino(), offset);
        MAPPINGS.get_or(key, |_| true, || Mapping::new(fd, offset, len)).map(SharedMemory)
    }

    /// First byte; page-aligned.
    pub fn start(&self) -> *mut u8 {
        self.0.start.as_ptr()
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.0.len
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.0.len == 0
    }
}

impl Mapping {
    fn new(fd: &OwnedFd, offset: usize, len: usize) -> io::Result<Mapping> {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
        let (fd, offset) = (fd.as_raw_fd(), offset as libc::off_t);
        // SAFETY: a fresh shared mapping at an address of the kernel's choice overlaps no other memory.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), len, protection, flags, fd, offset) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // A child of fork must not touch its parent's conversations.
        // SAFETY: the range is the mapping just made.
        unsafe { libc::madvise(start, len, libc::MADV_DONTFORK) };
        let start = NonNull::new(start.cast()).ok_or_else(|| io::Error::other("mapped at NULL"))?;
        Ok(Mapping { start, len })
    }
}

/// Makes a `memfd` of `len` zeroed bytes that takes no memory yet, and seals its size.
pub fn sealed(len: usize) -> io::Result<OwnedFd> {
    sealed_named(c"anyccl", len)
}

fn sealed_named(name: &CStr, len: usize) -> io::Result<OwnedFd> {
    limits::check_file(len)?;
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // SAFETY: the name ends with a zero; the call only makes a descriptor.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), flags) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a new descriptor that no one else owns.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
    // SAFETY: plain call on an owned descriptor.
    if unsafe { libc::ftruncate(fd.as_raw_fd(), len as libc::off_t) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: plain call on an owned descriptor.
    if unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_ADD_SEALS, SEALS) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(fd)
}

/// The size of a peer's `memfd`, which its seals fix. It is an error if the seals are missing.
///
/// Seals alone do not make every page accessible. A `memfd` of huge pages can be sealed as well, and raises
/// SIGBUS when the pool of huge pages is empty. So the file must have ordinary pages, which the kernel makes
/// when they are touched. If the peer changes the contents, or punches holes, a reader sees other bytes or
/// zeros.
pub fn sealed_size(fd: &OwnedFd) -> io::Result<u64> {
    if !is_of_ordinary_pages(fd)? {
        let text = "the peer's memory is not a memfd of ordinary pages";
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    // SAFETY: plain call on an owned descriptor; fails on anything that is not a memfd.
    let seals = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GET_SEALS) };
    if seals < 0 || seals & SEALS != SEALS {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the peer's memory is not sealed"));
    }
    // SAFETY: all-zero is a valid stat.
    let mut found: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes one stat to `found`, which outlives the call.
    match unsafe { libc::fstat(fd.as_raw_fd(), &raw mut found) } {
        0 => Ok(found.st_size as u64),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Whether the file lies in tmpfs, as a `memfd` does unless it was made with MFD_HUGETLB.
fn is_of_ordinary_pages(fd: &OwnedFd) -> io::Result<bool> {
    // SAFETY: all-zero is a valid statfs.
    let mut found: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes one statfs to `found`, which outlives the call.
    match unsafe { libc::fstatfs(fd.as_raw_fd(), &raw mut found) } {
        0 => Ok(found.f_type == libc::TMPFS_MAGIC),
        _ => Err(io::Error::last_os_error()),
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `new` and is unmapped once; pointers into it live no longer than
        // the owner of this object.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.len) };
    }
}

/// Memory without a file that a forked child shares, so that no write moves its pages. Dropping it unmaps it.
pub struct AnonymousMapping {
    start: *mut u8,
    len: usize,
}

// SAFETY: the mapping belongs to this value, whatever thread that is in.
unsafe impl Send for AnonymousMapping {}
// SAFETY: a shared mapping gives its address only.
unsafe impl Sync for AnonymousMapping {}

impl AnonymousMapping {
    /// Maps `len` bytes, all zero.
    pub fn new(len: usize) -> io::Result<AnonymousMapping> {
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address that the kernel chooses.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), len, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(AnonymousMapping { start: start.cast(), len })
    }

    /// First byte.
    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// Keeps it to the end of the process.
    pub fn keep(self) -> *mut u8 {
        let start = self.start;
        std::mem::forget(self);
        start
    }
}

impl Drop for AnonymousMapping {
    fn drop(&mut self) {
        // SAFETY: the mapping of `new`, which nobody else has.
        unsafe { libc::munmap(self.start.cast(), self.len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_mappings_of_one_descriptor_show_the_same_bytes() {
        let (one, fd) = SharedMemory::create(8192).unwrap();
        let two = SharedMemory::open(fd, 8192).unwrap();
        let last = |memory: &SharedMemory| memory.start().wrapping_add(8191);
        // SAFETY: the last byte of the first mapping.
        unsafe { last(&one).write_volatile(77) };
        // SAFETY: the last byte of the second mapping.
        assert_eq!(unsafe { last(&two).read_volatile() }, 77);
    }

    #[test]
    fn sealed_memory_of_huge_pages_is_refused() {
        const BYTES: usize = 2 << 20;
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING | libc::MFD_HUGETLB;
        // SAFETY: the name is a NUL-terminated constant; the call only makes a descriptor.
        let fd = unsafe { libc::memfd_create(c"huge".as_ptr(), flags) };
        if fd < 0 {
            // A kernel without huge pages: no peer has them either.
            return;
        }
        // SAFETY: a new descriptor that no one else owns.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        // SAFETY: plain call on an owned descriptor.
        assert_eq!(unsafe { libc::ftruncate(fd.as_raw_fd(), BYTES as libc::off_t) }, 0);
        // SAFETY: plain call on an owned descriptor.
        assert_eq!(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_ADD_SEALS, SEALS) }, 0);
        let error = SharedMemory::open(fd, BYTES).unwrap_err();
        assert!(error.to_string().contains("ordinary pages"), "{error}");
    }

    #[test]
    fn memory_longer_than_files_may_be_is_an_error_and_no_signal() {
        let is_right = crate::sys::fork::tests::in_child(|| {
            let limit = libc::rlimit { rlim_cur: 8192, rlim_max: 8192 };
            // SAFETY: the limit is a local that outlives the call.
            assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) }, 0);
            sealed(8192).is_ok() && sealed(8193).is_err()
        });
        assert!(is_right);
    }

    #[test]
    fn memory_of_another_size_or_without_seals_is_refused() {
        let (_memory, fd) = SharedMemory::create(8192).unwrap();
        assert!(SharedMemory::open(fd, 4096).is_err());
        let file = std::fs::File::open("/dev/zero").unwrap();
        assert!(SharedMemory::open(file.into(), 4096).is_err());
    }
}
