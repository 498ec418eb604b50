//! Labels beside the ends of lines: a legend that needs no looking up and
//! covers no data.

/// Places for labels wanted at `wanted`, at least `gap` apart and within
/// `low..=high` as far as there is room, keeping the order of the wishes; ties
/// keep the order of declaration.
///
/// Least squares under an order constraint: labels that would overlap form a
/// block around the mean of their wishes (pool adjacent violators; Barlow et
/// al., "Statistical Inference under Order Restrictions", 1972). O(n log n).
pub(super) fn spread_out(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    struct Block {
        /// Labels in it.
        count: f64,
        /// Sum of the wishes for its first label.
        sum: f64,
    }
    impl Block {
        fn start(&self, gap: f64, low: f64, high: f64) -> f64 {
            let last = high - gap * (self.count - 1.0);
            (self.sum / self.count).min(last).max(low)
        }
    }
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]).then(a.cmp(&b)));
    let mut blocks: Vec<Block> = Vec::new();
    for &label in &order {
        let mut block = Block { count: 1.0, sum: wanted[label] };
        while let Some(before) = blocks.pop() {
            let end = before.start(gap, low, high) + gap * before.count;
            if end <= block.start(gap, low, high) {
                blocks.push(before);
                break;
            }
            block.sum = before.sum + block.sum - block.count * before.count * gap;
            block.count += before.count;
        }
        blocks.push(block);
    }
    let mut places = vec![0.0; wanted.len()];
    let mut labels = order.into_iter();
    for block in blocks {
        let mut place = block.start(gap, low, high);
        for label in labels.by_ref().take(block.count as usize) {
            places[label] = place;
            place += gap;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_apart_stay_where_they_are() {
        assert_eq!(spread_out(&[10.0, 50.0, 30.0], 15.0, 0.0, 100.0), [10.0, 50.0, 30.0]);
        assert!(spread_out(&[], 15.0, 0.0, 100.0).is_empty());
    }

    #[test]
    fn labels_together_spread_around_their_mean() {
        assert_eq!(spread_out(&[50.0, 50.0, 50.0], 10.0, 0.0, 100.0), [40.0, 50.0, 60.0]);
        assert_eq!(spread_out(&[99.0, 98.0], 10.0, 0.0, 100.0), [100.0, 90.0]);
        assert_eq!(spread_out(&[1.0, 0.0, 2.0], 10.0, 0.0, 100.0), [10.0, 0.0, 20.0]);
    }

    #[test]
    fn labels_never_overlap() {
        let wanted = [3.0, 80.0, 80.0, 81.0, 79.0, 20.0, 22.0, 100.0, 99.0, 0.0];
        let mut places = spread_out(&wanted, 9.0, 0.0, 100.0);
        places.sort_by(f64::total_cmp);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] > 9.0 - 1e-9), "{places:?}");
        assert!(places[0] >= 0.0 && places[9] <= 100.0, "{places:?}");
    }
}
