//! Tables that were written, read again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use csv::StringRecord;

use crate::model::{InputError, csv_error};

/// A table: columns by name.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    path: PathBuf,
    columns: BTreeMap<String, usize>,
    pub(super) rows: Vec<StringRecord>,
}

impl Rows {
    pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, InputError> {
        let fault = |error: csv::Error| csv_error(path, error);
        let mut reader = csv::Reader::from_reader(bytes);
        let header = reader.headers().map_err(fault)?.clone();
        let columns =
            header.iter().enumerate().map(|(index, name)| (name.to_owned(), index)).collect();
        let rows = reader.records().collect::<Result<_, _>>().map_err(fault)?;
        Ok(Self { path: path.to_owned(), columns, rows })
    }

    pub(super) fn column(&self, name: &str) -> Result<usize, InputError> {
        let missing = || InputError::file(&self.path, format!("has no column `{name}`"));
        self.columns.get(name).copied().ok_or_else(missing)
    }

    /// The rows with this word in a column.
    pub(super) fn with(&self, column: &str, word: &str) -> Result<Self, InputError> {
        let column = self.column(column)?;
        let rows = self.rows.iter().filter(|row| &row[column] == word).cloned().collect();
        Ok(Self { rows, ..self.clone() })
    }
}

/// An empty cell is a gap.
pub(super) fn number(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}
