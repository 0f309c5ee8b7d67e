//! The program `retrotab`: computes big exact tables about card and stick games, and hands
//! them out.

mod args;
mod certs;
mod coordinator;
mod failure;
mod hands;
mod info;
mod logging;
mod play;
mod private_file;
mod probe;
mod remote_options;
mod run;
mod status;
mod sticks;
mod submit;
mod text;
mod token;
mod verify;
mod worker;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Args, Command};

fn main() -> ExitCode {
    let args = Args::parse();
    // Does nothing but in the program that the tests run.
    let _fail_points = fail::FailScenario::setup();
    logging::start(args.log_format);
    let done = match args.command {
        Command::Run(job) => run::run(job),
        Command::Coordinator(args) => coordinator::coordinator(&args),
        Command::Submit(family) => submit::submit(family),
        Command::Cancel(args) => submit::cancel(&args),
        Command::Status(args) => status::status(&args),
        Command::Certs(args) => certs::certs(&args),
        Command::Token(args) => token::token(&args),
        Command::Worker(args) => worker::worker(&args),
        Command::Info(args) => info::info(&args),
        Command::Verify(args) => verify::verify(&args),
        Command::Probe(args) => probe::probe(&args),
        Command::Sticks(command) => sticks::sticks(&command),
        Command::Play(args) => play::play(&args),
        Command::Advise(args) => play::advise(&args),
        Command::Export(args) => hands::export::export(&args),
        Command::Top(args) => hands::top::top(&args),
        Command::Equity(args) => hands::equity::print(&args),
        Command::Evaluate(args) => hands::evaluate::evaluate(&args),
        Command::Completions { shell } => {
            let name = env!("CARGO_BIN_NAME");
            clap_complete::generate(shell, &mut Args::command(), name, &mut std::io::stdout());
            Ok(())
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}
