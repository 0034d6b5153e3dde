//! An open endpoint with all that belongs to it, and the calls on it. Its owner makes one call at a time.

use std::ffi::{c_int, c_void};
use std::os::fd::RawFd;
use std::ptr;

use super::abi::{self, CqEntry, CqError, CqErrorRoom, Fid};
use super::library::Offer;

/// Completions that one look takes out.
pub(super) const LOOK: usize = 16;

/// Longest address of an endpoint.
pub(super) const ADDRESS_BYTES: usize = 256;

/// What a look at the completions has found.
pub(super) enum Found {
    /// So many entries.
    Some(usize),
    Nothing,
    /// An operation that has failed.
    Failure(CqError),
    /// The queue itself has failed.
    Broken(String),
}

/// Calls a function in a table of an open object. A comment where it is used argues for the arguments.
macro_rules! call {
    ($object:expr => $table:ident.$function:ident($($argument:expr),*)) => {{
        // SAFETY: an object that this file has opened and not closed.
        let table = unsafe { (*$object).$table };
        // SAFETY: the library keeps the tables of open objects, and they have this function in all versions.
        let function = unsafe { (*table).$function };
        // SAFETY: argued where the macro is used.
        unsafe { function($($argument),*) }
    }};
}

/// An endpoint, its table of addresses, its completions, and the objects below it.
pub(super) struct Objects {
    fabric: *mut abi::Fabric,
    domain: *mut abi::Domain,
    av: *mut abi::Av,
    cq: *mut abi::Cq,
    ep: *mut abi::Ep,
    region: *mut abi::Mr,
    /// The descriptor of the completions, if the provider has one.
    wait: Option<RawFd>,
    offer: Offer,
    /// Process that has opened it.
    process: u32,
}

// SAFETY: the objects are used by one thread at a time, as their threading model of a domain wants it.
unsafe impl Send for Objects {}

impl Objects {
    /// Opens an endpoint that speaks with up to `peers` others. The completions hold `completions` entries.
    pub fn open(offer: Offer, peers: usize, completions: usize) -> Result<Objects, String> {
        let mut objects = Objects {
            fabric: ptr::null_mut(),
            domain: ptr::null_mut(),
            av: ptr::null_mut(),
            cq: ptr::null_mut(),
            ep: ptr::null_mut(),
            region: ptr::null_mut(),
            wait: None,
            offer,
            process: std::process::id(),
        };
        // What is open when one step fails is closed by the drop.
        objects.open_domain()?;
        objects.open_queues(peers, completions)?;
        objects.open_endpoint()?;
        Ok(objects)
    }

    fn check(&self, what: &str, rc: c_int) -> Result<(), String> {
        match rc {
            0 => Ok(()),
            rc => Err(format!("{what}: {}", self.offer.library().error(rc as isize))),
        }
    }

    fn open_domain(&mut self) -> Result<(), String> {
        let (library, info) = (self.offer.library(), self.offer.info());
        // SAFETY: a record of this library.
        let attributes = unsafe { (*info).fabric_attr };
        // SAFETY: a part of that record, and a place for the new object.
        let rc = unsafe { (library.open_fabric)(attributes, &raw mut self.fabric, ptr::null_mut()) };
        self.check("the fabric cannot be opened", rc)?;
        // SAFETY: an open object, whose table has this function; a record of this library.
        let rc = call!(
            self.fabric => ops.domain(self.fabric, info, &raw mut self.domain, ptr::null_mut())
        );
        self.check("the domain cannot be opened", rc)
    }

    fn open_queues(&mut self, peers: usize, completions: usize) -> Result<(), String> {
        let mut attributes = abi::AvAttr { count: peers, ..abi::AvAttr::default() };
        // SAFETY: an open object, whose table has this function; a record on the stack, which is only read.
        let rc = call!(
            self.domain => ops.av_open(self.domain, &raw mut attributes, &raw mut self.av, ptr::null_mut())
        );
        self.check("no table of addresses", rc)?;
        let wakes = !self.offer.repeats_when_asked();
        if wakes && self.open_completions(completions, abi::FI_WAIT_FD).is_ok() {
            let mut wait: c_int = -1;
            // SAFETY: an open object; the command writes one int.
            let rc = unsafe { control(self.cq.cast(), abi::FI_GETWAIT, (&raw mut wait).cast()) };
            self.wait = Some(wait).filter(|wait| rc == 0 && *wait >= 0);
            if self.wait.is_some() {
                return Ok(());
            }
            // SAFETY: an open object that nothing uses yet.
            close(self.cq.cast());
            self.cq = ptr::null_mut();
        }
        // Some providers cannot wake a sleeper.
        let rc = self.open_completions(completions, abi::FI_WAIT_NONE);
        rc.or_else(|rc| self.check("no queue of completions", rc))
    }

    /// Opens the queue of completions, with this kind of object to wait for. The error is libfabric's number.
    fn open_completions(&mut self, size: usize, wait_obj: c_int) -> Result<(), c_int> {
        let format = abi::FI_CQ_FORMAT_TAGGED;
        let mut attributes = abi::CqAttr { size, format, wait_obj, ..abi::CqAttr::default() };
        let mut opened = ptr::null_mut();
        // SAFETY: an open object, whose table has this function; a record on the stack, which is only read.
        let rc = call!(
            self.domain => ops.cq_open(self.domain, &raw mut attributes, &raw mut opened, ptr::null_mut())
        );
        if rc != 0 {
            return Err(rc);
        }
        self.cq = opened;
        Ok(())
    }

    fn open_endpoint(&mut self) -> Result<(), String> {
        let info = self.offer.info();
        // SAFETY: an open object, whose table has this function; a record of this library.
        let rc = call!(self.domain => ops.endpoint(self.domain, info, &raw mut self.ep, ptr::null_mut()));
        self.check("no endpoint", rc)?;
        let fid = self.ep.cast::<Fid>();
        let queues = [(self.av.cast::<Fid>(), 0), (self.cq.cast::<Fid>(), abi::FI_SEND | abi::FI_RECV)];
        for (queue, flags) in queues {
            // SAFETY: open objects of the same domain.
            let rc = call!(fid => ops.bind(fid, queue, flags));
            self.check("the endpoint takes no queue", rc)?;
        }
        // SAFETY: an open object; the command takes no argument.
        let rc = unsafe { control(fid, abi::FI_ENABLE, ptr::null_mut()) };
        self.check("the endpoint cannot be enabled", rc)
    }

    /// Registers the memory of all operations, where the provider wants that.
    ///
    /// # Safety
    /// The memory is readable and writable, and outlives this object.
    pub unsafe fn register(&mut self, start: *mut u8, bytes: usize) -> Result<(), String> {
        if !self.offer.wants_registration() {
            return Ok(());
        }
        let access = abi::FI_SEND | abi::FI_RECV;
        // SAFETY: an open object, whose table has this function; the caller vouches for the memory.
        let rc = call!(
            self.domain => mr.reg(
                self.domain.cast(), start.cast(), bytes, access, 0, 0, 0, &raw mut self.region, ptr::null_mut()
            )
        );
        self.check("memory cannot be registered", rc)?;
        if !self.offer.binds_regions() {
            return Ok(());
        }
        let region = self.region.cast::<Fid>();
        // SAFETY: open objects of the same domain.
        let rc = call!(region => ops.bind(region, self.ep.cast(), 0));
        self.check("memory cannot be bound to the endpoint", rc)?;
        // SAFETY: an open object; the command takes no argument.
        let rc = unsafe { control(region, abi::FI_ENABLE, ptr::null_mut()) };
        self.check("registered memory cannot be enabled", rc)
    }

    fn descriptor(&self) -> *mut c_void {
        // SAFETY: an open region, which begins with this record.
        if self.region.is_null() { ptr::null_mut() } else { unsafe { (*self.region).descriptor } }
    }

    /// The address at which peers reach the endpoint.
    pub fn address(&self) -> Result<Vec<u8>, String> {
        let mut address = vec![0; ADDRESS_BYTES];
        let mut bytes = address.len();
        // SAFETY: an open endpoint; the call writes no more than the vector has.
        let rc = call!(
            self.ep => cm.getname(self.ep.cast(), address.as_mut_ptr().cast(), &raw mut bytes)
        );
        self.check("the endpoint has no address", rc)?;
        address.truncate(bytes);
        Ok(address)
    }

    /// Enters the address of a peer. Returns its handle.
    pub fn insert(&mut self, address: &[u8]) -> Result<u64, String> {
        // A provider reads as many bytes as its addresses have, whatever a peer has sent.
        let mut padded = address.to_vec();
        padded.resize(2 * ADDRESS_BYTES, 0);
        let mut handle = abi::FI_ADDR_UNSPEC;
        // SAFETY: an open table; one address, with zeros behind it, and a place for one handle.
        let entered = call!(
            self.av => ops.insert(self.av, padded.as_ptr().cast(), 1, &raw mut handle, 0, ptr::null_mut())
        );
        if entered == 1 && handle != abi::FI_ADDR_UNSPEC {
            return Ok(handle);
        }
        Err("the address of the peer is not accepted".into())
    }

    /// Posts a receive of a frame under this tag, from anybody. `false`: there is no room now.
    ///
    /// # Safety
    /// The buffer is registered, and nobody touches it and the context before the receive has ended.
    pub unsafe fn receive(
        &mut self,
        buffer: *mut u8,
        bytes: usize,
        tag: u64,
        context: *mut abi::Context,
    ) -> Result<bool, String> {
        // SAFETY: an open endpoint, whose table has this function; the caller vouches for the memory.
        let rc = call!(
            self.ep => tagged.recv(
                self.ep, buffer.cast(), bytes, self.descriptor(), abi::FI_ADDR_UNSPEC, tag, 0, context.cast()
            )
        );
        self.posted("a receive", rc)
    }

    /// Posts a send. `false`: there is no room now.
    ///
    /// # Safety
    /// The buffer is registered, and nobody writes to it or touches the context before the send has ended.
    pub unsafe fn send(
        &mut self,
        buffer: *const u8,
        bytes: usize,
        to: (u64, u64),
        context: *mut abi::Context,
    ) -> Result<bool, String> {
        let (peer, tag) = to;
        // SAFETY: as above.
        let rc = call!(
            self.ep => tagged.send(self.ep, buffer.cast(), bytes, self.descriptor(), peer, tag, context.cast())
        );
        self.posted("a send", rc)
    }

    fn posted(&self, what: &str, rc: isize) -> Result<bool, String> {
        match rc {
            0 => Ok(true),
            rc if rc == -abi::FI_EAGAIN => Ok(false),
            rc => Err(format!("{what} is refused: {}", self.offer.library().error(rc))),
        }
    }

    /// Takes out completions, and moves operations on.
    pub fn look(&mut self, entries: &mut [std::mem::MaybeUninit<CqEntry>; LOOK]) -> Found {
        // SAFETY: an open queue of this format; the call writes no more entries than the array has.
        let rc = call!(self.cq => ops.read(self.cq, entries.as_mut_ptr().cast(), LOOK));
        match rc {
            1.. => Found::Some(rc as usize),
            0 => Found::Nothing,
            rc if rc == -abi::FI_EAGAIN => Found::Nothing,
            rc if rc == -abi::FI_EAVAIL => self.look_at_failure(),
            rc => Found::Broken(self.offer.library().error(rc)),
        }
    }

    fn look_at_failure(&mut self) -> Found {
        // SAFETY: all members are numbers and addresses, for which zero is a value.
        let mut room: CqErrorRoom = unsafe { std::mem::zeroed() };
        // SAFETY: an open queue; a record on the stack, longer than that of any version, and without memory
        // for details.
        let rc = call!(self.cq => ops.readerr(self.cq, (&raw mut room).cast(), 0));
        match rc {
            1.. => Found::Failure(room.error),
            rc if rc == 0 || rc == -abi::FI_EAGAIN => Found::Nothing,
            rc => Found::Broken(self.offer.library().error(rc)),
        }
    }

    /// Whether a thread may wait for the descriptor, if there is one: a look would find nothing.
    pub fn may_wait(&mut self) -> bool {
        let mut queues = [self.cq.cast::<Fid>()];
        // SAFETY: an open fabric, whose table has this function, and one open queue of it.
        call!(self.fabric => ops.trywait(self.fabric, queues.as_mut_ptr(), 1)) == 0
    }

    /// The descriptor that is ready when there may be something to look at, if the provider has one.
    pub fn wait_descriptor(&self) -> Option<RawFd> {
        self.wait
    }

    pub fn offer(&self) -> &Offer {
        &self.offer
    }
}

/// # Safety
/// An open object, and an argument as the command wants it.
unsafe fn control(fid: *mut Fid, command: c_int, argument: *mut c_void) -> c_int {
    // SAFETY: passed on to our caller.
    call!(fid => ops.control(fid, command, argument))
}

impl Objects {
    /// Closes all, once. Returns whether nobody uses the memory of the operations any more. A provider may
    /// refuse to close an endpoint whose operations are under way.
    pub fn close(&mut self) -> bool {
        // A child of fork would end connections of its parent. It may not even see the memory.
        if std::process::id() != self.process {
            return false;
        }
        let fabric = std::mem::replace(&mut self.fabric, ptr::null_mut()).cast();
        let domain = std::mem::replace(&mut self.domain, ptr::null_mut()).cast();
        let av = std::mem::replace(&mut self.av, ptr::null_mut()).cast();
        let cq = std::mem::replace(&mut self.cq, ptr::null_mut()).cast();
        let ep = std::mem::replace(&mut self.ep, ptr::null_mut()).cast();
        let region = std::mem::replace(&mut self.region, ptr::null_mut()).cast();
        // A region that is bound to the endpoint goes before it.
        let is_closed = match self.offer.binds_regions() {
            true => close(region) && close(ep),
            false => close(ep) && close(region),
        };
        if is_closed {
            // A failure leaves the objects below it open, which is harmless.
            let _ = [cq, av, domain, fabric].into_iter().all(close);
        }
        is_closed
    }
}

/// Closes an object that nothing else uses, if there is one. Returns whether it is closed.
fn close(object: *mut Fid) -> bool {
    // SAFETY: NULL, or an object that the caller has opened and forgets.
    object.is_null() || call!(object => ops.close(object)) == 0
}

impl Drop for Objects {
    fn drop(&mut self) {
        self.close();
    }
}
