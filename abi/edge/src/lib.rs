//! The guard between C and the engine.
