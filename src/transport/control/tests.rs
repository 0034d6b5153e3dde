//! Tests of the control channel: a pair of channels, and a peer that writes nonsense.

use super::wire::NOTICE;
use super::*;
use crate::sys::descriptor_passing::send_descriptor;
use crate::sys::fork::tests::{in_child, permit_few_files_on_their_way};
use std::os::unix::net::UnixStream;

/// A file that no kernel passes.
pub(crate) struct NoFile;

impl AsRawFd for NoFile {
    fn as_raw_fd(&self) -> RawFd {
        -1
    }
}

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
    send_descriptor(a.socket(), &file).unwrap();
    a.ring();
    let notice = ControlMessage::Notice { context: 0, kind: 2, origin: 1, subject: 5, text: "gone".into() };
    assert_eq!(b.take_failure_notice(), None);
    a.send(&notice);
    drop(a);
    assert_eq!(b.take_failure_notice(), Some(notice));
    assert_eq!(b.take_failure_notice(), None);
}

#[test]
fn files_come_in_order_among_messages_and_none_that_was_not_passed() {
    let (mut a, mut b) = pair();
    let file: SharedFile = Arc::new(UnixStream::pair().unwrap().0);
    a.send(&ControlMessage::Release { context: 1 });
    a.pass(file);
    a.send(&ControlMessage::Release { context: 2 });
    let release = |context| Some(ControlEvent::Message(ControlMessage::Release { context }));
    assert_eq!(b.next_event().unwrap(), release(1));
    assert_eq!(b.next_event().unwrap(), Some(ControlEvent::File));
    assert!(b.take_file().is_some() && b.take_file().is_none());
    assert_eq!(b.next_event().unwrap(), release(2));
    a.socket.write(&[CARRIER]).unwrap();
    assert!(b.next_event().is_err());
}

#[test]
fn a_file_that_cannot_be_passed_is_an_error_and_none_takes_its_place() {
    let (mut a, mut b) = pair();
    a.pass(Arc::new(NoFile));
    a.pass(Arc::new(UnixStream::pair().unwrap().0));
    assert_eq!(b.next_event().unwrap(), None);
    assert_eq!(a.take_error_of_first_file().unwrap().raw_os_error(), Some(libc::EBADF));

    let (mut a, b) = pair();
    drop(b);
    a.pass(Arc::new(UnixStream::pair().unwrap().0));
    assert!(a.take_error_of_first_file().is_none(), "the peer is gone");
}

#[test]
fn a_file_waits_for_room() {
    let (mut a, mut b) = pair();
    let file: SharedFile = Arc::new(UnixStream::pair().unwrap().0);
    while !a.has_unsent() {
        a.send(&ControlMessage::Release { context: 1 });
    }
    a.pass(file);
    while a.keeps_file() {
        assert!(matches!(b.next_event().unwrap(), Some(ControlEvent::Message(_)) | None));
        a.flush();
    }
    while b.next_event().unwrap() != Some(ControlEvent::File) {}
    assert!(b.take_file().is_some());
}

#[test]
fn a_sleeper_waits_for_room_only_if_there_was_none() {
    let (mut a, mut b) = pair();
    assert!(!a.waits_for_room() && !a.is_refused());
    while !a.has_unsent() {
        a.send(&ControlMessage::Release { context: 1 });
    }
    assert!(a.waits_for_room() && !a.is_refused());
    while a.has_unsent() {
        b.next_event().unwrap();
        a.flush();
    }
    assert!(!a.waits_for_room());
}

#[test]
fn a_file_that_the_kernel_refuses_waits_and_the_socket_has_room() {
    let is_right = in_child(|| {
        let file: SharedFile = Arc::new(UnixStream::pair().unwrap().0);
        let (mut a, mut b) = pair();
        permit_few_files_on_their_way();
        (0..100).for_each(|_| a.pass(Arc::clone(&file)));
        let is_refused = a.is_refused() && !a.waits_for_room() && !a.keeps_first_file();
        while a.keeps_file() {
            while b.next_event().unwrap().is_some() {
                drop(b.take_file());
            }
            a.flush();
        }
        is_refused && !a.is_refused()
    });
    assert!(is_right);
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
