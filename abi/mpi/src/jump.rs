//! Other names of functions, which jump to them.

/// Exports functions that jump to others, with the arguments where they are.
#[macro_export]
macro_rules! jumps {
    ($($alias:ident = $name:ident;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $alias() {
            $crate::jumps!(@to $name)
        }
    )*};
    (@to $name:ident) => {{
        #[cfg(target_arch = "x86_64")]
        ::std::arch::naked_asm!("jmp {}", sym $name);
        #[cfg(target_arch = "aarch64")]
        ::std::arch::naked_asm!("b {}", sym $name)
    }};
}
