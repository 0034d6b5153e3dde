//! Target of fuzzing: the stream of a peer.

use super::wire::{FRAGMENT_BYTES, HEADER_BYTES, decode, encode};
use super::{Header, Link, TcpLink, striped};
use crate::foreign_bytes::{connection, pieces, split, write};

/// What a fragment is: its header, and what has come of its payload.
type Fragment = (Header, Vec<u8>);

/// Reads a stream in pieces, and compares with the stream read at once.
pub(in crate::transport) fn frames(bytes: &[u8]) {
    if bytes.first().is_some_and(|how| how & 8 != 0) {
        return striped::foreign_bytes::streams(bytes);
    }
    let ([how, length, most], bytes) = split(bytes);
    let [own, peer] = connection();
    let mut link = TcpLink::new(own).expect("memory");
    let (mut found, mut is_begun, mut is_broken) = (Vec::new(), false, false);
    for piece in pieces(bytes, length) {
        write(&peer, piece);
        if how & 4 != 0 {
            link.set_in_turns(false);
            link.set_in_turns(true);
        }
        while !is_broken {
            match read_some(&mut link, how, usize::from(most) * 16 + 1, &mut found, &mut is_begun) {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => is_broken = true,
            }
        }
    }
    if how & 3 != 3 {
        let whole = read_at_once(bytes);
        assert!(found == whole, "read in pieces: {found:?}; at once: {whole:?}");
    }
    drop(peer);
    link.set_in_turns(false);
    while !is_broken {
        is_broken = read_some(&mut link, how, 1 << 20, &mut found, &mut is_begun).is_err();
    }
}

/// Reads some bytes of the fragment at the head. Returns whether there were any.
fn read_some(
    link: &mut TcpLink,
    how: u8,
    most: usize,
    found: &mut Vec<Fragment>,
    is_begun: &mut bool,
) -> std::io::Result<bool> {
    let Some(header) = link.head()? else { return Ok(false) };
    if !std::mem::replace(is_begun, true) {
        found.push((header, Vec::new()));
    }
    let (_, payload) = found.last_mut().expect("one was pushed");
    assert_eq!(link.head()?, Some(header));
    match how & 3 {
        0 => {
            let mut room = vec![0; most];
            // SAFETY: a vector is writable for its length, and is not memory of the link.
            let taken = unsafe { link.take(room.as_mut_ptr(), most, false) }?;
            payload.extend(&room[..taken]);
            if taken == 0 && link.recv.is_in_fragment() {
                return Ok(false);
            }
        }
        3 if !link.discard()? => return Ok(false),
        3 => {}
        _ => {
            let arrival = link.arrival()?;
            let n = arrival.bytes.min(most);
            // SAFETY: so many bytes have arrived, and stay in the buffer of the link until they are consumed.
            payload.extend(unsafe { std::slice::from_raw_parts(arrival.data, n) });
            if n == 0 && !arrival.complete {
                return Ok(false);
            }
            link.consume(n)?;
        }
    }
    *is_begun = link.recv.is_in_fragment();
    Ok(true)
}

/// The fragments of a stream, up to its end or to what is no header.
fn read_at_once(mut bytes: &[u8]) -> Vec<Fragment> {
    let mut fragments = Vec::new();
    while let Some((wire, rest)) = bytes.split_first_chunk::<HEADER_BYTES>() {
        let Ok((header, payload)) = decode(wire) else { break };
        assert!(payload <= FRAGMENT_BYTES && encode(&header, payload) == *wire);
        let (payload, rest) = rest.split_at(payload.min(rest.len()));
        fragments.push((header, payload.to_vec()));
        bytes = rest;
    }
    fragments
}

pub(in crate::transport) fn seeds() -> Vec<Vec<u8>> {
    let frame = |sequence: u32, payload: usize| {
        let header = Header { context: 1, sequence, call: [0x0002_00ff_0400, payload as u64] };
        let payload: Vec<u8> = (0..payload).map(|at| at as u8).collect();
        [&encode(&header, payload.len())[..], &payload].concat()
    };
    let stream = [frame(0, 8), frame(1, 0), frame(2, 100), frame(3, 1)].concat();
    let begun = [
        &frame(0, 8)[..],
        &encode(&Header { context: 0, sequence: 1, call: [0, 0] }, FRAGMENT_BYTES),
        b"few",
    ]
    .concat();
    let heads: [[u8; 3]; 6] = [[0, 0, 255], [0, 1, 0], [1, 7, 2], [3, 33, 1], [4, 5, 9], [5, 40, 1]];
    let with = |stream: &[u8]| heads.map(|head| [&head[..], stream].concat()).to_vec();
    [with(&stream), with(&begun), striped::foreign_bytes::seeds()].concat()
}
