//! A figure as a list of shapes, before any file format. Plots lay themselves
//! out here; `render` turns the list into bytes.

use plotters::style::RGBColor;

use super::font::{self, Weight};
use super::style::{CAPTION, MUTED, PAPER, SUBTITLE, TITLE};

/// A place in pixels from the top left corner, as shown at 1x.
pub(super) type Point = (f64, f64);

/// An axis-parallel rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Area {
    pub(super) fn width(self) -> f64 {
        self.right - self.left
    }
}

/// Which point of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TextLook {
    /// Em size in pixels.
    pub(super) em: f64,
    pub(super) weight: Weight,
    pub(super) color: RGBColor,
}

impl TextLook {
    pub(super) const fn in_color(self, color: RGBColor) -> Self {
        TextLook { color, ..self }
    }

    pub(super) fn width(self, text: &str) -> f64 {
        font::width(text, self.em, self.weight)
    }

    pub(super) fn fit(self, text: &str, room: f64) -> String {
        font::fit(text, self.em, self.weight, room)
    }
}

/// One thing to draw.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Rect {
        area: Area,
        color: RGBColor,
        opacity: f64,
    },
    Polygon {
        points: Vec<Point>,
        color: RGBColor,
        opacity: f64,
    },
    Disc {
        center: Point,
        radius: f64,
        color: RGBColor,
    },
    Path {
        points: Vec<Point>,
        color: RGBColor,
        width: f64,
    },
    /// `at` is on the baseline.
    Text {
        at: Point,
        text: String,
        look: TextLook,
        align: Align,
    },
}

/// A figure: its size in pixels at 1x, and its shapes from back to front.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    pub(super) width: f64,
    pub(super) height: f64,
    /// What a screen reader says.
    pub(super) title: String,
    pub(super) shapes: Vec<Shape>,
}

/// Space between the edge of a figure and its content.
pub(super) const MARGIN: f64 = 20.0;

/// The first free line below the title and the subtitle.
pub(super) const BELOW_TITLE: f64 = 66.0;

/// Room for the caption below the last panel.
pub(super) const BELOW_PANEL: f64 = 30.0;

impl Figure {
    /// A white figure with its title and subtitle in the top left corner.
    pub(super) fn new(width: f64, height: f64, title: &str, subtitle: &str) -> Self {
        let paper = Area { left: 0.0, top: 0.0, right: width, bottom: height };
        let mut figure = Figure { width, height, title: printable(title), shapes: Vec::new() };
        figure.rect(paper, PAPER, 1.0);
        let room = width - 2.0 * MARGIN;
        figure.text_within((MARGIN, 32.0), title, TITLE, room);
        figure.text_within((MARGIN, 51.0), subtitle, SUBTITLE, room);
        figure
    }

    /// A small note in the bottom left corner: how to read the figure.
    pub(super) fn caption(&mut self, text: &str) {
        let at = (MARGIN, self.height - 12.0);
        self.text_within(at, text, CAPTION, self.width - 2.0 * MARGIN);
    }

    /// Says in the middle of an area that there is nothing to draw there.
    pub(super) fn note(&mut self, area: Area, text: &str) {
        let at = (area.left.midpoint(area.right), area.top.midpoint(area.bottom));
        let text = SUBTITLE.fit(text, area.width());
        self.text(at, &text, SUBTITLE.in_color(MUTED), Align::Middle);
    }

    pub(super) fn rect(&mut self, area: Area, color: RGBColor, opacity: f64) {
        self.shapes.push(Shape::Rect { area, color, opacity });
    }

    pub(super) fn polygon(&mut self, points: Vec<Point>, color: RGBColor, opacity: f64) {
        self.shapes.push(Shape::Polygon { points, color, opacity });
    }

    pub(super) fn disc(&mut self, center: Point, radius: f64, color: RGBColor) {
        self.shapes.push(Shape::Disc { center, radius, color });
    }

    pub(super) fn path(&mut self, points: Vec<Point>, color: RGBColor, width: f64) {
        self.shapes.push(Shape::Path { points, color, width });
    }

    pub(super) fn line(&mut self, from: Point, to: Point, color: RGBColor, width: f64) {
        self.path(vec![from, to], color, width);
    }

    pub(super) fn text(&mut self, at: Point, text: &str, look: TextLook, align: Align) {
        let text = printable(text);
        if !text.is_empty() {
            self.shapes.push(Shape::Text { at, text, look, align });
        }
    }

    fn text_within(&mut self, at: Point, text: &str, look: TextLook, room: f64) {
        let text = look.fit(&printable(text), room);
        self.text(at, &text, look, Align::Start);
    }
}

/// The text with a space for every character that XML 1.0 forbids or that has
/// no shape of its own (line breaks, tabs, controls).
/// Source: XML 1.0 (Fifth Edition), production 2 `Char`.
pub(super) fn printable(text: &str) -> String {
    let is_forbidden = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if is_forbidden(c) { ' ' } else { c }).collect()
}
