//! The engine: takes events in order and carries them out.

use super::measure::Meter;
use super::{
    Action, Cluster, ClusterEvent, Config, Digest, EventClass, EventQueue, EventRecord, Observer,
    ScheduleError, Scheduled,
};
use crate::model::{Assignment, ShardId, SimDuration, SimTime};
use crate::policy::{Move, PassOutcome, Policy, Reports};
use crate::workload::{LoadCursor, Noise};

/// Why a run cannot begin or go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimError {
    /// A period is zero: the run would never leave its first instant.
    #[error("`{0}` must be above 0s")]
    ZeroPeriod(&'static str),
    /// What is given for each shard is not of one length.
    #[error("there are {shards} names, {loads} loads and {owners} owners of shards")]
    Shards {
        /// How many names.
        shards: usize,
        /// How many loads.
        loads: usize,
        /// How many owners at the start.
        owners: usize,
    },
    /// The start placement is made for another number of hosts.
    #[error("the start placement has {start} hosts, the run {hosts}")]
    Hosts {
        /// How many hosts the start placement has.
        start: usize,
        /// How many hosts there are.
        hosts: usize,
    },
    /// A host is added that is there already.
    #[error("host `{0}` is added, but it is there already")]
    HostIsThere(String),
    /// A host is removed that is not there.
    #[error("host `{0}` is removed, but it is not there")]
    NoSuchHost(String),
    /// The policy moved a shard to a host that may not receive.
    #[error("the policy moved shard `{shard}` to host `{host}`, which may not receive shards")]
    BadMove {
        /// The shard.
        shard: String,
        /// The host.
        host: String,
    },
    /// The policy left a shard without a live owner.
    #[error("the policy left shard `{0}` without an owner")]
    Orphan(String),
    /// The loads change at an instant that is past.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
}

/// What waits in the queue.
#[derive(Clone, Copy, Debug)]
enum Event {
    LoadChange,
    Cluster { index: u32 },
    Report,
    Pass,
    HandoverDone { shard: ShardId, handover: u32 },
    Sample,
    Probe,
}

/// One run of one policy. It is driven by [`Simulation::run`], or event by
/// event by [`Simulation::step`].
///
/// ```
/// use evenkeel::model::{Host, SimDuration};
/// use evenkeel::placement::{HashPolicy, Ring, RingSettings};
/// use evenkeel::sim::{Config, NoObserver, Simulation};
/// use evenkeel::workload::{Noise, NoiseModel, Uniform, UniformSettings, Workload};
///
/// let workload = Uniform::new(UniformSettings { shards: 100, total_load: 100.0, spread: 0.0 });
/// let config = Config {
///     shards: workload.shards(),
///     hosts: vec![Host::new("a", 50.0), Host::new("b", 50.0)],
///     heartbeat: SimDuration::from_secs(1),
///     handover: SimDuration::ZERO,
///     duration: SimDuration::from_secs(60),
///     sample_every: SimDuration::from_secs(10),
///     probe_every: None,
///     events: Vec::new(),
/// };
/// let noise = Noise::new(NoiseModel::None, 1, config.heartbeat);
/// let policy = HashPolicy::new(Ring::new(&RingSettings::default(), 0), 0);
/// let mut run = Simulation::new(config, workload.start(1), noise, Box::new(policy), None)?;
/// run.run(&mut NoObserver)?;
/// assert!(run.cluster().balance().hot_ratio >= 1.0);
/// # Ok::<(), evenkeel::sim::SimError>(())
/// ```
pub struct Simulation<'w> {
    config: Config,
    now: SimTime,
    queue: EventQueue<Event>,
    cluster: Cluster,
    loads: Box<dyn LoadCursor + 'w>,
    meter: Meter,
    policy: Box<dyn Policy>,
    digest: Digest,
    moves: Vec<Move>,
    changes: Vec<(ShardId, f64)>,
    started: bool,
    reports: u64,
}

impl<'w> Simulation<'w> {
    /// Sets a run up at time 0. Without a `start`, or for the shards that it
    /// leaves without an owner, the policy places the shards itself.
    ///
    /// # Errors
    ///
    /// When a period is zero, shards and hosts do not fit each other, or the
    /// policy does not place every shard.
    pub fn new(
        config: Config,
        mut loads: Box<dyn LoadCursor + 'w>,
        noise: Noise,
        mut policy: Box<dyn Policy>,
        start: Option<Assignment>,
    ) -> Result<Self, SimError> {
        let initial = loads.initial();
        let assignment =
            start.unwrap_or_else(|| Assignment::empty(initial.len(), config.hosts.len()));
        config.check(initial.len(), &assignment, policy.pass_every())?;
        let meter = Meter::new(noise, config.heartbeat, initial.len());
        let mut cluster =
            Cluster::new(config.shards.clone(), config.hosts.clone(), initial, assignment);

        let mut moves = Vec::new();
        policy.membership(&cluster.view(SimTime::ZERO), &mut moves);
        for planned in moves.drain(..) {
            check_destination(&cluster, &planned)?;
            cluster.place(planned.shard, planned.to);
        }
        check_orphans(&cluster)?;
        let mut digest = Digest::default();
        digest.start(cluster.loads(), cluster.assignment());

        let mut queue = EventQueue::new();
        let mut schedule = |at, class, event| queue.schedule(at, class as u8, event);
        for (index, event) in config.events.iter().enumerate() {
            schedule(event.at, EventClass::Cluster, Event::Cluster { index: index as u32 })?;
        }
        if let Some(at) = loads.next_change() {
            schedule(at, EventClass::LoadChange, Event::LoadChange)?;
        }
        if policy.wants_reports() {
            schedule(SimTime::ZERO + config.heartbeat, EventClass::Report, Event::Report)?;
        }
        if let Some(every) = policy.pass_every() {
            schedule(SimTime::ZERO + every, EventClass::Pass, Event::Pass)?;
        }
        schedule(SimTime::ZERO, EventClass::Sample, Event::Sample)?;
        if config.probe_every.is_some() {
            schedule(SimTime::ZERO, EventClass::Sample, Event::Probe)?;
        }

        Ok(Self {
            config,
            now: SimTime::ZERO,
            queue,
            cluster,
            loads,
            meter,
            policy,
            digest,
            moves,
            changes: Vec::new(),
            started: false,
            reports: 0,
        })
    }

    /// The instant of the last event.
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// The state of the cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The policy.
    pub fn policy(&self) -> &dyn Policy {
        &*self.policy
    }

    /// The digest of all changes of state so far.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Loads of single shards reported to the policy so far.
    pub fn reports(&self) -> u64 {
        self.reports
    }

    /// Carries out all events up to the end.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<(), SimError> {
        while self.step(observer)? {}
        Ok(())
    }

    /// Carries out the next event; false if the run is at its end.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<bool, SimError> {
        let end = SimTime::ZERO + self.config.duration;
        let next = self.queue.pop().filter(|event| event.time <= end);
        let leaves_instant = next.is_none_or(|event| event.time > self.now);
        let samples = next.is_some_and(|event| event.class == EventClass::Sample as u8);
        if leaves_instant || samples {
            self.settle(observer);
        }
        let Some(Scheduled { time, payload, .. }) = next else {
            self.now = end;
            return Ok(false);
        };
        self.now = time;
        match payload {
            Event::LoadChange => self.change_loads(observer)?,
            Event::Cluster { index } => self.change_membership(index as usize, observer)?,
            Event::Report => self.report(observer)?,
            Event::Pass => self.pass(observer)?,
            Event::HandoverDone { shard, handover } => self.end_handover(shard, handover, observer),
            Event::Sample => self.sample(observer)?,
            Event::Probe => self.probe(observer)?,
        }
        Ok(true)
    }

    /// Shows the state to the observer if this instant has changed it.
    fn settle(&mut self, observer: &mut dyn Observer) {
        let first = !std::mem::replace(&mut self.started, true);
        if self.cluster.settle() || first {
            observer.on_settled(self.now, &self.cluster);
        }
    }

    fn schedule(
        &mut self,
        after: SimDuration,
        class: EventClass,
        event: Event,
    ) -> Result<(), SimError> {
        Ok(self.queue.schedule(self.now + after, class as u8, event)?)
    }

    fn record(&mut self, class: EventClass, action: Action, observer: &mut dyn Observer) {
        self.digest.action(self.now, class, action);
        self.tell(class, action, observer);
    }

    fn tell(&self, class: EventClass, action: Action, observer: &mut dyn Observer) {
        if observer.wants_events() {
            let digest = self.digest.value();
            observer.on_event(&EventRecord { time: self.now, class, action, digest });
        }
    }

    fn change_loads(&mut self, observer: &mut dyn Observer) -> Result<(), SimError> {
        let mut changes = std::mem::take(&mut self.changes);
        changes.clear();
        self.loads.read_change(&mut changes);
        for &(shard, load) in &changes {
            self.meter.load_changes(self.now, shard, self.cluster.loads()[shard.index()]);
            self.cluster.set_load(shard, load);
            self.record(EventClass::LoadChange, Action::Load { shard, load }, observer);
        }
        self.changes = changes;
        if let Some(at) = self.loads.next_change() {
            self.queue.schedule(at, EventClass::LoadChange as u8, Event::LoadChange)?;
        }
        Ok(())
    }

    fn change_membership(
        &mut self,
        index: usize,
        observer: &mut dyn Observer,
    ) -> Result<(), SimError> {
        let ClusterEvent { change, .. } = &self.config.events[index];
        for action in self.cluster.change_membership(change)? {
            self.record(EventClass::Cluster, action, observer);
        }
        let mut moves = std::mem::take(&mut self.moves);
        self.policy.membership(&self.cluster.view(self.now), &mut moves);
        self.carry_out(EventClass::Cluster, moves, observer)?;
        check_orphans(&self.cluster)
    }

    fn report(&mut self, observer: &mut dyn Observer) -> Result<(), SimError> {
        let (shards, loads) = self.meter.measure(self.now, &self.cluster);
        let action = Action::Report { shards: shards.len() };
        self.reports += shards.len() as u64;
        self.digest.action(self.now, EventClass::Report, action);
        self.digest.report(shards, loads);
        self.policy.report(&self.cluster.view(self.now), &Reports { shards, loads });
        self.tell(EventClass::Report, action, observer);
        self.schedule(self.config.heartbeat, EventClass::Report, Event::Report)
    }

    fn pass(&mut self, observer: &mut dyn Observer) -> Result<(), SimError> {
        let mut moves = std::mem::take(&mut self.moves);
        let outcome = self.policy.pass(&self.cluster.view(self.now), &mut moves);
        debug_assert_eq!(outcome == PassOutcome::Moved, !moves.is_empty());
        observer.on_pass(outcome);
        self.carry_out(EventClass::Pass, moves, observer)?;
        if let Some(every) = self.policy.pass_every() {
            self.schedule(every, EventClass::Pass, Event::Pass)?;
        }
        Ok(())
    }

    /// Applies moves in order; each shard is then not served for a handover.
    fn carry_out(
        &mut self,
        class: EventClass,
        mut moves: Vec<Move>,
        observer: &mut dyn Observer,
    ) -> Result<(), SimError> {
        for planned in moves.drain(..) {
            check_destination(&self.cluster, &planned)?;
            observer.on_move(self.now, &self.cluster, &planned);
            let handover = self.cluster.begin_handover(self.now, planned.shard, planned.to);
            self.record(class, Action::Move(planned), observer);
            let done = Event::HandoverDone { shard: planned.shard, handover };
            self.schedule(self.config.handover, EventClass::Handover, done)?;
        }
        self.moves = moves;
        Ok(())
    }

    fn end_handover(&mut self, shard: ShardId, handover: u32, observer: &mut dyn Observer) {
        if self.cluster.end_handover(self.now, shard, handover) {
            self.record(EventClass::Handover, Action::Served(shard), observer);
        }
    }

    fn sample(&mut self, observer: &mut dyn Observer) -> Result<(), SimError> {
        observer.on_sample(self.now, &self.cluster, self.policy.believed_loads());
        self.schedule(self.config.sample_every, EventClass::Sample, Event::Sample)
    }

    fn probe(&mut self, observer: &mut dyn Observer) -> Result<(), SimError> {
        observer.on_probe(self.now, &self.cluster);
        match self.config.probe_every {
            Some(every) => self.schedule(every, EventClass::Sample, Event::Probe),
            None => Ok(()),
        }
    }
}

fn check_destination(cluster: &Cluster, planned: &Move) -> Result<(), SimError> {
    let host = cluster.hosts().get(planned.to.index());
    if host.is_some_and(|host| host.status.may_receive()) {
        return Ok(());
    }
    Err(SimError::BadMove {
        shard: cluster.shards()[planned.shard.index()].clone(),
        host: host.map_or_else(|| format!("#{}", planned.to.0), |host| host.name.clone()),
    })
}

fn check_orphans(cluster: &Cluster) -> Result<(), SimError> {
    match cluster.view(SimTime::ZERO).orphans().first() {
        Some(shard) => Err(SimError::Orphan(cluster.shards()[shard.index()].clone())),
        None => Ok(()),
    }
}
