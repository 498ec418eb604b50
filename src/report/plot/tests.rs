//! Every plot with every awkward input: files are well-formed, the same twice,
//! and no text covers another.

use xxhash_rust::xxh64::xxh64;

use super::figure::{Align, Figure, Shape};
use super::*;

/// A lane of `count` samples, `step_s` apart.
fn lane(count: usize, step_s: f64, value: impl Fn(usize) -> f64) -> Vec<Sample> {
    (0..count).map(|index| Sample { time_s: index as f64 * step_s, value: value(index) }).collect()
}

/// Three seeds that fall from `high` to `low`, with a ripple.
fn falling(name: &str, high: f64, low: f64) -> Series {
    let seed = |seed: usize| {
        let ripple = move |index: usize| ((index * 7 + seed * 3) % 5) as f64 / 5.0;
        lane(61, 10.0, move |index| low + (high - low) / (1.0 + index as f64) + 0.1 * ripple(index))
    };
    Series { name: name.into(), lanes: (0..3).map(seed).collect() }
}

fn constant(name: &str, value: f64) -> Series {
    Series { name: name.into(), lanes: vec![lane(5, 60.0, |_| value)] }
}

/// Lists of series that have broken plots, or could.
fn awkward_series() -> Vec<(&'static str, Vec<Series>)> {
    let names = ["greedy", "naive", "ring", "jump", "mod-n"];
    let ten =
        (0..10).map(|index| falling(&format!("policy-{index}"), 3.0, 1.2 + 0.05 * index as f64));
    let gaps = |index: usize| if index % 3 == 1 { f64::NAN } else { 1.5 };
    vec![
        ("nothing", vec![]),
        ("no lanes", vec![Series { name: "empty".into(), lanes: vec![] }]),
        ("an empty lane", vec![Series { name: "empty".into(), lanes: vec![vec![]] }]),
        ("one policy", vec![falling("greedy", 2.3, 1.4)]),
        ("five policies", names.map(|name| falling(name, 2.3, 1.4)).to_vec()),
        ("ten policies", ten.collect()),
        ("forty policies", (0..40).map(|index| constant(&index.to_string(), 1.0)).collect()),
        ("one sample", vec![Series { name: "once".into(), lanes: vec![lane(1, 1.0, |_| 1.7)] }]),
        ("zeros", vec![constant("static", 0.0), constant("still", 0.0)]),
        ("ones", vec![constant("perfect", 1.0)]),
        ("gaps", vec![Series { name: "gaps".into(), lanes: vec![lane(30, 1.0, gaps)] }]),
        ("no number", vec![constant("nan", f64::NAN), constant("infinite", f64::INFINITY)]),
        ("negative", vec![constant("minus", -0.25), constant("plus", 3.0)]),
        ("wide apart", vec![constant("zero", 0.0), constant("few", 40.0), constant("many", 4.6e6)]),
        (
            "huge",
            vec![constant("huge", 1e300), constant("low", -1e300), constant("most", f64::MAX)],
        ),
        ("tiny", vec![constant("tiny", 1e-300), constant("zero", 0.0)]),
        ("XML", vec![constant("<a href=\"&\">'\u{0}\n\u{ffff}", 2.0)]),
        ("long names", vec![constant(&"very-long-".repeat(40), 2.0), constant("短い名前", 2.0)]),
        (
            "dense",
            vec![Series {
                name: "dense".into(),
                lanes: vec![lane(50_000, 60.0, |i| 1.0 + (i % 97) as f64)],
            }],
        ),
        (
            "dense at once",
            vec![Series { name: "at once".into(), lanes: vec![lane(5_000, 0.0, |i| i as f64)] }],
        ),
        (
            "times",
            vec![Series {
                name: "times".into(),
                lanes: vec![
                    [-5.0, f64::NAN, 3.0, 1e18, f64::INFINITY]
                        .map(|time_s| Sample { time_s, value: 1.2 })
                        .to_vec(),
                ],
            }],
        ),
    ]
}

fn bars(count: usize) -> Vec<HostBar> {
    let bar = |index: usize| HostBar {
        name: format!("host-{index}"),
        start: if index % 11 == 10 { f64::NAN } else { 0.2 + (index * 7 % 13) as f64 / 7.0 },
        end: if index % 11 == 5 { f64::NAN } else { 0.9 + (index % 3) as f64 / 10.0 },
        arrived: [0.0, 0.3, f64::NAN, 2.0, -1.0][index % 5],
    };
    (0..count).map(bar).collect()
}

/// All figures of all awkward inputs, with what they are.
fn figures() -> Vec<(String, Figure)> {
    let mut figures = Vec::new();
    let title = "Shards & hosts: a <b>\"title\"</b>\u{7}";
    for (what, series) in awkward_series() {
        let long = "a subtitle that goes on and on, ".repeat(20);
        let (title, subtitle) = (title.to_owned(), if what == "XML" { long } else { what.into() });
        let hot = HotRatioPlot {
            title: title.clone(),
            subtitle: subtitle.clone(),
            policies: series.clone(),
            optimum: Some(Series {
                name: "optimum".into(),
                ..series.first().cloned().unwrap_or_default()
            }),
            floor: Some(constant("floor", 1.0)),
        };
        figures.push((format!("hot_ratio, {what}"), hot_ratio::figure(&hot).unwrap()));
        let bare = HotRatioPlot { optimum: None, floor: None, ..hot };
        figures.push((format!("hot_ratio alone, {what}"), hot_ratio::figure(&bare).unwrap()));
        let moves = MovesPlot {
            title: title.clone(),
            subtitle: subtitle.clone(),
            policies: series.clone(),
        };
        figures.push((format!("moves, {what}"), moves::figure(&moves).unwrap()));
        let policy = |series: &Series| PolicyExcess {
            policy: series.name.clone(),
            seed_means: series.lanes.iter().flatten().take(10).map(|sample| sample.value).collect(),
            over_time: series.lanes.clone(),
        };
        let curves = |series: &Series| PolicyCurves {
            policy: series.name.clone(),
            metrics: series
                .lanes
                .iter()
                .take(2)
                .map(|lane| {
                    let values = lane.iter().take(30).map(|sample| sample.value).collect();
                    (series.name.clone(), values)
                })
                .collect(),
        };
        let snapshots = CumulativePlot {
            title: title.clone(),
            subtitle: subtitle.clone(),
            policies: series.iter().map(curves).collect(),
        };
        figures.push((format!("cumulative, {what}"), cumulative::figure(&snapshots).unwrap()));
        let mut excess =
            ExcessPlot { title, subtitle, policies: series.iter().map(policy).collect() };
        figures.push((format!("excess, {what}"), excess::figure(&excess).unwrap()));
        excess.policies.iter_mut().for_each(|policy| policy.over_time.clear());
        figures.push((format!("excess without time, {what}"), excess::figure(&excess).unwrap()));
    }
    for count in [0, 1, 2, 10, 50, 100, 1000, 20_000] {
        for panels in [0, 1, 2, 5, 10, 60] {
            let panel = |index: usize| HostsPanel {
                policy: if index == 1 { "long ".repeat(60) } else { format!("policy-{index}") },
                hosts: bars(count),
            };
            let plot = HostsPlot {
                title: title.to_owned(),
                subtitle: String::new(),
                bands: (panels > 1).then_some((0.9, 1.15)),
                panels: (0..panels).map(panel).collect(),
            };
            figures.push((format!("{panels} x {count} hosts"), hosts::figure(&plot).unwrap()));
        }
    }
    figures.extend(super::sweep::tests::figures());
    figures
}

/// Left, right, top and bottom of every text.
fn text_boxes(figure: &Figure) -> Vec<(String, [f64; 4])> {
    let boxes = figure.shapes.iter().filter_map(|shape| {
        let Shape::Text { at, text, look, align } = shape else { return None };
        let width = look.width(text);
        let left = match align {
            Align::Start => at.0,
            Align::Middle => at.0 - width / 2.0,
            Align::End => at.0 - width,
        };
        Some((text.clone(), [left, left + width, at.1 - 0.72 * look.em, at.1]))
    });
    boxes.collect()
}

#[test]
fn texts_stay_inside_and_apart() {
    for (what, figure) in figures() {
        let boxes = text_boxes(&figure);
        for (index, (text, [left, right, top, bottom])) in boxes.iter().enumerate() {
            let inside =
                *left >= 0.0 && *right <= figure.width && *top >= 0.0 && *bottom <= figure.height;
            assert!(
                inside,
                "{what}: `{text}` leaves the figure: {left} to {right}, {top} to {bottom}"
            );
            for (other, [other_left, other_right, other_top, other_bottom]) in &boxes[..index] {
                let apart = right <= other_left
                    || other_right <= left
                    || bottom <= other_top
                    || other_bottom <= top;
                assert!(apart, "{what}: `{text}` and `{other}` overlap");
            }
        }
    }
}

#[test]
fn every_shape_is_finite_and_inside() {
    for (what, figure) in figures() {
        let inside = |&(x, y): &(f64, f64)| {
            (0.0..=figure.width).contains(&x) && (0.0..=figure.height).contains(&y)
        };
        for shape in &figure.shapes {
            let is_inside = match shape {
                Shape::Rect { area, .. } => {
                    area.left <= area.right
                        && area.top <= area.bottom
                        && inside(&(area.left, area.top))
                        && inside(&(area.right, area.bottom))
                }
                Shape::Polygon { points, .. } | Shape::Path { points, .. } => {
                    points.iter().all(inside)
                }
                Shape::Disc { center, .. } => inside(center),
                Shape::Text { at, .. } => inside(at),
            };
            assert!(is_inside, "{what}: {shape:?}");
        }
    }
}

/// Checks tags, quotes and references of a document without comments.
fn check_well_formed(xml: &str) -> Result<(), String> {
    let mut open = Vec::new();
    let mut rest = xml.trim();
    while let Some(start) = rest.find('<') {
        let (text, tag) = rest.split_at(start);
        check_references(text)?;
        let end = tag.find('>').ok_or("a tag without end")?;
        let (inside, after) = (&tag[1..end], &tag[end + 1..]);
        check_references(inside)?;
        if inside.contains('<') || inside.matches('"').count() % 2 == 1 {
            return Err(format!("bad tag <{inside}>"));
        }
        let name = |tag: &str| tag.split([' ', '/']).next().unwrap_or("").to_owned();
        if let Some(closed) = inside.strip_prefix('/') {
            if open.pop().as_deref() != Some(closed) {
                return Err(format!("</{closed}> closes nothing"));
            }
        } else if !inside.ends_with('/') {
            open.push(name(inside));
        }
        if open.is_empty() && !after.trim().is_empty() {
            return Err("more than one root".to_owned());
        }
        rest = after;
    }
    if open.is_empty() { Ok(()) } else { Err(format!("{open:?} left open")) }
}

fn check_references(text: &str) -> Result<(), String> {
    let known = ["amp;", "lt;", "gt;", "quot;", "apos;"];
    let control = text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{ffff}');
    let bad =
        text.split('&').skip(1).any(|after| !known.iter().any(|name| after.starts_with(name)));
    if control || bad { Err(format!("bad text `{text}`")) } else { Ok(()) }
}

#[test]
fn every_svg_is_well_formed() {
    for (what, figure) in figures() {
        let file = render::render(&figure, Format::Svg).unwrap();
        let text = String::from_utf8(file).unwrap();
        check_well_formed(&text).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(text.contains("sans-serif") && text.starts_with("<svg xmlns="), "{what}");
        assert!(text.len() < 700_000, "{what}: {} bytes", text.len());
    }
}

#[test]
fn well_formedness_is_really_checked() {
    assert!(check_well_formed("<a><b c=\"&lt;\"/>x &amp; y</a>").is_ok());
    for bad in ["<a>", "<a></b>", "<a>&</a>", "<a b=\"></a>", "<a/><b/>", "<a>\u{0}</a>"] {
        assert!(check_well_formed(bad).is_err(), "{bad}");
    }
}

/// Draws a PNG of a sample of the figures: all would take long in a debug build.
#[test]
fn pngs_are_drawn_and_have_their_size() {
    for (what, figure) in figures().iter().step_by(31) {
        let file = render::render(figure, Format::Png).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!(
            (f64::from(info.width), f64::from(info.height)),
            (2.0 * figure.width, 2.0 * figure.height),
            "{what}"
        );
        assert!(pixels.iter().any(|&byte| byte < 100), "{what} is blank");
    }
}

/// The bytes themselves, so that a machine that draws otherwise is noticed.
#[test]
fn the_same_bytes_on_every_machine() {
    let plot = HotRatioPlot {
        title: "How hot the hottest host runs".into(),
        subtitle: "a test".into(),
        policies: vec![
            falling("greedy", 2.3, 1.4),
            falling("naïve", 2.3, 1.7),
            constant("hot", 90.0),
        ],
        optimum: Some(constant("optimum", 1.3)),
        floor: Some(constant("floor", 1.25)),
    };
    let digest = |format| {
        let file = hot_ratio(&plot, format).unwrap();
        assert_eq!(file, hot_ratio(&plot, format).unwrap());
        xxh64(&file, 0)
    };
    assert_eq!(digest(Format::Svg), 15_532_554_722_587_528_756);
    assert_eq!(digest(Format::Png), 15_349_817_836_280_626_458);
}
