//! The job under measurement, and how its ranks agree on numbers between measurements.

use std::sync::Arc;

use anyccl_engine::base::{Call, CallKind, Collective, Datatype, Error, Rank, ReduceOp, Result};
use anyccl_engine::bootstrap::{UNIQUE_ID_BYTES, UniqueId};
use anyccl_engine::comm::{CallSpec, CommConfig, Communicator, Operation, world_finalize, world_init};
use anyccl_engine::config::{Config, TransportChoice};
use anyccl_engine::device::tools::{device_count, use_device};
use anyccl_engine::observe::log;
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};

use super::region::{Incoming, Memory, Outgoing};

/// Form of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The call returns when it is done.
    Blocking,
    /// The call is started, then waited for.
    NonBlocking,
}

impl Form {
    /// Makes a call and returns when it is done.
    ///
    /// # Safety
    /// See [`Communicator::run`].
    pub unsafe fn call(self, comm: &Communicator, operation: &Operation) -> Result<()> {
        match self {
            // SAFETY: the caller's promise is the one asked for.
            Form::Blocking => unsafe { comm.run(operation) },
            Form::NonBlocking => {
                // SAFETY: the caller's promise holds until this function returns, and the request is waited
                // for here.
                let mut request = unsafe { comm.start(operation) }?;
                request.wait()
            }
        }
    }
}

/// All ranks of the job.
pub struct Ranks {
    /// The world, in which the library chooses the algorithms.
    pub world: Arc<Communicator>,
    /// Where the measured buffers of this rank lie.
    pub memory: Memory,
    config: Config,
}

impl Ranks {
    /// Joins the job that the environment describes.
    pub fn join() -> Result<Ranks> {
        let config = Config::from_environment()?;
        log::set_level(config.log);
        let world = world_init(&config, &CommConfig::default())?;
        Ok(Ranks { world, memory: Memory::Host, config })
    }

    /// Lets the ranks measure memory of devices: each uses the device of its position on its host, modulo
    /// their number. They get a new communicator, because one sees only a driver that was there before it.
    /// Collective; if it fails on one rank, it fails on all.
    pub fn use_devices(&mut self) -> Result<()> {
        let local = self.world.local_rank();
        let own = device_count().and_then(|count| match count {
            0 => Err(Error::Unsupported("this process sees no CUDA device".into())),
            count => {
                let device = (local % count.cast_unsigned()).cast_signed();
                use_device(device).map(|()| device)
            }
        });
        if !self.all(own.is_ok())? {
            let other = || Error::Unsupported("another rank has no CUDA device that it can use".into());
            return Err(own.err().unwrap_or_else(other));
        }
        self.memory = Memory::Device(own?);
        self.world = self.with_config(&self.config)?.shared();
        Ok(())
    }

    /// Leaves the job. Collective.
    pub fn leave(self) -> Result<()> {
        if self.memory != Memory::Host {
            self.world.finalize()?;
        }
        world_finalize()
    }

    /// Rank of this process.
    pub fn rank(&self) -> Rank {
        self.world.rank()
    }

    /// Number of ranks.
    pub fn size(&self) -> u32 {
        self.world.size()
    }

    /// Name of the transport between two ranks. Collective: each rank knows only its own links.
    pub fn transport(&self, from: Rank, to: Rank) -> Result<&'static str> {
        for name in ["tcp", "ofi"] {
            let has_it = self.rank() == from && self.world.transport(to) == name;
            if !self.all(!has_it)? {
                return Ok(name);
            }
        }
        Ok("shm")
    }

    /// Whether this rank reports to the user.
    pub fn speaks(&self) -> bool {
        self.rank() == 0
    }

    /// Makes a communicator of the same ranks with one algorithm forced. Collective.
    pub fn with_algorithm(&self, collective: Collective, algorithm: &str) -> Result<Communicator> {
        let algorithm = Some(format!("{}:{algorithm}", collective.name()));
        self.with_config(&Config { algorithm, ..self.config.clone() })
    }

    /// Makes a communicator of the same ranks with TCP between all of them. Collective.
    pub fn with_tcp(&self) -> Result<Communicator> {
        self.with_config(&Config { transport: TransportChoice::Tcp, ..self.config.clone() })
    }

    fn with_config(&self, config: &Config) -> Result<Communicator> {
        let mut bytes = [0; UNIQUE_ID_BYTES];
        if self.speaks() {
            bytes = UniqueId::create(config)?.0;
        }
        self.share_first(&mut bytes)?;
        Communicator::create(&UniqueId(bytes), self.size(), self.rank(), config, &CommConfig::default())
    }

    /// Waits for all ranks.
    pub fn barrier(&self) -> Result<()> {
        self.in_place(Collective::Barrier, Datatype::Byte, None, &mut [])
    }

    /// The largest value over all ranks, for each number. Numbers must not be NaN.
    pub fn largest(&self, numbers: &[f64]) -> Result<Vec<f64>> {
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        self.in_place(Collective::AllReduce, Datatype::Float64, Some(ReduceOp::Max), &mut bytes)?;
        let number = |bytes: &[u8]| f64::from_ne_bytes(bytes.try_into().expect("chunks of 8 bytes"));
        Ok(bytes.chunks_exact(size_of::<f64>()).map(number).collect())
    }

    /// Whether `holds` is true on every rank.
    pub fn all(&self, holds: bool) -> Result<bool> {
        Ok(self.largest(&[f64::from(u8::from(!holds))])? == [0.0])
    }

    /// Number of ranks on which `holds` is true.
    pub fn count(&self, holds: bool) -> Result<u32> {
        let mut bytes = u32::from(holds).to_ne_bytes();
        self.in_place(Collective::AllReduce, Datatype::Uint32, Some(ReduceOp::Sum), &mut bytes)?;
        Ok(u32::from_ne_bytes(bytes))
    }

    /// Copies the bytes of rank 0 to all ranks.
    pub fn share_first(&self, bytes: &mut [u8]) -> Result<()> {
        self.in_place(Collective::Broadcast, Datatype::Byte, None, bytes)
    }

    /// The bytes of each rank, in order, on rank 0; nothing on the others. Collective.
    pub fn collect(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        let (world, form) = (&self.world, Form::Blocking);
        if !self.speaks() {
            send(world, Outgoing::from(&(bytes.len() as u64).to_ne_bytes()[..]), 0, form)?;
            send(world, Outgoing::from(bytes), 0, form)?;
            return Ok(Vec::new());
        }
        let mut all = vec![bytes.to_vec()];
        for rank in 1..self.size() {
            let mut len = [0; 8];
            receive(world, Incoming::from(&mut len[..]), rank, form)?;
            let mut theirs = vec![0; u64::from_ne_bytes(len) as usize];
            receive(world, Incoming::from(&mut theirs[..]), rank, form)?;
            all.push(theirs);
        }
        Ok(all)
    }

    /// Runs a collective whose input and output, as far as this rank has them, are both `bytes`.
    fn in_place(
        &self,
        collective: Collective,
        datatype: Datatype,
        op: Option<ReduceOp>,
        bytes: &mut [u8],
    ) -> Result<()> {
        let count = (bytes.len() / datatype.bytes()) as u64;
        let call = Call { kind: CallKind::Collective(collective), datatype, op, root: 0, count };
        let buffer = bytes.as_mut_ptr();
        // SAFETY: a barrier touches nothing; all_reduce and broadcast read and write `count` elements, which
        // lie in `bytes`, borrowed for the whole blocking call.
        unsafe { self.world.run(&Operation { call, send: buffer, recv: buffer }) }
    }
}

/// Sends to one rank.
pub fn send(comm: &Communicator, bytes: Outgoing<'_>, to: Rank, form: Form) -> Result<()> {
    let what = outgoing(bytes, to);
    match form {
        // SAFETY: `data` has `count` bytes, which are borrowed for the whole call.
        Form::Blocking => unsafe { comm.send(&what) },
        // SAFETY: as above, and the request is waited for here.
        Form::NonBlocking => unsafe { comm.start(&what) }?.wait(),
    }
}

/// Receives from one rank.
pub fn receive(comm: &Communicator, bytes: Incoming<'_>, from: Rank, form: Form) -> Result<()> {
    let (data, count) = (bytes.start, bytes.len as u64);
    let buffer = RecvBuffer { data, datatype: Datatype::Byte, count, is_lenient: false };
    let selector = Selector::new(Some(from), Some(0));
    match form {
        // SAFETY: `data` has `count` bytes, which are borrowed for the whole call.
        Form::Blocking => unsafe { comm.receive(selector, buffer) }.map(drop),
        // SAFETY: as above, and the request is waited for here.
        Form::NonBlocking => unsafe { comm.start(CallSpec::Receive(selector, buffer)) }?.wait(),
    }
}

/// Sends to one rank and receives from it at the same time.
pub fn exchange(comm: &Communicator, out: Outgoing<'_>, back: Incoming<'_>, peer: Rank) -> Result<()> {
    let message = outgoing(out, peer);
    // SAFETY: `out` is borrowed until this function returns. The request is waited for here, or by its drop
    // if the receive fails.
    let mut sent = unsafe { comm.start(&message) }?;
    receive(comm, back, peer, Form::Blocking)?;
    sent.wait()
}

fn outgoing(bytes: Outgoing<'_>, to: Rank) -> OutgoingMessage {
    let (datatype, count, data) = (Datatype::Byte, bytes.len as u64, bytes.start);
    OutgoingMessage { to, tag: 0, datatype, count, data, is_synchronous: false }
}
