//! `retrotab sticks`: the stick game for people.

mod enumerate;
mod play;

use crate::args::SticksCommand;

/// Plays, or lists games.
pub fn sticks(command: &SticksCommand) -> anyhow::Result<()> {
    match command {
        SticksCommand::Play(args) => play::play(args),
        SticksCommand::Enumerate(args) => enumerate::enumerate(args),
    }
}
