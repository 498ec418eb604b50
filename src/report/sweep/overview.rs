//! What a sweep came to, for the terminal.

use super::info::SweepInfo;
use crate::experiment::sweep::{Analysis, FRONT, PointRows, metric};
use crate::metrics::Spread;
use crate::report::terminal::{Grid, count, grouped};

/// More rows of the front than this are left to `points.csv`.
const MOST_ROWS: usize = 20;

/// The front, and how policies compare by paired intervals.
pub fn overview(info: &SweepInfo, rows: &[PointRows], analysis: &Analysis) -> String {
    let mut text = format!("{}\n{}\n\n", info.title, info.size);
    text.push_str(&front(info, rows, analysis));
    let pairs = pairs(rows, analysis);
    if !pairs.is_empty() {
        text.push_str(&format!("\n{pairs}"));
    }
    text
}

/// "mean ±half of the interval".
fn interval(spread: Option<&Spread>, decimals: usize) -> String {
    let Some(spread) = spread else { return String::new() };
    let mean = grouped(spread.mean, decimals);
    match spread.precision {
        Some(precision) => {
            format!("{mean} ±{}", grouped((precision.high - precision.low) / 2.0, decimals))
        }
        None => mean,
    }
}

fn front(info: &SweepInfo, rows: &[PointRows], analysis: &Analysis) -> String {
    let mut header: Vec<String> = vec!["policy".to_owned()];
    header.extend(info.axes.iter().map(|axis| axis.name.clone()));
    header.extend(["hot_ratio", "moves", "excess %", ""].map(str::to_owned));
    let mut grid = Grid::default();
    grid.row(header);
    let [moves, hot_ratio] = FRONT.map(|name| metric(name).unwrap_or_default());
    let excess = metric("excess_mean").unwrap_or_default();
    let members = &analysis.front.members;
    for (place, member) in members.iter().enumerate().take(MOST_ROWS) {
        let policy = &analysis.policies[*member];
        let point = &rows[policy.at];
        let spread = |metric: usize| policy.spreads[metric].as_ref();
        let percent = spread(excess).map(|spread| spread.scaled(100.0));
        let mut cells = vec![point.policies[policy.policy].clone()];
        cells.extend(point.labels.iter().cloned());
        cells.push(interval(spread(hot_ratio), 3));
        cells.push(interval(spread(moves), 1));
        cells.push(interval(percent.as_ref(), 1));
        cells.push(if analysis.front.knee == Some(place) { "knee" } else { "" }.to_owned());
        grid.row(cells);
    }
    let more = match members.len().saturating_sub(MOST_ROWS) {
        0 => String::new(),
        more => format!("... and {more} more in points.csv\n"),
    };
    format!(
        "Pareto front of hot_ratio against moves, by means; ± half of the 95 % interval\n\n{}{more}",
        grid.render()
    )
}

/// For each pair of policies, at how many points the paired interval shows a
/// difference of hot_ratio.
fn pairs(rows: &[PointRows], analysis: &Analysis) -> String {
    let Some(wanted) = metric(FRONT[1]) else { return String::new() };
    // (policy, other), with the points where the first is lower, higher, neither.
    let mut pairs: Vec<((&str, &str), [usize; 3])> = Vec::new();
    for difference in analysis.differences.iter().filter(|d| d.metric == wanted) {
        let names = &rows[difference.at].policies;
        let pair = (names[difference.policy].as_str(), names[difference.other].as_str());
        let place = pairs.iter().position(|(known, _)| *known == pair).unwrap_or_else(|| {
            pairs.push((pair, [0; 3]));
            pairs.len() - 1
        });
        let which = match difference.spread.precision {
            Some(precision) if precision.high < 0.0 => 0,
            Some(precision) if precision.low > 0.0 => 1,
            _ => 2,
        };
        pairs[place].1[which] += 1;
    }
    if pairs.is_empty() {
        return String::new();
    }
    let mut grid = Grid::new(["hot_ratio of", "lower", "higher", "not shown to differ"]);
    for ((policy, other), counts) in pairs {
        let mut cells = vec![format!("{policy} than {other}")];
        cells.extend(counts.iter().map(usize::to_string));
        grid.row(cells);
    }
    format!(
        "At how many of {} the paired 95 % interval shows a difference\n\n{}",
        count(rows.len(), "point"),
        grid.render()
    )
}
