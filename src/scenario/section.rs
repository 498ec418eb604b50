//! Typed reading of one TOML table, with the place of every key at hand.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::error::{Fault, Source, nearest, suggest};
use super::fields::field_names;
use crate::model::SettingError;

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
    /// The place of each key and of its value.
    keys: BTreeMap<String, (Range<usize>, Range<usize>)>,
}

impl Places<'_> {
    /// A fault about a key: at its value if it is there, at the table if not.
    pub(super) fn fault(&self, key: &str, message: impl Into<String>) -> Box<Fault> {
        let place = self.keys.get(key).map_or(&self.header, |(_, value)| value);
        self.source.fault(place.clone(), message)
    }

    /// A fault about a setting that is out of range.
    pub(super) fn setting(&self, error: SettingError) -> Box<Fault> {
        self.fault(error.key, error.to_string())
    }

    /// A fault about an unknown word that stands as a value.
    pub(super) fn unknown(&self, key: &str, what: &str, word: &str, known: &[&str]) -> Box<Fault> {
        let place = self.keys.get(key).map_or(&self.header, |(_, value)| value).clone();
        self.source.fault_with_help(place, format!("unknown {what} `{word}`"), suggest(word, known))
    }
}

impl<'s> Section<'s> {
    /// Opens a table; `header` is what stands for it in messages.
    pub(super) fn new(source: &'s Source, table: DeTable<'s>, header: Range<usize>) -> Self {
        let keys = table
            .iter()
            .map(|(key, value)| (key.get_ref().to_string(), (key.span(), value.span())))
            .collect();
        Self { places: Places { source, header, keys }, table }
    }

    /// Takes a value out.
    fn take(&mut self, key: &str) -> Option<Spanned<DeValue<'s>>> {
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
                let message = format!("`{key}` must be a table, not a {}", other.type_str());
                Err(self.places.source.fault(span, message))
            }
        }
    }

    /// Takes an array of tables out; none if it is not there.
    pub(super) fn take_sections(&mut self, key: &str) -> Result<Vec<Section<'s>>, Box<Fault>> {
        let Some(value) = self.take(key) else { return Ok(Vec::new()) };
        let span = value.span();
        match value.into_inner() {
            DeValue::Array(array) => {
                array.into_iter().map(|item| self.section(key, item)).collect()
            }
            _ => {
                let message = format!("`{key}` must be an array of tables: write [[{key}]]");
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
                let message = format!("`{key}` must be a text, not a {}", other.type_str());
                Err(self.places.source.fault(value.span(), message))
            }
        }
    }

    /// A missing key.
    pub(super) fn missing(&self, key: &str) -> Box<Fault> {
        let header = self.places.header.clone();
        match nearest(key, &self.keys()) {
            Some(near) => {
                let place = self.places.keys.get(near).map_or(header, |(key, _)| key.clone());
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
            let message = match message.split_once(", expected") {
                Some((start, _)) if help.is_some() => start
                    .replace("unknown variant", "unknown word")
                    .replace("unknown field", "unknown key"),
                _ => message.to_owned(),
            };
            places.source.fault_with_help(place, message, help)
        })?;
        check(&read).map_err(|error| places.setting(error))?;
        Ok((read, places))
    }
}

/// The text in backquotes after a start.
fn quoted<'m>(message: &'m str, start: &str) -> Option<&'m str> {
    message.strip_prefix(start)?.strip_prefix('`')?.split('`').next()
}
