//! The engine as a library.

use evenkeel::model::{Assignment, Host, SimDuration};
use evenkeel::placement::{HashPolicy, ModN};
use evenkeel::sim::{Config, NoObserver, SimError, Simulation};
use evenkeel::workload::{Noise, NoiseModel, Uniform, UniformSettings, Workload};

/// Runs three shards on two hosts for a second.
fn run(change: impl FnOnce(&mut Config), start: Option<Assignment>) -> Result<(), SimError> {
    let workload = Uniform::new(UniformSettings { shards: 3, total_load: 3.0, spread: 0.0 });
    let second = SimDuration::from_secs(1);
    let mut config = Config {
        shards: workload.shards(),
        hosts: vec![Host::new("a", 1.0), Host::new("b", 1.0)],
        heartbeat: second,
        handover: SimDuration::ZERO,
        duration: second,
        sample_every: second,
        probe_every: None,
        events: Vec::new(),
    };
    change(&mut config);
    let noise = Noise::new(NoiseModel::None, 1, second);
    let policy = Box::new(HashPolicy::new(ModN::default(), 0));
    Simulation::new(config, workload.start(1), noise, policy, start)?.run(&mut NoObserver)
}

#[test]
fn a_run_that_could_not_end_or_does_not_fit_is_refused() {
    assert_eq!(run(|_| (), None), Ok(()));
    let zero = SimDuration::ZERO;
    assert_eq!(run(|c| c.heartbeat = zero, None), Err(SimError::ZeroPeriod("heartbeat")));
    assert_eq!(run(|c| c.sample_every = zero, None), Err(SimError::ZeroPeriod("sample_every")));
    assert_eq!(run(|c| c.probe_every = Some(zero), None), Err(SimError::ZeroPeriod("probe_every")));
    let fault = SimError::Shards { shards: 3, loads: 3, owners: 4 };
    assert_eq!(run(|_| (), Some(Assignment::empty(4, 2))), Err(fault));
    let fault = SimError::Hosts { start: 1, hosts: 2 };
    assert_eq!(run(|_| (), Some(Assignment::empty(3, 1))), Err(fault));
}
