//! A benchmark of the reduction kernels beside a plain copy: bytes of result per second, from the first cache
//! to main memory.
//!
//! A kernel reads two bytes for each that it writes, a copy one; so a kernel at two thirds of the copy is
//! limited by memory, not by arithmetic.

use std::hint::black_box;
use std::time::Duration;

use anyccl_engine::base::{Datatype, ReduceOp};
use anyccl_engine::reduce::reduce_fn;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};

const SIZES: [usize; 7] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20];

const DATATYPES: [(Datatype, &str); 5] = [
    (Datatype::Float32, "float32"),
    (Datatype::Float64, "float64"),
    (Datatype::Int32, "int32"),
    (Datatype::Bfloat16, "bfloat16"),
    (Datatype::Float16, "float16"),
];

const OPERATORS: [(ReduceOp, &str); 2] = [(ReduceOp::Sum, "sum"), (ReduceOp::Max, "max")];

/// Bytes that are small positive numbers in every datatype: no kernel meets infinities or denormals.
fn operand(bytes: usize) -> Vec<u8> {
    vec![0x3c; bytes]
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .sample_size(20);
    group
}

fn copy(criterion: &mut Criterion) {
    let mut group = group(criterion, "copy");
    for bytes in SIZES {
        let (src, mut dst) = (operand(bytes), operand(bytes));
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(BenchmarkId::from_parameter(bytes), |bencher| {
            bencher.iter(|| dst.copy_from_slice(black_box(&src)));
        });
    }
}

fn kernels(criterion: &mut Criterion) {
    for (datatype, type_name) in DATATYPES {
        for (op, op_name) in OPERATORS {
            let kernel = reduce_fn(datatype, op).expect("numbers have sums and maxima");
            let mut group = group(criterion, &format!("{op_name}/{type_name}"));
            for bytes in SIZES {
                let (a, b, mut dst) = (operand(bytes), operand(bytes), operand(bytes));
                let count = bytes / datatype.bytes();
                group.throughput(Throughput::Bytes(bytes as u64));
                group.bench_function(BenchmarkId::from_parameter(bytes), |bencher| {
                    bencher.iter(|| {
                        let (a, b) = (black_box(a.as_ptr()), black_box(b.as_ptr()));
                        // SAFETY: all three are vectors of `count` elements, and `dst` is neither of the
                        // others.
                        unsafe { kernel(dst.as_mut_ptr(), a, b, count) };
                    });
                });
            }
        }
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    copy(&mut criterion);
    kernels(&mut criterion);
    criterion.final_summary();
}
