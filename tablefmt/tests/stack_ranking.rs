//! Ranking and unranking of stack game positions are inverse, and dense.

use proptest::prelude::*;
use retrotab_tablefmt::stack::{
    Cards, Kind, Position, Ranking, Rule, StackSpec, Stacks, Turn, count,
};

fn ranking(stacks: u8, cards: u8) -> Ranking {
    let (stacks, cards) = (Stacks::try_from(stacks).unwrap(), Cards::try_from(cards).unwrap());
    Ranking::new(StackSpec { stacks, cards, rule: Rule::Sorted })
}

fn parse(ranking: &Ranking, a: &str, b: &str) -> Position {
    let spec = ranking.spec();
    Position::parse(a, b, spec.stacks, spec.cards).unwrap()
}

/// Entries that repeat a position: those of a lane against itself whose mirror is stored too,
/// before them.
fn repeated(ranking: &Ranking) -> u64 {
    let symmetry = ranking.symmetry();
    let repeated_of = |kind: Kind| {
        let turns = (0..symmetry.turn_count(kind, kind) as u8).map(Turn);
        turns.filter(|&t| symmetry.swapped(kind, kind, t) < t).count() as u64
    };
    let kinds = || (0..symmetry.kinds() as u8).map(Kind);
    let cards = ranking.spec().cards.get();
    let lanes = |kind| (0..=cards).map(move |k| ranking.lanes(k).of_kind(kind).len() as u64);
    kinds().map(|kind| repeated_of(kind) * lanes(kind).sum::<u64>()).sum()
}

#[test]
fn entries_are_the_positions_in_closed_form_and_the_repeated_ones() {
    for stacks in 1..=5 {
        for cards in 0..=12 {
            let ranking = ranking(stacks, cards);
            let spec = ranking.spec();
            let positions = count::positions(spec.stacks, spec.cards);
            assert_eq!(ranking.entries(), positions + repeated(&ranking), "{spec}");
        }
    }
}

#[test]
fn entries_of_the_full_tables() {
    assert_eq!(ranking(3, 12).entries(), 780_042_375);
    assert_eq!(ranking(4, 12).entries(), 6_277_202_471);
}

#[test]
fn every_entry_of_small_tables_is_found_again() {
    for (stacks, cards) in [(1, 9), (2, 7), (3, 5), (4, 5), (5, 4)] {
        let ranking = ranking(stacks, cards);
        let mut found = 0;
        for index in 0..ranking.entries() {
            let position = ranking.unrank(index).unwrap();
            let rank = ranking.rank(&position).unwrap();
            assert!(rank <= index, "{position} of entry {index} is ranked {rank}");
            if rank < index {
                assert_eq!(ranking.rank(&ranking.unrank(rank).unwrap()), Some(rank));
            } else {
                found += 1;
            }
        }
        let spec = ranking.spec();
        assert_eq!(found, count::positions(spec.stacks, spec.cards), "{spec}");
        assert_eq!(ranking.unrank(ranking.entries()), None);
    }
}

#[test]
fn lanes_with_too_many_cards_or_stacks_have_no_rank() {
    let small = ranking(2, 3);
    let large = ranking(4, 6);
    assert_eq!(small.rank(&parse(&large, "....", "-")), None);
    assert_eq!(small.rank(&parse(&large, ".3", "-")), None);
    assert_eq!(small.rank(&parse(&large, ".1", "...")), small.rank(&parse(&small, ".0", "...")));
}

/// A lane of at most `cards` cards as text, with a stock card first.
fn lane_text(stacks: u8, cards: u8) -> impl Strategy<Value = String> {
    let card = prop_oneof![
        Just('.'),
        (0..stacks).prop_map(|s| char::from_digit(u32::from(s), 10).unwrap())
    ];
    proptest::collection::vec(card, 0..usize::from(cards)).prop_map(|rest| {
        let text: String = rest.into_iter().collect();
        if text.is_empty() { "-".to_owned() } else { format!(".{text}") }
    })
}

fn any_position() -> impl Strategy<Value = (u8, String, String)> {
    (1u8..=5).prop_flat_map(|stacks| (Just(stacks), lane_text(stacks, 12), lane_text(stacks, 12)))
}

fn rename(text: &str, names: &[u8]) -> String {
    let renamed = |c: char| match c.to_digit(10) {
        Some(stack) => char::from_digit(u32::from(names[stack as usize]), 10).unwrap(),
        None => c,
    };
    text.chars().map(renamed).collect()
}

thread_local! {
    static RANKINGS: Vec<Ranking> = (1..=5).map(|stacks| ranking(stacks, 13)).collect();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_same_position_has_one_rank(
        (stacks, a, b) in any_position(),
        names in Just(vec![0u8, 1, 2, 3, 4]).prop_shuffle(),
    ) {
        RANKINGS.with(|rankings| {
            let ranking = &rankings[usize::from(stacks) - 1];
            let names: Vec<u8> = names.into_iter().filter(|&s| s < stacks).collect();
            let position = parse(ranking, &a, &b);
            let rank = ranking.rank(&position).unwrap();

            let renamed = parse(ranking, &rename(&a, &names), &rename(&b, &names));
            prop_assert_eq!(ranking.rank(&renamed), Some(rank), "{} renamed", position);
            let swapped = Position { a: position.b, b: position.a };
            prop_assert_eq!(ranking.rank(&swapped), Some(rank), "{} swapped", position);
            Ok(())
        })?;
    }

    #[test]
    fn a_repeated_card_does_not_count((stacks, a, b) in any_position()) {
        RANKINGS.with(|rankings| {
            let ranking = &rankings[usize::from(stacks) - 1];
            let rank = ranking.rank(&parse(ranking, &a, &b));
            for (at, card) in a.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
                let mut repeated = a.clone();
                repeated.insert(at, card);
                let found = ranking.rank(&parse(ranking, &repeated, &b));
                prop_assert_eq!(found, rank, "{}", repeated);
            }
            Ok(())
        })?;
    }

    #[test]
    fn unranking_gives_the_position_up_to_renaming_and_swapping((stacks, a, b) in any_position()) {
        RANKINGS.with(|rankings| {
            let ranking = &rankings[usize::from(stacks) - 1];
            let position = parse(ranking, &a, &b);
            let found = ranking.unrank(ranking.rank(&position).unwrap()).unwrap();
            let symmetry = ranking.symmetry();
            let perms = (0..symmetry.perms() as u8).map(retrotab_tablefmt::stack::PermId);
            let same = perms.map(|p| symmetry.perm(p)).any(|perm| {
                let (x, y) = (found.a.renamed(perm), found.b.renamed(perm));
                (x, y) == (position.a, position.b) || (y, x) == (position.a, position.b)
            });
            prop_assert!(same, "{} became {}", position, found);
            Ok(())
        })?;
    }

    #[test]
    fn any_entry_of_the_largest_tables_is_found_again(stacks in 1u8..=5, part in 0.0f64..1.0) {
        RANKINGS.with(|rankings| {
            let ranking = &rankings[usize::from(stacks) - 1];
            let index = (ranking.entries() as f64 * part) as u64;
            let rank = ranking.rank(&ranking.unrank(index).unwrap()).unwrap();
            let again = ranking.rank(&ranking.unrank(rank).unwrap()).unwrap();
            prop_assert!(rank <= index && again == rank, "{} {} {}", index, rank, again);
            Ok(())
        })?;
    }
}
