//! The structures of parameters and tables, the registry, and what becomes of a kernel that touches memory
//! that is not there.

mod support;

use std::mem::{offset_of, size_of};

use anyccl_engine::device::kernels::{
    self, COUNTER_ADD, CopyArguments, CopySegment, CounterArguments, PremulSumArguments, ReduceArguments,
    TableArgument, WaitArguments,
};
use cuda_double_kernels::{Fault, layout, names};
use support::device::Device;

#[test]
fn structures_of_parameters_and_tables_are_laid_out_alike_in_rust_and_cpp() {
    macro_rules! fields {
        ($kind:ty: $($field:ident),*) => {
            [vec![(stringify!($kind), size_of::<$kind>())],
             vec![$((stringify!($field), offset_of!($kind, $field))),*]].concat()
        };
    }
    let rust = [
        fields!(TableArgument: table),
        fields!(ReduceArguments: input, output, part, count, inputs, outputs, form, divisor, saturates),
        fields!(PremulSumArguments: reduce, scalar_address, scalar),
        fields!(CopySegment: source, bytes, first_tile, first_destination, destinations),
        fields!(CopyArguments: segment, destination, tiles, segments, tile_bytes),
        fields!(CounterArguments: counter, amount),
        fields!(WaitArguments: word, passed),
    ]
    .concat();
    let cpp = layout();
    assert_eq!(cpp.len(), rust.len());
    for ((name, here), there) in rust.iter().zip(cpp) {
        assert_eq!(*here as u64, *there, "{name}");
    }
}

fn ptx() -> String {
    kernels::ptx().expect("compressed by the build").into_string().expect("PTX is ASCII")
}

#[test]
fn the_ptx_and_the_registry_have_the_same_entries() {
    let ptx = ptx();
    let mut entries: Vec<&str> =
        ptx.lines().filter_map(|line| line.split(".entry ").nth(1)?.split('(').next()).collect();
    entries.sort_unstable();
    assert_eq!(names().collect::<Vec<_>>(), entries);
}

/// The size of the parameters in the PTX, where an entry has one parameter: an array of bytes.
#[test]
fn the_ptx_takes_parameters_of_the_size_that_rust_passes() {
    for part in ptx().split(".entry ").skip(1) {
        let name = part.split('(').next().unwrap();
        let bytes = part.split('[').nth(1).and_then(|rest| rest.split(']').next()).unwrap();
        let want = match name {
            "anyccl_counter_add" => size_of::<CounterArguments>(),
            "anyccl_wait" => size_of::<WaitArguments>(),
            _ => size_of::<TableArgument>(),
        };
        assert_eq!(bytes.parse(), Ok(want), "{name}");
    }
}

#[test]
fn a_counter_grows_by_the_amount_whatever_the_launch() {
    let device = Device::default();
    let counter = device.buffer(&7u32.to_le_bytes(), 0);
    let arguments = CounterArguments { counter, amount: 2, padding: 0 };
    device.launch(COUNTER_ADD.to_str().unwrap(), &arguments, [3, 1, 1], [64, 1, 1]).unwrap();
    assert_eq!(device.bytes(counter), 9u32.to_le_bytes());
}

#[test]
fn a_launch_ends_at_an_address_without_memory_or_a_misaligned_one() {
    let device = Device::default();
    let counter = device.buffer(&[0; 8], 0);
    let run = |counter| {
        let arguments = CounterArguments { counter, amount: 1, padding: 0 };
        device.launch(COUNTER_ADD.to_str().unwrap(), &arguments, [1, 1, 1], [1, 1, 1])
    };
    assert_eq!(run(0), Err(Fault::Address(0)));
    assert_eq!(run(counter + 8), Err(Fault::Address(counter + 8)));
    assert_eq!(run(counter + 2), Err(Fault::Alignment(counter + 2)));
    assert_eq!(run(counter + 4), Ok(()));
}
