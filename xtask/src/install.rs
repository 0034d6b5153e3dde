//! install
use crate::Result;
/// Install
#[derive(clap::Args)]
pub struct Install {}
impl Install {
    /// run
    pub fn run(&self) -> Result {
        Ok(())
    }
}
