//! What can go wrong with subgames.

use std::path::PathBuf;

use bytesize::ByteSize;
use retrotab_tablefmt::TableError;
use thiserror::Error;

use super::rules::Rules;

/// Errors of subgames, by whose matter they are.
#[derive(Debug, Error)]
pub enum SubgameError {
    /// No such game.
    #[error("subgames with {0} stacks do not exist: 1 to {max} do", max = Rules::MAX_STACKS)]
    Stacks(usize),
    /// No such size.
    #[error("subgames of {0} cards a foundation do not exist: 1 to {max} do", max = Rules::MAX_CHAIN)]
    Chain(usize),
    /// Too few or too many samples.
    #[error("{0} subgames a pair make no sense: ask for 1 to {1}")]
    Samples(usize, usize),
    /// An exponent or weight that is no sensible number.
    #[error("{0} is no sensible {1}")]
    Number(f32, &'static str),
    /// A solver for another number of stacks.
    #[error("the game has {0} stacks, but the subgames {1}")]
    OtherStacks(usize, usize),
    /// Cards that do not fit the game.
    #[error(
        "the cards do not fit a game of {0} stacks and at most {1} cards a lane: one is on a \
         stack or lane that is not there, or twice"
    )]
    Arrangement(usize, usize),
    /// The memory limit is below what the smallest memo takes.
    #[error("subgames need {} of memory at least, only {} are allowed; allow more or choose \
        smaller subgames", ByteSize(*.needed), ByteSize(*.allowed))]
    Memory {
        /// Bytes of the smallest memo that will do.
        needed: u64,
        /// Bytes that were allowed.
        allowed: u64,
    },
    /// There is no cache file.
    #[error("{}: no cache of subgames here", .0.display())]
    Missing(PathBuf),
    /// A file of something else.
    #[error("{}: this is no cache of subgames; name another file", .0.display())]
    Foreign(PathBuf),
    /// A cache of another program version.
    #[error("{}: a cache of version {found}, but this program knows version {known}; remove it, \
        and it is made again", .path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that can be read.
        known: u32,
    },
    /// A cache of another game.
    #[error("{}: a cache of subgames of {found_chain} cards a foundation on {found_stacks} stacks, \
        not of {} on {}; name another file", .path.display(), .wanted.chain(), .wanted.stacks())]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// Its number of stacks.
        found_stacks: u8,
        /// Its number of cards a lane.
        found_chain: u8,
        /// The game that was asked for.
        wanted: Rules,
    },
    /// A cache of the same game with draws valued in another way.
    #[error("{}: a cache of subgames whose draws are valued in another way (by chance, or with the \
        choice of another game); name another file", .0.display())]
    OtherDraws(PathBuf),
    /// A cache that does not hold what it must.
    #[error("{}: damaged: {what}; remove it, and it is made again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A cache that does not fit into memory.
    #[error("{}: its {entries} positions need {} of memory, only {} are allowed; allow more",
        .path.display(), ByteSize(*.needed), ByteSize(*.allowed))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its positions.
        entries: u64,
        /// Bytes that they need.
        needed: u64,
        /// Bytes that were allowed.
        allowed: u64,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] TableError),
}
