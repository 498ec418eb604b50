//! One exchange of two shards, for when no single move helps.

use super::gain::{self, gain};

/// Both ends of an exchange must leave their host between these loads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Band {
    fn holds(self, load: f64) -> bool {
        load >= self.low && load <= self.high
    }
}

/// Two hosts' loads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) source: f64,
    pub(super) destination: f64,
}

/// The positions of the exchange with the largest positive gain: shard `a` of
/// the source for a smaller shard `b` of the destination, both hosts ending
/// inside the band. Of equal gains the first `a` in list order wins, then the
/// first `b`.
///
/// `given` and `returned` are loads in list order, NaN where a shard may not
/// move. The gain is that of a move of `a - b`, so for each `a` the best `b`
/// lies next to `a` minus half the difference of the hosts: the partners are
/// sorted once, and each `a` looks at those within rounding of the best
/// exchange seen. Takes `O((n + m) log m)` time, times the ties.
pub(super) fn best(
    given: &[f64],
    returned: &[f64],
    pair: Pair,
    band: Band,
) -> Option<(usize, usize)> {
    let mut partners: Vec<(f64, usize)> =
        returned.iter().enumerate().filter(|(_, b)| !b.is_nan()).map(|(at, &b)| (b, at)).collect();
    partners.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let half = (pair.source - pair.destination) / 2.0;
    let slack = gain::slack(pair.source, pair.destination);
    let mut best = None;
    let mut best_gain = 0.0;
    for (at, &a) in given.iter().enumerate().filter(|(_, a)| !a.is_nan()) {
        let mut own: Option<(f64, usize)> = None;
        let mut consider = |&(b, partner): &(f64, usize)| {
            let load = a - b;
            let bound = gain::bound(pair.source, pair.destination, load, slack);
            if bound <= 0.0 || bound < best_gain || own.is_some_and(|(gain, _)| bound < gain) {
                return false;
            }
            let fits =
                a > b && band.holds(pair.source - load) && band.holds(pair.destination + load);
            let gain = gain(pair.source, pair.destination, load);
            if fits
                && gain > best_gain
                && own
                    .is_none_or(|(other, first)| gain > other || (gain == other && partner < first))
            {
                own = Some((gain, partner));
            }
            true
        };
        let middle = partners.partition_point(|&(b, _)| b < a - half);
        let _ = partners[middle..].iter().all(&mut consider);
        let _ = partners[..middle].iter().rev().all(&mut consider);
        if let Some((gain, partner)) = own {
            (best, best_gain) = (Some((at, partner)), gain);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_of_the_shards_is_what_moves() {
        // 30 for 20 brings 60 and 40 to 50 and 50; 31 for 20 does not fit.
        let pair = Pair { source: 60.0, destination: 40.0 };
        let band = Band { low: 49.5, high: 50.5 };
        assert_eq!(best(&[31.0, 30.0], &[15.0, f64::NAN, 20.0], pair, band), Some((1, 2)));
        assert_eq!(best(&[31.0, 30.0], &[15.0, f64::NAN, 22.0], pair, band), None);
        // Equal gains: the first of the source, then the first of the partner.
        let band = Band { low: 0.0, high: 100.0 };
        assert_eq!(best(&[30.0, 31.0], &[21.0, 20.0, 20.0], pair, band), Some((0, 1)));
    }
}
