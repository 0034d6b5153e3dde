//! The choice for sums that travel between hosts in a narrow form.

use super::{Tuning, shared};
use crate::algo::{self, Algorithm};
use crate::base::{Collective, Datatype, Error, ReduceOp, Result, WireFormat};
use crate::plan::PlanRequest;

/// Fewest numbers of the larger buffer. Shorter calls take as long at full width, and are often exact
/// numbers: counts, losses.
const NARROW_FROM: usize = 1024;

impl Tuning {
    /// The format in which a sum travels between hosts. `None`: at full width, because it is no such sum,
    /// there is one host, no number would become shorter, or the call has few numbers.
    pub fn format_of(
        &self,
        collective: Collective,
        (datatype, op): (Datatype, ReduceOp),
        count: usize,
        (size, hosts): (u32, u32),
    ) -> Option<WireFormat> {
        let format = self.wire?;
        let is_sum = matches!(op, ReduceOp::Sum | ReduceOp::Avg | ReduceOp::PremulSum);
        let is_float = matches!(datatype, Datatype::Float32 | Datatype::Float16 | Datatype::Bfloat16);
        let numbers = match collective {
            Collective::ReduceScatter => count.saturating_mul(size as usize),
            _ => count,
        };
        let is_worth_it = format.bytes() < datatype.bytes() && numbers >= NARROW_FROM;
        let serves = algo::narrow(collective, format).is_some();
        (is_sum && is_float && is_worth_it && serves && hosts > 1).then_some(format)
    }

    /// The algorithm for a request whose sums travel in this format. The user cannot name another one.
    pub fn choose_narrow(&self, request: &PlanRequest, format: WireFormat) -> Result<&'static Algorithm> {
        let name = request.collective.name();
        if let Some(wanted) = self.overrides.of(request.collective) {
            return Err(Error::Unsupported(format!(
                "ANYCCL_ALGORITHM wants {name}:{}, whose messages are not narrow; with ANYCCL_WIRE={} float sums have an \
                 algorithm of their own",
                wanted.name,
                format.name()
            )));
        }
        let row = algo::narrow(request.collective, format);
        row.ok_or_else(|| Error::Internal(format!("no narrow algorithm for {name}")))
    }

    /// Predicted microseconds of an algorithm for a request.
    pub fn predicted_us(&self, algorithm: &Algorithm, request: &PlanRequest, all_tcp: bool) -> f64 {
        self.predict(algorithm, &shared(request), all_tcp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::plan::BlockLayout;
    use crate::topology::Topology;

    fn tuning(algorithm: Option<&str>, wire: WireFormat) -> Tuning {
        let algorithm = algorithm.map(str::to_owned);
        Tuning::from_config(&Config { algorithm, wire: Some(wire), ..Config::default() }).unwrap()
    }

    #[test]
    fn only_long_sums_of_wider_floats_between_hosts_are_narrow() {
        use Collective::{AllReduce, Reduce, ReduceScatter};
        use Datatype::{Bfloat16, Float8E4m3, Float16, Float32, Float64, Int32};
        use ReduceOp::{Avg, Max, PremulSum, Product, Sum};
        use WireFormat::{Bf16, F8, Int8Block};
        let cases = [
            (Bf16, AllReduce, Float32, Sum, 1024, true),
            (Bf16, AllReduce, Float32, Sum, 1023, false),
            (Bf16, ReduceScatter, Float32, Avg, 256, true),
            (Bf16, ReduceScatter, Float32, Avg, 255, false),
            (Bf16, AllReduce, Float32, PremulSum, 5000, true),
            (Bf16, AllReduce, Bfloat16, Sum, 5000, false),
            (Bf16, AllReduce, Float16, Sum, 5000, false),
            (F8, AllReduce, Float16, Sum, 5000, true),
            (Int8Block, AllReduce, Bfloat16, Sum, 5000, true),
            (Int8Block, AllReduce, Float8E4m3, Sum, 5000, false),
            (Int8Block, AllReduce, Float64, Sum, 5000, false),
            (Int8Block, AllReduce, Int32, Sum, 5000, false),
            (Int8Block, AllReduce, Float32, Max, 5000, false),
            (Int8Block, AllReduce, Float32, Product, 5000, false),
            (Int8Block, Reduce, Float32, Sum, 5000, false),
        ];
        for (format, collective, datatype, op, count, is_narrow) in cases {
            let tuning = tuning(None, format);
            let found = tuning.format_of(collective, (datatype, op), count, (4, 2));
            assert_eq!(found, is_narrow.then_some(format), "{collective:?} {datatype:?} {op:?} {count}");
            assert_eq!(tuning.format_of(collective, (datatype, op), count, (4, 1)), None);
        }
        let plain = Tuning::from_config(&Config::default()).unwrap();
        assert_eq!(plain.format_of(AllReduce, (Float32, Sum), 5000, (4, 2)), None);
    }

    #[test]
    fn an_algorithm_of_the_user_is_refused_by_name() {
        let topology = Topology::from_labels(b"aabb");
        let request = PlanRequest {
            collective: Collective::AllReduce,
            size: 4,
            rank: 0,
            root: 0,
            count: 5000,
            element_bytes: 4,
            in_place: false,
            chunk_bytes: 64 << 10,
            topology: &topology,
            layout: BlockLayout::NONE,
        };
        let format = WireFormat::F8;
        assert_eq!(tuning(None, format).choose_narrow(&request, format).unwrap().name, "f8");
        let refused = tuning(Some("all_reduce:ring"), format).choose_narrow(&request, format);
        let text = refused.map(|row| row.name).unwrap_err().to_string();
        assert!(text.contains("all_reduce:ring") && text.contains("ANYCCL_WIRE=f8"), "{text}");
    }
}
