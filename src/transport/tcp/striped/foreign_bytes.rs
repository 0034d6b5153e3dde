//! Part of the target `tcp_frames`: the streams of a peer with several connections.

use super::super::wire::{encode, encode_announcement, encode_stripe};
use super::super::{Header, Link};
use super::StripedLink;
use crate::foreign_bytes::{connection, split, write};

const HEADER: Header = Header { context: 1, sequence: 2, call: [0x0002_00ff_0400, 64] };

/// Reads a main stream and those of two lanes, of which each has a part of the bytes. What is read ends.
pub(in crate::transport::tcp) fn streams(bytes: &[u8]) {
    let ([how, first, second], bytes) = split(bytes);
    let (main, rest) = bytes.split_at(bytes.len().min(usize::from(first)));
    let (one, two) = rest.split_at(rest.len().min(usize::from(second)));
    let [[main_end, to_main], [one_end, to_one], [two_end, to_two]] = [(); 3].map(|()| connection());
    let mut link = StripedLink::new(main_end, vec![one_end, two_end], false).expect("memory");
    for (socket, bytes) in [(&to_main, main), (&to_one, one), (&to_two, two)] {
        write(socket, bytes);
    }
    let mut left = bytes.len();
    while let Ok(Some(_)) = link.head() {
        let mut part = vec![0; usize::from(how) + 1];
        // SAFETY: a vector is writable for its length, and is not memory of the link.
        let taken = unsafe { link.take(part.as_mut_ptr(), part.len(), false) };
        let at_end = link.arrival().is_ok_and(|arrival| arrival.bytes == 0 && !arrival.complete);
        match taken {
            // A fragment without bytes is taken out, too.
            Ok(0) if at_end => break,
            Ok(taken) => left = left.checked_sub(taken).expect("no more than has come"),
            Err(_) => break,
        }
    }
}

pub(in crate::transport::tcp) fn seeds() -> Vec<Vec<u8>> {
    let payload: Vec<u8> = (0..64).collect();
    let main =
        [&encode_announcement(&HEADER, 64)[..], &encode(&Header { sequence: 3, ..HEADER }, 4), b"four"];
    let one = [&encode_stripe(0, 48)[..], &payload[..48]].concat();
    let two = [&encode_stripe(1, 16)[..], &payload[48..]].concat();
    let main = main.concat();
    let streams = [&main[..], &one, &two].concat();
    [8, 9, 15, 0xff].map(|how| [&[how, main.len() as u8, one.len() as u8], &streams[..]].concat()).to_vec()
}
