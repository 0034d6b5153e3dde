//! Copies of tables of segments, by both kernels.

mod support;

use anyccl_engine::device::kernels::{COPY, COPY_INLINE, CopyArguments, CopySegment, InlineCopyArguments};
use support::device::Device;
use support::values::Generator;

const TILE: u32 = 1024;

/// Copies segments of these lengths to so many destinations each, and compares.
fn check(lengths: &[usize], destinations: usize, offset: fn(u64) -> u64, inline: bool) {
    let (device, mut generator) = (Device::default(), Generator(lengths.len() as u64));
    let (mut table, mut places, mut copies, mut tiles, mut buffers) = (vec![], vec![], vec![], 0, 0);
    let mut place = |bytes: &[u8]| {
        buffers += 1;
        device.buffer(bytes, offset(buffers))
    };
    for &length in lengths {
        let bytes: Vec<u8> = (0..length).map(|_| generator.next() as u8).collect();
        table.push(CopySegment {
            source: place(&bytes),
            bytes: length as u64,
            first_tile: tiles,
            first_destination: places.len() as u32,
            destinations: destinations as u32,
        });
        tiles += (length as u64).div_ceil(TILE.into());
        for _ in 0..destinations {
            let to = place(&vec![0x5a; length]);
            places.push(to);
            copies.push((to, bytes.clone()));
        }
    }
    let (segments, grid, block) = (table.len() as u32, [3, 1, 1], [32, 1, 1]);
    if inline {
        let mut arguments =
            InlineCopyArguments { tiles, segments, tile_bytes: TILE, ..InlineCopyArguments::EMPTY };
        arguments.segment[..table.len()].copy_from_slice(&table);
        arguments.destination[..places.len()].copy_from_slice(&places);
        device.launch(COPY_INLINE.to_str().unwrap(), &arguments, grid, block).unwrap();
    } else {
        let words = |segment: &CopySegment| {
            let last = u64::from(segment.first_destination) | u64::from(segment.destinations) << 32;
            [segment.source, segment.bytes, segment.first_tile, last]
        };
        let table: Vec<u8> = table.iter().flat_map(words).flat_map(u64::to_le_bytes).collect();
        let places: Vec<u8> = places.iter().flat_map(|address: &u64| address.to_le_bytes()).collect();
        let (segment, destination) = (device.buffer(&table, 0), device.buffer(&places, 0));
        let arguments = CopyArguments { segment, destination, tiles, segments, tile_bytes: TILE };
        device.launch(COPY.to_str().unwrap(), &arguments, grid, block).unwrap();
    }
    for (to, bytes) in &copies {
        assert!(device.bytes(*to) == *bytes, "{lengths:?} to {destinations}, inline: {inline}");
    }
}

#[test]
fn every_segment_arrives_at_all_of_its_destinations_whatever_their_alignment() {
    let offsets: [fn(u64) -> u64; 4] = [|_| 0, |_| 7, |k| 4 * k, |k| 5 * k];
    for offset in offsets {
        for inline in [false, true] {
            for destinations in [1, 2, 8] {
                check(&[1], destinations, offset, inline);
                check(&[15, 16, 17], destinations, offset, inline);
                check(&[1023, 1024, 1025, 5000, 3, 2048], destinations, offset, inline);
            }
        }
    }
}

#[test]
fn a_table_in_memory_may_be_longer_than_one_in_the_parameters() {
    let lengths: Vec<usize> = (1..200).collect();
    check(&lengths, 1, |k| k, false);
}
