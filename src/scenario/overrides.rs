//! `--set PATH=VALUE`: changing single settings of a scenario.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::error::{Fault, Source, suggest};
use super::section::type_name;

/// Applies every `--set` argument of a source to its parsed table.
pub(super) fn apply<'s>(source: &'s Source, root: &mut DeTable<'s>) -> Result<(), Box<Fault>> {
    for range in &source.sets {
        let text = source.text(range);
        let Some(equals) = outside_quotes(text, '=') else {
            let help =
                Some("write --set PATH=VALUE, for example --set workload.exponent=1.1".to_owned());
            let message = format!("`{text}` has no `=`");
            return Err(source.fault_with_help(range.clone(), message, help));
        };
        let path = range.start..range.start + equals;
        let value = read_value(&text[equals + 1..], path.end + 1);
        set(source, root, &path, value)?;
    }
    Ok(())
}

/// Where a character first stands that is not between double quotes.
pub(super) fn outside_quotes(text: &str, wanted: char) -> Option<usize> {
    let mut inside = false;
    text.char_indices().find_map(|(at, c)| {
        inside ^= c == '"';
        (c == wanted && !inside).then_some(at)
    })
}

/// The keys of a path. One with dots or an equals sign in it stands between
/// double quotes, as in `policy."greedy 1.15".upper_band`.
pub(super) fn segments(path: &str) -> Vec<&str> {
    let mut rest = path;
    let mut segments = Vec::new();
    loop {
        let end = outside_quotes(rest, '.');
        let segment = rest[..end.unwrap_or(rest.len())].trim();
        let bare = segment.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
        segments.push(bare.unwrap_or(segment));
        match end {
            Some(end) => rest = &rest[end + 1..],
            None => return segments,
        }
    }
}

/// Deeper paths are a mistake: no scenario has them.
const DEEPEST: usize = 16;

/// A TOML value; what is none is taken as a text, so that quotes may be left
/// out.
fn read_value(text: &str, start: usize) -> Spanned<DeValue<'_>> {
    let start = start + (text.len() - text.trim_start().len());
    let text = text.trim();
    let range = start..start + text.len();
    match DeValue::parse(text) {
        Ok(value) => Spanned::new(range, shifted(value.into_inner(), start)),
        Err(_) => Spanned::new(range, DeValue::String(Cow::Borrowed(text))),
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
    place: &Range<usize>,
    value: Spanned<DeValue<'s>>,
) -> Result<(), Box<Fault>> {
    let key = |name: &'s str| Spanned::new(place.clone(), Cow::Borrowed(name));
    let path = source.text(place);
    let mut segments = segments(path);
    if segments.len() > DEEPEST {
        return Err(source.fault(place.clone(), "the path has more keys than any scenario"));
    }
    if segments.iter().any(|segment| segment.is_empty()) {
        let message = format!("`{path}` is not a path of keys joined by dots");
        return Err(source.fault(place.clone(), message));
    }
    let last = segments.pop().unwrap_or(path);
    let mut table = root;
    let mut segments = segments.into_iter();
    while let Some(segment) = segments.next() {
        let entry = table
            .entry(key(segment))
            .or_insert_with(|| Spanned::new(place.clone(), DeValue::Table(DeTable::new())));
        table = match entry.get_mut() {
            DeValue::Table(table) => table,
            DeValue::Array(array) => {
                let Some(which) = segments.next() else {
                    let message = format!(
                        "`{segment}` is a list: name one of its entries, as in `{segment}.NAME.{last}`"
                    );
                    return Err(source.fault(place.clone(), message));
                };
                let index = find_entry(source, array, segment, which, place)?;
                match array.get_mut(index).map(Spanned::get_mut) {
                    Some(DeValue::Table(table)) => table,
                    _ => {
                        let message = format!("`{segment}.{which}` is not a table");
                        return Err(source.fault(place.clone(), message));
                    }
                }
            }
            other => {
                let message = format!("`{segment}` is {}, which has no keys", type_name(other));
                return Err(source.fault(place.clone(), message));
            }
        };
    }
    table.insert(key(last), value);
    Ok(())
}

/// An entry of an array of tables, by name, by kind, or by number from 0.
fn find_entry(
    source: &Source,
    array: &DeArray<'_>,
    list: &str,
    which: &str,
    place: &Range<usize>,
) -> Result<usize, Box<Fault>> {
    let text = |entry: &Spanned<DeValue<'_>>, key: &str| -> Option<String> {
        entry.get_ref().as_table()?.get(key)?.get_ref().as_str().map(str::to_owned)
    };
    let kinds: Vec<Option<String>> = array.iter().map(|entry| text(entry, "kind")).collect();
    // An entry without a name is named by its kind.
    let names: Vec<Option<String>> = array
        .iter()
        .zip(&kinds)
        .map(|(entry, kind)| text(entry, "name").or(kind.clone()))
        .collect();
    let are = |words: &[Option<String>]| -> Vec<usize> {
        (0..words.len()).filter(|index| words[*index].as_deref() == Some(which)).collect()
    };
    let number = which.parse::<usize>().ok().filter(|index| *index < array.len());
    match (are(&names).as_slice(), are(&kinds).as_slice(), number) {
        ([index], _, _) | ([], [index], _) => Ok(*index),
        ([], [], Some(index)) => Ok(index),
        ([], [], None) => {
            let known: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
            let message = format!("there is no `{which}` in `{list}`");
            Err(source.fault_with_help(place.clone(), message, suggest(which, &known)))
        }
        ([_, ..], several, _) | ([], several, _) => {
            let message = format!("{} entries of `{list}` are of kind `{which}`", several.len());
            let help = Some(format!("give them names, or use numbers: {list}.{}", several[0]));
            Err(source.fault_with_help(place.clone(), message, help))
        }
    }
}
