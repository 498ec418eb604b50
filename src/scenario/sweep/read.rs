//! Reading one `[[axis]]` of a sweep file.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;
use toml::de::DeValue;

use super::axis::{Axis, Curve, Field, Level, Levels, Range};
use super::number::Number;
use crate::model::check_name;
use crate::scenario::error::{Change, Fault, Origin, Source};
use crate::scenario::overrides::{outside_quotes, segments};
use crate::scenario::section::{Section, type_name};

/// The keys of `[[axis]]` that are plain.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    name: Option<String>,
    steps: Option<u32>,
    #[serde(default)]
    scale: Option<Curve>,
}

/// The keys of the scenario that are the sweep's own.
const OF_THE_SWEEP: [&str; 5] = ["schema", "name", "title", "seed", "replications"];

/// The most values of one axis.
const MOST_STEPS: u32 = 1_000_000;

/// Reads one `[[axis]]`.
pub(super) fn read_axis<'s>(
    source: &'s Source,
    mut section: Section<'s>,
) -> Result<Axis, Box<Fault>> {
    let values = section.take("values");
    let variants = section.take("variants");
    let (from, to) = (section.take("from"), section.take("to"));
    let fields = match section.take("path") {
        Some(path) => read_fields(source, &path)?,
        None => Vec::new(),
    };
    let also = ["path", "values", "variants", "from", "to"];
    let (keys, places) = section.read(&also, |_: &Keys| Ok(()))?;
    let name = match (&keys.name, fields.first()) {
        (Some(name), _) => name.clone(),
        (None, Some(field)) => segments(&field.path).last().copied().unwrap_or_default().to_owned(),
        (None, None) => {
            let help = "an axis with `path` has the name of its last key";
            return Err(places.fault_with_help("name", "missing key `name`", help));
        }
    };
    check_axis_name(&name).map_err(|rule| {
        let key = if keys.name.is_some() { "name" } else { "path" };
        places.fault_with_help(key, &format!("the name of an axis {rule}"), "write another `name`")
    })?;
    let is_range = from.is_some() || to.is_some();
    if [values.is_some(), variants.is_some(), is_range].iter().filter(|form| **form).count() > 1 {
        let message = format!("axis `{name}` has more than one of `values`, `from` and `variants`");
        return Err(places.fault("", message));
    }
    if !is_range {
        for (key, is_there) in [("steps", keys.steps.is_some()), ("scale", keys.scale.is_some())] {
            if is_there {
                return Err(places.fault(key, format!("`{key}` is for a range, `from` and `to`")));
            }
        }
    }
    if let Some(steps) = keys.steps.filter(|steps| !(2..=MOST_STEPS).contains(steps)) {
        let message = format!("`steps` must be from 2 to {MOST_STEPS}, not {steps}");
        return Err(places.fault("steps", message));
    }
    if fields.is_empty() && (values.is_some() || is_range) {
        let message = format!("axis `{name}` has no `path`: which field has these values?");
        return Err(places.fault("path", message));
    }
    let levels = if let Some(values) = values {
        Levels::List(listed(source, &values, &fields)?)
    } else if let Some(variants) = variants {
        if !fields.is_empty() {
            let message = "`path` has no use here: each variant names its fields";
            return Err(places.fault("path", message));
        }
        Levels::List(named(source, variants)?)
    } else if is_range {
        let ends = from.zip(to).ok_or_else(|| places.fault("", "a range needs `from` and `to`"))?;
        range(source, &ends, &keys, fields)?
    } else {
        let help = "write `values`, a range (`from`, `to`, `steps`), or `variants`";
        return Err(places.fault_with_help("", &format!("axis `{name}` has no values"), help));
    };
    let axis = Axis { name, levels };
    if let Levels::List(levels) = &axis.levels {
        check_levels(&axis.name, levels).map_err(|message| places.fault("", message))?;
    }
    Ok(axis)
}

/// `path`: a text, or a list of them.
fn read_fields(source: &Source, path: &Spanned<DeValue<'_>>) -> Result<Vec<Field>, Box<Fault>> {
    let field = |path: &Spanned<DeValue<'_>>| {
        let DeValue::String(text) = path.get_ref() else {
            let found = type_name(path.get_ref());
            let message = format!("`path` must be a text or a list of texts, not {found}");
            return Err(source.fault(path.span(), message));
        };
        check_path(text).map_err(|message| source.fault(path.span(), message))?;
        Ok(Field { path: text.to_string(), place: source.place(path.span()) })
    };
    match path.get_ref() {
        DeValue::Array(paths) if paths.is_empty() => {
            Err(source.fault(path.span(), "`path` names no field"))
        }
        DeValue::Array(paths) => paths.iter().map(field).collect(),
        _ => Ok(vec![field(path)?]),
    }
}

/// The name of an axis is a column, and a word in `where`.
fn check_axis_name(name: &str) -> Result<(), String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if begins && name.chars().all(is_word) && !["and", "or", "not"].contains(&name) {
        return Ok(());
    }
    Err(format!(
        "must be letters, digits and `_`, begin with a letter, and not be `and`, `or` or `not`; \
         `{name}` is not"
    ))
}

fn check_path(path: &str) -> Result<(), String> {
    if outside_quotes(path, '=').is_some() {
        return Err(format!("`{path}` is not a path of keys joined by dots"));
    }
    match OF_THE_SWEEP.iter().find(|key| segments(path)[0] == **key) {
        Some(key) => Err(format!("`{key}` is the sweep's own and cannot be an axis")),
        None => Ok(()),
    }
}

fn check_levels(name: &str, levels: &[Level]) -> Result<(), String> {
    if levels.is_empty() {
        return Err(format!("axis `{name}` has no values"));
    }
    let mut seen = BTreeMap::new();
    for level in levels {
        if seen.insert(&level.label, ()).is_some() {
            return Err(format!("axis `{name}` has the value `{}` twice", level.label));
        }
        check_name(&level.label).map_err(|rule| format!("a value of axis `{name}` {rule}"))?;
    }
    Ok(())
}

/// `values = [...]`.
fn listed(
    source: &Source,
    values: &Spanned<DeValue<'_>>,
    fields: &[Field],
) -> Result<Vec<Level>, Box<Fault>> {
    let DeValue::Array(items) = values.get_ref() else {
        let message = format!("`values` must be a list, not {}", type_name(values.get_ref()));
        return Err(source.fault(values.span(), message));
    };
    let level = |item: &Spanned<DeValue<'_>>| {
        let number = Number::of(item.get_ref());
        let text = source.text(&item.span());
        let label = match (item.get_ref(), &number) {
            (DeValue::String(word), _) => word.to_string(),
            (_, Some(number)) => number.unit.text(number.value),
            _ => text.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        let place = source.place(item.span());
        let changes = fields.iter().map(|field| field.set_to(text, &place)).collect();
        Level { label, number: number.map(|number| number.value), changes }
    };
    Ok(items.iter().map(level).collect())
}

/// `[axis.variants]`: changes by name, in the order of the file.
fn named(source: &Source, variants: Spanned<DeValue<'_>>) -> Result<Vec<Level>, Box<Fault>> {
    let span = variants.span();
    let DeValue::Table(table) = variants.into_inner() else {
        let message = "`variants` must be a table of lists, as in tight = [\"PATH=VALUE\", ..]";
        return Err(source.fault(span, message));
    };
    let mut entries: Vec<_> = table.into_iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let level = |(key, value): (Spanned<Cow<'_, str>>, Spanned<DeValue<'_>>)| {
        let changes = read_changes(source, key.get_ref(), &value)?;
        Ok(Level { label: key.get_ref().to_string(), number: None, changes })
    };
    entries.into_iter().map(level).collect()
}

/// A list of `"PATH=VALUE"`, as after `--set`.
pub(super) fn read_changes(
    source: &Source,
    key: &str,
    value: &Spanned<DeValue<'_>>,
) -> Result<Vec<Change>, Box<Fault>> {
    let wrong = |span, found| {
        let message = format!("`{key}` must be a list of texts PATH=VALUE, not {found}");
        source.fault(span, message)
    };
    let DeValue::Array(items) = value.get_ref() else {
        return Err(wrong(value.span(), type_name(value.get_ref())));
    };
    let change = |item: &Spanned<DeValue<'_>>| {
        let DeValue::String(text) = item.get_ref() else {
            return Err(wrong(item.span(), type_name(item.get_ref())));
        };
        let path = &text[..outside_quotes(text, '=').unwrap_or(text.len())];
        check_path(path).map_err(|message| source.fault(item.span(), message))?;
        let place = source.place(item.span());
        let origin = Origin { path: place.clone(), value: place, path_length: path.len() };
        Ok(Change { text: text.to_string(), origin: Some(origin) })
    };
    items.iter().map(change).collect()
}

/// `from`, `to`, and perhaps `steps`.
fn range(
    source: &Source,
    (from, to): &(Spanned<DeValue<'_>>, Spanned<DeValue<'_>>),
    keys: &Keys,
    fields: Vec<Field>,
) -> Result<Levels, Box<Fault>> {
    let number = |value: &Spanned<DeValue<'_>>| {
        Number::of(value.get_ref()).filter(|number| number.value.is_finite()).ok_or_else(|| {
            let found = source.text(&value.span());
            source.fault(value.span(), format!("expected a number or a duration, found {found}"))
        })
    };
    let (low, high) = (number(from)?, number(to)?);
    let unit = low.unit.with(high.unit).ok_or_else(|| {
        source.fault(to.span(), "`from` and `to` must both be numbers or both durations")
    })?;
    if low.value == high.value {
        return Err(source.fault(to.span(), "`to` must differ from `from`"));
    }
    let curve = keys.scale.unwrap_or_default();
    for (end, span) in [(low.value, from.span()), (high.value, to.span())] {
        if curve == Curve::Log && end <= 0.0 {
            return Err(source.fault(span, "a logarithmic range must be above 0"));
        }
    }
    let place = source.place(from.span());
    let range = Range { from: low.value, to: high.value, curve, unit, fields, place };
    let Some(steps) = keys.steps else { return Ok(Levels::Range(range)) };
    let last = f64::from(steps - 1);
    let step = |step| range.level(unit.rounded(range.at(f64::from(step) / last)));
    Ok(Levels::List((0..steps).map(step).collect()))
}
