//! Tests of the reduction kernels.
