//! Clusters of starting hands, counted and compared with the reference.

use std::collections::BTreeMap;

use retrotab_tablefmt::hands::{
    CardSet, Cluster, ClusterId, Clusters, Game, MultisetId, parse_cards,
};

fn hand(text: &str) -> CardSet {
    CardSet::of(&parse_cards(text).unwrap()).unwrap()
}

fn reference() -> serde_json::Value {
    serde_json::from_str(include_str!("reference/hands.json")).unwrap()
}

#[test]
fn there_are_as_many_clusters_as_expected() {
    let mut found: BTreeMap<&str, u64> = BTreeMap::new();
    let omaha = Clusters::get(Game::Omaha);
    for (_, cluster) in omaha.iter() {
        let class = match cluster.pattern() {
            [4, 0, 0, 0] => "aaaa",
            [3, 1, 0, 0] => "aaab",
            [2, 1, 1, 0] => "aabc",
            [2, 2, 0, 0] => "aabb",
            [1, 1, 1, 1] => "abcd",
            other => panic!("{other:?}"),
        };
        *found.entry(class).or_default() += 1;
        *found.entry("total").or_default() += 1;
    }
    let expected = reference();
    for (class, count) in found {
        assert_eq!(expected["cluster_counts"][class], count, "{class}");
    }
    assert_eq!(Clusters::get(Game::Holdem).count(), 169);
    let hands = |game| Clusters::get(game).iter().map(|(_, c)| c.hands()).sum::<u32>();
    assert_eq!((hands(Game::Holdem), hands(Game::Omaha)), (1326, 270_725));
}

#[test]
fn ids_and_clusters_name_each_other() {
    for game in [Game::Holdem, Game::Omaha] {
        let clusters = Clusters::get(game);
        for (id, cluster) in clusters.iter() {
            assert_eq!(clusters.cluster(id), cluster);
            assert_eq!(clusters.id_of(cluster.representative()), Ok(id));
            let multiset = clusters.multiset_of(id);
            assert!(clusters.of_multiset(multiset).contains(&id.0));
            assert_eq!(clusters.multisets().get(multiset), cluster.ranks());
        }
        let last = MultisetId(clusters.multisets().count() as u16 - 1);
        assert_eq!(usize::from(clusters.of_multiset(last).end), clusters.count());
    }
}

#[test]
fn permuting_suits_does_not_change_the_cluster() {
    let clusters = Clusters::get(Game::Omaha);
    for id in (0..clusters.count() as u16).step_by(37).map(ClusterId) {
        let cluster = clusters.cluster(id);
        let parts = cluster.parts();
        let mut hands = std::collections::BTreeSet::new();
        for order in [[0, 1, 2, 3], [1, 0, 2, 3], [3, 2, 1, 0], [2, 3, 0, 1], [1, 2, 3, 0]] {
            let hand = CardSet::from_suits(order.map(|s: usize| parts[s]));
            assert_eq!(Cluster::of(hand), *cluster);
            assert_eq!(clusters.id_of(hand), Ok(id));
            hands.insert(hand);
        }
        assert!(hands.len() <= cluster.hands() as usize);
    }
}

#[test]
fn sizes_are_those_of_the_reference() {
    let json = reference();
    for (key, one, two, game) in [
        ("omaha_cluster_cells", "cluster", "cluster", Game::Omaha),
        ("holdem_cells", "class", "class", Game::Holdem),
    ] {
        for cell in json[key].as_array().unwrap() {
            for (name, side) in [(one, 1), (two, 2)] {
                let text = cell[format!("{name}{side}")].as_str().unwrap();
                let clusters = Clusters::get(game);
                let id = clusters.id_of(hand(text)).unwrap();
                let hands = clusters.cluster(id).hands();
                assert_eq!(cell[format!("{name}{side}_hands")], hands, "{text}");
            }
        }
    }
}

/// The number of ways to lay the second hand's suits beside the first's that differ in what
/// flushes can do: in the pairs of suits of which one has two cards or more.
fn different_placements(first: &str, second: &str) -> usize {
    let suits = |text: &str| Cluster::of(hand(text)).parts();
    let (fixed, other) = (suits(first), suits(second));
    let mut different = std::collections::BTreeSet::new();
    for a in 0..4 {
        for b in (0..4).filter(|&b| b != a) {
            for c in (0..4).filter(|&c| c != a && c != b) {
                let order = [a, b, c, 6 - a - b - c];
                let pairs = (0..4).map(|s| (fixed[s], other[order[s]]));
                let flush = |(one, two): &(u16, u16)| one.count_ones().max(two.count_ones()) > 1;
                let mut pairs: Vec<_> = pairs.filter(flush).collect();
                pairs.sort_unstable();
                different.insert(pairs);
            }
        }
    }
    different.len()
}

#[test]
fn numbers_of_strategically_different_placements() {
    let (aaaa, aaab) = ("AsKsQsJs", "AsKsQsJh");
    let (aabc, aabb, abcd) = ("AsKsQhJd", "AsKsQhJh", "AsKhQdJc");
    // The same suits with other ranks, so that no card is shared.
    let low =
        |text: &str| text.replace('A', "2").replace('K', "3").replace('Q', "4").replace('J', "5");
    for (first, second, expected) in [
        (aaaa, aaaa, 2),
        (aaaa, aaab, 3),
        (aaaa, aabc, 4),
        (aaaa, aabb, 3),
        (aaab, aaab, 5),
        (aaab, aabc, 7),
        (aaab, aabb, 7),
        (aabc, aabc, 10),
        (aabc, aabb, 12),
        (aabb, aabb, 7),
        (abcd, aaaa, 4),
        (abcd, aabb, 12),
        (abcd, abcd, 1),
    ] {
        assert_eq!(different_placements(first, &low(second)), expected, "{first} {second}");
    }
}
