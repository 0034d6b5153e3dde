//! The events of calls.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use anyccl_engine::base::{CallKind, Collective, Datatype};

use super::abi::{self, Body, Coll, CollApi, GroupApi, P2p, P2pApi};
use super::comm_profile::CommProfile;
use crate::action::Action;
use crate::types::cudaStream_t;

/// The events of a group, or of a call that is a group of its own. They end when this is dropped.
pub struct GroupEvents {
    profile: Arc<CommProfile>,
    function: *mut c_void,
    group: *mut c_void,
}

impl GroupEvents {
    /// Begins them, for the calls of the group on one communicator.
    pub fn begin(profile: &Arc<CommProfile>) -> GroupEvents {
        let within = abi::GROUP | abi::COLL | abi::P2P;
        let body = Body { group_api: GroupApi { is_captured: 0, depth: 1 } };
        let function = match profile.has_function_events() {
            true => {
                profile.start(abi::GROUP_API, within | abi::COLL_API | abi::P2P_API, ptr::null_mut(), body)
            }
            false => ptr::null_mut(),
        };
        let group = profile.start(abi::GROUP, abi::COLL | abi::P2P, ptr::null_mut(), body);
        GroupEvents { profile: Arc::clone(profile), function, group }
    }
}

impl GroupEvents {
    /// Whether they are those of this communicator.
    pub fn is_of(&self, profile: &Arc<CommProfile>) -> bool {
        Arc::ptr_eq(&self.profile, profile)
    }
}

impl Drop for GroupEvents {
    fn drop(&mut self) {
        self.profile.stop(self.group);
        self.profile.stop(self.function);
    }
}

/// The events of a call. They end when this is dropped.
pub struct CallEvents {
    profile: Arc<CommProfile>,
    function: *mut c_void,
    operation: *mut c_void,
}

impl CallEvents {
    /// Begins them, within those of the call's group. `None`: NCCL has no events of such calls.
    pub fn begin(
        profile: &Arc<CommProfile>,
        group: &GroupEvents,
        action: &Action,
        stream: cudaStream_t,
    ) -> Option<CallEvents> {
        let (kinds, bodies) = bodies(profile, action, group.group, stream)?;
        let function = match profile.has_function_events() {
            true => profile.start(kinds.0, kinds.1, group.function, bodies.0),
            false => ptr::null_mut(),
        };
        let parent = if profile.has_function_events() { function } else { group.group };
        let operation = profile.start(kinds.1, 0, parent, bodies.1);
        Some(CallEvents { profile: Arc::clone(profile), function, operation })
    }
}

impl Drop for CallEvents {
    fn drop(&mut self) {
        self.profile.stop(self.operation);
        self.profile.stop(self.function);
    }
}

/// The kinds and contents of the events of a call: of its function, and of its operation.
fn bodies(
    profile: &CommProfile,
    action: &Action,
    parent_group: *mut c_void,
    stream: cudaStream_t,
) -> Option<((u64, u64), (Body, Body))> {
    match action {
        Action::Collective { operation, .. } => {
            let call = &operation.call;
            let CallKind::Collective(collective) = call.kind else { return None };
            let function = name_of(collective)?.as_ptr();
            let (count, root) = (call.count as usize, call.root as c_int);
            let datatype = datatype_name(call.datatype).as_ptr();
            let api = CollApi { function, count, datatype, root, stream, is_captured: false };
            let coll = Coll {
                number: profile.next_number(collective),
                function,
                send: operation.send.cast(),
                recv: operation.recv.cast(),
                count,
                root,
                datatype,
                channels: 0,
                warps: 0,
                algorithm: c"anyccl".as_ptr(),
                protocol: c"anyccl".as_ptr(),
                parent_group,
            };
            Some(((abi::COLL_API, abi::COLL), (Body { coll_api: api }, Body { coll })))
        }
        Action::Send(what) => {
            let message = (c"Send", what.data.cast_mut().cast(), what.datatype, what.count, what.to);
            Some(of_message(message, parent_group, stream))
        }
        Action::Receive(from, buffer) => {
            let peer = from.source().unwrap_or_default();
            let message = (c"Recv", buffer.data.cast(), buffer.datatype, buffer.count, peer);
            Some(of_message(message, parent_group, stream))
        }
        _ => None,
    }
}

type Message = (&'static CStr, *mut c_void, Datatype, u64, u32);

fn of_message(
    (function, buffer, datatype, count, peer): Message,
    parent_group: *mut c_void,
    stream: cudaStream_t,
) -> ((u64, u64), (Body, Body)) {
    let (function, datatype, count) = (function.as_ptr(), datatype_name(datatype).as_ptr(), count as usize);
    let api = P2pApi { function, count, datatype, stream, is_captured: false };
    let p2p = P2p { function, buffer, datatype, count, peer: peer as c_int, channels: 0, parent_group };
    ((abi::P2P_API, abi::P2P), (Body { p2p_api: api }, Body { p2p }))
}

/// NCCL's name of a collective. `None`: NCCL has none.
fn name_of(collective: Collective) -> Option<&'static CStr> {
    Some(match collective {
        Collective::AllReduce => c"AllReduce",
        Collective::Reduce => c"Reduce",
        Collective::Broadcast => c"Broadcast",
        Collective::AllGather => c"AllGather",
        Collective::Gather => c"Gather",
        Collective::Scatter => c"Scatter",
        Collective::ReduceScatter => c"ReduceScatter",
        Collective::AllToAll => c"AlltoAll",
        _ => return None,
    })
}

/// NCCL's name of a datatype.
fn datatype_name(datatype: Datatype) -> &'static CStr {
    match datatype {
        Datatype::Int8 => c"ncclInt8",
        Datatype::Uint8 => c"ncclUint8",
        Datatype::Int32 => c"ncclInt32",
        Datatype::Uint32 => c"ncclUint32",
        Datatype::Int64 => c"ncclInt64",
        Datatype::Uint64 => c"ncclUint64",
        Datatype::Float16 => c"ncclFloat16",
        Datatype::Float32 => c"ncclFloat32",
        Datatype::Float64 => c"ncclFloat64",
        Datatype::Bfloat16 => c"ncclBfloat16",
        Datatype::Float8E4m3 => c"ncclFloat8e4m3",
        Datatype::Float8E5m2 => c"ncclFloat8e5m2",
        _ => c"Unknown",
    }
}
