//! Copies of segments.

mod support;

use anyccl_engine::device::kernels::{COPY, CopyArguments, CopySegment};
use support::device::Device;
use support::values::Generator;

const TILE: u32 = 1024;
/// An address where no buffer is.
const NOWHERE: u64 = 0x1000;

/// Segments, and what they shall write.
#[derive(Default)]
struct Copies {
    device: Device,
    buffers: u64,
    segments: Vec<CopySegment>,
    destinations: Vec<u64>,
    tiles: u64,
    /// Addresses of buffers, and their bytes after the copy.
    expected: Vec<(u64, Vec<u8>)>,
}

impl Copies {
    /// A segment of which the kernel reads nothing unless it copies.
    fn add(&mut self, source: u64, length: usize, destinations: &[u64]) {
        self.segments.push(CopySegment {
            source,
            bytes: length as u64,
            first_tile: self.tiles,
            first_destination: self.destinations.len() as u32,
            destinations: destinations.len() as u32,
        });
        self.tiles += (length as u64).div_ceil(TILE.into());
        self.destinations.extend(destinations);
    }

    /// A segment of buffers that are there. `itself`: its first destination is its source.
    fn add_buffers(&mut self, length: usize, destinations: usize, itself: bool, offset: fn(u64) -> u64) {
        let mut generator = Generator(self.buffers);
        let bytes: Vec<u8> = (0..length).map(|_| generator.next() as u8).collect();
        let mut place = |bytes: &[u8]| {
            self.buffers += 1;
            self.device.buffer(bytes, offset(self.buffers))
        };
        let source = place(&bytes);
        let mut places: Vec<u64> = if itself { vec![source] } else { vec![] };
        places.resize_with(destinations, || place(&vec![0x5a; length]));
        self.add(source, length, &places);
        self.expected.extend(places.iter().map(|to| (*to, bytes.clone())));
    }

    /// Launches the copy, and compares.
    fn check(self) {
        let words = |segment: &CopySegment| {
            let last = u64::from(segment.first_destination) | u64::from(segment.destinations) << 32;
            [segment.source, segment.bytes, segment.first_tile, last]
        };
        let segments: Vec<u8> = self.segments.iter().flat_map(words).flat_map(u64::to_le_bytes).collect();
        let places: Vec<u8> = self.destinations.iter().flat_map(|address| address.to_le_bytes()).collect();
        let arguments = CopyArguments {
            segment: self.device.buffer(&segments, 0),
            destination: self.device.buffer(&places, 0),
            tiles: self.tiles,
            segments: self.segments.len() as u32,
            tile_bytes: TILE,
        };
        let entry = COPY.to_str().unwrap();
        assert_eq!(self.device.launch_table(entry, &arguments, [3, 1, 1], [32, 1, 1]), Ok(()));
        for (to, bytes) in &self.expected {
            assert!(self.device.bytes(*to) == *bytes, "{} bytes at {to:#x}", bytes.len());
        }
    }
}

/// Copies segments of these lengths to so many destinations each, and compares.
fn check(lengths: &[usize], destinations: usize, offset: fn(u64) -> u64) {
    for itself in [false, true] {
        let mut copies = Copies::default();
        for length in lengths {
            copies.add_buffers(*length, destinations, itself, offset);
        }
        copies.check();
    }
}

#[test]
fn every_segment_arrives_at_all_of_its_destinations_whatever_their_alignment() {
    let offsets: [fn(u64) -> u64; 4] = [|_| 0, |_| 7, |k| 4 * k, |k| 5 * k];
    for offset in offsets {
        for destinations in [1, 2, 8] {
            check(&[1], destinations, offset);
            check(&[15, 16, 17], destinations, offset);
            check(&[1023, 1024, 1025, 5000, 3, 2048], destinations, offset);
        }
    }
}

#[test]
fn a_table_has_as_many_segments_as_fit_into_memory() {
    let lengths: Vec<usize> = (1..200).collect();
    check(&lengths, 1, |k| k);
}

/// The bytes of these segments are not there: an access would end the launch.
#[test]
fn a_segment_without_another_destination_or_without_bytes_is_not_touched() {
    let mut copies = Copies::default();
    copies.add(NOWHERE, 100_000, &[]);
    for length in [0, 1, 1024, 1025, 5000, 100_000] {
        copies.add(NOWHERE, length, &[]);
        copies.add_buffers(3000, 2, false, |k| k);
        copies.add(NOWHERE, length, &[NOWHERE]);
        copies.add_buffers(10, 1, false, |k| k);
        copies.add(NOWHERE, 0, &[NOWHERE + 64, NOWHERE + 128]);
    }
    copies.add(NOWHERE, 5000, &[NOWHERE, NOWHERE]);
    copies.add(NOWHERE, 0, &[]);
    copies.check();
}

#[test]
fn a_table_of_zeros_is_no_work() {
    let zeros = [0u64; size_of::<CopyArguments>() / 8];
    for grid in [[1, 1, 1], [3, 1, 1]] {
        let entry = COPY.to_str().unwrap();
        assert_eq!(Device::default().launch_table(entry, &zeros, grid, [32, 1, 1]), Ok(()));
    }
}
