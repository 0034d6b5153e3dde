//! User-Level Failure Mitigation: extensions of MPICH and Open MPI, which are no functions of MPI.

/// Rows of both. See [`crate::functions`].
#[macro_export]
macro_rules! failures {
    ($door:ident) => {
        $crate::export! { $door FAILURES
            3 "4.0" MPIX_Comm_agree PMPIX_Comm_agree (comm: CommHandle, flag: InOut<Int>) on comm = comm::failures::agree;
            3 "4.0" MPIX_Comm_failure_ack PMPIX_Comm_failure_ack (comm: CommHandle) on comm = comm::failures::failure_ack;
            3 "4.0" MPIX_Comm_failure_get_acked PMPIX_Comm_failure_get_acked (comm: CommHandle, failedgrp:
                Out<GroupHandle>) on comm = comm::failures::failure_get_acked;
            3 "4.0" MPIX_Comm_get_failed PMPIX_Comm_get_failed (comm: CommHandle, failedgrp: Out<GroupHandle>) on comm =
                comm::failures::get_failed;
            3 "4.0" MPIX_Comm_revoke PMPIX_Comm_revoke (comm: CommHandle) on comm = comm::failures::revoke;
            3 "4.0" MPIX_Comm_shrink PMPIX_Comm_shrink (comm: CommHandle, newcomm: Out<CommHandle>) on comm =
                comm::failures::shrink;
        }
    };
}

/// Rows of Open MPI alone.
#[macro_export]
macro_rules! more_failures {
    ($door:ident) => {
        $crate::export! { $door MORE_FAILURES
            3 "4.0" MPIX_Comm_ack_failed PMPIX_Comm_ack_failed (comm: CommHandle, num_to_ack: Int, num_acked: Out<Int>) on
                comm = comm::failures::ack_failed;
            3 "4.0" MPIX_Comm_iagree PMPIX_Comm_iagree (comm: CommHandle, flag: Pointer, request: Out<RequestHandle>) on
                comm = comm::failures::iagree;
            3 "4.0" MPIX_Comm_is_revoked PMPIX_Comm_is_revoked (comm: CommHandle, flag: Out<Flag>) on comm =
                comm::failures::is_revoked;
        }
    };
}
