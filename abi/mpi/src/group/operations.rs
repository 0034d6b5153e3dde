//! Operations on groups (MPI 5.0, section 7.3.2), as pure functions of lists of processes.

use anyccl_engine::base::Rank;

use super::Group;
use crate::constants::{IDENT, PROC_NULL, SIMILAR, UNDEFINED, UNEQUAL};
use crate::error::{Class, Error, Result};

impl Group {
    /// Whether a process is a member.
    pub fn has(&self, process: Rank) -> bool {
        self.position(process).is_some()
    }

    /// `MPI_IDENT`, `MPI_SIMILAR` or `MPI_UNEQUAL`.
    pub fn compare(&self, other: &Group) -> i32 {
        if self.members() == other.members() {
            IDENT
        } else if self.size() == other.size() && self.members().iter().all(|member| other.has(*member)) {
            SIMILAR
        } else {
            UNEQUAL
        }
    }

    /// All members of this group, then the members of the other that this one lacks.
    pub fn union(&self, other: &Group) -> Group {
        let new = other.members().iter().filter(|member| !self.has(**member));
        self.derived(self.members().iter().chain(new).copied().collect())
    }

    /// Members of this group that are also members of the other.
    pub fn intersection(&self, other: &Group) -> Group {
        self.those(|member| other.has(member))
    }

    /// Members of this group that are not members of the other.
    pub fn difference(&self, other: &Group) -> Group {
        self.those(|member| !other.has(member))
    }

    /// A group of these processes, made from this one.
    fn derived(&self, members: Vec<Rank>) -> Group {
        Group::new(members).of_session(self.session())
    }

    fn those(&self, are_wanted: impl Fn(Rank) -> bool) -> Group {
        self.derived(self.members().iter().copied().filter(|member| are_wanted(*member)).collect())
    }

    /// The processes of these ranks, each once, in this order.
    pub fn include(&self, ranks: &[i32]) -> Result<Group> {
        self.mark(ranks)?;
        Ok(self.derived(ranks.iter().map(|rank| self.members()[*rank as usize]).collect()))
    }

    /// All processes except those of these ranks, which must be different.
    pub fn exclude(&self, ranks: &[i32]) -> Result<Group> {
        let marked = self.mark(ranks)?;
        let rest = self.members().iter().zip(marked).filter(|(_, is_marked)| !is_marked);
        Ok(self.derived(rest.map(|(member, _)| *member).collect()))
    }

    /// Marks the ranks of a list. Refuses ranks that do not exist or occur twice.
    fn mark(&self, ranks: &[i32]) -> Result<Vec<bool>> {
        let mut marked = vec![false; self.size() as usize];
        for rank in ranks {
            match usize::try_from(*rank).ok().and_then(|at| marked.get_mut(at)) {
                Some(mark) if !*mark => *mark = true,
                Some(_) => return Err(Error::new(Class::RANK, format!("rank {rank} is there twice"))),
                None => {
                    let text = format!("rank {rank}; the group has {} processes", self.size());
                    return Err(Error::new(Class::RANK, text));
                }
            }
        }
        Ok(marked)
    }

    /// The rank in another group of the process with this rank here; `MPI_UNDEFINED` if it is not there.
    pub fn translate(&self, rank: i32, other: &Group) -> Result<i32> {
        if rank == PROC_NULL {
            return Ok(PROC_NULL);
        }
        let process = usize::try_from(rank).ok().and_then(|at| self.members().get(at));
        let process = process.ok_or_else(|| {
            Error::new(Class::RANK, format!("rank {rank}; the group has {} processes", self.size()))
        })?;
        Ok(other.position(*process).map_or(UNDEFINED, u32::cast_signed))
    }
}

/// The ranks of triples of first rank, last rank and stride.
pub fn ranks_of_ranges(ranges: &[[i32; 3]], size: u32) -> Result<Vec<i32>> {
    let mut ranks = Vec::new();
    for [first, last, stride] in ranges.iter().copied() {
        let wrong = |why: &str| Error::new(Class::ARG, format!("range {first} to {last} by {stride}: {why}"));
        if stride == 0 {
            return Err(wrong("the stride is 0"));
        }
        if (first < last && stride < 0) || (first > last && stride > 0) {
            return Err(wrong("the stride leads away from the last rank"));
        }
        let is_rank = |rank: i32| (0..i64::from(size)).contains(&i64::from(rank));
        if !is_rank(first) || !is_rank(last) {
            let text = format!("range {first} to {last}; the group has {size} processes");
            return Err(Error::new(Class::RANK, text));
        }
        let steps = (i64::from(last) - i64::from(first)) / i64::from(stride);
        ranks.extend((0..=steps).map(|step| (i64::from(first) + step * i64::from(stride)) as i32));
    }
    Ok(ranks)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn group() -> impl Strategy<Value = Group> {
        Just((0..12).collect::<Vec<Rank>>())
            .prop_shuffle()
            .prop_flat_map(|all| (0..=all.len()).prop_map(move |len| Group::new(all[..len].to_vec())))
    }

    fn set(group: &Group) -> BTreeSet<Rank> {
        group.members().iter().copied().collect()
    }

    proptest! {
        #[test]
        fn operations_are_those_of_sets_in_the_order_of_the_first_group(one in group(), other in group()) {
            let (a, b) = (set(&one), set(&other));
            prop_assert_eq!(set(&one.union(&other)), &a | &b);
            prop_assert_eq!(set(&one.intersection(&other)), &a & &b);
            prop_assert_eq!(set(&one.difference(&other)), &a - &b);
            let union = one.union(&other);
            prop_assert_eq!(&union.members()[..a.len()], one.members());
            let places: Vec<_> = one.intersection(&other).members().iter().map(|m| one.position(*m)).collect();
            prop_assert!(places.is_sorted());
        }

        #[test]
        fn what_is_included_and_what_is_excluded_make_the_group(group in group(), picks: [bool; 12]) {
            let ranks: Vec<i32> =
                (0..group.size() as i32).filter(|rank| picks[*rank as usize]).collect();
            let (inside, outside) = (group.include(&ranks).unwrap(), group.exclude(&ranks).unwrap());
            prop_assert_eq!(inside.union(&outside).compare(&group) == UNEQUAL, false);
            for (at, rank) in ranks.iter().enumerate() {
                prop_assert_eq!(group.translate(*rank, &inside).unwrap(), at as i32);
                prop_assert_eq!(group.translate(*rank, &outside).unwrap(), UNDEFINED);
            }
        }

        #[test]
        fn a_range_has_the_ranks_from_its_first_on_that_do_not_pass_its_last(
            first in 0..20i32, last in 0..20i32, stride in 1..7i32,
        ) {
            let stride = if first <= last { stride } else { -stride };
            let ranks = ranks_of_ranges(&[[first, last, stride]], 20).unwrap();
            prop_assert_eq!(ranks[0], first);
            prop_assert!(ranks.windows(2).all(|two| two[1] - two[0] == stride));
            let end = *ranks.last().unwrap();
            prop_assert!((last - end).abs() < stride.abs() && (end - last) * stride <= 0);
        }
    }

    #[test]
    fn equal_groups_are_identical_and_others_of_the_same_processes_similar() {
        let group = |members: &[Rank]| Group::new(members.to_vec());
        assert_eq!(group(&[1, 2]).compare(&group(&[1, 2])), IDENT);
        assert_eq!(group(&[1, 2]).compare(&group(&[2, 1])), SIMILAR);
        assert_eq!(group(&[1, 2]).compare(&group(&[1, 3])), UNEQUAL);
        assert_eq!(group(&[1, 2]).compare(&group(&[1])), UNEQUAL);
    }

    #[test]
    fn wrong_ranks_and_ranges_are_refused() {
        let group = Group::new(vec![4, 5, 6]);
        assert_eq!(group.include(&[0, 0]).unwrap_err().class, Class::RANK);
        assert_eq!(group.exclude(&[3]).unwrap_err().class, Class::RANK);
        assert_eq!(group.translate(-1, &group).unwrap_err().class, Class::RANK);
        assert_eq!(group.translate(PROC_NULL, &group).unwrap(), PROC_NULL);
        assert_eq!(ranks_of_ranges(&[[0, 2, 0]], 3).unwrap_err().class, Class::ARG);
        assert_eq!(ranks_of_ranges(&[[2, 0, 1]], 3).unwrap_err().class, Class::ARG);
        assert_eq!(ranks_of_ranges(&[[0, 3, 1]], 3).unwrap_err().class, Class::RANK);
    }
}
