//! libfabric, opened at run time, and what it says this machine offers.
//!
//! Nothing of it is needed to build, and a machine without it loses nothing. The library stays open until the
//! process ends.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::net::IpAddr;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use super::abi::{self, Info};
use crate::sys::foreign_library::ForeignLibrary;

/// The name that the loader looks for.
const NAME: &str = "libfabric.so.1";

/// Providers that carry bytes over the kernel's sockets, or within a host.
const SOFTWARE: [&str; 7] = ["tcp", "sockets", "udp", "net", "shm", "sm2", "lnx"];
/// Providers that reach ranks of one host only.
const WITHIN_A_HOST: [&str; 2] = ["shm", "sm2"];

type GetInfo = unsafe extern "C" fn(
    version: u32,
    node: *const c_char,
    service: *const c_char,
    flags: u64,
    hints: *const Info,
    found: *mut *mut Info,
) -> c_int;
type FreeInfo = unsafe extern "C" fn(*mut Info);
type DupInfo = unsafe extern "C" fn(*const Info) -> *mut Info;
type OpenFabric = unsafe extern "C" fn(*mut abi::FabricAttr, *mut *mut abi::Fabric, *mut c_void) -> c_int;
type ErrorText = unsafe extern "C" fn(c_int) -> *const c_char;

/// The exported functions of libfabric.
pub struct Library {
    get_info: GetInfo,
    free_info: FreeInfo,
    dup_info: DupInfo,
    pub(super) open_fabric: OpenFabric,
    error_text: ErrorText,
    version: unsafe extern "C" fn() -> u32,
    file: ForeignLibrary,
}

/// Which providers a rank may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted<'a> {
    /// Any provider, hardware first.
    Any,
    /// The one of this name.
    Named(&'a str),
}

/// A provider and a domain of it: one record that libfabric has made.
pub struct Offer {
    info: NonNull<Info>,
    library: Arc<Library>,
}

// SAFETY: the record is memory of ours that no thread of libfabric uses.
unsafe impl Send for Offer {}

impl Library {
    /// Opens the file `named`, or the library that the loader finds. The error says what is missing.
    #[allow(clippy::multiple_unsafe_ops_per_block, reason = "one argument for a table of equal look-ups")]
    pub fn open(named: Option<&str>) -> Result<Arc<Library>, String> {
        let name = named.unwrap_or(NAME);
        // SAFETY: the user has named the file, or it is the usual name of libfabric.
        let file = unsafe { ForeignLibrary::open(name) }?;
        let find = |symbol: &CStr, version: &CStr| {
            let missing = || format!("{name} has no {} of version {}", text(symbol), text(version));
            file.versioned_symbol(symbol, version).ok_or_else(missing)
        };
        let [get_info, free_info, dup_info] =
            [c"fi_getinfo", c"fi_freeinfo", c"fi_dupinfo"].map(|symbol| find(symbol, abi::SYMBOLS));
        let (get_info, free_info, dup_info) = (get_info?, free_info?, dup_info?);
        let open_fabric = find(c"fi_fabric", abi::FABRIC_SYMBOL)?;
        let [error_text, version] = [c"fi_strerror", c"fi_version"].map(|symbol| find(symbol, c"FABRIC_1.0"));
        let (error_text, version) = (error_text?, version?);
        // SAFETY: functions of libfabric under their names, in versions that have these signatures.
        let library = unsafe {
            Library {
                get_info: std::mem::transmute::<*mut c_void, GetInfo>(get_info),
                free_info: std::mem::transmute::<*mut c_void, FreeInfo>(free_info),
                dup_info: std::mem::transmute::<*mut c_void, DupInfo>(dup_info),
                open_fabric: std::mem::transmute::<*mut c_void, OpenFabric>(open_fabric),
                error_text: std::mem::transmute::<*mut c_void, ErrorText>(error_text),
                version: std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> u32>(version),
                file,
            }
        };
        Ok(Arc::new(library))
    }

    /// Version and file, for people.
    pub fn described(&self) -> String {
        // SAFETY: takes nothing, and returns a number.
        let version = unsafe { (self.version)() };
        let file = self.file.path(c"fi_getinfo");
        format!("libfabric {}.{} ({file})", version >> 16, version & 0xffff)
    }

    /// The text of an error number, which may be negative.
    pub fn error(&self, number: isize) -> String {
        let number = c_int::try_from(number.abs()).unwrap_or(c_int::MAX);
        // SAFETY: takes a number.
        let error = unsafe { (self.error_text)(number) };
        // SAFETY: a terminated text that the library keeps.
        text(unsafe { CStr::from_ptr(error) })
    }

    /// All that this machine offers for our use, best first by libfabric's own order. `at`: only what serves
    /// that address of this host.
    pub fn offers(self: &Arc<Library>, at: Option<IpAddr>) -> Result<Vec<Offer>, String> {
        let hints = self.hints()?;
        let node = at.and_then(|ip| CString::new(ip.to_string()).ok());
        let (node, flags) = match &node {
            Some(node) => (node.as_ptr(), abi::FI_SOURCE | abi::FI_NUMERICHOST),
            None => (ptr::null(), 0),
        };
        let mut found = ptr::null_mut();
        let hinted = hints.info.as_ptr();
        // SAFETY: a terminated text or NULL, a record of the library, and a place for its answer.
        let rc =
            unsafe { (self.get_info)(abi::API_VERSION, node, ptr::null(), flags, hinted, &raw mut found) };
        if rc != 0 {
            return Err(self.error(rc as isize));
        }
        let mut offers = Vec::new();
        let mut next = found;
        while let Some(record) = NonNull::new(next) {
            // SAFETY: a record of the list that the library has just made.
            next = unsafe { (*record.as_ptr()).next };
            // SAFETY: as above; the copy is ours and has no successor.
            let copy = unsafe { (self.dup_info)(record.as_ptr()) };
            let info = NonNull::new(copy).ok_or("no memory")?;
            offers.push(Offer { info, library: Arc::clone(self) });
        }
        // SAFETY: the list is the library's, and only copies are kept.
        unsafe { (self.free_info)(found) };
        Ok(offers)
    }

    /// The providers that reach other hosts, each once, with its first domain.
    pub fn between_hosts(self: &Arc<Library>) -> Result<Vec<String>, String> {
        let mut names: Vec<(String, String)> = Vec::new();
        for offer in self.offers(None)?.iter().filter(|offer| !offer.is_in(&WITHIN_A_HOST)) {
            if names.iter().all(|(provider, _)| *provider != offer.provider()) {
                names.push((offer.provider(), offer.domain()));
            }
        }
        match names.is_empty() {
            true => Err("no provider reaches other hosts".into()),
            false => Ok(names.into_iter().map(|(name, domain)| format!("{name} on {domain}")).collect()),
        }
    }

    /// What we ask for. The library makes the record, so it has the size that its version wants.
    fn hints(self: &Arc<Library>) -> Result<Offer, String> {
        // SAFETY: NULL asks for an empty record with all its parts.
        let info = NonNull::new(unsafe { (self.dup_info)(ptr::null()) }).ok_or("no memory")?;
        let mut hints = Offer { info, library: Arc::clone(self) };
        let record = hints.record_mut();
        (record.caps, record.mode) = (abi::FI_TAGGED, abi::FI_CONTEXT | abi::FI_CONTEXT2);
        let (endpoint, domain) = (record.ep_attr, record.domain_attr);
        // SAFETY: a part of a new record that only we know; the library has made all parts with it.
        unsafe { (*endpoint).kind = abi::FI_EP_RDM };
        // SAFETY: as above.
        let domain = unsafe { &mut *domain };
        domain.threading = abi::FI_THREAD_DOMAIN;
        domain.resource_mgmt = abi::FI_RM_ENABLED;
        domain.mr_mode = abi::MR_MODE;
        Ok(hints)
    }

    /// The best offer for a rank whose connections to others begin at the address `at`.
    pub fn choose(self: &Arc<Library>, wanted: Wanted<'_>, at: Option<IpAddr>) -> Result<Offer, String> {
        let (mut offers, mut reasons) = (Vec::new(), Vec::new());
        // Fabrics without IP addresses are not among those that serve one.
        for at in at.map(Some).into_iter().chain([None]) {
            match self.offers(at) {
                Ok(found) => offers.extend(found),
                Err(reason) => reasons.push(reason),
            }
        }
        let names: Vec<String> = offers.iter().map(Offer::provider).collect();
        if let Some(at) = best(&names, wanted) {
            return Ok(offers.swap_remove(at));
        }
        let wanted = match wanted {
            Wanted::Any => "no provider between hosts".to_string(),
            Wanted::Named(name) => format!("no provider {name}"),
        };
        let reasons = reasons.last().map_or(String::new(), |reason| format!(" ({reason})"));
        Err(format!("{} offers {wanted}{reasons}", self.described()))
    }
}

/// The first provider that may be used, hardware before software.
fn best(providers: &[String], wanted: Wanted<'_>) -> Option<usize> {
    let first = |is_fit: &dyn Fn(&str) -> bool| providers.iter().position(|provider| is_fit(provider));
    match wanted {
        Wanted::Named(name) => {
            first(&|provider| provider == name).or_else(|| first(&|provider| core(provider) == name))
        }
        Wanted::Any => first(&|provider| !SOFTWARE.contains(&core(provider)))
            .or_else(|| first(&|provider| !WITHIN_A_HOST.contains(&core(provider)))),
    }
}

/// Whether a provider repeats what is lost on its way only when the library is asked.
fn repeats_when_asked(provider: &str) -> bool {
    provider.split(';').any(|layer| layer == "ofi_rxd")
}

/// The provider below the layers that libfabric has put over it: `verbs` of `verbs;ofi_rxm`.
fn core(provider: &str) -> &str {
    provider.split(';').next().unwrap_or(provider)
}

impl Offer {
    /// Name of the provider, with its layers.
    pub fn provider(&self) -> String {
        // SAFETY: the record has this part.
        let fabric = unsafe { &*self.record().fabric_attr };
        // SAFETY: NULL or a terminated text that the record owns.
        unsafe { name(fabric.prov_name) }
    }

    /// Name of the domain: of an interface, as a rule.
    pub fn domain(&self) -> String {
        // SAFETY: as above.
        unsafe { name(self.domain_attr().name) }
    }

    /// Whether what is lost on its way is repeated only when the library is asked, so that nobody may sleep
    /// on a descriptor.
    pub(super) fn repeats_when_asked(&self) -> bool {
        repeats_when_asked(&self.provider())
    }

    fn is_in(&self, names: &[&str]) -> bool {
        names.contains(&core(&self.provider()))
    }

    /// Longest message.
    pub(super) fn most_bytes(&self) -> usize {
        // SAFETY: the record has this part.
        unsafe { (*self.record().ep_attr).max_msg_size }
    }

    /// Whether buffers of every operation must be registered.
    pub(super) fn wants_registration(&self) -> bool {
        self.domain_attr().mr_mode & abi::FI_MR_LOCAL != 0
    }

    /// Whether registered memory must be bound to the endpoint.
    pub(super) fn binds_regions(&self) -> bool {
        self.domain_attr().mr_mode & abi::FI_MR_ENDPOINT != 0
    }

    /// Asks for queues that hold so many receives and sends at once, where that is more than the provider
    /// gives by itself.
    pub(super) fn ask_for_queues(&mut self, receives: usize, sends: usize) {
        let (rx, tx) = (self.record().rx_attr, self.record().tx_attr);
        // SAFETY: a part of the record, which is borrowed mutably.
        let rx = unsafe { &mut *rx };
        // SAFETY: as above.
        let tx = unsafe { &mut *tx };
        (rx.size, tx.size) = (rx.size.max(receives), tx.size.max(sends));
    }

    fn record(&self) -> &Info {
        // SAFETY: a record that only this owner knows. The library reads it while it opens an object, and no
        // reference to it is alive then.
        unsafe { self.info.as_ref() }
    }

    fn record_mut(&mut self) -> &mut Info {
        // SAFETY: as above.
        unsafe { self.info.as_mut() }
    }

    fn domain_attr(&self) -> &abi::DomainAttr {
        // SAFETY: the record has this part.
        unsafe { &*self.record().domain_attr }
    }

    pub(super) fn info(&self) -> *mut Info {
        self.info.as_ptr()
    }

    pub(super) fn library(&self) -> &Arc<Library> {
        &self.library
    }
}

impl Drop for Offer {
    fn drop(&mut self) {
        // SAFETY: a record of this library that only this owner knows.
        unsafe { (self.library.free_info)(self.info.as_ptr()) };
    }
}

fn text(text: &CStr) -> String {
    text.to_string_lossy().into_owned()
}

/// # Safety
/// `name` is NULL or a terminated text.
unsafe fn name(name: *const c_char) -> String {
    if name.is_null() {
        return String::new();
    }
    // SAFETY: passed on to our caller.
    text(unsafe { CStr::from_ptr(name) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_without_the_functions_of_libfabric_is_refused_by_name() {
        let Err(reason) = Library::open(Some("libno_such_fabric.so.1")) else { panic!("it was opened") };
        assert!(reason.contains("libno_such_fabric.so.1"), "{reason}");
        let Err(reason) = Library::open(Some("libc.so.6")) else { panic!("it was opened") };
        assert!(reason.contains("libc.so.6 has no fi_getinfo of version FABRIC_1.3"), "{reason}");
    }

    #[test]
    fn the_layers_of_a_provider_do_not_hide_what_it_is() {
        assert_eq!(core("verbs;ofi_rxm"), "verbs");
        assert!(SOFTWARE.contains(&core("tcp;ofi_rxm")) && !SOFTWARE.contains(&core("cxi")));
        assert!(repeats_when_asked("verbs;ofi_rxd") && !repeats_when_asked("verbs;ofi_rxm"));
    }

    #[test]
    fn hardware_comes_before_software_that_serves_the_interface() {
        let chosen = |names: &[&'static str], wanted| {
            let providers: Vec<String> = names.iter().map(ToString::to_string).collect();
            best(&providers, wanted).map(|at| names[at])
        };
        assert_eq!(chosen(&["tcp", "shm", "tcp", "efa"], Wanted::Any), Some("efa"));
        assert_eq!(chosen(&["tcp", "verbs;ofi_rxm", "efa"], Wanted::Any), Some("verbs;ofi_rxm"));
        assert_eq!(chosen(&["shm", "tcp;ofi_rxm"], Wanted::Any), Some("tcp;ofi_rxm"));
        assert_eq!(chosen(&["shm", "sm2"], Wanted::Any), None);
        assert_eq!(chosen(&["tcp;ofi_rxm", "tcp"], Wanted::Named("tcp")), Some("tcp"));
        assert_eq!(chosen(&["tcp", "verbs;ofi_rxm"], Wanted::Named("verbs")), Some("verbs;ofi_rxm"));
    }
}
