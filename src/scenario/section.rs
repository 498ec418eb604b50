//! Typed reading of one TOML table, with the place of every key at hand.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::error::{Fault, ScenarioError, Source, nearest, suggest};
use super::fields::field_names;
use crate::model::{InputError, SettingError};

/// A table that is being read.
#[derive(Debug)]
pub(super) struct Section<'s> {
    pub(super) places: Places<'s>,
    table: DeTable<'s>,
}

/// Where a table and its keys stand, for messages.
#[derive(Clone, Debug)]
pub(super) struct Places<'s> {
    source: &'s Source,
    header: Range<usize>,
    keys: BTreeMap<String, Entry>,
}

/// Where a key, its value and, in a list, the items of that stand.
#[derive(Clone, Debug)]
struct Entry {
    key: Range<usize>,
    value: Range<usize>,
    items: Vec<Range<usize>>,
}

impl Places<'_> {
    /// Whether a key is there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// The value of a key if it is there, the table if not.
    pub(super) fn place(&self, key: &str) -> Range<usize> {
        self.keys.get(key).map_or(&self.header, |entry| &entry.value).clone()
    }

    /// The line of the file that the table begins on; `None` for one that an
    /// argument made.
    pub(super) fn line(&self) -> Option<usize> {
        self.source.place(self.header.clone()).line
    }

    /// A fault about a key: at its value if it is there, at the table if not.
    pub(super) fn fault(&self, key: &str, message: impl Into<String>) -> Box<Fault> {
        self.source.fault(self.place(key), message)
    }

    /// A fault about a key, with what to do.
    pub(super) fn fault_with_help(&self, key: &str, message: &str, help: &str) -> Box<Fault> {
        self.source.fault_with_help(self.place(key), message, Some(help.to_owned()))
    }

    /// A fault about a setting that is out of range.
    pub(super) fn setting(&self, error: SettingError) -> Box<Fault> {
        let item = error.item.and_then(|item| self.keys.get(error.key)?.items.get(item));
        let place = item.cloned().unwrap_or_else(|| self.place(error.key));
        self.source.fault(place, error.to_string())
    }

    /// An error about the file that a key names. What is wrong at a line of
    /// that file has its place; all else has that of the key.
    pub(super) fn file(&self, key: &str, error: InputError) -> ScenarioError {
        match error.line {
            Some(_) => error.into(),
            None => self.fault(key, error.to_string()).into(),
        }
    }

    /// A fault about an unknown word that stands as a value.
    pub(super) fn unknown(&self, key: &str, what: &str, word: &str, known: &[&str]) -> Box<Fault> {
        let message = format!("unknown {what} `{word}`");
        self.source.fault_with_help(self.place(key), message, suggest(word, known))
    }
}

impl<'s> Section<'s> {
    /// Opens a table; `header` is what stands for it in messages.
    pub(super) fn new(source: &'s Source, table: DeTable<'s>, header: Range<usize>) -> Self {
        let entry = |key: &Spanned<_>, value: &Spanned<DeValue<'_>>| Entry {
            key: key.span(),
            value: value.span(),
            items: match value.get_ref() {
                DeValue::Array(items) => items.iter().map(Spanned::span).collect(),
                _ => Vec::new(),
            },
        };
        let keys = table
            .iter()
            .map(|(key, value)| (key.get_ref().to_string(), entry(key, value)))
            .collect();
        Self { places: Places { source, header, keys }, table }
    }

    /// Takes a value out.
    pub(super) fn take(&mut self, key: &str) -> Option<Spanned<DeValue<'s>>> {
        self.table.remove(key)
    }

    /// Takes a table out; an empty one if it is not there.
    pub(super) fn take_section(&mut self, key: &str) -> Result<Section<'s>, Box<Fault>> {
        match self.take(key) {
            None => {
                Ok(Section::new(self.places.source, DeTable::new(), self.places.header.clone()))
            }
            Some(value) => self.section(key, value),
        }
    }

    fn section(&self, key: &str, value: Spanned<DeValue<'s>>) -> Result<Section<'s>, Box<Fault>> {
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(table) => Ok(Section::new(self.places.source, table, span)),
            other => {
                let message = format!("`{key}` must be a table, not {}", type_name(&other));
                Err(self.places.source.fault(span, message))
            }
        }
    }

    /// Takes an array of tables out, of which each begins with `header`; none
    /// if it is not there.
    pub(super) fn take_sections(
        &mut self,
        key: &str,
        header: &str,
    ) -> Result<Vec<Section<'s>>, Box<Fault>> {
        let Some(value) = self.take(key) else { return Ok(Vec::new()) };
        let span = value.span();
        match value.into_inner() {
            DeValue::Array(array) => {
                array.into_iter().map(|item| self.section(key, item)).collect()
            }
            _ => {
                let message = format!("`{key}` must be a list of tables, each under {header}");
                Err(self.places.source.fault(span, message))
            }
        }
    }

    /// Whether a key is there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Takes a text out, if it is there.
    pub(super) fn take_text(&mut self, key: &str) -> Result<Option<String>, Box<Fault>> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match value.get_ref() {
            DeValue::String(text) => Ok(Some(text.to_string())),
            other => {
                let message = format!("`{key}` must be a text, not {}", type_name(other));
                Err(self.places.source.fault(value.span(), message))
            }
        }
    }

    /// A missing key.
    pub(super) fn missing(&self, key: &str) -> Box<Fault> {
        let header = self.places.header.clone();
        match nearest(key, &self.keys()) {
            Some(near) => {
                let place = self.places.keys.get(near).map_or(header, |entry| entry.key.clone());
                self.places.source.fault_with_help(
                    place,
                    format!("missing key `{key}`"),
                    Some(format!("is this meant to be `{key}`?")),
                )
            }
            None => self.places.source.fault(header, format!("missing key `{key}`")),
        }
    }

    fn keys(&self) -> Vec<&str> {
        self.table.keys().map(|key| key.get_ref().as_ref()).collect()
    }

    /// Reads all that is left as a `T`. `also` are keys that may stand in this
    /// table beside those of `T`, for suggestions.
    pub(super) fn read<T: DeserializeOwned>(
        self,
        also: &[&str],
        check: impl Fn(&T) -> Result<(), SettingError>,
    ) -> Result<(T, Places<'s>), Box<Fault>> {
        let own = field_names::<T>();
        let known: Vec<&str> = own.iter().chain(also).copied().collect();
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if !own.contains(&name) {
                return Err(self.places.source.fault_with_help(
                    key.span(),
                    format!("unknown key `{name}`"),
                    suggest(name, &known),
                ));
            }
        }
        let present: Vec<String> = self.table.keys().map(|key| key.get_ref().to_string()).collect();
        let missing =
            |key: &str| Section { places: self.places.clone(), table: DeTable::new() }.missing(key);
        let Self { places, table } = Section { places: self.places.clone(), table: self.table };
        let value = Spanned::new(places.header.clone(), DeValue::Table(table));
        let parsed = T::deserialize(ValueDeserializer::from(value));
        let read = parsed.map_err(|error| {
            let message = error.message();
            if let Some(key) = quoted(message, "missing field ")
                && own.contains(&key)
                && !present.iter().any(|name| name == key)
            {
                return missing(key);
            }
            let place = error.span().unwrap_or(places.header.clone());
            let help = ["unknown variant ", "unknown field "].iter().find_map(|start| {
                let word = quoted(message, start)?;
                let known: Vec<&str> = message.split('`').skip(3).step_by(2).collect();
                suggest(word, &known)
            });
            let message = reworded(message, places.source.text(&place));
            places.source.fault_with_help(place, message, help)
        })?;
        check(&read).map_err(|error| places.setting(error))?;
        Ok((read, places))
    }
}

/// A message of serde or toml in the words of a scenario. `found` is what
/// stands at the place.
fn reworded(message: &str, found: &str) -> String {
    if let Some(word) = quoted(message, "unknown variant ") {
        return format!("unknown word `{word}`");
    }
    if let Some(key) = quoted(message, "unknown field ") {
        return format!("unknown key `{key}`");
    }
    if let Some(key) = quoted(message, "missing field ") {
        return format!("missing key `{key}`");
    }
    let is_of_type = ["invalid type: ", "invalid value: "].iter().any(|s| message.starts_with(s));
    let expected = match message.split_once(", expected ") {
        Some((_, expected)) if is_of_type => expected,
        _ if message.starts_with("wanted string") => "a string",
        _ => return message.to_owned(),
    };
    let expected = match expected {
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" => "a whole number of at least 0",
        "i64" => "a whole number",
        "f64" => "a number",
        "a boolean" => "true or false",
        "a string" | "path string" => "a text in quotes",
        other => other,
    };
    match found {
        "" => format!("expected {expected}"),
        _ if found.contains('\n') || found.len() > 60 => {
            format!("expected {expected}, found something else")
        }
        _ => format!("expected {expected}, found {found}"),
    }
}

/// What a value is, with its article.
pub(super) fn type_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// The text in backquotes after a start.
fn quoted<'m>(message: &'m str, start: &str) -> Option<&'m str> {
    message.strip_prefix(start)?.strip_prefix('`')?.split('`').next()
}
