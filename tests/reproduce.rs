//! Published results through the library and the command line: every recorded
//! verdict, the whole ledger, and what is said of arguments that are wrong.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/cli.rs"]
#[allow(dead_code, unreachable_pub)]
mod cli;
#[path = "docs/markdown.rs"]
#[allow(dead_code)]
mod markdown;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cli::Desk;
use evenkeel::experiment::reproduce::{
    ReproduceError, ReproduceOptions, Test, Verdict, claims, reproduce,
};
use evenkeel::report::{differences, reproduction, verdict_table};
use insta::assert_snapshot;
use markdown::{first_column, section};

fn beside(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(path);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: there is no {}", path.display());
    None
}

#[test]
fn verdicts_are_as_recorded() {
    if cfg!(debug_assertions) {
        println!("skipped: takes long without optimisation");
        return;
    }
    let options = ReproduceOptions { quick: true, ..Default::default() };
    let outcomes = reproduce(&options).unwrap();
    assert_eq!(outcomes.len(), claims().len());
    assert_eq!(differences(&outcomes), Vec::<String>::new());
    for outcome in outcomes.iter().filter(|outcome| outcome.verdict != Verdict::NotModelledYet) {
        let id = outcome.claim.id;
        assert!(outcome.deciding().is_some(), "{id}");
        assert!(outcome.findings.iter().all(|finding| finding.mean.is_finite()), "{id}");
    }
}

#[test]
fn verdicts_on_real_snapshots_are_as_recorded() {
    if cfg!(debug_assertions) {
        println!("skipped: takes long without optimisation");
        return;
    }
    let Some(data) = beside("data/cadence-tasklists") else { return };
    let only = ["real-4-hosts", "real-6-hosts", "real-16-hosts"].map(str::to_owned);
    let options =
        ReproduceOptions { quick: true, data: Some(&data), only: &only, ..Default::default() };
    let outcomes = reproduce(&options).unwrap();
    assert_eq!(outcomes.len(), only.len());
    assert_eq!(differences(&outcomes), Vec::<String>::new());
}

#[test]
fn every_row_of_the_ledger_is_in_the_registry() {
    let Some(ledger) = beside("claims/claims.csv") else { return };
    let mut reader = csv::Reader::from_path(ledger).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let in_ledger: BTreeSet<&str> = rows.iter().map(|row| &row[0]).collect();
    let in_registry: BTreeSet<&str> = claims().iter().map(|claim| claim.id).collect();
    assert_eq!(in_ledger.difference(&in_registry).collect::<Vec<_>>(), Vec::<&&str>::new());
    let source = |id: &str| claims().into_iter().find(|claim| claim.id == id).unwrap().source;
    for row in &rows {
        assert!(row[1].starts_with(source(&row[0]).as_str()), "{}", &row[0]);
    }
}

#[test]
fn the_registry_is_complete() {
    let claims = claims();
    let ids: BTreeSet<&str> = claims.iter().map(|claim| claim.id).collect();
    assert_eq!(ids.len(), claims.len(), "ids are unique");
    for claim in claims {
        assert!(!claim.text.is_empty() && !claim.published.is_empty(), "{}", claim.id);
        let must_explain = matches!(claim.recorded, Verdict::Inconsistent | Verdict::NotReproduced);
        assert!(!must_explain || !claim.note.is_empty(), "{} says not why", claim.id);
        match claim.test {
            Test::NotModelledYet { needs } => {
                assert!(!needs.is_empty(), "{}", claim.id);
                assert_eq!(claim.recorded, Verdict::NotModelledYet, "{}", claim.id);
            }
            Test::Run { method, figures, .. } => {
                assert!(!method.is_empty() && !figures.is_empty(), "{}", claim.id);
                assert_ne!(claim.recorded, Verdict::NotModelledYet, "{}", claim.id);
            }
        }
    }
}

fn some() -> [String; 3] {
    ["hs-fanout-275", "ad-10pct-10x", "rs-vitess"].map(str::to_owned)
}

#[test]
fn a_claim_can_be_tested_alone() {
    let only = some();
    let outcomes = reproduce(&ReproduceOptions { only: &only, ..Default::default() }).unwrap();
    assert_snapshot!(verdict_table(&outcomes), @"
    claim          expected  measured                        verdict
    ad-10pct-10x         10       4.1  published figure inconsistent
    hs-fanout-275     0.275     0.275                     reproduced
    rs-vitess                                       not modelled yet

    3 claims: 1 reproduced, 1 published figure inconsistent, 1 not modelled yet
    ");
}

#[test]
fn columns_are_documented() {
    let only = some();
    let outcomes = reproduce(&ReproduceOptions { only: &only, ..Default::default() }).unwrap();
    let formats =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/formats.md"))
            .unwrap();
    for (name, bytes) in reproduction(&outcomes).iter().filter(|(name, _)| name.ends_with("csv")) {
        let text = std::str::from_utf8(bytes).unwrap();
        let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        assert_eq!(first_column(section(&formats, &format!("### `{name}`"))), header, "{name}");
    }
    let methods =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/methods.md"))
            .unwrap();
    let words = first_column(section(&methods, "## Published results"));
    assert_eq!(words, Verdict::ALL.map(Verdict::as_str));
}

#[test]
fn an_unknown_id_names_the_nearest() {
    let only = ["hs-jump-29".to_owned()];
    let error = reproduce(&ReproduceOptions { only: &only, ..Default::default() }).unwrap_err();
    let ReproduceError::UnknownClaim { nearest, .. } = &error else { panic!("{error}") };
    assert_eq!(nearest.as_deref(), Some("hs-jump-92"));
    assert_snapshot!(error, @"there is no claim `hs-jump-29`; did you mean `hs-jump-92`?; --list shows all");
}

#[test]
fn the_command_line() {
    let desk = Desk::new();
    let list = desk.succeed(&["reproduce", "--list"]);
    assert_eq!(list.lines().count(), claims().len());
    assert!(list.starts_with("uber-ratio-23-to-14"));

    let outcome = desk.run(&["reproduce", "--only", "nothing-like-it"]);
    assert_eq!(outcome.code, Some(2));
    assert_snapshot!(outcome.err, @"error: there is no claim `nothing-like-it`; --list shows all");

    let outcome = desk.run(&["reproduce", "--data", "."]);
    assert_eq!(outcome.code, Some(2));
    assert_snapshot!(outcome.err, @"error: .: holds no snapshot-*.csv");

    let printed = desk.succeed(&["reproduce", "--only", "hs-fanout-275", "--out", "out"]);
    assert_snapshot!(printed, @"
    claim          expected  measured     verdict
    hs-fanout-275     0.275     0.275  reproduced

    1 claim: 1 reproduced
    written to out
    ");
    assert!(desk.read("out/claims.md").contains("| `hs-fanout-275` "));
    assert!(desk.read("out/plots/hs-fanout-275.svg").starts_with("<svg"));
    assert!(desk.read("out/figures.csv").lines().count() == 3);
}

#[test]
fn threads_do_not_change_a_byte() {
    let only = ["hs-jump-no-retire", "ch-hot-user", "uber-greedy-160-40"].map(str::to_owned);
    let files = |threads| {
        let options = ReproduceOptions {
            only: &only,
            quick: true,
            threads: Some(threads),
            ..Default::default()
        };
        reproduction(&reproduce(&options).unwrap())
    };
    assert_eq!(files(1), files(5));
}
