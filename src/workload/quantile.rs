//! The quantile function of the normal distribution.

/// The quantile of the standard normal distribution at `p` in (0, 1):
/// Wichura 1988, algorithm AS 241 (PPND16), relative error about 1e-16.
pub fn normal_quantile(p: f64) -> f64 {
    const CENTRE: f64 = 0.180625;
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = CENTRE - q * q;
        return q * polynomial(&A, r) / polynomial(&B, r);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    let r = (-libm::log(tail)).sqrt();
    let magnitude = if r <= 5.0 {
        polynomial(&C, r - 1.6) / polynomial(&D, r - 1.6)
    } else {
        polynomial(&E, r - 5.0) / polynomial(&F, r - 5.0)
    };
    if q < 0.0 { -magnitude } else { magnitude }
}

/// Estrin's scheme, whose short chains let the processor work side by side; the
/// constant term comes first.
#[inline]
fn polynomial(c: &[f64; 8], x: f64) -> f64 {
    let square = x * x;
    let low = (c[0] + c[1] * x) + (c[2] + c[3] * x) * square;
    let high = (c[4] + c[5] * x) + (c[6] + c[7] * x) * square;
    low + high * (square * square)
}

// The coefficients of the published algorithm: numerator and denominator for
// the centre (a, b), the near tail (c, d) and the far tail (e, f).
const A: [f64; 8] = [
    3.387_132_872_796_366_5,
    1.331_416_678_917_843_8e2,
    1.971_590_950_306_551_3e3,
    1.373_169_376_550_946e4,
    4.592_195_393_154_987e4,
    6.726_577_092_700_87e4,
    3.343_057_558_358_813e4,
    2.509_080_928_730_122_7e3,
];
const B: [f64; 8] = [
    1.0,
    4.231_333_070_160_091e1,
    6.871_870_074_920_579e2,
    5.394_196_021_424_751e3,
    2.121_379_430_158_659_7e4,
    3.930_789_580_009_271e4,
    2.872_908_573_572_194_3e4,
    5.226_495_278_852_545e3,
];
const C: [f64; 8] = [
    1.423_437_110_749_683_5,
    4.630_337_846_156_546,
    5.769_497_221_460_691,
    3.647_848_324_763_204_5,
    1.270_458_252_452_368_4,
    2.417_807_251_774_506e-1,
    2.272_384_498_926_918_4e-2,
    7.745_450_142_783_414e-4,
];
const D: [f64; 8] = [
    1.0,
    2.053_191_626_637_759,
    1.676_384_830_183_803_8,
    6.897_673_349_851e-1,
    1.481_039_764_274_800_8e-1,
    1.519_866_656_361_645_7e-2,
    5.475_938_084_995_345e-4,
    1.050_750_071_644_416_9e-9,
];
const E: [f64; 8] = [
    6.657_904_643_501_103,
    5.463_784_911_164_114,
    1.784_826_539_917_291_3,
    2.965_605_718_285_048_7e-1,
    2.653_218_952_657_612_4e-2,
    1.242_660_947_388_078_4e-3,
    2.711_555_568_743_487_6e-5,
    2.010_334_399_292_288_1e-7,
];
const F: [f64; 8] = [
    1.0,
    5.998_322_065_558_88e-1,
    1.369_298_809_227_358e-1,
    1.487_536_129_085_061_5e-2,
    7.868_691_311_456_133e-4,
    1.846_318_317_510_054_8e-5,
    1.421_511_758_316_446e-7,
    2.044_263_103_389_939_8e-15,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of standard tables of the normal distribution.
    #[test]
    fn known_quantiles() {
        for (p, z) in [
            (0.5, 0.0),
            (0.25, -0.674_489_750_196_081_7),
            (0.975, 1.959_963_984_540_054),
            (0.999, 3.090_232_306_167_813),
            (1e-10, -6.361_340_902_404_056),
            (1e-20, -9.262_340_089_798_408),
        ] {
            assert!((normal_quantile(p) - z).abs() < 1e-13 * z.abs().max(1.0), "p = {p}");
        }
        assert!((normal_quantile(0.2) + normal_quantile(0.8)).abs() < 1e-14);
    }
}
