//! The mark that tells this library from the MPIs that anyccl can use as an engine.
//!
//! This library has MPI's name and functions. When anyccl looks for another MPI, it must not take this
//! library for one: `anyccl_engine::backend::mpi::identity` looks for the symbol below.

/// Nobody reads the value; the existence of the symbol is the mark.
#[unsafe(no_mangle)]
pub static anyccl_is_behind_this_mpi: u8 = 1;

#[cfg(test)]
mod tests {
    use anyccl_mpi::MARK;

    #[test]
    fn the_mark_has_the_name_that_anyccl_looks_up() {
        assert_eq!(MARK.to_str(), Ok(stringify!(anyccl_is_behind_this_mpi)));
    }
}
