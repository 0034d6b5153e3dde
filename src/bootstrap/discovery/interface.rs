//! Which network interfaces the job uses.
//!
//! The first of these that is set decides: the configuration of one communicator; `ANYCCL_SOCKET_IFNAME`,
//! `NCCL_SOCKET_IFNAME`, `GLOO_SOCKET_IFNAME`; `SAR_SOCKET_NAME`. The last one is one exact name. The others
//! are comma-separated lists of name prefixes in order of preference: `^` before the list excludes, `=`
//! before it wants exact names, `^=` does both. If none is set, all interfaces that are up and not loopback
//! are used. Those with a global address come first, bridges of containers and virtual machines last. A host
//! that has only loopback uses loopback.

use std::net::IpAddr;

use crate::base::{Error, Result};
use crate::config;
use crate::sys::interfaces::{Interface, interfaces};

/// The interfaces to use, best first, and the reason for the choice.
#[derive(Clone, Debug)]
pub struct Choice {
    /// At least one interface; each has at least one usable address.
    pub interfaces: Vec<Interface>,
    /// The reason of the choice, for `anyccl info` and the log.
    pub reason: String,
    /// Whether the user has listed them, so that lanes may be spread over all of them.
    pub is_list: bool,
}

impl Choice {
    /// Number of first addresses over which lanes are spread.
    pub fn spread(&self) -> usize {
        if self.is_list { self.interfaces.len() } else { 1 }
    }

    /// The usable addresses, best first. Of listed interfaces, the first ones of each come before all others.
    pub fn addresses(&self) -> Vec<IpAddr> {
        let usable = |i: &Interface| i.addresses.iter().copied().filter(is_usable).collect::<Vec<_>>();
        let of_each: Vec<Vec<IpAddr>> = self.interfaces.iter().map(usable).collect();
        let firsts = if self.is_list { 1 } else { usize::MAX };
        let (first, rest): (Vec<_>, Vec<_>) =
            of_each.iter().map(|all| all.split_at(firsts.min(all.len()))).unzip();
        [first.concat(), rest.concat()].concat()
    }
}

/// Chooses among the interfaces of this host, by `rule` if there is one, else by the variables.
pub fn choose(rule: Option<&str>) -> Result<Choice> {
    let all = interfaces().map_err(|e| Error::system("cannot list the network interfaces", e))?;
    match rule {
        Some(text) => named(&all, "config->interface", text, &Rule::parse(text)),
        None => choose_among(&all, &config::raw),
    }
}

/// Chooses among `all`, with the variables as `lookup` gives them.
pub(crate) fn choose_among(all: &[Interface], lookup: &dyn Fn(&str) -> Option<String>) -> Result<Choice> {
    for variable in ["ANYCCL_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"] {
        if let Some(text) = lookup(variable) {
            return named(all, variable, &text, &Rule::parse(&text));
        }
    }
    match lookup("SAR_SOCKET_NAME") {
        Some(name) => {
            let rule = Rule { names: vec![&name], exclude: false, exact: true };
            named(all, "SAR_SOCKET_NAME", &name, &rule)
        }
        None => unnamed(all),
    }
}

struct Rule<'a> {
    names: Vec<&'a str>,
    exclude: bool,
    exact: bool,
}

impl<'a> Rule<'a> {
    fn parse(text: &'a str) -> Rule<'a> {
        let (exclude, text) = text.strip_prefix('^').map_or((false, text), |rest| (true, rest));
        let (exact, text) = text.strip_prefix('=').map_or((false, text), |rest| (true, rest));
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        Rule { names, exclude, exact }
    }

    fn names_it(&self, wanted: &str, name: &str) -> bool {
        if self.exact { name == wanted } else { name.starts_with(wanted) }
    }

    /// The selected interfaces in the order of the list. An exclusion keeps the order of preference.
    fn select<'i>(&self, usable: &[&'i Interface]) -> Vec<&'i Interface> {
        if self.exclude {
            let excluded = |i: &Interface| self.names.iter().any(|wanted| self.names_it(wanted, &i.name));
            return usable.iter().copied().filter(|i| !i.loopback && !excluded(i)).collect();
        }
        let mut selected: Vec<&Interface> = Vec::new();
        for wanted in &self.names {
            for interface in usable {
                if self.names_it(wanted, &interface.name) && !selected.contains(interface) {
                    selected.push(interface);
                }
            }
        }
        selected
    }
}

fn named(all: &[Interface], variable: &'static str, text: &str, rule: &Rule<'_>) -> Result<Choice> {
    let usable = by_preference(all);
    let selected = rule.select(&usable);
    if selected.is_empty() {
        let known = if all.is_empty() { "none".into() } else { list(all) };
        let got =
            format!("\"{text}\" selects no interface that is up and has an address; there are: {known}");
        return Err(Error::InvalidArgument { what: variable, got });
    }
    let interfaces: Vec<_> = selected.into_iter().cloned().collect();
    let reason = format!("{variable}=\"{text}\" selects {}", list(&interfaces));
    Ok(Choice { interfaces, reason, is_list: !rule.exclude })
}

fn unnamed(all: &[Interface]) -> Result<Choice> {
    let usable = by_preference(all);
    let (loopback, real): (Vec<_>, Vec<_>) = usable.into_iter().partition(|i| i.loopback);
    let (chosen, why) = if real.is_empty() {
        (loopback, "only loopback is up")
    } else {
        (real, "up, not loopback, best first (ANYCCL_SOCKET_IFNAME would choose)")
    };
    if chosen.is_empty() {
        return Err(Error::Bootstrap("no network interface is up, not even loopback".into()));
    }
    let interfaces: Vec<_> = chosen.into_iter().cloned().collect();
    let reason = format!("{why}: {}", list(&interfaces));
    Ok(Choice { interfaces, reason, is_list: false })
}

/// Usable interfaces, best first; equals keep the kernel's order.
fn by_preference(all: &[Interface]) -> Vec<&Interface> {
    let mut usable: Vec<&Interface> =
        all.iter().filter(|i| i.up && i.addresses.iter().any(is_usable)).collect();
    usable.sort_by_key(|i| (i.loopback, is_bridge(&i.name), !i.addresses.iter().any(is_global)));
    usable
}

/// Whether a container engine or hypervisor made the interface. Other hosts have the same addresses on
/// theirs.
fn is_bridge(name: &str) -> bool {
    ["docker", "virbr", "veth", "br-", "cni", "podman", "lxc"].iter().any(|prefix| name.starts_with(prefix))
}

/// Whether other hosts can use the address. Link-local IPv6 needs a scope that means nothing on another host.
fn is_usable(ip: &IpAddr) -> bool {
    match ip {
        IpAddr::V4(v4) => !v4.is_unspecified(),
        IpAddr::V6(v6) => !v6.is_unspecified() && !v6.is_unicast_link_local(),
    }
}

fn is_global(ip: &IpAddr) -> bool {
    is_usable(ip) && !ip.is_loopback() && !matches!(ip, IpAddr::V4(v4) if v4.is_link_local())
}

/// Text such as `eth0 (10.0.0.1), lo (127.0.0.1)`.
fn list(interfaces: &[Interface]) -> String {
    let one = |i: &Interface| {
        let addresses: Vec<String> = i.addresses.iter().map(IpAddr::to_string).collect();
        format!("{} ({}{})", i.name, addresses.join(" "), if i.up { "" } else { "; down" })
    };
    interfaces.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interface(name: &str, up: bool, addresses: &[&str]) -> Interface {
        let addresses: Vec<IpAddr> = addresses.iter().map(|a| a.parse().unwrap()).collect();
        let loopback = addresses.iter().any(IpAddr::is_loopback);
        Interface { name: name.into(), up, loopback, addresses }
    }

    fn host() -> Vec<Interface> {
        vec![
            interface("lo", true, &["127.0.0.1", "::1"]),
            interface("docker0", true, &["172.17.0.1"]),
            interface("eth2", true, &["169.254.7.7"]),
            interface("eth0", true, &["10.0.0.1", "fe80::1"]),
            interface("eth1", false, &["10.1.0.1"]),
            interface("eth10", true, &["10.2.0.1"]),
            interface("ib0", true, &[]),
            interface("ib1", true, &["fe80::2", "2001:db8::5"]),
        ]
    }

    fn names(all: &[Interface], variable: &str, value: &str) -> Result<Vec<String>> {
        let lookup = |name: &str| (name == variable).then(|| value.to_owned());
        choose_among(all, &lookup).map(|c| c.interfaces.into_iter().map(|i| i.name).collect())
    }

    #[test]
    fn the_rules_select_what_nccl_would_select() {
        for (value, expected) in [
            ("eth0", vec!["eth0"]),
            ("eth", vec!["eth0", "eth10", "eth2"]),
            ("eth1", vec!["eth10"]),
            ("=eth0,ib1", vec!["eth0", "ib1"]),
            ("ib, eth0", vec!["ib1", "eth0"]),
            ("^docker,eth", vec!["ib1"]),
            ("^=eth0,docker0", vec!["eth10", "ib1", "eth2"]),
            ("lo", vec!["lo"]),
        ] {
            assert_eq!(names(&host(), "ANYCCL_SOCKET_IFNAME", value).unwrap(), expected, "{value}");
        }
    }

    #[test]
    fn without_a_rule_global_addresses_come_first_and_bridges_last() {
        assert_eq!(names(&host(), "", "").unwrap(), ["eth0", "eth10", "ib1", "eth2", "docker0"]);
        assert_eq!(names(&host()[..1], "", "").unwrap(), ["lo"]);
        assert!(names(&[], "", "").is_err());
    }

    #[test]
    fn a_rule_that_selects_nothing_names_the_variable_and_what_there_is() {
        for (variable, value) in [
            ("ANYCCL_SOCKET_IFNAME", "=eth"),
            ("ANYCCL_SOCKET_IFNAME", "=eth1"),
            ("NCCL_SOCKET_IFNAME", "wlan"),
            ("GLOO_SOCKET_IFNAME", ","),
            ("SAR_SOCKET_NAME", "eth"),
        ] {
            let text = names(&host(), variable, value).unwrap_err().to_string();
            assert!(text.contains(variable) && text.contains("eth1 (10.1.0.1; down)"), "{text}");
        }
    }

    #[test]
    fn the_first_addresses_of_listed_interfaces_come_before_all_others() {
        let all = [interface("a", true, &["10.0.0.1", "2001:db8::1"]), interface("b", true, &["10.1.0.1"])];
        let addresses = |value: &'static str| {
            let lookup = |_: &str| Some(value.to_owned());
            let choice = choose_among(&all, &lookup).unwrap();
            (choice.is_list, choice.addresses().iter().map(IpAddr::to_string).collect::<Vec<_>>())
        };
        assert_eq!(
            addresses("b,a"),
            (true, vec!["10.1.0.1".into(), "10.0.0.1".into(), "2001:db8::1".into()])
        );
        assert_eq!(
            addresses("a,b"),
            (true, vec!["10.0.0.1".into(), "10.1.0.1".into(), "2001:db8::1".into()])
        );
        assert_eq!(
            addresses("^c"),
            (false, vec!["10.0.0.1".into(), "2001:db8::1".into(), "10.1.0.1".into()])
        );
    }

    #[test]
    fn the_variables_are_asked_in_their_order() {
        let both = |name: &str| match name {
            "NCCL_SOCKET_IFNAME" => Some("eth0".to_owned()),
            "SAR_SOCKET_NAME" => Some("ib1".to_owned()),
            _ => None,
        };
        let choice = choose_among(&host(), &both).unwrap();
        assert!(choice.reason.starts_with("NCCL_SOCKET_IFNAME"), "{}", choice.reason);
        assert_eq!(choice.addresses(), ["10.0.0.1".parse::<IpAddr>().unwrap()]);
    }
}
