//! The state of a store: keys and values, and which ranks have come and left. No I/O.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::limits::Limits;
use super::message::Status;
use crate::base::Rank;
use crate::bootstrap::auth::hello::size_disagreement;
use crate::bootstrap::store::missing::not_come;

/// Why the job cannot go on. The first fault stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// `Failed` or `Disagreement`.
    pub status: Status,
    /// The sentence that every rank is told.
    pub text: String,
}

/// The state of one world's bootstrap.
pub(super) struct Board {
    limits: Limits,
    /// The world size, and the rank that stated it first. The rank is `None` if the server knew the size.
    size: Option<(u32, Option<Rank>)>,
    values: HashMap<String, Arc<[u8]>>,
    total_bytes: usize,
    here: BTreeSet<Rank>,
    left: BTreeSet<Rank>,
    /// Ranks that have set something.
    spoken: BTreeSet<Rank>,
    /// Ranks whose process has ended, and how. They come to no later world.
    ended: BTreeMap<Rank, String>,
    fault: Option<Fault>,
}

impl Board {
    /// An empty board. `size` is the world's, if it is known before the first rank comes.
    pub fn new(size: Option<u32>, limits: Limits) -> Board {
        let (values, total_bytes) = (HashMap::new(), 0);
        let size = size.map(|size| (size, None));
        let (here, left, spoken) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let ended = BTreeMap::new();
        Board { limits, size, values, total_bytes, here, left, spoken, ended, fault: None }
    }

    /// Counts a rank in. `false`: the rank has left this world, so it must come again when this world is
    /// over.
    pub fn join(&mut self, rank: Rank, size: u32) -> bool {
        if self.left.contains(&rank) {
            return false;
        }
        let (known, said_by) = *self.size.get_or_insert((size, Some(rank)));
        if known != size {
            let other = said_by.unwrap_or(crate::bootstrap::auth::hello::ANY_RANK);
            self.disagree(size_disagreement(rank, size, other, known));
        } else if rank >= size {
            self.fail(format!(
                "a process says it is rank {rank} of {size}; ranks go from 0 to {}",
                size.saturating_sub(1)
            ));
        } else if !self.here.insert(rank) {
            self.fail(format!(
                "two processes say they are rank {rank}: each rank must be started once, and two jobs need two stores"
            ));
        }
        true
    }

    /// Sets a key for `rank`. Setting it again to the same value changes nothing.
    pub fn set(&mut self, rank: Rank, key: String, value: Vec<u8>) {
        self.spoken.insert(rank);
        if let Some(old) = self.values.get(&key) {
            if **old != *value {
                self.fail(format!("the store's key \"{key}\" was set twice, to different values"));
            }
        } else if self.values.len() >= self.limits.keys
            || self.total_bytes + value.len() > self.limits.total_bytes
        {
            self.fail(format!("the store is full: no room for key \"{key}\" of {} bytes", value.len()));
        } else {
            self.total_bytes += value.len();
            self.values.insert(key, value.into());
        }
    }

    /// The key's value, if it is set.
    pub fn get(&self, key: &str) -> Option<Arc<[u8]>> {
        self.values.get(key).cloned()
    }

    /// Notes that the rank has all it needs and leaves.
    pub fn leave(&mut self, rank: Rank) {
        if self.here.remove(&rank) {
            self.left.insert(rank);
        }
    }

    /// Notes that the rank's connection broke before it left. If the rank `gave_up`, it was told at its
    /// deadline whom it waited for; then the others hear that reason, not that the rank ended.
    pub fn lose(&mut self, rank: Rank, gave_up: bool) {
        if !self.here.contains(&rank) {
            return;
        }
        self.fail(match gave_up {
            true => format!("rank {rank} has given up waiting: {}", self.missing()),
            false => format!("rank {rank} ended while the ranks were still gathering"),
        });
    }

    /// Notes that the rank's process has ended, as the launcher knows.
    pub fn note_end(&mut self, rank: Rank, how: String) {
        self.ended.insert(rank, how);
    }

    /// Fails the job if a rank that is here waits for one whose process has ended before it came.
    pub fn look_for_ended(&mut self) {
        if self.here.is_empty() {
            return;
        }
        let came = |rank: &Rank| self.here.contains(rank) || self.left.contains(rank);
        let absent = self.ended.iter().find(|(rank, _)| !came(rank));
        if let Some(text) = absent.map(|(rank, how)| format!("rank {rank} {how} before it joined")) {
            self.fail(text);
        }
    }

    /// Fails the job.
    pub fn fail(&mut self, text: String) {
        self.fault.get_or_insert(Fault { status: Status::Failed, text });
    }

    /// Fails the job because its ranks do not agree.
    pub fn disagree(&mut self, text: String) {
        self.fault.get_or_insert(Fault { status: Status::Disagreement, text });
    }

    /// Why the job failed, if it did.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Whether every rank has come and left.
    pub fn finished(&self) -> bool {
        self.size.is_some_and(|(size, _)| self.left.len() as u64 == u64::from(size))
    }

    /// Whether some rank has come and waits for others. Rank 0 sets a value only when it has heard of all.
    pub fn is_gathering(&self) -> bool {
        self.fault.is_none() && !self.here.is_empty() && !self.spoken.contains(&0)
    }

    /// Clears the board for the next world of the same job.
    pub fn begin_again(&mut self) {
        let size = self.size.map(|(size, _)| size);
        let ended = std::mem::take(&mut self.ended);
        *self = Board { ended, ..Board::new(size, self.limits) };
    }

    /// A sentence that names the ranks that have not come, or have come and set nothing.
    pub fn missing(&self) -> String {
        let Some((size, _)) = self.size else { return "no rank has come".into() };
        let come = |rank: &Rank| self.here.contains(rank) || self.left.contains(rank);
        let missing: Vec<Rank> = (0..size).filter(|rank| !come(rank)).collect();
        if !missing.is_empty() {
            return not_come(&missing);
        }
        let silent: Vec<Rank> = (1..size).filter(|rank| !self.spoken.contains(rank)).collect();
        match silent.first() {
            // Rank 0 waits for the others before it sets what they wait for.
            None => "every rank has come; rank 0 has not said where they are".into(),
            Some(first) => {
                let more = match silent.len() - 1 {
                    0 => String::new(),
                    more => format!(", and {more} more like it"),
                };
                format!("rank {first} has come, but has not said where it is{more}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::LIMITS;
    use super::*;

    fn fault_text(board: &Board) -> &str {
        &board.fault().expect("a fault").text
    }

    #[test]
    fn a_world_is_finished_when_every_rank_has_left_and_can_begin_again() {
        let mut board = Board::new(None, LIMITS);
        assert!(board.join(0, 2) && board.join(1, 2));
        board.set(0, "k".into(), vec![1]);
        board.leave(0);
        assert!(!board.finished());
        assert!(!board.join(0, 2), "rank 0 belongs to the next world now");
        board.leave(1);
        assert!(board.finished());
        board.begin_again();
        assert!(board.join(0, 2) && board.get("k").is_none() && !board.finished());
    }

    #[test]
    fn a_second_value_for_a_key_is_a_fault_the_same_value_is_not() {
        let mut board = Board::new(Some(2), LIMITS);
        board.set(0, "k".into(), vec![1]);
        board.set(0, "k".into(), vec![1]);
        assert_eq!(board.fault(), None);
        board.set(0, "k".into(), vec![2]);
        assert!(fault_text(&board).contains("\"k\" was set twice"));
        assert_eq!(board.get("k").as_deref(), Some(&[1][..]));
    }

    #[test]
    fn different_world_sizes_are_named_with_the_ranks_that_said_them() {
        let mut board = Board::new(None, LIMITS);
        board.join(0, 2);
        board.join(1, 3);
        assert!(fault_text(&board).contains("rank 1 was told a world of 3 ranks, rank 0 one of 2"));
        assert_eq!(board.fault().unwrap().status, Status::Disagreement);
    }

    #[test]
    fn a_rank_that_comes_twice_is_outside_or_dies_fails_the_job() {
        for (end, sentence) in [
            ((|b| assert!(b.join(1, 3))) as fn(&mut Board), "two processes say they are rank 1"),
            (|b| assert!(b.join(3, 3)), "rank 3 of 3"),
            (|b| b.lose(1, false), "rank 1 ended"),
            (|b| b.lose(1, true), "rank 1 has given up waiting: ranks 0, 2 have not come"),
        ] {
            let mut board = Board::new(None, LIMITS);
            board.join(1, 3);
            end(&mut board);
            assert!(fault_text(&board).contains(sentence), "{}", fault_text(&board));
        }
    }

    #[test]
    fn a_full_store_says_so_and_holds_no_more() {
        let limits = Limits { key_bytes: 8, value_bytes: 8, total_bytes: 10, keys: 2, answers: 2 };
        let mut board = Board::new(Some(1), limits);
        board.set(0, "a".into(), vec![0; 8]);
        board.set(0, "b".into(), vec![0; 8]);
        assert!(fault_text(&board).contains("full"));
        assert!(board.get("b").is_none());
    }

    #[test]
    fn a_rank_whose_process_ended_is_told_to_those_that_wait_and_only_if_it_has_not_come() {
        let how = || "ended with exit code 0".to_string();
        let mut board = Board::new(Some(2), LIMITS);
        board.note_end(1, how());
        board.look_for_ended();
        assert_eq!(board.fault(), None, "nobody waits");
        board.join(0, 2);
        board.look_for_ended();
        assert_eq!(fault_text(&board), "rank 1 ended with exit code 0 before it joined");

        let mut board = Board::new(Some(2), LIMITS);
        assert!(board.join(0, 2) && board.join(1, 2));
        board.leave(1);
        board.note_end(1, how());
        board.look_for_ended();
        assert_eq!(board.fault(), None, "it was here");
        board.leave(0);
        board.begin_again();
        board.join(0, 2);
        board.look_for_ended();
        assert!(fault_text(&board).contains("rank 1 ended"), "it does not come to the second world");
    }

    #[test]
    fn missing_ranks_are_named() {
        let mut board = Board::new(Some(4), LIMITS);
        board.join(0, 4);
        board.join(2, 4);
        assert_eq!(board.missing(), "ranks 1, 3 have not come");
        board.join(1, 4);
        assert_eq!(board.missing(), "rank 3 has not come");
        board.join(3, 4);
        assert_eq!(board.missing(), "rank 1 has come, but has not said where it is, and 2 more like it");
        board.set(1, "record/1".into(), vec![1]);
        board.set(3, "record/3".into(), vec![1]);
        assert_eq!(board.missing(), "rank 2 has come, but has not said where it is");
        board.set(2, "record/2".into(), vec![1]);
        assert_eq!(board.missing(), "every rank has come; rank 0 has not said where they are");
    }
}
