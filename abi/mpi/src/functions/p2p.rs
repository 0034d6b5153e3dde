//! Point-to-point communication: chapter 3.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! p2p {
    ($door:ident) => {
        $crate::export! { $door P2P
            2 "1.0" MPI_Bsend PMPI_Bsend (buf: SendBuffer, count: Count, datatype: DatatypeHandle, dest: Rank, tag: Tag,
                comm: CommHandle) on comm = p2p::send::buffered;
            2 "1.0" MPI_Bsend_init PMPI_Bsend_init (buf: SendBuffer, count: Count, datatype: DatatypeHandle, dest: Rank,
                tag: Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::persistent::send <Buffered>;
            2 "1.0" MPI_Buffer_attach PMPI_Buffer_attach (buffer: RecvBuffer, size: Count) = p2p::buffered::buffer_attach;
            2 "1.0" MPI_Buffer_detach PMPI_Buffer_detach (buffer_addr: Pointer, size: Out<Count>) = p2p::buffered::buffer_detach;
            2 "1.0" MPI_Ibsend PMPI_Ibsend (buf: SendBuffer, count: Count, datatype: DatatypeHandle, dest: Rank, tag: Tag,
                comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::send::isend <Buffered>;
            2 "3.0" MPI_Improbe PMPI_Improbe (source: Rank, tag: Tag, comm: CommHandle, flag: Out<Flag>, message:
                Out<MessageHandle>, status: OutStatus) on comm = p2p::probe::improbe;
            2 "3.0" MPI_Imrecv PMPI_Imrecv (buf: RecvBuffer, count: Count, datatype: DatatypeHandle, message:
                InOut<MessageHandle>, request: Out<RequestHandle>) = p2p::probe::imrecv;
            1 "1.0" MPI_Iprobe PMPI_Iprobe (source: Rank, tag: Tag, comm: CommHandle, flag: Out<Flag>, status: OutStatus) on
                comm = p2p::probe::iprobe;
            1 "1.0" MPI_Irecv PMPI_Irecv (buf: RecvBuffer, count: Count, datatype: DatatypeHandle, source: Rank, tag: Tag,
                comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::receive::irecv;
            2 "1.0" MPI_Irsend PMPI_Irsend (buf: SendBuffer, count: Count, datatype: DatatypeHandle, dest: Rank, tag: Tag,
                comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::send::isend <Standard>;
            1 "1.0" MPI_Isend PMPI_Isend (buf: SendBuffer, count: Count, datatype: DatatypeHandle, dest: Rank, tag: Tag,
                comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::send::isend <Standard>;
            1 "1.0" MPI_Issend PMPI_Issend (buf: SendBuffer, count: Count, datatype: DatatypeHandle, dest: Rank, tag: Tag,
                comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::send::isend <Synchronous>;
            2 "3.0" MPI_Mprobe PMPI_Mprobe (source: Rank, tag: Tag, comm: CommHandle, message: Out<MessageHandle>, status:
                OutStatus) on comm = p2p::probe::mprobe;
            2 "3.0" MPI_Mrecv PMPI_Mrecv (buf: RecvBuffer, count: Count, datatype: DatatypeHandle, message:
                InOut<MessageHandle>, status: OutStatus) = p2p::probe::mrecv;
            1 "1.0" MPI_Probe PMPI_Probe (source: Rank, tag: Tag, comm: CommHandle, status: OutStatus) on comm = p2p::probe::probe;
            1 "1.0" MPI_Recv PMPI_Recv (buf: RecvBuffer, count: Count, datatype: DatatypeHandle, source: Rank, tag: Tag,
                comm: CommHandle, status: OutStatus) on comm = p2p::receive::recv;
            1 "1.0" MPI_Recv_init PMPI_Recv_init (buf: RecvBuffer, count: Count, datatype: DatatypeHandle, source: Rank,
                tag: Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::persistent::recv;
            1 "1.0" MPI_Rsend PMPI_Rsend (buf: SendBuffer, count: Count, datatype: DatatypeHandle, dest: Rank, tag: Tag,
                comm: CommHandle) on comm = p2p::send::send;
            2 "1.0" MPI_Rsend_init PMPI_Rsend_init (buf: SendBuffer, count: Count, datatype: DatatypeHandle, dest: Rank,
                tag: Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::persistent::send <Standard>;
            1 "1.0" MPI_Send PMPI_Send (buf: SendBuffer, count: Count, datatype: DatatypeHandle, dest: Rank, tag: Tag, comm:
                CommHandle) on comm = p2p::send::send;
            1 "1.0" MPI_Send_init PMPI_Send_init (buf: SendBuffer, count: Count, datatype: DatatypeHandle, dest: Rank, tag:
                Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::persistent::send <Standard>;
            1 "1.0" MPI_Sendrecv PMPI_Sendrecv (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle, dest: Rank,
                sendtag: Tag, recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, source: Rank, recvtag: Tag, comm:
                CommHandle, status: OutStatus) on comm = p2p::exchange::sendrecv;
            1 "1.0" MPI_Sendrecv_replace PMPI_Sendrecv_replace (buf: RecvBuffer, count: Count, datatype: DatatypeHandle,
                dest: Rank, sendtag: Tag, source: Rank, recvtag: Tag, comm: CommHandle, status: OutStatus) on comm = p2p::exchange::sendrecv_replace;
            1 "1.0" MPI_Ssend PMPI_Ssend (buf: SendBuffer, count: Count, datatype: DatatypeHandle, dest: Rank, tag: Tag,
                comm: CommHandle) on comm = p2p::send::synchronous;
            2 "1.0" MPI_Ssend_init PMPI_Ssend_init (buf: SendBuffer, count: Count, datatype: DatatypeHandle, dest: Rank,
                tag: Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::persistent::send <Synchronous>;
            2 "4.0" MPI_Bsend_c PMPI_Bsend_c (buf: SendBuffer, count: LargeCount, datatype: DatatypeHandle, dest: Rank, tag:
                Tag, comm: CommHandle) on comm = p2p::send::buffered;
            2 "4.0" MPI_Bsend_init_c PMPI_Bsend_init_c (buf: SendBuffer, count: LargeCount, datatype: DatatypeHandle, dest:
                Rank, tag: Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::persistent::send <Buffered>;
            2 "4.0" MPI_Buffer_attach_c PMPI_Buffer_attach_c (buffer: RecvBuffer, size: LargeCount) = p2p::buffered::buffer_attach;
            2 "4.0" MPI_Buffer_detach_c PMPI_Buffer_detach_c (buffer_addr: Pointer, size: Out<LargeCount>) = p2p::buffered::buffer_detach;
            2 "4.1" MPI_Buffer_flush PMPI_Buffer_flush () = p2p::buffered::buffer_flush;
            2 "4.1" MPI_Buffer_iflush PMPI_Buffer_iflush (request: Out<RequestHandle>) = p2p::buffered::buffer_iflush;
            2 "4.1" MPI_Comm_attach_buffer PMPI_Comm_attach_buffer (comm: CommHandle, buffer: RecvBuffer, size: Count) on
                comm = p2p::buffered::comm_attach_buffer;
            2 "4.0" MPI_Comm_attach_buffer_c PMPI_Comm_attach_buffer_c (comm: CommHandle, buffer: RecvBuffer, size:
                LargeCount) on comm = p2p::buffered::comm_attach_buffer;
            2 "4.1" MPI_Comm_detach_buffer PMPI_Comm_detach_buffer (comm: CommHandle, buffer_addr: Pointer, size:
                Out<Count>) on comm = p2p::buffered::comm_detach_buffer;
            2 "4.0" MPI_Comm_detach_buffer_c PMPI_Comm_detach_buffer_c (comm: CommHandle, buffer_addr: Pointer, size:
                Out<LargeCount>) on comm = p2p::buffered::comm_detach_buffer;
            2 "4.1" MPI_Comm_flush_buffer PMPI_Comm_flush_buffer (comm: CommHandle) on comm = p2p::buffered::comm_flush_buffer;
            2 "4.1" MPI_Comm_iflush_buffer PMPI_Comm_iflush_buffer (comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::buffered::comm_iflush_buffer;
            2 "4.0" MPI_Ibsend_c PMPI_Ibsend_c (buf: SendBuffer, count: LargeCount, datatype: DatatypeHandle, dest: Rank,
                tag: Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::send::isend <Buffered>;
            2 "4.0" MPI_Imrecv_c PMPI_Imrecv_c (buf: RecvBuffer, count: LargeCount, datatype: DatatypeHandle, message:
                InOut<MessageHandle>, request: Out<RequestHandle>) = p2p::probe::imrecv;
            2 "4.0" MPI_Irecv_c PMPI_Irecv_c (buf: RecvBuffer, count: LargeCount, datatype: DatatypeHandle, source: Rank,
                tag: Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::receive::irecv;
            2 "4.0" MPI_Irsend_c PMPI_Irsend_c (buf: SendBuffer, count: LargeCount, datatype: DatatypeHandle, dest: Rank,
                tag: Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::send::isend <Standard>;
            2 "4.0" MPI_Isend_c PMPI_Isend_c (buf: SendBuffer, count: LargeCount, datatype: DatatypeHandle, dest: Rank, tag:
                Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::send::isend <Standard>;
            2 "4.0" MPI_Isendrecv PMPI_Isendrecv (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle, dest:
                Rank, sendtag: Tag, recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, source: Rank, recvtag: Tag,
                comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::exchange::isendrecv;
            2 "4.0" MPI_Isendrecv_c PMPI_Isendrecv_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype: DatatypeHandle,
                dest: Rank, sendtag: Tag, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, source: Rank,
                recvtag: Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::exchange::isendrecv;
            2 "4.0" MPI_Isendrecv_replace PMPI_Isendrecv_replace (buf: RecvBuffer, count: Count, datatype: DatatypeHandle,
                dest: Rank, sendtag: Tag, source: Rank, recvtag: Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::exchange::isendrecv_replace;
            2 "4.0" MPI_Isendrecv_replace_c PMPI_Isendrecv_replace_c (buf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, dest: Rank, sendtag: Tag, source: Rank, recvtag: Tag, comm: CommHandle, request:
                Out<RequestHandle>) on comm = p2p::exchange::isendrecv_replace;
            2 "4.0" MPI_Issend_c PMPI_Issend_c (buf: SendBuffer, count: LargeCount, datatype: DatatypeHandle, dest: Rank,
                tag: Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::send::isend <Synchronous>;
            2 "4.0" MPI_Mrecv_c PMPI_Mrecv_c (buf: RecvBuffer, count: LargeCount, datatype: DatatypeHandle, message:
                InOut<MessageHandle>, status: OutStatus) = p2p::probe::mrecv;
            2 "4.0" MPI_Recv_c PMPI_Recv_c (buf: RecvBuffer, count: LargeCount, datatype: DatatypeHandle, source: Rank, tag:
                Tag, comm: CommHandle, status: OutStatus) on comm = p2p::receive::recv;
            2 "4.0" MPI_Recv_init_c PMPI_Recv_init_c (buf: RecvBuffer, count: LargeCount, datatype: DatatypeHandle, source:
                Rank, tag: Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::persistent::recv;
            2 "4.0" MPI_Rsend_c PMPI_Rsend_c (buf: SendBuffer, count: LargeCount, datatype: DatatypeHandle, dest: Rank, tag:
                Tag, comm: CommHandle) on comm = p2p::send::send;
            2 "4.0" MPI_Rsend_init_c PMPI_Rsend_init_c (buf: SendBuffer, count: LargeCount, datatype: DatatypeHandle, dest:
                Rank, tag: Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::persistent::send <Standard>;
            2 "4.0" MPI_Send_c PMPI_Send_c (buf: SendBuffer, count: LargeCount, datatype: DatatypeHandle, dest: Rank, tag:
                Tag, comm: CommHandle) on comm = p2p::send::send;
            2 "4.0" MPI_Send_init_c PMPI_Send_init_c (buf: SendBuffer, count: LargeCount, datatype: DatatypeHandle, dest:
                Rank, tag: Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::persistent::send <Standard>;
            2 "4.0" MPI_Sendrecv_c PMPI_Sendrecv_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype: DatatypeHandle,
                dest: Rank, sendtag: Tag, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, source: Rank,
                recvtag: Tag, comm: CommHandle, status: OutStatus) on comm = p2p::exchange::sendrecv;
            2 "4.0" MPI_Sendrecv_replace_c PMPI_Sendrecv_replace_c (buf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, dest: Rank, sendtag: Tag, source: Rank, recvtag: Tag, comm: CommHandle, status: OutStatus) on
                comm = p2p::exchange::sendrecv_replace;
            2 "4.0" MPI_Ssend_c PMPI_Ssend_c (buf: SendBuffer, count: LargeCount, datatype: DatatypeHandle, dest: Rank, tag:
                Tag, comm: CommHandle) on comm = p2p::send::synchronous;
            2 "4.0" MPI_Ssend_init_c PMPI_Ssend_init_c (buf: SendBuffer, count: LargeCount, datatype: DatatypeHandle, dest:
                Rank, tag: Tag, comm: CommHandle, request: Out<RequestHandle>) on comm = p2p::persistent::send <Synchronous>;
        }
    };
}
