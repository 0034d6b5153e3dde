//! The flattened form of a datatype: where the bytes of one element lie.
//!
//! A [`Layout`] is a tree whose leaves are runs of contiguous bytes in the order of the typemap. Regular
//! types keep their loops: a vector of vectors is two loops, however many blocks it has. Irregular types are
//! lists with the packed position of every part, so a walk can enter at any byte in O(depth * log(parts)).
//!
//! Runs that touch in memory and follow each other in the typemap are joined, and empty parts are dropped.
//! Equal steps become a loop, and short lists are copied into the enclosing list. Offsets are relative to the
//! first byte of the layout in typemap order. A [`Placed`] layout adds the offset of that byte.
//!
//! A loop of two or more at least doubles the bytes, so loops alone nest at most 62 deep. Lists deeper than
//! [`DEEPEST`] are refused, which bounds the recursion of every walk.

use std::sync::Arc;

use crate::error::{Class, Error, Result};

/// Upper limit of the depth. A chain of structs adds one level per [`SPLICED`] structs.
const DEEPEST: u32 = 250;
/// Longest list that is copied into the enclosing list.
const SPLICED: usize = 16;

/// The bytes of one element, from the first one in typemap order.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// Contiguous bytes of this number. Zero if the type has no data.
    Run(u64),
    /// Several runs.
    Nested(Arc<Layout>),
}

/// A body and the offset of its first byte from the address that a program passes.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    /// Bytes from the address to the first byte of the body.
    pub offset: i64,
    /// The bytes.
    pub body: Body,
}

/// Several runs, in order.
#[derive(Debug)]
pub(super) struct Layout {
    /// Bytes of data.
    pub size: u64,
    /// Number of levels of layouts, including this one.
    depth: u32,
    /// Description of the runs.
    pub shape: Shape,
}

/// A description of several runs.
#[derive(Debug)]
pub(super) enum Shape {
    /// Equal runs in equal steps.
    Blocks {
        /// Number of runs.
        count: u64,
        /// Bytes from the start of a run to the start of the next.
        stride: i64,
        /// Bytes of a run.
        len: u64,
    },
    /// Equal runs at these offsets.
    Offsets {
        /// Start of each run.
        offsets: Box<[i64]>,
        /// Bytes of a run.
        len: u64,
    },
    /// Equal layouts in equal steps.
    Loop {
        /// Number of layouts.
        count: u64,
        /// Bytes from the start of one to the start of the next.
        stride: i64,
        /// The layout that is repeated.
        inner: Arc<Layout>,
    },
    /// Parts of any kind.
    List(Box<[Part]>),
}

/// One part of a list.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Packed position of the part's first byte in the list.
    pub start: u64,
    /// Offset of the part in typed memory.
    pub offset: i64,
    /// The bytes of the part.
    pub body: Body,
}

impl Body {
    /// Bytes of data.
    #[inline]
    pub fn size(&self) -> u64 {
        match self {
            Body::Run(len) => *len,
            Body::Nested(layout) => layout.size,
        }
    }

    fn depth(&self) -> u32 {
        match self {
            Body::Run(_) => 0,
            Body::Nested(layout) => layout.depth,
        }
    }

    /// Whether both have the same bytes, without looking into lists.
    fn is_same(&self, other: &Body) -> bool {
        match (self, other) {
            (Body::Run(a), Body::Run(b)) => a == b,
            (Body::Nested(a), Body::Nested(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn nested(size: u64, depth: u32, shape: Shape) -> Body {
        Body::Nested(Arc::new(Layout { size, depth, shape }))
    }
}

/// Upper limit of the runs of a layout whose repetitions are moved run by run.
const PATTERN: u64 = 64;

impl Layout {
    /// Number of runs of a layout that is not a loop. Each part of a list counts as one.
    pub fn runs(&self) -> u64 {
        match &self.shape {
            Shape::Blocks { count, .. } => *count,
            Shape::Offsets { offsets, .. } => offsets.len() as u64,
            Shape::List(parts) => parts.len() as u64,
            Shape::Loop { count, .. } => *count,
        }
    }

    /// Whether the layout consists of a few runs only.
    pub fn is_pattern(&self) -> bool {
        self.depth == 1 && self.runs() <= PATTERN
    }
}

impl Placed {
    /// A layout without bytes.
    pub const EMPTY: Placed = Placed { offset: 0, body: Body::Run(0) };

    /// `count` repetitions, `stride` bytes apart. The caller has checked that size and offsets fit an i64.
    pub fn repeated(&self, count: u64, stride: i64) -> Placed {
        let size = self.body.size();
        if count == 0 || size == 0 {
            return Placed::EMPTY;
        }
        if count == 1 {
            return self.clone();
        }
        let total = count * size;
        let body = match &self.body {
            Body::Run(len) if follows(stride, 1, *len as i64) => Body::Run(total),
            Body::Run(len) => Body::nested(total, 1, Shape::Blocks { count, stride, len: *len }),
            Body::Nested(layout) => match &layout.shape {
                Shape::Blocks { count: inside, stride: step, len } if follows(stride, *inside, *step) => {
                    Body::nested(total, 1, Shape::Blocks { count: count * inside, stride: *step, len: *len })
                }
                Shape::Loop { count: inside, stride: step, inner } if follows(stride, *inside, *step) => {
                    let shape = Shape::Loop { count: count * inside, stride: *step, inner: inner.clone() };
                    Body::nested(total, layout.depth, shape)
                }
                _ => Body::nested(
                    total,
                    layout.depth + 1,
                    Shape::Loop { count, stride, inner: layout.clone() },
                ),
            },
        };
        Placed { offset: self.offset, body }
    }

    /// A copy of these bytes, moved by `by`.
    pub fn moved(&self, by: i64) -> Placed {
        Placed { offset: self.offset.wrapping_add(by), body: self.body.clone() }
    }
}

/// Whether repeating `count` steps of `step` at `stride` gives one longer sequence of equal steps.
pub(super) fn follows(stride: i64, count: u64, step: i64) -> bool {
    i128::from(stride) == i128::from(count) * i128::from(step)
}

/// Collects the parts of a list and joins those that can be joined.
#[derive(Default)]
pub(super) struct Builder {
    parts: Vec<Part>,
    size: u64,
}

impl Builder {
    /// A builder with room for this number of parts.
    pub fn with_capacity(parts: usize) -> Builder {
        Builder { parts: Vec::with_capacity(parts), size: 0 }
    }

    /// Adds a part at the end. The caller has checked that the sum of the sizes fits an i64.
    pub fn push(&mut self, placed: &Placed) {
        let Placed { offset, body } = placed;
        match body {
            Body::Run(0) => {}
            Body::Run(len) => self.run(*offset, *len),
            Body::Nested(layout) => match &layout.shape {
                Shape::List(parts) if parts.len() <= SPLICED => {
                    for part in parts {
                        match part.body {
                            Body::Run(len) => self.run(offset + part.offset, len),
                            Body::Nested(_) => self.part(offset + part.offset, part.body.clone()),
                        }
                    }
                }
                Shape::Offsets { offsets, len } if offsets.len() <= SPLICED => {
                    offsets.iter().for_each(|at| self.run(offset + at, *len));
                }
                Shape::Blocks { count, stride, len } if *count <= SPLICED as u64 => {
                    (0..*count as i64).for_each(|i| self.run(offset + i * stride, *len));
                }
                _ => self.part(*offset, body.clone()),
            },
        }
    }

    /// Adds a run, or makes the last one longer.
    fn run(&mut self, offset: i64, len: u64) {
        if let Some(Part { offset: last, body: Body::Run(before), .. }) = self.parts.last_mut()
            && last.wrapping_add(*before as i64) == offset
        {
            *before += len;
            self.size += len;
            return;
        }
        self.part(offset, Body::Run(len));
    }

    fn part(&mut self, offset: i64, body: Body) {
        let start = self.size;
        self.size += body.size();
        self.parts.push(Part { start, offset, body });
    }

    /// The parts as one layout.
    pub fn finish(mut self) -> Result<Placed> {
        let Some(Part { offset, body, .. }) = self.parts.first().cloned() else { return Ok(Placed::EMPTY) };
        if self.parts.len() == 1 {
            return Ok(Placed { offset, body });
        }
        let depth = 1 + self.parts.iter().map(|part| part.body.depth()).max().unwrap_or(0);
        if depth > DEEPEST {
            return Err(Error::new(
                Class::TYPE,
                "the datatype is nested too deeply: build it from fewer levels of structs",
            ));
        }
        for part in &mut self.parts {
            part.offset = part.offset.wrapping_sub(offset);
        }
        if self.parts.iter().all(|part| part.body.is_same(&body)) {
            let step = self.parts[1].offset;
            let in_steps =
                self.parts.windows(2).all(|two| two[1].offset.checked_sub(two[0].offset) == Some(step));
            if in_steps {
                return Ok(Placed { offset, body }.repeated(self.parts.len() as u64, step));
            }
            if let Body::Run(len) = body {
                let offsets = self.parts.iter().map(|part| part.offset).collect();
                return Ok(Placed {
                    offset,
                    body: Body::nested(self.size, 1, Shape::Offsets { offsets, len }),
                });
            }
        }
        let parts = self.parts.into_boxed_slice();
        Ok(Placed { offset, body: Body::nested(self.size, depth, Shape::List(parts)) })
    }
}
