//! Tests of the control channel: a pair of channels, and a peer that writes nonsense.

use super::wire::NOTICE;
use super::*;
use crate::sys::descriptor_passing::send_descriptor;
use std::os::unix::net::UnixStream;

fn pair() -> (ControlChannel, ControlChannel) {
    let (a, b) = UnixStream::pair().unwrap();
    let control = |s: UnixStream| ControlChannel::new(Socket::from_fd(s.into(), true).unwrap());
    (control(a), control(b))
}

#[test]
fn messages_arrive_in_order_and_then_the_end() {
    let (mut a, mut b) = pair();
    let said = [
        ControlMessage::Doorbell,
        ControlMessage::Stall { context: 7, sequence: 9, call: [u64::MAX, 3] },
        ControlMessage::Notice { context: 6, kind: 2, origin: 1, subject: 5, text: "räuber".repeat(3) },
        ControlMessage::Left { context: 8, sent: 0, calls: None },
        ControlMessage::Left {
            context: 10,
            sent: 1 << 33,
            calls: Some(CallRecord { next: 5, digest: u64::MAX - 1, latest: vec![[1, 2], [3, u64::MAX]] }),
        },
        ControlMessage::Left { context: 12, sent: u64::MAX, calls: Some(CallRecord::default()) },
        ControlMessage::Quit { context: 6, sent: 1 << 40, calls: u32::MAX, reason: "genug".into() },
        ControlMessage::Agree { context: 9, numbers: [1, 2, u32::MAX, 1], lost: vec![0b101, 7] },
        ControlMessage::Hold { context: 14, from: u32::MAX - 3 },
        ControlMessage::Release { context: 16 },
        ControlMessage::Unformed { context: 18, call: u32::MAX },
        ControlMessage::Ended { context: 20, sequence: u32::MAX, sent: 1 << 40 },
        ControlMessage::Bye,
    ];
    for message in &said {
        a.send(message);
    }
    drop(a);
    for message in said {
        assert_eq!(b.next_event().unwrap(), Some(ControlEvent::Message(message)));
    }
    assert_eq!(b.next_event().unwrap(), Some(ControlEvent::Closed));
    assert_eq!(b.next_event().unwrap(), None);
}

#[test]
fn a_notice_that_comes_in_single_bytes_is_read() {
    let (a, mut b) = pair();
    let (mut record, reader) = pair();
    record.send(&ControlMessage::Notice { context: 0, kind: 1, origin: 0, subject: 2, text: "lost".into() });
    let mut bytes = [0u8; 64];
    let n = reader.socket.read(&mut bytes).unwrap().unwrap();
    for (i, byte) in bytes[..n].iter().enumerate() {
        a.socket.write(&[*byte]).unwrap();
        assert_eq!(b.next_event().unwrap().is_some(), i + 1 == n);
    }
}

#[test]
fn a_failure_notice_is_found_behind_descriptors_and_doorbells_and_after_the_end() {
    let (mut a, mut b) = pair();
    let (file, _) = UnixStream::pair().unwrap();
    send_descriptor(a.socket(), &file.into()).unwrap();
    a.ring();
    let notice = ControlMessage::Notice { context: 0, kind: 2, origin: 1, subject: 5, text: "gone".into() };
    assert_eq!(b.take_failure_notice(), None);
    a.send(&notice);
    drop(a);
    assert_eq!(b.take_failure_notice(), Some(notice));
    assert_eq!(b.take_failure_notice(), None);
}

#[test]
fn nonsense_is_an_error() {
    let (a, mut b) = pair();
    a.socket.write(&[99]).unwrap();
    assert!(b.next_event().is_err());
    assert!(b.next_event().is_err());
    let (mut a, mut b) = (a, b);
    b.send(&ControlMessage::Bye);
    b.cut_off();
    assert_eq!(b.next_event().unwrap(), None);
    assert_eq!(a.next_event().unwrap(), Some(ControlEvent::Message(ControlMessage::Bye)));
    assert_eq!(a.next_event().unwrap(), Some(ControlEvent::Closed));
    let (a, mut b) = pair();
    a.socket.write(&[NOTICE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]).unwrap();
    assert!(b.next_event().is_err());
}
