//! `retrotab sticks enumerate`: all games of the stick game.

use std::io::Write;

use retrotab_tablefmt::sticks::{Endings, Game, Games, Outcome};

use crate::args::EnumerateArgs;

/// Prints the games, one a line, up to a limit.
pub fn enumerate(args: &EnumerateArgs) -> anyhow::Result<()> {
    let endings = if args.all { Endings::All } else { Endings::Sensible };
    let mut games = Games::new(args.rows.rows()?, endings);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for game in games.by_ref().take(usize::try_from(args.limit).unwrap_or(usize::MAX)) {
        writeln!(out, "{}", line(&game))?;
    }
    out.flush()?;
    if games.next().is_some() {
        let limit = args.limit;
        eprintln!("retrotab: there are more than {limit} games; --limit N lists more of them");
    }
    Ok(())
}

/// The moves of a game, each `[row,first,further]`, and what it is for the first player.
fn line(game: &Game) -> String {
    let strikes: Vec<String> = game.strikes.iter().map(ToString::to_string).collect();
    let result = match game.first_player {
        Outcome::Win => "win",
        Outcome::Loss => "lose",
    };
    format!("[{}] {result}", strikes.join(","))
}
