//! What a table says of a position of the stick game, for people.

use retrotab_tablefmt::lookup::{BestMoves, FoundSticks};
use retrotab_tablefmt::sticks::Move;

pub fn describe(found: &FoundSticks) -> String {
    let FoundSticks { segments, entry, value, best } = found;
    let says = format!("{} in {}  (entry {entry})\n", value.outcome().name(), value.moves());
    match best {
        BestMoves::Segments(moves) => {
            let moves = moves.iter().map(|played| format!("  {}\n", describe_move(played)));
            format!("{segments}  {says}") + &moves.collect::<String>()
        }
        BestMoves::Board(found) => {
            let strikes = found.strikes.iter();
            let strikes = strikes.map(|(strike, after)| format!("  {strike}  {after}\n"));
            format!("{}  {says}", found.board) + &strikes.collect::<String>()
        }
    }
}

fn describe_move(played: &Move) -> String {
    let Move { length, longer, shorter } = *played;
    let struck = played.struck();
    match (longer, shorter) {
        (0, _) => format!("strike a whole segment of {length}"),
        (left, 0) => format!("strike {struck} of a segment of {length}, leaving {left}"),
        _ => format!("strike {struck} of a segment of {length}, leaving {shorter} and {longer}"),
    }
}
