//! An answer that single observations do not change.

/// A yes or no after many observations. Single ones are wrong, by an interrupt for example: the answer is yes
/// while the score is `YES_FROM` or more, and no observation takes the score above `CERTAIN`.
#[derive(Debug, Default)]
pub struct Hysteresis<const YES_FROM: u8, const CERTAIN: u8> {
    score: u8,
}

impl<const YES_FROM: u8, const CERTAIN: u8> Hysteresis<YES_FROM, CERTAIN> {
    /// Takes note of one observation.
    #[inline]
    pub fn note(&mut self, is_yes: bool) {
        self.score = if is_yes { (self.score + 1).min(CERTAIN) } else { self.score.saturating_sub(1) };
    }

    /// The answer so far; no at first.
    #[inline]
    pub fn is_yes(&self) -> bool {
        self.score >= YES_FROM
    }

    /// An answer that is as certain as it gets.
    #[cfg(test)]
    pub fn certain() -> Hysteresis<YES_FROM, CERTAIN> {
        Hysteresis { score: CERTAIN }
    }
}
