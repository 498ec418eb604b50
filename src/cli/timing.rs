//! Wall times, for timing.json alone.

use std::time::Instant;

use serde_json::{Value, json};

/// Wall times of the parts of a command.
pub(super) struct Timing {
    last: Instant,
    marks: Vec<(&'static str, f64)>,
}

#[expect(
    clippy::disallowed_methods,
    reason = "wall times go to timing.json, the only file that differs"
)]
fn wall_clock() -> Instant {
    Instant::now()
}

impl Timing {
    pub(super) fn start() -> Self {
        Self { last: wall_clock(), marks: Vec::new() }
    }

    /// Names the time since the last mark.
    pub(super) fn mark(&mut self, name: &'static str) {
        let now = wall_clock();
        self.marks.push((name, (now - self.last).as_secs_f64()));
        self.last = now;
    }

    /// A time that was marked, if it is above 0.
    pub(super) fn seconds(&self, name: &str) -> Option<f64> {
        let mark = self.marks.iter().find(|(mark, _)| *mark == name)?;
        Some(mark.1).filter(|seconds| *seconds > 0.0)
    }

    /// The file: an object of counts and rates, with the times.
    pub(super) fn file(&self, mut timing: Value) -> (String, Vec<u8>) {
        for (name, seconds) in &self.marks {
            timing[name] = json!(seconds);
        }
        ("timing.json".to_owned(), format!("{timing:#}\n").into_bytes())
    }
}
