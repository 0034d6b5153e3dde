//! Removes repetitions: what several ranks say about the same failure is passed on once.
//!
//! A failure reaches every rank; each logs it, and most programs print `anyccl_last_error()` as well. The
//! first log line is passed on as it is. The same line from another rank is left out. If a program repeats
//! the sentence in a line of its own, the line keeps its own words and the sentence becomes "(as above)". The
//! last line of a traceback of Python stays whole, because that is where one looks.
//!
//! Sentences are about the same failure if they have the same *subject*: the call in which ranks disagree, or
//! the rank that was lost or is late. Otherwise they must be equal, apart from the rank that reported them.

use std::collections::BTreeMap;
use std::ops::Range;

use anyccl_engine::progress::GONE;

use crate::sys::process::Pid;

/// Start of the library's log lines about errors (`observe::log`).
pub const LIBRARY_ERROR: &str = "anyccl: error:";
/// Start of the sentence that ranks made different calls.
const DISAGREE: &str = "the ranks disagree in call";
/// Text that replaces a sentence that was printed before.
pub const AS_ABOVE: &str = "(as above)";
/// Number of failures that are remembered.
const MOST: usize = 16;

/// What to do with a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Passage {
    /// The line is passed on unchanged.
    Whole,
    /// The line is passed on in this form.
    Shortened(String),
    /// The line says nothing new, and is left out.
    LeftOut,
}

/// The failures of a job so far.
#[derive(Default)]
pub struct Repeats {
    told: Vec<Told>,
    /// The call of each rank, as far as ranks that disagree have reported it.
    calls: BTreeMap<u32, String>,
}

struct Told {
    core: String,
    /// The ranks that have logged it.
    ranks: Vec<u32>,
}

/// A log line about the failure of a communicator: `rank 1 of "world", in CALL: SENTENCE`.
struct Logged<'a> {
    rank: u32,
    call: Option<&'a str>,
    sentence: &'a str,
}

impl Repeats {
    /// Judges a line of standard error.
    pub fn judge(&mut self, line: &[u8]) -> Passage {
        let Ok(text) = str::from_utf8(line) else { return Passage::Whole };
        if let Some(logged) = parse(text) {
            return self.judge_logged(&logged);
        }
        match self.told.iter().find_map(|told| told.find(text)).filter(|_| !ends_traceback(text)) {
            Some(Range { start, end }) => {
                Passage::Shortened(format!("{}{AS_ABOVE}{}", &text[..start], &text[end..]))
            }
            None => Passage::Whole,
        }
    }

    fn judge_logged(&mut self, logged: &Logged<'_>) -> Passage {
        let core = core(logged.sentence);
        self.note_calls(logged, core);
        match self.told.iter_mut().find(|told| told.is_about(core)) {
            // The same rank reports it twice: this is intended.
            Some(told) if told.ranks.contains(&logged.rank) => Passage::Whole,
            Some(told) => {
                told.ranks.push(logged.rank);
                Passage::LeftOut
            }
            None => {
                if self.told.len() < MOST {
                    self.told.push(Told { core: core.into(), ranks: vec![logged.rank] });
                }
                Passage::Whole
            }
        }
    }

    fn note_calls(&mut self, logged: &Logged<'_>, core: &str) {
        if !core.starts_with(DISAGREE) {
            return;
        }
        let own = logged.call.map(|call| (logged.rank, call));
        // "...: rank 0 called X, rank 2 called Y"
        let named = core.split("rank ").filter_map(|part| {
            let (rank, call) = part.split_once(" called ")?;
            Some((rank.parse().ok()?, call.trim_end_matches([' ', ','])))
        });
        for (rank, call) in own.into_iter().chain(named) {
            self.calls.entry(rank).or_insert_with(|| call.to_string());
        }
    }

    /// The ranks that called something else than most, if ranks disagree. If there are only two ranks, the
    /// sentence names both already.
    pub fn odd_ranks(&self) -> Option<String> {
        let most =
            self.calls.values().max_by_key(|call| self.calls.values().filter(|c| c == call).count())?;
        let (many, odd): (Vec<_>, Vec<_>) = self.calls.iter().partition(|(_, call)| *call == most);
        if odd.is_empty() || many.len() <= odd.len() {
            return None;
        }
        let odd: Vec<String> = odd.iter().map(|(rank, call)| format!("rank {rank} called {call}")).collect();
        Some(format!("{}; {} of the others called {most}", odd.join(", "), many.len()))
    }

    /// The ranks that others have lost without a goodbye, with their process ids. The numbers are those of
    /// the communicator, which need not be the world.
    pub fn lost_ranks(&self) -> impl Iterator<Item = (usize, Pid)> {
        let lost = self.told.iter().filter(|told| told.core.contains(GONE));
        lost.filter_map(|told| {
            // "rank 2 (host vm, pid 4711)"
            let (rank, rest) = subject(&told.core)?.strip_prefix("rank ")?.split_once(' ')?;
            let (_, pid) = rest.trim_end_matches(')').rsplit_once(" pid ")?;
            Some((rank.parse().ok()?, pid.parse().ok()?))
        })
    }
}

impl Told {
    fn is_about(&self, other: &str) -> bool {
        self.core == other || subject(&self.core).is_some_and(|mine| subject(other) == Some(mine))
    }

    /// The place of the sentence in a program's line.
    fn find(&self, text: &str) -> Option<Range<usize>> {
        let text = text.trim_end();
        let start = match text.find(&self.core) {
            Some(start) => start,
            None => sentence_start(text).filter(|start| self.is_about(core(&text[*start..])))?,
        };
        let rest = &text[start..];
        // Including the rank that reported it.
        let is_whole =
            core(rest).starts_with(&self.core) && rest.ends_with(')') || !rest.starts_with(&self.core);
        Some(start..start + if is_whole { rest.len() } else { self.core.len() })
    }
}

fn parse(text: &str) -> Option<Logged<'_>> {
    let rest = text.trim_end().strip_prefix(LIBRARY_ERROR)?.trim_start().strip_prefix("rank ")?;
    let (rank, rest) = rest.split_once(" of \"")?;
    let rank = rank.parse().ok()?;
    let (plain, with_call) = (rest.find("\": "), rest.find("\", in "));
    if let Some(at) = with_call.filter(|at| plain.is_none_or(|plain| *at < plain)) {
        let (call, sentence) = rest[at + "\", in ".len()..].split_once(": ")?;
        return Some(Logged { rank, call: Some(call), sentence });
    }
    Some(Logged { rank, call: None, sentence: &rest[plain? + "\": ".len()..] })
}

/// The sentence without the rank that reported it.
fn core(sentence: &str) -> &str {
    let mut core = sentence.trim_end();
    while let Some(at) = core.rfind(" (reported by ").filter(|_| core.ends_with(')')) {
        core = &core[..at];
    }
    core
}

/// The subject of a sentence.
fn subject(core: &str) -> Option<&str> {
    if core.starts_with(DISAGREE) {
        return core.find("\": ").map(|end| &core[..end]);
    }
    // "rank 2 (host vm, pid 4711)"
    core.match_indices("rank ").find_map(|(start, _)| {
        let rest = &core[start..];
        let digits = rest["rank ".len()..].bytes().take_while(u8::is_ascii_digit).count();
        let is_label = digits > 0 && rest["rank ".len() + digits..].starts_with(" (host ");
        rest.find(')').filter(|_| is_label).map(|end| &rest[..=end])
    })
}

/// The place in a line where the text of `anyccl_last_error` begins: "anyccl_all_reduce: ...".
fn sentence_start(text: &str) -> Option<usize> {
    text.match_indices("anyccl_").find_map(|(at, _)| {
        let name = text[at..].bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        text[at + name..].starts_with(": ").then_some(at + name + 2)
    })
}

/// Whether a line names an exception of Python, as the last line of a traceback does: `anyccl.MismatchError:
/// ...`.
fn ends_traceback(text: &str) -> bool {
    let name = text.split(": ").next().unwrap_or_default();
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    (name.ends_with("Error") || name.ends_with("Exception")) && name.chars().all(is_of_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINE: &str = "the ranks disagree in call #3 of \"world\": rank 0 called all_reduce(int32 sum, count 3), rank 2 \
                        called all_reduce(int32 max, count 3)";

    fn logged(rank: u32, sentence: &str) -> String {
        format!("anyccl: error: rank {rank} of \"world\", in all_reduce(int32 sum, count 3): {sentence}\n")
    }

    #[test]
    fn a_failure_of_four_ranks_is_told_once_and_its_odd_rank_is_found() {
        let mut repeats = Repeats::default();
        let lines = [
            (logged(0, MINE), Passage::Whole),
            (logged(1, &format!("{MINE} (reported by rank 0 (host a, pid 1))")), Passage::LeftOut),
            (logged(3, &MINE.replace("rank 0", "rank 3")), Passage::LeftOut),
            (logged(0, MINE), Passage::Whole),
        ];
        for (line, passage) in lines {
            assert_eq!(repeats.judge(line.as_bytes()), passage, "{line}");
        }
        let own =
            format!("x.c:7: mismatch: anyccl_all_reduce: {MINE} (reported by rank 0 (host a, pid 1))\n");
        let short = "x.c:7: mismatch: anyccl_all_reduce: (as above)\n";
        assert_eq!(repeats.judge(own.as_bytes()), Passage::Shortened(short.into()));
        let other = format!("anyccl_all_reduce: {}\n", MINE.replace("rank 0", "rank 1"));
        let short = "anyccl_all_reduce: (as above)\n";
        assert_eq!(repeats.judge(other.as_bytes()), Passage::Shortened(short.into()));
        let odd = "rank 2 called all_reduce(int32 max, count 3); 3 of the others called all_reduce(int32 sum, count 3)";
        assert_eq!(repeats.odd_ranks().as_deref(), Some(odd));
    }

    #[test]
    fn ranks_that_lose_the_same_rank_say_so_once_and_another_loss_is_told() {
        let lost = |rank: u32, pid: u32| format!("rank {rank} (host a, pid {pid}) was killed in barrier #2");
        let mut repeats = Repeats::default();
        assert_eq!(repeats.judge(logged(0, &lost(2, 7)).as_bytes()), Passage::Whole);
        let other_words = "the tcp link to rank 2 (host a, pid 7) failed";
        assert_eq!(repeats.judge(logged(1, other_words).as_bytes()), Passage::LeftOut);
        assert_eq!(repeats.judge(logged(1, &lost(3, 8)).as_bytes()), Passage::Whole);
        assert_eq!(repeats.odd_ranks(), None);
        assert_eq!(repeats.lost_ranks().next(), None);
        repeats.judge(logged(1, &format!("rank 4 (host a, pid 9) {GONE} while x")).as_bytes());
        assert_eq!(repeats.lost_ranks().collect::<Vec<_>>(), [(4, 9)]);
    }

    #[test]
    fn the_last_line_of_a_traceback_stays_whole() {
        let mut repeats = Repeats::default();
        repeats.judge(logged(0, MINE).as_bytes());
        let last = format!("anyccl.MismatchError: Allreduce: {MINE}\n");
        assert_eq!(repeats.judge(last.as_bytes()), Passage::Whole);
        let other = format!("An Error: {MINE}\n");
        assert_eq!(repeats.judge(other.as_bytes()), Passage::Shortened("An Error: (as above)\n".into()));
    }

    #[test]
    fn lines_that_are_not_the_librarys_pass_unchanged() {
        let mut repeats = Repeats::default();
        repeats.judge(logged(0, MINE).as_bytes());
        for line in
            [&b"\xff\xfe\n"[..], b"rank 2 (host a, pid 7) computes\n", b"anyccl: error: store: no\n", b""]
        {
            assert_eq!(repeats.judge(line), Passage::Whole);
        }
    }

    #[test]
    fn two_ranks_that_disagree_are_both_named_by_the_sentence() {
        let mut repeats = Repeats::default();
        repeats.judge(logged(0, MINE).as_bytes());
        repeats.judge(logged(2, MINE).as_bytes());
        assert_eq!(repeats.odd_ranks(), None);
    }
}
