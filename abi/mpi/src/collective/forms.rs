//! The three forms of every collective, blocking, non-blocking and persistent, over one script.

use std::sync::Arc;

use anyccl_engine::comm::Communicator;

use super::fast;
use super::script::Script;
use crate::arguments::{
    CommHandle, DatatypeHandle, InfoHandle, Inputs, OpHandle, Output, RecvAddress, RequestHandle, SendAddress,
};
use crate::call::check_outside_callback;
use crate::comm::{Comm, parent};
use crate::error::Result;
use crate::request;

/// Defines the three forms of collectives. A row has their names, the arguments before the communicator, the
/// function that makes the script, and the fast path, if there is one.
macro_rules! forms {
    (@fast [] $arguments:tt) => {};
    (@fast [$fast:ident] [$($argument:ident),*]) => {
        // SAFETY: the program keeps the promises that MPI asks for.
        if let Some(outcome) = fast::$fast($($argument),*).and_then(|call| unsafe { call.run() }) {
            return outcome;
        }
    };
    (@start $request:ident $comm:ident [] $arguments:tt) => {};
    (@start $request:ident $comm:ident [$fast:ident] [$($argument:ident),*]) => {
        // SAFETY: the program keeps the promises that MPI asks for.
        if let Some(started) = fast::$fast($($argument),*).and_then(|call| unsafe { call.start() }) {
            $request.set(request::create($comm.0, started?));
            return Ok(());
        }
    };
    ($($mpi:literal $run:ident $start:ident $init:ident ($($argument:ident: $kind:ty),*)
       = $($script:ident)::+ $(, $fast:ident)?;)*) => {$(
        #[doc = concat!("`MPI_", $mpi, "`, with counts of any size.")]
        #[inline(always)]
        pub unsafe fn $run($($argument: $kind,)* comm: CommHandle) -> Result<()> {
            forms!(@fast [$($fast)?] [$($argument,)* comm]);
            #[cold]
            #[inline(never)]
            unsafe fn slow($($argument: $kind,)* comm: CommHandle) -> Result<()> {
                check_outside_callback()?;
                // SAFETY: the program keeps the promises that MPI asks for.
                let script = unsafe { super::$($script)::+($($argument,)* comm) }?;
                script.check_host()?;
                // SAFETY: as above.
                unsafe { script.run() }
            }
            // SAFETY: as above.
            unsafe { slow($($argument,)* comm) }
        }

        #[doc = concat!("The non-blocking form of `MPI_", $mpi, "`.")]
        pub unsafe fn $start(
            $($argument: $kind,)*
            comm: CommHandle,
            request: Output<RequestHandle>,
        ) -> Result<()> {
            forms!(@start request comm [$($fast)?] [$($argument,)* comm]);
            check_outside_callback()?;
            // SAFETY: the program keeps the promises that MPI asks for.
            let script = unsafe { super::$($script)::+($($argument,)* comm) }?;
            script.check_host()?;
            // SAFETY: as above.
            request.set(request::create(comm.0, unsafe { script.start() }?));
            Ok(())
        }

        #[doc = concat!("The persistent form of `MPI_", $mpi, "`.")]
        pub unsafe fn $init(
            $($argument: $kind,)*
            comm: CommHandle,
            _info: InfoHandle,
            request: Output<RequestHandle>,
        ) -> Result<()> {
            let own = OwnEngines::of(comm)?;
            // SAFETY: the program keeps the promises that MPI asks for.
            let script = unsafe { super::$($script)::+($($argument,)* comm) }?;
            script.check_host()?;
            persist(script, own, comm, request);
            Ok(())
        }
    )*};
}

forms! {
    "Barrier" barrier ibarrier barrier_init () = barrier::barrier, barrier;
    "Bcast" bcast ibcast bcast_init (buffer: RecvAddress, count: i64, datatype: DatatypeHandle, root: i32)
        = barrier::bcast, bcast;
    "Gather" gather igather gather_init (sendbuf: SendAddress, sendcount: i64, sendtype: DatatypeHandle,
        recvbuf: RecvAddress, recvcount: i64, recvtype: DatatypeHandle, root: i32) = gather::gather, gather;
    "Gatherv" gatherv igatherv gatherv_init (sendbuf: SendAddress, sendcount: i64, sendtype: DatatypeHandle,
        recvbuf: RecvAddress, recvcounts: Inputs<i64>, displs: Inputs<i64>, recvtype: DatatypeHandle,
        root: i32) = gather::gatherv;
    "Scatter" scatter iscatter scatter_init (sendbuf: SendAddress, sendcount: i64, sendtype: DatatypeHandle,
        recvbuf: RecvAddress, recvcount: i64, recvtype: DatatypeHandle, root: i32) = scatter::scatter, scatter;
    "Scatterv" scatterv iscatterv scatterv_init (sendbuf: SendAddress, sendcounts: Inputs<i64>,
        displs: Inputs<i64>, sendtype: DatatypeHandle, recvbuf: RecvAddress, recvcount: i64,
        recvtype: DatatypeHandle, root: i32) = scatter::scatterv;
    "Allgather" allgather iallgather allgather_init (sendbuf: SendAddress, sendcount: i64,
        sendtype: DatatypeHandle, recvbuf: RecvAddress, recvcount: i64, recvtype: DatatypeHandle)
        = allgather::allgather, allgather;
    "Allgatherv" allgatherv iallgatherv allgatherv_init (sendbuf: SendAddress, sendcount: i64,
        sendtype: DatatypeHandle, recvbuf: RecvAddress, recvcounts: Inputs<i64>, displs: Inputs<i64>,
        recvtype: DatatypeHandle) = allgather::allgatherv;
    "Alltoall" alltoall ialltoall alltoall_init (sendbuf: SendAddress, sendcount: i64,
        sendtype: DatatypeHandle, recvbuf: RecvAddress, recvcount: i64, recvtype: DatatypeHandle)
        = alltoall::alltoall, alltoall;
    "Alltoallv" alltoallv ialltoallv alltoallv_init (sendbuf: SendAddress, sendcounts: Inputs<i64>,
        sdispls: Inputs<i64>, sendtype: DatatypeHandle, recvbuf: RecvAddress, recvcounts: Inputs<i64>,
        rdispls: Inputs<i64>, recvtype: DatatypeHandle) = alltoall::alltoallv;
    "Alltoallw" alltoallw ialltoallw alltoallw_init (sendbuf: SendAddress, sendcounts: Inputs<i64>,
        sdispls: Inputs<i64>, sendtypes: Inputs<DatatypeHandle>, recvbuf: RecvAddress, recvcounts: Inputs<i64>,
        rdispls: Inputs<i64>, recvtypes: Inputs<DatatypeHandle>) = alltoall::alltoallw;
    "Reduce" reduce ireduce reduce_init (sendbuf: SendAddress, recvbuf: RecvAddress, count: i64,
        datatype: DatatypeHandle, op: OpHandle, root: i32) = reduction::reduce, reduce;
    "Allreduce" allreduce iallreduce allreduce_init (sendbuf: SendAddress, recvbuf: RecvAddress, count: i64,
        datatype: DatatypeHandle, op: OpHandle) = reduction::allreduce, allreduce;
    "Reduce_scatter" reduce_scatter ireduce_scatter reduce_scatter_init (sendbuf: SendAddress,
        recvbuf: RecvAddress, recvcounts: Inputs<i64>, datatype: DatatypeHandle, op: OpHandle)
        = reduce_scatter::reduce_scatter;
    "Reduce_scatter_block" reduce_scatter_block ireduce_scatter_block reduce_scatter_block_init
        (sendbuf: SendAddress, recvbuf: RecvAddress, recvcount: i64, datatype: DatatypeHandle, op: OpHandle)
        = reduce_scatter::reduce_scatter_block, reduce_scatter_block;
    "Scan" scan iscan scan_init (sendbuf: SendAddress, recvbuf: RecvAddress, count: i64,
        datatype: DatatypeHandle, op: OpHandle) = reduction::scan, scan;
    "Exscan" exscan iexscan exscan_init (sendbuf: SendAddress, recvbuf: RecvAddress, count: i64,
        datatype: DatatypeHandle, op: OpHandle) = reduction::exscan, exscan;
    "Neighbor_allgather" neighbor_allgather ineighbor_allgather neighbor_allgather_init
        (sendbuf: SendAddress, sendcount: i64, sendtype: DatatypeHandle, recvbuf: RecvAddress, recvcount: i64,
        recvtype: DatatypeHandle) = neighbor::allgather;
    "Neighbor_allgatherv" neighbor_allgatherv ineighbor_allgatherv neighbor_allgatherv_init
        (sendbuf: SendAddress, sendcount: i64, sendtype: DatatypeHandle, recvbuf: RecvAddress,
        recvcounts: Inputs<i64>, displs: Inputs<i64>, recvtype: DatatypeHandle) = neighbor::allgatherv;
    "Neighbor_alltoall" neighbor_alltoall ineighbor_alltoall neighbor_alltoall_init
        (sendbuf: SendAddress, sendcount: i64, sendtype: DatatypeHandle, recvbuf: RecvAddress, recvcount: i64,
        recvtype: DatatypeHandle) = neighbor::alltoall;
    "Neighbor_alltoallv" neighbor_alltoallv ineighbor_alltoallv neighbor_alltoallv_init
        (sendbuf: SendAddress, sendcounts: Inputs<i64>, sdispls: Inputs<i64>, sendtype: DatatypeHandle,
        recvbuf: RecvAddress, recvcounts: Inputs<i64>, rdispls: Inputs<i64>, recvtype: DatatypeHandle)
        = neighbor::alltoallv;
    "Neighbor_alltoallw" neighbor_alltoallw ineighbor_alltoallw neighbor_alltoallw_init
        (sendbuf: SendAddress, sendcounts: Inputs<i64>, sdispls: Inputs<i64>, sendtypes: Inputs<DatatypeHandle>,
        recvbuf: RecvAddress, recvcounts: Inputs<i64>, rdispls: Inputs<i64>, recvtypes: Inputs<DatatypeHandle>)
        = neighbor::alltoallw;
}

/// The communicators of the engine that a persistent call has for itself. Ranks may start their persistent
/// requests in different orders (MPI 5.0, section 6.13), and the engine matches calls by their order.
struct OwnEngines {
    of_program: Arc<Comm>,
    /// Unset if this process is alone.
    own: Option<(Communicator, Option<Communicator>)>,
}

impl OwnEngines {
    /// Makes them. Collective, so this comes before a check that fails on one process alone.
    fn of(comm: CommHandle) -> Result<OwnEngines> {
        let of_program = parent(comm)?;
        let is_alone = of_program.engine().size() == 1;
        let own = if is_alone { None } else { Some(of_program.duplicate_engines("persistent")?) };
        Ok(OwnEngines { of_program, own })
    }
}

/// Makes a request that runs the script at each start.
fn persist(mut script: Script, engines: OwnEngines, comm: CommHandle, request: Output<RequestHandle>) {
    if let Some((all, local)) = engines.own {
        let of_program = engines.of_program;
        script.move_to(of_program.engine(), &all.shared());
        if let (Some(inter), Some(local)) = (of_program.inter(), local) {
            script.move_to(&inter.local, &local.shared());
        }
        // No other call uses these communicators.
        script.turns_of = None;
    }
    let script = Arc::new(script);
    let restart = move || {
        // SAFETY: the program keeps its buffers from each start to the end of that run, and starts a request
        // only when the run before has ended.
        unsafe { Arc::clone(&script).start_shared() }
    };
    request.set(request::create_persistent(comm.0, Arc::new(restart)));
}
