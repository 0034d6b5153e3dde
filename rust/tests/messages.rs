//! Messages from rank to rank.

use std::sync::Arc;
use std::time::Duration;

use anyccl::{Source, Tag, wait_all, wait_any};

#[test]
fn messages_with_the_same_tag_arrive_in_order_and_others_by_their_tag() {
    for size in 1..=4 {
        anyccl::threads(size, |comm| {
            let (rank, right) = (comm.rank(), (comm.rank() + 1) % size);
            let left = (rank + size - 1) % size;
            let sends = (0..4u32).map(|number| comm.start_send(vec![number; 3], right, number as i32 % 2));
            let sends = sends.collect::<anyccl::Result<Vec<_>>>()?;
            for (tag, number) in [(1, 1), (0, 0), (1, 3), (0, 2)] {
                let mut got = [9u32; 5];
                let status = comm.receive(&mut got, left, tag)?;
                assert_eq!((status.source, status.tag, status.count), (left, tag, 3));
                assert_eq!(got, [number, number, number, 9, 9]);
            }
            assert_eq!(wait_all(sends)?.len(), 4);
            Ok(())
        })
        .unwrap();
    }
}

#[test]
fn a_message_of_unknown_length_makes_its_vector() {
    anyccl::threads(3, |comm| {
        if comm.rank() > 0 {
            return comm.synchronous_send(&vec![comm.rank() as f64; 10_000 * comm.rank()], 0, 5);
        }
        let mut lengths = Vec::new();
        for _ in 0..2 {
            let (data, status) = comm.receive_vec::<f64>(Source::Any, Tag::Any)?;
            assert!(data.iter().all(|element| *element == status.source as f64));
            assert_eq!(data.len(), status.count);
            lengths.push(data.len());
        }
        lengths.sort_unstable();
        assert_eq!(lengths, [10_000, 20_000]);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_probe_tells_of_a_message_and_leaves_it() {
    anyccl::threads(2, |comm| {
        if comm.rank() == 0 {
            return comm.send(&[1u8, 2], 1, 4);
        }
        assert_eq!(comm.try_probe(0, 5)?, None);
        assert_eq!(comm.probe(Source::Any, 4)?.count, 2);
        assert_eq!(comm.try_probe(0, Tag::Any)?.map(|status| status.tag), Some(4));
        let mut got = [0u8; 2];
        comm.receive(&mut got, 0, 4)?;
        assert_eq!(got, [1, 2]);
        Ok(())
    })
    .unwrap();
}

#[test]
fn each_kind_of_input_is_sent_and_given_back() {
    anyccl::threads(2, |comm| {
        if comm.rank() == 0 {
            static CONSTANT: [i32; 2] = [7, 8];
            let (slice, vector): (Arc<[i32]>, _) = (Arc::from([3, 4]), Arc::new(vec![5, 6]));
            let first = comm.start_send(vec![1, 2], 1, 0)?;
            let second = comm.start_send(Arc::clone(&slice), 1, 0)?;
            let third = comm.start_send(Arc::clone(&vector), 1, 0)?;
            let fourth = comm.start_synchronous_send(&CONSTANT[..], 1, 0)?;
            assert_eq!(slice[..], [3, 4]);
            assert_eq!((first.wait()?, second.wait()?), (vec![1, 2], slice));
            assert_eq!((third.wait()?, fourth.wait()?), (vector, &CONSTANT[..]));
            return Ok(());
        }
        for number in [1, 3, 5, 7] {
            assert_eq!(comm.receive_vec::<i32>(0, 0)?.0, [number, number + 1]);
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_receive_can_be_cancelled_waited_for_a_time_and_waited_for_with_others() {
    anyccl::threads(2, |comm| {
        let other = 1 - comm.rank();
        let mut receive = comm.start_receive(vec![9u8; 2], other, 1)?;
        assert!(!receive.test() && !receive.wait_for(Duration::from_millis(1)));
        assert_eq!(receive.cancel()?, (vec![9, 9], None));

        let mut never = comm.start_receive(vec![0u8; 1], other, 2)?;
        let mut soon = comm.start_receive(vec![0u8; 1], other, 3)?;
        let sent = comm.start_send(vec![5u8], other, 3)?;
        assert_eq!(wait_any(&mut [&mut never, &mut soon])?, [1]);
        assert_eq!(soon.wait()?.0, [5]);
        sent.wait()?;
        assert_eq!(never.cancel()?.1, None);
        Ok(())
    })
    .unwrap();
}

#[test]
fn prepared_messages_are_sent_again_and_again() {
    anyccl::threads(2, |comm| {
        let other = 1 - comm.rank();
        let mut send = comm.persistent_send(vec![0u16; 2], other, 1)?;
        let mut receive = comm.persistent_receive(vec![0u16; 3], other, 1)?;
        for round in 1..4 {
            send.data_mut()?.fill(round);
            receive.start()?;
            send.start()?;
            wait_any(&mut [&mut send, &mut receive])?;
            send.wait()?;
            receive.wait()?;
            assert_eq!(receive.data()?, [round, round, 0]);
            assert_eq!(receive.status().map(|status| status.count), Some(2));
        }
        Ok(())
    })
    .unwrap();
}
