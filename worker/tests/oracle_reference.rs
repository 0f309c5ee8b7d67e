//! The naive solver against published fractions, and the theorems the tables rest on.

#[allow(dead_code, reason = "each test file uses its part of the oracle")]
mod oracle;

use oracle::{Combine, Exact, Random, Raw, fraction, rename, renamings};

#[test]
fn published_fractions() {
    for (stacks, a, b, (num, den)) in [
        (1, "...", "...", (11, 18)),
        (2, "...", "...", (59, 60)),
        (1, "....", "....", (2441, 10080)),
        (2, "....", "....", (16663, 20160)),
        (3, "....", "....", (95, 96)),
        (4, "....", "....", (3359, 3360)),
        (1, "..", ".....", (499, 1680)),
        (2, "..", ".....", (5, 6)),
        (3, "..", ".....", (104, 105)),
        (1, "......", "-", (11, 60)),
        (2, "......", "-", (32, 45)),
        (3, "......", "-", (347, 360)),
        (4, "......", "-", (719, 720)),
    ] {
        let value = Exact::new(stacks, Combine::Sorted).value(&Raw::new(a, b));
        assert_eq!(value, fraction(num, den), "{stacks} stacks: {a} {b}");
    }
}

#[test]
fn renaming_swapping_and_repeating_change_nothing() {
    let mut random = Random(0x5EED);
    for round in 0..60 {
        let stacks = 1 + (round % 4) as u8;
        let combine = if round % 2 == 0 { Combine::Sorted } else { Combine::Choice };
        let [a, b] = random.position(stacks, 5, 5);
        let mut exact = Exact::new(stacks, combine);
        let value = exact.value(&Raw::new(&a, &b));
        assert_eq!(exact.value(&Raw::new(&b, &a)), value, "{a} {b} swapped");
        for names in renamings(stacks) {
            let renamed = Raw::new(&rename(&a, &names), &rename(&b, &names));
            assert_eq!(exact.value(&renamed), value, "{a} {b} renamed by {names:?}");
        }
        for (at, card) in a.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
            let mut repeated = a.clone();
            repeated.insert(at, card);
            assert_eq!(exact.value(&Raw::new(&repeated, &b)), value, "{repeated} {b}");
        }
    }
}
