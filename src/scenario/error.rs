//! Messages about scenarios: what is wrong, where, and what to do.

use std::fmt;
use std::ops::Range;

use crate::model::InputError;

/// Why a scenario cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    /// A file cannot be read, or a table in it is faulty.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The scenario itself is faulty.
    #[error(transparent)]
    Fault(#[from] Box<Fault>),
    /// A scenario of a sweep is faulty.
    #[error("at the point {point}: {error}")]
    Point {
        /// The values of the axes.
        point: String,
        /// What is wrong.
        error: Box<ScenarioError>,
    },
}

/// A fault in a scenario's text or in a `--set` argument, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub message: String,
    /// What to do about it, where that can be said.
    pub help: Option<String>,
    /// Where.
    pub place: Place,
}

/// A place in a scenario file, or the `--set` argument at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, or `command line`.
    pub file: String,
    /// The line, counted from 1; `None` for an argument.
    pub line: Option<usize>,
    /// The column in characters, counted from 1, of the file's line or of the
    /// argument.
    pub column: usize,
    /// The line itself, or the part of a long one around the fault. Tabs are
    /// blanks in it, and other control characters stand-ins.
    pub text: String,
    /// How many characters of `text` stand before the fault.
    pub indent: usize,
    /// How many characters of it the fault covers.
    pub width: usize,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { file, line, column, text, indent, width } = &self.place;
        writeln!(f, "{}", self.message)?;
        let number = match line {
            Some(line) => {
                writeln!(f, "  --> {file}, line {line}, column {column}")?;
                line.to_string()
            }
            None => {
                writeln!(f, "  --> {file}")?;
                String::new()
            }
        };
        let gutter = " ".repeat(number.len());
        writeln!(f, "{gutter} |")?;
        writeln!(f, "{number} | {text}")?;
        write!(f, "{gutter} | {}{}", " ".repeat(*indent), "^".repeat((*width).max(1)))?;
        if let Some(help) = &self.help {
            write!(f, " {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}

/// A change of a setting, `PATH=VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Change {
    pub(super) text: String,
    /// Where it was written, if not on the command line.
    pub(super) origin: Option<Origin>,
}

/// Where the parts of a change were written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Origin {
    pub(super) path: Place,
    pub(super) value: Place,
    /// Length of the path in the change's text.
    pub(super) path_length: usize,
}

impl From<&String> for Change {
    fn from(argument: &String) -> Self {
        Self { text: argument.clone(), origin: None }
    }
}

/// A scenario's text with what it takes to name places in it. Changes follow the
/// file's own text, each on a line, so that one range says where anything came
/// from.
#[derive(Clone, Debug)]
pub(super) struct Source {
    name: String,
    text: String,
    file_length: usize,
    /// The part of the text that each change takes.
    pub(super) sets: Vec<Range<usize>>,
    origins: Vec<Option<Origin>>,
}

/// Longer lines are shown in part.
const SHOWN: usize = 100;

impl Source {
    pub(super) fn new(name: &str, file: &str, changes: &[Change]) -> Self {
        let mut text = file.to_owned();
        let mut sets = Vec::new();
        for change in changes {
            text.push('\n');
            sets.push(text.len()..text.len() + change.text.len());
            text.push_str(&change.text);
        }
        let origins = changes.iter().map(|change| change.origin.clone()).collect();
        Self { name: name.to_owned(), text, file_length: file.len(), sets, origins }
    }

    pub(super) fn file(&self) -> &str {
        &self.text[..self.file_length]
    }

    /// What stands at a place.
    pub(super) fn text(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or("")
    }

    /// Where a range stands, as a user sees it.
    pub(super) fn place(&self, range: Range<usize>) -> Place {
        let start = self.text.floor_char_boundary(range.start);
        let which = self.sets.iter().position(|set| set.start <= start && start <= set.end);
        let set = which.map(|index| &self.sets[index]);
        if let Some((set, origin)) = set.zip(which.and_then(|index| self.origins[index].as_ref())) {
            let is_path = start < set.start + origin.path_length;
            return if is_path { origin.path.clone() } else { origin.value.clone() };
        }
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[line_start..].lines().next().unwrap_or("");
        let line_end = line_start + line.len();
        let before = self.text[line_start..start].chars().count();
        let length = line.chars().count();
        let width = match self.text.floor_char_boundary(range.end.min(line_end)) {
            end if end > start => self.text[start..end].chars().count(),
            _ => 0,
        };

        let (first, last) = match length <= SHOWN {
            true => (0, length),
            false => (before.saturating_sub(SHOWN / 4), before + SHOWN * 3 / 4),
        };
        let visible = |c: char| match c {
            '\t' => ' ',
            c if c.is_control() => '\u{fffd}',
            c => c,
        };
        let part: String = line.chars().skip(first).take(last - first).map(visible).collect();
        let (lead, tail) =
            (if first > 0 { "..." } else { "" }, if last < length { "..." } else { "" });
        Place {
            file: match set {
                Some(_) => "command line".to_owned(),
                None => self.name.clone(),
            },
            line: set.is_none().then(|| self.text[..start].matches('\n').count() + 1),
            column: before + 1,
            text: format!("{lead}{part}{tail}"),
            indent: before - first + lead.len(),
            width: width.min(last.saturating_sub(before)),
        }
    }

    pub(super) fn fault(&self, range: Range<usize>, message: impl Into<String>) -> Box<Fault> {
        Box::new(Fault { message: message.into(), help: None, place: self.place(range) })
    }

    pub(super) fn fault_with_help(
        &self,
        range: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Box<Fault> {
        Box::new(Fault { help, ..*self.fault(range, message) })
    }
}

/// The known word nearest to one that is not known, if any is near.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), *candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, candidate)| {
            *distance <= 1 + word.len().max(candidate.len()) / 3
                || candidate.starts_with(word)
                || candidate.ends_with(&format!("_{word}"))
        })
        .map(|(_, candidate)| candidate)
}

/// "did you mean `x`?", or the list of what there is.
pub fn suggest(word: &str, known: &[&str]) -> Option<String> {
    match nearest(word, known) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None if known.is_empty() => None,
        None => Some(format!("known here: {}", known.join(", "))),
    }
}
