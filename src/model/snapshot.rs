//! Snapshots: one assignment with one load for each shard, read from CSV.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{CsvFile, Host, HostId, HostStatus, InputError, check_capacity};

/// Where a snapshot's hosts come from.
#[derive(Clone, Copy, Debug)]
pub enum HostSource<'a> {
    /// The host column of the snapshot alone.
    Snapshot,
    /// So many hosts in all: those of the snapshot and new ones.
    Count(usize),
    /// A hosts file, which lists every host.
    File(&'a Path),
    /// The hosts of a scenario's cluster.
    Cluster(&'a [Host]),
}

/// One load for each shard, and who owns it.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Names of the shards, in file order.
    pub shards: Vec<String>,
    /// Load of each shard, in units a second.
    pub loads: Vec<f64>,
    /// Owner of each shard; `None` where it is not placed.
    pub owners: Vec<Option<HostId>>,
    /// Whether each shard must stay where it is.
    pub pinned: Vec<bool>,
    /// The line of the file that each shard stands on.
    pub lines: Vec<u64>,
    /// The hosts, in order of the hosts file, or of appearance.
    pub hosts: Vec<Host>,
    /// What was read and is not used, for people.
    pub notes: Vec<String>,
}

/// Columns of a snapshot that mean something.
const KNOWN: [&str; 6] = ["shard", "load", "host", "weight", "pinned", "group"];

impl Snapshot {
    /// Reads a snapshot: columns `shard,load` with optional `host`, `weight`,
    /// `pinned` and `group`, in any order.
    pub fn read(path: &Path, source: HostSource<'_>) -> Result<Self, InputError> {
        let file = CsvFile::open(path)?;
        let mut notes = unused_columns(&file, &KNOWN, &["weight", "group"])?;
        let (shard_column, load_column) = (required(&file, "shard")?, required(&file, "load")?);
        let (host_column, pinned_column) = (file.column("host"), file.column("pinned"));

        let mut hosts = match source {
            HostSource::File(hosts_path) => {
                let (hosts, more) = read_hosts(hosts_path)?;
                notes.extend(more);
                hosts
            }
            HostSource::Cluster(hosts) => hosts.to_vec(),
            HostSource::Snapshot | HostSource::Count(_) => Vec::new(),
        };
        let mut ids: BTreeMap<String, HostId> = BTreeMap::new();
        for (index, host) in hosts.iter().enumerate() {
            ids.insert(host.name.clone(), HostId(index as u32));
        }

        let (mut shards, mut loads) = (Vec::new(), Vec::new());
        let (mut owners, mut pinned) = (Vec::new(), Vec::new());
        let (mut lines, mut first_lines) = (Vec::new(), BTreeMap::new());
        for row in file.rows(false) {
            let row = row?;
            let fault =
                |column, message: String| Err(InputError::cell(path, row.line, column, message));
            let name = row.name(path, shard_column, "shard")?;
            if let Some(earlier) = first_lines.insert(name.to_owned(), row.line) {
                return fault(
                    "shard",
                    format!("shard `{name}` was given on line {earlier} already"),
                );
            }
            let owner = match host_column.map(|column| row.text(column)) {
                None | Some("") => None,
                Some(host) => match ids.get(host) {
                    Some(id) => Some(*id),
                    None if matches!(source, HostSource::File(_) | HostSource::Cluster(_)) => {
                        let list = match source {
                            HostSource::File(_) => "in the hosts file",
                            _ => "in the scenario's cluster",
                        };
                        let message = format!(
                            "host `{host}` is not {list}; add it there, or correct it here"
                        );
                        return fault("host", message);
                    }
                    None => {
                        let host = row.name(path, host_column.unwrap_or_default(), "host")?;
                        let id = HostId(hosts.len() as u32);
                        ids.insert(host.to_owned(), id);
                        hosts.push(Host::new(host, 1.0));
                        Some(id)
                    }
                },
            };
            let is_pinned = match pinned_column
                .map(|column| row.text(column).to_ascii_lowercase())
                .as_deref()
            {
                None | Some("" | "false") => false,
                Some("true") => true,
                Some(other) => {
                    return fault("pinned", format!("`{other}` is neither true nor false"));
                }
            };
            if is_pinned && owner.is_none() {
                return fault(
                    "pinned",
                    format!("shard `{name}` is pinned, but has no host to stay on"),
                );
            }
            if let Some(host) =
                owner.filter(|host| is_pinned && !hosts[host.index()].status.is_live())
            {
                let Host { name: host, status, .. } = &hosts[host.index()];
                let message =
                    format!("shard `{name}` is pinned to host `{host}`, which is {status}");
                return fault("pinned", message);
            }
            loads.push(row.load(path, load_column, "load")?);
            shards.push(name.to_owned());
            owners.push(owner);
            pinned.push(is_pinned);
            lines.push(row.line);
        }
        if shards.is_empty() {
            return Err(InputError::file(path, "holds no shard"));
        }
        let mut snapshot = Self { shards, loads, owners, pinned, lines, hosts, notes };
        snapshot.complete_hosts(path, source)?;
        Ok(snapshot)
    }

    fn complete_hosts(&mut self, path: &Path, source: HostSource<'_>) -> Result<(), InputError> {
        match source {
            HostSource::Snapshot if self.hosts.is_empty() => {
                let message = "names no host; give the hosts with --hosts FILE or --hosts N";
                Err(InputError::file(path, message))
            }
            HostSource::Count(count) if count < self.hosts.len() => {
                let message =
                    format!("names {} hosts, more than the {count} of --hosts", self.hosts.len());
                Err(InputError::file(path, message))
            }
            HostSource::Count(count) => {
                let taken: BTreeSet<String> =
                    self.hosts.iter().map(|host| host.name.clone()).collect();
                let mut numbers = (0..)
                    .map(|number| format!("host-{number}"))
                    .filter(|name| !taken.contains(name));
                while self.hosts.len() < count {
                    self.hosts.extend(numbers.next().map(|name| Host::new(name, 1.0)));
                }
                Ok(())
            }
            HostSource::Snapshot | HostSource::File(_) | HostSource::Cluster(_) => Ok(()),
        }
    }

    /// Whether any shard has an owner.
    pub fn is_placed(&self) -> bool {
        self.owners.iter().any(Option::is_some)
    }
}

/// Reads a hosts file: a column `host` with optional `capacity` (1 if absent),
/// `status` and `zone`. Returns the hosts and notes about what is not used.
pub fn read_hosts(path: &Path) -> Result<(Vec<Host>, Vec<String>), InputError> {
    let file = CsvFile::open(path)?;
    let notes = unused_columns(&file, &["host", "capacity", "status", "zone"], &["zone"])?;
    let host_column = required(&file, "host")?;
    let (capacity_column, status_column) = (file.column("capacity"), file.column("status"));
    let mut hosts: Vec<Host> = Vec::new();
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for row in file.rows(false) {
        let row = row?;
        let fault =
            |column, message: String| Err(InputError::cell(path, row.line, column, message));
        let name = row.name(path, host_column, "host")?;
        if let Some(earlier) = lines.insert(name.to_owned(), row.line) {
            return fault("host", format!("host `{name}` was given on line {earlier} already"));
        }
        let capacity = match capacity_column.map(|column| row.text(column)) {
            None | Some("") => 1.0,
            Some(text) => match text.parse::<f64>() {
                Err(_) => return fault("capacity", format!("`{text}` is not a number")),
                Ok(capacity) => match check_capacity(capacity) {
                    Ok(()) => capacity,
                    Err(rule) => return fault("capacity", format!("the capacity {rule}")),
                },
            },
        };
        let status = match status_column.map(|column| row.text(column)) {
            None | Some("") => HostStatus::Active,
            Some(text) => match text.parse() {
                Ok(status) => status,
                Err(()) => {
                    let known = HostStatus::ALL.map(HostStatus::as_str).join(", ");
                    return fault(
                        "status",
                        format!("`{text}` is not a status; write one of up, {known}"),
                    );
                }
            },
        };
        hosts.push(Host { name: name.to_owned(), capacity, status });
    }
    match hosts.is_empty() {
        true => Err(InputError::file(path, "holds no host")),
        false => Ok((hosts, notes)),
    }
}

fn required(file: &CsvFile, name: &str) -> Result<usize, InputError> {
    file.column(name).ok_or_else(|| InputError::line(file.path(), 1, file.lacks(name)))
}

/// Notes about columns that are not used; an error for one that stands twice.
fn unused_columns(
    file: &CsvFile,
    known: &[&str],
    without_use: &[&str],
) -> Result<Vec<String>, InputError> {
    for (index, name) in file.first.iter().enumerate() {
        if known.contains(&name.as_str()) && file.first[..index].contains(name) {
            return Err(InputError::line(
                file.path(),
                1,
                format!("has two columns named `{name}`"),
            ));
        }
    }
    let is_unused =
        |name: &&String| !known.contains(&name.as_str()) || without_use.contains(&name.as_str());
    let name = |name| match name {
        "" => "(one without a name)",
        name => name,
    };
    let unused: Vec<&str> =
        file.first.iter().filter(is_unused).map(String::as_str).map(name).collect();
    Ok(match unused.is_empty() {
        true => Vec::new(),
        false => {
            vec![format!("{}: columns not used: {}", file.path().display(), unused.join(", "))]
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(snapshot: &str, hosts: Option<&str>) -> Result<Snapshot, InputError> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("snapshot.csv");
        std::fs::write(&path, snapshot).unwrap();
        let hosts_path = directory.path().join("hosts.csv");
        if let Some(hosts) = hosts {
            std::fs::write(&hosts_path, hosts).unwrap();
            return Snapshot::read(&path, HostSource::File(&hosts_path));
        }
        Snapshot::read(&path, HostSource::Snapshot)
    }

    #[test]
    fn columns_come_in_any_order() {
        let snapshot =
            read("note,load,host,shard,pinned\nx,1.5,h2,a,true\ny,2,,b,\nz,0,h1,c,false\n", None)
                .unwrap();
        assert_eq!(snapshot.shards, ["a", "b", "c"]);
        assert_eq!(snapshot.loads, [1.5, 2.0, 0.0]);
        assert_eq!(snapshot.owners, [Some(HostId(0)), None, Some(HostId(1))]);
        assert_eq!(snapshot.pinned, [true, false, false]);
        assert_eq!(snapshot.hosts[0].name, "h2");
        assert_eq!(snapshot.notes.len(), 1);
        assert!(snapshot.notes[0].ends_with("note"));
    }

    #[test]
    fn hosts_come_from_their_file() {
        let hosts = "host,capacity,status\nidle,2,\nbusy,1,UP\nold,1,down\n";
        let snapshot = read("shard,host,load\na,busy,1\n", Some(hosts)).unwrap();
        assert_eq!(snapshot.owners, [Some(HostId(1))]);
        assert_eq!(snapshot.hosts[0].capacity, 2.0);
        assert_eq!(snapshot.hosts[1].status, HostStatus::Active);
        assert_eq!(snapshot.hosts[2].status, HostStatus::Down);
    }

    #[test]
    fn faults_are_named_with_their_place() {
        let fault =
            |snapshot: &str, hosts: Option<&str>| read(snapshot, hosts).unwrap_err().to_string();
        let has = |text: String, parts: &[&str]| {
            assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        };
        has(fault("shard,load\na,1\na,2\n", None), &["line 3", "line 2"]);
        has(fault("shard,host,load\na,h,inf\n", None), &["line 2", "`load`", "finite"]);
        has(fault("shard,load\na,1\n", None), &["--hosts"]);
        has(fault("shard,weight\na,1\n", None), &["no column `load`"]);
        has(fault("shard,host,load\na,x,1\n", Some("host\nh\n")), &["line 2", "`x`"]);
        has(
            fault("shard,host,load\na,h,1\n", Some("host,capacity\nh,0\n")),
            &["line 2", "capacity"],
        );
        has(fault("shard,host,load\na,h,1\n", Some("host\nh\nh\n")), &["line 3"]);
        has(fault("shard,host,load\na,h,1\n", Some("host,status\nh,gone\n")), &["gone"]);
        has(fault("shard,host,load\na,h\n", None), &["line 2", "2 cells"]);
        has(fault("shard,load\n", None), &["no shard"]);
    }
}
