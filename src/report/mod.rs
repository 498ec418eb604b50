//! What a run leaves for its reader.

pub mod plot;
