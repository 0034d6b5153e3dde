//! Tests of allocations of this process, and of a peer's arena as another process would see it.

use std::fs;

use super::*;
use crate::sys::shared_memory::sealed;
use crate::sys::sparse_memory::PAGE_BYTES;

const MIB: usize = 1 << 20;

fn fill(start: *mut u8, bytes: usize, value: u8) {
    // SAFETY: the callers pass live allocations of that length.
    unsafe { start.write_bytes(value, bytes) };
}

fn byte(start: *const u8, at: usize) -> u8 {
    // SAFETY: the callers stay inside of what they have mapped or allocated.
    unsafe { start.wrapping_add(at).read_volatile() }
}

/// An arena that no other test uses.
fn private_arena() -> Arena {
    Arena::new(None).unwrap()
}

/// The view that another process has of an arena.
fn window(arena: &Arena) -> Window {
    Window::new(arena.descriptor().try_clone().unwrap()).unwrap()
}

/// Bytes of memory that the arena's file has, as the kernel counts them.
fn resident(arena: &Arena) -> u64 {
    use std::os::unix::fs::MetadataExt;
    fs::File::from(arena.descriptor().try_clone().unwrap()).metadata().unwrap().blocks() * 512
}

#[test]
fn a_peer_sees_what_is_written_into_any_part_of_an_allocation() {
    let arena = private_arena();
    let mut window = window(&arena);
    assert!(matches!(window, Window::Foreign { .. }));
    // The last size is more than is mapped at first, so the window must grow.
    for bytes in [1, 64, 5000, MIB, 70 * MIB] {
        let start = arena.allocate(bytes).unwrap();
        fill(start, bytes, 0x5a);
        let offset = arena.offset_of(start, bytes).unwrap();
        let seen = window.at(offset as u64, bytes as u64).unwrap();
        assert_eq!((byte(seen, 0), byte(seen, bytes - 1)), (0x5a, 0x5a), "{bytes} bytes");
        assert_eq!(arena.offset_of(start.wrapping_add(bytes - 1), 1), Some(offset + bytes - 1));
    }
}

#[test]
fn other_memory_is_not_taken_for_the_arenas() {
    let arena = Arena::of_this_process().unwrap();
    let start = allocate(100).unwrap();
    let local = 0u8;
    assert_eq!(arena.offset_of(&local, 1), None);
    assert_eq!(arena.offset_of(std::ptr::null(), 0), None);
    assert_eq!(arena.offset_of(start, usize::MAX), None);
    assert_eq!(arena.offset_of(start.wrapping_sub(1 << 45), 1), None);
    free(start).unwrap();
}

#[test]
fn only_a_live_allocation_can_be_freed_and_only_once() {
    let arena = private_arena();
    assert!(!arena.free(std::ptr::null_mut()).unwrap(), "nothing was allocated yet");
    let start = arena.allocate(1000).unwrap();
    assert!(!arena.free(start.wrapping_add(64)).unwrap());
    assert!(arena.free(start).unwrap());
    assert!(!arena.free(start).unwrap());
    let mut local = 0u8;
    let outcome = free(&raw mut local);
    assert!(matches!(outcome, Err(Error::InvalidArgument { what: "ptr", .. })), "{outcome:?}");
}

#[test]
fn an_allocation_larger_than_the_arena_is_refused() {
    let refused = |bytes| match allocate(bytes) {
        Err(error @ Error::System { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let told = refused(usize::MAX);
    assert!(told.starts_with("cannot allocate -1, a negative number or one that exceeds memory: "), "{told}");
    assert!(refused(1 << 62).starts_with("cannot allocate 4611686018427387904 bytes"));
    assert!(matches!(allocate(1 << 60), Err(Error::System { .. })));
}

#[test]
fn ranges_outside_of_the_peers_memory_are_refused() {
    let fd = sealed(2 * PAGE_BYTES).unwrap();
    let mut window = Window::new(fd).unwrap();
    let size = 2 * PAGE_BYTES as u64;
    assert!(window.at(0, size).is_ok());
    assert!(window.at(size, 0).is_ok());
    for (offset, bytes) in [(0, size + 1), (size, 1), (size + 1, 0), (u64::MAX, 2), (2, u64::MAX)] {
        assert!(window.at(offset, bytes).is_err(), "{offset} {bytes}");
    }
}

#[test]
fn a_thread_of_this_process_is_read_through_the_first_mapping_and_only_where_memory_is_open() {
    let start = allocate(100).unwrap();
    let arena = Arena::of_this_process().unwrap();
    let mut window = window(arena);
    let offset = arena.offset_of(start, 100).unwrap() as u64;
    assert_eq!(window.at(offset, 100).unwrap(), start.cast_const());
    assert!(window.at(1 << 29, 1).is_err(), "reserved, but never opened");
    assert!(window.at(u64::MAX, 1).is_err());
    free(start).unwrap();
}

#[test]
fn a_file_that_could_be_truncated_is_refused() {
    assert!(Window::new(fs::File::open("/dev/zero").unwrap().into()).is_err());
    assert!(Window::new(sealed(PAGE_BYTES + 1).unwrap()).is_err());
}

#[test]
fn freed_memory_returns_to_the_system_and_reads_as_zeros() {
    let arena = private_arena();
    let mut window = window(&arena);
    let start = arena.allocate(30 * MIB).unwrap();
    assert!(resident(&arena) >= 30 * MIB as u64);
    fill(start, 30 * MIB, 1);
    let seen = window.at(0, 30 * MIB as u64).unwrap();
    assert_eq!(byte(seen, 0), 1);
    arena.free(start).unwrap();
    assert_eq!(resident(&arena), 0);
    assert_eq!((byte(seen, 0), byte(seen, 30 * MIB - 1)), (0, 0));
}

#[test]
fn a_used_block_keeps_its_bytes_while_its_neighbours_are_allocated_and_freed() {
    let arena = private_arena();
    let fixed: Vec<*mut u8> = (0..50).map(|_| arena.allocate(3000).unwrap()).collect();
    fixed.iter().zip(0..).for_each(|(start, value)| fill(*start, 3000, value));
    for turn in 0..2000usize {
        let bytes = 1 + turn * 7919 % (2 * MIB);
        let start = arena.allocate(bytes).unwrap();
        fill(start, bytes, 0xee);
        assert!(arena.free(start).unwrap());
    }
    for (start, value) in fixed.iter().zip(0..) {
        assert!((0..3000).all(|at| byte(*start, at) == value));
    }
    let most = (50 * 3000 + 4 * MIB + 2 * MIB) as u64;
    assert!(resident(&arena) <= most, "{} bytes are kept", resident(&arena));
}

#[test]
fn an_allocation_stays_while_a_part_of_it_is_registered() {
    let start = allocate(10_000).unwrap();
    let part = start.wrapping_add(77);
    assert!(register(part, 500).unwrap() && register(part, 500).unwrap(), "peers read it where it is");
    for _ in 0..2 {
        assert!(matches!(free(start), Err(Error::InvalidUsage(_))));
        deregister(part, 500).unwrap();
    }
    assert!(deregister(part, 500).is_err(), "no more often than it was registered");
    free(start).unwrap();
    assert!(register(part, 500).is_err(), "no longer part of an allocation");
}

#[test]
fn only_bytes_of_one_live_allocation_are_registered_in_the_arena() {
    let start = allocate(8192).unwrap();
    assert!(register(start, 8192).unwrap());
    deregister(start, 8192).unwrap();
    for (from, bytes) in [(start, 8193), (start.wrapping_add(1), 8192), (start.wrapping_add(8192), 1)] {
        assert!(matches!(register(from, bytes), Err(Error::InvalidArgument { what: "ptr", .. })));
    }
    free(start).unwrap();
}

#[test]
fn other_memory_is_registered_by_exactly_its_bytes_and_must_be_there() {
    let own = vec![1u8; 3 * MIB];
    assert!(!register(own.as_ptr(), own.len()).unwrap(), "nobody reads it where it is");
    assert!(deregister(own.as_ptr(), own.len() - 1).is_err());
    deregister(own.as_ptr(), own.len()).unwrap();
    assert!(deregister(own.as_ptr(), own.len()).is_err());
    assert!(matches!(register(std::ptr::null(), 1), Err(Error::InvalidArgument { what: "ptr", .. })));
    assert!(own.iter().all(|byte| *byte == 1));
}

#[test]
fn no_peer_with_the_descriptor_can_truncate_the_memory() {
    use std::os::fd::AsRawFd;
    let arena = private_arena();
    let start = arena.allocate(MIB).unwrap();
    fill(start, MIB, 3);
    let mut window = window(&arena);
    let seen = window.at(0, MIB as u64).unwrap();
    // A peer gets a copy of the descriptor, and may do to the file whatever the seals permit.
    let stolen = arena.descriptor().try_clone().unwrap();
    let file = fs::File::from(stolen.try_clone().unwrap());
    let size = file.metadata().unwrap().len();
    for len in [0, 1, size - 1, size + 1] {
        let error = file.set_len(len).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EPERM), "{len} bytes");
    }
    // The peer cannot remove the seals either.
    // SAFETY: plain call on an open descriptor.
    assert_eq!(unsafe { libc::fcntl(stolen.as_raw_fd(), libc::F_ADD_SEALS, 0) }, -1);
    assert_eq!(file.metadata().unwrap().len(), size);
    assert_eq!((byte(seen, 0), byte(seen, MIB - 1)), (3, 3));
}

#[test]
fn a_file_of_the_right_size_without_seals_is_refused() {
    // SAFETY: the name is a NUL-terminated constant.
    let fd = unsafe { libc::memfd_create(c"unsealed".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
    assert!(fd >= 0);
    // SAFETY: a new descriptor that nobody else owns.
    let file = fs::File::from(unsafe { <std::os::fd::OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(fd) });
    file.set_len(PAGE_BYTES as u64).unwrap();
    assert!(Window::new(file.into()).is_err());
}

#[test]
fn what_an_importer_writes_is_in_the_allocation_of_the_owner() {
    let arena = private_arena();
    // The link over which the arena came.
    let link = window(&arena);
    for (before, bytes) in [(0, 1), (77, 500), (4096, MIB)] {
        let start = arena.allocate(before + bytes).unwrap().wrapping_add(before);
        fill(start, bytes, 1);
        let handle = imports::handle_of(&arena, start, bytes).unwrap();
        let (imported, len) = import(&handle).unwrap();
        assert!(imported != start && len == bytes);
        assert_eq!((byte(imported, 0), byte(imported, bytes - 1)), (1, 1));
        fill(imported, bytes, 2);
        assert_eq!((byte(start, 0), byte(start, bytes - 1)), (2, 2));
        release(imported).unwrap();
        assert!(matches!(release(imported), Err(Error::InvalidArgument { what: "ptr", .. })));
    }
    let start = arena.allocate(100).unwrap();
    let handle = imports::handle_of(&arena, start, 100).unwrap();
    drop(link);
    let error = import(&handle).unwrap_err();
    assert!(matches!(&error, Error::Unsupported(text) if text.contains("no rank")), "{error}");
}

#[test]
fn memory_of_this_process_is_imported_where_it_is() {
    let start = allocate(1000).unwrap();
    let handle = export(start.wrapping_add(3), 900).unwrap();
    for _ in 0..2 {
        assert_eq!(import(&handle).unwrap(), (start.wrapping_add(3), 900));
    }
    for _ in 0..2 {
        release(start.wrapping_add(3)).unwrap();
    }
    assert!(release(start.wrapping_add(3)).is_err());
    free(start).unwrap();
}

#[test]
fn only_bytes_of_one_live_allocation_are_exported() {
    let start = allocate(8192).unwrap();
    let local = 0u8;
    for (from, bytes) in [(start.cast_const(), 8193), (start.wrapping_add(1), 8192), (&raw const local, 1)] {
        assert!(matches!(export(from, bytes), Err(Error::InvalidArgument { what: "ptr", .. })));
    }
    free(start).unwrap();
    assert!(export(start, 1).is_err());
}

#[test]
fn a_handle_that_lies_is_refused() {
    let arena = private_arena();
    let _link = window(&arena);
    let start = arena.allocate(8192).unwrap();
    let honest = imports::handle_of(&arena, start, 8192).unwrap();
    let size = fs::File::from(arena.descriptor().try_clone().unwrap()).metadata().unwrap().len();
    let with = |number: usize, value: u64| {
        let mut handle = honest;
        handle[8 * number..8 * number + 8].copy_from_slice(&value.to_le_bytes());
        import(&handle)
    };
    for (offset, bytes) in [(4, size), (4, u64::MAX), (5, size + 1), (5, u64::MAX)] {
        let error = with(offset, bytes).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { what: "handle", .. }), "{error}");
    }
    assert!(matches!(with(0, 1), Err(Error::InvalidArgument { what: "handle", .. })), "another mark");
    assert!(matches!(with(1, 1), Err(Error::Unsupported(_))), "another machine");
    assert!(matches!(with(3, 1), Err(Error::Unsupported(_))), "another file");
}
