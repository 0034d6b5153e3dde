//! A yes-or-no answer that single observations do not change.

/// A yes or no from many observations, of which single ones may be wrong, for example because of an
/// interrupt. The answer is yes while the score is at least `YES_FROM`. No observation raises the score above
/// `CERTAIN`.
#[derive(Debug, Default)]
pub struct Hysteresis<const YES_FROM: u8, const CERTAIN: u8> {
    score: u8,
}

impl<const YES_FROM: u8, const CERTAIN: u8> Hysteresis<YES_FROM, CERTAIN> {
    /// Counts one observation.
    #[inline]
    pub fn note(&mut self, is_yes: bool) {
        self.score = if is_yes { (self.score + 1).min(CERTAIN) } else { self.score.saturating_sub(1) };
    }

    /// The answer so far; "no" at first.
    #[inline]
    pub fn is_yes(&self) -> bool {
        self.score >= YES_FROM
    }
}
