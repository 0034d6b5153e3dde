//! A call on the copies of its buffers in host memory.

use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::Arc;

use crate::base::Result;
use crate::comm::call::list::{List, Part};
use crate::comm::call::operation::Operation;
use crate::comm::call::operator::Operator;
use crate::comm::call::spec::CallSpec;
use crate::comm::call::unequal::{Places, Unequal};
use crate::comm::coalesced;
use crate::comm::communicator::Communicator;
use crate::comm::prepared_unequal::PreparedUnequal;
use crate::comm::ready::ReadyCall;
use crate::p2p::{OutgoingMessage, RecvBuffer};

impl CallSpec<'_> {
    /// The checked call on the copies of its buffers. `host` gives the copy of an address.
    pub(super) fn ready(&self, comm: &Communicator, host: &dyn Fn(usize) -> usize) -> Result<ReadyCall> {
        let send = |address: *const u8| with_exposed_provenance::<u8>(host(address.expose_provenance()));
        let recv = |address: *mut u8| with_exposed_provenance_mut::<u8>(host(address.expose_provenance()));
        let described = |call: CallSpec| ReadyCall::Described(call.owned());
        Ok(match self {
            CallSpec::Collective(operation, operator) => {
                let operation =
                    Operation { send: send(operation.send), recv: recv(operation.recv), ..**operation };
                let on_copy = factor_on_copy(*operator, host);
                let operator = on_copy.as_ref().or(*operator);
                comm.plan_with(&operation, operator)?;
                described(CallSpec::Collective(&operation, operator))
            }
            CallSpec::Unequal(operation, operator) => {
                let on_copy = factor_on_copy(*operator, host);
                let operator = on_copy.as_ref().or(*operator);
                let (sends, recvs): (Vec<_>, Vec<_>);
                let places = match operation.places {
                    Places::Buffers { send: from, recv: to } => {
                        Places::Buffers { send: send(from), recv: recv(to) }
                    }
                    Places::Lists { sends: from, recvs: to } => {
                        sends = from.iter().map(|start| send(*start)).collect();
                        recvs = to.iter().map(|start| recv(*start)).collect();
                        Places::Lists { sends: &sends, recvs: &recvs }
                    }
                };
                let call = Unequal { places, ..**operation };
                // SAFETY: the blocks lie in the copies, or are host memory for which the caller vouches.
                ReadyCall::Unequal(unsafe { PreparedUnequal::new(comm, &call, operator) }?)
            }
            CallSpec::List(list, operator) => {
                let on_copies = |part: &Part| Part { send: send(part.send), recv: recv(part.recv), ..*part };
                let parts: Vec<Part> = list.parts.iter().map(on_copies).collect();
                let list = List { parts: &parts, ..**list };
                let on_copy = factor_on_copy(*operator, host);
                let operator = on_copy.as_ref().or(*operator);
                coalesced::check_on_host(comm, &list, operator)?;
                described(CallSpec::List(&list, operator))
            }
            CallSpec::Send(what) => {
                let what = OutgoingMessage { data: send(what.data), ..**what };
                comm.check_ready_send(&what)?;
                described(CallSpec::Send(&what))
            }
            CallSpec::Receive(selector, buffer) | CallSpec::ReceiveAll(selector, buffer) => {
                let buffer = RecvBuffer { data: recv(buffer.data), ..*buffer };
                comm.check_source(*selector)?;
                comm.check_recv_buffer(&buffer)?;
                described(CallSpec::Receive(*selector, buffer))
            }
        })
    }
}

/// The operator of a call whose factor has a copy. `None`: it is used as it is.
fn factor_on_copy(operator: Option<&Arc<Operator>>, host: &dyn Fn(usize) -> usize) -> Option<Arc<Operator>> {
    let (address, _) = operator?.deferred_factor()?;
    let copy = host(address);
    // SAFETY: the call keeps its copies to its end, and begins when they are there.
    let on_copy = || unsafe { operator?.with_factor_at(with_exposed_provenance(copy)) };
    (copy != address).then(on_copy).flatten().map(Arc::new)
}
