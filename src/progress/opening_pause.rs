//! When an engine looks for links that must be opened.

use crate::base::Rank;

/// Passes from one look for links that must be opened to the next. A look takes longer than a pass. What is
/// needed changes when something moves or begins, so a look also comes when nothing moves any more.
const PASSES_PER_LOOK: u32 = 32;
/// Most ranks that are heard at once of those that have not talked. A rank that others keep busy thus spends
/// a hundredth of its time on that, and hears all of 256 ranks within two milliseconds.
const HEARD_AT_ONCE: usize = 64;

/// When to look for links that must be opened, and where one is needed.
#[derive(Default)]
pub(super) struct OpeningPause {
    /// Passes before the next look.
    passes: u32,
    /// Whether something has moved or begun since the last look.
    has_moved: bool,
    /// Whether a receive or probe for a message of anybody was started since the ranks that have not talked
    /// were last heard. It may have ended by the next look.
    pub awaits_anybody: bool,
    /// The rank to be heard first next time, of those that have not talked.
    heard_next: u32,
    /// Ranks that have rung and whose links could not be opened then.
    pub rung: Vec<u32>,
}

impl OpeningPause {
    /// Notes that an operation begins. The next pass looks, whatever else moves: only then is the first
    /// message to a rank on its way.
    pub fn note_begin(&mut self) {
        self.passes = 0;
    }

    /// Notes a change. The next pass in which nothing moves looks.
    pub fn note_change(&mut self) {
        self.has_moved = true;
    }

    /// Notes the source of a message that a call waits for.
    #[inline]
    pub fn note_source(&mut self, source: Option<Rank>) {
        self.awaits_anybody |= source.is_none();
    }

    /// The ranks to be heard now, of `ranks`. `is_silent`: whether a rank can be heard and has not talked.
    /// Each of these gets its turn.
    pub fn next_to_hear(&mut self, ranks: u32, is_silent: impl Fn(&u32) -> bool) -> Vec<u32> {
        let from = self.heard_next.min(ranks);
        let found: Vec<u32> = (from..ranks).chain(0..from).filter(is_silent).take(HEARD_AT_ONCE).collect();
        self.heard_next = found.last().map_or(0, |last| last + 1);
        found
    }

    /// Notes a pass. Returns whether it looks.
    pub fn is_over(&mut self, moved: bool) -> bool {
        self.has_moved |= moved;
        let is_over = self.passes == 0 || self.has_moved && !moved;
        if is_over {
            (self.passes, self.has_moved) = (PASSES_PER_LOOK, false);
        } else {
            self.passes -= 1;
        }
        is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_that_has_not_talked_is_heard_in_turn_and_no_other() {
        let (mut pause, ranks) = (OpeningPause::default(), 2 * HEARD_AT_ONCE as u32 + 22);
        let is_silent = |rank: &u32| *rank != 3;
        let mut heard: Vec<u32> = (0..3).flat_map(|_| pause.next_to_hear(ranks, is_silent)).collect();
        assert_eq!(heard.len(), 3 * HEARD_AT_ONCE);
        heard.sort_unstable();
        heard.dedup();
        assert!(heard.into_iter().eq((0..ranks).filter(is_silent)));
        assert_eq!(pause.next_to_hear(ranks, |rank| *rank == 5), [5]);
        assert_eq!(pause.next_to_hear(ranks, |_| false), []);
    }
}
