//! Reads the reference's test vectors; the README beside them says what each
//! field means.

use std::collections::HashMap;
use std::path::PathBuf;

use evenkeel::balancer::greedy::{GreedySettings, Revision, Stamp, Standing};
use evenkeel::model::{Assignment, Host, HostId, HostStatus, ShardId, SimDuration, SimTime};
use serde_json::Value;

use super::world::{Step, World};

/// The instant of a vector's pass: late enough for any time since a move.
const NOW: SimTime = SimTime(1 << 60);

/// The folder that holds the vectors.
pub fn folder() -> PathBuf {
    let named = std::env::var_os("EVENKEEL_VECTORS").map(PathBuf::from);
    named.unwrap_or_else(|| {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join("shared").join("vectors")
    })
}

/// The cases of a file, or why there are none.
pub fn read(file: &str) -> Result<Vec<Case>, String> {
    let path = folder().join(file);
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            serde_json::from_str(line).map(Case).map_err(|error| format!("{file}: {error}"))
        })
        .collect()
}

/// One line of a file. Malformed cases panic: they are test data.
#[derive(Clone, Debug)]
pub struct Case(pub Value);

/// A case's fleet with the names that its answers use.
#[derive(Clone, Debug)]
pub struct Named {
    pub hosts: Vec<Host>,
    pub shards: Vec<String>,
    pub world: World,
}

impl Case {
    pub fn id(&self) -> &str {
        self.0["id"].as_str().expect("id")
    }

    pub fn op(&self) -> &str {
        self.0["op"].as_str().expect("op")
    }

    pub fn texts(&self, key: &str) -> Vec<&str> {
        let list = self.0[key].as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().map(|text| text.as_str().expect("a text")).collect()
    }

    pub fn settings(&self, revision: Revision) -> GreedySettings {
        let config = &self.0["config"];
        let number = |key: &str| config[key].as_f64().expect("a setting");
        GreedySettings {
            revision,
            move_budget: number("move_budget_proportion"),
            upper_band: number("upper_band"),
            lower_band: number("lower_band"),
            severe_ratio: number("severe_ratio"),
            cooldown: SimDuration::from_secs_f64(number("cooldown_s").max(0.0)).expect("seconds"),
            ..GreedySettings::default()
        }
    }

    /// The fleet, with the shards of `place` declared after those that somebody
    /// owns.
    pub fn fleet(&self) -> Named {
        let executors = self.0["executors"].as_array().expect("executors");
        let mut named = Named {
            hosts: Vec::new(),
            shards: Vec::new(),
            world: World {
                standing: Vec::new(),
                lists: Vec::new(),
                loads: Vec::new(),
                stamps: Vec::new(),
                now: NOW,
            },
        };
        for executor in executors {
            let mut host = Host::new(executor["id"].as_str().expect("id"), 1.0);
            host.status = match executor["status"].as_str().expect("status") {
                "ACTIVE" => HostStatus::Active,
                "DRAINING" => HostStatus::Draining,
                "DRAINED" => HostStatus::Drained,
                "MISSING" => HostStatus::Missing,
                other => panic!("unknown status {other}"),
            };
            let receives = host.status.may_receive();
            named.hosts.push(host);
            let world = &mut named.world;
            world.standing.push(if receives { Standing::Receives } else { Standing::Gives });
            let mut list = Vec::new();
            // An executor without shards may have `null` for its list.
            let shards = executor["shards"].as_array().map(Vec::as_slice).unwrap_or_default();
            for (position, shard) in shards.iter().enumerate() {
                list.push(named.shards.len() as u32);
                named.shards.push(shard.as_str().expect("a shard").to_owned());
                world.loads.push(executor["loads"][position].as_f64().unwrap_or(f64::NAN));
                world.stamps.push(Stamp::NEVER);
            }
            world.lists.push(list);
        }
        for shard in self.texts("place") {
            named.shards.push(shard.to_owned());
            named.world.loads.push(f64::NAN);
            named.world.stamps.push(Stamp::NEVER);
        }
        let index = index(&named.shards);
        for shard in self.texts("no_record") {
            named.world.stamps[index[shard]] = Stamp::NO_RECORD;
        }
        if let Some(moved) = self.0["since_move_s"].as_object() {
            for (shard, since) in moved {
                let since = (since.as_f64().expect("seconds") * 1e9).round() as i64;
                let time = SimTime(NOW.0.saturating_add_signed(-since));
                named.world.stamps[index[shard.as_str()]] = Stamp::at(time);
            }
        }
        named
    }

    /// The last report of each shard, for the naive rule; an empty one says
    /// nothing.
    pub fn reports(&self, fleet: &Named) -> Vec<f64> {
        let index = index(&fleet.shards);
        let mut reports = vec![f64::NAN; fleet.shards.len()];
        for executor in self.0["executors"].as_array().expect("executors") {
            for (shard, load) in executor["reports"].as_object().into_iter().flatten() {
                if let (Some(load), Some(&shard)) = (load.as_f64(), index.get(shard.as_str())) {
                    reports[shard] = load;
                }
            }
        }
        reports
    }
}

impl Named {
    pub fn assignment(&self) -> Assignment {
        self.world.assignment()
    }

    /// Moves as the vectors write them.
    pub fn words(&self, steps: &[Step]) -> Value {
        let host = |index: u32| self.hosts[index as usize].name.as_str();
        steps
            .iter()
            .map(|&(shard, from, to)| {
                Value::from(vec![self.shards[shard as usize].as_str(), host(from), host(to)])
            })
            .collect()
    }

    /// Placements as the vectors write them.
    pub fn placements(&self, placed: &[(ShardId, HostId)]) -> Value {
        placed
            .iter()
            .map(|(shard, host)| {
                let shard = self.shards[shard.index()].as_str();
                Value::from(vec![shard, self.hosts[host.index()].name.as_str()])
            })
            .collect()
    }
}

fn index(names: &[String]) -> HashMap<&str, usize> {
    names.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect()
}
