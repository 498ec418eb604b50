//! Colours, markers and letter sizes: one look for all plots.

use plotters::style::RGBColor;

use super::figure::{Figure, Point, TextLook};
use super::font::Weight;

pub(super) const PAPER: RGBColor = RGBColor(255, 255, 255);
pub(super) const INK: RGBColor = RGBColor(34, 34, 34);
pub(super) const MUTED: RGBColor = RGBColor(100, 100, 100);
pub(super) const AXIS: RGBColor = RGBColor(120, 120, 120);
pub(super) const GRID: RGBColor = RGBColor(228, 228, 228);

pub(super) const TITLE: TextLook = TextLook { em: 18.0, weight: Weight::Medium, color: INK };
pub(super) const SUBTITLE: TextLook = TextLook { em: 13.0, weight: Weight::Regular, color: MUTED };
pub(super) const HEADING: TextLook = TextLook { em: 12.0, weight: Weight::Medium, color: INK };
pub(super) const LABEL: TextLook = TextLook { em: 12.0, weight: Weight::Regular, color: INK };
pub(super) const TICK: TextLook = TextLook { em: 11.0, weight: Weight::Regular, color: MUTED };
pub(super) const CAPTION: TextLook = TextLook { em: 11.0, weight: Weight::Regular, color: MUTED };

/// From the middle of capital letters to the baseline, in em of Roboto: half of
/// its cap height, 1456 / 2048.
pub(super) const MIDDLE: f64 = 0.355;

/// Six of the eight colours of Okabe and Ito, "Color Universal Design" (2008),
/// which readers with any common colour vision tell apart. Their black is left
/// to the optimum, and their yellow is too pale on white. Neighbours differ in
/// lightness (L* 46, 71, 58, 70, 54, 61), so that they differ in grey too.
const PALETTE: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(204, 121, 167),
];

/// Loads before the run: a light grey.
pub(super) const BEFORE: RGBColor = RGBColor(205, 209, 214);
/// Loads after the run that stayed where they were.
pub(super) const STAYED: RGBColor = PALETTE[0];
/// Loads after the run that arrived on a host.
pub(super) const ARRIVED: RGBColor = PALETTE[1];

/// Outlines of the markers, in units of their radius; an empty one is a disc.
const MARKERS: [&[Point]; 5] = [
    &[],
    &[(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)],
    &[(0.0, -1.15), (1.05, 0.75), (-1.05, 0.75)],
    &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
    &[(0.0, 1.15), (-1.05, -0.75), (1.05, -0.75)],
];

/// How one policy looks in every plot. Colours repeat after six policies and
/// shapes after five, and the second time round of the colours is hollow, so
/// that the first thirty policies all differ, the first five even without
/// colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    pub(super) color: RGBColor,
    outline: &'static [Point],
    hollow: bool,
}

impl Look {
    /// The look of the policy at this place in the order of declaration.
    pub(super) fn of(index: usize) -> Self {
        Look {
            color: PALETTE[index % PALETTE.len()],
            outline: MARKERS[index % MARKERS.len()],
            hollow: (index / PALETTE.len()) % 2 == 1,
        }
    }

    /// Draws the marker with a thin rim of paper, so that it stands off lines.
    pub(super) fn mark(&self, figure: &mut Figure, center: Point, radius: f64) {
        self.layer(figure, center, radius + 1.2, PAPER);
        self.layer(figure, center, radius, self.color);
        if self.hollow {
            self.layer(figure, center, radius * 0.5, PAPER);
        }
    }

    fn layer(&self, figure: &mut Figure, center: Point, radius: f64, color: RGBColor) {
        if self.outline.is_empty() {
            figure.disc(center, radius, color);
            return;
        }
        let place = |&(x, y): &Point| (center.0 + radius * x, center.1 + radius * y);
        figure.polygon(self.outline.iter().map(place).collect(), color, 1.0);
    }
}
