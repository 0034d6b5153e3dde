//! Tests of an inbox whose link has lanes.

use super::Inbox;
use crate::base::{Call, CallKind, Collective, Datatype};
use crate::sys::socket::Socket;
use crate::transport::connect::tcp_link;
use crate::transport::{Header, Link, SingleCopy};

fn header(context: u32) -> Header {
    let kind = CallKind::Collective(Collective::Broadcast);
    let call = Call { kind, datatype: Datatype::Byte, op: None, root: 0, count: 1 };
    Header { context, sequence: 0, call: call.pack() }
}

fn send(link: &mut dyn Link, header: &Header, data: &[u8]) -> Option<usize> {
    // SAFETY: the data is borrowed for the whole call, and the same in each.
    unsafe { link.send(header, data.as_ptr(), data.len(), SingleCopy::Never) }.unwrap()
}

#[test]
fn a_message_that_passes_another_is_not_taken_for_that_one() {
    let (here, there) = (0..4).map(|_| Socket::pair()).unzip();
    let (mut sender, mut inbox) =
        (tcp_link(there, false).unwrap(), Inbox::new(tcp_link(here, false).unwrap()));
    let (long, short) = (header(2), header(3));
    // More than the sockets hold, so that the rest is missed.
    let data = vec![7; 8 << 20];
    assert!(send(&mut *sender, &long, &data).is_some());
    assert_eq!(inbox.link.head().unwrap(), Some(long));
    assert!(inbox.stash_head(&long).unwrap());
    assert_eq!(inbox.link.head().unwrap(), Some(long));
    assert_eq!(send(&mut *sender, &short, &[1]), Some(1));
    for act in [Inbox::stash_head, Inbox::discard_head] {
        assert!(act(&mut inbox, &long).unwrap(), "another look is due");
        assert_eq!(inbox.stashed_cost(short.context), 0);
        assert_eq!(inbox.link.head().unwrap(), Some(short));
    }
}
