//! The plan cache: finds the compiled plan and the kernels of a call, or chooses, builds and compiles them
//! once.

use std::sync::Arc;

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::layout_cache::LayoutCache;
use super::length_exchange;
use super::operation::{Kernels, Operation, Variant};
use super::placement::{Placed, Placement};
use super::unequal::Unequal;
use crate::algo::Algorithm;
use crate::base::{Call, CallKind, Collective, Datatype, Rank, ReduceOp, Result, WireFormat};
use crate::executor::{Buffers, Key, Prepared, Program, Stretch, Widened};
use crate::observe::trace;
use crate::plan::cache::Cache;
use crate::plan::{BlockLayout, BlockLengths, Plan, PlanRequest};
use crate::reduce::{Callback, Conversions, Reducer, conversions};
use crate::topology::Topology;
use crate::transport::{FRAGMENT_GRAIN, SingleCopy};
use crate::tuning::Tuning;

/// Number of compiled plans that are kept.
const KEPT: usize = 512;

/// The plans of one communicator.
pub(in crate::comm) struct PlanCache {
    pub(super) tuning: Tuning,
    pub(super) some_tcp: bool,
    /// Whether ranks share cores.
    oversubscribed: bool,
    /// The endpoint that leads to each rank.
    endpoints: Vec<u32>,
    plans: Mutex<Cache<Key, Prepared>>,
    layouts: Mutex<LayoutCache>,
    /// Whether 8-bit floats saturate instead of overflowing.
    saturates: AtomicBool,
}

impl PlanCache {
    /// Makes the cache of a communicator that includes all endpoints.
    pub fn new(tuning: Tuning, some_tcp: bool, oversubscribed: bool, size: u32) -> PlanCache {
        let plans = Mutex::new(Cache::new(KEPT));
        let layouts = Mutex::default();
        let (endpoints, saturates) = ((0..size).collect(), AtomicBool::new(false));
        PlanCache { tuning, some_tcp, oversubscribed, endpoints, plans, layouts, saturates }
    }

    /// Makes the cache of a communicator that is made from this one. `members` are its ranks here.
    /// `fixed_bits`: its reductions have the same bits in every call. `wire`: the format of its sums between
    /// hosts.
    pub fn for_members(&self, members: &[Rank], fixed_bits: bool, wire: Option<WireFormat>) -> PlanCache {
        let endpoints = members.iter().map(|rank| self.endpoints[*rank as usize]).collect();
        let plans = Mutex::new(Cache::new(KEPT));
        let layouts = Mutex::default();
        let PlanCache { some_tcp, oversubscribed, .. } = *self;
        let tuning = self.tuning.clone().with_fixed_bits(fixed_bits).with_wire(wire);
        let saturates = AtomicBool::new(self.saturates());
        PlanCache { tuning, some_tcp, oversubscribed, endpoints, plans, layouts, saturates }
    }

    /// Whether reductions have the same bits in every call.
    pub fn has_fixed_bits(&self) -> bool {
        self.tuning.fixed_bits
    }

    /// The format in which sums of floats travel between hosts.
    pub fn wire(&self) -> Option<WireFormat> {
        self.tuning.wire
    }

    /// Whether 8-bit floats that are too large become the largest finite number.
    pub fn saturates(&self) -> bool {
        self.saturates.load(Ordering::Relaxed)
    }

    /// Makes 8-bit floats that are too large become the largest finite number, from now on.
    pub fn set_saturating(&self) {
        self.saturates.store(true, Ordering::Relaxed);
    }

    /// The format in which the sums of a call travel between hosts. `None`: at full width.
    fn wire_format(&self, call: &Call, topology: &Topology) -> Option<WireFormat> {
        let CallKind::Collective(collective) = call.kind else { return None };
        let place = (topology.size(), topology.hosts());
        self.tuning.format_of(collective, (call.datatype, call.op?), call.count as usize, place)
    }

    /// The conversions of a call that runs in float32, so that it rounds only once and no sum overflows on
    /// the way to an average. These are calls on 8-bit floats, and averages of float16, with several ranks;
    /// with one rank, the result is the input. Numbers that travel narrow are also summed in float32.
    fn widening(&self, call: &Call, topology: &Topology) -> Option<Conversions> {
        use ReduceOp::{Avg, Max, Min, PremulSum, Product, Sum};
        if self.wire_format(call, topology).is_some() {
            return conversions(call.datatype, self.saturates());
        }
        if call.datatype == Datatype::Bfloat16 {
            return None;
        }
        if call.datatype == Datatype::Float16 && call.op != Some(Avg) {
            return None;
        }
        let rounds = matches!(call.op?, Sum | Product | Avg | PremulSum);
        // A minimum or maximum is one of the operands, so only an infinite one changes.
        let may_saturate = self.saturates() && matches!(call.op?, Min | Max);
        if topology.size() < 2 || !rounds && !may_saturate {
            return None;
        }
        conversions(call.datatype, self.saturates())
    }

    /// The endpoint that leads to each rank.
    pub fn endpoints(&self) -> &[u32] {
        &self.endpoints
    }

    /// The plan of an operation with this `key`. An error says what is wrong with the operation.
    pub fn get(
        &self,
        key: &Key,
        operation: &Operation,
        rank: Rank,
        topology: &Topology,
    ) -> Result<Arc<Prepared>> {
        self.get_variant(key, operation, &Variant::default(), rank, topology)
    }

    /// Like [`PlanCache::get`], for a variant of the operation's call and the key of the variant.
    pub fn get_variant(
        &self,
        key: &Key,
        operation: &Operation,
        variant: &Variant,
        rank: Rank,
        topology: &Topology,
    ) -> Result<Arc<Prepared>> {
        let mut plans = self.plans.lock();
        plans.get_or_build(*key, || self.prepare(operation, variant, rank, topology)).map(Arc::clone)
    }

    fn prepare(
        &self,
        operation: &Operation,
        variant: &Variant,
        rank: Rank,
        topology: &Topology,
    ) -> Result<Prepared> {
        let unit = variant.unit(&operation.call);
        operation.check_by(topology.size(), unit)?;
        let widening = self.widening(&operation.call, topology);
        let Kernels { reduce, divide } = match variant.callback {
            Some((_, callback)) => Kernels { reduce: Some(Reducer::Callback(callback)), divide: None },
            None if widening.is_some() => operation.kernels_on(Datatype::Float32, rank, topology.size())?,
            None => operation.kernels(rank, topology.size())?,
        };
        let program = self.build(operation, unit, rank, topology)?;
        let call = variant.signature.unwrap_or(operation.call);
        let extent = operation.extent(rank, topology.size(), unit);
        let prepared = Prepared { reduce, divide, extent, ..Prepared::new(call, program) };
        let Some((conversions, extent)) = widening.zip(extent) else { return Ok(prepared) };
        let whole = |bytes| vec![Stretch { offset: 0, at: 0, elements: bytes / unit }];
        let (input, output) = (whole(extent.read), whole(extent.written));
        Ok(prepared.on_copies(Widened { conversions, input, output }))
    }

    /// Whether the receiver may read large messages in the sender's memory (single copy). Such a send ends
    /// only when its receiver has had a turn. Among ranks that share cores this pays off for plain copies
    /// from all to all, but not where ranks reduce or pass on what they receive
    /// (docs/adr/0006-single-copy.md).
    fn single_copy(&self, kind: CallKind) -> SingleCopy {
        if !self.oversubscribed || only_copies(kind) {
            SingleCopy::IfOversubscribed
        } else {
            SingleCopy::Never
        }
    }

    /// Adds a trial to a program that could use single copies or not. Where each rank has a processor, the
    /// faster way depends on the machine.
    fn with_single_copy_trial(&self, program: Program, kind: CallKind) -> Program {
        if self.oversubscribed || !only_copies(kind) { program } else { program.with_single_copy_trial() }
    }

    /// Like [`PlanCache::get`], for a call with a layout.
    pub fn get_unequal(
        &self,
        operation: &Unequal,
        callback: Option<(u32, Callback)>,
        rank: Rank,
        topology: &Topology,
    ) -> Result<(Arc<Prepared>, Buffers)> {
        let number = callback.map_or(0, |(number, _)| number);
        let mut layouts = self.layouts.lock();
        if let Some(again) = layouts.latest(operation, number) {
            return Ok(again);
        }
        let opaque = callback.map(|(_, callback)| callback.element_bytes());
        let unit = opaque.unwrap_or(operation.datatype.bytes());
        let call = operation.whole_call();
        let call = if unit == operation.datatype.bytes() { call } else { call.on_opaque(unit) };
        let Placed { buffers, placement } = Placed::of(operation, unit, rank, topology.size())?;
        let build = || {
            let widening = self.widening(&call, topology);
            let Kernels { reduce, divide } = match callback {
                Some((_, callback)) => Kernels { reduce: Some(Reducer::Callback(callback)), divide: None },
                None if widening.is_some() => Placement::kernels_on_copies(operation, topology.size())?,
                None => placement.kernels(operation, topology.size())?,
            };
            let request = PlanRequest {
                count: operation.mean_count(),
                in_place: placement.in_place,
                layout: operation.layout,
                ..self.request(&call, rank, topology)
            };
            let request = on_elements(request, &call, unit);
            let algorithm = self.choose(&call, &request)?;
            let single_copy = self.single_copy(call.kind);
            if algorithm.needs_length_exchange() {
                return Ok(length_exchange::prepare(
                    &call,
                    algorithm,
                    &request,
                    &placement,
                    single_copy,
                    &self.endpoints,
                ));
            }
            if let Some(conversions) = widening {
                let request = PlanRequest { in_place: false, ..request };
                let program = Program::compile(&(algorithm.build)(&request), &request, single_copy);
                let prepared =
                    Prepared { reduce, divide, ..Prepared::new(call, program.through(&self.endpoints)) };
                let [input, output] = placement.stretches(operation.layout, unit);
                return Ok(prepared.on_copies(Widened { conversions, input, output }));
            }
            let plan = whole_elements((algorithm.build)(&request), &request);
            let program = placement.compile(&plan, &request, single_copy);
            let program = self.with_single_copy_trial(program, call.kind).through(&self.endpoints);
            Ok(Prepared { reduce, divide, ..Prepared::new(call, program) })
        };
        let scale = unit / operation.datatype.bytes();
        let prepared = layouts.get_or_build((&call, number), operation.layout, &placement, || {
            let lengths = trace::is_on().then(|| BlockLengths::of(&operation.layout, scale).into());
            Ok(Prepared { lengths, ..build()? })
        })?;
        layouts.note_buffers(operation.places, operation.layout);
        Ok((prepared, buffers))
    }

    /// The program of an operation on elements of `unit` bytes.
    fn build(&self, operation: &Operation, unit: usize, rank: Rank, topology: &Topology) -> Result<Program> {
        let call = &operation.call;
        // Copies do not overlap, so the program is not in place.
        let in_place = operation.is_in_place_by(rank, unit) && self.widening(call, topology).is_none();
        let request = PlanRequest { in_place, ..self.request(call, rank, topology) };
        let request = on_elements(request, call, unit);
        let plan = whole_elements((self.choose(call, &request)?.build)(&request), &request);
        let program = Program::compile(&plan, &request, self.single_copy(call.kind));
        Ok(self.with_single_copy_trial(program, call.kind).through(&self.endpoints))
    }

    /// The algorithm of a collective call. It is equal on all ranks, so it depends on neither rank nor
    /// buffers.
    pub fn algorithm(&self, call: &Call, topology: &Topology) -> Result<&'static Algorithm> {
        self.choose(call, &self.request(call, 0, topology))
    }

    pub(super) fn choose(&self, call: &Call, request: &PlanRequest) -> Result<&'static Algorithm> {
        if let Some(format) = self.wire_format(call, request.topology) {
            return self.tuning.choose_narrow(request, format);
        }
        if call.op.is_none_or(ReduceOp::is_commutative) {
            self.tuning.choose(request, self.some_tcp)
        } else {
            self.tuning.choose_ordered(request, self.some_tcp)
        }
    }

    pub(super) fn request<'a>(&self, call: &Call, rank: Rank, topology: &'a Topology) -> PlanRequest<'a> {
        PlanRequest {
            collective: match call.kind {
                CallKind::Collective(collective)
                | CallKind::List(collective)
                | CallKind::OnDevice(collective)
                | CallKind::ListOnDevice(collective) => collective,
                CallKind::Goodbye => Collective::Barrier,
                // Every rank's record goes to all ranks. (A message is no operation, and has no plan.)
                CallKind::Formation(_) | CallKind::Transfer => Collective::AllGather,
            },
            size: topology.size(),
            rank,
            root: call.root,
            count: call.count as usize,
            element_bytes: match self.widening(call, topology) {
                Some(_) => Datatype::Float32.bytes(),
                None => call.datatype.bytes(),
            },
            in_place: false,
            chunk_bytes: self.tuning.chunk_bytes,
            topology,
            layout: BlockLayout::NONE,
        }
    }
}

/// A request for a call on elements of `unit` bytes, which may be opaque.
fn on_elements<'a>(request: PlanRequest<'a>, call: &Call, unit: usize) -> PlanRequest<'a> {
    match unit == call.datatype.bytes() {
        true => request,
        false => PlanRequest { element_bytes: unit, ..request },
    }
}

/// A plan for the request that never reduces a part of an element.
fn whole_elements(plan: Plan, request: &PlanRequest) -> Plan {
    if FRAGMENT_GRAIN.is_multiple_of(request.element_bytes) { plan } else { plan.unfused() }
}

/// Whether a call neither reduces nor passes on what it receives.
fn only_copies(kind: CallKind) -> bool {
    use Collective::*;
    matches!(
        kind,
        CallKind::Collective(AllGather | AllToAll | Gather | Scatter)
            | CallKind::Collective(AllGatherV | AllToAllV | GatherV | ScatterV)
            | CallKind::Collective(NeighborAllGatherV | NeighborAllToAllV)
    )
}
