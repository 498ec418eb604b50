//! Sweeps: TOML files that name a scenario and the axes to vary it along.

mod axis;
mod constraint;
mod design;
mod expression;
mod number;
mod read;
mod words;

use std::fmt;
use std::ops;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::de::DeTable;

pub use axis::{Axis, Curve, Level, Levels, Range};
pub use design::{DesignSettings, GridSettings, RandomSettings, SobolSettings};

use super::error::{Change, Fault, Origin, ScenarioError, Source};
use super::kinds::Kinds;
use super::section::{Places, Section};
use super::settings::check_run_name;
use super::workloads::Workloads;
use super::{Checks, SCHEMA, Scenario};
use crate::model::{SettingError, check_name, read_text};
use constraint::Constraint;
use design::MOST_POINTS;

/// The keys at the top of a sweep file that are plain.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    schema: i64,
    name: String,
    #[serde(default)]
    title: String,
    scenario: PathBuf,
    seed: Option<u64>,
    replications: Option<u32>,
    r#where: Option<String>,
}

impl Keys {
    fn check(&self) -> Result<(), SettingError> {
        if self.schema != SCHEMA {
            let message =
                format!("{} is not known; this program reads schema {SCHEMA}", self.schema);
            return Err(SettingError::new("schema", message));
        }
        check_run_name(&self.name)?;
        if !self.title.is_empty() {
            check_name(&self.title).map_err(|rule| SettingError::new("title", rule))?;
        }
        Ok(())
    }
}

/// A sweep: a scenario, and the axes along which it is varied.
pub struct Sweep {
    /// Its name; it names the output directory.
    pub name: String,
    /// One line for people; empty if there is none.
    pub title: String,
    /// How points are chosen.
    pub design: DesignSettings,
    /// The axes, in order.
    pub axes: Vec<Axis>,
    /// The scenario without the axes.
    pub base: Scenario,
    /// The text of the sweep file.
    pub text: String,
    /// The text of the scenario's file.
    pub scenario_text: String,
    source: Source,
    scenario_name: String,
    /// Changes that all points have.
    changes: Vec<Change>,
    constraint: Option<(Constraint, ops::Range<usize>)>,
    /// Where the axes have their names.
    name_places: Vec<ops::Range<usize>>,
    workloads: Workloads,
}

impl fmt::Debug for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sweep({})", self.name)
    }
}

impl Sweep {
    /// Reads a sweep file and its scenario.
    ///
    /// # Errors
    ///
    /// When either cannot be used. Single points are not tried.
    pub fn read(path: &Path) -> Result<Self, ScenarioError> {
        let text = read_text(path)?;
        let directory = path.parent().unwrap_or(Path::new(""));
        Self::parse(&text, &path.display().to_string(), directory)
    }

    /// Reads a sweep from a text. `name` stands for the file in messages, and the
    /// scenario's path is relative to `directory`.
    ///
    /// # Errors
    ///
    /// As [`Sweep::read`].
    pub fn parse(text: &str, name: &str, directory: &Path) -> Result<Self, ScenarioError> {
        let source = Source::new(name, text, &[]);
        let Read { keys, places, design, axes, name_places, mut changes } = read_file(&source)?;
        for (key, value) in [
            ("seed", keys.seed.map(|seed| seed.to_string())),
            ("replications", keys.replications.map(|count| count.to_string())),
        ] {
            let Some(value) = value else { continue };
            let place = source.place(places.place(key));
            let origin = Origin { path: place.clone(), value: place, path_length: key.len() };
            changes.push(Change { text: format!("{key}={value}"), origin: Some(origin) });
        }
        let constraint = match &keys.r#where {
            None => None,
            Some(text) => Some(read_constraint(&source, &axes, text, places.place("where"))?),
        };

        let path = directory.join(&keys.scenario);
        let scenario_text = read_text(&path).map_err(|error| places.file("scenario", error))?;
        let base_directory = path.parent().unwrap_or(Path::new("")).to_owned();
        let scenario_name = path.display().to_string();
        let workloads = Workloads::default();
        let base = Scenario::parse_changed(
            &scenario_text,
            &scenario_name,
            &base_directory,
            &changes,
            &workloads,
            Checks::Ignored,
        )?;
        Ok(Self {
            name: keys.name,
            title: keys.title,
            design,
            axes,
            base,
            text: text.to_owned(),
            scenario_text,
            scenario_name,
            changes,
            constraint,
            name_places,
            workloads,
            source,
        })
    }

    /// Whether `where` holds at a point.
    pub fn admits(&self, coordinates: &[f64]) -> bool {
        self.constraint
            .as_ref()
            .is_none_or(|(constraint, _)| constraint.admits(&self.axes, coordinates))
    }

    /// The error of a design of which `where` leaves nothing.
    pub fn nothing_is_left(&self) -> ScenarioError {
        let range = self.constraint.as_ref().map_or(0..0, |(_, range)| range.clone());
        self.source.fault(range, "no point of the design satisfies `where`").into()
    }

    /// Checks that no axis has the name of a column of its tables.
    ///
    /// # Errors
    ///
    /// When one has.
    pub fn check_names(&self, columns: &[String]) -> Result<(), ScenarioError> {
        for (axis, place) in self.axes.iter().zip(&self.name_places) {
            if columns.contains(&axis.name) {
                let message = format!("`{}` is a column of the tables already", axis.name);
                let help = Some("give the axis another `name`".to_owned());
                return Err(self.source.fault_with_help(place.clone(), message, help).into());
            }
        }
        Ok(())
    }

    /// The error of a sweep whose table would be too long.
    pub fn too_many_rows(&self, most: u64) -> ScenarioError {
        let message = format!("points, seeds and policies make more than {most} rows together");
        let help = Some("take fewer points or seeds".to_owned());
        self.source.fault_with_help(0..0, message, help).into()
    }

    /// The scenario at a point: one coordinate for each axis.
    ///
    /// # Errors
    ///
    /// When the values of the axes do not make a scenario together. The message
    /// names them.
    pub fn scenario(&self, coordinates: &[f64]) -> Result<Scenario, ScenarioError> {
        let levels: Vec<Level> =
            self.axes.iter().zip(coordinates).map(|(axis, at)| axis.level(*at)).collect();
        let of_axes = levels.iter().flat_map(|level| &level.changes);
        let changes: Vec<Change> = self.changes.iter().chain(of_axes).cloned().collect();
        let directory = &self.base.directory;
        Scenario::parse_changed(
            &self.scenario_text,
            &self.scenario_name,
            directory,
            &changes,
            &self.workloads,
            Checks::Ignored,
        )
        .map_err(|error| self.at_point(error, &levels))
    }

    /// Names the point of an error, unless it is about a path, which is the same
    /// at every point.
    fn at_point(&self, error: ScenarioError, levels: &[Level]) -> ScenarioError {
        let origins =
            levels.iter().flat_map(|level| &level.changes).filter_map(|c| c.origin.as_ref());
        let mut paths = origins.filter(|origin| origin.path != origin.value).map(|o| &o.path);
        match error {
            ScenarioError::Fault(fault) if paths.any(|path| *path == fault.place) => fault.into(),
            error => ScenarioError::Point {
                point: self.describe(levels.iter().map(|level| level.label.as_str())),
                error: Box::new(error),
            },
        }
    }

    /// A point in words: `upper_band = 1.1, exponent = 0.9`.
    pub fn describe<'a>(&self, labels: impl Iterator<Item = &'a str>) -> String {
        let parts: Vec<String> =
            self.axes.iter().zip(labels).map(|(axis, l)| format!("{} = {l}", axis.name)).collect();
        parts.join(", ")
    }
}

/// What a sweep file says.
struct Read<'s> {
    keys: Keys,
    places: Places<'s>,
    design: DesignSettings,
    axes: Vec<Axis>,
    name_places: Vec<ops::Range<usize>>,
    changes: Vec<Change>,
}

fn read_file(source: &Source) -> Result<Read<'_>, Box<Fault>> {
    let document = DeTable::parse(source.file()).map_err(|error| {
        let range = error.span().unwrap_or(0..0);
        source.fault(range, format!("not valid TOML: {}", error.message()))
    })?;
    let mut root = Section::new(source, document.into_inner(), 0..0);
    let design = root.has("design");
    let design_section = root.take_section("design")?;
    let axis_sections = root.take_sections("axis", "[[axis]]")?;
    let set = root.take("set");
    let (keys, places) = root.read(&["set", "design", "axis"], Keys::check)?;
    let changes = match set {
        Some(set) => read::read_changes(source, "set", &set)?,
        None => Vec::new(),
    };
    let design_places = design_section.places.clone();
    let design = match design {
        true => DesignSettings::read(design_section, &[])?,
        false => DesignSettings::Grid(GridSettings {}),
    };
    if axis_sections.is_empty() {
        return Err(places.fault("axis", "there is no axis; write at least one [[axis]]"));
    }
    let mut axes: Vec<Axis> = Vec::new();
    let mut axis_places = Vec::new();
    for section in axis_sections {
        let places = section.places.clone();
        let axis = read::read_axis(source, section)?;
        if axes.iter().any(|other| other.name == axis.name) {
            let message =
                format!("there are two axes named `{}`; give each a `name` of its own", axis.name);
            return Err(places.fault("name", message));
        }
        axes.push(axis);
        axis_places.push(places);
    }
    check_design(&design, &design_places, &axes, &axis_places)?;
    let name_place = |places: &Places<'_>| match places.has("name") {
        true => places.place("name"),
        false => places.place("path"),
    };
    let name_places = axis_places.iter().map(name_place).collect();
    Ok(Read { keys, places, design, axes, name_places, changes })
}

/// A grid needs lists, and must not be too large; Sobol sequences end somewhere.
fn check_design(
    design: &DesignSettings,
    places: &Places<'_>,
    axes: &[Axis],
    axis_places: &[Places<'_>],
) -> Result<(), Box<Fault>> {
    match design {
        DesignSettings::Grid(_) => {
            let mut points: u64 = 1;
            for (axis, places) in axes.iter().zip(axis_places) {
                let Some(count) = axis.count() else {
                    let help = "a range of a grid needs to know how many values it has";
                    return Err(places.fault_with_help("steps", "missing key `steps`", help));
                };
                points = points.saturating_mul(count as u64);
                if points > MOST_POINTS {
                    let message = format!("the grid has more than {MOST_POINTS} points");
                    let help = "take fewer values, or a [design] that draws points";
                    return Err(places.fault_with_help("", &message, help));
                }
            }
            Ok(())
        }
        DesignSettings::Sobol(_) if axes.len() > MOST_SOBOL_AXES => {
            let message =
                format!("a Sobol sequence has at most {MOST_SOBOL_AXES} axes, not {}", axes.len());
            Err(places.fault("kind", message))
        }
        _ => Ok(()),
    }
}

/// The most axes of a Sobol design: the dimensions that have direction numbers.
pub const MOST_SOBOL_AXES: usize = 21;

/// Reads `where`, whose text stands between quotes at a place of the file.
fn read_constraint(
    source: &Source,
    axes: &[Axis],
    text: &str,
    place: ops::Range<usize>,
) -> Result<(Constraint, ops::Range<usize>), Box<Fault>> {
    let constraint = Constraint::parse(text, axes).map_err(|error| {
        // With escapes in it, or more quotes around it, the text is elsewhere.
        let inside = place.start + 1..place.end.saturating_sub(1);
        let range = match source.text(&inside) == text {
            true => inside.start + error.range.start..inside.start + error.range.end,
            false => place.clone(),
        };
        source.fault_with_help(range, format!("`where`: {}", error.message), error.help)
    })?;
    Ok((constraint, place))
}

#[cfg(test)]
mod tests;
