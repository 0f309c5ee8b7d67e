//! Poker hands: cards, evaluation, clusters of starting hands, and the table of one cluster
//! against another.
//!
//! A *cluster* is a starting hand up to a permutation of suits. A table has one *cell* for every
//! unordered pair of clusters: over all boards, how often the one beats the other.

mod card;
mod cells;
mod cluster;
mod error;
mod evaluation;
mod evaluator;
mod multiset;
mod name;
mod omaha;
mod perfect;
mod rank;
mod rows;
mod spec;

pub use card::{Card, CardSet, RANKS, Rank, SUITS, Suit, parse_cards};
pub use cells::{Cell, CellCounts, CellIndex, RowBlocks};
pub use cluster::{Cluster, ClusterId, Clusters, SuitParts};
pub use error::HandsError;
pub use evaluation::{Evaluation, evaluate_best, evaluate_omaha};
pub use evaluator::{Evaluator, RankKey};
pub use multiset::{MultisetId, Multisets, RankCounts};
pub use omaha::{OmahaEvaluator, PAIRS};
pub use rank::{Category, HandRank};
pub use rows::{PLACEMENTS, Row, Rows, TIE, WIN, contradiction, each_row, each_rows};
pub use spec::{Game, HandsSpec};
