//! What a move is worth, and how far its computed worth may be from the true.

/// By how much a move lowers the sum of the squared loads of the two hosts:
/// `(S² + D²) - ((S-l)² + (D+l)²)`, which is `2 l (S - D - l)`.
///
/// The expression is evaluated as the reference writes it: the shorter form
/// rounds differently, and mirror shards (`l` and `S - D - l`, a tie in exact
/// arithmetic) are told apart by rounding alone.
#[inline]
pub fn gain(source: f64, destination: f64, load: f64) -> f64 {
    let before = source * source + destination * destination;
    let (left, grown) = (source - load, destination + load);
    before - (left * left + grown * grown)
}

/// A bound on the difference between the computed and the exact gain.
///
/// For loads `0 <= l`, `S`, `D` each term of the formula is at most
/// `S² + D² + |gain|` and carries a few roundings of half an ulp, which sum to
/// less than `8 * 2^-53` of that. 32 times that bound leaves room for the
/// rounding of the bound itself; the smallest normal number covers underflow.
#[inline]
pub(super) fn slack(source: f64, destination: f64) -> f64 {
    const RELATIVE: f64 = 1.0 / (1_u64 << 45) as f64;
    (source * source + destination * destination) * RELATIVE + f64::MIN_POSITIVE
}

/// An upper bound on the computed gain. It falls as `load` leaves
/// `(S - D) / 2` in either direction, except for differences within the slack.
#[inline]
pub(super) fn bound(source: f64, destination: f64, load: f64, slack: f64) -> f64 {
    2.0 * load * ((source - destination) - load) + slack
}

/// Whether no shard with a load of at least `least > 0` can have a positive
/// computed gain, for this destination and for every hotter one up to `most`.
///
/// With `D` growing, `bound` is convex (the slack holds `D²`), so what holds
/// at both ends of the interval holds in between.
pub(super) fn hopeless(source: f64, destination: f64, most: f64, least: f64) -> bool {
    let no_gain_at = |destination: f64| {
        2.0 * least >= source - destination
            && bound(source, destination, least, slack(source, destination)) <= 0.0
    };
    least == f64::INFINITY
        || (destination >= 0.0 && no_gain_at(destination) && no_gain_at(most.max(destination)))
}

/// The largest computed gain over `loads` if it is positive; NaN loads have
/// none.
#[inline]
pub(super) fn largest(loads: &[f64], source: f64, destination: f64) -> Option<f64> {
    const LANES: usize = 8;
    let keep_larger = |best: &mut f64, load: f64| {
        let gain = gain(source, destination, load);
        if gain > *best {
            *best = gain;
        }
    };
    let mut best = [0.0; LANES];
    let (chunks, rest) = loads.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            keep_larger(&mut best[lane], chunk[lane]);
        }
    }
    for (best, &load) in best.iter_mut().zip(rest) {
        keep_larger(best, load);
    }
    let best = best.into_iter().fold(0.0, |best, gain| if gain > best { gain } else { best });
    (best > 0.0).then_some(best)
}

/// The first position with a gain of `wanted`.
#[inline]
pub(super) fn first_with(
    loads: &[f64],
    source: f64,
    destination: f64,
    wanted: f64,
) -> Option<usize> {
    loads.iter().position(|&load| gain(source, destination, load) == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example() {
        // Hosts {100, 60} and {40}: moving the 60 ends at 100 and 100.
        assert_eq!(gain(160.0, 40.0, 60.0), 7200.0);
        assert_eq!(gain(160.0, 40.0, 100.0), 4000.0);
        assert_eq!(gain(160.0, 40.0, 120.0), 0.0);
    }

    #[test]
    fn the_first_of_equal_gains_is_found_behind_full_chunks_too() {
        let mut loads = vec![1.0; 21];
        loads[3] = f64::NAN;
        (loads[19], loads[20]) = (5.0, 5.0);
        let best = largest(&loads, 30.0, 10.0).unwrap();
        assert_eq!(best, gain(30.0, 10.0, 5.0));
        assert_eq!(first_with(&loads, 30.0, 10.0, best), Some(19));
        assert_eq!(largest(&loads, 10.0, 10.0), None);
        assert_eq!(largest(&[f64::NAN], 10.0, 0.0), None);
    }

    #[test]
    fn a_hopeless_source_has_no_gain_for_any_hotter_destination() {
        assert!(hopeless(10.0, 4.0, 100.0, 7.0));
        assert!(!hopeless(10.0, 4.0, 100.0, 5.0));
        // On the edge the slack decides: not certain, so not hopeless.
        assert!(!hopeless(10.0, 4.0, 100.0, 6.0));
        assert!(hopeless(10.0, 4.0, 100.0, f64::INFINITY));
    }
}
