//! The mark that tells the MPI libraries of this project from the MPIs that it can use as an engine.
//!
//! A door has MPI's name and functions. When anyccl looks for another MPI, it must not take a door for one:
//! `anyccl_engine::backend::mpi::identity` looks for the symbol below.

pub use anyccl_engine::backend::mpi::identity::MARK;

/// Defines the symbol, which each door exports and no other MPI.
#[macro_export]
macro_rules! mark {
    () => {
        /// Nobody reads the value; the existence of the symbol is the mark.
        #[unsafe(no_mangle)]
        pub static anyccl_is_behind_this_mpi: u8 = 1;

        #[cfg(test)]
        mod mark_tests {
            #[test]
            fn the_mark_has_the_name_that_anyccl_looks_up() {
                assert_eq!($crate::mark::MARK.to_str(), Ok(stringify!(anyccl_is_behind_this_mpi)));
            }
        }
    };
}
