//! Student's t distribution, computed the same on every machine.

/// The share of Student's t distribution with `freedom` degrees of freedom that
/// lies between -t and t.
///
/// The finite sums for whole degrees of freedom (Abramowitz and Stegun 1964,
/// 26.7.3 and 26.7.4), in cosines of the angle with tangent t / sqrt(freedom).
/// O(freedom), ended early where terms no longer count.
fn share_within(t: f64, freedom: u32) -> f64 {
    let nu = f64::from(freedom);
    let square = nu / (nu + t * t);
    let (sine, cosine) = (t / (nu + t * t).sqrt(), square.sqrt());
    let is_odd = freedom % 2 == 1;
    // Each term is the one before times cosine² k / (k + 1), with k = 1, 3, ..
    // for even and 2, 4, .. for odd degrees.
    let (mut term, mut factor) = if is_odd { (cosine, 2.0) } else { (1.0, 1.0) };
    let mut sum = 0.0;
    while factor <= nu - 1.0 && term > sum * f64::EPSILON / 4.0 {
        sum += term;
        term *= square * factor / (factor + 1.0);
        factor += 2.0;
    }
    match is_odd {
        true => {
            let angle = libm::atan2(sine, cosine);
            std::f64::consts::FRAC_2_PI * (angle + sine * sum)
        }
        false => sine * sum,
    }
}

/// The t with a share `level` of Student's t distribution between -t and t, for
/// a level in (0, 1) and at least one degree of freedom; by bisection, to the
/// last bits of `share_within`.
pub fn t_within(level: f64, freedom: u32) -> f64 {
    let freedom = freedom.max(1);
    let mut low = 0.0;
    let mut high = 1.0;
    while share_within(high, freedom) < level && high < 1e300 {
        low = high;
        high *= 2.0;
    }
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle;
        }
        match share_within(middle, freedom) < level {
            true => low = middle,
            false => high = middle,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two-sided 95 % quantiles of standard tables, and the normal one that they
    /// fall to.
    #[test]
    fn known_quantiles() {
        for (freedom, t) in [
            (1, 12.706_204_736_174_69),
            (2, 4.302_652_729_749_46),
            (3, 3.182_446_305_283_71),
            (4, 2.776_445_105_197_79),
            (5, 2.570_581_835_636_31),
            (9, 2.262_157_162_798_21),
            (10, 2.228_138_851_986_27),
            (19, 2.093_024_054_408_31),
            (29, 2.045_229_642_132_7),
            (100, 1.983_971_518_523_55),
            (1_000, 1.962_339_080_826_41),
            (100_000, 1.959_987_707_534_61),
        ] {
            let computed = t_within(0.95, freedom);
            assert!((computed - t).abs() < 1e-12 * t, "{freedom}: {computed}");
        }
        assert!((t_within(0.99, 10) - 3.169_272_672_616_95).abs() < 1e-12);
        assert!((t_within(0.5, 1) - 1.0).abs() < 1e-14);
    }

    #[test]
    fn shares_grow_with_t_and_freedom() {
        for freedom in 1..200 {
            let shares: Vec<f64> =
                (0..100).map(|t| share_within(f64::from(t) * 0.1, freedom)).collect();
            assert_eq!(shares[0], 0.0);
            assert!(shares.windows(2).all(|pair| pair[0] < pair[1] + 1e-14), "{freedom}");
            assert!(shares[99] < 1.0 + 1e-14);
            assert!(t_within(0.95, freedom + 1) < t_within(0.95, freedom));
        }
    }
}
