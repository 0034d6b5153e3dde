//! The committed file: PTX in the format of .lzma files, as the library embeds it.

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;

use lzma_rust2::{LzmaOptions, LzmaReader, LzmaWriter};

use crate::result::Result;

/// The preset of xz that takes longest and makes least.
const PRESET: u32 = 9;

pub fn path() -> PathBuf {
    super::places::folder().join("anyccl.ptx.lzma")
}

/// The text of the committed file.
pub fn read() -> Result<String> {
    let compressed = fs::read(path())?;
    let mut text = String::new();
    LzmaReader::new_mem_limit(&compressed[..], u32::MAX, None)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Writes the file.
pub fn write(text: &str) -> Result {
    let mut options = LzmaOptions::with_preset(PRESET);
    // Text has no alignment, and a letter depends on those before it.
    (options.pb, options.lc) = (0, 4);
    // Whoever decompresses it needs as much memory.
    options.dict_size = text.len().next_power_of_two() as u32;
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, Some(text.len() as u64))?;
    writer.write_all(text.as_bytes())?;
    fs::write(path(), writer.finish()?)?;
    println!("wrote {}", path().display());
    Ok(())
}
