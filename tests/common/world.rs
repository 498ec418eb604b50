//! A fleet as the planner and its transcription take it.

use evenkeel::balancer::greedy::{Fleet, GreedySettings, Planner, Stamp, Standing};
use evenkeel::model::{Assignment, HostId, ShardId, SimTime};
use evenkeel::policy::{Move, PassOutcome};

/// A move as (shard, from, to), by index.
pub type Step = (u32, u32, u32);

/// Hosts with their lists, and what is known of the shards.
#[derive(Clone, Debug)]
pub struct World {
    pub standing: Vec<Standing>,
    pub lists: Vec<Vec<u32>>,
    pub loads: Vec<f64>,
    pub stamps: Vec<Stamp>,
    pub now: SimTime,
}

impl World {
    pub fn assignment(&self) -> Assignment {
        let mut assignment = Assignment::empty(self.loads.len(), self.lists.len());
        for (host, list) in self.lists.iter().enumerate() {
            for &shard in list {
                assignment.assign(ShardId(shard), HostId(host as u32));
            }
        }
        assignment
    }

    pub fn fleet<'a>(&'a self, assignment: &'a Assignment) -> Fleet<'a> {
        Fleet {
            standing: &self.standing,
            assignment,
            loads: &self.loads,
            stamps: &self.stamps,
            now: self.now,
        }
    }

    /// One pass of the library's planner.
    pub fn plan(
        &self,
        planner: &mut Planner,
        settings: &GreedySettings,
    ) -> (Vec<Step>, PassOutcome) {
        let assignment = self.assignment();
        let mut moves = Vec::new();
        let outcome = planner.plan(settings, &self.fleet(&assignment), &mut moves);
        (moves.iter().map(step).collect(), outcome)
    }

    /// Applies moves as the reference does, and stamps what moved.
    pub fn apply(&mut self, steps: &[Step]) {
        for &(shard, from, to) in steps {
            let list = &mut self.lists[from as usize];
            let position = list.iter().position(|&other| other == shard).expect("from owns shard");
            list.swap_remove(position);
            self.lists[to as usize].push(shard);
            self.stamps[shard as usize] = Stamp::at(self.now);
        }
    }

    /// Loads of the hosts, with never-measured shards as zero.
    pub fn host_loads(&self) -> Vec<f64> {
        let load = |&shard: &u32| Some(self.loads[shard as usize]).filter(|load| !load.is_nan());
        self.lists.iter().map(|list| list.iter().filter_map(load).sum()).collect()
    }
}

pub fn step(planned: &Move) -> Step {
    let from = planned.from.expect("a pass moves owned shards only");
    (planned.shard.0, from.0, planned.to.0)
}
