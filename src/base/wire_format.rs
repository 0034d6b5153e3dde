//! Formats in which sums of floating-point numbers travel between hosts.

/// A format narrower than float32. The discriminants are the C ABI's and the wire's: never renumber. 0 is
/// full width.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WireFormat {
    /// bfloat16.
    Bf16 = 1,
    /// float8_e4m3, with a scale for each block.
    F8 = 2,
    /// Integers from -127 to 127, with a scale for each block.
    Int8Block = 3,
}

impl WireFormat {
    /// Every format, by number.
    pub const ALL: [WireFormat; 3] = [WireFormat::Bf16, WireFormat::F8, WireFormat::Int8Block];
    /// Numbers that share a scale.
    pub const BLOCK: usize = 256;
    /// Bytes of a scale, a float32 in front of its block.
    pub const SCALE_BYTES: usize = 4;
    /// `ANYCCL_WIRE` for float32 as it is.
    pub const FULL: &str = "full";

    /// The format with this number, if there is one.
    pub const fn from_number(number: u8) -> Option<WireFormat> {
        match number {
            1 => Some(WireFormat::Bf16),
            2 => Some(WireFormat::F8),
            3 => Some(WireFormat::Int8Block),
            _ => None,
        }
    }

    /// The number of a format, or 0.
    pub fn number(format: Option<WireFormat>) -> u8 {
        format.map_or(0, |format| format as u8)
    }

    /// Value of `ANYCCL_WIRE`.
    pub fn name(self) -> &'static str {
        match self {
            WireFormat::Bf16 => "bf16",
            WireFormat::F8 => "f8",
            WireFormat::Int8Block => "int8-block",
        }
    }

    /// The name of a format, or that of full width.
    pub fn name_of(format: Option<WireFormat>) -> &'static str {
        format.map_or(WireFormat::FULL, WireFormat::name)
    }

    /// The format with this name, or full width. `None`: no such name.
    pub fn parse(text: &str) -> Option<Option<WireFormat>> {
        let found = WireFormat::ALL.into_iter().find(|format| format.name() == text);
        found.map(Some).or((text == WireFormat::FULL).then_some(None))
    }

    /// Bytes of one number, without the scale.
    pub const fn bytes(self) -> usize {
        match self {
            WireFormat::Bf16 => 2,
            WireFormat::F8 | WireFormat::Int8Block => 1,
        }
    }

    /// Length of the narrow form of `count` numbers, in elements of 4 bytes. The last one may end in zeros.
    pub const fn narrow_len(self, count: usize) -> usize {
        let scales = match self {
            WireFormat::Bf16 => 0,
            WireFormat::F8 | WireFormat::Int8Block => count.div_ceil(WireFormat::BLOCK),
        };
        scales + (self.bytes() * count).div_ceil(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_has_one_number_and_one_name() {
        for format in WireFormat::ALL {
            assert_eq!(WireFormat::from_number(WireFormat::number(Some(format))), Some(format));
            assert_eq!(WireFormat::parse(format.name()), Some(Some(format)));
        }
        assert_eq!((WireFormat::number(None), WireFormat::from_number(0)), (0, None));
        assert_eq!((WireFormat::parse("full"), WireFormat::parse("f16")), (Some(None), None));
        assert_eq!(WireFormat::name_of(None), "full");
    }

    #[test]
    fn a_narrow_form_holds_its_numbers_and_scales() {
        let lens = |count| WireFormat::ALL.map(|format| format.narrow_len(count));
        assert_eq!(lens(0), [0, 0, 0]);
        assert_eq!(lens(1), [1, 2, 2]);
        assert_eq!(lens(256), [128, 65, 65]);
        assert_eq!(lens(257), [129, 67, 67]);
    }
}
