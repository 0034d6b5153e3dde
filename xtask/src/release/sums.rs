//! Checksums and sizes of what a release offers.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::folders::files;
use crate::result::Result;

/// The file with the checksums, in the format of sha256sum.
const SUMS: &str = "SHA256SUMS";

/// Writes the checksums of all files of the folder.
pub fn write(folder: &Path) -> Result {
    let mut text = String::new();
    for file in files(folder)?.into_iter().filter(|file| file != Path::new(SUMS)) {
        let digest = Sha256::digest(fs::read(folder.join(&file))?);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        text += &format!("{digest}  {}\n", file.display());
    }
    Ok(fs::write(folder.join(SUMS), text)?)
}

/// Prints the size of each file.
pub fn print_sizes(folder: &Path) -> Result {
    println!("\n{}:", folder.display());
    for file in files(folder)? {
        let bytes = fs::metadata(folder.join(&file))?.len();
        println!("{:>9.1} kB  {}", bytes as f64 / 1000.0, file.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_sha256sum_and_leave_themselves_out() {
        let folder = std::env::temp_dir().join(format!("anyccl-sums-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a"), "a\n").unwrap();
        write(&folder).unwrap();
        write(&folder).unwrap();
        let expected = "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7  a\n";
        assert_eq!(fs::read_to_string(folder.join(SUMS)).unwrap(), expected);
        fs::remove_dir_all(folder).unwrap();
    }
}
