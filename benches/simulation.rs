//! Shard reports a second of one lane on one core: measuring with noise,
//! smoothing, passes and the digest together. Run with
//! `cargo bench --bench simulation`.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use evenkeel::balancer::greedy::GreedySettings;
use evenkeel::model::{Assignment, Host, HostId, SimDuration};
use evenkeel::sim::{Config, NoObserver, Simulation};
use evenkeel::workload::{
    Draw, LognormalNoise, Noise, NoiseModel, PoissonNoise, Ranks, Workload, Zipf, ZipfSettings,
};

const SHARDS: u32 = 10_000;
const HOSTS: u32 = 100;
const HEARTBEATS: u64 = 60;

fn workload(total_load: f64) -> Zipf {
    let exponent = Draw::Fixed(0.8);
    Zipf::new(ZipfSettings { shards: SHARDS, exponent, total_load, ranks: Ranks::Shuffled })
}

fn lane(workload: &Zipf, noise: NoiseModel) -> Simulation<'_> {
    let config = Config {
        shards: workload.shards(),
        hosts: (0..HOSTS).map(|host| Host::new(format!("host-{host}"), 1.0)).collect(),
        heartbeat: SimDuration::from_secs(1),
        handover: SimDuration::from_secs(1),
        duration: SimDuration::from_secs(HEARTBEATS),
        sample_every: SimDuration::from_secs(HEARTBEATS),
        probe_every: None,
        events: Vec::new(),
    };
    let noise = Noise::new(noise, 1, config.heartbeat);
    let owners: Vec<Option<HostId>> =
        (0..SHARDS).map(|shard| Some(HostId(shard % HOSTS))).collect();
    let start = Assignment::from_owners(&owners, HOSTS as usize);
    let policy = Box::new(GreedySettings::default().build(SHARDS as usize));
    // The shape is right by construction.
    Simulation::new(config, workload.start(1), noise, policy, Some(start)).expect("a valid lane")
}

fn reports(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("shard reports");
    group.throughput(Throughput::Elements(u64::from(SHARDS) * HEARTBEATS));
    group.sample_size(20);
    // Means of about 20 events a report, and of about 2.
    let (many, few) = (workload(200_000.0), workload(20_000.0));
    let poisson = || NoiseModel::Poisson(PoissonNoise { unit: 1.0 });
    let cases = [
        ("without noise", &many, NoiseModel::None),
        ("poisson, mean 20", &many, poisson()),
        ("poisson, mean 2", &few, poisson()),
        ("lognormal", &many, NoiseModel::Lognormal(LognormalNoise { sigma: 0.3 })),
    ];
    for (name, workload, noise) in cases {
        group.bench_function(name, |bench| {
            bench.iter_batched(
                || lane(workload, noise.clone()),
                |mut lane| {
                    lane.run(&mut NoObserver).expect("a lane that ends");
                    lane.reports()
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, reports);
criterion_main!(benches);
