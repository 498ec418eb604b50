//! What a move is worth, and how far its computed worth may be from the true.

/// By how much a move lowers the sum of the squared loads of the two hosts:
/// `(S² + D²) - ((S-l)² + (D+l)²)`, which is `2 l (S - D - l)`.
///
/// The expression is evaluated as the reference writes it: the shorter form
/// rounds differently, and mirror shards (`l` and `S - D - l`, a tie in exact
/// arithmetic) are told apart by rounding alone.
#[inline]
pub fn gain(source: f64, destination: f64, load: f64) -> f64 {
    squares(source, destination) - squares(source - load, destination + load)
}

#[inline]
fn squares(source: f64, destination: f64) -> f64 {
    source * source + destination * destination
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
    squares(source, destination) * RELATIVE + f64::MIN_POSITIVE
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

/// The position of the largest computed gain over `loads` if it is positive,
/// the first of equals; NaN loads have none.
///
/// A linear scan, laid out for vector units: in each block it finds the least
/// sum of squares after a move, in lanes, and then the position within the
/// first block with the largest gain. Rounding keeps the order of
/// differences, so `before - after` is largest where `after` is least.
pub(super) fn first_largest(loads: &[f64], source: f64, destination: f64) -> Option<usize> {
    const LANES: usize = 4;
    const BLOCK: usize = 32;
    let before = squares(source, destination);
    let after = |load: f64| squares(source - load, destination + load);
    let least = |a: f64, b: f64| if b < a { b } else { a };
    let (mut best, mut start) = (0.0, 0);
    for (index, block) in loads.chunks(BLOCK).enumerate() {
        let mut lanes = [f64::INFINITY; LANES];
        let (chunks, rest) = block.as_chunks::<LANES>();
        for chunk in chunks {
            for lane in 0..LANES {
                lanes[lane] = least(lanes[lane], after(chunk[lane]));
            }
        }
        for (lane, &load) in lanes.iter_mut().zip(rest) {
            *lane = least(*lane, after(load));
        }
        let gain = before - lanes.into_iter().fold(f64::INFINITY, least);
        if gain > best {
            (best, start) = (gain, index * BLOCK);
        }
    }
    if best > 0.0 {
        let inside = loads[start..].iter().position(|&load| before - after(load) == best);
        inside.map(|position| start + position)
    } else {
        None
    }
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
        assert_eq!(first_largest(&loads, 30.0, 10.0), Some(19));
        assert_eq!(first_largest(&loads, 10.0, 10.0), None);
        assert_eq!(first_largest(&[f64::NAN], 10.0, 0.0), None);
        assert_eq!(first_largest(&[], 10.0, 0.0), None);
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
