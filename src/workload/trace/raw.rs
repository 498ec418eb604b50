//! What a trace file says, before windows and scales.

use std::collections::HashMap;
use std::path::Path;

use super::clock::{Clock, Stamp};
use super::{Absent, Change, Trace, TraceSettings};
use crate::model::{CsvFile, InputError, ShardId, SimDuration, SimTime, check_load, check_name};

/// The columns of a long trace.
const LONG: [&str; 3] = ["time_s", "shard", "load"];

/// What a file says, before windows and scales: cells in the file's order.
pub(super) struct Raw {
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
    /// Reads a file of either form.
    pub(super) fn read(path: &Path) -> Result<Self, InputError> {
        let file = CsvFile::open(path)?;
        let has = |name: &&str| file.column(name).is_some();
        let seems = |name: &&str| file.first.iter().any(|cell| cell.eq_ignore_ascii_case(name));
        let is_meant_long = seems(&"shard") && LONG.iter().filter(|name| seems(name)).count() > 1;
        let mut raw = match LONG.iter().find(|name| !has(name)) {
            None => read_long(file)?,
            Some(name) if is_meant_long => {
                let message = file.lacks(name) + "; a long trace needs time_s,shard,load";
                return Err(InputError::line(path, 1, message));
            }
            Some(_) => read_wide(file)?,
        };
        raw.start_at_zero();
        Ok(raw)
    }

    /// Makes the earliest time zero.
    fn start_at_zero(&mut self) {
        let earliest = self.times.iter().min().copied().unwrap_or_default();
        let of_cells = self.cells.iter_mut().map(|cell| &mut cell.time);
        for time in self.times.iter_mut().chain(of_cells) {
            time.0 -= earliest.0;
        }
    }

    pub(super) fn into_trace(
        mut self,
        path: &Path,
        settings: &TraceSettings,
    ) -> Result<Trace, InputError> {
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
    Ok(raw)
}
