//! Reading text and CSV files, with errors that name the place.

use std::fmt;
use std::path::{Path, PathBuf};

use super::measure::{check_load, check_name};

/// Something wrong with an input file: what, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1, where there is one.
    pub line: Option<u64>,
    /// The name of the column, where there is one.
    pub column: Option<String>,
    /// What is wrong and what to do.
    pub message: String,
}

impl InputError {
    /// An error about a whole file.
    pub fn file(path: &Path, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: None, column: None, message: message.into() }
    }

    /// An error about a line of a file.
    pub fn line(path: &Path, line: u64, message: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::file(path, message) }
    }

    /// An error about a cell of a file.
    pub fn cell(path: &Path, line: u64, column: &str, message: impl Into<String>) -> Self {
        Self { column: Some(column.to_owned()), ..Self::line(path, line, message) }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column `{column}`")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for InputError {}

/// Reads a text file; a byte order mark at its start is dropped.
pub fn read_text(path: &Path) -> Result<String, InputError> {
    let bytes = std::fs::read(path).map_err(|error| {
        let message = match error.kind() {
            std::io::ErrorKind::NotFound => "no such file".to_owned(),
            _ if path.is_dir() => "is a directory, not a file".to_owned(),
            _ => format!("cannot be read: {error}"),
        };
        InputError::file(path, message)
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|byte| **byte == b'\n').count() as u64;
        InputError::line(path, line, "is not UTF-8 text; save the file as UTF-8")
    })?;
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    if text.trim().is_empty() {
        return Err(InputError::file(path, "is empty"));
    }
    Ok(text)
}

/// A CSV file, read row by row. Cells are trimmed; rows of another length than
/// the first are errors.
#[derive(Debug)]
pub struct CsvFile {
    path: PathBuf,
    reader: csv::Reader<std::io::Cursor<String>>,
    /// The cells of the first row, which may be a header or not.
    pub first: Vec<String>,
}

/// One row and the line that it starts on.
#[derive(Clone, Debug)]
pub struct CsvRow {
    /// Line in the file, counted from 1.
    pub line: u64,
    /// The cells.
    pub cells: csv::StringRecord,
}

impl CsvFile {
    /// Opens a file and reads its first row.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        let text = read_text(path)?;
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .trim(csv::Trim::All)
            .from_reader(std::io::Cursor::new(text));
        let mut first = csv::StringRecord::new();
        reader.read_record(&mut first).map_err(|error| csv_error(path, error))?;
        reader.seek(csv::Position::new()).map_err(|error| csv_error(path, error))?;
        let first = first.iter().map(str::to_owned).collect();
        Ok(Self { path: path.to_owned(), reader, first })
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The position of a column in the first row.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.first.iter().position(|cell| cell == name)
    }

    /// Says that the first row lacks a column, and what may be the reason.
    pub fn lacks(&self, name: &str) -> String {
        let separated = |by| matches!(&self.first[..], [cell] if cell.contains(by));
        if let Some(near) = self.first.iter().find(|cell| cell.eq_ignore_ascii_case(name)) {
            return format!("has no column `{name}`; write `{name}` for `{near}`");
        }
        if separated(';') || separated('\t') {
            return format!("has no column `{name}`; columns must be separated by commas");
        }
        format!("has no column `{name}`; its first line must name the columns, and is: {}", {
            self.first.join(",").chars().take(200).collect::<String>()
        })
    }

    /// The rows, with the first one or without it.
    pub fn rows(mut self, with_first: bool) -> impl Iterator<Item = Result<CsvRow, InputError>> {
        let mut skip = usize::from(!with_first);
        std::iter::from_fn(move || {
            loop {
                let mut cells = csv::StringRecord::new();
                match self.reader.read_record(&mut cells) {
                    Ok(false) => return None,
                    Ok(true) if skip > 0 => skip -= 1,
                    Ok(true) => {
                        let line = cells.position().map_or(0, csv::Position::line);
                        return Some(Ok(CsvRow { line, cells }));
                    }
                    Err(error) => return Some(Err(csv_error(&self.path, error))),
                }
            }
        })
    }
}

/// An error of the CSV reader, with its line.
pub fn csv_error(path: &Path, error: csv::Error) -> InputError {
    let line = error.position().map(csv::Position::line);
    let message = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let cells = if *len == 1 { "1 cell".to_owned() } else { format!("{len} cells") };
            format!(
                "has {cells} where the first row has {expected_len}; is a comma or a quote missing, \
                 or one too many?"
            )
        }
        _ => error.to_string(),
    };
    InputError { line, ..InputError::file(path, message) }
}

impl CsvRow {
    /// The text of a cell; empty past the end.
    pub fn text(&self, column: usize) -> &str {
        self.cells.get(column).unwrap_or("")
    }

    /// The name of a shard or a host.
    ///
    /// # Errors
    ///
    /// When it is missing, or no line of text.
    pub fn name(&self, path: &Path, column: usize, name: &str) -> Result<&str, InputError> {
        let text = self.text(column);
        match check_name(text) {
            Ok(()) => Ok(text),
            Err(_) if text.is_empty() => Err(InputError::cell(
                path,
                self.line,
                name,
                format!("the {name}'s name is missing"),
            )),
            Err(rule) => Err(InputError::cell(path, self.line, name, format!("a name {rule}"))),
        }
    }

    /// A load: 0, or a number within the range that is computed with.
    pub fn load(&self, path: &Path, column: usize, name: &str) -> Result<f64, InputError> {
        let text = self.text(column);
        let error = |message| Err(InputError::cell(path, self.line, name, message));
        match text.parse::<f64>().map(|load| (load, check_load(load))) {
            Ok((load, Ok(()))) => Ok(load + 0.0),
            Ok((_, Err(rule))) => error(format!("the load {rule}")),
            Err(_) if text.is_empty() => error("the load is missing".to_owned()),
            Err(_) => error(format!("`{text}` is not a number")),
        }
    }
}
