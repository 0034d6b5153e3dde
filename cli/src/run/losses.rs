//! The meaning of a rank's failure for the job: the job's end or, with `--keep-going`, only the loss of that
//! rank.
//!
//! A job that keeps going has lost the ranks that a signal has ended; it is judged by how the others end. It
//! fails if one of them exits with a status other than 0, or if none exits with 0.

use super::report::Cause;
use crate::sys::process::Ending;

/// The ends of ranks so far.
pub struct Losses {
    keep_going: bool,
    /// The first rank that did not exit with 0.
    first: Option<usize>,
    /// The first rank that exited with a status other than 0.
    exited: Option<usize>,
    /// Whether some rank has exited with 0.
    some_succeeded: bool,
}

impl Losses {
    /// No losses yet.
    pub fn new(keep_going: bool) -> Losses {
        Losses { keep_going, first: None, exited: None, some_succeeded: false }
    }

    /// Notes the end of a rank. Returns whether the job has failed because of it.
    pub fn fail_the_job(&mut self, rank: usize, ending: Ending) -> bool {
        if ending == Ending::Exit(0) {
            self.some_succeeded = true;
            return false;
        }
        self.first.get_or_insert(rank);
        if matches!(ending, Ending::Exit(_)) {
            self.exited.get_or_insert(rank);
        }
        !self.keep_going
    }

    /// The cause of the job's end, after all ranks have ended and nothing else has ended the job.
    pub fn cause(&self) -> Cause {
        match self.exited.or(self.first.filter(|_| !self.some_succeeded)) {
            Some(rank) => Cause::RankFailed(rank),
            None => Cause::AllExited,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KILLED: Ending = Ending::Signal { number: libc::SIGKILL, core: false };

    fn cause_of(ends: &[Ending]) -> Cause {
        let mut losses = Losses::new(true);
        for (rank, &ending) in ends.iter().enumerate() {
            assert!(!losses.fail_the_job(rank, ending), "the job keeps going");
        }
        losses.cause()
    }

    #[test]
    fn a_killed_rank_is_forgiven_when_another_one_succeeds() {
        assert!(cause_of(&[Ending::Exit(0), KILLED, Ending::Exit(0)]) == Cause::AllExited);
    }

    #[test]
    fn a_survivor_that_fails_is_to_blame_rather_than_the_rank_that_was_killed() {
        assert!(cause_of(&[KILLED, Ending::Exit(0), Ending::Exit(3)]) == Cause::RankFailed(2));
    }

    #[test]
    fn a_job_without_survivors_has_failed() {
        assert!(cause_of(&[KILLED, KILLED]) == Cause::RankFailed(0));
    }

    #[test]
    fn the_first_failure_ends_a_job_that_does_not_keep_going() {
        assert!(!Losses::new(false).fail_the_job(0, Ending::Exit(0)));
        assert!(Losses::new(false).fail_the_job(0, Ending::Exit(1)));
        assert!(Losses::new(false).fail_the_job(0, KILLED));
    }
}
