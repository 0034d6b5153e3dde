//! The communicators of a job at another size.
//!
//! Rank r does what rank r modulo the recorded number did. So a communicator must be one of these:
//!
//! | recorded | at another size |
//! | --- | --- |
//! | all ranks | all ranks |
//! | the ranks of a host, of several | the ranks of a host |
//! | one of the equal shares of k consecutive ranks | as many consecutive ranks (a tensor-parallel group) |
//! | every k-th rank | every k-th rank, so more or fewer of them (a data-parallel group) |
//!
//! At the recorded size, communicators are what they were.

use std::collections::BTreeMap;

use crate::failure::Failure;
use crate::plan::call::host_labels;
use crate::replay::program::Program;

/// How the members of a communicator follow from one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    All,
    Host,
    Consecutive(u32),
    Every(u32),
    /// The recorded members.
    Recorded,
}

/// The size of the job, and where its ranks are.
#[derive(Clone, Debug)]
pub struct Size {
    pub ranks: u32,
    pub host_of: Vec<u64>,
}

impl Size {
    pub fn new(ranks: u32, hosts: u32) -> Size {
        Size { ranks, host_of: host_labels(ranks, hosts) }
    }
}

/// A group of ranks that call together.
#[derive(Debug)]
pub struct Group {
    pub members: Vec<u32>,
}

/// All groups.
#[derive(Debug, Default)]
pub struct Groups {
    pub all: Vec<Group>,
    /// The group of each rank and context.
    of: Vec<BTreeMap<u32, usize>>,
}

impl Groups {
    /// The groups of a job of another size, or of the same one.
    pub fn new(programs: &[Program], recorded: &Size, size: &Size) -> Result<Groups, Failure> {
        let mut groups = Groups::default();
        // Rule, its number among those of a rank, first member; at the recorded size, the name of the group.
        let mut known: BTreeMap<(Rule, usize, u32, String), usize> = BTreeMap::new();
        for rank in 0..size.ranks {
            let program = &programs[rank as usize % programs.len()];
            let mut of_rank = BTreeMap::new();
            let mut numbers: BTreeMap<Rule, usize> = BTreeMap::new();
            for comm in program.comms.values() {
                let is_used = program.calls.iter().any(|call| call.comm == comm.context);
                if !is_used {
                    continue;
                }
                let rule =
                    if recorded.ranks == size.ranks { Rule::Recorded } else { rule(&comm.ranks, recorded)? };
                let members = match rule {
                    Rule::Recorded => comm.ranks.clone(),
                    rule => members(rule, rank, size)?,
                };
                let number = numbers.entry(rule).or_default();
                let (at, name) = match rule {
                    Rule::Recorded => (comm.context as usize, comm.group.clone()),
                    _ => (*number, String::new()),
                };
                *number += 1;
                let group = *known.entry((rule, at, members[0], name)).or_insert_with(|| {
                    groups.all.push(Group { members });
                    groups.all.len() - 1
                });
                of_rank.insert(comm.context, group);
            }
            groups.of.push(of_rank);
        }
        Ok(groups)
    }

    /// The group that a rank means by a context.
    pub fn of(&self, rank: u32, context: u32) -> usize {
        self.of[rank as usize][&context]
    }
}

fn rule(members: &[u32], recorded: &Size) -> Result<Rule, Failure> {
    let (first, number) = (members[0], members.len() as u32);
    let all = recorded.ranks;
    let steps = |step: u32| members.windows(2).all(|pair| pair[1] == pair[0].wrapping_add(step));
    let host = recorded.host_of[first as usize];
    let of_host = recorded.host_of.iter().filter(|other| **other == host).count() as u32;
    let is_host = members.iter().all(|rank| recorded.host_of[*rank as usize] == host) && of_host == number;
    if number == all && steps(1) {
        return Ok(Rule::All);
    }
    if is_host && steps(1) && number > 1 {
        return Ok(Rule::Host);
    }
    if steps(1) && all.is_multiple_of(number) && first.is_multiple_of(number) {
        return Ok(Rule::Consecutive(number));
    }
    let step = all / number;
    if all.is_multiple_of(number) && first < step && steps(step) {
        return Ok(Rule::Every(step));
    }
    let shown: Vec<u32> = members.iter().copied().take(16).collect();
    Err(Failure::own(format_args!(
        "a communicator of the ranks {shown:?} has no counterpart in a job of another size: it is neither all ranks, \
         nor a host, nor an equal share of consecutive or every so many ranks"
    )))
}

fn members(rule: Rule, rank: u32, size: &Size) -> Result<Vec<u32>, Failure> {
    let all = 0..size.ranks;
    let share = |by: u32| match size.ranks.is_multiple_of(by) {
        true => Ok(by),
        false => Err(Failure::own(format_args!(
            "{} ranks are no multiple of {by}, as its groups need",
            size.ranks
        ))),
    };
    Ok(match rule {
        Rule::All | Rule::Recorded => all.collect(),
        Rule::Host => all.filter(|one| size.host_of[*one as usize] == size.host_of[rank as usize]).collect(),
        Rule::Consecutive(by) => {
            let first = rank - rank % share(by)?;
            (first..first + by).collect()
        }
        Rule::Every(by) => (rank % share(by)?..size.ranks).step_by(by as usize).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_grow_by_their_rules_and_others_are_refused() {
        let recorded = Size::new(8, 2);
        let larger = Size::new(32, 4);
        let cases: [(&[u32], &[u32]); 4] = [
            (&[0, 1, 2, 3, 4, 5, 6, 7], &(0..32).collect::<Vec<u32>>()),
            (&[4, 5, 6, 7], &[8, 9, 10, 11, 12, 13, 14, 15]),
            (&[2, 3], &[12, 13]),
            (&[1, 3, 5, 7], &(1..32).step_by(2).collect::<Vec<u32>>()),
        ];
        for ((group, larger_group), rank) in cases.into_iter().zip([9, 9, 13, 13]) {
            let rule = rule(group, &recorded).unwrap();
            assert_eq!(members(rule, rank, &larger).unwrap(), larger_group, "{rule:?}");
        }
        assert!(rule(&[0, 3], &recorded).unwrap_err().text.contains("no counterpart"));
        assert!(members(Rule::Every(5), 0, &larger).unwrap_err().text.contains("no multiple of 5"));
    }
}
