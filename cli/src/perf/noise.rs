//! Tells when repeats of a measurement disagree.

/// Share of the median above which the middle half of the samples is spread too far.
const TOO_FAR: f64 = 0.2;

/// Counts the measurements whose repeats disagree.
#[derive(Default)]
pub struct Noise {
    measured: usize,
    noisy: usize,
}

/// Whether a measurement with this disagreement ([`Summary`](super::statistics::Summary)) needs a mark.
pub fn is_noisy(disagreement: f64) -> bool {
    disagreement > TOO_FAR
}

impl Noise {
    /// Notes a measurement.
    pub fn note(&mut self, disagreement: f64) {
        self.measured += 1;
        self.noisy += usize::from(is_noisy(disagreement));
    }

    /// A warning, if repeats of any measurement disagree.
    pub fn warning(&self) -> Option<String> {
        let Noise { measured, noisy } = self;
        (*noisy > 0).then(|| {
            format!(
                "repeats disagree by more than {:.0} % in {noisy} of {measured} measurements: other programs \
                 may run on these cores",
                TOO_FAR * 100.0
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warning_counts_what_disagrees() {
        let mut noise = Noise::default();
        noise.note(0.2);
        assert_eq!(noise.warning(), None);
        noise.note(0.3);
        assert!(noise.warning().unwrap().contains("20 % in 1 of 2 measurements"));
    }
}
