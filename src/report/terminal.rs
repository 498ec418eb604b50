//! Tables for people.

use crate::experiment::{Lane, RunResult, Summary};
use crate::metrics::mean_and_deviation;
use crate::model::twelve_digits;
use crate::scenario::Scenario;

/// Text in columns: the first is aligned to the left, the others to the right.
#[derive(Debug, Default)]
pub struct Grid {
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// A grid with a header.
    pub fn new<const N: usize>(header: [&str; N]) -> Self {
        Self::of_header(header.map(str::to_owned).to_vec())
    }

    /// A grid with a header of any length.
    pub fn of_header(header: Vec<String>) -> Self {
        Self { rows: vec![header] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The rows as lines, without blanks at their ends.
    pub fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let padding = " ".repeat(width - cell.chars().count());
                match column {
                    0 => line.push_str(&format!("{cell}{padding}")),
                    _ => line.push_str(&format!("  {padding}{cell}")),
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// A number of things, with thousands apart.
pub(super) fn grouped(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut result = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 && digit != '-' && !result.ends_with('-') {
            result.push(' ');
        }
        result.push(digit);
    }
    result + fraction
}

/// A sum for people: twelve digits, among which the rounding of the sum does not
/// show.
pub fn rounded(sum: f64) -> String {
    twelve_digits(sum).to_string()
}

/// "mean ±deviation" of a column over seeds.
fn spread(values: impl Iterator<Item = f64>, decimals: usize, scale: f64) -> String {
    match mean_and_deviation(values.map(|value| value * scale)) {
        None => String::new(),
        Some((mean, None)) => grouped(mean, decimals),
        Some((mean, Some(deviation))) => {
            format!("{} ±{}", grouped(mean, decimals), grouped(deviation, decimals))
        }
    }
}

/// The comparison of policies: means over seeds, with the standard deviation.
pub fn comparison(scenario: &Scenario, result: &RunResult) -> String {
    let mut grid = Grid::new([
        "policy",
        "hot_ratio mean",
        "max",
        "final",
        "excess %",
        "moves",
        "moved load",
        "unavailable s",
    ]);
    for (index, policy) in scenario.policies.iter().enumerate() {
        let lanes: Vec<&Lane> = result.lanes.iter().filter(|lane| lane.policy == index).collect();
        let column = |value: fn(&Summary) -> Option<f64>, decimals, scale| {
            spread(lanes.iter().filter_map(|lane| value(&lane.summary)), decimals, scale)
        };
        grid.row(vec![
            policy.name.clone(),
            column(|s| Some(s.hot_ratio_mean), 3, 1.0),
            column(|s| Some(s.hot_ratio_max), 3, 1.0),
            column(|s| Some(s.hot_ratio_final), 3, 1.0),
            column(|s| s.excess_mean, 1, 100.0),
            column(|s| Some(s.moves as f64), 1, 1.0),
            column(|s| Some(s.moved_load), 1, 1.0),
            column(|s| Some(s.unavailable_s), 1, 1.0),
        ]);
    }
    let first = result.lanes.iter().filter(|lane| lane.policy == 0);
    let floor = spread(first.clone().map(|lane| lane.summary.floor_mean), 3, 1.0);
    let optimum = spread(first.filter_map(|lane| lane.summary.optimum_mean), 3, 1.0);
    let mut text = format!("{}\n\n{}", headline(scenario), grid.render());
    text.push_str(&format!("\nfloor {floor}"));
    if !optimum.is_empty() {
        text.push_str(&format!(", optimum {optimum}"));
    }
    if scenario.run.replications > 1 {
        text.push_str(&format!(
            "; mean ±standard deviation over {} seeds",
            scenario.run.replications
        ));
    }
    text.push('\n');
    text
}

/// Name and size of a scenario.
pub fn headline(scenario: &Scenario) -> String {
    format!("{}\n{}", title(scenario), size(scenario))
}

/// The title of a scenario, or its name if it has none.
pub(super) fn title(scenario: &Scenario) -> &str {
    match scenario.run.title.as_str() {
        "" => &scenario.run.name,
        title => title,
    }
}

/// So many things: "1 host", "2 hosts".
pub fn count(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{} {one}s", grouped(number as f64, 0)),
    }
}

/// Size of a scenario: hosts, shards, length, seeds.
pub fn size(scenario: &Scenario) -> String {
    format!(
        "{}, {}, {}, {}",
        count(scenario.cluster.initial_hosts().len(), "host"),
        count(scenario.workload.shards().len(), "shard"),
        scenario.duration(),
        count(scenario.run.replications as usize, "seed"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(grouped(1_234_567.891, 2), "1 234 567.89");
        assert_eq!(grouped(-1234.0, 0), "-1 234");
        assert_eq!(grouped(-123.0, 0), "-123");
        assert_eq!(grouped(999.0, 1), "999.0");
    }

    #[test]
    fn the_rounding_of_a_sum_does_not_show() {
        assert_eq!(rounded(0.1 + 0.2), "0.3");
        assert_eq!(rounded(467.500_000_000_000_06), "467.5");
        assert_eq!(rounded(589_683_848.0), "589683848");
        assert_eq!(rounded(0.0), "0");
    }

    #[test]
    fn columns_are_aligned() {
        let mut grid = Grid::new(["name", "n"]);
        grid.row(vec!["a".into(), "10".into()]);
        grid.row(vec!["long name".into(), "5".into()]);
        assert_eq!(grid.render(), "name        n\na          10\nlong name   5\n");
    }
}
