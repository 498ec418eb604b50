//! Units of a sweep a second: how they scale from one thread to two, and where
//! their time goes. A unit is one policy on 10 hosts with 200 shards for ten
//! minutes, under one seed. Run with `cargo bench --bench sweep`.

use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use evenkeel::experiment::sweep::{Partition, Work};
use evenkeel::scenario::Sweep;
use rayon::{ThreadPool, ThreadPoolBuilder};

const UNITS: u64 = 120;

/// 30 values of a threshold under 4 seeds.
fn sweep(set: &str) -> Sweep {
    let text = format!(
        r#"
        schema = 1
        name = "bench"
        scenario = "../scenarios/quickstart.toml"
        replications = 4
        set = [
            "workload.shards=200", "workload.exponent=0.6", "policy=[{{ kind = 'greedy' }}]", {set}
        ]
        [[axis]]
        path = "policy.greedy.upper_band"
        from = 1.01
        to = 1.3
        steps = 30
        "#
    );
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches");
    // The text above is a sweep.
    Sweep::parse(&text, "bench", &directory).expect("a sweep")
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

fn units(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sweep units");
    group.throughput(Throughput::Elements(UNITS));
    group.sample_size(10);
    let cases = [
        ("1 thread", 1, ""),
        ("2 threads", 2, ""),
        ("1 thread, without optimum", 1, "'optimum.enabled=false'"),
        (
            "1 thread, without optimum and noise",
            1,
            r#"'optimum.enabled=false', "workload.noise={ kind = 'none' }""#,
        ),
    ];
    for (name, threads, set) in cases {
        let (sweep, pool) = (sweep(set), pool(threads));
        group.bench_function(name, |bench| {
            bench.iter(|| {
                // Laid out anew each time, so that no optimum is known before.
                let work = Work::of(&sweep, &pool).expect("points that are right");
                let units = work.units(Partition::WHOLE).collect();
                work.run(units, &pool, &|_| Ok(())).expect("units that end");
            });
        });
    }
    group.bench_function("1 thread, reading the points alone", |bench| {
        let (sweep, pool) = (sweep(""), pool(1));
        bench.iter(|| Work::of(&sweep, &pool).expect("points that are right"));
    });
    group.finish();
}

criterion_group!(benches, units);
criterion_main!(benches);
