//! First words of doc comments. A doc comment should begin with what the thing is.

/// First words that do not say what the thing is.
const VAGUE: [&str; 8] = ["That", "Those", "They", "It", "Of", "As", "The same", "Ours"];

/// The lines where a doc comment begins with such a word, with the word.
pub fn vague(path: &str, text: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    let mut before = "";
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let opening = match path.rsplit('.').next() {
            Some("rs" | "c" | "h" | "cpp" | "hpp") => opening(before, line),
            _ => None,
        };
        if let Some(word) = opening.and_then(begins_with) {
            found.push((number, word));
        }
        before = line;
    }
    found
}

/// The text of a line, if a doc comment begins in it.
fn opening<'a>(before: &str, line: &'a str) -> Option<&'a str> {
    for mark in ["///", "//!"] {
        if let Some(text) = line.strip_prefix(mark) {
            return (!before.starts_with(mark)).then(|| text.trim_start());
        }
    }
    // The first line of `/** ... */` may be empty.
    if let Some(text) = line.strip_prefix("/**") {
        return Some(text.trim_start());
    }
    (before == "/**").then(|| line.trim_start_matches('*').trim_start())
}

fn begins_with(text: &str) -> Option<&'static str> {
    VAGUE.into_iter().find(|word| {
        text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_line_of_a_doc_comment_counts() {
        let text = "/// The number of slots.\n/// Of each ring.\nfn a() {}\n\n/// Of each ring.\nfn b() {}\n//! That.\n";
        assert_eq!(vague("src/a.rs", text), [(5, "Of"), (7, "That")]);
    }

    #[test]
    fn comments_of_c_are_read_and_other_files_are_not() {
        assert_eq!(
            vague("a.h", "/**\n * The same for two.\n */\n/** As above. */\n"),
            [(2, "The same"), (4, "As")]
        );
        assert!(vague("a.md", "/// Of").is_empty());
    }

    #[test]
    fn a_longer_word_is_another_word() {
        assert!(vague("a.rs", "/// Asks the peer.\n\n/// Offers bytes.\n\n// Of each ring.\n").is_empty());
    }
}
