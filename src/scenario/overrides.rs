//! `--set PATH=VALUE`: changing single settings of a scenario.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::error::{Fault, Source, suggest};

/// Applies every `--set` argument of a source to its parsed table.
pub(super) fn apply<'s>(source: &'s Source, root: &mut DeTable<'s>) -> Result<(), Box<Fault>> {
    for range in source.set_ranges() {
        let text = &source.text[range.clone()];
        let Some((path, value)) = text.split_once('=') else {
            let help =
                Some("write --set PATH=VALUE, for example --set workload.exponent=1.1".to_owned());
            return Err(source.fault_with_help(range, format!("`{text}` has no `=`"), help));
        };
        let path_range = range.start..range.start + path.len();
        let value_start = path_range.end + 1;
        let value = read_value(value, value_start);
        set(source, root, path.trim(), &path_range, value)?;
    }
    Ok(())
}

/// A TOML value; what is none is taken as a text, so that quotes may be left
/// out.
fn read_value(text: &str, start: usize) -> Spanned<DeValue<'_>> {
    let range = start..start + text.len();
    match DeValue::parse(text) {
        Ok(value) => Spanned::new(range, shifted(value.into_inner(), start)),
        Err(_) => Spanned::new(range, DeValue::String(Cow::Borrowed(text.trim()))),
    }
}

/// Moves the places inside a value that was parsed on its own.
fn shifted(value: DeValue<'_>, by: usize) -> DeValue<'_> {
    let moved = |range: Range<usize>| range.start + by..range.end + by;
    match value {
        DeValue::Array(array) => {
            let mut items = DeArray::new();
            for item in array {
                let range = moved(item.span());
                items.push(Spanned::new(range, shifted(item.into_inner(), by)));
            }
            DeValue::Array(items)
        }
        DeValue::Table(table) => {
            let items = table.into_iter().map(|(key, item)| {
                let key = Spanned::new(moved(key.span()), key.into_inner());
                let range = moved(item.span());
                (key, Spanned::new(range, shifted(item.into_inner(), by)))
            });
            DeValue::Table(items.collect())
        }
        other => other,
    }
}

fn set<'s>(
    source: &'s Source,
    root: &mut DeTable<'s>,
    path: &'s str,
    place: &Range<usize>,
    value: Spanned<DeValue<'s>>,
) -> Result<(), Box<Fault>> {
    let key = |name: &'s str| Spanned::new(place.clone(), Cow::Borrowed(name));
    let fault = |message: String| Err(source.fault(place.clone(), message));
    if path.split('.').any(str::is_empty) {
        return fault(format!("`{path}` is not a path of keys joined by dots"));
    }
    let mut table = root;
    let mut rest = path;
    while let Some((segment, tail)) = rest.split_once('.') {
        let entry = table
            .entry(key(segment))
            .or_insert_with(|| Spanned::new(place.clone(), DeValue::Table(DeTable::new())));
        (table, rest) = match entry.get_mut() {
            DeValue::Table(table) => (table, tail),
            DeValue::Array(array) => {
                let (index, tail) = find_entry(source, array, segment, tail, place)?;
                match array.get_mut(index).map(Spanned::get_mut) {
                    Some(DeValue::Table(table)) => (table, tail),
                    _ => return fault(format!("`{segment}` is not a list of tables")),
                }
            }
            other => {
                return fault(format!("`{segment}` is a {}, which has no keys", other.type_str()));
            }
        };
    }
    table.insert(key(rest), value);
    Ok(())
}

/// An entry of an array of tables, by its name (which may hold dots), by kind,
/// or by number from 0; and what is left of the path behind it.
fn find_entry<'p>(
    source: &Source,
    array: &DeArray<'_>,
    list: &str,
    path: &'p str,
    place: &Range<usize>,
) -> Result<(usize, &'p str), Box<Fault>> {
    let text = |entry: &Spanned<DeValue<'_>>, key: &str| -> Option<String> {
        entry.get_ref().as_table()?.get(key)?.get_ref().as_str().map(str::to_owned)
    };
    let behind = |name: &str| path.strip_prefix(name)?.strip_prefix('.');
    let with = |key: &str| -> Vec<(usize, &'p str)> {
        let entries = array.iter().enumerate();
        entries.filter_map(|(index, entry)| Some((index, behind(&text(entry, key)?)?))).collect()
    };
    let which = path.split_once('.').map_or(path, |(which, _)| which);
    let number = which.parse::<usize>().ok().filter(|index| *index < array.len());
    match (with("name").as_slice(), with("kind").as_slice(), number.zip(behind(which))) {
        ([entry, ..], _, _) | ([], [entry], _) => Ok(*entry),
        ([], [], Some(entry)) => Ok(entry),
        ([], [], None) => {
            let known: Vec<String> = array
                .iter()
                .filter_map(|entry| text(entry, "name").or_else(|| text(entry, "kind")))
                .collect();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            if known.contains(&path) || number.is_some() {
                let message = format!("name a key of that entry, as in {list}.{path}.KEY");
                return Err(source.fault(place.clone(), message));
            }
            let message = format!("there is no `{which}` in `{list}`");
            Err(source.fault_with_help(place.clone(), message, suggest(which, &known)))
        }
        ([], several, _) => {
            let message = format!("{} entries of `{list}` are of kind `{which}`", several.len());
            let help = Some(format!("give them names, or use numbers: {list}.{}", several[0].0));
            Err(source.fault_with_help(place.clone(), message, help))
        }
    }
}
