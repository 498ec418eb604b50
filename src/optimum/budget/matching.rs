//! Who takes what at least cost: the assignment problem.

/// The least sum of costs when every row takes a column of its own (Kuhn 1955,
/// by shortest augmenting paths with potentials, as in Jonker and Volgenant
/// 1987). `costs` is by rows, all finite; there must be at least as many columns
/// as rows. O(rows^2 columns).
pub(super) fn least_cost(costs: &[f64], columns: usize) -> f64 {
    let rows = costs.len().checked_div(columns).unwrap_or(0);
    let cost = |row: usize, column: usize| costs[row * columns + column];
    // Columns and their owners have one entry more: the root of each search.
    let root = columns;
    let mut owner: Vec<Option<usize>> = vec![None; columns + 1];
    let mut row_potential = vec![0.0; rows];
    let mut column_potential = vec![0.0; columns + 1];
    for row in 0..rows {
        owner[root] = Some(row);
        let mut least = vec![f64::INFINITY; columns];
        let mut before = vec![root; columns];
        let mut visited = vec![false; columns + 1];
        let mut at = root;
        while let Some(from) = owner[at] {
            visited[at] = true;
            let mut nearest = (f64::INFINITY, root);
            for column in 0..columns {
                if visited[column] {
                    continue;
                }
                let reduced = cost(from, column) - row_potential[from] - column_potential[column];
                if reduced < least[column] {
                    least[column] = reduced;
                    before[column] = at;
                }
                if least[column] < nearest.0 {
                    nearest = (least[column], column);
                }
            }
            let (distance, next) = nearest;
            for column in 0..=columns {
                match owner[column] {
                    Some(row) if visited[column] => {
                        row_potential[row] += distance;
                        column_potential[column] -= distance;
                    }
                    _ if column < columns => least[column] -= distance,
                    _ => {}
                }
            }
            at = next;
        }
        while at != root {
            let previous = before[at];
            owner[at] = owner[previous];
            at = previous;
        }
    }
    (0..columns).filter_map(|column| owner[column].map(|row| cost(row, column))).sum()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::least_cost;

    fn by_trial(costs: &[f64], columns: usize, row: usize, taken: u32) -> f64 {
        if row * columns == costs.len() {
            return 0.0;
        }
        (0..columns)
            .filter(|column| taken >> column & 1 == 0)
            .map(|column| {
                costs[row * columns + column]
                    + by_trial(costs, columns, row + 1, taken | 1 << column)
            })
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn agrees_with_trying_all() {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        for _ in 0..500 {
            let columns = random.random_range(1..=6usize);
            let rows = random.random_range(0..=columns);
            let costs: Vec<f64> =
                (0..rows * columns).map(|_| f64::from(random.random_range(-4..9i32))).collect();
            assert_eq!(least_cost(&costs, columns), by_trial(&costs, columns, 0, 0));
        }
    }
}
