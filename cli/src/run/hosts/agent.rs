//! `anyccl agent`: the part of the launcher on another host. It decides nothing.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::process::{Child, Stdio};

use super::frame::Frame;
use super::order::Order;
use super::ranks_here::RanksHere;
use crate::failure::Failure;
use crate::run::arguments::Bind;
use crate::run::fake_gpus;
use crate::run::other_mpi::OtherMpi;
use crate::run::spawn::{JobOrders, start_all};
use crate::run::takeover::Takeover;
use crate::run::watchdog::Watchdog;
use crate::sys::files::FileLimit;
use crate::sys::signal::SignalQueue;

/// Reads an order from standard input and carries it out. Returns when standard input ends; by then the
/// remaining ranks have been killed.
pub fn agent() -> Result<u8, Failure> {
    let own =
        |what: &'static str| move |error: io::Error| Failure::own(format_args!("agent: {what}: {error}"));
    // First, because forking needs a process without threads.
    let watchdog = Watchdog::start().map_err(own("cannot start the watchdog"))?;
    let signals = SignalQueue::of(&[libc::SIGCHLD]).map_err(own("cannot take over signals"))?;
    let files = FileLimit::raise().map_err(own("cannot raise the limit on open files"))?;
    let order = read_order().map_err(own("no order on standard input; `anyccl run` gives one"))?;
    let started = carry_out(&order, &watchdog, &signals, files);
    let (takeover, children, other_mpi) = match started {
        Ok(started) => started,
        Err(Failure { code, text }) => {
            let _ = io::stdout().write_all(&Frame::Failed { code, text }.to_bytes());
            return Ok(code);
        }
    };
    let ranks = RanksHere::new(order.first, children, signals, takeover, other_mpi)
        .map_err(own("cannot look after the ranks"))?;
    ranks.run_until_told_to_end().map_err(own("cannot look after the ranks"))?;
    watchdog.stand_down();
    Ok(0)
}

fn carry_out(
    order: &Order,
    watchdog: &Watchdog,
    signals: &SignalQueue,
    files: FileLimit,
) -> Result<(Option<Takeover>, Vec<Child>, OtherMpi), Failure> {
    if order.version != anyccl_engine::base::VERSION {
        return Err(Failure::own(format_args!(
            "anyccl is {} there and {} on the launcher's host",
            anyccl_engine::base::VERSION,
            order.version
        )));
    }
    // If there is no such folder, programs named by their whole path still run.
    let _ = env::set_current_dir(&order.folder);
    let command: Vec<OsString> = order.command.iter().map(OsString::from).collect();
    let environment = fake_gpus::environment(order.fake_gpus, &order.environment)?;
    let prepare = |facade| Takeover::prepare(facade, &command[0], &environment, order.by);
    let takeover = Takeover::if_possible(order.facade.map(prepare), order.facade_is_implied)?;
    let children = start_all(&JobOrders {
        command: &command,
        parts: &[],
        environment: &environment,
        takeover: takeover.as_ref().map_or(&[], |takeover| &takeover.environment),
        bind: if order.bind { Bind::Core } else { Bind::None },
        world: order.world,
        ranks: order.first..order.first + order.count,
        input: Stdio::piped,
        own_output: false,
        store: order.store().map_err(Failure::own)?,
        key: &order.key,
        files,
        mask: signals.mask_before(),
        watchdog,
    })?;
    let other_mpi = OtherMpi::among(&command[0], order.facade.is_none() && order.world > 1, environment);
    Ok((takeover, children, other_mpi))
}

/// Reads the order and nothing behind it.
fn read_order() -> io::Result<Order> {
    let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    // Unbuffered, because the loop reads what comes next.
    let mut stdin = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    match Frame::read(&mut stdin)? {
        Frame::Order(json) => serde_json::from_slice(&json).map_err(|error| invalid(error.to_string())),
        _ => Err(invalid("something else came".to_string())),
    }
}
