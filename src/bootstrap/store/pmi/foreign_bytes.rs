//! Target of fuzzing: what a process manager says.

use super::connection::Connection;
use super::kvs::KeyValueSpace;
use super::session::Kept;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::store::beacon::{Beacon, BeaconChannel};
use crate::foreign_bytes::harness::check_sentence;
use crate::foreign_bytes::{Target, connection, split, write};
use crate::sys::clock;

pub(crate) const TARGETS: &[Target] =
    &[Target { name: "pmi", read: lines, seeds: dialogues, room: 64 << 10 }];

fn lines(bytes: &[u8]) {
    let ([kind], bytes) = split(bytes);
    let [own, manager] = connection();
    write(&manager, bytes);
    manager.end_writing();
    let connection = Connection::over(own);
    // What has not come is not waited for: the stream has ended.
    let deadline = clock::now();
    let error = match kind % 3 {
        0 => match connection.introduce("1", deadline) {
            Ok(seat) => return assert!(seat.rank < seat.size),
            Err(error) => error,
        },
        1 => {
            let space = KeyValueSpace::open(Kept::unshared(connection), deadline);
            match space.and_then(|mut space| space.read()) {
                Ok(text) => return drop(Beacon::parse(&text)),
                Err(error) => error,
            }
        }
        _ => {
            let space = KeyValueSpace::open(Kept::unshared(connection), deadline);
            let beacon = Beacon { key: JobKey([7; 32]), addresses: vec!["10.0.0.1:5".parse().unwrap()] };
            match space.and_then(|mut space| space.publish(&beacon.to_text())) {
                Ok(()) => return,
                Err(error) => error,
            }
        }
    };
    check_sentence(&error.to_string(), bytes);
}

fn dialogues() -> Vec<Vec<u8>> {
    let addresses = vec!["10.0.0.1:40113".parse().unwrap()];
    let beacon = Beacon { key: JobKey([7; 32]), addresses }.to_text();
    let greeting = "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\ncmd=maxes kvsname_max=256 keylen_max=64 \
                    vallen_max=1024\ncmd=my_kvsname kvsname=kvs_1_0\n";
    let short = greeting.replace("1024", "60");
    let put = "cmd=put_result rc=0 msg=success\n";
    let (first, second) = beacon.split_at(52);
    let texts = [
        "\0cmd=initack rc=0\ncmd=set size=4\ncmd=set rank=1\ncmd=set debug=0\n".into(),
        format!("\x01{greeting}cmd=barrier_out rc=0\ncmd=get_result rc=0 msg=success value=1:{beacon}\n"),
        format!(
            "\x01{short}cmd=barrier_out\ncmd=get_result rc=0 value=3:{first}\ncmd=get_result rc=0 value={second}\n\
             cmd=get_result rc=-1 msg=no value=unknown\n"
        ),
        format!("\x02{greeting}{put}cmd=barrier_out rc=0\n"),
        format!("\x02{short}{put}{put}{put}{put}cmd=barrier_out rc=0\n"),
    ];
    texts.map(String::into_bytes).to_vec()
}
