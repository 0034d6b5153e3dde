//! All communicators of one rank that share its links, found by id or by context.

use std::collections::{BTreeMap, HashMap};

use super::context::{CommId, TRANSFERS};
use super::engine_comm::EngineComm;
use crate::base::{Error, Rank, Result};
use crate::transport::{CONTEXTS, FIRST_CONTEXT};

/// The meaning of a context on this rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Here(CommId),
    /// The communicator was removed.
    Past,
    /// A peer has made the communicator before this rank.
    Future,
}

/// All communicators of one rank.
pub(super) struct CommTable {
    /// A removed communicator leaves a gap, which is reused.
    slots: Vec<Option<Box<EngineComm>>>,
    /// Communicators by context, except the first one.
    by_context: HashMap<u32, CommId>,
    past: Past,
    /// Number of ranks that may lead.
    world: u32,
    /// Number of contexts that this rank has chosen.
    led: u32,
}

impl CommTable {
    /// Makes a table with the first communicator, which spans all of `world` endpoints.
    pub fn new(name: String, rank: Rank, world: u32) -> CommTable {
        let first = EngineComm::new(FIRST_CONTEXT, name, rank, 0..world);
        CommTable {
            slots: vec![Some(Box::new(first))],
            by_context: HashMap::new(),
            past: Past::default(),
            world,
            led: 0,
        }
    }

    /// A communicator that exists. Only for ids that the engine itself keeps track of. A call may come after
    /// the end of its communicator, and uses `find`.
    ///
    /// # Panics
    /// If the communicator was removed.
    #[inline]
    pub fn get(&self, id: CommId) -> &EngineComm {
        self.find(id).expect("the engine forgets a communicator that it removes")
    }

    /// Like `get`, but mutable.
    ///
    /// # Panics
    /// If the communicator was removed.
    #[inline]
    pub fn get_mut(&mut self, id: CommId) -> &mut EngineComm {
        self.find_mut(id).expect("the engine forgets a communicator that it removes")
    }

    /// The communicator, unless it was removed.
    #[inline]
    pub fn find(&self, id: CommId) -> Option<&EngineComm> {
        self.slots[id.slot as usize].as_deref().filter(|comm| comm.context == id.context)
    }

    /// Like `find`, but mutable.
    #[inline]
    pub fn find_mut(&mut self, id: CommId) -> Option<&mut EngineComm> {
        self.slots[id.slot as usize].as_deref_mut().filter(|comm| comm.context == id.context)
    }

    /// The ids of all communicators.
    pub fn ids(&self) -> impl Iterator<Item = CommId> + use<> {
        let id = |(slot, comm): (usize, &Option<Box<EngineComm>>)| {
            comm.as_ref().map(|comm| CommId { slot: slot as u32, context: comm.context })
        };
        let there: Vec<CommId> = self.slots.iter().enumerate().filter_map(id).collect();
        there.into_iter()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.iter().all(Option::is_none)
    }

    /// The meaning of a context, of collectives or of messages.
    pub fn known(&self, context: u32) -> Known {
        let context = context & !TRANSFERS;
        if context == FIRST_CONTEXT {
            return self.find(CommId::FIRST).map_or(Known::Past, |_| Known::Here(CommId::FIRST));
        }
        match self.by_context.get(&context) {
            Some(id) => Known::Here(*id),
            None if self.past.contains(self.number(context)) => Known::Past,
            None => Known::Future,
        }
    }

    /// The leader that chose a context, and the number of the context among those of that leader.
    fn number(&self, context: u32) -> (u32, u32) {
        let number = context / 2;
        (number % self.world, number / self.world)
    }

    /// A new context, led by the rank of this process, whose own endpoint is `own`.
    pub fn lead(&mut self, own: u32) -> Result<u32> {
        self.led += 1;
        let number = self.led.checked_mul(self.world).and_then(|n| n.checked_add(own));
        let context = number.and_then(|n| n.checked_mul(2)).filter(|context| *context < CONTEXTS);
        context.ok_or_else(|| {
            Error::Unsupported(format!(
                "this rank has made {} communicators in this job; no context is left",
                self.led
            ))
        })
    }

    pub fn insert(&mut self, comm: EngineComm) -> CommId {
        let context = comm.context;
        let gap = self.slots.iter().skip(1).position(Option::is_none).map(|gap| gap + 1);
        let at = gap.unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.slots[at] = Some(Box::new(comm));
        let id = CommId { slot: at as u32, context };
        self.by_context.insert(context, id);
        id
    }

    pub fn remove(&mut self, id: CommId) -> Box<EngineComm> {
        let comm = self.slots[id.slot as usize].take_if(|comm| comm.context == id.context);
        let comm = comm.expect("given up once");
        if comm.context != FIRST_CONTEXT {
            self.by_context.remove(&comm.context);
            let (leader, number) = self.number(comm.context);
            self.past.insert(leader, number);
        }
        comm
    }
}

/// Removed communicators by leader and number, stored as ranges. Communicators that were made one after the
/// other take no more room than one.
#[derive(Default)]
struct Past {
    /// Last number of each range, by leader and first number of the range.
    ranges: BTreeMap<(u32, u32), u32>,
}

impl Past {
    fn contains(&self, (leader, number): (u32, u32)) -> bool {
        self.range_at(leader, number).is_some()
    }

    /// The range that contains this number.
    fn range_at(&self, leader: u32, number: u32) -> Option<(u32, u32)> {
        let (&(its, first), &last) = self.ranges.range(..=(leader, number)).next_back()?;
        (its == leader && number <= last).then_some((first, last))
    }

    fn insert(&mut self, leader: u32, number: u32) {
        if self.contains((leader, number)) {
            return;
        }
        let before = number.checked_sub(1).and_then(|before| self.range_at(leader, before));
        let after = self.ranges.remove(&(leader, number + 1));
        let first = before.map_or(number, |(first, _)| first);
        self.ranges.insert((leader, first), after.unwrap_or(number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::context::is_of_transfers;

    fn comms() -> CommTable {
        CommTable::new("world".into(), 1, 3)
    }

    fn add(comms: &mut CommTable, leader: u32) -> (CommId, u32) {
        let context = comms.lead(leader).unwrap();
        (comms.insert(EngineComm::new(context, "part".into(), 0, [1, 2].into_iter())), context)
    }

    #[test]
    fn contexts_are_known_while_they_live_and_remembered_as_past() {
        let mut comms = comms();
        let (id, context) = add(&mut comms, 1);
        assert_eq!(comms.known(context), Known::Here(id));
        assert_eq!(comms.known(context | TRANSFERS), Known::Here(id));
        assert_eq!(comms.known(context + 2 * 3), Known::Future);
        comms.remove(id);
        assert_eq!(comms.known(context), Known::Past);
        assert_eq!(comms.known(FIRST_CONTEXT), Known::Here(CommId::FIRST));
        comms.remove(CommId::FIRST);
        assert_eq!(comms.known(FIRST_CONTEXT), Known::Past);
        assert!(comms.is_empty());
    }

    #[test]
    fn the_id_of_a_removed_communicator_names_no_later_one_in_its_place() {
        let mut comms = comms();
        let (old, _) = add(&mut comms, 1);
        comms.remove(old);
        assert!(comms.find(old).is_none());
        let (new, _) = add(&mut comms, 1);
        assert_eq!((old.slot, comms.slots.len()), (new.slot, 2));
        assert!(comms.find(old).is_none() && comms.find_mut(old).is_none());
        assert!(comms.find(new).is_some());
    }

    #[test]
    fn leaders_never_choose_the_same_number() {
        let mut seen = std::collections::HashSet::from([FIRST_CONTEXT]);
        for leader in 0..3 {
            let mut comms = comms();
            for _ in 0..100 {
                assert!(seen.insert(comms.lead(leader).unwrap()));
            }
        }
        assert!(seen.iter().all(|context| !is_of_transfers(*context)));
    }

    #[test]
    fn communicators_made_and_removed_in_a_row_take_no_room() {
        let mut comms = comms();
        for _ in 0..1000 {
            let (id, _) = add(&mut comms, 1);
            comms.remove(id);
        }
        assert_eq!(comms.past.ranges.len(), 1);
        assert_eq!(comms.slots.len(), 2);
    }

    #[test]
    fn ranges_of_removed_communicators_merge_in_any_order() {
        let mut past = Past::default();
        for number in [5, 3, 9, 4, 8, 1] {
            past.insert(7, number);
        }
        for number in 0..12 {
            assert_eq!(past.contains((7, number)), [1, 3, 4, 5, 8, 9].contains(&number), "{number}");
            assert!(!past.contains((6, number)));
        }
        assert_eq!(past.ranges.len(), 3);
    }
}
