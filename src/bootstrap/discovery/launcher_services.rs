//! Services of the launcher to a running job: it ends the job, numbers its programs, and waits for a goodbye.

use crate::bootstrap::store::pmi::session;
use crate::bootstrap::store::pmix;

/// Asks the launcher to end the job with this exit code, for a reason. `false`: the launcher takes no such
/// request, and looks at the exit codes of the processes instead.
pub fn abort_job(code: u8, reason: &str) -> bool {
    session::abort(code) || pmix::session::abort(code, reason)
}

/// The number of this rank's program among those that were started as one job. `None`: the launcher does not
/// say.
pub fn program_number() -> Option<u32> {
    let set = ["ANYCCL_APPNUM", "OMPI_COMM_WORLD_APP_CTX", "PMI_APPNUM"].into_iter().find_map(number_in);
    set.or_else(|| session::number("cmd=get_appnum", "appnum", "appnum")?.try_into().ok())
}

/// How many ranks the launcher has room for. `None`: it does not say.
pub fn universe_size() -> Option<u32> {
    let set = ["OMPI_UNIVERSE_SIZE", "PMI_UNIVERSE_SIZE"].into_iter().find_map(number_in);
    set.or_else(|| session::number("cmd=get_universe_size", "universe_size", "size")?.try_into().ok())
}

fn number_in(variable: &str) -> Option<u32> {
    crate::config::raw(variable)?.parse().ok()
}

/// Says goodbye to the launcher when the world ends, if the launcher expects it.
pub fn leave_launcher() {
    session::leave();
    pmix::session::goodbye();
}
