//! The mark that tells this library from NCCL.
//!
//! This library has NCCL's name and functions. When anyccl looks for the real NCCL, it must not take this
//! library for it: `anyccl_engine::backend::nccl::identity` looks for the symbol below.

/// Nobody reads the value; the existence of the symbol is the mark.
#[unsafe(no_mangle)]
pub static anyccl_is_behind_this_nccl: u8 = 1;

#[cfg(test)]
mod tests {
    use anyccl_engine::backend::nccl::identity::MARK;

    #[test]
    fn the_mark_has_the_name_that_the_tool_looks_up() {
        assert_eq!(MARK.to_str(), Ok(stringify!(anyccl_is_behind_this_nccl)));
    }
}
