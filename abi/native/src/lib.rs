//! The anyccl_* C functions.
