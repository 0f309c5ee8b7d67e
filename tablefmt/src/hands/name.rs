//! Names of clusters: their cards, or their class like `AKs` or `AAKKds`.
//!
//! A class says the ranks and how many cards are of one suit. In hold'em every cluster is a
//! class; in Omaha a class may have several, such as `AKQJds`, where any two may share a suit.

use super::card::{Rank, parse_cards};
use super::cluster::{ClusterId, Clusters};
use super::error::{HandsError, shown};
use super::multiset::{MultisetId, RankCounts};
use super::spec::Game;

/// What stands after the ranks, by the numbers of cards of each suit.
const HOLDEM_SUITS: [([u8; 4], &str); 2] = [([2, 0, 0, 0], "s"), ([1, 1, 0, 0], "o")];
const OMAHA_SUITS: [([u8; 4], &str); 5] = [
    ([1, 1, 1, 1], "r"),
    ([2, 1, 1, 0], "ss"),
    ([2, 2, 0, 0], "ds"),
    ([3, 1, 0, 0], "ts"),
    ([4, 0, 0, 0], "m"),
];

impl Game {
    fn suits(self) -> &'static [([u8; 4], &'static str)] {
        match self {
            Game::Holdem => &HOLDEM_SUITS,
            Game::Omaha => &OMAHA_SUITS,
        }
    }

    fn class_hint(self) -> &'static str {
        match self {
            Game::Holdem => "write two ranks, then s (suited) or o (offsuit) unless they are equal",
            Game::Omaha => {
                "write four ranks, then r (no two of a suit), ss (one suit twice), ds (two suits \
                 twice), ts (three of a suit) or m (all of a suit)"
            }
        }
    }
}

impl Clusters {
    /// The class of a cluster: its ranks, and its suits if hands of these ranks differ.
    pub fn class(&self, id: ClusterId) -> String {
        let cluster = self.cluster(id);
        let ranks = cluster.ranks();
        if self.of_multiset(self.multiset_of(id)).len() == 1 {
            return ranks.to_string();
        }
        let pattern = cluster.pattern();
        let suits = self.game().suits().iter().find(|(p, _)| *p == pattern);
        format!("{ranks}{}", suits.map_or("", |(_, name)| name))
    }

    /// The cluster that somebody names, by the cards of one of its hands or by its class.
    ///
    /// # Errors
    /// [`HandsError`] saying what is wrong with the text, or which clusters it may mean.
    pub fn parse(&self, text: &str) -> Result<ClusterId, HandsError> {
        let second = text.chars().nth(1);
        if second.and_then(Rank::from_char).is_none() {
            return self.id_of_cards(&parse_cards(text)?);
        }
        let (game, hint) = (self.game().name(), self.game().class_hint());
        let bad = || HandsError::Class { text: shown(text), game, hint };
        let ranks: Vec<Rank> = text.chars().map_while(Rank::from_char).collect();
        let multiset = self.ranks(&ranks).ok_or_else(bad)?;
        let wanted = &text[ranks.len()..];
        let is_wanted = |id: &ClusterId| {
            let class = self.class(*id);
            wanted.is_empty() || &class[ranks.len()..] == wanted
        };
        let found: Vec<ClusterId> =
            self.of_multiset(multiset).map(ClusterId).filter(is_wanted).collect();
        match found[..] {
            [] => Err(bad()),
            [one] => Ok(one),
            _ => Err(HandsError::Ambiguous {
                text: text.to_owned(),
                candidates: found.iter().map(|id| self.cluster(*id).to_string()).collect(),
            }),
        }
    }

    fn ranks(&self, ranks: &[Rank]) -> Option<MultisetId> {
        if ranks.len() != self.game().hole_cards() {
            return None;
        }
        let mut counts = RankCounts::default();
        ranks.iter().for_each(|rank| counts.0[rank.number()] += 1);
        self.multisets().id(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(game: Game, text: &str) -> Result<String, HandsError> {
        let clusters = Clusters::get(game);
        clusters.parse(text).map(|id| format!("{} {}", clusters.class(id), clusters.cluster(id)))
    }

    #[test]
    fn clusters_are_named_by_class_or_cards() {
        let holdem = |text| parse(Game::Holdem, text).unwrap();
        assert_eq!(holdem("AKs"), "AKs AsKs");
        assert_eq!(holdem("KAo"), "AKo AsKh");
        assert_eq!(holdem("22"), "22 2s2h");
        assert_eq!(holdem("KdAd"), holdem("AKs"));
        let omaha = |text| parse(Game::Omaha, text).unwrap();
        assert_eq!(omaha("AAKKds"), "AAKKds AsAhKsKh");
        assert_eq!(omaha("KcKdAcAd"), omaha("AKAKds"));
        assert_eq!(omaha("AAAA"), "AAAA AsAhAdAc");
        assert_eq!(omaha("AKQJm"), "AKQJm AsKsQsJs");
        assert_eq!(omaha("AKQJr"), "AKQJr AsKhQdJc");
    }

    #[test]
    fn every_class_and_representative_is_parsed_again() {
        for game in [Game::Holdem, Game::Omaha] {
            let clusters = Clusters::get(game);
            for (id, cluster) in clusters.iter() {
                assert_eq!(clusters.parse(&cluster.to_string()), Ok(id));
                match clusters.parse(&clusters.class(id)) {
                    Ok(found) => assert_eq!(found, id),
                    Err(HandsError::Ambiguous { candidates, .. }) => {
                        assert!(candidates.contains(&cluster.to_string()));
                    }
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }

    #[test]
    fn bad_names_say_how_to_write_them() {
        let error = |game, text: &str| parse(game, text).unwrap_err();
        assert!(matches!(error(Game::Holdem, "AK"), HandsError::Ambiguous { .. }));
        assert!(error(Game::Omaha, "AKQJds").to_string().contains("AsKsQhJh"));
        for text in ["AKx", "AAs", "AKQs", "AKs\u{e9}"] {
            assert!(matches!(error(Game::Holdem, text), HandsError::Class { .. }), "{text}");
        }
        assert!(matches!(error(Game::Omaha, "AAAAA"), HandsError::Class { .. }));
        assert!(matches!(error(Game::Holdem, "AsAs"), HandsError::Duplicate { .. }));
        assert!(matches!(error(Game::Holdem, "AsKsQs"), HandsError::Count { got: 3, .. }));
        assert!(matches!(error(Game::Holdem, "\u{e9}"), HandsError::Rank { .. }));
        assert_eq!(error(Game::Holdem, ""), HandsError::Empty);
    }
}
