//! `forms!`: one row makes the blocking, the nonblocking and the persistent C function of a call.
//!
//! A row is the blocking function as one would write it, but for its body. The body only makes an
//! [`Invocation`](crate::invocation::Invocation): the arguments, which nobody has checked yet. Below it are
//! the names of the other forms.
//!
//!     forms! {
//!         /// Waits until every rank has made the call.
//!         ///
//!         /// \param[in] comm  Communicator, or ANYCCL_WORLD.
//!         /// \returns ANYCCL_SUCCESS or one of \ref failures.
//!         fn anyccl_barrier(comm: anyccl_comm_t) {
//!             Arguments::plain(Collective::Barrier, null(), null_mut(), 0, BYTE, comm)
//!         }
//!         /// Replacement for MPI_Ibarrier.
//!         nonblocking anyccl_ibarrier;
//!         /// Replacement for MPI_Barrier_init.
//!         persistent anyccl_barrier_init;
//!     }
//!
//! This makes three exported functions with the parameters of the row. The last two also have a
//! `request: *mut anyccl_request_t`. Each of the three contains the body, so a body is short. A call without
//! a persistent form lacks that line. A row that begins with `of` instead of `fn` belongs to a blocking
//! function that is written by hand, because its parameters differ.
//!
//! `cargo xtask header` reads the same rows, because cbindgen does not see what a macro makes. It begins the
//! text of the other forms with a sentence such as "Nonblocking form of anyccl_barrier(): see ...". Its
//! reader is xtask/src/header/forms.rs: change the grammar in both. All names are written out, so that a
//! search finds them.

/// See the head of this file. Rows are split only as far as needed: their lists are passed on as they are.
macro_rules! forms {
    (
        $(#[$text:meta])*
        fn $call:ident $parameters:tt $body:tt
        $($others:tt)*
    ) => {
        forms! { @blocking $call $parameters $body $(#[$text])* }
        forms! { of $call $parameters $body $($others)* }
    };
    (
        of $call:ident $parameters:tt $body:tt
        $(#[$starting_text:meta])*
        nonblocking $starting:ident;
        $(
            $(#[$preparing_text:meta])*
            persistent $preparing:ident;
        )?
    ) => {
        forms! { @nonblocking $starting $parameters $body $(#[$starting_text])* }
        $(forms! { @persistent $preparing $parameters $body $(#[$preparing_text])* })?
    };
    (@blocking $name:ident ($($parameter:ident: $type:ty),* $(,)?) $body:block $(#[$text:meta])*) => {
        $(#[$text])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($parameter: $type),*) -> $crate::status::anyccl_status_t {
            let invocation = || $body;
            // SAFETY: the caller promises arrays and buffers of the documented lengths. During the call,
            // nobody else changes them, and nobody else reads what is received.
            unsafe { $crate::invocation::Invocation::run_blocking(stringify!($name), invocation) }
        }
    };
    (@nonblocking $name:ident ($($parameter:ident: $type:ty),* $(,)?) $body:block $(#[$text:meta])*) => {
        $(#[$text])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            $($parameter: $type,)*
            request: *mut $crate::request::anyccl_request_t,
        ) -> $crate::status::anyccl_status_t {
            $crate::status::edge(stringify!($name), || {
                let invocation = $body;
                // SAFETY: the caller promises arrays and buffers of the documented lengths. Nobody changes
                // the arrays during the call. Until the request has ended, nobody else changes the buffers
                // or reads what is received. `request` is NULL or has a writable place for a handle.
                unsafe { $crate::invocation::start(invocation, request) }
            })
        }
    };
    (@persistent $name:ident ($($parameter:ident: $type:ty),* $(,)?) $body:block $(#[$text:meta])*) => {
        $(#[$text])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            $($parameter: $type,)*
            request: *mut $crate::request::anyccl_request_t,
        ) -> $crate::status::anyccl_status_t {
            $crate::status::edge(stringify!($name), || {
                let invocation = $body;
                // SAFETY: the caller promises arrays and buffers of the documented lengths. Nobody changes
                // the arrays during the call. During each run, nobody else changes the buffers or reads what
                // is received. `request` is NULL or has a writable place for a handle.
                unsafe { $crate::invocation::prepare(invocation, request) }
            })
        }
    };
}

pub(crate) use forms;
