//! Loads from a CSV file: a step function for each shard.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{LoadCursor, Workload};
use crate::model::{
    CsvFile, CsvRow, InputError, SettingError, ShardId, SimDuration, SimTime, check_load,
    check_name,
};

/// The columns of a long trace.
const LONG: [&str; 3] = ["time_s", "shard", "load"];

/// What a shard carries at a time step that gives no load for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Absent {
    /// Nothing.
    #[default]
    Zero,
    /// What it carried before. On sparse traces this inflates the load.
    Hold,
}

/// The part of a trace to use, as times since its first time step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Window {
    /// Where the run starts.
    pub from: SimDuration,
    /// Where the trace is cut off; its end if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<SimDuration>,
}

/// Settings of the `trace` workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceSettings {
    /// The file, relative to the scenario.
    pub path: PathBuf,
    /// Multiplies every load.
    #[serde(default = "one")]
    pub scale: f64,
    /// The period that a load counts events of; loads are divided by it. Absent
    /// when loads are rates already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per: Option<SimDuration>,
    /// The part to use.
    #[serde(default)]
    pub window: Window,
    /// What a missing load means.
    #[serde(default)]
    pub absent: Absent,
}

fn one() -> f64 {
    1.0
}

impl TraceSettings {
    /// Whether the settings are usable.
    pub fn check(&self) -> Result<(), SettingError> {
        SettingError::require_capacity("scale", self.scale)?;
        if self.per == Some(SimDuration::ZERO) {
            return Err(SettingError::new("per", "must be above 0s"));
        }
        if self.window.to.is_some_and(|to| to <= self.window.from) {
            return Err(SettingError::new("window", "must have its `to` after its `from`"));
        }
        Ok(())
    }

    fn rate(&self, load: f64) -> f64 {
        load * self.scale / self.per.map_or(1.0, SimDuration::as_secs_f64)
    }
}

/// A trace in memory: the loads at the start and the changes after it.
#[derive(Clone, Debug)]
pub struct Trace {
    shards: Arc<[String]>,
    initial: Vec<f64>,
    changes: Vec<Change>,
    extent: SimDuration,
}

#[derive(Clone, Debug)]
struct Change {
    at: SimTime,
    loads: Vec<(ShardId, f64)>,
}

impl Trace {
    /// Reads a file, long (`time_s,shard,load`) or wide (a column of times and
    /// one column a shard, with or without a header).
    ///
    /// Time 0 is the first time step, or the window's start. After its last
    /// step a trace goes on for as long as the step before took.
    pub fn read(path: &Path, settings: &TraceSettings) -> Result<Self, InputError> {
        let file = CsvFile::open(path)?;
        let has = |name: &&str| file.column(name).is_some();
        let seems = |name: &&str| file.first.iter().any(|cell| cell.eq_ignore_ascii_case(name));
        let is_meant_long = seems(&"shard") && LONG.iter().filter(|name| seems(name)).count() > 1;
        let raw = match LONG.iter().find(|name| !has(name)) {
            None => read_long(file)?,
            Some(name) if is_meant_long => {
                let message = file.lacks(name) + "; a long trace needs time_s,shard,load";
                return Err(InputError::line(path, 1, message));
            }
            Some(_) => read_wide(file)?,
        };
        raw.into_trace(path, settings)
    }
}

impl Workload for Trace {
    fn shards(&self) -> Arc<[String]> {
        Arc::clone(&self.shards)
    }

    fn start(&self, _seed: u64) -> Box<dyn LoadCursor + '_> {
        Box::new(TraceCursor { trace: self, next: 0 })
    }

    fn extent(&self) -> Option<SimDuration> {
        Some(self.extent)
    }
}

struct TraceCursor<'a> {
    trace: &'a Trace,
    next: usize,
}

impl LoadCursor for TraceCursor<'_> {
    fn initial(&mut self) -> Vec<f64> {
        self.trace.initial.clone()
    }

    fn next_change(&self) -> Option<SimTime> {
        self.trace.changes.get(self.next).map(|change| change.at)
    }

    fn read_change(&mut self, changes: &mut Vec<(ShardId, f64)>) {
        if let Some(change) = self.trace.changes.get(self.next) {
            changes.extend_from_slice(&change.loads);
            self.next += 1;
        }
    }
}

/// What a file says, before windows and scales: cells in the file's order.
struct Raw {
    shards: Vec<String>,
    cells: Vec<Cell>,
    /// Every time step, also of rows without a load.
    times: Vec<SimDuration>,
}

#[derive(Clone, Copy)]
struct Cell {
    time: SimDuration,
    shard: ShardId,
    load: f64,
    line: u64,
}

impl Raw {
    fn into_trace(mut self, path: &Path, settings: &TraceSettings) -> Result<Trace, InputError> {
        self.times.sort_unstable();
        self.times.dedup();
        let (Some(&last), Some(&first)) = (self.times.last(), self.times.first()) else {
            return Err(InputError::file(path, "holds no row of loads"));
        };
        self.cells.sort_by_key(|cell| (cell.time, cell.shard));
        for pair in self.cells.windows(2) {
            if (pair[0].time, pair[0].shard) == (pair[1].time, pair[1].shard) {
                let (earlier, later) =
                    (pair[0].line.min(pair[1].line), pair[0].line.max(pair[1].line));
                let shard = &self.shards[pair[0].shard.index()];
                let message =
                    format!("gives shard `{shard}` a second load for the time of line {earlier}");
                return Err(InputError::line(path, later, message));
            }
        }

        let from = SimDuration(first.0 + settings.window.from.0);
        let last_step =
            self.times.len().checked_sub(2).map_or(1_000_000_000, |i| last.0 - self.times[i].0);
        let end = SimDuration(last.0 + last_step);
        let to = settings.window.to.map_or(end, |to| end.min(SimDuration(first.0 + to.0)));
        if from >= to {
            let length = SimDuration(end.0 - first.0);
            let message = format!("lasts {length}, and the window starts after its end");
            return Err(InputError::file(path, message));
        }

        let mut loads = vec![0.0; self.shards.len()];
        let mut initial = None;
        let mut changes = Vec::new();
        // Shards that the step before gave a load. Each step looks at these and
        // its own alone, so that long sparse traces are read in linear time.
        let mut carrying: Vec<ShardId> = Vec::new();
        let mut cells = &self.cells[..];
        for &time in self.times.iter().take_while(|time| **time < to) {
            let (step, later) = cells.split_at(cells.partition_point(|cell| cell.time <= time));
            cells = later;
            if time > from && initial.is_none() {
                initial = Some(loads.clone());
            }
            let mut changed = Vec::new();
            let mut change = |shard: ShardId, load: f64| {
                if std::mem::replace(&mut loads[shard.index()], load) != load {
                    changed.push((shard, load));
                }
            };
            if settings.absent == Absent::Zero {
                let given = |shard: &ShardId| step.binary_search_by_key(shard, |c| c.shard).is_ok();
                carrying.iter().filter(|shard| !given(shard)).for_each(|&shard| change(shard, 0.0));
                carrying.clear();
                carrying.extend(step.iter().map(|cell| cell.shard));
            }
            for cell in step {
                let rate = settings.rate(cell.load);
                check_load(rate).map_err(|rule| {
                    let shard = &self.shards[cell.shard.index()];
                    let message = format!("the load of shard `{shard}`, scaled, {rule}");
                    InputError::line(path, cell.line, message)
                })?;
                change(cell.shard, rate);
            }
            if time > from && !changed.is_empty() {
                changed.sort_unstable_by_key(|(shard, _)| *shard);
                changes.push(Change { at: SimTime(time.0 - from.0), loads: changed });
            }
        }
        let initial = initial.unwrap_or(loads);
        let extent = SimDuration(to.0 - from.0);
        Ok(Trace { shards: self.shards.into(), initial, changes, extent })
    }
}

fn read_long(file: CsvFile) -> Result<Raw, InputError> {
    let path = file.path().to_owned();
    let column = |name| file.column(name).unwrap_or(usize::MAX);
    let (time, shard, load) = (column("time_s"), column("shard"), column("load"));
    let mut raw = Raw { shards: Vec::new(), cells: Vec::new(), times: Vec::new() };
    let mut ids: HashMap<String, ShardId> = HashMap::new();
    let mut clock = Clock::default();
    for row in file.rows(false) {
        let row = row?;
        let name = row.name(&path, shard, "shard")?;
        let id = match ids.get(name) {
            Some(id) => *id,
            None => {
                let id = ShardId(raw.shards.len() as u32);
                ids.insert(name.to_owned(), id);
                raw.shards.push(name.to_owned());
                id
            }
        };
        let time = clock.read(&path, &row, time, "time_s")?;
        let load = row.load(&path, load, "load")?;
        raw.times.push(time);
        raw.cells.push(Cell { time, shard: id, load, line: row.line });
    }
    clock.rebase(&mut raw);
    Ok(raw)
}

fn read_wide(file: CsvFile) -> Result<Raw, InputError> {
    let path = file.path().to_owned();
    let width = file.first.len();
    if width < 2 {
        let message = "has one column; a trace needs the columns time_s,shard,load, or a column of \
                       times and one column a shard";
        return Err(InputError::file(&path, message));
    }
    let is_number = |cell: &String| cell.is_empty() || cell.parse::<f64>().is_ok();
    let has_header =
        Stamp::parse(&file.first[0]).is_none() || !file.first[1..].iter().all(is_number);
    let shards: Vec<String> = if has_header {
        file.first[1..].to_vec()
    } else {
        (0..width - 1).map(|index| format!("shard-{index}")).collect()
    };
    let mut seen = HashMap::new();
    for (index, name) in shards.iter().enumerate() {
        if name.is_empty() {
            let message = format!("column {} has no name; it should be that of a shard", index + 2);
            return Err(InputError::line(&path, 1, message));
        }
        if let Err(rule) = check_name(name) {
            let message = format!("column {} is named after a shard, and a name {rule}", index + 2);
            return Err(InputError::line(&path, 1, message));
        }
        if let Some(earlier) = seen.insert(name, index) {
            let message =
                format!("columns {} and {} are both named `{name}`", earlier + 2, index + 2);
            return Err(InputError::line(&path, 1, message));
        }
    }
    let time_column = if has_header { file.first[0].clone() } else { "1".to_owned() };
    let mut raw = Raw { shards: shards.clone(), cells: Vec::new(), times: Vec::new() };
    let mut clock = Clock::default();
    let mut lines: HashMap<SimDuration, u64> = HashMap::new();
    let looks_long = has_header && file.first.iter().any(|name| name == "load");
    for row in file.rows(!has_header) {
        let row = row?;
        let time = clock.read(&path, &row, 0, &time_column)?;
        if let Some(earlier) = lines.insert(time, row.line) {
            let message = format!("has the same time as line {earlier}");
            return Err(InputError::line(&path, row.line, message));
        }
        raw.times.push(time);
        for (index, name) in shards.iter().enumerate() {
            if row.text(index + 1).is_empty() {
                continue;
            }
            let load = row.load(&path, index + 1, name).map_err(|mut error| {
                if looks_long {
                    error.message += "; a long trace needs the columns time_s,shard,load";
                }
                error
            })?;
            raw.cells.push(Cell { time, shard: ShardId(index as u32), load, line: row.line });
        }
    }
    clock.rebase(&mut raw);
    Ok(raw)
}

/// A time as written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stamp {
    Seconds(f64),
    /// Seconds since 1970-01-01 00:00:00, without a zone.
    Calendar(i64),
}

impl Stamp {
    fn parse(text: &str) -> Option<Self> {
        if let Ok(seconds) = text.parse::<f64>() {
            return seconds.is_finite().then_some(Self::Seconds(seconds));
        }
        let (date, time) = text.split_once([' ', 'T'])?;
        let numbers = |text: &str, by: char| -> Option<[i64; 3]> {
            let parts: Vec<i64> = text
                .split(by)
                .map(|part| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok())?)
                .collect::<Option<_>>()?;
            parts.try_into().ok()
        };
        let [year, month, day] = numbers(date, '-')?;
        let [hour, minute, second] = numbers(time, ':')?;
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 => 28 + i64::from(leap),
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        if !(1..=9999).contains(&year) || !(1..=days).contains(&day) {
            return None;
        }
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        Some(Self::Calendar(
            days_since_1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second,
        ))
    }
}

/// Days from 1970-01-01 in the Gregorian calendar, counting years from March
/// so that the leap day comes last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    365 * year + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
}

/// Reads times, all of one form, as distances from the earliest one that a
/// `u64` of nanoseconds can hold.
#[derive(Default)]
struct Clock {
    first: Option<Stamp>,
}

/// Half of the range of simulated time: where the first stamp lands until the
/// earliest one is known.
const MIDDLE: u64 = 1 << 63;

impl Clock {
    fn read(
        &mut self,
        path: &Path,
        row: &CsvRow,
        column: usize,
        name: &str,
    ) -> Result<SimDuration, InputError> {
        let text = row.text(column);
        let error = |message: String| InputError::cell(path, row.line, name, message);
        let stamp = Stamp::parse(text).ok_or_else(|| {
            error(format!("`{text}` is not a time; write seconds or YYYY-MM-DD HH:MM:SS"))
        })?;
        let offset = match (*self.first.get_or_insert(stamp), stamp) {
            (Stamp::Seconds(first), Stamp::Seconds(second)) => second - first,
            (Stamp::Calendar(first), Stamp::Calendar(second)) => (second - first) as f64,
            _ => return Err(error(format!("`{text}` is a time of another form than those above"))),
        };
        let too_far = || error(format!("the time {text} is too far from the first one"));
        let distance = SimDuration::from_secs_f64(offset.abs())
            .filter(|d| d.0 < MIDDLE / 2)
            .ok_or_else(too_far)?;
        Ok(SimDuration(if offset < 0.0 { MIDDLE - distance.0 } else { MIDDLE + distance.0 }))
    }

    /// Makes the earliest time zero.
    fn rebase(&self, raw: &mut Raw) {
        let earliest = raw.times.iter().min().copied().unwrap_or_default();
        for time in raw.times.iter_mut().chain(raw.cells.iter_mut().map(|cell| &mut cell.time)) {
            time.0 -= earliest.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calendar_times_are_read() {
        let seconds = |text: &str| match Stamp::parse(text) {
            Some(Stamp::Calendar(seconds)) => Some(seconds),
            _ => None,
        };
        assert_eq!(seconds("1970-01-01 00:00:00"), Some(0));
        assert_eq!(seconds("2000-03-01 00:00:01"), Some(951_868_801));
        assert_eq!(seconds("2026-11-30T09:00:00"), Some(1_796_029_200));
        assert_eq!(seconds("2025-02-29 00:00:00"), None);
        assert_eq!(seconds("2025-13-01 00:00:00"), None);
        assert_eq!(seconds("2025-01-01 24:00:00"), None);
        assert_eq!(seconds("yesterday"), None);
    }

    fn read(text: &str, settings: &str) -> Result<Trace, InputError> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("trace.csv");
        std::fs::write(&path, text).unwrap();
        let settings: TraceSettings =
            toml::from_str(&format!("path = 'trace.csv'\n{settings}")).unwrap();
        Trace::read(&path, &settings)
    }

    fn steps(trace: &Trace) -> Vec<(f64, Vec<f64>)> {
        let mut cursor = trace.start(0);
        let mut loads = cursor.initial();
        let mut steps = vec![(0.0, loads.clone())];
        while let Some(at) = cursor.next_change() {
            let mut changes = Vec::new();
            cursor.read_change(&mut changes);
            for (shard, load) in changes {
                loads[shard.index()] = load;
            }
            steps.push((at.as_secs_f64(), loads.clone()));
        }
        steps
    }

    const LONG: &str = "shard,time_s,load,note\na,100,60,x\nb,100,6,x\nb,160,12,x\na,220,30,x\n";

    #[test]
    fn an_absent_shard_carries_nothing_or_what_it_had() {
        let zero = read(LONG, "").unwrap();
        assert_eq!(*zero.shards(), ["a", "b"]);
        assert_eq!(
            steps(&zero),
            [(0.0, vec![60.0, 6.0]), (60.0, vec![0.0, 12.0]), (120.0, vec![30.0, 0.0])]
        );
        assert_eq!(zero.extent(), Some(SimDuration::from_secs(180)));
        let hold = read(LONG, "absent = 'hold'\nper = '60s'\nscale = 2").unwrap();
        assert_eq!(
            steps(&hold),
            [(0.0, vec![2.0, 0.2]), (60.0, vec![2.0, 0.4]), (120.0, vec![1.0, 0.4])]
        );
    }

    #[test]
    fn a_window_cuts_both_ends() {
        let cut = read(LONG, "window = { from = '70s', to = '110s' }").unwrap();
        assert_eq!(steps(&cut), [(0.0, vec![0.0, 12.0])]);
        assert_eq!(cut.extent(), Some(SimDuration::from_secs(40)));
        let late = read(LONG, "window = { from = '130s' }").unwrap();
        assert_eq!(steps(&late), [(0.0, vec![30.0, 0.0])]);
        assert!(read(LONG, "window = { from = '3m' }").unwrap_err().message.contains("lasts 3m"));
    }

    #[test]
    fn a_load_that_scaling_makes_too_large_is_named_wherever_it_stands() {
        let error = read("t,a\n0,1\n10,1e50\n20,1\n30,1\n", "scale = 1e50").unwrap_err();
        assert_eq!(error.line, Some(3));
        assert!(error.message.contains("e100"), "{error}");
    }

    #[test]
    fn long_sparse_traces_are_read_in_linear_time() {
        let count = 100_000;
        let rows: String = (0..count).map(|i| format!("{i},s{i},1\n")).collect();
        let trace = read(&format!("time_s,shard,load\n{rows}"), "").unwrap();
        assert_eq!(trace.changes.len(), count - 1);
        let one = |shard: u32| vec![(ShardId(shard), 0.0), (ShardId(shard + 1), 1.0)];
        assert!((0..).zip(&trace.changes).all(|(shard, change)| change.loads == one(shard)));
    }

    #[test]
    fn wide_traces_with_and_without_a_header() {
        let header = "when,a,b\n2026-01-01 00:00:00,1,2\n2026-01-01 00:01:00,,3\n";
        let trace = read(header, "").unwrap();
        assert_eq!(*trace.shards(), ["a", "b"]);
        assert_eq!(steps(&trace), [(0.0, vec![1.0, 2.0]), (60.0, vec![0.0, 3.0])]);
        let bare = read("0,1,2\n5,4,2\n", "").unwrap();
        assert_eq!(*bare.shards(), ["shard-0", "shard-1"]);
        assert_eq!(steps(&bare), [(0.0, vec![1.0, 2.0]), (5.0, vec![4.0, 2.0])]);
    }

    #[test]
    fn faults_are_named_with_their_place() {
        let message = |text: &str| {
            let error = read(text, "").unwrap_err();
            (error.line, error.column, error.message)
        };
        let (line, column, text) = message("time_s,shard,load\n0,a,1\n1,b,-2\n");
        assert_eq!((line, column.as_deref()), (Some(3), Some("load")));
        assert!(text.contains("negative"));
        assert!(message("time_s,shard,load\n0,a,nan\n").2.contains("finite"));
        assert!(message("time_s,shard,load\n0,a,1\n0,a,2\n").2.contains("second load"));
        assert!(message("time_s,shard,load\n0,a\n").2.contains("2 cells"));
        assert!(message("time_s,shard,load\nsoon,a,1\n").2.contains("not a time"));
        assert!(message("time_s,shard,load\n").2.contains("no row"));
        assert!(message("time_s,host,load\n0,a,1\n").2.contains("time_s,shard,load"));
        assert!(message("t,a,a\n0,1,2\n").2.contains("both named"));
        assert!(message("Time_s,Shard,Load\n0,a,1\n").2.contains("write `time_s` for `Time_s`"));
        assert!(message("time_s,shard,value\n0,a,1\n").2.contains("no column `load`"));
        assert!(message("time_s,shard,load\n0,a\u{7},1\n").2.contains("line of text"));
    }
}
