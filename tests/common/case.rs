//! One call of a collective, without its buffers.

use std::fmt;

use anyccl_engine::base::{Call, CallKind, Collective, Datatype, Rank, ReduceOp};

/// One call, the same on all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub collective: Collective,
    pub datatype: Datatype,
    pub op: Option<ReduceOp>,
    pub root: Rank,
    pub count: usize,
}

impl Case {
    /// A call that moves elements without reading them.
    pub fn moving(collective: Collective, datatype: Datatype, root: Rank, count: usize) -> Case {
        assert!(!collective.reduces());
        Case { collective, datatype, op: None, root, count }
    }

    /// A call that reduces.
    pub fn reducing(
        collective: Collective,
        datatype: Datatype,
        op: ReduceOp,
        root: Rank,
        count: usize,
    ) -> Case {
        assert!(collective.reduces());
        Case { collective, datatype, op: Some(op), root, count }
    }

    /// A barrier.
    pub fn barrier() -> Case {
        Case::moving(Collective::Barrier, Datatype::Byte, 0, 0)
    }

    /// A call of any collective with int32 and, where it reduces, sum.
    pub fn plain(collective: Collective, root: Rank, count: usize) -> Case {
        match collective {
            Collective::Barrier => Case::barrier(),
            c if c.reduces() => Case::reducing(c, Datatype::Int32, ReduceOp::Sum, root, count),
            c => Case::moving(c, Datatype::Int32, root, count),
        }
    }

    /// The call in the engine's type. The root is 0 for a collective without a root.
    pub fn call(&self) -> Call {
        Call {
            kind: CallKind::Collective(self.collective),
            datatype: self.datatype,
            op: self.op,
            root: if self.collective.has_root() { self.root } else { 0 },
            count: self.count as u64,
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.call().fmt(f)
    }
}

/// Every combination of collective, datatype and operator that the library says it supports.
pub fn support_table() -> Vec<(Collective, Datatype, Option<ReduceOp>)> {
    let mut table = Vec::new();
    for collective in Collective::UNIFORM {
        if collective == Collective::Barrier {
            table.push((collective, Datatype::Byte, None));
            continue;
        }
        for datatype in Datatype::ALL {
            if !collective.reduces() {
                table.push((collective, datatype, None));
                continue;
            }
            let accepted = ReduceOp::ALL.into_iter().filter(|op| op.accepts(datatype));
            table.extend(accepted.map(|op| (collective, datatype, Some(op))));
        }
    }
    table
}
