//! The text form of the information: sections with bold titles, aligned columns.

use anyccl_engine::base::ReduceOp;

use super::backends::Backend;
use super::collect::{GpuSection, Info, Network};
use super::facades::FacadeRow;
use super::machine::Processor;
use super::tables::{CollectiveRow, DatatypeRow, VariableRow};
use super::transports::Transport;
use crate::color;

/// Width at which long sentences are broken.
const WIDTH: usize = 100;

/// The complete text.
pub fn layout(info: &Info) -> String {
    let kernel = info.kernel.as_deref().unwrap_or("of unknown version");
    let mut text = format!("anyccl {} on Linux {kernel}\n", info.version);
    let sections = [
        ("Job", info.job.clone().map(|job| vec![job])),
        ("Processor", info.processor.as_ref().map(processor)),
        ("Network", info.network.as_ref().map(network)),
        ("Transports", info.transports.as_deref().map(transports)),
        ("Stand-in libraries (anyccl run --as)", info.facades.as_deref().map(facades)),
        ("GPUs", info.gpus.as_ref().map(gpus)),
        ("Backends", info.backends.as_deref().map(backends)),
        ("Algorithms", info.collectives.as_deref().map(algorithms)),
        ("Datatypes and operators", info.datatypes.as_deref().map(datatypes)),
        ("Environment", info.variables.as_deref().map(variables)),
    ];
    for (title, lines) in sections {
        let Some(lines) = lines else { continue };
        text += &format!("\n{}\n", color::title(title));
        lines.iter().for_each(|line| text += &format!("  {}\n", line.trim_end()));
    }
    text
}

fn processor(p: &Processor) -> Vec<String> {
    let features = if p.features.is_empty() { "none known".to_string() } else { p.features.join(" ") };
    let quota =
        p.quota_cores.map_or("no limit".to_string(), |cores| format!("{cores:.2} cores' worth of time"));
    aligned(&[
        vec!["name".to_string(), p.name.clone()],
        vec!["architecture".to_string(), p.architecture.to_string()],
        vec!["vector extensions".to_string(), features],
        vec!["reduction kernels".to_string(), p.reduction_kernels.to_string()],
        vec!["usable cores".to_string(), format!("{} ({})", p.usable_cores.len(), ranges(&p.usable_cores))],
        vec!["control group quota".to_string(), quota],
    ])
}

fn network(network: &Network) -> Vec<String> {
    let rows = network.interfaces.iter().map(|interface| {
        let state = if interface.up { "up" } else { "down" };
        let mark = if interface.chosen { "*" } else { " " };
        let addresses = interface.addresses.join(" ");
        vec![format!("{mark} {}", interface.name), state.to_string(), addresses]
    });
    let mut lines = aligned(&rows.collect::<Vec<_>>());
    lines.extend(network.reason.iter().map(|reason| format!("* is used for TCP: {reason}")));
    lines.extend(network.error.iter().map(|error| format!("none can be used for TCP: {error}")));
    lines
}

fn transports(transports: &[Transport]) -> Vec<String> {
    let mut rows = Vec::new();
    for transport in transports {
        let works = match transport.works {
            true => "works",
            // Only some machines have a fabric, and no rank needs one.
            false if transport.name == "ofi" => "not here",
            false => "DOES NOT WORK",
        };
        rows.push(vec![transport.name.to_string(), works.to_string()]);
        for need in &transport.needs {
            let answer = match &need.error {
                None => "yes".to_string(),
                Some(error) if need.optional => format!("no, does without ({error})"),
                Some(error) if transport.name == "ofi" => format!("no ({error})"),
                Some(error) => format!("NO ({error})"),
            };
            rows.push(vec![format!("  {}", need.name), answer]);
        }
    }
    aligned(&rows)
}

fn facades(facades: &[FacadeRow]) -> Vec<String> {
    let mut rows = Vec::new();
    for facade in facades {
        rows.extend(facade.libraries.iter().map(|library| vec![facade.name.to_string(), library.clone()]));
        if facade.error.is_some() {
            rows.push(vec![facade.name.to_string(), "not installed with this tool".to_string()]);
        }
    }
    aligned(&rows)
}

fn gpus(gpus: &GpuSection) -> Vec<String> {
    let found = &gpus.found;
    let Some(driver) = &found.driver else {
        return wrapped(&format!("none: {}", found.error.as_deref().unwrap_or("not found")));
    };
    let mut lines = vec![format!("CUDA driver {driver}, devices: {}", found.devices.len())];
    lines.extend(aligned(&found.device_rows()));
    lines.extend(aligned(&found.link_rows()));
    lines.push(format!("calls on their memory take the {} path: {}", gpus.path, gpus.path_meaning));
    let memory = &gpus.memory;
    lines.extend(wrapped(&format!(
        "memory of a process: on the direct path, {} MiB of a GPU for up to {} communicators and for each further {}; \
         {} MiB pinned, and more while calls need it",
        memory.bounce_bytes >> 20,
        memory.communicators_in_one,
        memory.communicators_in_more,
        memory.pinned_at_first >> 20,
    )));
    if let Some(version) = &gpus.nccl {
        lines.extend(wrapped(&format!(
            "where each rank has one of its own, current before it makes the communicator: the nccl path, by {version}; \
             ANYCCL_BACKEND=cuda:builtin prevents it"
        )));
    }
    lines
}

fn backends(backends: &[Backend]) -> Vec<String> {
    let mut lines = vec!["builtin: serves cpu memory; every collective, datatype and operator".to_string()];
    for backend in backends {
        let Some((version, path)) = backend.version.as_ref().zip(backend.path.as_ref()) else {
            let why = backend.error.as_deref().unwrap_or("not found");
            lines.extend(wrapped(&format!("{}: not here: {why}", backend.name)));
            continue;
        };
        lines.push(format!(
            "{}: serves {} memory; {version}, {path}",
            backend.name,
            backend.memory.join(", ")
        ));
        let rows = backend.collectives.iter().flat_map(|served| {
            let all = served.ways.len() == 1;
            served.ways.iter().enumerate().map(move |(at, way)| {
                let name = if at == 0 { served.collective } else { "" };
                let datatypes = if all { String::new() } else { way.datatypes.join(", ") };
                vec![format!("  {name}"), way.how.clone(), datatypes]
            })
        });
        lines.extend(aligned(&rows.collect::<Vec<_>>()));
    }
    lines
}

fn algorithms(collectives: &[CollectiveRow]) -> Vec<String> {
    let mut rows = Vec::new();
    for collective in collectives {
        let mut name = collective.name;
        for algorithm in &collective.algorithms {
            rows.push(vec![name.to_string(), algorithm.name.to_string(), algorithm.summary.to_string()]);
            name = "";
        }
        if collective.algorithms.is_empty() {
            rows.push(vec![name.to_string(), "(none in this build)".to_string()]);
        }
    }
    aligned(&rows)
}

fn datatypes(datatypes: &[DatatypeRow]) -> Vec<String> {
    let head = ["datatype", "bytes"].into_iter().chain(ReduceOp::ALL.map(ReduceOp::name));
    let mut rows = vec![head.map(str::to_string).collect::<Vec<_>>()];
    for datatype in datatypes {
        let marks = ReduceOp::ALL.map(|op| if datatype.operators.contains(&op.name()) { "x" } else { "." });
        let mut row = vec![datatype.name.to_string(), datatype.bytes.to_string()];
        row.extend(marks.map(str::to_string));
        rows.push(row);
    }
    aligned(&rows)
}

fn variables(variables: &[VariableRow]) -> Vec<String> {
    let mut lines = Vec::new();
    for variable in variables {
        let state = match &variable.value {
            Some(value) => format!("= {value}   (default: {})", variable.default),
            None if variable.default == "unset" => "(unset)".to_string(),
            None => format!("(default: {})", variable.default),
        };
        lines.push(format!("{} {state}", variable.name));
        lines.extend(wrapped(variable.meaning).into_iter().map(|line| format!("    {line}")));
    }
    lines
}

/// Lines of rows, each column as wide as its widest cell.
pub fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let width = |column: usize| cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}  "));
        cells.collect::<String>().trim_end().to_string()
    };
    rows.iter().map(line).collect()
}

fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= WIDTH => *line += &format!(" {word}"),
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

fn ranges(cores: &[usize]) -> String {
    let runs = cores.chunk_by(|a, b| a + 1 == *b);
    let run = |run: &[usize]| match run {
        [one] => one.to_string(),
        _ => format!("{}-{}", run[0], run[run.len() - 1]),
    };
    runs.map(run).collect::<Vec<_>>().join(",")
}
