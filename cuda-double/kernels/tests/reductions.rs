//! Reductions against the engine's kernels on host memory.

mod support;

use anyccl_engine::base::ReduceOp;
use anyccl_engine::device::kernels::{
    Form, PremulSumArguments, ReduceArguments, Scalar, TableArgument, reduction,
};
use anyccl_engine::reduce::reduce_fn;
use cuda_double_kernels::Fault;
use support::device::Device;
use support::oracle::Operation;
use support::values::Generator;

/// Numbers of inputs.
const RANKS: [usize; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 17];
/// Few threads, so that few elements fill the fast loop several times, and leave a rest.
const BLOCK: [u32; 3] = [32, 1, 1];

/// A launch: how many outputs there are, and how the buffers lie.
#[derive(Clone, Copy, Debug)]
struct Case {
    ranks: usize,
    count: usize,
    form: Form,
    one_output: bool,
    in_place: bool,
    /// Distance of buffer k from a multiple of 256, in bytes.
    offset: fn(u64, u64) -> u64,
}

/// Runs a case, and compares every output with the oracle.
fn check(operation: Operation, case: Case, generator: &mut Generator) {
    let Operation { datatype, op, saturates } = operation;
    let kernel = reduction(datatype, op).unwrap();
    let (bytes, device) = (datatype.bytes() as u64, Device::default());
    let inputs: Vec<Vec<u8>> = (0..case.ranks).map(|_| generator.elements(datatype, case.count)).collect();
    let scalars: Vec<Vec<u8>> = (0..case.ranks).map(|_| generator.elements(datatype, 1)).collect();
    let mut arguments = PremulSumArguments::EMPTY;
    let outputs = if case.one_output { 1 } else { case.ranks };
    for k in 0..case.ranks {
        arguments.reduce.input[k] = device.buffer(&inputs[k], (case.offset)(k as u64, bytes));
        arguments.scalar[k] = scalar(&scalars[k]);
        if k % 2 == 1 {
            arguments.scalar_address[k] = device.buffer(&scalars[k], 3);
            arguments.scalar[k] = Scalar([0xee; 16]);
        }
    }
    let blank = vec![0x5a; inputs[0].len()];
    for m in 0..outputs {
        let offset = (case.offset)((case.ranks + m) as u64, bytes);
        arguments.reduce.output[m] =
            if case.in_place { arguments.reduce.input[m] } else { device.buffer(&blank, offset) };
    }
    arguments.reduce.count = case.count as u64 * u64::from(kernel.units);
    arguments.reduce.inputs = case.ranks as u32;
    arguments.reduce.outputs = outputs as u32;
    arguments.reduce.form = case.form as u32;
    arguments.reduce.divisor = case.ranks as u32;
    arguments.reduce.saturates = saturates.into();
    let entry = kernel.entry.to_str().unwrap();
    let grid = [1 + case.count as u32 % 3, 1, 1];
    let ran = if op == ReduceOp::PremulSum {
        device.launch_table(entry, &arguments, grid, BLOCK)
    } else {
        device.launch_table(entry, &arguments.reduce, grid, BLOCK)
    };
    assert_eq!(ran, Ok(()), "{operation:?} {case:?}");
    for m in 0..outputs {
        let got = device.bytes(arguments.reduce.output[m]);
        let of = match case.form {
            Form::All | Form::Parts => case.ranks,
            Form::InclusiveScan => m + 1,
            Form::ExclusiveScan => m,
        };
        let untouched = if case.in_place { &inputs[m] } else { &blank };
        let want = match of {
            0 => untouched.clone(),
            _ => operation.expected(&inputs[..of], &scalars[..of], case.ranks),
        };
        assert!(got == want, "{operation:?} {case:?}: output {m}\n got {got:x?}\nwant {want:x?}");
    }
}

fn scalar(bytes: &[u8]) -> Scalar {
    let mut scalar = Scalar([0; 16]);
    scalar.0[..bytes.len()].copy_from_slice(bytes);
    scalar
}

const ALIGNED: fn(u64, u64) -> u64 = |_, _| 0;
const ALIKE: fn(u64, u64) -> u64 = |_, bytes| 3 * bytes;
const BY_ELEMENTS: fn(u64, u64) -> u64 = |k, bytes| k * bytes;
const BY_BYTES: fn(u64, u64) -> u64 = |k, _| 5 + 3 * k;

#[test]
fn every_operator_on_every_datatype_gives_the_bits_of_the_engine() {
    let mut generator = Generator(1);
    for operation in Operation::all() {
        for ranks in RANKS {
            for (count, offset) in
                [(700, ALIGNED), (331, ALIKE), (77, BY_ELEMENTS), (37, BY_BYTES), (1, BY_BYTES), (0, ALIGNED)]
            {
                let (one_output, in_place) = (count % 3 == 1, count != 77);
                check(
                    operation,
                    Case { ranks, count, form: Form::All, one_output, in_place, offset },
                    &mut generator,
                );
            }
            let case = Case {
                ranks,
                count: 259,
                form: Form::All,
                one_output: true,
                in_place: false,
                offset: ALIGNED,
            };
            check(operation, case, &mut generator);
        }
    }
}

#[test]
fn scans_give_the_bits_of_the_engine_out_of_place_and_in_place() {
    let mut generator = Generator(2);
    for operation in Operation::all() {
        for ranks in [1, 2, 3, 8] {
            for form in [Form::InclusiveScan, Form::ExclusiveScan] {
                for (in_place, offset) in [(false, BY_ELEMENTS), (true, ALIGNED), (true, BY_BYTES)] {
                    let case = Case { ranks, count: 45, form, one_output: false, in_place, offset };
                    check(operation, case, &mut generator);
                }
            }
        }
    }
}

#[test]
fn two_ranks_of_16_bit_floats_give_the_bits_of_one_combination() {
    let mut generator = Generator(3);
    for operation in Operation::all().filter(|operation| operation.datatype.bytes() == 2) {
        let Operation { datatype, op, .. } = operation;
        if matches!(op, ReduceOp::Avg | ReduceOp::PremulSum) {
            continue;
        }
        let inputs: Vec<Vec<u8>> = (0..2).map(|_| generator.elements(datatype, 1000)).collect();
        let mut want = vec![0; inputs[0].len()];
        let kernel = reduce_fn(datatype, op).unwrap();
        // SAFETY: buffers of 1000 elements.
        unsafe { kernel(want.as_mut_ptr(), inputs[0].as_ptr(), inputs[1].as_ptr(), 1000) };
        assert_eq!(operation.expected(&inputs, &[vec![], vec![]], 2), want, "{operation:?}");
    }
}

/// Parts of unequal lengths, one of them empty, as in a reduce_scatter_v.
#[test]
fn each_output_gets_its_part_of_the_reduction() {
    let mut generator = Generator(4);
    const PARTS: [usize; 4] = [31, 0, 100, 333];
    for operation in Operation::all() {
        let Operation { datatype, op, saturates } = operation;
        let kernel = reduction(datatype, op).unwrap();
        if op == ReduceOp::PremulSum {
            continue;
        }
        let (device, total) = (Device::default(), PARTS.iter().sum());
        let inputs: Vec<Vec<u8>> = (0..4).map(|_| generator.elements(datatype, total)).collect();
        let mut arguments = ReduceArguments { inputs: 4, outputs: 4, divisor: 4, ..ReduceArguments::EMPTY };
        arguments.form = Form::Parts as u32;
        arguments.saturates = saturates.into();
        let mut begin = 0;
        for k in 0..4 {
            arguments.input[k] = device.buffer(&inputs[k], 0);
            arguments.output[k] = device.buffer(&vec![0x5a; PARTS[k] * datatype.bytes()], 0);
            begin += PARTS[k];
            arguments.part[k + 1] = begin as u64 * u64::from(kernel.units);
        }
        device.launch_table(kernel.entry.to_str().unwrap(), &arguments, [2, 4, 1], BLOCK).unwrap();
        let want = operation.expected(&inputs, &vec![vec![]; 4], 4);
        let mut at = 0;
        for (k, part) in PARTS.into_iter().enumerate() {
            let end = at + part * datatype.bytes();
            assert_eq!(device.bytes(arguments.output[k]), want[at..end], "{operation:?}: part {k}");
            at = end;
        }
    }
}

#[test]
fn the_shape_of_the_launch_changes_no_bit() {
    let operations = Operation::all().filter(|operation| operation.op == ReduceOp::Sum);
    for Operation { datatype, op, saturates } in operations {
        let kernel = reduction(datatype, op).unwrap();
        let mut results = Vec::new();
        for (grid, threads) in [(1, 32), (2, 512), (7, 64)] {
            let (device, mut generator) = (Device::default(), Generator(5));
            let mut arguments = ReduceArguments { inputs: 5, outputs: 1, ..ReduceArguments::EMPTY };
            arguments.count = 5000 * u64::from(kernel.units);
            arguments.saturates = saturates.into();
            for k in 0..5 {
                arguments.input[k] = device.buffer(&generator.elements(datatype, 5000), 0);
            }
            arguments.output[0] = device.buffer(&vec![0; 5000 * datatype.bytes()], 0);
            device
                .launch_table(kernel.entry.to_str().unwrap(), &arguments, [grid, 1, 1], [threads, 1, 1])
                .unwrap();
            results.push(device.bytes(arguments.output[0]));
        }
        assert!(results[0] == results[1] && results[1] == results[2], "{}", datatype.name());
    }
}

/// The buffers are not there: an access would end the launch.
#[test]
fn a_table_of_zeros_and_one_without_inputs_are_no_work() {
    let device = Device::default();
    for Operation { datatype, op, .. } in Operation::all() {
        let entry = reduction(datatype, op).unwrap().entry.to_str().unwrap();
        for grid in [[1, 1, 1], [2, 4, 1]] {
            let zeros = [0u64; size_of::<PremulSumArguments>() / 8];
            assert_eq!(device.launch_table(entry, &zeros, grid, BLOCK), Ok(()), "{entry}");
        }
        let mut arguments = PremulSumArguments::EMPTY;
        (arguments.reduce.count, arguments.reduce.outputs) = (100, 1);
        assert_eq!(device.launch_table(entry, &arguments, [1, 1, 1], BLOCK), Ok(()), "{entry}");
    }
}

#[test]
fn a_table_that_is_not_there_ends_the_launch() {
    let device = Device::default();
    let launch =
        |table| device.launch("anyccl_reduce_sum_float32", &TableArgument { table }, [1, 1, 1], [1, 1, 1]);
    assert!(matches!(launch(0), Err(Fault::Address(_))));
    let table = device.table(&ReduceArguments::EMPTY);
    assert!(matches!(launch(table + 2), Err(Fault::Alignment(_))));
    assert_eq!(launch(table), Ok(()));
}
