//! To come.
use clap::Args;
/// Tell what this machine offers
#[derive(Args)]
pub struct InfoArguments {}
pub fn info(_: &InfoArguments) -> Result<u8, crate::Failure> {
    Ok(0)
}
