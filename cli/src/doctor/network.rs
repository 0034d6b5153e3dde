//! The network: interfaces, loopback, and the name of this host.

use std::net::IpAddr;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyccl_engine::bootstrap::interface;
use anyccl_engine::sys::resolve::resolve;

use super::finding::Finding;
use crate::info::transports::Transport;

/// How long the name of this host may take. A resolver that does not answer takes five seconds and more.
const PATIENCE: Duration = Duration::from_secs(2);
/// From this time on a look-up is slow.
const SLOW: Duration = Duration::from_millis(200);

/// Whether ranks can talk over loopback. `transports` were tried.
pub fn loopback(transports: &[Transport]) -> Finding {
    const SUBJECT: &str = "loopback";
    let tcp = transports.iter().find(|transport| transport.name == "tcp");
    let failed = tcp.and_then(|tcp| tcp.needs.iter().find(|need| !need.works));
    match failed {
        None => Finding::good(SUBJECT, "TCP over 127.0.0.1 works"),
        Some(need) => Finding::bad(
            SUBJECT,
            format!("{} fails: {}", need.name, need.error.as_deref().unwrap_or("unknown")),
            "sudo ip link set lo up, or permit connections to 127.0.0.1 in the firewall",
        ),
    }
}

/// The interfaces that ranks of several hosts would use.
pub fn interfaces() -> Finding {
    const SUBJECT: &str = "interfaces";
    match interface::choose(None) {
        Ok(choice) => {
            let found = format!("TCP between hosts: {}", choice.reason);
            if choice.interfaces.iter().all(|one| one.loopback) {
                let change = "connect a network, if the job is to have ranks on other hosts";
                return Finding::warning(SUBJECT, found, change);
            }
            Finding::good(SUBJECT, found)
        }
        Err(error) => {
            Finding::bad(SUBJECT, error.to_string(), "set ANYCCL_SOCKET_IFNAME to one that is listed")
        }
    }
}

/// Whether the name of this host resolves, and soon. torch and ssh look it up. Starts a thread.
pub fn host_name(name: &str) -> Finding {
    let (sender, receiver) = mpsc::channel();
    let (start, host) = (Instant::now(), name.to_string());
    // Nobody waits for a thread that is stuck in the resolver: the process ends before.
    thread::spawn(move || {
        let addresses: Vec<IpAddr> = resolve(&host, 0).addresses().iter().map(|at| at.ip()).collect();
        let _ = sender.send(addresses);
    });
    let answer = receiver.recv_timeout(PATIENCE).ok();
    judge_host_name(name, answer.as_deref(), start.elapsed())
}

fn judge_host_name(name: &str, answer: Option<&[IpAddr]>, took: Duration) -> Finding {
    const SUBJECT: &str = "host name";
    let line = format!("echo '127.0.1.1 {name}' | sudo tee -a /etc/hosts");
    match answer {
        None => Finding::warning(
            SUBJECT,
            format!(
                "no answer about {name} within {} s: programs that look it up, such as torch, are slow",
                PATIENCE.as_secs()
            ),
            format!("{line}; and mend /etc/resolv.conf"),
        ),
        Some([]) => {
            Finding::warning(SUBJECT, format!("{name} has no address: torch and ssh may need one"), line)
        }
        Some(_) if took > SLOW => {
            Finding::warning(SUBJECT, format!("{name} resolves, but takes {} ms", took.as_millis()), line)
        }
        Some(addresses) => {
            let at = addresses[0];
            Finding::good(SUBJECT, format!("{name} is {at}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::State;
    use super::*;

    #[test]
    fn a_resolver_that_is_silent_or_slow_is_told_from_one_that_answers() {
        let at: IpAddr = "10.0.0.1".parse().unwrap();
        let judge = |answer: Option<&[IpAddr]>, ms| judge_host_name("box", answer, Duration::from_millis(ms));
        assert_eq!(judge(Some(&[at]), 1).state, State::Good);
        assert!(judge(Some(&[at]), 500).found.contains("500 ms"));
        assert!(judge(Some(&[]), 1).found.contains("no address"));
        assert!(judge(None, 2000).found.contains("no answer"));
    }
}
