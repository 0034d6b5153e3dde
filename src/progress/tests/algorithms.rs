//! Tests that run every algorithm and compare it with the definition of its collective.

use super::*;

/// The elements that `rank` must have at the end. `None`: its output stays unchanged.
fn expected(job: &TestCall, rank: Rank) -> Option<Vec<i32>> {
    let (size, count, root) = (job.size, job.count, job.root);
    let at_root = rank == root;
    let block = |from: Rank, at: usize| (0..count).map(move |i| element(from, at * count + i));
    match job.collective {
        Collective::AllReduce => Some((0..count).map(|i| sum(size, i)).collect()),
        Collective::Reduce => at_root.then(|| (0..count).map(|i| sum(size, i)).collect()),
        Collective::Broadcast => Some(block(root, 0).collect()),
        Collective::AllGather => Some((0..size).flat_map(|from| block(from, 0)).collect()),
        Collective::Gather => at_root.then(|| (0..size).flat_map(|from| block(from, 0)).collect()),
        Collective::Scatter => Some(block(root, rank as usize).collect()),
        Collective::ReduceScatter => Some((0..count).map(|i| sum(size, rank as usize * count + i)).collect()),
        Collective::AllToAll => Some((0..size).flat_map(|from| block(from, rank as usize)).collect()),
        Collective::Scan => Some((0..count).map(|i| sum(rank + 1, i)).collect()),
        Collective::Exscan if rank > 0 => Some((0..count).map(|i| sum(rank, i)).collect()),
        Collective::Exscan | Collective::Barrier => None,
        _ => unreachable!("it has a layout"),
    }
}

fn check(kind: Kind, size: u32) {
    let drivers = world(size, kind);
    for algorithm in algo::ALGORITHMS.iter().filter(|row| !row.collective.has_layout()) {
        let counts: &'static [usize] =
            if algorithm.collective == Collective::Barrier { &[0] } else { &[1, 3, 200, 5000, 40_000] };
        let root = if algorithm.collective.has_root() { size - 1 } else { 0 };
        let results = on_all(&drivers, move |rank, driver| {
            counts.iter().all(|&count| {
                let (collective, algorithm) = (algorithm.collective, algorithm.name);
                let job = TestCall { collective, algorithm, size, rank, root, count };
                let inputs = collective.input_elements(size as usize, rank, root, count);
                let outputs = collective.output_elements(size as usize, rank, root, count);
                let mut output = vec![-1; outputs];
                job.run(driver, &input(rank, inputs), &mut output, LONG).unwrap();
                expected(&job, rank).is_none_or(|expected| expected == output)
            })
        });
        let (collective, name) = (algorithm.collective.name(), algorithm.name);
        assert!(
            results.iter().all(|right| *right),
            "{collective} {name}, {size} ranks, {kind:?}: {results:?}"
        );
    }
}

#[test]
fn every_algorithm_computes_its_collective_through_shared_memory() {
    (1..=9).for_each(|size| check(Kind::Shm, size));
}

#[test]
fn every_algorithm_computes_its_collective_without_single_copies() {
    (2..=9).for_each(|size| check(Kind::Slots, size));
}

#[test]
fn every_algorithm_computes_its_collective_through_sockets() {
    (2..=9).for_each(|size| check(Kind::Tcp, size));
}

#[test]
fn every_algorithm_computes_its_collective_over_lanes() {
    (2..=5).for_each(|size| check(Kind::Lanes, size));
}
