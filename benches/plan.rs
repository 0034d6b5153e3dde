//! A benchmark of the work before the first call of a kind: building the plan of one rank and compiling it.
//! Later calls find the program in the cache.

use std::hint::black_box;
use std::time::Duration;

use anyccl_engine::algo;
use anyccl_engine::base::Collective;
use anyccl_engine::executor::Program;
use anyccl_engine::plan::{BlockLayout, PlanRequest};
use anyccl_engine::topology::Topology;
use anyccl_engine::transport::SingleCopy;
use criterion::{BenchmarkId, Criterion};

const SIZES: [u32; 4] = [2, 8, 64, 1024];
const RANKS_OF_A_HOST: u32 = 8;
/// Elements: enough that every algorithm cuts its segments into chunks.
const COUNT: usize = 1 << 20;
const CHUNK_BYTES: usize = 64 << 10;

fn build_and_compile(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("all_reduce plan");
    group
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .sample_size(20);
    for size in SIZES {
        let hosts: Vec<u32> = (0..size).map(|rank| rank / RANKS_OF_A_HOST).collect();
        let topology = Topology::from_labels(&hosts);
        let request = PlanRequest {
            collective: Collective::AllReduce,
            size,
            rank: size / 2,
            root: 0,
            count: COUNT,
            element_bytes: 4,
            in_place: false,
            chunk_bytes: CHUNK_BYTES,
            topology: &topology,
            layout: BlockLayout::NONE,
        };
        for algorithm in algo::of(Collective::AllReduce) {
            group.bench_function(BenchmarkId::new(algorithm.name, size), |bencher| {
                bencher.iter(|| {
                    let request = black_box(request);
                    Program::compile(&(algorithm.build)(&request), &request, SingleCopy::Always)
                });
            });
        }
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    build_and_compile(&mut criterion);
    criterion.final_summary();
}
