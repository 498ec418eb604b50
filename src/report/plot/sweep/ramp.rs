//! Colours for numbers.

use plotters::style::RGBColor;

use crate::report::plot::axis::{Curve, Scale};
use crate::report::plot::figure::{Align, Area, Figure};
use crate::report::plot::style::{AXIS, INK, PAPER, TICK};

/// Five colours of the map viridis (van der Walt and Smith 2015, public domain)
/// at equal distances: lightness rises evenly, also in grey and for readers with
/// any common colour vision.
const COLORS: [(u8, u8, u8); 5] =
    [(68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37)];

/// From numbers to colours: the larger the lighter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ramp {
    curve: Curve,
    low: f64,
    high: f64,
}

impl Ramp {
    /// Over the numbers from `low` to `high`.
    pub(super) fn new(curve: Curve, (low, high): (f64, f64)) -> Self {
        Self { curve, low, high }
    }

    fn scale(&self, from: f64, to: f64) -> Option<Scale> {
        let span = self.high - self.low;
        let usable = span > 0.0 && span.is_finite();
        usable.then(|| Scale::new(self.curve, 0.0, (self.low, self.high), (from, to)))
    }

    fn share(&self, value: f64) -> f64 {
        self.scale(0.0, 1.0).map_or(0.5, |scale| scale.at(value).clamp(0.0, 1.0))
    }

    /// The colour of a number.
    pub(super) fn color(&self, value: f64) -> RGBColor {
        mixed(self.share(value))
    }

    /// A colour that can be read on that of a number.
    pub(super) fn ink_on(&self, value: f64) -> RGBColor {
        if self.share(value) > 0.45 { INK } else { PAPER }
    }

    /// Draws the colours as a bar with its numbers below.
    pub(super) fn legend(&self, figure: &mut Figure, area: Area) {
        const STEPS: u32 = 64;
        let width = area.width() / f64::from(STEPS);
        for step in 0..STEPS {
            let left = area.left + f64::from(step) * width;
            let cell = Area { left, right: left + width, ..area };
            figure.rect(cell, mixed((f64::from(step) + 0.5) / f64::from(STEPS)), 1.0);
        }
        let Some(scale) = self.scale(area.left, area.right) else { return };
        for tick in scale.ticks(48.0, false).iter().filter(|tick| tick.value >= self.low) {
            let at = scale.at(tick.value);
            figure.line((at, area.bottom), (at, area.bottom + 4.0), AXIS, 1.0);
            figure.text((at, area.bottom + 16.0), &tick.label, TICK, Align::Middle);
        }
    }
}

/// The colour at a share of the map.
fn mixed(share: f64) -> RGBColor {
    let place = share * (COLORS.len() - 1) as f64;
    let from = (place.floor() as usize).min(COLORS.len() - 2);
    let (a, b) = (COLORS[from], COLORS[from + 1]);
    let part = place - from as f64;
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * part).round() as u8;
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_the_lighter() {
        let ramp = Ramp::new(Curve::Linear, (1.0, 3.0));
        let light = |value| {
            let RGBColor(r, g, b) = ramp.color(value);
            0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b)
        };
        let steps: Vec<f64> = (0..=20).map(|step| light(1.0 + f64::from(step) / 10.0)).collect();
        assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{steps:?}");
        assert_eq!(ramp.color(-9.0), ramp.color(1.0));
        assert_eq!(Ramp::new(Curve::Linear, (2.0, 2.0)).color(2.0), mixed(0.5));
    }
}
