//! The font of the plots, shipped inside the program: a machine without any
//! font draws the same pixels as every other.

use std::sync::OnceLock;

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};

use super::PlotError;

const REGULAR: &[u8] = include_bytes!("font/Roboto-Regular-subset.ttf");
const MEDIUM: &[u8] = include_bytes!("font/Roboto-Medium-subset.ttf");

/// The name under which the font is registered. It is also the CSS family list
/// of SVG text, so it ends in a generic family that every viewer has.
const FAMILY: &str = "Roboto, Helvetica, Arial, sans-serif";

/// Line height over em of Roboto: (1900 + 500) / 2048, from its `hhea` table.
/// The bitmap backend takes line heights, the SVG backend em sizes.
const LINE_HEIGHT: f64 = 2400.0 / 2048.0;

/// The SVG backend divides its size by this before it writes `font-size`.
const SVG_LINE_HEIGHT: f64 = 1.24;

/// Viewers of SVG files that lack Roboto draw text with another font, up to this
/// much wider (DejaVu Sans): layouts leave the room.
pub(super) const OTHER_FONTS: f64 = 1.2;

/// How heavy a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    Regular,
    Medium,
}

impl Weight {
    fn style(self) -> FontStyle {
        match self {
            Weight::Regular => FontStyle::Normal,
            Weight::Medium => FontStyle::Bold,
        }
    }
}

/// Makes the font known to plotters; later calls do nothing.
pub(super) fn register() -> Result<(), PlotError> {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    let registered = *REGISTERED.get_or_init(|| {
        register_font(FAMILY, FontStyle::Normal, REGULAR).is_ok()
            && register_font(FAMILY, FontStyle::Bold, MEDIUM).is_ok()
    });
    registered.then_some(()).ok_or(PlotError::Font)
}

/// The font for a bitmap, for an em size in device pixels. The line height is
/// an even number of pixels: the rasteriser halves it and truncates, and only
/// whole halves put all letters on one baseline.
pub(super) fn for_bitmap(em: f64, weight: Weight) -> FontDesc<'static> {
    let height = (em * LINE_HEIGHT / 2.0).round() * 2.0;
    FontDesc::new(FontFamily::Name(FAMILY), height, weight.style())
}

/// The font for SVG, for an em size in user units.
pub(super) fn for_svg(em: f64, weight: Weight) -> FontDesc<'static> {
    FontDesc::new(FontFamily::Name(FAMILY), em * SVG_LINE_HEIGHT, weight.style())
}

/// Width of a text in the unit of `em`. Zero when the font is not registered,
/// which the drawing itself then reports.
pub(super) fn width(text: &str, em: f64, weight: Weight) -> f64 {
    // Measured large, as the font rounds widths down to whole pixels.
    const MAGNIFY: f64 = 16.0;
    let font = for_bitmap(em * MAGNIFY, weight);
    font.box_size(text).map_or(0.0, |(width, _)| f64::from(width) / MAGNIFY)
}

/// The text, or as much of its start as fits into `room` with an ellipsis.
/// O(n log n) in the length of the text.
pub(super) fn fit(text: &str, em: f64, weight: Weight, room: f64) -> String {
    if width(text, em, weight) <= room {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let shortened = |kept: usize| -> String {
        let start: String = letters[..kept].iter().collect();
        format!("{}…", start.trim_end())
    };
    // The width grows with the letters kept, so the last fit is found by halving.
    let (mut fits, mut too_wide) = (0, letters.len());
    while too_wide - fits > 1 {
        let middle = fits.midpoint(too_wide);
        if width(&shortened(middle), em, weight) <= room {
            fits = middle;
        } else {
            too_wide = middle;
        }
    }
    shortened(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_follow_the_letters() {
        register().expect("the shipped font loads");
        let width = |text| width(text, 12.0, Weight::Regular);
        assert_eq!(width(""), 0.0);
        // Roboto's digits are all 1150 of 2048 units wide.
        assert_eq!(width("0"), width("7"));
        assert!((width("00000000") - 8.0 * 12.0 * 1150.0 / 2048.0).abs() < 0.3);
        assert!(width("iii") < width("mmm"));
    }

    #[test]
    fn long_texts_end_in_an_ellipsis_and_fit() {
        register().expect("the shipped font loads");
        let name = "a-policy-with-a-name-nobody-would-type-twice".repeat(50);
        let cut = fit(&name, 12.0, Weight::Regular, 120.0);
        assert!(cut.ends_with('…') && cut.starts_with("a-policy"));
        let cut_width = width(&cut, 12.0, Weight::Regular);
        assert!(cut_width <= 120.0 && cut_width > 100.0, "{cut_width}");
        assert_eq!(fit("ring", 12.0, Weight::Regular, 120.0), "ring");
        assert_eq!(fit("ring", 12.0, Weight::Regular, 0.0), "…");
        assert_eq!(fit("", 12.0, Weight::Regular, 0.0), "");
    }
}
