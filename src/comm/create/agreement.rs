//! The first exchange of a communicator, right after its ranks have connected.
//!
//! An all_gather over the new links. Many ranks exchange with few others each, so that few links are opened.
//! The exchange tells each rank which processors the others may use, whether TCP links ranks of one host, and
//! which engines were asked for. A communicator on the links of another one has no such exchange. All ranks
//! compute the same results from the same records, because the choice of algorithms depends on them.

use std::collections::HashMap;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::unequal_settings::{unequal_bits, unequal_formats};
use crate::algo;
use crate::backend::BackendChoice;
use crate::base::{Call, CallKind, Collective, Datatype, Error, Rank, Result, WireFormat};
use crate::executor::{Buffers, Prepared, Program};
use crate::plan::{BlockLayout, PlanRequest};
use crate::progress::CommId;
use crate::progress::wait::Driver;
use crate::sys::cores::{self, CoreSet};
use crate::sys::host;
use crate::topology::Topology;
use crate::transport::SingleCopy;

/// The result of the exchange, equal on all ranks.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::comm) struct Agreed {
    /// Ranks per usable processor of a machine, rounded up: the largest of all machines. At least 1.
    pub ranks_per_core: u32,
    /// Whether some pair of ranks of one host is linked by TCP.
    pub some_tcp: bool,
    /// Whether each rank has a current context of a CUDA device, and none asks for the direct path by name.
    pub all_have_devices: bool,
    /// Whether all ranks want the direct path for memory of devices.
    pub may_be_direct: bool,
    /// Whether some rank wants a profile.
    pub has_profile: bool,
    /// Whether ranks of a machine have several PID namespaces, so that some do not see each other's
    /// processes.
    pub are_apart: bool,
    /// Number of the descriptor by which the process of each rank has the pages of its engines.
    pub page_files: Vec<Option<RawFd>>,
}

/// What a rank brings to the exchange.
pub(in crate::comm) struct OwnSettings {
    /// Number of the descriptor by which its process has the pages of its engines.
    pub page_file: Option<RawFd>,
    /// Whether TCP links it to a rank of its host.
    pub some_tcp: bool,
    /// Whether it has a current context of a CUDA device.
    pub has_device: bool,
    /// Whether it wants the direct path for memory of devices.
    pub wants_direct: bool,
    /// Whether its reductions shall have the same bits in every call.
    pub deterministic: bool,
    /// The format in which its sums shall travel between hosts.
    pub wire: Option<WireFormat>,
    /// Whether it wants a profile.
    pub wants_profile: bool,
    /// The engines that it was asked for.
    pub choice: BackendChoice,
}

/// Bytes of a record: allowed processors, number of usable ones (which respects the quota), descriptor of the
/// file of pages, PID namespace, machine, the other settings as bits, engines.
pub(super) const RECORD_BYTES: usize = CoreSet::BYTES + 4 + 4 + 8 + MACHINE_BYTES + 1 + BackendChoice::BYTES;
/// Stands for no descriptor.
const NO_FILE: u32 = u32::MAX;
/// Bits of a byte of a record.
const SOME_TCP: u8 = 1;
const HAS_DEVICE: u8 = 2;
const WANTS_DIRECT: u8 = 4;
const DETERMINISTIC: u8 = 8;
const WANTS_PROFILE: u8 = 16;
/// Where the number of a format begins, of two bits.
const WIRE_SHIFT: u8 = 5;
/// Bytes that identify the machine. Several hosts, such as containers, may be parts of one machine; their
/// ranks share processors.
const MACHINE_BYTES: usize = 8;

/// Most ranks of which each sends to all others. Its errors are the best: who is not heard from is missing.
const FEW_RANKS: u32 = 8;

/// Most absent ranks that an error names.
const NAMED: usize = 8;

/// Runs the exchange. Collective; the first call on a new communicator. `deadline`: that of joining.
pub(in crate::comm) fn agree(
    driver: &Driver,
    topology: &Topology,
    rank: Rank,
    own: &OwnSettings,
    (timeout, deadline): (Option<Duration>, Instant),
) -> Result<Agreed> {
    let mut mine = Vec::with_capacity(RECORD_BYTES);
    mine.extend(cores::allowed().as_bytes());
    mine.extend((cores::usable() as u32).to_le_bytes());
    mine.extend(own.page_file.map_or(NO_FILE, |fd| fd as u32).to_le_bytes());
    mine.extend(host::pid_namespace().to_le_bytes());
    mine.extend(Sha256::digest(host::machine_id()).first_chunk::<MACHINE_BYTES>().expect("32 bytes"));
    let bits = [
        (own.some_tcp, SOME_TCP),
        (own.has_device, HAS_DEVICE),
        (own.wants_direct, WANTS_DIRECT),
        (own.deterministic, DETERMINISTIC),
        (own.wants_profile, WANTS_PROFILE),
    ];
    let bits: u8 = bits.iter().map(|(is_set, bit)| u8::from(*is_set) * bit).sum();
    mine.push(bits | (WireFormat::number(own.wire) << WIRE_SHIFT));
    mine.extend(own.choice.to_bytes());
    let mut all = vec![0u8; topology.size() as usize * RECORD_BYTES];
    let all_talk = topology.size() <= FEW_RANKS && topology.hosts() < topology.size();
    driver.lock().begin_joining(if all_talk { 2 } else { 1 });
    exchange(driver, topology, rank, &mine, &mut all, timeout)
        .map_err(|error| name_absent_ranks(error, &all, RECORD_BYTES))?;
    driver.wait_for_files(deadline)?;
    if all_talk {
        // The arenas of all ranks have come, because a rank passes its own before its first message. Once all
        // ranks have taken them, first calls may read there.
        driver.take_arenas();
        let mut ready = vec![0; topology.size() as usize];
        exchange(driver, topology, rank, &[1], &mut ready, timeout)
            .map_err(|error| name_absent_ranks(error, &ready, 1))?;
    }
    driver.lock().all_have_met();
    same_choice(&all)?;
    same_bits(&all)?;
    same_wire(&all)?;
    Ok(evaluate(&all))
}

/// Adds the ranks that have not been heard from to an error. The rank that the error names may have given up
/// because of one of them, possibly without knowing it. Each has a record of `bytes` bytes in `all`.
fn name_absent_ranks(mut error: Error, all: &[u8], bytes: usize) -> Error {
    let (Error::PeerLost { detail: text, .. } | Error::Timeout { detail: text, .. } | Error::Aborted(text)) =
        &mut error
    else {
        return error;
    };
    // A record that has arrived is not zero: it holds a machine, or says that the rank is ready.
    let records = all.chunks_exact(bytes).zip(0..);
    let absent = records.filter(|(bytes, _)| bytes.iter().all(|byte| *byte == 0));
    let absent = absent.map(|(_, peer): (_, Rank)| format!("rank {peer}"));
    let unnamed: Vec<String> =
        absent.filter(|name| !text.contains(&format!("{name} "))).take(NAMED).collect();
    if !unnamed.is_empty() {
        *text = format!("{text}; not heard from yet: {}", unnamed.join(", "));
    }
    error
}

/// Checks that all ranks want the same engines. The error says who wants what.
pub(super) fn same_choice(all: &[u8]) -> Result<()> {
    let mut choices = all.chunks_exact(RECORD_BYTES).map(|bytes| RankRecord::read(bytes).choice);
    let first = choices.next().unwrap_or_default();
    match choices.zip(1..).find(|(choice, _)| *choice != first) {
        None => Ok(()),
        Some((other, rank)) => Err(Error::Mismatch(format!(
            "the ranks chose different backends (ANYCCL_BACKEND or the configuration): rank 0 has {first}, rank {rank} has \
             {other}"
        ))),
    }
}

/// Checks that all ranks want the same bits in every call, or none does.
pub(super) fn same_bits(all: &[u8]) -> Result<()> {
    let wanted = |bytes: &[u8]| RankRecord::read(bytes).deterministic;
    let wishes = all.chunks_exact(RECORD_BYTES).map(wanted);
    unequal_bits(wishes).map_or(Ok(()), |text| Err(Error::Mismatch(format!("the ranks disagree: {text}"))))
}

/// Checks that all ranks want the same format between hosts.
pub(super) fn same_wire(all: &[u8]) -> Result<()> {
    let wanted = |bytes: &[u8]| RankRecord::read(bytes).wire;
    let formats = all.chunks_exact(RECORD_BYTES).map(wanted);
    let unequal = unequal_formats(formats);
    unequal.map_or(Ok(()), |text| Err(Error::Mismatch(format!("the ranks disagree: {text}"))))
}

pub(super) fn evaluate(all: &[u8]) -> Agreed {
    let records: Vec<RankRecord> = all.chunks_exact(RECORD_BYTES).map(RankRecord::read).collect();
    let mut machines: HashMap<&[u8], Machine> = HashMap::new();
    for record in &records {
        machines.entry(record.machine).or_default().add(record);
    }
    let ranks_per_core = machines.values().map(Machine::ranks_per_core).max().unwrap_or(1);
    // The first namespace that was found on each machine.
    let mut namespaces = HashMap::new();
    let mut places = records.iter().map(|record| (record.machine, record.pid_namespace));
    Agreed {
        ranks_per_core,
        are_apart: places.any(|(machine, here)| *namespaces.entry(machine).or_insert(here) != here),
        some_tcp: records.iter().any(|record| record.some_tcp),
        all_have_devices: records.iter().all(|record| record.has_device),
        may_be_direct: records.iter().all(|record| record.wants_direct),
        has_profile: records.iter().any(|record| record.wants_profile),
        page_files: records.iter().map(|record| record.page_file).collect(),
    }
}

/// The processors of the ranks of one machine.
struct Machine {
    ranks: usize,
    allowed: CoreSet,
    quota: usize,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine { ranks: 0, allowed: CoreSet::default(), quota: usize::MAX }
    }
}

impl Machine {
    fn add(&mut self, RankRecord { allowed, usable, .. }: &RankRecord) {
        self.ranks += 1;
        self.allowed.add(allowed);
        // If fewer are usable than the affinity allows, the control group has a quota. The quota is taken to
        // limit all ranks of the machine together. Without a known affinity, the usable number is the limit.
        if *usable < allowed.count() || allowed.count() == 0 {
            self.quota = self.quota.min(*usable);
        }
    }

    fn ranks_per_core(&self) -> u32 {
        self.ranks.div_ceil(self.allowed.count().min(self.quota).max(1)) as u32
    }
}

pub(super) struct RankRecord<'a> {
    allowed: CoreSet,
    usable: usize,
    page_file: Option<RawFd>,
    pid_namespace: &'a [u8],
    machine: &'a [u8],
    some_tcp: bool,
    has_device: bool,
    wants_direct: bool,
    deterministic: bool,
    wire: Option<WireFormat>,
    wants_profile: bool,
    pub choice: BackendChoice,
}

impl RankRecord<'_> {
    /// Reads [`RECORD_BYTES`] bytes.
    pub fn read(bytes: &[u8]) -> RankRecord<'_> {
        let (allowed, rest) = bytes.split_at(CoreSet::BYTES);
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| rest[at + byte]));
        let (usable, page_file) = (number(0) as usize, RawFd::try_from(number(4)).ok());
        let (pid_namespace, rest) = rest[8..].split_at(8);
        let (machine, rest) = rest.split_at(MACHINE_BYTES);
        let choice = BackendChoice::from_bytes(std::array::from_fn(|at| rest[1 + at]));
        let is_set = |bit| rest[0] & bit != 0;
        RankRecord {
            allowed: CoreSet::from_bytes(allowed),
            usable,
            page_file,
            pid_namespace,
            machine,
            some_tcp: is_set(SOME_TCP),
            has_device: is_set(HAS_DEVICE),
            wants_direct: is_set(WANTS_DIRECT),
            deterministic: is_set(DETERMINISTIC),
            wire: WireFormat::from_number((rest[0] >> WIRE_SHIFT) & 3),
            wants_profile: is_set(WANTS_PROFILE),
            choice,
        }
    }
}

fn exchange(
    driver: &Driver,
    topology: &Topology,
    rank: Rank,
    mine: &[u8],
    all: &mut [u8],
    timeout: Option<Duration>,
) -> Result<()> {
    let (size, count) = (topology.size(), mine.len());
    let request = PlanRequest {
        collective: Collective::AllGather,
        size,
        rank,
        root: 0,
        count,
        element_bytes: 1,
        in_place: false,
        chunk_bytes: 1,
        topology,
        layout: BlockLayout::NONE,
    };
    let name = if size <= FEW_RANKS { "one_shot" } else { "bruck" };
    let algorithm = algo::find(Collective::AllGather, name).expect("a row of the table");
    let plan = (algorithm.build)(&request);
    let kind = CallKind::Collective(Collective::AllGather);
    let call = Call { kind, datatype: Datatype::Byte, op: None, root: 0, count: count as u64 };
    let prepared = Prepared::new(call, Program::compile(&plan, &request, SingleCopy::IfOversubscribed));
    let buffers = Buffers { input: mine.as_ptr(), output: all.as_mut_ptr() };
    // SAFETY: the plan reads `count` bytes of `mine` and writes `size * count` bytes of `all`; both outlive
    // the call, which ends before this function does.
    unsafe { driver.run_once(CommId::FIRST, Arc::new(prepared), buffers, timeout) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMESPACE_AT: usize = CoreSet::BYTES + 8;
    const MACHINE_AT: usize = NAMESPACE_AT + 8;
    const BITS_AT: usize = MACHINE_AT + MACHINE_BYTES;

    fn record(machine: u8, cores: u8, usable: u32, tcp: bool) -> Vec<u8> {
        let mut bytes = vec![0; RECORD_BYTES];
        bytes[0] = cores;
        bytes[CoreSet::BYTES..CoreSet::BYTES + 4].copy_from_slice(&usable.to_le_bytes());
        bytes[MACHINE_AT] = machine;
        bytes[BITS_AT] = u8::from(tcp);
        bytes
    }

    fn agreed(records: &[Vec<u8>]) -> Agreed {
        evaluate(&records.concat())
    }

    #[test]
    fn ranks_share_cores_if_they_outnumber_all_their_processors_or_a_quota() {
        let bound = [record(0, 0b01, 1, false), record(0, 0b10, 1, false)];
        let not_shared = Agreed {
            ranks_per_core: 1,
            some_tcp: false,
            all_have_devices: false,
            may_be_direct: false,
            has_profile: false,
            are_apart: false,
            page_files: vec![Some(0); 2],
        };
        assert_eq!(agreed(&bound), not_shared);
        let same = [record(0, 0b01, 1, false), record(0, 0b01, 1, false)];
        assert_eq!(agreed(&same).ranks_per_core, 2);
        let apart = [record(0, 0b01, 1, false), record(1, 0b01, 1, false)];
        assert_eq!(agreed(&apart).ranks_per_core, 1);
        let quota = [record(0, 0b1111, 1, false), record(0, 0b1111, 1, false)];
        assert_eq!(agreed(&quota).ranks_per_core, 2);
        let three = [record(0, 0b11, 2, false), record(0, 0b11, 2, false), record(0, 0b11, 2, false)];
        assert_eq!(agreed(&three).ranks_per_core, 2);
    }

    #[test]
    fn ranks_that_chose_different_backends_learn_both_choices() {
        let with = |text: &str| {
            let mut bytes = record(0, 3, 2, false);
            let at = RECORD_BYTES - BackendChoice::BYTES;
            bytes[at..].copy_from_slice(&BackendChoice::parse("backend", text).unwrap().to_bytes());
            bytes
        };
        assert!(same_choice(&[with("mpi"), with("cpu:mpi")].concat()).is_ok());
        let error = same_choice(&[with("auto"), with("auto"), with("mpi|builtin")].concat()).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::Mismatch(_)), "{text}");
        assert!(
            text.contains("rank 0 has cpu:auto,cuda:auto, rank 2 has cpu:mpi|builtin,cuda:builtin"),
            "{text}"
        );
    }

    #[test]
    fn ranks_of_which_one_wants_fixed_bits_learn_which() {
        let with = |bits: u8| {
            let mut bytes = record(0, 3, 2, false);
            bytes[BITS_AT] = bits;
            bytes
        };
        assert!(same_bits(&[with(DETERMINISTIC), with(DETERMINISTIC | SOME_TCP)].concat()).is_ok());
        let error = same_bits(&[with(0), with(0), with(DETERMINISTIC)].concat()).unwrap_err();
        assert!(matches!(error, Error::Mismatch(_)));
        let text = error.to_string();
        assert!(text.contains("rank 2 asks for fixed bits") && text.contains("rank 0 does not"), "{text}");
    }

    #[test]
    fn ranks_that_want_different_formats_learn_which() {
        let with = |format: Option<WireFormat>| {
            let mut bytes = record(0, 3, 2, true);
            bytes[BITS_AT] |= WireFormat::number(format) << WIRE_SHIFT;
            bytes
        };
        let [bf16, f8] = [WireFormat::Bf16, WireFormat::F8].map(|format| with(Some(format)));
        assert!(same_wire(&[bf16.clone(), bf16.clone()].concat()).is_ok());
        for (other, name) in [(f8, "f8"), (with(None), "full")] {
            let text = same_wire(&[bf16.clone(), bf16.clone(), other].concat()).unwrap_err().to_string();
            assert!(
                text.contains("rank 0 travel as bf16") && text.contains(&format!("rank 2 as {name}")),
                "{text}"
            );
        }
    }

    #[test]
    fn an_error_during_the_first_exchange_names_each_rank_that_was_not_heard_of() {
        let all = [record(1, 3, 2, false), vec![0; RECORD_BYTES], vec![0; RECORD_BYTES]].concat();
        let lost = Error::PeerLost { rank: 2, detail: "rank 2 (host a) ended".into() };
        let text = name_absent_ranks(lost, &all, RECORD_BYTES).to_string();
        assert_eq!(text, "rank 2 (host a) ended; not heard from yet: rank 1");
        let waited =
            Error::Timeout { waited: Duration::from_secs(1), detail: "rank 1 and rank 2 are late".into() };
        assert!(!name_absent_ranks(waited, &all, RECORD_BYTES).to_string().contains("not heard from"));
    }

    #[test]
    fn all_ranks_have_devices_or_want_the_direct_path_only_if_each_does() {
        let with = |bits: u8| {
            let mut bytes = record(0, 3, 2, false);
            bytes[BITS_AT] = bits;
            bytes
        };
        let both = HAS_DEVICE | WANTS_DIRECT;
        let all = agreed(&[with(both), with(both | SOME_TCP)]);
        assert!(all.all_have_devices && all.may_be_direct);
        let one = agreed(&[with(HAS_DEVICE), with(WANTS_DIRECT)]);
        assert!(!one.all_have_devices && !one.may_be_direct);
    }

    #[test]
    fn one_rank_that_wants_a_profile_is_enough() {
        let mut wants = record(0, 3, 2, false);
        wants[BITS_AT] = WANTS_PROFILE;
        assert!(agreed(&[record(0, 3, 2, false), wants]).has_profile);
        assert!(!agreed(&[record(0, 3, 2, false), record(0, 3, 2, true)]).has_profile);
    }

    #[test]
    fn ranks_of_one_machine_in_several_pid_namespaces_are_apart() {
        let with = |machine: u8, namespace: u8| {
            let mut bytes = record(machine, 3, 2, false);
            bytes[NAMESPACE_AT] = namespace;
            bytes
        };
        assert!(agreed(&[with(0, 1), with(1, 2), with(0, 2)]).are_apart);
        assert!(!agreed(&[with(0, 1), with(1, 2), with(0, 1), with(1, 2)]).are_apart);
    }

    #[test]
    fn one_tcp_link_on_any_host_is_known_everywhere() {
        assert!(agreed(&[record(0, 3, 2, false), record(0, 3, 2, true)]).some_tcp);
    }
}
