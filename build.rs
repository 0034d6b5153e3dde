//! Compresses the kernels for GPUs, which are text, so that the libraries hold a twentieth of it.

use std::io::Write;
use std::path::PathBuf;
use std::{env, fs};

use lzma_rust2::{LzmaOptions, LzmaWriter};

const KERNELS: &str = "src/device/kernels/anyccl.ptx";
/// The preset of xz that takes longest and makes least.
const PRESET: u32 = 9;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={KERNELS}");
    let text = fs::read(KERNELS).expect("the PTX is part of the sources");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let compressed = compress(&text).expect("memory takes all that is written");
    fs::write(folder.join("anyccl.ptx.lzma"), compressed).expect("OUT_DIR is writable");
}

/// The text in the format of .lzma files, whose head has its length.
fn compress(text: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut options = LzmaOptions::with_preset(PRESET);
    // Text has no alignment, and a letter depends on those before it.
    (options.pb, options.lc) = (0, 4);
    // Whoever decompresses it needs as much memory.
    options.dict_size = text.len().next_power_of_two() as u32;
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, Some(text.len() as u64))?;
    writer.write_all(text)?;
    writer.finish()
}
