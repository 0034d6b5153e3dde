//! Exchange of a unique id by a path that the ranks share.

use super::store_files::Folder;
use super::{ranks, soon};
use crate::bootstrap::discovery::id_exchange::exchange_id_by_file;
use crate::config::Config;

#[test]
fn ranks_that_share_a_path_get_one_id_whether_they_know_their_number_or_not() {
    for size in [Some(3), None] {
        let folder = Folder::new();
        let exchange = |rank| exchange_id_by_file(&folder.file(), size, rank, &Config::default(), soon());
        let found = ranks(3, |rank| exchange(rank).unwrap());
        assert!(found.iter().all(|one| one.id.0 == found[0].id.0));
        assert!(found.iter().all(|one| !one.address.is_unspecified()));
        assert_eq!(folder.is_empty(), size.is_some(), "the file is left where ranks may still come");
    }
}
