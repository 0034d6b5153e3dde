//! Functions that exist twice: NULL is the legacy default stream in one, the thread's default stream in the
//! other.

/// Declares both functions with one body. `defaults` is the [`Defaults`](crate::stream::Defaults) of the
/// body.
macro_rules! both_defaults {
    (
        $(#[$doc:meta])*
        $legacy:ident, $per_thread:ident, $name:literal,
        ($($argument:ident: $type:ty),* $(,)?), $defaults:ident => $body:block
    ) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub extern "C" fn $legacy($($argument: $type),*) -> $crate::status::Status {
            let $defaults = $crate::stream::Defaults::Legacy;
            $crate::entry::call($name, move || $body)
        }

        $(#[$doc])*
        ///
        /// NULL is the default stream of the thread.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub extern "C" fn $per_thread($($argument: $type),*) -> $crate::status::Status {
            let $defaults = $crate::stream::Defaults::PerThread;
            $crate::entry::call($name, move || $body)
        }
    };
}

pub(crate) use both_defaults;
