//! The oracle against the values of the design, and against what must not change a value.

mod oracle;

use fastrand::Rng;
use num_rational::BigRational;
use oracle::distinct::{renamed, renamings};
use oracle::exact::{chosen, chosen_by_sum, exact, fraction};
use oracle::random::{Size, random_raw, seed};
use oracle::raw::Card;
use oracle::{Mean, Raw};

#[test]
fn values_of_the_design() {
    let cases = [
        (1, "...", "...", 11, 18),
        (2, "...", "...", 59, 60),
        (1, "....", "....", 2441, 10080),
        (2, "....", "....", 16663, 20160),
        (3, "....", "....", 95, 96),
        (4, "....", "....", 3359, 3360),
        (1, "..", ".....", 499, 1680),
        (2, "..", ".....", 5, 6),
        (3, "..", ".....", 104, 105),
        (1, "......", "-", 11, 60),
        (2, "......", "-", 32, 45),
        (3, "......", "-", 347, 360),
        (4, "......", "-", 719, 720),
    ];
    for (stacks, a, b, numerator, denominator) in cases {
        let value = exact(stacks, Mean::Plain).value(&Raw::parse(a, b));
        assert_eq!(value, fraction(numerator, denominator), "{stacks} stacks: {a} {b}");
    }
}

/// Games on one stack that are small enough to work out on paper.
#[test]
fn placements_by_hand() {
    let cases = [
        ("..", "-", 1, 1),
        // Of the six orders only middle, last, first loses: the last card may not go on top of
        // the middle one.
        ("...", "-", 5, 6),
        // The other lane's stack card has distance 1, no less than the second card here.
        ("..", ".0", 1, 1),
        // Four draws: A1 wins; A2 goes to the stack and leaves (1 + 0 + 1/2) / 3; A3 has
        // distance 2 and may not go on a card of distance 1; B1 leaves three cards alone, 5/6.
        ("...", ".0", 7, 12),
        // Stack cards that are needed are played.
        ("0.", "00", 1, 1),
    ];
    for (a, b, numerator, denominator) in cases {
        let value = exact(1, Mean::Plain).value(&Raw::parse(a, b));
        assert_eq!(value, fraction(numerator, denominator), "{a} {b}");
    }
}

#[test]
fn choice_is_the_printed_sum() {
    let mut rng = Rng::with_seed(seed());
    for draws in 1..=26 {
        for _ in 0..20 {
            let values: Vec<BigRational> =
                (0..draws).map(|_| fraction(rng.i64(0..=12), rng.i64(12..=15))).collect();
            assert_eq!(chosen(&values), chosen_by_sum(&values), "{values:?}");
        }
    }
}

#[test]
fn other_words_for_a_position_have_its_value() {
    let mut rng = Rng::with_seed(seed());
    for mean in Mean::ALL {
        for stacks in 1..=4 {
            let mut oracle = exact(stacks, mean);
            let size = Size { stacks, cards: 5, stock: 6 };
            for _ in 0..75 {
                let raw = random_raw(&mut rng, size);
                let value = oracle.value(&raw);
                for (how, same) in other_words(&mut rng, &raw, stacks) {
                    assert_eq!(oracle.value(&same), value, "{stacks} stacks, {how}: {raw}, {same}");
                }
            }
        }
    }
}

/// The position with stacks renamed, with lanes swapped, and with every stack card said twice,
/// once at the end of its gap.
fn other_words(rng: &mut Rng, raw: &Raw, stacks: u8) -> [(&'static str, Raw); 3] {
    let names = rng.choice(renamings(stacks)).expect("there is at least one renaming");
    let [a, b] = raw.lanes.clone();
    let repeated = raw.lanes.each_ref().map(|lane| {
        let gaps = lane.split(|&card| card == Card::Stock);
        let twice: Vec<Vec<Card>> = gaps.map(|gap| [gap, gap].concat()).collect();
        twice.join(&Card::Stock)
    });
    [
        ("stacks renamed", renamed(raw, &names)),
        ("lanes swapped", Raw { lanes: [b, a] }),
        ("cards repeated", Raw { lanes: repeated }),
    ]
}
