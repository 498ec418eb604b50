//! Long and wide traces, windows, and faults with their places.

use super::clock::Stamp;
use super::*;

#[test]
fn calendar_times_are_read() {
    let seconds = |text: &str| match Stamp::parse(text) {
        Some(Stamp::Calendar(seconds)) => Some(seconds),
        _ => None,
    };
    assert_eq!(seconds("1970-01-01 00:00:00"), Some(0));
    assert_eq!(seconds("2000-03-01 00:00:01"), Some(951_868_801));
    assert_eq!(seconds("2026-11-30T09:00:00"), Some(1_796_029_200));
    assert_eq!(seconds("2025-02-29 00:00:00"), None);
    assert_eq!(seconds("2025-13-01 00:00:00"), None);
    assert_eq!(seconds("2025-01-01 24:00:00"), None);
    assert_eq!(seconds("yesterday"), None);
}

fn read(text: &str, settings: &str) -> Result<Trace, InputError> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace.csv");
    std::fs::write(&path, text).unwrap();
    let settings: TraceSettings =
        toml::from_str(&format!("path = 'trace.csv'\n{settings}")).unwrap();
    Trace::read(&path, &settings)
}

fn steps(trace: &Trace) -> Vec<(f64, Vec<f64>)> {
    let mut cursor = trace.start(0);
    let mut loads = cursor.initial();
    let mut steps = vec![(0.0, loads.clone())];
    while let Some(at) = cursor.next_change() {
        let mut changes = Vec::new();
        cursor.read_change(&mut changes);
        for (shard, load) in changes {
            loads[shard.index()] = load;
        }
        steps.push((at.as_secs_f64(), loads.clone()));
    }
    steps
}

const LONG: &str = "shard,time_s,load,note\na,100,60,x\nb,100,6,x\nb,160,12,x\na,220,30,x\n";

#[test]
fn an_absent_shard_carries_nothing_or_what_it_had() {
    let zero = read(LONG, "").unwrap();
    assert_eq!(*zero.shards(), ["a", "b"]);
    assert_eq!(
        steps(&zero),
        [(0.0, vec![60.0, 6.0]), (60.0, vec![0.0, 12.0]), (120.0, vec![30.0, 0.0])]
    );
    assert_eq!(zero.extent(), Some(SimDuration::from_secs(180)));
    let hold = read(LONG, "absent = 'hold'\nper = '60s'\nscale = 2").unwrap();
    assert_eq!(
        steps(&hold),
        [(0.0, vec![2.0, 0.2]), (60.0, vec![2.0, 0.4]), (120.0, vec![1.0, 0.4])]
    );
}

#[test]
fn a_window_cuts_both_ends() {
    let cut = read(LONG, "window = { from = '70s', to = '110s' }").unwrap();
    assert_eq!(steps(&cut), [(0.0, vec![0.0, 12.0])]);
    assert_eq!(cut.extent(), Some(SimDuration::from_secs(40)));
    let late = read(LONG, "window = { from = '130s' }").unwrap();
    assert_eq!(steps(&late), [(0.0, vec![30.0, 0.0])]);
    assert!(read(LONG, "window = { from = '3m' }").unwrap_err().message.contains("lasts 3m"));
}

#[test]
fn a_load_that_scaling_makes_too_large_is_named_wherever_it_stands() {
    let error = read("t,a\n0,1\n10,1e50\n20,1\n30,1\n", "scale = 1e50").unwrap_err();
    assert_eq!(error.line, Some(3));
    assert!(error.message.contains("e100"), "{error}");
}

#[test]
fn long_sparse_traces_are_read_in_linear_time() {
    let count = 100_000;
    let rows: String = (0..count).map(|i| format!("{i},s{i},1\n")).collect();
    let trace = read(&format!("time_s,shard,load\n{rows}"), "").unwrap();
    assert_eq!(trace.changes.len(), count - 1);
    let one = |shard: u32| vec![(ShardId(shard), 0.0), (ShardId(shard + 1), 1.0)];
    assert!((0..).zip(&trace.changes).all(|(shard, change)| change.loads == one(shard)));
}

#[test]
fn wide_traces_with_and_without_a_header() {
    let header = "when,a,b\n2026-01-01 00:00:00,1,2\n2026-01-01 00:01:00,,3\n";
    let trace = read(header, "").unwrap();
    assert_eq!(*trace.shards(), ["a", "b"]);
    assert_eq!(steps(&trace), [(0.0, vec![1.0, 2.0]), (60.0, vec![0.0, 3.0])]);
    let bare = read("0,1,2\n5,4,2\n", "").unwrap();
    assert_eq!(*bare.shards(), ["shard-0", "shard-1"]);
    assert_eq!(steps(&bare), [(0.0, vec![1.0, 2.0]), (5.0, vec![4.0, 2.0])]);
}

#[test]
fn faults_are_named_with_their_place() {
    let message = |text: &str| {
        let error = read(text, "").unwrap_err();
        (error.line, error.column, error.message)
    };
    let (line, column, text) = message("time_s,shard,load\n0,a,1\n1,b,-2\n");
    assert_eq!((line, column.as_deref()), (Some(3), Some("load")));
    assert!(text.contains("negative"));
    assert!(message("time_s,shard,load\n0,a,nan\n").2.contains("finite"));
    assert!(message("time_s,shard,load\n0,a,1\n0,a,2\n").2.contains("second load"));
    assert!(message("time_s,shard,load\n0,a\n").2.contains("2 cells"));
    assert!(message("time_s,shard,load\nsoon,a,1\n").2.contains("not a time"));
    assert!(message("time_s,shard,load\n").2.contains("no row"));
    assert!(message("time_s,host,load\n0,a,1\n").2.contains("time_s,shard,load"));
    assert!(message("t,a,a\n0,1,2\n").2.contains("both named"));
    assert!(message("Time_s,Shard,Load\n0,a,1\n").2.contains("write `time_s` for `Time_s`"));
    assert!(message("time_s,shard,value\n0,a,1\n").2.contains("no column `load`"));
    assert!(message("time_s,shard,load\n0,a\u{7},1\n").2.contains("line of text"));
}
