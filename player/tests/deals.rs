//! Deals from seeds and from lines.

use retrotab_player::{Deal, DealError, Game, Start};

fn game() -> Game {
    Game::new(13, 3).unwrap()
}

#[test]
fn every_series_and_number_is_another_deal_with_all_cards() {
    let mut seen = std::collections::HashSet::new();
    for seed in [0, 1, 2, u64::MAX] {
        for number in 0..50 {
            let deal = Deal::shuffled(game(), Start::Stock, seed, number);
            let again = Deal::parse(game(), Start::Stock, &deal.to_string()).unwrap();
            assert_eq!(again, deal);
            assert!(seen.insert(deal.to_string()));
        }
    }
    let base = Deal::shuffled(game(), Start::Base, 1, 0);
    assert_eq!(base.cards().len(), 48);
    assert!(Deal::parse(game(), Start::Base, &base.to_string()).is_ok());
}

#[test]
fn every_rank_comes_first_equally_often() {
    let mut first = [0u32; 13];
    for number in 0..5200 {
        let deal = Deal::shuffled(game(), Start::Stock, 7, number);
        first[deal.cards()[0].index()] += 1;
    }
    // 400 each; the deals are fixed, so this cannot fail by chance.
    assert!(first.iter().all(|&count| (320..480).contains(&count)), "{first:?}");
}

#[test]
fn malformed_deals_say_what_is_wrong() {
    let good = "A23456789TJQK".repeat(4);
    let parse = |line: &str| Deal::parse(game(), Start::Stock, line);
    assert!(parse(&good).is_ok());
    assert!(parse(&format!(" {} \t{}", &good[..26], &good[26..])).is_ok());
    let error = parse(&good.replacen('7', "X", 1)).unwrap_err();
    assert!(matches!(error, DealError::Letter { letter: 'X', place: 7, .. }), "{error}");
    assert_eq!(parse(&good[1..]), Err(DealError::Length { expected: 52, found: 51 }));
    let error = parse(&good.replacen('7', "8", 1)).unwrap_err();
    assert_eq!(error, DealError::Count { letter: '7', expected: 4, found: 3 });
    assert!(error.to_string().contains("4 times 7"), "{error}");
    assert!(matches!(parse(""), Err(DealError::Length { found: 0, .. })));
    let mini = Game::new(7, 2).unwrap();
    let error = Deal::parse(mini, Start::Stock, "A234568").unwrap_err();
    assert!(error.to_string().contains("A234567"), "{error}");
}
