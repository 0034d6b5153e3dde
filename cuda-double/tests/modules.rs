//! Modules and launches, with the kernels of the engine.

mod common;

use std::ffi::{CString, c_char};
use std::io::Read;
use std::sync::atomic::Ordering;

use common::{Context, Pinned, Stream, bytes_of, device_memory, free, given, live, ok};
use cuda::argument::{In, Out};
use cuda::context::api::{cuCtxCreate_v2, cuCtxDestroy_v2, cuCtxSetCurrent, cuCtxSynchronize};
use cuda::delays::Naps;
use cuda::module::api::{
    cuModuleGetFunction, cuModuleGetFunctionCount, cuModuleGetGlobal_v2, cuModuleLoadData,
    cuModuleLoadDataEx, cuModuleUnload,
};
use cuda::module::function::{
    cuFuncGetAttribute, cuFuncGetParamInfo, cuFuncIsLoaded, cuFuncLoad,
    cuOccupancyMaxActiveBlocksPerMultiprocessor,
};
use cuda::module::launch::cuLaunchKernel;
use cuda::status::Status;
use cuda::value::api::cuStreamWaitValue32_v2;
use lzma_rust2::LzmaReader;

const COMPRESSED: &[u8] = include_bytes!("../../src/device/kernels/anyccl.ptx.lzma");

/// The text of the engine's kernels.
fn ptx() -> String {
    let mut text = String::new();
    LzmaReader::new_mem_limit(COMPRESSED, u32::MAX, None).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// `CounterArguments` of the kernels.
#[repr(C)]
#[derive(Clone, Copy)]
struct CounterArguments {
    counter: u64,
    amount: u32,
    padding: u32,
}

/// A module that is unloaded at the end.
struct Module(usize);

impl Module {
    fn of_engine() -> Module {
        let image = CString::new(ptx()).unwrap();
        Module(given(|module| cuModuleLoadData(module, In::text_of(&image))))
    }

    fn function(&self, name: &str) -> usize {
        let name = CString::new(name).unwrap();
        given(|function| cuModuleGetFunction(function, self.0, In::text_of(&name)))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        cuModuleUnload(self.0);
    }
}

/// Launches a kernel that takes one structure. The structure is gone when this returns.
fn launch<T: Copy>(function: usize, threads: u32, stream: usize, arguments: T) -> Status {
    let mut place = arguments;
    let each = [(&raw mut place) as usize];
    let status = cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, stream, In::array(&each), In::null());
    // SAFETY: the structure has no invalid patterns, and nobody reads it any more.
    unsafe { (&raw mut place).write_bytes(0xff, 1) };
    status
}

fn word_at(address: u64) -> u32 {
    u32::from_ne_bytes(bytes_of(address, 4).try_into().unwrap())
}

#[test]
fn a_launch_runs_the_kernel_with_its_parameters_as_they_were_at_the_call() {
    let _context = Context::current();
    let (module, stream) = (Module::of_engine(), Stream::new(1));
    let add = module.function("anyccl_counter_add");
    let counter = device_memory(&5u32.to_ne_bytes());
    for amount in 1..=10 {
        ok(launch(add, 32, stream.0, CounterArguments { counter, amount, padding: 0 }));
    }
    stream.synchronize();
    assert_eq!(word_at(counter), 60);
    free(counter);
}

/// The words of `ReduceArguments`: 64 inputs, 64 outputs, 65 parts, the count, and six halves.
fn reduction(inputs: &[u64], outputs: &[u64], count: u64) -> [u64; 197] {
    let mut words = [0; 197];
    words[..inputs.len()].copy_from_slice(inputs);
    words[64..64 + outputs.len()].copy_from_slice(outputs);
    words[193] = count;
    words[194] = inputs.len() as u64 | (outputs.len() as u64) << 32;
    words
}

#[test]
fn a_reduction_of_three_buffers_arrives_in_device_memory_and_pinned_memory() {
    let _context = Context::current();
    let (module, stream) = (Module::of_engine(), Stream::new(1));
    let sum = module.function("anyccl_reduce_sum_uint32");
    let numbers = |factor: u32| (0..5000).flat_map(|i: u32| (i * factor).to_ne_bytes()).collect::<Vec<u8>>();
    let inputs = [1, 10, 100].map(|factor| device_memory(&numbers(factor)));
    let (pinned, expected) = (Pinned::new(20_000), numbers(111));
    let table = reduction(&inputs, &[inputs[1], pinned.address], 5000);
    let table = device_memory(&table.map(u64::to_ne_bytes).concat());
    ok(launch(sum, 64, stream.0, table));
    stream.synchronize();
    assert!(pinned.bytes() == expected && bytes_of(inputs[1], 20_000) == expected);
    inputs.into_iter().chain([table]).for_each(free);
}

#[test]
fn parameters_may_come_in_one_buffer_of_the_right_size() {
    let _context = Context::current();
    let module = Module::of_engine();
    let add = module.function("anyccl_counter_add");
    let counter = device_memory(&[0; 4]);
    let arguments = CounterArguments { counter, amount: 3, padding: 0 };
    for (size, expected) in [(16usize, Status::SUCCESS), (12, Status::INVALID_VALUE)] {
        let extra = [1, (&raw const arguments) as usize, 2, (&raw const size) as usize, 0];
        let status = cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, In::null(), In::array(&extra));
        assert_eq!(status, expected);
    }
    ok(cuCtxSynchronize());
    assert_eq!(word_at(counter), 3);
    free(counter);
}

#[test]
fn a_launch_that_no_gpu_accepts_is_refused() {
    let _context = Context::current();
    let module = Module::of_engine();
    let add = module.function("anyccl_counter_add");
    let each = [0usize];
    let launch = |grid: [u32; 3], threads| {
        let parameters = In::array(&each);
        cuLaunchKernel(add, grid[0], grid[1], grid[2], threads, 1, 1, 0, 0, parameters, In::null())
    };
    assert_eq!(launch([0, 1, 1], 32), Status::INVALID_VALUE);
    assert_eq!(launch([1, 65_536, 1], 32), Status::INVALID_VALUE);
    assert_eq!(launch([1, 1, 1], 1025), Status::INVALID_VALUE);
    assert_eq!(launch([1, 1, 1], 513), Status::LAUNCH_OUT_OF_RESOURCES);
    assert_eq!(
        cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, In::array(&each), In::null()),
        Status::INVALID_HANDLE
    );
}

#[test]
fn names_are_those_in_the_ptx() {
    let _context = Context::current();
    let module = Module::of_engine();
    let mut function = 0;
    for name in [c"anyccl_reduce_sum_float33", c"", c"anyccl_copy_"] {
        let status = cuModuleGetFunction(Out::to(&mut function), module.0, In::text_of(name));
        assert_eq!(status, Status::NOT_FOUND);
    }
    let global = cuModuleGetGlobal_v2(Out::to(&mut 0), Out::null(), module.0, In::text_of(c"x"));
    assert_eq!(global, Status::NOT_FOUND);
    assert_eq!(module.function("anyccl_copy"), module.function("anyccl_copy"));
    let entries = ptx().matches(".entry ").count() as u32;
    assert_eq!(given::<u32>(|count| cuModuleGetFunctionCount(count, module.0)), entries);
}

#[test]
fn an_image_that_is_no_ptx_is_refused_and_the_log_says_why() {
    let _context = Context::current();
    let (mut log, mut module) = ([0 as c_char; 200], 0);
    let (numbers, values) = ([5u32, 6], [log.as_mut_ptr() as usize, log.len()]);
    let image = In::text_of(c".version 7.8\n.target sm_60\n.entry f() {");
    let status = cuModuleLoadDataEx(Out::to(&mut module), image, 2, In::array(&numbers), In::array(&values));
    assert_eq!(status, Status::INVALID_PTX);
    assert!(In::array(&log).text().unwrap().contains("1 braces are opened and 0 closed"));
    let elf = cuModuleLoadData(Out::to(&mut module), In::text_of(c"\x7fELF"));
    assert_eq!(elf, Status::NO_BINARY_FOR_GPU);
    assert_eq!(live("modules"), 0);
}

#[test]
fn functions_tell_their_limits_and_parameters() {
    let _context = Context::current();
    let module = Module::of_engine();
    let copy = module.function("anyccl_copy");
    assert_eq!(given::<i32>(|value| cuFuncGetAttribute(value, 0, copy)), 512);
    let blocks = |threads| given::<i32>(|n| cuOccupancyMaxActiveBlocksPerMultiprocessor(n, copy, threads, 0));
    assert_eq!([blocks(512), blocks(256), blocks(513)], [2, 4, 0]);
    let mut size = 0;
    ok(cuFuncGetParamInfo(copy, 0, Out::to(&mut 0), Out::to(&mut size)));
    assert_eq!(size, 8);
    assert_eq!(cuFuncGetParamInfo(copy, 1, Out::to(&mut 0), Out::null()), Status::INVALID_VALUE);
}

#[test]
fn an_access_outside_of_memory_corrupts_the_context_whose_end_takes_its_modules() {
    let primary = Context::current();
    let context = given(|context| cuCtxCreate_v2(context, 0, 0));
    let module = Module::of_engine();
    let add = module.function("anyccl_counter_add");
    ok(launch(add, 1, 0, CounterArguments { counter: 4096, amount: 1, padding: 0 }));
    assert_eq!(cuCtxSynchronize(), Status::ILLEGAL_ADDRESS);
    assert_eq!(live("modules"), 1);
    ok(cuCtxDestroy_v2(context));
    assert_eq!(live("modules"), 0);
    ok(cuCtxSetCurrent(primary.handle));
}

/// A function that is loaded can be launched while a value wait is pending in another stream; loading it then
/// would hang.
#[test]
fn a_function_that_was_loaded_before_is_launched_beside_a_pending_wait() {
    let _context = Context::current();
    let (module, waiting, working) = (Module::of_engine(), Stream::new(1), Stream::new(1));
    let add = module.function("anyccl_counter_add");
    assert_eq!(given::<u32>(|state| cuFuncIsLoaded(state, add)), 0);
    ok(cuFuncLoad(add));
    assert_eq!(given::<u32>(|state| cuFuncIsLoaded(state, add)), 1);
    let (flag, counter) = (Pinned::new(8), Pinned::new(4096));
    ok(cuStreamWaitValue32_v2(waiting.0, flag.address, 1, 0));
    ok(launch(add, 1, working.0, CounterArguments { counter: counter.address, amount: 9, padding: 0 }));
    let mut naps = Naps::short();
    while counter.word(0).load(Ordering::Acquire) != 9 {
        naps.nap();
    }
    flag.word(0).store(1, Ordering::Release);
    waiting.synchronize();
}
