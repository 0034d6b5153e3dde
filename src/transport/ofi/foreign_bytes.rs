//! Target of fuzzing: the frames of a peer, and what it says before them.

use super::super::Header;
use super::frame::{Frame, HEAD_BYTES, decode, encode};
use super::hello::Hello;
use super::recv::{Receiver, WINDOW};
use super::send::Sender;
use crate::foreign_bytes::split;

/// Reads a hello, or a stream of frames: each has its length before it.
pub(in crate::transport) fn frames(bytes: &[u8]) {
    let ([how, sent], mut bytes) = split(bytes);
    if how & 1 != 0 {
        if let Ok(Some((hello, count))) = Hello::decode(bytes) {
            assert!(count <= bytes.len() && Hello::least_bytes(bytes) == count);
            let again = Hello::decode(&hello.encode());
            assert!(again.is_ok_and(|again| again.is_some_and(|(again, _)| again == hello)));
        }
        return;
    }
    let mut sender = Sender::new(0..WINDOW as usize + 1);
    for _ in 0..u32::from(sent) % WINDOW {
        sender.note_sent(1, true);
    }
    let mut receiver = Receiver::default();
    while let Some((length, rest)) = bytes.split_first() {
        let (frame, rest) = rest.split_at(rest.len().min(usize::from(*length)));
        bytes = rest;
        let Ok(Frame { read, fragment }) = decode(frame) else { return };
        assert_eq!(encode(&Frame { read, fragment }, frame.len() - HEAD_BYTES)[..12], frame[..12]);
        let Some((number, header)) = fragment else { continue };
        if sender.note_read(read).is_err() || receiver.accept(number, header, 0, frame.len()).is_err() {
            return;
        }
        while let Some(left) = receiver.head().map(|head| head.end - head.at).filter(|_| how & 2 != 0) {
            assert!(left + HEAD_BYTES <= usize::from(u8::MAX));
            receiver.consume(left.min(3));
        }
    }
}

pub(in crate::transport) fn seeds() -> Vec<Vec<u8>> {
    let frame = |number: u32, payload: usize| {
        let header = Header { context: 1, sequence: number, call: [0x0002_00ff_0400, payload as u64] };
        let mut frame = encode(&Frame { read: number, fragment: Some((number, header)) }, payload).to_vec();
        frame.resize(HEAD_BYTES + payload, 7);
        [&[frame.len() as u8][..], &frame].concat()
    };
    let address = vec![2, 0, 9, 9, 127, 0, 0, 1];
    let hello = Hello::Endpoint { tag: 7, buffer_bytes: 4096, provider: "verbs;ofi_rxm".into(), address };
    vec![
        [&[2, 3][..], &frame(0, 8), &frame(2, 1), &frame(1, 0)].concat(),
        [&[0, 2][..], &frame(1, 100), &frame(0, 3)].concat(),
        [&[1, 0][..], &hello.encode()].concat(),
        [&[1, 0][..], &Hello::None("no".into()).encode()].concat(),
    ]
}
