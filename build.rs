//! Compresses the kernels for GPUs, which are text, so that the libraries hold a seventh of it.

use std::path::PathBuf;
use std::{env, fs};

const KERNELS: &str = "src/device/kernels/anyccl.ptx";
/// The level of zlib that takes longest and makes least.
const LEVEL: u8 = 9;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={KERNELS}");
    let text = fs::read(KERNELS).expect("the PTX is part of the sources");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let compressed = miniz_oxide::deflate::compress_to_vec(&text, LEVEL);
    fs::write(folder.join("anyccl.ptx.deflate"), compressed).expect("OUT_DIR is writable");
}
