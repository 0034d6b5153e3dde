//! `--color`: whether this tool colours what it writes.
//!
//! The choice is a global of anstream, which clap and all writers of this tool ask. `auto` colours on
//! terminals, and obeys `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE` and `TERM`.

use std::ffi::OsString;
use std::fmt::Display;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;

/// Titles of sections.
const TITLE: Style = Style::new().bold();
/// The word "error".
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR or CLICOLOR=0 is set; everywhere with CLICOLOR_FORCE=1
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

impl Color {
    /// Makes this the choice of the whole tool.
    pub fn apply(self) {
        match self {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        }
        .write_global();
    }

    /// The choice in words that have not been parsed yet, for the messages of the parser itself.
    pub fn in_words(words: &[OsString]) -> Color {
        let mut words = words.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--");
        let value = words.find_map(|word| match word {
            "--color" => Some(None),
            _ => word.strip_prefix("--color=").map(Some),
        });
        let value = value.and_then(|attached| attached.or_else(|| words.next()));
        value.and_then(|value| Color::from_str(value, false).ok()).unwrap_or(Color::Auto)
    }
}

/// Whether to colour what is written to this stream.
pub fn is_wanted(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// A title, with the codes of its style. Streams of anstream leave these out where no colour is wanted.
pub fn title(text: impl Display) -> String {
    format!("{TITLE}{text}{TITLE:#}")
}

/// The words in front of an error, in the same form.
pub fn error_prefix() -> String {
    format!("anyccl: {ERROR}error:{ERROR:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_is_found_before_the_words_are_parsed() {
        let choice = |line: &str| Color::in_words(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(choice("anyccl --color never info"), Color::Never);
        assert_eq!(choice("anyccl info --color=always"), Color::Always);
        assert_eq!(choice("anyccl run -n 1 -- ls --color=always"), Color::Auto);
        assert_eq!(choice("anyccl info --color"), Color::Auto);
        assert_eq!(choice("anyccl info --color pink"), Color::Auto);
    }
}
