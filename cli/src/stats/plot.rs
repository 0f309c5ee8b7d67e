//! Statistics as a picture: the values by group, and the histogram of all.
//!
//! Text is set with a font that the program brings along, so a picture is the same everywhere.

use std::io::Write;
use std::sync::LazyLock;

use anyhow::anyhow;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use retrotab_tablefmt::stats::{Measure, TableStats, Tally};

/// Kinds of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// Lines and text.
    Svg,
    /// Pixels.
    Png,
}

const SIZE: (u32, u32) = (1100, 420);
const FONT: &str = "sans-serif";
const BLUE: RGBColor = RGBColor(0x2b, 0x6c, 0xb0);
const GREEN: RGBColor = RGBColor(0x2f, 0x85, 0x5a);
const RED: RGBColor = RGBColor(0xc0, 0x39, 0x2b);

/// Draws the statistics.
pub fn draw(stats: &TableStats, picture: Picture) -> anyhow::Result<Vec<u8>> {
    static REGISTERED: LazyLock<bool> = LazyLock::new(|| {
        register_font(FONT, FontStyle::Normal, include_bytes!("font/DejaVuSans-ascii.ttf")).is_ok()
    });
    if !*REGISTERED {
        return Err(anyhow!("bug: the font for pictures cannot be used"));
    }
    match picture {
        Picture::Svg => {
            let mut svg = String::new();
            draw_on(SVGBackend::with_string(&mut svg, SIZE), stats)?;
            Ok(svg.into_bytes())
        }
        Picture::Png => {
            let mut pixels = vec![0; (3 * SIZE.0 * SIZE.1) as usize];
            draw_on(BitMapBackend::with_buffer(&mut pixels, SIZE), stats)?;
            encode_png(&pixels)
        }
    }
}

fn encode_png(pixels: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, SIZE.0, SIZE.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    bytes.flush()?;
    Ok(bytes)
}

fn draw_on<B: DrawingBackend>(backend: B, stats: &TableStats) -> anyhow::Result<()> {
    let area = backend.into_drawing_area();
    let drawn = draw_panels(&area, stats).and_then(|()| area.present());
    drawn.map_err(|error| anyhow!("cannot draw the picture: {error}"))
}

type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

fn draw_panels<B: DrawingBackend>(area: &DrawingArea<B, Shift>, stats: &TableStats) -> Drawn<B> {
    area.fill(&WHITE)?;
    let halves = area.split_evenly((1, 2));
    curves(&halves[0], &Curves::of(stats))?;
    histogram(&halves[1], stats)
}

/// A value of each group.
struct Curve {
    name: &'static str,
    color: RGBColor,
    points: Vec<(f64, f64)>,
}

/// Curves over the groups.
struct Curves {
    title: &'static str,
    x: &'static str,
    y: &'static str,
    curves: Vec<Curve>,
}

impl Curves {
    fn of(stats: &TableStats) -> Self {
        let curve = |name, color, value: &dyn Fn(&Tally) -> Option<f64>| {
            let points = stats.groups.iter().enumerate();
            let points = points.filter_map(|(i, g)| Some((i as f64, value(&g.tally)?)));
            Curve { name, color, points: points.collect() }
        };
        let mean = |tally: &Tally| stats.mean(tally);
        let won = |tally: &Tally| (tally.counted > 0).then(|| tally.share(tally.won));
        let lost = |tally: &Tally| (tally.counted > 0).then(|| tally.share(tally.lost));
        match stats.measure {
            Measure::Success | Measure::PlayingValue => Curves {
                title: "By stock cards",
                x: "stock cards of both lanes",
                y: "mean value, shares of entries",
                curves: vec![
                    curve("mean value", BLUE, &mean),
                    curve("surely won", GREEN, &won),
                    curve("surely lost", RED, &lost),
                ],
            },
            Measure::Moves => Curves {
                title: "Won by the player to move",
                x: "sticks",
                y: "share of positions",
                curves: vec![curve("won", GREEN, &won)],
            },
            Measure::Equity => {
                let mut best = curve("equity", BLUE, &mean);
                best.points.sort_by(|a, b| b.1.total_cmp(&a.1));
                best.points.iter_mut().enumerate().for_each(|(i, point)| point.0 = i as f64 + 1.0);
                Curves {
                    title: "Hands against a random hand",
                    x: "clusters, the strongest first",
                    y: "equity",
                    curves: vec![best],
                }
            }
        }
    }
}

fn curves<B: DrawingBackend>(area: &DrawingArea<B, Shift>, plot: &Curves) -> Drawn<B> {
    let points = || plot.curves.iter().flat_map(|curve| &curve.points);
    let right = points().map(|point| point.0).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .caption(plot.title, (FONT, 18))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(58)
        .build_cartesian_2d(0.0..right, 0.0..1.0)?;
    let whole = |x: &f64| format!("{x:.0}");
    let mut mesh = chart.configure_mesh();
    mesh.light_line_style(TRANSPARENT).x_label_formatter(&whole);
    mesh.label_style((FONT, 13)).axis_desc_style((FONT, 14));
    mesh.x_desc(plot.x).y_desc(plot.y).draw()?;
    for curve in &plot.curves {
        let style = curve.color.stroke_width(2);
        let line = LineSeries::new(curve.points.iter().copied(), style);
        let sample = move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style);
        chart.draw_series(line)?.label(curve.name).legend(sample);
    }
    if plot.curves.len() > 1 {
        let mut labels = chart.configure_series_labels();
        labels.background_style(WHITE.mix(0.85)).border_style(BLACK.mix(0.3));
        labels.position(SeriesLabelPosition::UpperRight).label_font((FONT, 13)).draw()?;
    }
    Ok(())
}

fn histogram<B: DrawingBackend>(area: &DrawingArea<B, Shift>, stats: &TableStats) -> Drawn<B> {
    let all = &stats.all;
    let bars = histogram_bars(stats);
    let right = bars.last().map_or(1.0, |bar| bar.to);
    let most = bars.iter().map(|bar| bar.percent).fold(0.0, f64::max).max(1e-9);
    let (x, y) = (stats.measure.name(), format!("% of the {}", stats.measure.counted()));
    let mut chart = ChartBuilder::on(area)
        .caption(format!("Histogram, mean {:.4}", stats.mean(all).unwrap_or(0.0)), (FONT, 18))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(58)
        .build_cartesian_2d(0.0..right, 0.0..1.05 * most)?;
    let mut mesh = chart.configure_mesh();
    mesh.light_line_style(TRANSPARENT).disable_x_mesh();
    mesh.label_style((FONT, 13)).axis_desc_style((FONT, 14));
    mesh.x_desc(x).y_desc(y).draw()?;
    let rectangle =
        |bar: &Bar| Rectangle::new([(bar.from, 0.0), (bar.to, bar.percent)], BLUE.filled());
    chart.draw_series(bars.iter().map(rectangle))?;
    Ok(())
}

/// A bar of a histogram.
struct Bar {
    from: f64,
    to: f64,
    percent: f64,
}

fn histogram_bars(stats: &TableStats) -> Vec<Bar> {
    let bins = &stats.all.bins;
    let used = match stats.measure {
        Measure::Moves => bins.iter().rposition(|&bin| bin > 0).map_or(1, |last| last + 1),
        _ => bins.len(),
    };
    let width = match stats.measure {
        Measure::Moves => 1.0,
        _ => 1.0 / bins.len() as f64,
    };
    let bar = |(i, &bin): (usize, &u64)| {
        let from = i as f64 * width;
        // A little air between the bars.
        Bar { from, to: from + 0.94 * width, percent: 100.0 * stats.all.share(bin) }
    };
    bins.iter().take(used).enumerate().map(bar).collect()
}
