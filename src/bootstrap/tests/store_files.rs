//! Files that lead to a store: who may write them, and what lies there from before.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::{all_ok, meet_at, nobody, open_at, ranks, shortly, soon};
use crate::bootstrap::discovery::job::open;
use crate::bootstrap::job::environment::Description;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::store_address::StoreAddress;
use crate::bootstrap::mesh::connect::connect;
use crate::bootstrap::store::file::announcement;
use crate::bootstrap::store::file::published::PublishedFile;
use crate::bootstrap::store::tcp::server::Server;
use crate::config::Config;

/// A folder for one test, removed at the end.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> Folder {
        let name = JobKey::random().unwrap().to_hex();
        let path = std::env::temp_dir().join(format!("anyccl-test-{}", &name[..16]));
        fs::create_dir(&path).unwrap();
        Folder(path)
    }

    pub(super) fn file(&self) -> PathBuf {
        self.0.join("store")
    }

    pub(super) fn is_empty(&self) -> bool {
        fs::read_dir(&self.0).unwrap().next().is_none()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn ranks_meet_by_a_file_whatever_lies_there_from_before() {
    let (at, _reserved) = nobody();
    let stale = announcement::sample(&[&at.to_string()]);
    let garbage: [&dyn Fn(&Folder); 5] = [
        &|_| {},
        &|folder| std::mem::forget(PublishedFile::publish(&folder.file(), stale.clone()).unwrap()),
        &|folder| fs::write(folder.file(), b"").unwrap(),
        &|folder| fs::write(folder.file(), b"anyccl store 1\njob 00").unwrap(),
        &|folder| fs::write(folder.file(), at.to_string()).unwrap(),
    ];
    for prepare in garbage {
        let folder = Folder::new();
        prepare(&folder);
        all_ok(meet_at(&StoreAddress::File(folder.file()), 3));
        assert!(folder.is_empty(), "nothing is left behind");
    }
}

#[test]
fn a_store_file_is_for_its_owner_only_and_another_jobs_is_left_alone() {
    let folder = Folder::new();
    let own = PublishedFile::publish(&folder.file(), announcement::sample(&["10.0.0.1:1"])).unwrap();
    assert_eq!(fs::metadata(folder.file()).unwrap().permissions().mode() & 0o777, 0o600);
    fs::write(folder.file(), b"10.0.0.9").unwrap();
    drop(own);
    assert_eq!(fs::read(folder.file()).unwrap(), b"10.0.0.9");
}

#[test]
fn a_stale_file_is_never_believed_and_the_error_says_what_it_was() {
    let folder = Folder::new();
    let (at, _reserved) = nobody();
    let stale = announcement::sample(&[&at.to_string()]);
    let _stale = PublishedFile::publish(&folder.file(), stale).unwrap();
    let place = StoreAddress::File(folder.file());
    let text = open_at(place, Seat { rank: 1, size: 4 }, shortly()).err().unwrap().to_string();
    assert!(text.contains("does not answer") && text.contains("000000000000feed"), "{text}");
}

#[test]
fn a_plain_address_in_a_file_leads_to_the_tcp_store_there() {
    let folder = Folder::new();
    let (at, _reserved) = nobody();
    fs::write(folder.file(), format!("{at}\n")).unwrap();
    let tcp = StoreAddress::Tcp { host: at.ip().to_string(), port: at.port(), served: false };
    let file = StoreAddress::File(folder.file());
    all_ok(ranks(3, |rank| {
        let place = if rank == 0 { tcp.clone() } else { file.clone() };
        let mut job = open_at(place, Seat { rank, size: 3 }, soon())?;
        connect(&mut job, &Config::default(), b"", soon())
    }));
}

#[test]
fn a_fifo_at_the_path_keeps_nobody_beyond_the_deadline_and_is_named() {
    let folder = Folder::new();
    let path = std::ffi::CString::new(folder.file().to_str().unwrap()).unwrap();
    // SAFETY: the path is a C string that outlives the call.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
    let place = StoreAddress::File(folder.file());
    let text = open_at(place, Seat { rank: 1, size: 2 }, shortly()).err().unwrap().to_string();
    assert!(text.contains("not believed: it is not a regular file"), "{text}");
}

#[test]
fn a_store_file_that_others_may_write_is_not_believed_unless_asked_for() {
    let key = JobKey::random().unwrap();
    let server = Server::start("127.0.0.1:0".parse().unwrap(), &key, 2).unwrap();
    let folder = Folder::new();
    fs::write(folder.file(), server.address().to_string()).unwrap();
    fs::set_permissions(folder.file(), fs::Permissions::from_mode(0o666)).unwrap();
    let join = |allow_other_users, deadline| {
        let place = StoreAddress::File(folder.file());
        let seat = Some(Seat { rank: 1, size: 2 });
        let description = Description { seat, place, key: Some(key.clone()), source: "test" };
        open(description, &Config { allow_other_users, ..Config::default() }, deadline).map(drop)
    };
    let text = join(false, shortly()).unwrap_err().to_string();
    assert!(text.contains("not believed: others may write it (mode 666)"), "{text}");
    join(true, soon()).unwrap();
}
