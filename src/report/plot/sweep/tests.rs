//! Awkward sweeps, for the tests that hold for all plots.

use super::front::{self, FrontMark, FrontPlot, OnFront};
use super::values::{SweepAxis, SweepMark, SweepPlot};
use crate::report::plot::figure::Figure;

fn plot(counts: bool, policies: usize, sizes: &[usize], numeric: bool) -> SweepPlot {
    let label = |axis: usize, place: usize| match numeric {
        true => format!("{}", (place * place + axis) as f64 / 4.0),
        false => format!("word {place} of axis {axis}"),
    };
    let all: usize = sizes.iter().product();
    let mut marks = Vec::new();
    for point in 0..all {
        let mut rest = point;
        let places = sizes.iter().map(|size| {
            let place = rest % size;
            rest /= size;
            place
        });
        let at: Vec<String> = places.enumerate().map(|(axis, place)| label(axis, place)).collect();
        for policy in 0..policies {
            let mean = 1.0 + (point * 7 + policy) as f64 / 9.0;
            marks.push(SweepMark {
                at: at.clone(),
                policy,
                mean,
                interval: (mean - 0.1, mean + 0.2),
            });
        }
    }
    SweepPlot {
        title: "A <sweep> & \"more\"".into(),
        subtitle: "something, ".repeat(40),
        quantity: "hot_ratio (mean over time)".into(),
        counts,
        axes: (0..sizes.len())
            .map(|axis| SweepAxis { name: format!("axis_{axis}"), numeric })
            .collect(),
        policies: (0..policies).map(|policy| format!("policy-{policy}")).collect(),
        marks,
    }
}

/// Every mark of a plot with another mean.
fn with_means(mut plot: SweepPlot, mean: impl Fn(usize) -> f64) -> SweepPlot {
    for (index, mark) in plot.marks.iter_mut().enumerate() {
        mark.mean = mean(index);
        mark.interval = (mean(index), f64::NAN);
    }
    plot
}

fn front_of(plot: &SweepPlot) -> FrontPlot {
    let mark = |(index, mark): (usize, &SweepMark)| FrontMark {
        moves: (index * 37 % 101) as f64,
        moves_interval: (-3.0, 200.0),
        hot_ratio: mark.mean,
        hot_ratio_interval: mark.interval,
        policy: mark.policy,
        on_front: [OnFront::Behind, OnFront::Front, OnFront::Knee][index.min(2)],
        at: mark.at.join(", ").repeat(9),
    };
    FrontPlot {
        title: plot.title.clone(),
        subtitle: plot.subtitle.clone(),
        policies: plot.policies.clone(),
        marks: plot.marks.iter().enumerate().map(mark).collect(),
    }
}

/// Plots of sweeps of one to three axes, with what they are.
pub(in crate::report::plot) fn figures() -> Vec<(String, Figure)> {
    let mut plots = vec![("nothing".to_owned(), plot(false, 0, &[0], true))];
    for numeric in [true, false] {
        for policies in [1, 2, 9] {
            for sizes in [
                &[1][..],
                &[2],
                &[7],
                &[60],
                &[1, 1],
                &[6, 6],
                &[2, 30],
                &[30, 2],
                &[2, 2, 3],
                &[3, 2, 20],
            ] {
                let plot = plot(policies == 2, policies, sizes, numeric);
                plots.push((format!("{policies} policies, {sizes:?}, {numeric}"), plot));
            }
        }
    }
    let one = || plot(false, 2, &[4], true);
    let two = || plot(false, 2, &[4, 4], true);
    for (what, plot) in [("line", one as fn() -> SweepPlot), ("map", two)] {
        plots.push((format!("{what} without numbers"), with_means(plot(), |_| f64::NAN)));
        plots.push((format!("{what} of one number"), with_means(plot(), |_| 2.0)));
        plots.push((format!("{what} of zeros"), with_means(plot(), |_| 0.0)));
        plots.push((format!("{what} with gaps"), with_means(plot(), |i| [1.0, f64::NAN][i % 2])));
        plots.push((
            format!("{what} far apart"),
            with_means(plot(), |i| (i * i * i * i) as f64 * 1e6),
        ));
    }
    let mut figures = Vec::new();
    for (what, plot) in plots {
        figures.push((format!("sweep, {what}"), super::figure(&plot).unwrap()));
        figures.push((format!("front, {what}"), front::figure(&front_of(&plot)).unwrap()));
    }
    figures
}
