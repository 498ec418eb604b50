//! Loads of shards as the sums of the loads of their keys.

mod salt;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::zipf::{by_rank, check_shards, default_total_load, zipf_weights};
use super::{Constant, Draw, LoadCursor, Ranks, Workload, numbered_shards};
use crate::hash::{HashFunction, hash_tag};
use crate::model::{CsvFile, InputError, SettingError, check_name};

pub use salt::{Salt, SaltPlace, Salts};

/// What happens to the text of a key before it is hashed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalise {
    /// Nothing.
    #[default]
    None,
    /// White space around it is dropped, and capitals become small letters.
    Lowercase,
}

/// Settings of the `keys` workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeysSettings {
    /// Number of keys `key-0`, `key-1`, ..., from 1 to 10 million.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<u32>,
    /// A file of keys and their loads, in place of `keys`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Number of shards that keys are hashed to, from 1 to 10 million.
    pub shards: u32,
    /// The exponent of Zipf's law for numbered keys.
    #[serde(default = "one")]
    pub exponent: Draw,
    /// Sum of the loads of all keys, in units a second; of a file, the sum of
    /// its loads if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_load: Option<f64>,
    /// How ranks of popularity are given to numbered keys.
    #[serde(default)]
    pub ranks: Ranks,
    /// The hash function of keys.
    #[serde(default)]
    pub hash: HashFunction,
    /// Whether the part of a key between braces alone is hashed.
    #[serde(default)]
    pub hash_tags: bool,
    /// What happens to the text of a key before it is hashed.
    #[serde(default)]
    pub normalise: Normalise,
    /// From 0 to 1: the share of the load that is reads.
    #[serde(default)]
    pub reads: f64,
    /// How hot keys are spread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salt: Option<Salt>,
    /// Keys that have a shard of their own, `key:NAME`.
    #[serde(default)]
    pub dedicated: Vec<String>,
}

fn one() -> Draw {
    Draw::Fixed(1.0)
}

impl KeysSettings {
    /// Whether the settings are usable.
    pub fn check(&self) -> Result<(), SettingError> {
        match (self.keys, &self.path) {
            (None, None) => {
                let message = "is missing: write how many keys there are, or the `path` of a file";
                return Err(SettingError::new("keys", message));
            }
            (Some(_), Some(_)) => {
                return Err(SettingError::new("keys", "has no use beside `path`: remove one"));
            }
            (Some(keys), None) if !(1..=10_000_000).contains(&keys) => {
                let message = format!("must be from 1 to 10000000, not {keys}");
                return Err(SettingError::new("keys", message));
            }
            _ => {}
        }
        check_shards(self.shards)?;
        self.exponent.require_at_least("exponent", 0.0)?;
        if let Some(total) = self.total_load {
            SettingError::require_load("total_load", total)?;
        }
        SettingError::require_at_least("reads", self.reads, 0.0)?;
        SettingError::require_at_most("reads", self.reads, 1.0)?;
        for (index, name) in self.dedicated.iter().enumerate() {
            check_name(name).map_err(|rule| SettingError::item("dedicated", index, rule))?;
            if self.dedicated[..index].contains(name) {
                let message = format!("names `{name}` twice");
                return Err(SettingError::item("dedicated", index, message));
            }
        }
        self.salt.as_ref().map_or(Ok(()), Salt::check)
    }

    /// The shard that a key hashes to: the hash modulo their number.
    pub fn shard_of(&self, key: &str) -> usize {
        let normal = match self.normalise {
            Normalise::None => Cow::Borrowed(key),
            Normalise::Lowercase => Cow::Owned(key.trim().to_lowercase()),
        };
        let part = if self.hash_tags { hash_tag(&normal) } else { &normal };
        // FarmHash's 32 bits are the upper ones.
        let hash = match self.hash {
            HashFunction::Farmhash => self.hash.hash(part, 0) >> 32,
            function => function.hash(part, 0),
        };
        (hash % u64::from(self.shards)) as usize
    }
}

/// Loads of shards that keys fold into by their hashes. The shard of a key
/// never changes, whatever the seed.
#[derive(Clone, Debug)]
pub struct Keys {
    settings: KeysSettings,
    shards: Arc<[String]>,
    /// The names and loads of a file.
    given: Option<Vec<(String, f64)>>,
    /// By key.
    shard_of: Vec<u32>,
}

impl Keys {
    /// Hashes all keys. Paths are relative to `directory`. O(keys).
    ///
    /// # Errors
    ///
    /// When the file of keys cannot be read, or lacks a key that is named.
    pub fn read(settings: KeysSettings, directory: &Path) -> Result<Self, InputError> {
        let given = match &settings.path {
            Some(path) => Some(read_keys(&directory.join(path))?),
            None => None,
        };
        let mut shards = numbered_shards(settings.shards).to_vec();
        shards.extend(settings.dedicated.iter().map(|key| format!("key:{key}")));
        let count = given.as_ref().map_or(settings.keys.unwrap_or(0) as usize, Vec::len);
        let mut keys = Self { settings, shards: shards.into(), given, shard_of: Vec::new() };
        keys.shard_of =
            (0..count).map(|key| keys.settings.shard_of(&keys.name(key)) as u32).collect();
        let of_name: BTreeMap<&str, u32> = keys
            .settings
            .dedicated
            .iter()
            .map(String::as_str)
            .zip(keys.settings.shards..)
            .collect();
        if !of_name.is_empty() {
            let own: Vec<Option<u32>> =
                (0..count).map(|key| of_name.get(&*keys.name(key)).copied()).collect();
            let found = own.iter().flatten().count();
            if found < keys.settings.dedicated.len() {
                let path = keys.settings.path.clone().unwrap_or_default();
                let message = "`dedicated` names a key that the workload does not have";
                return Err(InputError::file(&path, message));
            }
            for (shard, own) in keys.shard_of.iter_mut().zip(own) {
                *shard = own.unwrap_or(*shard);
            }
        }
        Ok(keys)
    }

    fn name(&self, key: usize) -> Cow<'_, str> {
        match &self.given {
            Some(given) => Cow::Borrowed(&given[key].0),
            None => Cow::Owned(format!("key-{key}")),
        }
    }

    /// The load of every key under a seed, in units a second.
    pub fn loads_of_keys(&self, seed: u64) -> Vec<f64> {
        match &self.given {
            Some(given) => {
                let sum: f64 = given.iter().map(|(_, load)| load).sum();
                let scale = match self.settings.total_load {
                    Some(total) if sum > 0.0 => total / sum,
                    _ => 1.0,
                };
                given.iter().map(|(_, load)| load * scale).collect()
            }
            None => {
                let count = self.shard_of.len();
                let total = self.settings.total_load.unwrap_or(default_total_load());
                let exponent = self.settings.exponent.value(seed, 0);
                let mut loads = vec![0.0; count];
                let ranked = by_rank(count, self.settings.ranks, seed);
                for (key, weight) in ranked.into_iter().zip(zipf_weights(count, exponent)) {
                    loads[key] = weight * total;
                }
                loads
            }
        }
    }
}

impl Workload for Keys {
    fn shards(&self) -> Arc<[String]> {
        Arc::clone(&self.shards)
    }

    /// O(keys), but for the order of ranks.
    fn start(&self, seed: u64) -> Box<dyn LoadCursor + '_> {
        let of_keys = self.loads_of_keys(seed);
        let total: f64 = of_keys.iter().sum();
        let hashed = self.settings.shards as usize;
        let mut loads = vec![0.0; self.shards.len()];
        for (key, &load) in of_keys.iter().enumerate() {
            let shard = self.shard_of[key] as usize;
            match &self.settings.salt {
                Some(salt) if salt.is_hot(load, total) && shard < hashed => {
                    let shard_of = |text: &str| self.settings.shard_of(text);
                    let reads = self.settings.reads;
                    for (shard, part) in
                        salt.spread(&self.name(key), shard, hashed, reads, shard_of)
                    {
                        loads[shard] += part * load;
                    }
                }
                _ => loads[shard] += load,
            }
        }
        Box::new(Constant(loads))
    }
}

/// Reads a file of keys: the columns `key` and `load`.
fn read_keys(path: &Path) -> Result<Vec<(String, f64)>, InputError> {
    let file = CsvFile::open(path)?;
    let column =
        |name: &str| file.column(name).ok_or_else(|| InputError::line(path, 1, file.lacks(name)));
    let (key, load) = (column("key")?, column("load")?);
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    let mut keys = Vec::new();
    for row in file.rows(false) {
        let row = row?;
        let name = row.name(path, key, "key")?;
        if let Some(earlier) = lines.insert(name.to_owned(), row.line) {
            let message = format!("key `{name}` was given on line {earlier} already");
            return Err(InputError::cell(path, row.line, "key", message));
        }
        keys.push((name.to_owned(), row.load(path, load, "load")?));
    }
    if keys.is_empty() {
        return Err(InputError::file(path, "has no keys"));
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(toml: &str) -> KeysSettings {
        toml::from_str(toml).unwrap()
    }

    fn loads(toml: &str, seed: u64) -> Vec<f64> {
        Keys::read(settings(toml), Path::new("")).unwrap().start(seed).initial()
    }

    #[test]
    fn shards_carry_the_loads_of_their_keys() {
        let of = settings("keys = 1000\nshards = 8\nexponent = 0.9\ntotal_load = 500.0");
        let keys = Keys::read(of.clone(), Path::new("")).unwrap();
        let mut expected = [0.0; 8];
        for (key, load) in keys.loads_of_keys(3).into_iter().enumerate() {
            expected[of.shard_of(&format!("key-{key}"))] += load;
        }
        assert_eq!(keys.start(3).initial(), expected);
        assert!((expected.iter().sum::<f64>() - 500.0).abs() < 1e-9);
    }

    #[test]
    fn texts_that_mean_the_same_fold_together() {
        let plain = settings("keys = 1\nshards = 1000");
        let same = |of: &KeysSettings, a, b| of.shard_of(a) == of.shard_of(b);
        assert!(!same(&plain, "User-7", "user-7"));
        let normal = KeysSettings { normalise: Normalise::Lowercase, ..plain.clone() };
        assert!(same(&normal, " User-7", "user-7"));
        assert!(!same(&plain, "{user1000}.cart", "{user1000}.profile"));
        let tags = KeysSettings { hash_tags: true, ..plain };
        assert!(same(&tags, "{user1000}.cart", "{user1000}.profile"));
    }

    #[test]
    fn a_dedicated_key_has_a_shard_of_its_own() {
        let text = "keys = 50\nshards = 4\nranks = \"kept\"\ntotal_load = 100.0\nexponent = 1.0\n";
        let all = loads(text, 1);
        let apart = loads(&format!("{text}dedicated = [\"key-0\"]"), 1);
        let first = zipf_weights(50, 1.0)[0] * 100.0;
        assert_eq!(apart.len(), 5);
        assert!((apart[4] - first).abs() < 1e-12);
        let shard = settings(text).shard_of("key-0");
        assert!((all[shard] - apart[shard] - first).abs() < 1e-9);
        let unknown = settings(&format!("{text}dedicated = [\"nobody\"]"));
        assert!(Keys::read(unknown, Path::new("")).is_err());
    }

    /// One key with 30 % of all writes, spread over 16 sub-keys and ten shards:
    /// about 1.41 times the mean in place of 3.70 (ledger hs-salt-16).
    #[test]
    fn salts_spread_a_hot_key() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let hottest = |salt: &str, name: &str| {
            let mut text = format!("key,load\n{name},30\n");
            // The rest is even: one key for each of very many.
            for i in 0..7000 {
                text += &format!("k{i},0.01\n");
            }
            std::fs::write(file.path(), text).unwrap();
            let path = file.path().display();
            let loads = loads(&format!("path = \"{path}\"\nshards = 10\n{salt}"), 0);
            assert!((loads.iter().sum::<f64>() - 100.0).abs() < 1e-6);
            loads.iter().copied().fold(0.0, f64::max) / 10.0
        };
        let mean =
            |salt: &str| (0..60).map(|i| hottest(salt, &format!("hot-{i}"))).sum::<f64>() / 60.0;
        assert!((mean("") - 3.7).abs() < 0.1);
        let hashed = mean("salt = { sub_keys = 16, hot_share = 0.1 }");
        assert!((hashed - 1.41).abs() < 0.1, "{hashed}");
        let even = mean("salt = { sub_keys = 16, hot_share = 0.1, place = \"round-robin\" }");
        assert!((even - 1.08).abs() < 0.05, "{even}");
    }

    #[test]
    fn files_and_settings_that_do_not_fit_are_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (text, part) in [
            ("key,load\na,1\na,2\n", "line 2 already"),
            ("key,load\na,-1\n", "negative"),
            ("key\na\n", "no column `load`"),
            ("key,load\n", "no keys"),
        ] {
            std::fs::write(file.path(), text).unwrap();
            let error = read_keys(file.path()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        for (text, key) in [
            ("shards = 1", "keys"),
            ("keys = 1\nshards = 1\npath = \"x\"", "keys"),
            ("keys = 0\nshards = 1", "keys"),
            ("keys = 1\nshards = 1\nreads = 1.5", "reads"),
            ("keys = 1\nshards = 1\ndedicated = [\"a\", \"a\"]", "dedicated"),
            ("keys = 1\nshards = 1\nsalt = { sub_keys = 0 }", "salt"),
        ] {
            assert_eq!(settings(text).check().unwrap_err().key, key, "{text}");
        }
    }
}
