//! The topology of a communicator: which ranks share a host.

use crate::base::Rank;

/// Host of each rank. Hosts are numbered from 0 in order of their lowest rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Topology {
    host_of: Vec<u32>,
}

impl Topology {
    /// All ranks on one host.
    pub fn one_host(size: u32) -> Topology {
        Topology { host_of: vec![0; size as usize] }
    }

    /// Makes the topology from any label of each rank's host; equal labels mean one host.
    pub fn from_labels<T: PartialEq>(labels: &[T]) -> Topology {
        let mut firsts: Vec<&T> = Vec::new();
        let host_of = labels
            .iter()
            .map(|label| {
                let known = firsts.iter().position(|first| *first == label);
                known.unwrap_or_else(|| {
                    firsts.push(label);
                    firsts.len() - 1
                }) as u32
            })
            .collect();
        Topology { host_of }
    }

    /// Number of ranks in the communicator.
    pub fn size(&self) -> u32 {
        self.host_of.len() as u32
    }

    /// Host of `rank`.
    pub fn host_of(&self, rank: Rank) -> u32 {
        self.host_of[rank as usize]
    }

    /// Number of hosts.
    pub fn hosts(&self) -> u32 {
        self.host_of.iter().max().map_or(0, |max| max + 1)
    }

    /// The ranks on the host of `rank`, ascending.
    pub fn neighbours(&self, rank: Rank) -> impl Iterator<Item = Rank> {
        let host = self.host_of(rank);
        (0..self.size()).filter(move |&other| self.host_of(other) == host)
    }

    /// Position of `rank` among the ranks of its host.
    pub fn local_rank(&self, rank: Rank) -> u32 {
        self.neighbours(rank).take_while(|&other| other < rank).count() as u32
    }

    /// Number of ranks on the host of `rank`.
    pub fn local_size(&self, rank: Rank) -> u32 {
        self.neighbours(rank).count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_numbered_by_their_lowest_rank() {
        let t = Topology::from_labels(&["b", "a", "b", "c", "a"]);
        assert_eq!((0..5).map(|r| t.host_of(r)).collect::<Vec<_>>(), [0, 1, 0, 2, 1]);
        assert_eq!((t.hosts(), t.local_rank(4), t.local_size(4)), (3, 1, 2));
    }
}
