//! When an engine looks for links that must be opened.

use crate::base::Rank;

/// Passes from one look for links that must be opened to the next. A look takes longer than a pass. What is
/// needed changes when something moves or begins, so a look also comes when nothing moves any more.
const PASSES_PER_LOOK: u32 = 32;

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
