//! What other processes ask this one for, which threads serve that wait or test.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

/// Something that other processes may ask for at any time.
pub trait Service: Send + Sync {
    /// Serves what has come. It must not wait for anything that another rank does. Returns whether there was
    /// anything.
    fn serve(&self) -> bool;
}

type List = Arc<[Arc<dyn Service>]>;

/// All services. A thread that serves uses the list as it was when it began.
static SERVICES: Mutex<Option<List>> = Mutex::new(None);
static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// The number of services.
#[inline]
pub fn number() -> usize {
    NUMBER.load(Ordering::Relaxed)
}

/// Whether there is any service.
#[inline]
pub fn is_any() -> bool {
    number() > 0
}

fn change(change: impl FnOnce(&mut Vec<Arc<dyn Service>>)) {
    let mut services = SERVICES.lock();
    let mut list = services.take().map_or_else(Vec::new, |list| list.to_vec());
    change(&mut list);
    NUMBER.store(list.len(), Ordering::Relaxed);
    *services = Some(list.into());
}

/// Adds a service.
pub fn add(service: Arc<dyn Service>) {
    change(|list| list.push(service));
}

/// Removes a service. A thread may be serving it.
pub fn remove(service: &Arc<dyn Service>) {
    change(|list| list.retain(|its| !Arc::ptr_eq(its, service)));
}

/// Gives each service a turn. Returns whether there was anything to do.
pub fn serve_all() -> bool {
    if !is_any() {
        return false;
    }
    let services = SERVICES.lock().clone();
    services.iter().flat_map(|list| list.iter()).fold(false, |worked, service| service.serve() | worked)
}
