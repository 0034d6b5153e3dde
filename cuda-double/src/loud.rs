//! How the double complains: one line on stderr, and an abort where a GPU would hang or corrupt memory.

/// Writes one line that begins with the name of the double and the process.
pub fn say(sentence: &str) {
    eprintln!("cuda-double, process {}: {sentence}", std::process::id());
}

/// Writes the line and aborts the process.
pub fn stop(sentence: &str) -> ! {
    say(sentence);
    std::process::abort()
}
