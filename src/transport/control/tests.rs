//! A pair of channels, and a peer that writes nonsense.

use super::wire::NOTICE;
use super::*;
use crate::sys::descriptor_passing::send_descriptor;
use std::os::unix::net::UnixStream;

fn pair() -> (Control, Control) {
    let (a, b) = UnixStream::pair().unwrap();
    let control = |s: UnixStream| Control::new(Socket::from_fd(s.into(), true).unwrap());
    (control(a), control(b))
}

#[test]
fn messages_arrive_in_order_and_then_the_end() {
    let (mut a, mut b) = pair();
    let said = [
        Message::Bell,
        Message::Stall { context: 7, sequence: 9, call: [u64::MAX, 3] },
        Message::Notice { context: 6, kind: 2, origin: 1, subject: 5, text: "räuber".repeat(3) },
        Message::Left { context: 8, calls: None },
        Message::Left {
            context: 10,
            calls: Some(CallRecord { next: 5, digest: u64::MAX - 1, latest: vec![[1, 2], [3, u64::MAX]] }),
        },
        Message::Left { context: 12, calls: Some(CallRecord::default()) },
        Message::Quit { context: 6, calls: u32::MAX, reason: "genug".into() },
        Message::Agree { context: 9, numbers: [1, 2, u32::MAX], lost: vec![0b101, 7] },
        Message::Hold { context: 14, from: u32::MAX - 3 },
        Message::Release { context: 16 },
        Message::Bye,
    ];
    for message in &said {
        a.send(message);
    }
    drop(a);
    for message in said {
        assert_eq!(b.next_event().unwrap(), Some(Event::Message(message)));
    }
    assert_eq!(b.next_event().unwrap(), Some(Event::Closed));
    assert_eq!(b.next_event().unwrap(), None);
}

#[test]
fn a_notice_that_comes_in_single_bytes_is_read() {
    let (a, mut b) = pair();
    let (mut record, reader) = pair();
    record.send(&Message::Notice { context: 0, kind: 1, origin: 0, subject: 2, text: "lost".into() });
    let mut bytes = [0u8; 64];
    let n = reader.socket.read(&mut bytes).unwrap().unwrap();
    for (i, byte) in bytes[..n].iter().enumerate() {
        a.socket.write(&[*byte]).unwrap();
        assert_eq!(b.next_event().unwrap().is_some(), i + 1 == n);
    }
}

#[test]
fn last_words_are_heard_behind_descriptors_and_bells_and_after_the_end() {
    let (mut a, mut b) = pair();
    let (file, _) = UnixStream::pair().unwrap();
    send_descriptor(a.socket(), &file.into()).unwrap();
    a.ring();
    let notice = Message::Notice { context: 0, kind: 2, origin: 1, subject: 5, text: "gone".into() };
    assert_eq!(b.last_words(), None);
    a.send(&notice);
    drop(a);
    assert_eq!(b.last_words(), Some(notice));
    assert_eq!(b.last_words(), None);
}

#[test]
fn nonsense_is_an_error() {
    let (a, mut b) = pair();
    a.socket.write(&[99]).unwrap();
    assert!(b.next_event().is_err());
    assert!(b.next_event().is_err());
    let (mut a, mut b) = (a, b);
    b.send(&Message::Bye);
    b.cut_off();
    assert_eq!(b.next_event().unwrap(), None);
    assert_eq!(a.next_event().unwrap(), Some(Event::Message(Message::Bye)));
    assert_eq!(a.next_event().unwrap(), Some(Event::Closed));
    let (a, mut b) = pair();
    a.socket.write(&[NOTICE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]).unwrap();
    assert!(b.next_event().is_err());
}
