//! What a sweep was made of, as its manifest says it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::experiment::hash;
use crate::experiment::sweep::{Identity, Partition, Work};
use crate::model::InputError;
use crate::report::MANIFEST;
use crate::report::files::NamedBytes;
use crate::report::terminal::count;
use crate::scenario::Sweep;

/// An axis, as plots need it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AxisInfo {
    /// Its name, a column of the tables.
    pub name: String,
    /// Whether its values are numbers or durations.
    pub numeric: bool,
}

/// Everything of `manifest.json` but the outputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepInfo {
    /// Name of the sweep.
    pub sweep: String,
    /// Heading of the plots.
    pub title: String,
    /// Size, for people.
    pub size: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Kind of the design.
    pub design: String,
    /// The axes, in order.
    pub axes: Vec<AxisInfo>,
    /// How many points.
    pub points: usize,
    /// How many points of the design `where` left out.
    pub left_out: usize,
    /// The seeds, in order.
    pub seeds: Vec<u64>,
    /// The part of the units that was run; `1/1` for all.
    pub partition: Partition,
    /// The sweep file.
    pub sweep_text: String,
    /// The scenario's file.
    pub scenario_text: String,
    /// What results depend on.
    #[serde(flatten)]
    pub identity: Identity,
}

impl SweepInfo {
    /// That of the work on a sweep.
    ///
    /// # Errors
    ///
    /// When a file that a scenario reads cannot be read.
    pub fn of(sweep: &Sweep, work: &Work<'_>, partition: Partition) -> Result<Self, InputError> {
        let axes = sweep.axes.iter();
        let points = work.points();
        let size = format!(
            "{} of {}, {}, {}",
            count(points.len(), "point"),
            count(sweep.axes.len(), "axis").replace("axiss", "axes"),
            count(sweep.base.policies.len(), "policy").replace("policys", "policies"),
            count(work.seeds().len(), "seed"),
        );
        let title = if sweep.title.is_empty() { &sweep.name } else { &sweep.title };
        Ok(Self {
            sweep: sweep.name.clone(),
            title: title.clone(),
            size,
            scenario: sweep.base.run.name.clone(),
            design: sweep.design.kind().to_owned(),
            axes: axes
                .map(|axis| AxisInfo { name: axis.name.clone(), numeric: axis.is_numeric() })
                .collect(),
            points: points.len(),
            left_out: points.left_out,
            seeds: work.seeds().to_vec(),
            partition,
            sweep_text: sweep.text.clone(),
            scenario_text: sweep.scenario_text.clone(),
            identity: Identity::of(sweep, work.files())?,
        })
    }

    /// `manifest.json` with these output files.
    pub fn manifest(&self, outputs: &[NamedBytes]) -> NamedBytes {
        let outputs: Vec<Value> = outputs
            .iter()
            .map(|(name, bytes)| json!({ "file": name, "xxh64": hash(bytes) }))
            .collect();
        let mut manifest = json!({ "program": "evenkeel", "kind": "sweep", "outputs": outputs });
        // A struct of texts, numbers and lists of them becomes an object.
        if let (Some(all), Ok(Value::Object(info))) =
            (manifest.as_object_mut(), serde_json::to_value(self))
        {
            all.extend(info);
        }
        (MANIFEST.to_owned(), format!("{manifest:#}\n").into_bytes())
    }
}
