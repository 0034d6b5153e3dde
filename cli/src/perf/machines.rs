//! The machines of a job: what each rank tells about its own, put together on rank 0.

use std::collections::BTreeSet;

use anyccl_engine::base::{Error, Result};
use anyccl_engine::sys::host::{host_name, machine_id};
use serde::{Deserialize, Serialize};

use super::ranks::Ranks;
use crate::info::machine;
use crate::sys::cpus::CpuSet;

/// A machine with its ranks. Its names are those of the JSON report and stay stable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Machine {
    /// Name of the host.
    pub host: String,
    /// Name of the processor.
    pub processor: String,
    /// Number of its ranks.
    pub ranks: u32,
    /// Cores that at least one of these ranks may use.
    pub cores: usize,
    /// Time that the control group allows, in cores; `None` if it sets no limit.
    pub quota_cores: Option<f64>,
}

/// What a rank tells.
#[derive(Serialize, Deserialize)]
struct Account {
    machine: String,
    host: String,
    processor: String,
    cores: Vec<usize>,
    quota_cores: Option<f64>,
}

/// The machines, in the order of their first ranks; none on ranks other than 0. Collective.
pub fn machines(ranks: &Ranks) -> Result<Vec<Machine>> {
    let cores = CpuSet::of_this_process().map(|set| set.cores()).unwrap_or_default();
    let own = Account {
        machine: machine_id(),
        host: host_name(),
        processor: machine::processor_name(),
        cores,
        quota_cores: machine::quota(),
    };
    let internal = |error: serde_json::Error| Error::Internal(error.to_string());
    let told = ranks.collect(&serde_json::to_vec(&own).map_err(internal)?)?;
    let accounts = told.iter().map(|bytes| serde_json::from_slice(bytes).map_err(internal));
    Ok(together(&accounts.collect::<Result<Vec<_>>>()?))
}

fn together(accounts: &[Account]) -> Vec<Machine> {
    let mut found: Vec<(&Account, u32, BTreeSet<usize>)> = Vec::new();
    for account in accounts {
        // Containers of one machine have different names.
        let is_same = |(other, ..): &(&Account, u32, BTreeSet<usize>)| {
            (&other.machine, &other.host) == (&account.machine, &account.host)
        };
        let at = found.iter().position(is_same).unwrap_or_else(|| {
            found.push((account, 0, BTreeSet::new()));
            found.len() - 1
        });
        found[at].1 += 1;
        found[at].2.extend(&account.cores);
    }
    let machine = |(account, ranks, cores): (&Account, u32, BTreeSet<usize>)| Machine {
        host: account.host.clone(),
        processor: account.processor.clone(),
        ranks,
        cores: cores.len(),
        quota_cores: account.quota_cores,
    };
    found.into_iter().map(machine).collect()
}

impl Machine {
    /// The machine in words: `node3: AMD EPYC 9B14, 2 cores, 4 ranks`.
    pub fn words(&self) -> String {
        let Machine { host, processor, ranks, .. } = self;
        let ranks = if *ranks == 1 { "1 rank".to_string() } else { format!("{ranks} ranks") };
        format!("{host}: {processor}, {}, {ranks}", self.room_in_words())
    }

    /// A warning, if there is no core for each rank.
    pub fn warning(&self) -> Option<String> {
        let room = self.quota_cores.unwrap_or(f64::INFINITY).min(self.cores as f64);
        (f64::from(self.ranks) > room).then(|| {
            let (ranks, cores) = (self.ranks, self.room_in_words());
            format!("{ranks} ranks share {cores} of {}: times include waits for a core", self.host)
        })
    }

    fn room_in_words(&self) -> String {
        let cores = if self.cores == 1 { "1 core".to_string() } else { format!("{} cores", self.cores) };
        match self.quota_cores.filter(|quota| *quota < self.cores as f64) {
            Some(quota) => format!("{cores} with the time of {quota:.1}"),
            None => cores,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(machine: &str, host: &str, cores: &[usize]) -> Account {
        let (machine, host, processor) = (machine.into(), host.into(), "Z80".into());
        Account { machine, host, processor, cores: cores.to_vec(), quota_cores: None }
    }

    #[test]
    fn cores_of_a_machine_are_those_of_all_its_ranks() {
        let all = together(&[account("x", "a", &[0]), account("y", "b", &[0, 1]), account("x", "a", &[1])]);
        let words: Vec<_> = all.iter().map(Machine::words).collect();
        assert_eq!(words, ["a: Z80, 2 cores, 2 ranks", "b: Z80, 2 cores, 1 rank"]);
        assert!(all.iter().all(|machine| machine.warning().is_none()));
        assert_eq!(together(&[account("x", "a", &[]), account("x", "b", &[])]).len(), 2);
    }

    #[test]
    fn ranks_that_share_cores_are_told() {
        let mut machine = together(&[account("x", "a", &[3]), account("x", "a", &[3])]).remove(0);
        let told = "2 ranks share 1 core of a: times include waits for a core";
        assert_eq!(machine.warning().as_deref(), Some(told));
        machine.cores = 8;
        assert_eq!(machine.warning(), None);
        machine.quota_cores = Some(1.5);
        assert!(machine.warning().unwrap().contains("8 cores with the time of 1.5"));
    }
}
