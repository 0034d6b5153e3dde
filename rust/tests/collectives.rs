//! Every collective, on one to four ranks, against what it is defined to leave.

use anyccl::{Communicator, Op, Result};

/// Runs `body` on one to four ranks.
fn on_ranks(body: impl Fn(&Communicator) -> Result<()> + Sync) {
    for size in 1..=4 {
        anyccl::threads(size, &body).unwrap();
    }
}

/// Element `at` of the input of a rank.
fn element(rank: usize, at: usize) -> i64 {
    (100 * rank + at + 1) as i64
}

fn input(rank: usize, len: usize) -> Vec<i64> {
    (0..len).map(|at| element(rank, at)).collect()
}

/// The sum over the first `ranks` ranks, element by element.
fn sums(ranks: usize, len: usize) -> Vec<i64> {
    (0..len).map(|at| (0..ranks).map(|rank| element(rank, at)).sum()).collect()
}

const LENGTHS: [usize; 4] = [0, 1, 5, 3000];

#[test]
fn reductions_give_the_sum_to_those_who_are_to_have_it() {
    on_ranks(|comm| {
        let (rank, size) = (comm.rank(), comm.size());
        for len in LENGTHS {
            let send = input(rank, len);
            let mut recv = vec![-1; len];
            comm.all_reduce(&send, &mut recv, Op::Sum)?;
            assert_eq!(recv, sums(size, len));

            let mut data = send.clone();
            comm.all_reduce_in_place(&mut data, Op::Max)?;
            assert_eq!(data, input(size - 1, len));

            for root in 0..size {
                let mut recv = if rank == root { vec![-1; len] } else { Vec::new() };
                comm.reduce(&send, &mut recv, Op::Sum, root)?;
                let mut data = send.clone();
                comm.reduce_in_place(&mut data, Op::Sum, root)?;
                if rank == root {
                    assert_eq!((&recv, &data), (&sums(size, len), &sums(size, len)));
                } else {
                    assert_eq!(data, send);
                }
            }

            let mut recv = vec![-1; len];
            comm.scan(&send, &mut recv, Op::Sum)?;
            assert_eq!(recv, sums(rank + 1, len));
            let mut recv = vec![-1; len];
            comm.exscan(&send, &mut recv, Op::Sum)?;
            assert_eq!(recv, if rank == 0 { vec![-1; len] } else { sums(rank, len) });

            let whole = input(rank, len * size);
            let mut block = vec![-1; len];
            comm.reduce_scatter(&whole, &mut block, Op::Sum)?;
            assert_eq!(block, sums(size, len * size)[rank * len..][..len]);
        }
        Ok(())
    });
}

#[test]
fn copies_come_to_their_places() {
    on_ranks(|comm| {
        let (rank, size) = (comm.rank(), comm.size());
        for len in LENGTHS {
            let send = input(rank, len);
            let all: Vec<i64> = (0..size).flat_map(|rank| input(rank, len)).collect();

            let mut recv = vec![-1; len * size];
            comm.all_gather(&send, &mut recv)?;
            assert_eq!(recv, all);
            let mut data = vec![-1; len * size];
            data[rank * len..][..len].copy_from_slice(&send);
            comm.all_gather_in_place(&mut data)?;
            assert_eq!(data, all);

            for root in 0..size {
                let mut data = send.clone();
                comm.broadcast(&mut data, root)?;
                assert_eq!(data, input(root, len));

                let mut recv = if rank == root { vec![-1; len * size] } else { Vec::new() };
                comm.gather(&send, &mut recv, root)?;
                assert!(rank != root || recv == all);

                let mut block = vec![-1; len];
                comm.scatter(if rank == root { &all } else { &[] }, &mut block, root)?;
                assert_eq!(block, send);
            }

            let sent: Vec<i64> = (0..size).flat_map(|to| input(10 * rank + to, len)).collect();
            let expected: Vec<i64> = (0..size).flat_map(|from| input(10 * from + rank, len)).collect();
            let mut recv = vec![-1; len * size];
            comm.all_to_all(&sent, &mut recv)?;
            assert_eq!(recv, expected);
            let mut data = sent;
            comm.all_to_all_in_place(&mut data)?;
            assert_eq!(data, expected);
            comm.barrier()?;
        }
        Ok(())
    });
}

#[test]
fn blocks_of_different_lengths_come_to_their_places() {
    on_ranks(|comm| {
        let (rank, size) = (comm.rank(), comm.size());
        // Rank 0 has nothing.
        let counts: Vec<usize> = (0..size).map(|rank| 3 * rank).collect();
        let total: usize = counts.iter().sum();
        let send = input(rank, counts[rank]);
        let all: Vec<i64> = (0..size).flat_map(|rank| input(rank, counts[rank])).collect();

        let mut recv = vec![-1; total];
        comm.all_gather_v(&send, &mut recv, &counts)?;
        assert_eq!(recv, all);
        for root in 0..size {
            let mut recv = if rank == root { vec![-1; total] } else { Vec::new() };
            comm.gather_v(&send, &mut recv, if rank == root { &counts } else { &[] }, root)?;
            assert!(rank != root || recv == all);
            let mut block = vec![-1; counts[rank]];
            let (whole, of) = if rank == root { (&all[..], &counts[..]) } else { (&[][..], &[][..]) };
            comm.scatter_v(whole, of, &mut block, root)?;
            assert_eq!(block, send);
        }

        let mut block = vec![-1; counts[rank]];
        comm.reduce_scatter_v(&input(rank, total), &counts, &mut block, Op::Sum)?;
        let start: usize = counts[..rank].iter().sum();
        assert_eq!(block, sums(size, total)[start..][..counts[rank]]);

        // Rank a sends a + b elements to rank b.
        let between: Vec<usize> = (0..size).map(|other| rank + other).collect();
        let sent: Vec<i64> = (0..size).flat_map(|to| input(10 * rank + to, rank + to)).collect();
        let expected: Vec<i64> = (0..size).flat_map(|from| input(10 * from + rank, rank + from)).collect();
        let mut recv = vec![-1; expected.len()];
        comm.all_to_all_v(&sent, &between, &mut recv, &between)?;
        assert_eq!(recv, expected);
        Ok(())
    });
}

#[test]
fn neighbours_in_a_ring_and_in_a_star_get_their_blocks() {
    on_ranks(|comm| {
        let (rank, size) = (comm.rank(), comm.size());
        let (right, left) = ((rank + 1) % size, (rank + size - 1) % size);
        let ring = comm.graph(&[left, right], &[right, left])?;
        assert_eq!(ring.sources().chain(ring.destinations()).collect::<Vec<_>>(), [left, right, right, left]);
        // To the right go as many elements as the rank says, and one more; to the left go two.
        let mut recv = vec![-1; left + 3];
        let sent: Vec<i64> = (0..rank + 1).map(|at| element(rank, at)).chain([7, 8]).collect();
        ring.neighbor_all_to_all_v(&sent, &[rank + 1, 2], &mut recv, &[left + 1, 2])?;
        assert_eq!(recv, input(left, left + 1).into_iter().chain([7, 8]).collect::<Vec<_>>());

        let all: Vec<usize> = (0..size).collect();
        let star = comm.graph(if rank == 0 { &all } else { &[] }, &[0])?;
        let (recv, counts) = if rank == 0 { (vec![-1; 2 * size], vec![2; size]) } else { (vec![], vec![]) };
        let (_, recv) = star.start_neighbor_all_gather_v(input(rank, 2), recv, &counts)?.wait()?;
        assert!(rank != 0 || recv == (0..size).flat_map(|rank| input(rank, 2)).collect::<Vec<_>>());
        let ones = vec![1; if rank == 0 { size } else { 0 }];
        let room = vec![-1; ones.len()];
        let (_, recv) =
            star.start_neighbor_all_to_all_v(vec![element(rank, 0)], &[1], room, &ones)?.wait()?;
        assert!(rank != 0 || recv == (0..size).map(|rank| element(rank, 0)).collect::<Vec<_>>());
        Ok(())
    });
}

#[test]
fn ranks_that_disagree_about_a_graph_learn_who_and_work_on() {
    anyccl::threads(2, |comm| {
        let error = comm.graph(&[], if comm.rank() == 0 { &[1] } else { &[] }).unwrap_err();
        assert_eq!(error.kind(), anyccl::ErrorKind::InvalidArgument);
        assert!(error.to_string().contains("rank 0 sends more often to rank 1"), "{error}");
        assert!(comm.graph(&[9], &[]).is_err());
        comm.barrier()
    })
    .unwrap();
}

#[test]
fn lists_of_buffers_are_reduced_and_copied() {
    on_ranks(|comm| {
        let (rank, size) = (comm.rank(), comm.size());
        let lengths = [3, 0, 20_000, 1];
        let mut list: Vec<Vec<i64>> = lengths.iter().map(|len| input(rank, *len)).collect();
        comm.all_reduce_coalesced(
            &mut list.iter_mut().map(|data| &mut data[..]).collect::<Vec<_>>(),
            Op::Sum,
        )?;
        assert!(list.iter().zip(lengths).all(|(data, len)| *data == sums(size, len)));

        let list = lengths.iter().map(|len| input(rank, *len)).collect();
        let list = comm.start_broadcast_coalesced(list, size - 1)?.wait()?;
        assert!(list.iter().zip(lengths).all(|(data, len)| *data == input(size - 1, len)));
        Ok(())
    });
}

#[test]
fn forms_that_return_at_once_give_their_buffers_back_with_the_result() {
    on_ranks(|comm| {
        let (rank, size) = (comm.rank(), comm.size());
        for len in [0, 7, 5000] {
            let (send, room) = (input(rank, len), || vec![-1i64; len]);
            let all: Vec<i64> = (0..size).flat_map(|rank| input(rank, len)).collect();
            let root = size - 1;
            let reduced = comm.start_all_reduce(send.clone(), room(), Op::Sum)?;
            let in_place = comm.start_all_reduce_in_place(send.clone(), Op::Sum)?;
            let at_root = comm.start_reduce(send.clone(), room(), Op::Sum, root)?;
            let copied = comm.start_broadcast(send.clone(), root)?;
            let gathered = comm.start_all_gather(send.clone(), vec![-1; len * size])?;
            let gathered_at_root = comm.start_gather(send.clone(), vec![-1; len * size], root)?;
            let scattered = comm.start_scatter(all.clone(), room(), root)?;
            let block = comm.start_reduce_scatter(all.clone(), room(), Op::Max)?;
            let exchanged = comm.start_all_to_all(input(rank, len * size), vec![-1; len * size])?;
            let scanned = comm.start_scan(send.clone(), room(), Op::Sum)?;
            let before = comm.start_exscan(send.clone(), room(), Op::Sum)?;
            let barrier = comm.start_barrier()?;

            // In another order than they were started.
            barrier.wait()?;
            assert_eq!(scanned.wait()?, (send.clone(), sums(rank + 1, len)));
            assert_eq!(before.wait()?.1, if rank == 0 { room() } else { sums(rank, len) });
            let theirs: Vec<i64> =
                (0..size).flat_map(|from| input(from, len * size)[rank * len..][..len].to_vec()).collect();
            assert_eq!(exchanged.wait()?.1, theirs);
            assert_eq!(block.wait()?.1, all[rank * len..][..len]);
            assert_eq!(scattered.wait()?.1, send);
            assert!(gathered_at_root.wait()?.1 == all || rank != root);
            assert_eq!(gathered.wait()?.1, all);
            assert_eq!(copied.wait()?, input(root, len));
            assert!(at_root.wait()?.1 == sums(size, len) || rank != root);
            assert_eq!(in_place.wait()?, sums(size, len));
            assert_eq!(reduced.wait()?, (send, sums(size, len)));
        }
        Ok(())
    });
}

#[test]
fn unequal_forms_that_return_at_once_give_their_buffers_back_with_the_result() {
    on_ranks(|comm| {
        let (rank, size) = (comm.rank(), comm.size());
        let counts: Vec<usize> = (0..size).map(|rank| rank + 1).collect();
        let total: usize = counts.iter().sum();
        let (send, root) = (input(rank, rank + 1), 0);
        let all: Vec<i64> = (0..size).flat_map(|rank| input(rank, rank + 1)).collect();
        let gathered = comm.start_all_gather_v(send.clone(), vec![-1; total], &counts)?;
        let at_root = comm.start_gather_v(send.clone(), vec![-1; total], &counts, root)?;
        let scattered = comm.start_scatter_v(all.clone(), &counts, vec![-1; rank + 1], root)?;
        let block = comm.start_reduce_scatter_v(all.clone(), &counts, vec![-1; rank + 1], Op::Min)?;
        let ones = vec![1; size];
        let exchanged = comm.start_all_to_all_v(input(rank, size), &ones, vec![-1; size], &ones)?;
        let theirs: Vec<i64> = (0..size).map(|from| element(from, rank)).collect();
        assert_eq!(exchanged.wait()?.1, theirs);
        assert_eq!(block.wait()?.1, send);
        assert_eq!(scattered.wait()?.1, send);
        assert!(at_root.wait()?.1 == all || rank != root);
        assert_eq!(gathered.wait()?, (send, all));
        Ok(())
    });
}

#[test]
fn prepared_calls_run_again_and_again() {
    on_ranks(|comm| {
        let (rank, size) = (comm.rank(), comm.size());
        let mut sum = comm.persistent_all_reduce(vec![0; 4], vec![0; 4], Op::Sum)?;
        let mut in_place = comm.persistent_all_reduce_in_place(vec![0; 4], Op::Sum)?;
        let mut copy = comm.persistent_broadcast(vec![0; 4], size - 1)?;
        let mut at_root = comm.persistent_reduce(vec![0; 4], vec![0; 4], Op::Sum, 0)?;
        let mut gathered = comm.persistent_all_gather(vec![0; 4], vec![0; 4 * size])?;
        let mut block = comm.persistent_reduce_scatter(vec![0; 4 * size], vec![0; 4], Op::Sum)?;
        let mut exchanged = comm.persistent_all_to_all(vec![0; 4 * size], vec![0; 4 * size])?;
        for round in 0..3i64 {
            let all =
                [&mut sum, &mut in_place, &mut copy, &mut at_root, &mut gathered, &mut block, &mut exchanged];
            for call in all {
                call.input_mut()?.fill(round + rank as i64);
                call.start()?;
                assert!(call.data().is_err() && call.input_mut().is_err() && call.start().is_err());
                call.wait()?;
            }
            let total: i64 = (0..size as i64).map(|rank| round + rank).sum();
            let last = round + size as i64 - 1;
            assert_eq!((sum.data()?, in_place.data()?), (&[total; 4][..], &[total; 4][..]));
            assert_eq!((copy.data()?, block.data()?), (&[last; 4][..], &[total; 4][..]));
            assert!(rank != 0 || at_root.data()? == [total; 4]);
            let all: Vec<i64> = (0..size as i64).flat_map(|rank| [round + rank; 4]).collect();
            assert_eq!((gathered.data()?, exchanged.data()?), (&all[..], &all[..]));
        }
        Ok(())
    });
}

#[test]
fn borrowed_buffers_have_their_results_when_the_scope_ends() {
    on_ranks(|comm| {
        let (rank, size) = (comm.rank(), comm.size());
        let (send, whole) = (input(rank, 5), input(rank, 5 * size));
        let (mut sum, mut last, mut block) = (vec![0; 5], send.clone(), vec![0; 5]);
        let (mut gathered, mut exchanged, mut at_root) = (vec![0; 5 * size], vec![0; 5 * size], vec![0; 5]);
        let (mut got, mut scattered, mut gathered_at_root) = ([0; 5], [0; 5], vec![0; 5 * size]);
        let all: Vec<i64> = (0..size).flat_map(|rank| input(rank, 5)).collect();
        comm.scope(|scope| {
            scope.all_reduce(&send, &mut sum, Op::Sum)?;
            scope.broadcast(&mut last, size - 1)?;
            scope.reduce_scatter(&whole, &mut block, Op::Sum)?;
            scope.all_gather(&send, &mut gathered)?;
            scope.all_to_all(&whole, &mut exchanged)?;
            scope.reduce(&send, &mut at_root, Op::Sum, 0)?;
            scope.gather(&send, &mut gathered_at_root, 0)?;
            let scattered = scope.scatter(&all, &mut scattered, 0)?;
            assert_eq!(scattered.wait()?, send);
            let received = scope.receive(&mut got, (rank + size - 1) % size, 3)?;
            scope.send(&send, (rank + 1) % size, 3)?;
            let (got, status) = received.wait_with_status()?;
            assert_eq!(got, input((rank + size - 1) % size, 5));
            assert_eq!(status.map(|status| status.count), Some(5));
            Ok(())
        })?;
        assert_eq!((sum, last), (sums(size, 5), input(size - 1, 5)));
        assert_eq!(block, sums(size, 5 * size)[rank * 5..][..5]);
        assert_eq!(gathered, all);
        assert!(rank != 0 || gathered_at_root == all);
        let theirs = (0..size).flat_map(|from| input(from, 5 * size)[rank * 5..][..5].to_vec());
        assert_eq!(exchanged, theirs.collect::<Vec<_>>());
        assert!(rank != 0 || at_root == sums(size, 5));
        Ok(())
    });
}
