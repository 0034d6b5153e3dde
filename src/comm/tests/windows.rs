//! Tests of many small messages at a time.

use super::*;

/// # Safety
/// The number is readable until the request has ended.
unsafe fn start_send(comm: &Communicator, to: u32, tag: i32, number: &u64) -> Request {
    let (datatype, data) = (Datatype::Uint64, std::ptr::from_ref(number).cast());
    let what = OutgoingMessage { to, tag, datatype, count: 1, data, is_synchronous: false };
    // SAFETY: passed on from our caller.
    unsafe { comm.start(&what) }.unwrap()
}

/// # Safety
/// The number is writable until the request has ended.
unsafe fn start_receive(comm: &Communicator, selector: Selector, number: &mut u64) -> Request {
    let (datatype, data) = (Datatype::Uint64, std::ptr::from_mut(number).cast());
    let buffer = RecvBuffer { data, datatype, count: 1, is_lenient: false };
    // SAFETY: passed on from our caller.
    unsafe { comm.start(CallSpec::Receive(selector, buffer)) }.unwrap()
}

#[test]
fn windows_of_small_messages_arrive_in_order_whichever_side_is_first_and_whatever_the_order_of_waits() {
    for transport in [TransportChoice::Auto, TransportChoice::Tcp] {
        let first_has_sent = Barrier::new(2);
        on_ranks(2, transport, |comm| {
            let peer = 1 - comm.rank();
            for round in 0..60u64 {
                let is_rank_1_late = round % 5 == 0;
                // A larger window does not fit into a ring at once.
                let window = [1, 64, 500][round as usize % 3];
                let sent: Vec<u64> = (0..window).map(|at| round << 32 | at).collect();
                let mut received = vec![0; sent.len()];
                let source = (round % 2 == 0).then_some(peer);
                let mut requests = Vec::new();
                if comm.rank() == 1 && is_rank_1_late {
                    first_has_sent.wait();
                }
                // SAFETY: both vectors live until all requests have ended.
                let send = |number: &u64| unsafe { start_send(comm, peer, (*number % 3) as i32, number) };
                if comm.rank() == 0 {
                    requests.extend(sent.iter().map(send));
                    if is_rank_1_late {
                        first_has_sent.wait();
                    }
                }
                for (at, number) in received.iter_mut().enumerate() {
                    let selector = Selector::new(source, Some((sent[at] % 3) as i32));
                    // SAFETY: as above.
                    requests.push(unsafe { start_receive(comm, selector, number) });
                }
                if comm.rank() == 1 {
                    requests.extend(sent.iter().map(send));
                }
                if round % 4 == 0 {
                    requests.reverse();
                }
                let mut all: Vec<&mut Request> = requests.iter_mut().collect();
                wait_all(&mut all).unwrap();
                assert!(requests.iter().all(|request| request.status().is_some_and(|s| s.bytes == 8)));
                drop(requests);
                assert_eq!(received, sent);
            }
            comm.finalize().unwrap();
        });
    }
}

#[test]
fn a_small_send_over_shared_memory_has_ended_when_its_start_returns() {
    on_ranks(2, TransportChoice::Auto, |comm| {
        if comm.rank() == 0 {
            // The first message to a rank takes the slow path.
            // SAFETY: waited for at once.
            unsafe { start_send(comm, 1, 5, &1) }.wait().unwrap();
            // SAFETY: the number outlives the request.
            let mut second = unsafe { start_send(comm, 1, 5, &2) };
            let status = second.status().expect("it has left");
            assert_eq!((status.source, status.tag, status.bytes), (0, 5, 8));
            assert!(second.test().unwrap());
            second.wait().unwrap();
        } else {
            for expected in [1, 2] {
                let mut number = 0;
                // SAFETY: waited for at once.
                unsafe { start_receive(comm, Selector::new(Some(0), Some(5)), &mut number) }.wait().unwrap();
                assert_eq!(number, expected);
            }
        }
        comm.finalize().unwrap();
    });
}
