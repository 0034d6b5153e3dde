//! The ranks' output so far: decides about each line before it is passed on, and keeps the lines that the
//! report may need.

use super::repeats::{LIBRARY_ERROR, Passage, Repeats};
use crate::sys::process::Pid;
use std::borrow::Cow;
use std::collections::VecDeque;

/// Number of lines of standard error that the report repeats.
const LAST_LINES: usize = 5;
/// Number of bytes of a line that it repeats.
const LAST_BYTES: usize = 1024;
/// Number of later lines after which a line counts as scrolled out of sight.
const FAR: u64 = 24;

/// Output of all ranks.
pub struct RankOutput {
    tails: Vec<Tail>,
    repeats: Repeats,
    /// Number of lines passed on, on both streams.
    lines: u64,
}

/// The last lines of one rank on its standard error.
#[derive(Default)]
struct Tail {
    lines: VecDeque<Vec<u8>>,
    /// Number of its last line among all lines.
    last_at: u64,
    library_error: Option<(u64, Vec<u8>)>,
}

impl RankOutput {
    /// No output yet.
    pub fn of(ranks: usize) -> RankOutput {
        RankOutput {
            tails: (0..ranks).map(|_| Tail::default()).collect(),
            repeats: Repeats::default(),
            lines: 0,
        }
    }

    /// The form in which to pass on a line of a rank; `None`: it is not passed on. If lines carry no prefix
    /// they are left as they are.
    pub fn take<'a>(
        &mut self,
        rank: usize,
        is_error: bool,
        line: &'a [u8],
        prefixed: bool,
    ) -> Option<Cow<'a, [u8]>> {
        self.lines += 1;
        if !is_error {
            return Some(Cow::Borrowed(line));
        }
        let passage = self.repeats.judge(line);
        self.tails[rank].note(line, self.lines);
        match passage {
            _ if !prefixed => Some(Cow::Borrowed(line)),
            Passage::Whole => Some(Cow::Borrowed(line)),
            Passage::Shortened(text) => Some(Cow::Owned(text.into_bytes())),
            Passage::LeftOut => None,
        }
    }

    /// The last error sentence of the library on a rank, unless it is still in sight.
    pub fn library_error(&self, rank: usize) -> Option<Cow<'_, str>> {
        let (at, text) = self.tails[rank].library_error.as_ref()?;
        self.is_far(*at).then(|| String::from_utf8_lossy(text))
    }

    /// The last lines of a rank, unless they are still in sight.
    pub fn last_lines(&self, rank: usize) -> Vec<Cow<'_, str>> {
        let tail = &self.tails[rank];
        let lines = tail.lines.iter().filter(|_| self.is_far(tail.last_at));
        lines.map(|line| String::from_utf8_lossy(line)).collect()
    }

    /// The ranks that called something else than the others, if ranks disagreed.
    pub fn odd_ranks(&self) -> Option<String> {
        self.repeats.odd_ranks()
    }

    /// The ranks that others have lost without a goodbye, with their process ids.
    pub fn lost_ranks(&self) -> Vec<(usize, Pid)> {
        self.repeats.lost_ranks().collect()
    }

    fn is_far(&self, at: u64) -> bool {
        self.lines - at > FAR
    }
}

impl Tail {
    fn note(&mut self, line: &[u8], at: u64) {
        let line = line.trim_ascii_end();
        let line = &line[..line.len().min(LAST_BYTES)];
        if line.starts_with(LIBRARY_ERROR.as_bytes()) {
            self.library_error = Some((at, line[LIBRARY_ERROR.len()..].trim_ascii().to_vec()));
        }
        // The memory of the oldest line is reused.
        let recycled = if self.lines.len() == LAST_LINES { self.lines.pop_front() } else { None };
        let mut kept = recycled.unwrap_or_default();
        kept.clear();
        kept.extend_from_slice(line);
        self.lines.push_back(kept);
        self.last_at = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn say(rank_output: &mut RankOutput, lines: &[&[u8]]) {
        for line in lines {
            assert_eq!(rank_output.take(0, true, line, true).as_deref(), Some(*line));
        }
    }

    #[test]
    fn the_last_library_error_is_kept_though_other_lines_follow() {
        let mut rank_output = RankOutput::of(2);
        say(&mut rank_output, &[b"anyccl: error: first\n", b"anyccl: error: second\n"]);
        say(&mut rank_output, &[b"not anyccl: error: third\n"]);
        (0..20).for_each(|i| say(&mut rank_output, &[format!("line {i}\n").as_bytes()]));
        let tail = &rank_output.tails[0];
        assert_eq!(tail.library_error.as_ref().unwrap().1, b"second");
        assert_eq!(tail.lines, [b"line 15", b"line 16", b"line 17", b"line 18", b"line 19"]);
    }

    #[test]
    fn lines_that_are_still_on_the_screen_are_not_repeated() {
        let mut rank_output = RankOutput::of(2);
        say(&mut rank_output, &[b"anyccl: error: first\n", b"last\n"]);
        assert!(rank_output.last_lines(0).is_empty() && rank_output.library_error(0).is_none());
        for _ in 0..=FAR {
            rank_output.take(1, false, b"progress\n", true);
        }
        assert_eq!(rank_output.last_lines(0), ["anyccl: error: first", "last"]);
        assert_eq!(rank_output.library_error(0).unwrap(), "first");
    }
}
