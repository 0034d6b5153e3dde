//! Communicators: how ranks find each other, communicators made from others, and their ends.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyccl::{Communicator, Config, ErrorKind, Op, Result, Store, StoreError, UniqueId};

/// Runs `join` on `size` threads, each with its rank, and checks that the ranks have met.
fn meet(size: usize, join: impl Fn(usize) -> Result<Communicator> + Sync) {
    thread::scope(|scope| {
        for rank in 0..size {
            let join = &join;
            scope.spawn(move || {
                let comm = join(rank).unwrap();
                assert_eq!((comm.rank(), comm.size()), (rank, size));
                assert_eq!((comm.local_rank(), comm.local_size()), (rank, size));
                let mut ranks = vec![0; size];
                comm.all_gather(&[rank as u32], &mut ranks).unwrap();
                assert_eq!(ranks, (0..size as u32).collect::<Vec<_>>());
                comm.close().unwrap();
            });
        }
    });
}

#[test]
fn ranks_meet_by_an_id() {
    for size in 1..=4 {
        let id = UniqueId::new().unwrap();
        let sent = UniqueId::from_bytes(id.to_bytes());
        assert_eq!(id, sent);
        meet(size, |rank| Communicator::from_id(&sent, size, rank));
    }
}

#[test]
fn ranks_meet_by_a_file() {
    let path = std::env::temp_dir().join(format!("anyccl-rust-meeting-{}", std::process::id()));
    meet(3, |rank| Communicator::from_file(&path, 3, rank));
    assert!(!path.exists());
}

/// A store of the program, which all ranks share.
#[derive(Default)]
struct Shared {
    values: Mutex<HashMap<String, Vec<u8>>>,
    changed: Condvar,
}

impl Store for &Shared {
    fn set(&mut self, key: &str, value: &[u8]) -> std::result::Result<(), StoreError> {
        self.values.lock().unwrap().insert(key.into(), value.into());
        self.changed.notify_all();
        Ok(())
    }

    fn get(&mut self, key: &str, timeout: Duration) -> std::result::Result<Option<Vec<u8>>, StoreError> {
        let end = Instant::now() + timeout;
        let mut values = self.values.lock().unwrap();
        loop {
            if let Some(value) = values.get(key) {
                return Ok(Some(value.clone()));
            }
            let Some(rest) = end.checked_duration_since(Instant::now()) else { return Ok(None) };
            values = self.changed.wait_timeout(values, rest).unwrap().0;
        }
    }
}

#[test]
fn ranks_meet_through_a_store_of_the_program() {
    let store = Shared::default();
    meet(3, |rank| Communicator::from_store(&mut &store, 3, rank));
}

#[test]
fn a_store_that_fails_is_an_error_with_its_text() {
    struct Broken;
    impl Store for Broken {
        fn set(&mut self, _: &str, _: &[u8]) -> std::result::Result<(), StoreError> {
            Err("the disk is full".into())
        }
        fn get(&mut self, _: &str, _: Duration) -> std::result::Result<Option<Vec<u8>>, StoreError> {
            Ok(None)
        }
    }
    let config = Config::new().timeout(Duration::from_millis(100));
    let error = Communicator::from_store_with(&mut Broken, 2, 0, &config).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Bootstrap);
    assert!(error.to_string().contains("the disk is full"), "{error}");
    let error = Communicator::from_store_with(&mut Broken, 2, 1, &config).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
}

#[test]
fn communicators_are_made_from_others_and_outlive_them() {
    for size in 1..=4 {
        anyccl::threads(size, |comm| {
            let rank = comm.rank();
            let odd = comm.split(Some(rank as u32 % 2), -(rank as i32))?.expect("each rank has a color");
            let mut highest = [rank as u64];
            odd.broadcast(&mut highest, 0)?;
            assert_eq!(highest[0] as usize % 2, rank % 2);
            assert!(highest[0] as usize + 2 >= size);
            assert!(comm.split((rank == 0).then_some(1), 0)?.is_some() == (rank == 0));

            let config = Config::new().name("copy").timeout(Duration::from_secs(30));
            let copy = comm.duplicate_with(&config)?;
            assert_eq!((copy.name(), copy.size(), copy.rank()), ("copy", size, rank));
            assert_eq!(comm.split_by_host()?.size(), size);
            let backwards: Vec<usize> = (0..size).rev().collect();
            let backwards = comm.create_from_ranks(&backwards)?.expect("all ranks are in it");
            assert_eq!(backwards.rank(), size - 1 - rank);
            assert_eq!(comm.create_from_ranks(&[0])?.is_some(), rank == 0);

            let child = copy.duplicate()?;
            drop(copy);
            let mut sum = [1u8];
            child.all_reduce_in_place(&mut sum, Op::Sum)?;
            assert_eq!(sum[0] as usize, size);
            Ok(())
        })
        .unwrap();
    }
}

#[test]
fn a_communicator_is_closed_by_its_last_handle() {
    anyccl::threads(2, |comm| {
        let copy = comm.duplicate()?;
        let handle = copy.clone();
        let request = handle.start_barrier()?;
        assert_eq!(handle.close().unwrap_err().kind(), ErrorKind::InvalidUsage);
        let handle = copy.clone();
        drop(copy);
        request.wait()?;
        handle.barrier()?;
        handle.close()
    })
    .unwrap();
}

#[test]
fn several_threads_of_a_rank_use_one_communicator() {
    anyccl::threads(2, |comm| {
        let other = 1 - comm.rank();
        thread::scope(|scope| {
            for tag in 0..4 {
                scope.spawn(move || {
                    let mut got = [0i32; 100];
                    for round in 0..20 {
                        let sent = [tag + round; 100];
                        comm.send_receive(&sent, other, tag, &mut got, other, tag).unwrap();
                        assert_eq!(got, sent);
                    }
                });
            }
        });
        Ok(())
    })
    .unwrap();
}

#[test]
fn values_may_go_to_other_threads() {
    fn is_send<T: Send>() {}
    fn is_sync<T: Sync>() {}
    is_send::<Communicator>();
    is_sync::<Communicator>();
    is_send::<anyccl::Request<Vec<f32>>>();
    is_send::<anyccl::ReceiveRequest<f32>>();
    is_send::<anyccl::Persistent<f32>>();
    is_send::<anyccl::Operator<f32>>();
    is_sync::<anyccl::Operator<f32>>();
    is_send::<anyccl::Error>();
    is_sync::<anyccl::Error>();
}
