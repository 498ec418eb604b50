//! Snapshots from which shards move, and what must hold of the answers.

use evenkeel::model::HostId;
use evenkeel::optimum::{Budget, Problem, Rebalance, Status, TOLERANCE};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// An assignment, by what it comes to.
pub struct Placed {
    pub hottest: f64,
    pub square_ratio: f64,
    pub moves: u64,
    pub moved_load: f64,
}

impl Placed {
    pub fn is_within(&self, budget: Budget) -> bool {
        match budget {
            Budget::Moves(most) => self.moves <= most,
            Budget::Load(most) => self.moved_load <= most * (1.0 + TOLERANCE),
        }
    }
}

/// A snapshot in which shards may be pinned or unplaced, and hosts closed or
/// gone.
pub struct Tiny {
    pub loads: Vec<f64>,
    pub capacities: Vec<f64>,
    pub pinned: Vec<Option<HostId>>,
    pub closed: Vec<bool>,
    pub start: Vec<Option<HostId>>,
}

impl Tiny {
    pub fn random(seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let hosts = random.random_range(1..=4usize);
        let shards = random.random_range(0..=if hosts == 4 { 6 } else { 7 });
        let shape = random.random_range(0..6);
        let loads: Vec<f64> = (0..shards)
            .map(|_| match shape {
                0 => random.random::<f64>(),
                1 => f64::from(random.random_range(0..20u32)),
                2 => libm::pow(f64::from(random.random_range(1..50u32)), -0.7),
                3 => libm::pow(10.0, 12.0 * random.random::<f64>()),
                4 => f64::from(random.random_range(1..4u32)),
                _ => 5.0,
            })
            .collect();
        let unequal = random.random_range(0..2) == 1;
        let capacities = (0..hosts)
            .map(|_| if unequal { f64::from(random.random_range(1..5u32)) } else { 3.0 })
            .collect();
        let open = random.random_range(0..hosts);
        let closes = random.random_range(0..3) == 0;
        let closed: Vec<bool> = (0..hosts)
            .map(|host| closes && host != open && random.random_range(0..3) == 0)
            .collect();
        let unplaced = random.random_range(0..4) == 0;
        let goes = random.random_range(0..6) == 0;
        // Most shards on few hosts, so that there is something to do.
        let crowd = random.random_range(1..=hosts);
        let start: Vec<Option<HostId>> = (0..shards)
            .map(|_| {
                if unplaced && random.random_range(0..3) == 0 {
                    None
                } else if goes && random.random_range(0..4) == 0 {
                    Some(HostId(hosts as u32 + 2))
                } else {
                    Some(HostId(random.random_range(0..crowd) as u32))
                }
            })
            .collect();
        let pins = random.random_range(0..3) == 0;
        let pinned = start
            .iter()
            .map(|owner| {
                let pin = pins && random.random_range(0..4) == 0;
                owner.filter(|host| pin && host.index() < hosts)
            })
            .collect();
        Self { loads, capacities, pinned, closed, start }
    }

    pub fn problem(&self) -> Problem<'_> {
        Problem {
            pinned: Some(&self.pinned),
            closed: Some(&self.closed),
            start: Some(&self.start),
            ..Problem::new(&self.loads, &self.capacities)
        }
    }

    /// Every assignment.
    pub fn enumerate(&self) -> Vec<Placed> {
        let hosts = self.capacities.len();
        let choices: Vec<Vec<HostId>> = self
            .pinned
            .iter()
            .map(|pinned| match pinned {
                Some(pin) => vec![*pin],
                None => (0..hosts).filter(|&h| !self.closed[h]).map(|h| HostId(h as u32)).collect(),
            })
            .collect();
        let mut digits = vec![0; choices.len()];
        let mut all = Vec::new();
        loop {
            let mut loads = vec![0.0; hosts];
            let (mut moves, mut moved_load) = (0, 0.0);
            for (shard, &digit) in digits.iter().enumerate() {
                let host = choices[shard][digit];
                loads[host.index()] += self.loads[shard];
                if self.start[shard].is_some_and(|owner| owner != host) {
                    moves += 1;
                    moved_load += self.loads[shard];
                }
            }
            let utilisations = || loads.iter().zip(&self.capacities).map(|(l, c)| l / c);
            let hottest = utilisations().fold(0.0, f64::max);
            let fleet = self.fleet();
            let squares = match fleet > 0.0 {
                true => utilisations().map(|u| (u / fleet - 1.0) * (u / fleet - 1.0)).sum(),
                false => 0.0,
            };
            let square_ratio = 1.0 + squares / hosts as f64;
            all.push(Placed { hottest, square_ratio, moves, moved_load });
            let Some(next) = (0..digits.len()).find(|&at| digits[at] + 1 < choices[at].len())
            else {
                return all;
            };
            digits[..next].fill(0);
            digits[next] += 1;
        }
    }

    pub fn fleet(&self) -> f64 {
        self.loads.iter().sum::<f64>() / self.capacities.iter().sum::<f64>()
    }

    /// What must hold of any answer, recomputed from its assignment.
    pub fn assert_sound(&self, answer: &Rebalance) {
        let mut loads = vec![0.0; self.capacities.len()];
        let (mut count, mut moved) = (0, 0.0);
        for (shard, &host) in answer.optimum.assignment.iter().enumerate() {
            match self.pinned[shard] {
                Some(pin) => assert_eq!(host, pin),
                None => assert!(!self.closed[host.index()]),
            }
            loads[host.index()] += self.loads[shard];
            if self.start[shard].is_some_and(|owner| owner != host) {
                count += 1;
                moved += self.loads[shard];
            }
        }
        let utilisations = loads.iter().zip(&self.capacities).map(|(l, c)| l / c);
        assert_eq!(answer.optimum.max_utilisation, utilisations.fold(0.0, f64::max));
        assert_eq!(answer.moves.len(), count);
        assert_eq!(answer.moved_load, moved);
        assert!(answer.optimum.bound <= answer.optimum.value);
        assert_eq!(answer.optimum.status == Status::Optimal, answer.optimum.gap <= TOLERANCE);
    }
}

/// Zipf loads with some jitter, shards dealt at random.
pub fn zipf(
    shards: usize,
    hosts: usize,
    exponent: f64,
    seed: u64,
) -> (Vec<f64>, Vec<Option<HostId>>) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let load = |rank: usize, jitter: f64| {
        libm::pow(rank as f64 + 1.0, -exponent) * (0.9 + 0.2 * jitter) * 1000.0
    };
    let loads = (0..shards).map(|rank| load(rank, random.random())).collect();
    let mut random = ChaCha8Rng::seed_from_u64(seed + 1000);
    let start = (0..shards).map(|_| Some(HostId(random.random_range(0..hosts as u32)))).collect();
    (loads, start)
}
