//! `--model`: a name or a file. The costs of a cluster, and the tuning of a library on it.

use std::path::Path;

use anyccl_engine::simulate::{Model, PRESETS, Preset};
use anyccl_engine::tuning::{Links, Tuning};

use crate::failure::Failure;

/// Links and cores of a cluster, and the choice of algorithms on it.
pub struct Cluster {
    /// Name that the user gave.
    pub name: String,
    /// The model that is simulated.
    pub model: Model,
    /// The environment's tuning with the links of the model, as if `anyccl perf --tune` had measured them.
    pub tuning: Tuning,
}

/// Name of the model with the costs that the choice of algorithms assumes, with or without
/// `ANYCCL_TUNING_FILE`.
const ENGINE: &str = "engine";

impl Cluster {
    /// The model with this name; else the file of that name.
    pub fn find(name: &str, tuning: &Tuning, all_tcp: bool) -> Result<Cluster, Failure> {
        let engine = Links { shm: tuning.shm, tcp: tuning.tcp, ..Links::DEFAULT };
        let (model, links) = match Preset::find(name) {
            _ if name == ENGINE => of_links(engine, all_tcp),
            Some(preset) => (preset.model, preset.model.links()),
            None => of_file(name, engine, all_tcp)?,
        };
        Ok(Cluster { name: name.into(), model, tuning: tuning.clone().with_links(links) })
    }
}

/// With `ANYCCL_TRANSPORT=tcp` there is only one kind of link.
fn of_links(links: Links, all_tcp: bool) -> (Model, Links) {
    let shm = if all_tcp { links.tcp } else { links.shm };
    (Model::of_measured(&links, all_tcp), Links { shm, ..links })
}

/// Reads a file of figures for `ANYCCL_TUNING_FILE`, or a model.
fn of_file(name: &str, engine: Links, all_tcp: bool) -> Result<(Model, Links), Failure> {
    let text = std::fs::read_to_string(Path::new(name)).map_err(|error| {
        let known = PRESETS.each_ref().map(|preset| preset.name).join(", ");
        Failure::own(format_args!(
            "--model {name}: neither {ENGINE}, {known} nor a file that can be read: {error}"
        ))
    })?;
    let refused = |(line, why)| Failure::own(format_args!("--model {name}:{line}: {why}"));
    // Keys of models begin with other words, except those of reductions, which both kinds of file have.
    let is_tuning = text.lines().any(|line| ["shm.", "tcp."].iter().any(|word| line.starts_with(word)));
    if is_tuning {
        return Ok(of_links(Links::parse(&text).map_err(refused)?, all_tcp));
    }
    let model = Model::parse(&text, &of_links(engine, all_tcp).0).map_err(refused)?;
    Ok((model, model.links()))
}
