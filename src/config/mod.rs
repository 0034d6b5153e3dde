//! The one reader of the environment.
//!
//! [`VARIABLES`] is the documented record of every variable. `anyccl info` prints it, and docs/environment.md
//! is made from it. [`Config`] is the typed result.

mod backends;
mod nearest;
mod place;
mod ports;
mod settings;
mod unknown;
mod variables;

pub use backends::{BackendChoice, BackendName, MemoryKind};
pub use nearest::nearest;
pub use place::host_and_port;
pub use ports::PortRange;
pub use settings::{
    Config, ConnectChoice, DeviceMapChoice, DevicePathChoice, MOST_LANES, STAGED_MESSAGE_BYTES,
    TransportChoice, ras_place,
};
pub use unknown::{UnknownVariable, unknown_variables, warn_of_unknown_variables};
pub use variables::{DEVICE_PATH_VARIABLE, VARIABLES, Variable, raw};
