//! `evenkeel reproduce`.

use std::path::PathBuf;

use clap::Args;
use evenkeel::experiment::reproduce::{ReproduceOptions, claims, reproduce as test_claims};
use evenkeel::report::{
    check_directory, claim_list, claim_plots, differences, reproduction, verdict_table, write_files,
};

use super::failure::Failure;
use super::interrupt;
use super::output::print;
use super::progress::progress_bar;

/// Arguments of `reproduce`.
#[derive(Debug, Args)]
pub(super) struct ReproduceArguments {
    /// Test this claim alone; may be repeated.
    #[arg(long, value_name = "ID")]
    only: Vec<String>,
    /// Print the claims, and do nothing else.
    #[arg(long)]
    list: bool,
    /// Fewer seeds, for the same verdicts in less time.
    #[arg(long)]
    quick: bool,
    /// Real snapshots, snapshot-*.csv, to test the headline claims on as well.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Threads to use; by default one for each core. The result is the same.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Where to write.
    #[arg(long, value_name = "DIR", default_value = "results/reproduce")]
    out: PathBuf,
}

pub(super) fn reproduce(arguments: &ReproduceArguments) -> Result<(), Failure> {
    if arguments.list {
        return print(&claim_list(&claims()));
    }
    check_directory(&arguments.out)?;
    let bar = progress_bar(claims().len() as u64, "claims", false);
    let shown = bar.clone();
    interrupt::on_interrupt(move || {
        shown.finish_and_clear();
        "interrupted; nothing was written".to_owned()
    })?;
    let progress = |finished: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(finished as u64);
    };
    let outcomes = test_claims(&ReproduceOptions {
        only: &arguments.only,
        quick: arguments.quick,
        data: arguments.data.as_deref(),
        threads: arguments.threads.map(usize::from),
        progress: Some(&progress),
    })?;
    bar.finish_and_clear();
    let mut files = reproduction(&outcomes);
    files.extend(claim_plots(&outcomes)?);
    interrupt::uninterrupted(|| write_files(&arguments.out, &files, None))?;
    print(&format!("{}written to {}\n", verdict_table(&outcomes), arguments.out.display()))?;
    let differences = differences(&outcomes);
    match differences.is_empty() {
        true => Ok(()),
        false => Err(Failure::Check(format!(
            "{} not as recorded\n  {}",
            if differences.len() == 1 { "one verdict is" } else { "some verdicts are" },
            differences.join("\n  ")
        ))),
    }
}
