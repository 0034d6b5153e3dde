//! Tests of requests without a program.

use anyccl_engine::base::Datatype;
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::comm::{CallSpec, CommConfig, Communicator};
use anyccl_engine::config::Config;
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};

use super::complete::wait_for;
use super::*;
use crate::constants::COMM_SELF;
use crate::error::{Class, Error};

#[test]
fn the_error_of_a_stage_is_told_as_often_as_somebody_looks() {
    let config = Config::default();
    let id = UniqueId::create(&config).unwrap();
    let comm = Communicator::create(&id, 1, 0, &config, &CommConfig::default()).unwrap();
    let mut number = 0u8;
    let (datatype, data) = (Datatype::Byte, &raw mut number);
    let buffer = RecvBuffer { data, datatype, count: 1, is_lenient: true };
    // SAFETY: the number outlives the request, which is tested to its end.
    let receive = unsafe { comm.start(CallSpec::Receive(Selector::new(Some(0), Some(1)), buffer)) }.unwrap();
    let fails: Stage = Box::new(|_| Err(Error::new(Class::INTERN, "the stage has failed")));
    let never: Stage = Box::new(|_| unreachable!("a stage after the one that failed"));
    let request = create(COMM_SELF, Staged::after(receive, 0, [fails, never]).unwrap());
    assert!(with(request, Held::poll).unwrap().is_none());
    let what =
        OutgoingMessage { to: 0, tag: 1, datatype, count: 1, data: &raw const number, is_synchronous: false };
    // SAFETY: the message is a byte, to this rank itself.
    unsafe { comm.send(&what) }.unwrap();
    for _ in 0..3 {
        let outcome = with(request, Held::poll).unwrap().unwrap();
        assert_eq!(outcome.unwrap_err().class, Class::INTERN);
    }
    assert!(!has_staged());
    let ended = wait_for(request).unwrap();
    assert!(ended.is_gone && ended.outcome.unwrap_err().class == Class::INTERN);
    assert!(with(request, |_| ()).is_err());
    comm.finalize().unwrap();
}
