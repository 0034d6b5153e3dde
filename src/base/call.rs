//! Calls: the part of a rank's call on which the ranks must agree.
//!
//! A `Call` is the signature that travels with every message. It fits into 16 bytes as a whole, so a rank
//! that receives an unexpected one can name both calls.

use std::fmt;

use super::collective::Collective;
use super::datatype::Datatype;
use super::list_count::ListCount;
use super::mix::mix;
use super::rank::Rank;
use super::reduce_op::ReduceOp;

/// The kind of a call: a collective, or one side of a point-to-point transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// All ranks of the communicator call it.
    Collective(Collective),
    /// One side of a point-to-point message. `root` of the call is the tag.
    Transfer,
    /// All ranks of the communicator make new communicators from it.
    Formation(Formation),
    /// A message of the collective on a list of buffers, which all ranks call. `count` is a [`ListCount`].
    List(Collective),
    /// A message about the collective on memory of devices, which one rank carries out for all.
    OnDevice(Collective),
    /// A message about collectives of a list on memory of devices. `count` is a [`ListCount`], made by
    /// [`ListCount::about`].
    ListOnDevice(Collective),
    /// All ranks end the communicator together.
    Goodbye,
}

/// Ways to make communicators from a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Formation {
    Split = 0,
    Dup = 1,
    FromRanks = 2,
}

impl Formation {
    /// All of them.
    pub const ALL: [Formation; 3] = [Formation::Split, Formation::Dup, Formation::FromRanks];

    /// Name as in the C API, without `anyccl_comm_`.
    pub const fn name(self) -> &'static str {
        match self {
            Formation::Split => "split",
            Formation::Dup => "dup",
            Formation::FromRanks => "create_from_ranks",
        }
    }
}

const TRANSFER: u8 = 32;
const FORMATION: u8 = 40;
const GOODBYE: u8 = 48;
const LIST: u8 = 64;
const ON_DEVICE: u8 = 96;
const LIST_ON_DEVICE: u8 = 128;
const NO_OP: u8 = 255;

impl CallKind {
    /// The kind that a packed call has in its lowest byte. `None` if there is no such kind.
    pub fn from_number(number: u8) -> Option<CallKind> {
        Some(match number {
            TRANSFER => CallKind::Transfer,
            GOODBYE => CallKind::Goodbye,
            n if n >= LIST_ON_DEVICE => {
                CallKind::ListOnDevice(*Collective::ALL.get(usize::from(n - LIST_ON_DEVICE))?)
            }
            n if n >= ON_DEVICE => CallKind::OnDevice(*Collective::ALL.get(usize::from(n - ON_DEVICE))?),
            n if n >= LIST => CallKind::List(*Collective::ALL.get(usize::from(n - LIST))?),
            n if n >= FORMATION => CallKind::Formation(*Formation::ALL.get(usize::from(n - FORMATION))?),
            n => CallKind::Collective(*Collective::ALL.get(usize::from(n))?),
        })
    }

    /// Name of what is done, as in the C API.
    pub const fn name(self) -> &'static str {
        match self {
            CallKind::Collective(collective)
            | CallKind::List(collective)
            | CallKind::OnDevice(collective)
            | CallKind::ListOnDevice(collective) => collective.name(),
            CallKind::Transfer => "transfer",
            CallKind::Formation(formation) => formation.name(),
            CallKind::Goodbye => "finalize",
        }
    }
}

/// Kind, datatype, operator, root and count of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// The operation.
    pub kind: CallKind,
    /// Element type.
    pub datatype: Datatype,
    /// Operator, if the collective reduces.
    pub op: Option<ReduceOp>,
    /// Root, if the collective has one; the tag of a transfer; else 0.
    pub root: Rank,
    /// Number of elements, in the sense of [`Collective::input_elements`]. If all ranks know all counts of a
    /// layout, it is a hash of them. If only sender and receiver know a count, it is one of these: the
    /// elements of one message, a hash of the lengths of its blocks ([`Call::of_parcel`]), or
    /// [`Call::WHOLE`].
    pub count: u64,
}

impl Call {
    /// Count of a whole call whose messages have counts of their own.
    pub const WHOLE: u64 = u64::MAX;
    /// Set in the count of a message with several blocks, which is a hash of their lengths.
    const PARCEL: u64 = 1 << 63;

    /// Bit of the count of a call on opaque elements, next to their size.
    const OPAQUE: u64 = 1 << 63;
    const OPAQUE_SHIFT: u32 = 40;
    /// Upper limit of the size: larger sizes count as the same.
    const OPAQUE_MOST: u64 = (1 << (63 - Call::OPAQUE_SHIFT)) - 1;

    /// This call on opaque elements of `bytes` bytes, in the form in which ranks compare it.
    pub fn on_opaque(self, bytes: usize) -> Call {
        let is_hash = matches!(self.kind, CallKind::Collective(collective) if collective.has_layout());
        let bytes = bytes as u64;
        let count = if is_hash {
            mix(self.count ^ bytes)
        } else {
            let count = self.count & ((1 << Call::OPAQUE_SHIFT) - 1);
            Call::OPAQUE | bytes.min(Call::OPAQUE_MOST) << Call::OPAQUE_SHIFT | count
        };
        Call { count, ..self }
    }

    /// Number of elements, in the sense of [`Collective::input_elements`], and the bytes of each. Of a
    /// list, those of one message. `None`: a layout has them.
    pub fn elements(&self) -> Option<(u64, u64)> {
        let plain = |count| Some((count, self.datatype.bytes() as u64));
        match self.kind {
            CallKind::ListOnDevice(_) => None,
            CallKind::List(_) => plain(ListCount::from_bits(self.count).elements),
            CallKind::Collective(one) | CallKind::OnDevice(one) if one.has_layout() => None,
            _ => self.opaque().or_else(|| plain(self.count)),
        }
    }

    /// Number of opaque elements and the length of each in bytes, if the call has them.
    fn opaque(&self) -> Option<(u64, u64)> {
        let is_callback = matches!(self.op, Some(ReduceOp::Callback | ReduceOp::OrderedCallback));
        let is_plain = matches!(self.kind, CallKind::Collective(collective) if !collective.has_layout());
        let count = self.count & ((1 << Call::OPAQUE_SHIFT) - 1);
        let bytes = (self.count & !Call::OPAQUE) >> Call::OPAQUE_SHIFT;
        (is_callback && is_plain && self.count & Call::OPAQUE != 0).then_some((count, bytes))
    }

    /// Count of one message with several blocks of these lengths.
    pub fn of_parcel(lens: impl Iterator<Item = u64>) -> u64 {
        let hash = lens.fold(0, |hash, len| mix(hash ^ len)) | Call::PARCEL;
        if hash == Call::WHOLE { Call::PARCEL } else { hash }
    }

    /// Whether two packed calls are the same call. The counts of single messages may differ.
    #[inline]
    pub fn agree(one: [u64; 2], other: [u64; 2]) -> bool {
        one == other || one[0] == other[0] && Call::is_counted_by_message(one)
    }

    /// Whether each message of a packed call has its own count.
    #[inline]
    pub fn is_counted_by_message([head, _]: [u64; 2]) -> bool {
        Collective::ALL.get((head & 0xff) as usize).is_some_and(|collective| collective.counts_messages())
    }

    /// The 16 bytes that travel with a message.
    #[inline]
    pub fn pack(&self) -> [u64; 2] {
        let kind = match self.kind {
            CallKind::Collective(c) => c as u8,
            CallKind::Transfer => TRANSFER,
            CallKind::Formation(f) => FORMATION + f as u8,
            CallKind::List(c) => LIST + c as u8,
            CallKind::OnDevice(c) => ON_DEVICE + c as u8,
            CallKind::ListOnDevice(c) => LIST_ON_DEVICE + c as u8,
            CallKind::Goodbye => GOODBYE,
        };
        let op = self.op.map_or(NO_OP, |op| op as u8);
        let head = u64::from(kind)
            | u64::from(self.datatype as u8) << 8
            | u64::from(op) << 16
            | u64::from(self.root) << 32;
        [head, self.count]
    }

    /// Reads what a peer packed. `None` if a field is invalid: the bytes are not trusted.
    pub fn unpack(words: [u64; 2]) -> Option<Call> {
        let [head, count] = words;
        let kind = CallKind::from_number((head & 0xff) as u8)?;
        let datatype = Datatype::from_number((head >> 8 & 0xff) as u32)?;
        let op = match (head >> 16 & 0xff) as u8 {
            NO_OP => None,
            n => Some(ReduceOp::from_wire(n)?),
        };
        Some(Call { kind, datatype, op, root: (head >> 32) as u32, count })
    }
}

/// Says that so many of something exceed memory. C converts negative numbers to huge ones, so these are shown
/// as what they probably were.
pub fn exceeds_memory(count: u64, what: &str) -> String {
    match count.cast_signed() {
        negative @ ..0 => format!("{negative}, a negative number or one that exceeds memory"),
        _ => format!("{count} {what} exceed memory"),
    }
}

/// The form of error messages: `all_reduce(float32 sum, count 1024)`.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            CallKind::Collective(Collective::Barrier) => return f.write_str("barrier"),
            CallKind::Collective(c) => write!(f, "{}({}", c.name(), self.datatype.name())?,
            CallKind::OnDevice(c) => write!(f, "{} on devices({}", c.name(), self.datatype.name())?,
            CallKind::Transfer => write!(f, "send/recv({}", self.datatype.name())?,
            CallKind::Formation(formation) => return f.write_str(formation.name()),
            CallKind::Goodbye => return f.write_str("finalize"),
            CallKind::List(c) => write!(f, "{}_coalesced({}", c.name(), self.datatype.name())?,
            CallKind::ListOnDevice(c) => {
                write!(f, "{}_coalesced on devices({}", c.name(), self.datatype.name())?;
            }
        }
        if let Some(op) = self.op {
            write!(f, " {}", op.name())?;
        }
        match self.kind {
            _ if self.opaque().is_some() => {
                let (count, bytes) = self.opaque().unwrap_or_default();
                write!(f, ", count {count} of {bytes} bytes")?;
            }
            CallKind::List(_) => write!(f, ", {}", ListCount::from_bits(self.count))?,
            CallKind::ListOnDevice(_) => {
                let list = ListCount::from_bits(self.count);
                let whole = ListCount { elements: 0, ..list };
                match list.collectives() {
                    0 => write!(f, ", {whole}")?,
                    some => write!(f, ", {some} of {whole}")?,
                }
            }
            CallKind::Collective(c) | CallKind::OnDevice(c) if c.counts_messages() => match self.count {
                Call::WHOLE => {}
                hash if hash & Call::PARCEL != 0 => write!(f, ", blocks #{hash:016x}")?,
                len => write!(f, ", a block of {len}")?,
            },
            CallKind::Collective(c) | CallKind::OnDevice(c) if c.has_layout() => {
                write!(f, ", counts #{:016x}", self.count)?
            }
            _ => write!(f, ", count {}", self.count)?,
        }
        match self.kind {
            CallKind::Collective(c)
            | CallKind::List(c)
            | CallKind::OnDevice(c)
            | CallKind::ListOnDevice(c)
                if c.has_root() =>
            {
                write!(f, ", root {}", self.root)?;
            }
            CallKind::Transfer => write!(f, ", tag {}", self.root.cast_signed())?,
            _ => {}
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_count_is_shown_as_one() {
        assert!(exceeds_memory(-3i64 as u64, "elements").starts_with("-3, a negative number"));
        assert_eq!(exceeds_memory(1 << 62, "elements"), "4611686018427387904 elements exceed memory");
    }

    #[test]
    fn a_call_survives_packing() {
        let others = Formation::ALL
            .map(CallKind::Formation)
            .into_iter()
            .chain([CallKind::Transfer, CallKind::Goodbye]);
        let lists = Collective::ALL.map(CallKind::List).into_iter();
        let lists = lists.chain(Collective::ALL.map(CallKind::OnDevice));
        let lists = lists.chain(Collective::ALL.map(CallKind::ListOnDevice));
        // Under Miri, few datatypes: the code is safe, and there are 50,000 calls.
        let step = if cfg!(miri) { 9 } else { 1 };
        for kind in Collective::ALL.map(CallKind::Collective).into_iter().chain(others).chain(lists) {
            for datatype in Datatype::ALL.into_iter().step_by(step) {
                let made = ReduceOp::MADE.map(Some);
                for op in ReduceOp::ALL.map(Some).into_iter().chain(made).chain([None]) {
                    let call = Call { kind, datatype, op, root: 0xdead_beef, count: u64::MAX - 7 };
                    assert_eq!(Call::unpack(call.pack()), Some(call));
                }
            }
        }
    }

    #[test]
    fn a_call_on_opaque_elements_names_their_size_and_is_another_call_with_another_size() {
        let call = Call {
            kind: CallKind::Collective(Collective::Reduce),
            datatype: Datatype::Byte,
            op: Some(ReduceOp::Callback),
            root: 2,
            count: 5,
        };
        let text = call.on_opaque(24).to_string();
        assert_eq!(text, "reduce(byte commutative callback, count 5 of 24 bytes, root 2)");
        assert_ne!(call.on_opaque(24).pack(), call.on_opaque(12).pack());
        assert_eq!((call.on_opaque(24).elements(), call.elements()), (Some((5, 24)), Some((5, 1))));
        let unequal = Call { kind: CallKind::Collective(Collective::ReduceScatterV), ..call };
        assert_ne!(unequal.on_opaque(24).pack(), unequal.on_opaque(12).pack());
        assert_eq!(Call::unpack(call.on_opaque(usize::MAX).pack()).unwrap().root, 2);
    }

    #[test]
    fn meaningless_bytes_are_no_call() {
        assert_eq!(Call::unpack([Collective::ALL.len() as u64, 0]), None);
        assert_eq!(Call::unpack([200 << 8, 0]), None);
        assert_eq!(Call::unpack([77 << 16, 0]), None);
    }

    #[test]
    fn only_messages_with_counts_of_their_own_may_differ_in_them() {
        let call = |collective, count| {
            let kind = CallKind::Collective(collective);
            Call { kind, datatype: Datatype::Int8, op: None, root: 0, count }.pack()
        };
        for collective in Collective::ALL {
            assert!(Call::agree(call(collective, 3), call(collective, 3)));
            let may_differ = Call::agree(call(collective, 3), call(collective, 4));
            assert_eq!(may_differ, collective.counts_messages(), "{collective:?}");
            let root = Call { root: 1, ..Call::unpack(call(collective, 3)).unwrap() };
            assert!(!Call::agree(call(collective, 3), root.pack()));
        }
    }

    #[test]
    fn a_call_with_a_layout_names_its_hash_or_the_block_of_one_message() {
        let text = |collective, count| {
            let kind = CallKind::Collective(collective);
            Call { kind, datatype: Datatype::Int8, op: None, root: 2, count }.to_string()
        };
        assert_eq!(text(Collective::AllGatherV, 0xbeef), "all_gather_v(int8, counts #000000000000beef)");
        let kind = CallKind::OnDevice(Collective::AllGatherV);
        let call = Call { kind, datatype: Datatype::Int8, op: None, root: 0, count: 0xbeef };
        assert_eq!(call.to_string(), "all_gather_v on devices(int8, counts #000000000000beef)");
        assert_eq!(text(Collective::AllToAllV, 7), "all_to_all_v(int8, a block of 7)");
        assert_eq!(text(Collective::GatherV, Call::WHOLE), "gather_v(int8, root 2)");
        let parcel = Call::of_parcel([3, 4].into_iter());
        assert_eq!(
            text(Collective::GatherV, parcel),
            format!("gather_v(int8, blocks #{parcel:016x}, root 2)")
        );
    }

    #[test]
    fn a_list_on_devices_names_how_many_of_its_buffers_a_message_is_about() {
        let kind = CallKind::ListOnDevice(Collective::AllReduce);
        let name = ListCount::of([(10, 1), (20, 1), (30, 1)].into_iter());
        let count = name.about([10, 20].into_iter()).to_bits();
        let call = Call { kind, datatype: Datatype::Uint8, op: Some(ReduceOp::Sum), root: 0, count };
        let text = call.to_string();
        assert!(
            text.starts_with("all_reduce_coalesced on devices(uint8 sum, 2 of 3 buffers with lengths #"),
            "{text}"
        );
        assert_eq!(call.elements(), None);
    }

    #[test]
    fn parcels_of_other_lengths_have_other_counts_and_never_that_of_a_block() {
        let counts = [[3, 4], [4, 3], [0, 7], [2, 5]].map(|lens| Call::of_parcel(lens.into_iter()));
        assert!(counts.iter().all(|count| *count > u64::from(u32::MAX) && *count != Call::WHOLE));
        assert!((1..4).all(|at| !counts[..at].contains(&counts[at])));
    }
}
