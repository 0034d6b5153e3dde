//! The ranks by host, and the rank of each host that carries data to other hosts.
//!
//! Hierarchical algorithms cut their data into *columns*: slices of a buffer, or the blocks of the ranks with
//! the same position on their host. Each host has one *carrier* for a column. The carriers of a column, one
//! per host, form a group that communicates across hosts. If a host has fewer ranks than there are columns,
//! its ranks carry several. So hosts of any size work together, and a larger host still uses all its ranks.
//! The numbering of ranks does not matter: a host may hold consecutive ranks, or every other one.

use std::ops::Range;

use crate::algo::patterns::segments::Segments;
use crate::base::Rank;
use crate::plan::PlanRequest;

/// Upper limit of a pipeline's chunks: with this many, the part that does not overlap is small.
const MAX_CHUNKS: usize = 8;

/// The ranks of a communicator, by host.
pub(in crate::algo) struct Hosts {
    /// The ranks of each host, in the order in which they carry columns.
    members: Vec<Vec<Rank>>,
    /// For each rank, its host and its position among the host's members.
    places: Vec<(usize, usize)>,
    /// The rank whose plan this is.
    rank: Rank,
}

impl Hosts {
    /// Groups the ranks by host. The members of a host are in rank order.
    pub(in crate::algo) fn of(request: &PlanRequest) -> Hosts {
        let topology = request.topology;
        let mut members = vec![Vec::new(); topology.hosts() as usize];
        let mut places = Vec::with_capacity(request.size as usize);
        for rank in 0..request.size {
            let host = topology.host_of(rank) as usize;
            places.push((host, members[host].len()));
            members[host].push(rank);
        }
        Hosts { members, places, rank: request.rank }
    }

    /// Like [`Hosts::of`], with the root first on its host: it carries column 0, so small messages need no
    /// detour.
    pub(in crate::algo) fn led_by_root(request: &PlanRequest) -> Hosts {
        let mut hosts = Hosts::of(request);
        let (host, position) = hosts.places[request.root as usize];
        hosts.members[host].rotate_left(position);
        for (position, &rank) in hosts.members[host].iter().enumerate() {
            hosts.places[rank as usize].1 = position;
        }
        hosts
    }

    /// Number of hosts.
    pub(in crate::algo) fn count(&self) -> usize {
        self.members.len()
    }

    /// Number of ranks of the largest host.
    pub(in crate::algo) fn most(&self) -> usize {
        self.members.iter().map(Vec::len).max().unwrap_or(1)
    }

    /// Number of ranks of the smallest host.
    pub(in crate::algo) fn fewest(&self) -> usize {
        self.members.iter().map(Vec::len).min().unwrap_or(1)
    }

    /// The ranks of other hosts, in the order of [`Hosts::others`].
    pub(in crate::algo) fn foreign(&self) -> impl Iterator<Item = Rank> + '_ {
        self.others().flat_map(|host| self.members(host).iter().copied())
    }

    /// Host of a rank.
    pub(in crate::algo) fn host_of(&self, rank: Rank) -> usize {
        self.places[rank as usize].0
    }

    /// Host of this rank.
    pub(in crate::algo) fn own(&self) -> usize {
        self.host_of(self.rank)
    }

    /// The ranks of a host.
    pub(in crate::algo) fn members(&self, host: usize) -> &[Rank] {
        &self.members[host]
    }

    /// The ranks of this host.
    pub(in crate::algo) fn local(&self) -> &[Rank] {
        self.members(self.own())
    }

    /// The other ranks of this host.
    pub(in crate::algo) fn neighbours(&self) -> Vec<Rank> {
        self.local().iter().copied().filter(|&rank| rank != self.rank).collect()
    }

    /// The other hosts, beginning with the next one. If all hosts send in this order, no host is the first
    /// receiver for all.
    pub(in crate::algo) fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let (own, count) = (self.own(), self.count());
        (1..count).map(move |distance| (own + distance) % count)
    }

    /// The column that holds the block of a rank.
    pub(in crate::algo) fn column(&self, rank: Rank) -> usize {
        self.places[rank as usize].1
    }

    /// The rank that carries a column on a host.
    pub(in crate::algo) fn carrier(&self, host: usize, column: usize) -> Rank {
        let members = self.members(host);
        members[column % members.len()]
    }

    /// The ranks that carry a column, by host.
    pub(in crate::algo) fn carriers(&self, column: usize) -> Vec<Rank> {
        (0..self.count()).map(|host| self.carrier(host, column)).collect()
    }

    /// Whether this rank carries a column on its host.
    pub(in crate::algo) fn carry(&self, column: usize) -> bool {
        self.carrier(self.own(), column) == self.rank
    }

    /// Cuts a buffer into columns: one per rank of the largest host.
    ///
    /// There are fewer columns if one would have less than one element per host. Then algorithms among
    /// carriers leave out no message, so the plans for several columns have the same rounds and fit side by
    /// side.
    pub(in crate::algo) fn slices(&self, count: usize) -> Segments {
        Segments::new(count, (count / self.count()).clamp(1, self.most()))
    }

    /// Cuts a buffer into chunks, so that a carrier sends another one at least about `chunk_bytes` at a time.
    ///
    /// There is one chunk if nothing can overlap: on one host, or with one rank on each, unless a rank
    /// `converts` what it sends. If there are several, each has enough elements that [`Hosts::slices`] cuts
    /// all of them alike.
    pub(in crate::algo) fn chunks(&self, request: &PlanRequest, converts: bool) -> Segments {
        let least = (request.chunk_bytes / request.element_bytes.max(1)).max(1) * self.most() * self.count();
        let overlaps = self.count() > 1 && (self.most() > 1 || converts);
        let most = if overlaps { MAX_CHUNKS } else { 1 };
        Segments::new(request.count, (request.count / least).clamp(1, most))
    }

    /// The members of a host as a range of ranks, if they are consecutive.
    pub(in crate::algo) fn consecutive(&self, host: usize) -> Option<Range<usize>> {
        let members = self.members(host);
        let range = members[0] as usize..members[0] as usize + members.len();
        let is_range = members.iter().map(|&rank| rank as usize).eq(range.clone());
        is_range.then_some(range)
    }
}

/// Cuts 0..`size` into runs with the same label. Indices without a label are left out.
pub(in crate::algo) fn runs<T: PartialEq>(
    size: usize,
    label: impl Fn(usize) -> Option<T>,
) -> Vec<(T, Range<usize>)> {
    let mut runs: Vec<(T, Range<usize>)> = Vec::new();
    for index in 0..size {
        let Some(label) = label(index) else { continue };
        match runs.last_mut() {
            Some((last, run)) if *last == label && run.end == index => run.end += 1,
            _ => runs.push((label, index..index + 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Collective;
    use crate::plan::BlockLayout;
    use crate::topology::Topology;

    fn hosts(labels: &str, rank: Rank, root: Option<Rank>) -> Hosts {
        let labels: Vec<char> = labels.chars().collect();
        let request = PlanRequest {
            collective: Collective::Broadcast,
            size: labels.len() as u32,
            rank,
            root: root.unwrap_or(0),
            count: 0,
            element_bytes: 1,
            in_place: false,
            chunk_bytes: 1,
            topology: &Topology::from_labels(&labels),
            layout: BlockLayout::NONE,
        };
        if root.is_some() { Hosts::led_by_root(&request) } else { Hosts::of(&request) }
    }

    #[test]
    fn every_column_has_one_carrier_per_host_and_every_rank_of_the_largest_host_carries_one() {
        let hosts = hosts("abacaab", 3, None);
        assert_eq!(hosts.members, [vec![0, 2, 4, 5], vec![1, 6], vec![3]]);
        assert_eq!((hosts.most(), hosts.own(), hosts.local()), (4, 2, &[3][..]));
        let carriers: Vec<_> = (0..4).map(|column| hosts.carriers(column)).collect();
        assert_eq!(carriers, [[0, 1, 3], [2, 6, 3], [4, 1, 3], [5, 6, 3]]);
        assert!((0..4).all(|column| hosts.carry(column)));
    }

    #[test]
    fn the_root_carries_the_first_column() {
        let hosts = hosts("abacaab", 4, Some(4));
        assert_eq!(hosts.members(0), [4, 5, 0, 2]);
        assert_eq!((hosts.carrier(0, 0), hosts.column(2)), (4, 3));
        assert_eq!(hosts.neighbours(), [5, 0, 2]);
    }

    #[test]
    fn others_come_in_another_order_for_each_host() {
        let order = |rank| hosts("aabcc", rank, None).others().collect::<Vec<_>>();
        assert_eq!([order(0), order(2), order(4)], [[1, 2], [2, 0], [0, 1]]);
        assert_eq!(hosts("aabcc", 2, None).foreign().collect::<Vec<_>>(), [3, 4, 0, 1]);
    }

    #[test]
    fn slices_have_an_element_for_each_host_or_there_is_only_one() {
        let hosts = hosts("aaaabbc", 0, None);
        for (count, parts) in [(0, 1), (1, 1), (5, 1), (6, 2), (9, 3), (12, 4), (1000, 4)] {
            assert_eq!(hosts.slices(count).parts(), parts, "{count}");
        }
    }

    #[test]
    fn several_chunks_are_cut_into_the_same_number_of_slices() {
        let hosts = hosts("aaaabbc", 0, None);
        for count in [0, 1, 11, 12, 23, 24, 25, 95, 96, 1000, 1001, 12_345] {
            let topology = Topology::one_host(1);
            let request = PlanRequest {
                collective: Collective::AllReduce,
                size: 7,
                rank: 0,
                root: 0,
                count,
                element_bytes: 4,
                in_place: false,
                chunk_bytes: 1,
                topology: &topology,
                layout: BlockLayout::NONE,
            };
            let chunks = hosts.chunks(&request, false);
            assert_eq!(chunks.parts(), (count / 12).clamp(1, MAX_CHUNKS));
            let parts: Vec<_> =
                (0..chunks.parts()).map(|chunk| hosts.slices(chunks.part(chunk).len()).parts()).collect();
            assert!(parts.len() == 1 || parts.iter().all(|&slices| slices == 4), "{count}: {parts:?}");
        }
    }

    #[test]
    fn only_consecutive_members_are_a_range() {
        let hosts = hosts("abbcacc", 0, None);
        assert_eq!([0, 1, 2].map(|host| hosts.consecutive(host)), [None, Some(1..3), None]);
    }

    #[test]
    fn runs_end_where_the_label_changes_or_is_missing() {
        let labels = [Some('a'), Some('a'), None, Some('a'), Some('b')];
        assert_eq!(runs(5, |at| labels[at]), [('a', 0..2), ('a', 3..4), ('b', 4..5)]);
    }
}
