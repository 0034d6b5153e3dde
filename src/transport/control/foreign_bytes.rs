//! Target of fuzzing: what a peer writes to the control channel.

use super::wire::{decode, encode};
use super::{CallRecord, ControlChannel, ControlEvent, ControlMessage};
use crate::foreign_bytes::{connection, pieces, split, write};

/// Reads the channel in pieces, and compares with the bytes read at once.
pub(in crate::transport) fn messages(bytes: &[u8]) {
    let ([how, length], bytes) = split(bytes);
    let [own, peer] = connection();
    let mut channel = ControlChannel::new(own);
    if how & 1 != 0 {
        write(&peer, bytes);
        drop(peer);
        let notice = channel.take_failure_notice();
        return assert!(matches!(notice, None | Some(ControlMessage::Notice { .. })));
    }
    let (mut whole, mut is_broken) = (AtOnce(bytes), false);
    for piece in pieces(bytes, length) {
        write(&peer, piece);
        while !is_broken {
            match channel.next_event() {
                // How many doorbells count as one depends on the pieces.
                Ok(Some(ControlEvent::Message(ControlMessage::Doorbell))) => {}
                Ok(Some(ControlEvent::Message(message))) => assert_eq!(Some(message), whole.next()),
                Ok(Some(ControlEvent::File)) => panic!("the peer has passed no file"),
                Ok(Some(ControlEvent::Closed)) => panic!("the peer has not closed"),
                Ok(None) => break,
                Err(_) => is_broken = true,
            }
        }
    }
    assert_eq!(whole.next(), None);
    drop(peer);
    if !is_broken {
        assert_eq!(channel.next_event().unwrap(), Some(ControlEvent::Closed));
        assert_eq!(channel.next_event().unwrap(), None);
    }
}

/// The messages of bytes that are all there, without doorbells.
struct AtOnce<'a>(&'a [u8]);

impl Iterator for AtOnce<'_> {
    type Item = ControlMessage;

    fn next(&mut self) -> Option<ControlMessage> {
        loop {
            let (message, length) = decode(self.0).ok()??;
            assert!((1..=self.0.len()).contains(&length));
            self.0 = &self.0[length..];
            if message == ControlMessage::Doorbell {
                continue;
            }
            // A text that was not UTF-8 is longer now, and may be cut when it is written, but only once.
            let written = written_and_read(&message);
            assert_eq!(written_and_read(&written), written);
            if !has_text(&message) {
                assert_eq!(written, message);
            }
            return Some(message);
        }
    }
}

fn has_text(message: &ControlMessage) -> bool {
    matches!(message, ControlMessage::Notice { .. } | ControlMessage::Quit { .. })
}

fn written_and_read(message: &ControlMessage) -> ControlMessage {
    let mut bytes = Vec::new();
    encode(message, &mut bytes);
    let (read, length) = decode(&bytes).unwrap().expect("a whole message");
    assert_eq!(length, bytes.len());
    read
}

pub(in crate::transport) fn seeds() -> Vec<Vec<u8>> {
    let calls = CallRecord { next: 3, digest: 4, latest: vec![[5, 6], [7, 8]] };
    let all = [
        ControlMessage::Doorbell,
        ControlMessage::Stall { context: 1, sequence: 2, call: [0x0002_00ff_0400, 4] },
        ControlMessage::Notice { context: 1, kind: 2, origin: 3, subject: 4, text: "rank 1 was lost".into() },
        ControlMessage::Left { context: 1, sent: 2, calls: Some(calls) },
        ControlMessage::Left { context: 1, sent: 2, calls: None },
        ControlMessage::Quit { context: 1, sent: 2, calls: 3, reason: "no more".into() },
        ControlMessage::Hold { context: 1, from: 2 },
        ControlMessage::Release { context: 1 },
        ControlMessage::Unformed { context: 1, call: 2 },
        ControlMessage::Ended { context: 1, sequence: 2, sent: 3 },
        ControlMessage::Agree { context: 1, numbers: [2, 3, 4, 1], lost: vec![0b101, 1] },
        ControlMessage::Bye,
    ];
    let bytes = |messages: &[ControlMessage]| {
        let mut bytes = Vec::new();
        messages.iter().for_each(|message| encode(message, &mut bytes));
        bytes
    };
    let one = |message: &ControlMessage| [&[0, 0][..], &bytes(std::slice::from_ref(message))].concat();
    let mut seeds: Vec<_> = all.iter().map(one).collect();
    seeds.push([&[0, 1][..], &bytes(&all)].concat());
    seeds.push([&[1, 0][..], b"F\x01F", &bytes(&all)].concat());
    seeds
}
