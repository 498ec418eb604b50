//! The subcommands, one file each.

mod check;
mod completions;
mod failure;
mod fan_out;
mod interrupt;
mod merge;
mod optimum;
mod output;
mod plan;
mod plot;
mod progress;
mod reproduce;
mod resize;
mod run;
mod snapshot;
mod sweep;
mod timing;
mod whole;

use clap::{Parser, Subcommand};

use failure::Failure;

/// A deterministic simulator and research bench for shard placement.
#[derive(Debug, Parser)]
#[command(name = "evenkeel", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate a scenario: compare its policies, write tables and plots.
    Run(run::RunArguments),
    /// Show what a balancer would move on a snapshot of a cluster.
    Plan(plan::PlanArguments),
    /// Compute how well a snapshot could be placed at best.
    Optimum(optimum::OptimumArguments),
    /// Compare what hash placements move when hosts come or go.
    Resize(resize::ResizeArguments),
    /// Compute how slow queries are that wait for many shards.
    FanOut(fan_out::FanOutArguments),
    /// Run a scenario at many points of its settings, and compare them.
    Sweep(sweep::SweepArguments),
    /// Join the partitions of a sweep.
    Merge(merge::MergeArguments),
    /// Run scenarios and hold them to their checks and to a baseline.
    Check(check::CheckArguments),
    /// Test published results: which figures hold, and why others do not.
    Reproduce(reproduce::ReproduceArguments),
    /// Draw the plots of a run or a sweep again, from its tables.
    Plot(plot::PlotArguments),
    /// Print a completion script for a shell.
    Completions(completions::CompletionsArguments),
}

/// Parses the arguments and carries the command out.
pub(crate) fn main() -> Result<(), Failure> {
    match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Plan(arguments) => plan::plan(&arguments),
        Command::Optimum(arguments) => optimum::optimum(&arguments),
        Command::Resize(arguments) => resize::resize(&arguments),
        Command::FanOut(arguments) => fan_out::fan_out(&arguments),
        Command::Sweep(arguments) => sweep::sweep(&arguments),
        Command::Merge(arguments) => merge::merge(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Reproduce(arguments) => reproduce::reproduce(&arguments),
        Command::Plot(arguments) => plot::plot(&arguments),
        Command::Completions(arguments) => completions::completions(&arguments),
    }
}
