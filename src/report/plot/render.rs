//! Draws a figure with plotters into the bytes of an SVG or PNG file.

use plotters::prelude::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, RGBColor, ShapeStyle, TextStyle};

use super::figure::{Align, Area, Figure, Point, Shape, TextLook, printable};
use super::{Format, PlotError, font};

/// Device units a pixel at 1x. Plotters rounds coordinates to whole units:
/// SVG files are written in quarter pixels, and bitmaps are drawn this large
/// and then averaged down, which smooths slanted edges.
const UNITS: f64 = 4.0;

/// Device pixels averaged into one of the PNG, along each side: PNG files have
/// UNITS / SHRINK = 2 pixels for one at 1x.
const SHRINK: usize = 2;

/// The largest side of a figure, in pixels at 1x. It bounds the memory of a
/// bitmap: 4000 by 1000 pixels take 192 MB.
const MAX_SIDE: f64 = 4000.0;

/// Draws the figure.
pub(super) fn render(figure: &Figure, format: Format) -> Result<Vec<u8>, PlotError> {
    font::register()?;
    match format {
        Format::Svg => svg(figure).map(String::into_bytes),
        Format::Png => png(figure),
    }
}

fn device(length: f64) -> i32 {
    (length * UNITS).round() as i32
}

fn size_of(figure: &Figure) -> (u32, u32) {
    let side = |length: f64| device(length.min(MAX_SIDE)).unsigned_abs();
    (side(figure.width), side(figure.height))
}

fn svg(figure: &Figure) -> Result<String, PlotError> {
    let (width, height) = size_of(figure);
    let mut drawn = String::new();
    draw(&mut SvgSurface(SVGBackend::with_string(&mut drawn, (width, height))), figure)?;
    // The first line is plotters' opening tag, which would show device units
    // as pixels.
    let (_, body) = drawn.split_once('\n').unwrap_or(("", ""));
    let title = escaped(&figure.title);
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n{body}",
        f64::from(width) / UNITS,
        f64::from(height) / UNITS,
    ))
}

/// The text as XML character data.
fn escaped(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn png(figure: &Figure) -> Result<Vec<u8>, PlotError> {
    let (width, height) = size_of(figure);
    let mut pixels = vec![0; 3 * width as usize * height as usize];
    draw(&mut BitmapSurface(BitMapBackend::with_buffer(&mut pixels, (width, height))), figure)?;
    let small = averaged(&pixels, width as usize);
    let mut file = Vec::new();
    let shrink = SHRINK as u32;
    let mut encoder = png::Encoder::new(&mut file, width / shrink, height / shrink);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&small)?;
    writer.finish()?;
    Ok(file)
}

/// Averages squares of `SHRINK` by `SHRINK` pixels of three bytes, rounding to
/// nearest; rows and columns over at the end are dropped.
fn averaged(pixels: &[u8], width: usize) -> Vec<u8> {
    let row_bytes = 3 * width;
    let count = SHRINK * SHRINK;
    let mut small = Vec::with_capacity(pixels.len() / count);
    for rows in pixels.chunks_exact(SHRINK * row_bytes) {
        for column in 0..width / SHRINK {
            for channel in 0..3 {
                let mut sum = count / 2;
                for row in 0..SHRINK {
                    for offset in 0..SHRINK {
                        let pixel = column * SHRINK + offset;
                        sum += usize::from(rows[row * row_bytes + 3 * pixel + channel]);
                    }
                }
                // At most 255, as the average of bytes.
                small.push((sum / count) as u8);
            }
        }
    }
    small
}

type DevicePoint = (i32, i32);

/// What differs between the two backends.
trait Surface {
    type Backend: DrawingBackend;

    fn backend(&mut self) -> &mut Self::Backend;

    fn font(look: TextLook) -> FontDesc<'static>;

    /// From the place plotters is given for a text to the baseline, for text
    /// anchored at its top.
    fn baseline_offset(font: &FontDesc<'_>) -> f64;

    fn stroke(
        &mut self,
        points: &[DevicePoint],
        color: RGBColor,
        width: f64,
    ) -> Result<(), PlotError>;
}

struct SvgSurface<'a>(SVGBackend<'a>);

impl<'a> Surface for SvgSurface<'a> {
    type Backend = SVGBackend<'a>;

    fn backend(&mut self) -> &mut Self::Backend {
        &mut self.0
    }

    fn font(look: TextLook) -> FontDesc<'static> {
        font::for_svg(look.em * UNITS, look.weight)
    }

    /// plotters-svg writes `dy="0.76em"` for text anchored at its top, and a
    /// font size of its size / 1.24.
    fn baseline_offset(font: &FontDesc<'_>) -> f64 {
        0.76 * font.get_size() / 1.24
    }

    fn stroke(
        &mut self,
        points: &[DevicePoint],
        color: RGBColor,
        width: f64,
    ) -> Result<(), PlotError> {
        let style = line_style(color, width);
        self.0.draw_path(points.iter().copied(), &style).map_err(PlotError::drawing)
    }
}

struct BitmapSurface<'a>(BitMapBackend<'a>);

impl<'a> Surface for BitmapSurface<'a> {
    type Backend = BitMapBackend<'a>;

    fn backend(&mut self) -> &mut Self::Backend {
        &mut self.0
    }

    fn font(look: TextLook) -> FontDesc<'static> {
        font::for_bitmap(look.em * UNITS, look.weight)
    }

    /// plotters' ab_glyph text puts the baseline half a line height below.
    fn baseline_offset(font: &FontDesc<'_>) -> f64 {
        font.get_size() / 2.0
    }

    /// Segment by segment: plotters fills the outline of a whole path as one
    /// polygon, which leaves holes where steps are closer than the line is wide.
    fn stroke(
        &mut self,
        points: &[DevicePoint],
        color: RGBColor,
        width: f64,
    ) -> Result<(), PlotError> {
        let style = line_style(color, width);
        let half = (style.stroke_width / 2) as i32;
        let rest = style.stroke_width as i32 - half;
        for segment in points.windows(2) {
            let (from, to) = (segment[0], segment[1]);
            if from.0 == to.0 || from.1 == to.1 {
                // Square ends only across the line, so that dashes keep their length.
                let (x_half, x_rest) = if from.0 == to.0 { (half, rest) } else { (0, 0) };
                let (y_half, y_rest) = if from.1 == to.1 { (half, rest) } else { (0, 0) };
                let upper_left = (from.0.min(to.0) - x_half, from.1.min(to.1) - y_half);
                let lower_right = (from.0.max(to.0) + x_rest, from.1.max(to.1) + y_rest);
                self.0
                    .draw_rect(upper_left, lower_right, &color.filled(), true)
                    .map_err(PlotError::drawing)?;
            } else {
                self.0.draw_line(from, to, &style).map_err(PlotError::drawing)?;
            }
        }
        // Corners, which the segments leave open.
        for &(x, y) in points.iter().skip(1).take(points.len().saturating_sub(2)) {
            self.0
                .draw_rect((x - half, y - half), (x + rest, y + rest), &color.filled(), true)
                .map_err(PlotError::drawing)?;
        }
        Ok(())
    }
}

fn line_style(color: RGBColor, width: f64) -> ShapeStyle {
    color.stroke_width(device(width).unsigned_abs().max(1))
}

fn draw<S: Surface>(surface: &mut S, figure: &Figure) -> Result<(), PlotError> {
    let point = |(x, y): Point| (device(x), device(y));
    for shape in &figure.shapes {
        match shape {
            Shape::Rect { area: Area { left, top, right, bottom }, color, opacity } => surface
                .backend()
                .draw_rect(
                    point((*left, *top)),
                    point((*right, *bottom)),
                    &color.mix(*opacity).filled(),
                    true,
                )
                .map_err(PlotError::drawing)?,
            Shape::Polygon { points, color, opacity } => surface
                .backend()
                .fill_polygon(points.iter().map(|&p| point(p)), &color.mix(*opacity).filled())
                .map_err(PlotError::drawing)?,
            Shape::Disc { center, radius, color } => surface
                .backend()
                .draw_circle(point(*center), device(*radius).unsigned_abs(), &color.filled(), true)
                .map_err(PlotError::drawing)?,
            Shape::Path { points, color, width } => {
                let mut points: Vec<DevicePoint> = points.iter().map(|&p| point(p)).collect();
                points.dedup();
                if points.len() > 1 {
                    surface.stroke(&points, *color, *width)?;
                }
            }
            Shape::Text { at, text, look, align } => {
                let font = S::font(*look);
                let (x, baseline) = *at;
                let y = (baseline * UNITS - S::baseline_offset(&font)).round() as i32;
                let h_pos = match align {
                    Align::Start => HPos::Left,
                    Align::Middle => HPos::Center,
                    Align::End => HPos::Right,
                };
                let style =
                    TextStyle::from(font).color(&look.color).pos(Pos::new(h_pos, VPos::Top));
                surface
                    .backend()
                    .draw_text(text, &style, (device(x), y))
                    .map_err(PlotError::drawing)?;
            }
        }
    }
    surface.backend().present().map_err(PlotError::drawing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averaging_rounds_to_nearest() {
        let row = [0, 10, 255, 0, 20, 255];
        let other = [1, 10, 255, 1, 20, 254];
        let pixels: Vec<u8> = [row, other].concat();
        assert_eq!(averaged(&pixels, 2), [1, 15, 255]);
    }

    #[test]
    fn titles_are_escaped_once() {
        assert_eq!(escaped("a<b & \"c\"\u{0}>"), "a&lt;b &amp; \"c\" &gt;");
    }
}
