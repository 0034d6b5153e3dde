//! The clock by which deadlines and measurements go.

use super::files::Files;
use super::finding::Finding;

const FOLDER: &str = "/sys/devices/system/clocksource/clocksource0";

/// Clock sources that a process reads by a system call, which takes a microsecond or more.
const SLOW: [&str; 4] = ["acpi_pm", "hpet", "jiffies", "pit"];

/// Whether reading the clock is fast.
pub fn clock(files: &Files) -> Finding {
    const SUBJECT: &str = "clock";
    match files.text(&format!("{FOLDER}/current_clocksource")) {
        Some(source) if SLOW.contains(&source.as_str()) => {
            let available = files.text(&format!("{FOLDER}/available_clocksource")).unwrap_or_default();
            let better = available.split_whitespace().find(|name| !SLOW.contains(name));
            let change = better.map_or_else(
                || "boot with clocksource=tsc, if the processor's is reliable".to_string(),
                |name| format!("echo {name} | sudo tee {FOLDER}/current_clocksource"),
            );
            let found = format!("the kernel's source is {source}: reading it takes a system call");
            Finding::warning(SUBJECT, found, change)
        }
        Some(source) => Finding::good(SUBJECT, format!("the kernel's source is {source}")),
        None => Finding::good(SUBJECT, "the kernel does not tell its source"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::files::PretendedFiles;
    use super::super::finding::State;
    use super::*;

    #[test]
    fn a_slow_clock_is_told_with_a_better_one() {
        let current = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        let available = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
        let machine = PretendedFiles::new(&[(current, "hpet\n"), (available, "hpet tsc acpi_pm\n")]);
        assert!(clock(&machine.files()).change.unwrap().starts_with("echo tsc"));
        let machine = PretendedFiles::new(&[(current, "tsc\n")]);
        assert_eq!(clock(&machine.files()).state, State::Good);
    }
}
