use super::*;

fn case(collective: Collective, datatype: Datatype, op: ReduceOp, rank: Rank, size: u32) -> Case {
    Case { collective, datatype, op, root: size - 1, count: 40, rank, size, is_narrow: false }
}

fn input(case: &Case) -> Vec<u8> {
    let elements = case.collective.input_elements(case.size as usize, case.rank, case.root, case.count);
    let mut bytes = vec![0; elements * case.datatype.bytes()];
    case.fill(&mut bytes);
    bytes
}

/// The result of the library's kernels for all ranks' inputs, combined one after the other.
fn all_reduced(datatype: Datatype, op: ReduceOp, size: u32) -> Vec<u8> {
    let inputs: Vec<_> =
        (0..size).map(|rank| input(&case(Collective::AllReduce, datatype, op, rank, size))).collect();
    let mut sum = inputs[0].clone();
    let reduce = anyccl_engine::reduce::reduce_fn(datatype, op).unwrap();
    for input in &inputs[1..] {
        let sum = sum.as_mut_ptr();
        // SAFETY: both have 40 elements, and the destination is exactly the first operand.
        unsafe { reduce(sum, sum, input.as_ptr(), 40) };
    }
    if op == ReduceOp::Avg {
        let divide = anyccl_engine::reduce::divide_fn(datatype).unwrap();
        // SAFETY: it has 40 elements, and there is at least one rank.
        unsafe { divide(sum.as_mut_ptr(), 40, size) };
    }
    sum
}

#[test]
fn the_check_accepts_the_kernels_in_every_datatype_with_every_operator() {
    for datatype in Datatype::ALL {
        for op in ReduceOp::ALL.into_iter().filter(|op| op.accepts(datatype)) {
            for size in [1, 2, 3, 7, 16, 100] {
                let mut result = all_reduced(datatype, op, size);
                let case = case(Collective::AllReduce, datatype, op, 0, size);
                let name = format!("{} {} on {size}", datatype.name(), op.name());
                assert_eq!(case.first_wrong_element(&result), None, "{name}");
                let at = 17 * datatype.bytes();
                // The highest byte, because the lowest bit of a mean may be rounded either way.
                result[at + datatype.bytes() - 1] ^= 0x41;
                assert_eq!(case.first_wrong_element(&result), Some(17), "{name}");
            }
        }
    }
}

#[test]
fn a_contribution_that_is_missing_is_noticed() {
    for op in ReduceOp::ALL {
        let datatype = if op == ReduceOp::Avg { Datatype::Float32 } else { Datatype::Int32 };
        let whole = case(Collective::AllReduce, datatype, op, 0, 5);
        // The result of four ranks' contributions where a fifth is expected: each must differ somewhere.
        let noticed = (0..5).all(|missing| {
            let mut result = input(&case(Collective::AllReduce, datatype, op, (missing + 1) % 5, 5));
            let others = (0..5).filter(|&rank| rank != missing && rank != (missing + 1) % 5);
            for rank in others {
                let reduce = anyccl_engine::reduce::reduce_fn(datatype, op).unwrap();
                let other = input(&case(Collective::AllReduce, datatype, op, rank, 5));
                // SAFETY: both have 40 elements, and the destination is exactly the first operand.
                unsafe { reduce(result.as_mut_ptr(), result.as_ptr(), other.as_ptr(), 40) };
            }
            whole.first_wrong_element(&result).is_some()
        });
        assert!(noticed, "{}", op.name());
    }
}

#[test]
fn blocks_that_are_moved_must_come_from_the_right_rank() {
    let int = |collective, rank| case(collective, Datatype::Int32, ReduceOp::Sum, rank, 3);
    let block = 40 * 4;
    let gathered: Vec<u8> = (0..3).flat_map(|rank| input(&int(Collective::AllGather, rank))).collect();
    assert_eq!(int(Collective::AllGather, 1).first_wrong_element(&gathered), None);
    assert_eq!(int(Collective::Gather, 2).first_wrong_element(&gathered), None);
    let mut swapped = gathered.clone();
    swapped[block..].rotate_left(block);
    assert_eq!(int(Collective::AllGather, 1).first_wrong_element(&swapped), Some(40));

    let scattered = input(&int(Collective::Scatter, 2));
    for rank in 0..3 {
        let mine = &scattered[rank as usize * block..][..block];
        assert_eq!(int(Collective::Scatter, rank).first_wrong_element(mine), None);
        assert_eq!(int(Collective::Scatter, (rank + 1) % 3).first_wrong_element(mine), Some(0));
        let exchanged: Vec<u8> = (0..3)
            .flat_map(|from| {
                input(&int(Collective::AllToAll, from))[rank as usize * block..][..block].to_vec()
            })
            .collect();
        assert_eq!(int(Collective::AllToAll, rank).first_wrong_element(&exchanged), None);
    }
    assert_eq!(
        int(Collective::Broadcast, 0).first_wrong_element(&input(&int(Collective::Broadcast, 2))),
        None
    );
}

#[test]
fn an_output_that_nobody_wrote_is_wrong() {
    for collective in Collective::UNIFORM.into_iter().filter(|c| *c != Collective::Barrier) {
        let case = case(collective, Datatype::Float32, ReduceOp::Sum, 2, 3);
        let elements = collective.output_elements(3, 2, 2, 40);
        let mut output = vec![0; elements * 4];
        Case::clear(&mut output);
        assert_eq!(case.first_wrong_element(&output), Some(0), "{collective:?}");
    }
}

#[test]
fn a_part_of_a_reduce_scatter_comes_from_the_middle_of_the_input() {
    let of =
        |rank| Case { count: 3, ..case(Collective::ReduceScatter, Datatype::Int32, ReduceOp::Max, rank, 1) };
    let whole = case(Collective::AllReduce, Datatype::Int32, ReduceOp::Max, 0, 1);
    let values = input(&whole);
    assert_eq!(of(0).first_wrong_element(&values[..12]), None);
    assert_eq!(of(5).first_wrong_element(&values[60..72]), None);
    assert_eq!(of(5).first_wrong_element(&values[..12]), Some(0));
}

#[test]
fn a_sum_that_travelled_narrow_may_be_rounded_but_not_wrong() {
    let narrow =
        Case { is_narrow: true, ..case(Collective::AllReduce, Datatype::Float32, ReduceOp::Sum, 0, 4) };
    let mut output = vec![0; 4 * narrow.count];
    for (at, element) in output.chunks_exact_mut(4).enumerate() {
        let sum = reduced(ReduceOp::Sum, Datatype::Float32, at, 4, 4) as f32;
        element.copy_from_slice(&(sum * 1.06).to_ne_bytes());
    }
    assert_eq!(narrow.first_wrong_element(&output), None);
    assert_eq!(Case { is_narrow: false, ..narrow }.first_wrong_element(&output), Some(0));
    output[12..16].copy_from_slice(&0f32.to_ne_bytes());
    assert_eq!(narrow.first_wrong_element(&output), Some(3));
}
