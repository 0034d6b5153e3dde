//! Making communicators from others. They share the links of their parent, so they are cheap.
//!
//! All ranks of the parent take part in one all_gather. Each rank says what it wants, and rank 0 chooses the
//! context. There are two exceptions. [`Communicator::shrink`] cannot rely on all ranks: the survivors agree
//! on who they are. [`Communicator::form_with_context`] sends nothing: its caller has told the members the
//! context.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::backends::{attach_like, check_promises};
use super::unequal_settings::{unequal_bits, unequal_formats};
use crate::base::{Call, CallKind, Datatype, Error, Formation, Rank, Result, WireFormat};
use crate::comm::call::operation::Operation;
use crate::comm::communicator::{CommConfig, Communicator};
use crate::comm::device::set_up_direct_path;
use crate::comm::foreign::engines::Engines;
use crate::comm::timeout::Timeout;
use crate::log_line;
use crate::progress::{Agreement, FormedBy, Subject, Survivors};
use crate::topology::Topology;

/// Bytes of a record: group, order in it and settings, context (set by rank 0), fingerprint of a list of
/// ranks.
pub(super) const RECORD_BYTES: usize = 32;
/// Group of a rank that is in none.
const NO_GROUP: u64 = u64::MAX;
/// Context of a rank 0 that has no number left, and of every other rank.
const NO_CONTEXT: u64 = u64::MAX;
/// Setting: reductions have the same bits in every call.
const DETERMINISTIC: u32 = 1;
/// Where the number of the format of sums between hosts begins in the settings, a byte.
const WIRE_SHIFT: u32 = 8;

/// How a communicator is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// By a call of all ranks of the parent, whose word is part of the default name.
    Call(&'static str, FormedBy),
    /// By an agreement of the survivors. It has no other engines.
    Shrunk,
    /// Without any exchange. It has no other engines.
    WithContext,
}

impl Way {
    /// The word in the default name of the communicator.
    fn word(self) -> &'static str {
        match self {
            Way::Call(word, _) => word,
            Way::Shrunk => "shrunk",
            Way::WithContext => "formed",
        }
    }

    fn formed_by(self) -> Option<FormedBy> {
        match self {
            Way::Call(_, formed_by) => Some(formed_by),
            Way::Shrunk | Way::WithContext => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FormationRecord {
    group: u64,
    order: i32,
    /// Bits: [`DETERMINISTIC`], and the number of a [`WireFormat`].
    settings: u32,
    context: u64,
    fingerprint: u64,
}

impl FormationRecord {
    pub fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let second = u64::from(self.order as u32) | u64::from(self.settings) << 32;
        let words = [self.group, second, self.context, self.fingerprint];
        let mut bytes = [0; RECORD_BYTES];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    pub fn from_bytes(bytes: &[u8]) -> FormationRecord {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[8 * at + i]));
        let (group, second) = (word(0), word(1));
        let (order, settings) = (second as i32, (second >> 32) as u32);
        FormationRecord { group, order, settings, context: word(2), fingerprint: word(3) }
    }
}

impl Communicator {
    /// Makes a communicator of the ranks that pass the same `color`. They are ordered by `key`, then by their
    /// rank here. `None`: this rank passed no color. Collective.
    pub fn split(&self, color: Option<u32>, key: i32, own: &CommConfig) -> Result<Option<Communicator>> {
        let group = color.map_or(NO_GROUP, u64::from);
        let (records, formed_by) = self.exchange_records(Formation::Split, group, key, 0, own)?;
        let mut members: Vec<Rank> =
            (0..self.size()).filter(|rank| records[*rank as usize].group == group).collect();
        members.sort_by_key(|rank| records[*rank as usize].order);
        if group == NO_GROUP {
            return Ok(None);
        }
        self.check_settings("split", &records, &members)?;
        self.form(records[0].context as u32, &members, own, Way::Call("split", formed_by)).map(Some)
    }

    /// Makes a communicator of the ranks of each host, in the order of their ranks here. Collective.
    pub fn split_by_host(&self, own: &CommConfig) -> Result<Communicator> {
        let made = self.split(Some(self.topology.host_of(self.rank)), 0, own)?;
        Ok(made.expect("every rank is on a host"))
    }

    /// Makes a communicator of all ranks. Collective.
    pub fn dup(&self, own: &CommConfig) -> Result<Communicator> {
        let (records, formed_by) = self.exchange_records(Formation::Dup, 0, 0, 0, own)?;
        let members: Vec<Rank> = (0..self.size()).collect();
        self.check_settings("dup", &records, &members)?;
        self.form(records[0].context as u32, &members, own, Way::Call("dup", formed_by))
    }

    /// Makes a communicator of `ranks`, in that order. `None`: this rank is not among them. Collective over
    /// all ranks, which pass the same list.
    pub fn create_from_ranks(&self, ranks: &[Rank], own: &CommConfig) -> Result<Option<Communicator>> {
        self.check_members(ranks)?;
        let (records, formed_by) =
            self.exchange_records(Formation::FromRanks, 0, 0, fingerprint(ranks), own)?;
        if let Some(other) = records.iter().position(|r| r.fingerprint != records[0].fingerprint) {
            return Err(Error::Mismatch(format!(
                "create_from_ranks on \"{}\": rank {other} passes other ranks than rank 0, or in another order; nothing \
                 was created",
                self.name
            )));
        }
        if !ranks.contains(&self.rank) {
            return Ok(None);
        }
        self.check_settings("create_from_ranks", &records, ranks)?;
        self.form(records[0].context as u32, ranks, own, Way::Call("part", formed_by)).map(Some)
    }

    /// A context for [`Communicator::form_with_context`]. No other rank of the job ever gets the same one.
    /// Local.
    pub fn new_context(&self) -> Result<u32> {
        self.check_usable()?;
        self.driver.lock().lead()
    }

    /// Makes a communicator of `ranks`, in that order. One of them has got `context` from
    /// [`Communicator::new_context`] and has told the others. Local: messages of a faster member are kept
    /// until this rank makes the communicator.
    ///
    /// Every member calls this with the same arguments, and this rank is a member. Two lists of ranks with
    /// the same context are either equal or have no rank in common. The new communicator has only the builtin
    /// engine.
    pub fn form_with_context(&self, context: u32, ranks: &[Rank], own: &CommConfig) -> Result<Communicator> {
        self.check_usable()?;
        self.check_members(ranks)?;
        if !ranks.contains(&self.rank) {
            let got = format!("a list without rank {}, which makes this call", self.rank);
            return Err(Error::InvalidArgument { what: "ranks", got });
        }
        self.form(context, ranks, own, Way::WithContext)
    }

    /// Makes a communicator of the same ranks for calls of the library itself, on host memory. `context` is
    /// as for [`Communicator::form_with_context`]. Local.
    pub(in crate::comm) fn form_for_own_calls(&self, context: u32, own: &CommConfig) -> Result<Communicator> {
        self.check_usable()?;
        let ranks: Vec<Rank> = (0..self.size()).collect();
        self.make_member(context, &ranks, own, Way::WithContext)
    }

    /// Refuses a list with ranks that do not exist or occur twice.
    fn check_members(&self, ranks: &[Rank]) -> Result<()> {
        let mut seen = vec![false; self.size() as usize];
        for rank in ranks {
            match seen.get_mut(*rank as usize) {
                Some(seen) if !*seen => *seen = true,
                Some(_) => {
                    let got = format!("rank {rank} occurs twice");
                    return Err(Error::InvalidArgument { what: "ranks", got });
                }
                None => {
                    let got = format!("{rank}; the communicator has {} ranks", self.size());
                    return Err(Error::InvalidArgument { what: "ranks", got });
                }
            }
        }
        Ok(())
    }

    /// Makes a communicator of the ranks that are still alive, in their order here. Collective over them.
    /// This communicator may have failed, and stays as it is.
    pub fn shrink(&self, own: &CommConfig) -> Result<Communicator> {
        self.check_usable()?;
        let timeout = own.timeout.or(self.timeout.get()).filter(|limit| !limit.is_zero());
        let survivors = self.driver.agree(self.id, Subject::Context, timeout)?;
        self.form(survivors.outcome, &survivors.ranks, own, Way::Shrunk)
    }

    /// The ranks that are known to be lost, ascending. Local.
    pub fn lost_ranks(&self) -> Result<Vec<Rank>> {
        self.driver.lost_ranks(self.id)
    }

    /// Agrees with the other ranks that are still alive on the bits that all of them have set, and on whether
    /// all of them had acknowledged the loss of the others. Collective over them. This communicator may have
    /// failed, and stays as it is.
    pub fn agree(&self, bits: u32, acknowledged: Vec<Rank>) -> Result<Survivors> {
        self.check_usable()?;
        let timeout = self.timeout.get().filter(|limit| !limit.is_zero());
        self.driver.agree(self.id, Subject::Bits { bits, acknowledged }, timeout)
    }

    /// Begins what [`Communicator::agree`] does.
    pub fn begin_agreement(&self, bits: u32, acknowledged: Vec<Rank>) -> Result<Agreement> {
        self.check_usable()?;
        self.driver.begin_agreement(self.id, Subject::Bits { bits, acknowledged })
    }

    /// Advances an agreement that was begun here. Returns its outcome, once it is known.
    pub fn poll_agreement(&self, agreement: &mut Agreement) -> Result<Option<Survivors>> {
        self.driver.poll_agreement(self.id, agreement)
    }

    /// Exchanges the records of all ranks, which say what each one wants. Also returns the call that does.
    fn exchange_records(
        &self,
        kind: Formation,
        group: u64,
        order: i32,
        fingerprint: u64,
        own: &CommConfig,
    ) -> Result<(Vec<FormationRecord>, FormedBy)> {
        self.check_usable()?;
        let formed_by = self.driver.lock().next_formation(self.id)?;
        let context =
            if self.rank == 0 { self.driver.lock().lead().map_or(NO_CONTEXT, u64::from) } else { NO_CONTEXT };
        let bits = u32::from(self.will_be_deterministic(own)) * DETERMINISTIC;
        let settings = bits | (u32::from(WireFormat::number(self.future_wire(own))) << WIRE_SHIFT);
        let mine = FormationRecord { group, order, settings, context, fingerprint }.to_bytes();
        let mut all = vec![0; RECORD_BYTES * self.size() as usize];
        let call = Call {
            kind: CallKind::Formation(kind),
            datatype: Datatype::Byte,
            op: None,
            root: 0,
            count: RECORD_BYTES as u64,
        };
        let operation = Operation { call, send: mine.as_ptr(), recv: all.as_mut_ptr() };
        // SAFETY: an all_gather of that many bytes; both buffers outlive the call.
        unsafe { self.run(&operation) }?;
        let records: Vec<FormationRecord> =
            all.chunks_exact(RECORD_BYTES).map(FormationRecord::from_bytes).collect();
        if records[0].context > u64::from(u32::MAX) {
            let text = format!(
                "rank 0 of \"{}\" has no context left: it has made too many communicators",
                self.name
            );
            return Err(Error::Unsupported(text));
        }
        Ok((records, formed_by))
    }

    /// Whether a communicator that is made from this one with these settings has the same bits in every call.
    fn will_be_deterministic(&self, own: &CommConfig) -> bool {
        own.deterministic.unwrap_or(self.is_deterministic())
    }

    /// The format of sums between hosts of a communicator that is made from this one with these settings.
    fn future_wire(&self, own: &CommConfig) -> Option<WireFormat> {
        own.wire.unwrap_or(self.wire())
    }

    /// Checks that the members of a new communicator want the same one. An error is equal on all of them.
    fn check_settings(&self, how: &str, records: &[FormationRecord], members: &[Rank]) -> Result<()> {
        let settings = || members.iter().map(|rank| records[*rank as usize].settings);
        let bits = unequal_bits(settings().map(|settings| settings & DETERMINISTIC != 0));
        let format = |settings: u32| WireFormat::from_number((settings >> WIRE_SHIFT) as u8);
        bits.or_else(|| unequal_formats(settings().map(format))).map_or(Ok(()), |text| {
            Err(Error::Mismatch(format!(
                "{how} on \"{}\": the ranks of the new communicator disagree: {text}; nothing was created",
                self.name
            )))
        })
    }

    /// Makes the communicator, with the engines that it has, and logs its path for device memory.
    /// `members` are ranks of this communicator, and include this rank.
    fn form(&self, context: u32, members: &[Rank], own: &CommConfig, way: Way) -> Result<Communicator> {
        let changed = [
            ("config->deterministic", self.will_be_deterministic(own) != self.is_deterministic()),
            ("config->wire", self.future_wire(own) != self.wire()),
        ];
        if let Some((what, _)) = changed.into_iter().find(|(_, differs)| *differs && way == Way::Shrunk) {
            // The survivors tell each other nothing of their settings.
            let got = "another value than that of the parent, in shrink".into();
            return Err(Error::InvalidArgument { what, got });
        }
        let mut made = self.make_member(context, members, own, way)?;
        check_promises(&made)?;
        match way {
            Way::Shrunk if self.engines.on_host.is_some() && made.rank == 0 => {
                log_line!(Warn, "\"{}\": the survivors go on with the builtin engine", made.name);
            }
            Way::Shrunk | Way::WithContext => {}
            Way::Call(..) => {
                if !made.is_deterministic() {
                    attach_like(&mut made, self)?;
                }
                set_up_direct_path(&mut made, self.devices.may_be_direct)?;
            }
        }
        made.log_device_path();
        Ok(made)
    }

    /// Makes the communicator, with the builtin engine alone. `members` are as for [`Communicator::form`].
    fn make_member(
        &self,
        context: u32,
        members: &[Rank],
        own: &CommConfig,
        way: Way,
    ) -> Result<Communicator> {
        let rank = members.iter().position(|member| *member == self.rank).expect("this rank is a member");
        let rank = rank as Rank;
        let hosts: Vec<u32> = members.iter().map(|member| self.topology.host_of(*member)).collect();
        let name = own.name.clone().unwrap_or_else(|| format!("{}.{}", self.name, way.word()));
        let plan_cache =
            self.plan_cache.for_members(members, self.will_be_deterministic(own), self.future_wire(own));
        let id = {
            let mut engine = self.driver.lock();
            if way == Way::WithContext && !engine.may_form(context) {
                let got = format!("{context}, which names another communicator of this rank, or none");
                return Err(Error::InvalidArgument { what: "context", got });
            }
            engine.add_comm(context, name.clone(), rank, plan_cache.endpoints(), way.formed_by())
        };
        Ok(Communicator {
            name,
            rank,
            topology: Topology::from_labels(&hosts),
            transports: members.iter().map(|member| self.transports[*member as usize]).collect(),
            timeout: Timeout::new(own.timeout.or(self.timeout.get())),
            plan_cache,
            driver: Arc::clone(&self.driver),
            id,
            finalized: AtomicBool::new(false),
            has_profile: false,
            engines: Engines::none(self.engines.choice),
            devices: self.devices.of_child(),
        })
    }
}

/// Hash of a list of ranks (FNV-1a).
fn fingerprint(ranks: &[Rank]) -> u64 {
    let bytes = ranks.iter().flat_map(|rank| rank.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_encoding_and_decoding() {
        let record = FormationRecord {
            group: NO_GROUP,
            order: -7,
            settings: DETERMINISTIC,
            context: 12,
            fingerprint: 1 << 63,
        };
        assert_eq!(FormationRecord::from_bytes(&record.to_bytes()), record);
    }

    #[test]
    fn lists_in_another_order_have_another_fingerprint() {
        assert_ne!(fingerprint(&[1, 2]), fingerprint(&[2, 1]));
        assert_ne!(fingerprint(&[1]), fingerprint(&[1, 0]));
    }
}
