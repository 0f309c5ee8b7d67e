//! Layouts made by hand for tests.

use retrotab_tablefmt::layout::{Column, EntryType, SectionSpec, TableLayout};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Cards, Rule, StackSpec, Stacks};

pub(crate) fn layout(sections: &[(&str, u64)]) -> TableLayout {
    let column = Column { name: "value".to_owned(), entry: EntryType::U16 };
    let sections = sections.iter();
    let sections = sections.map(|&(name, entries)| SectionSpec { name: name.to_owned(), entries });
    TableLayout { columns: vec![column], sections: sections.collect() }
}

/// Sections `k,l` for `cards >= k >= l`, ordered by level, then by k.
pub(crate) fn stack_layout(cards: u8, entries: impl Fn(u8, u8) -> u64) -> TableLayout {
    let mut pairs: Vec<_> = (0..=cards).flat_map(|k| (0..=k).map(move |l| (k, l))).collect();
    pairs.sort_by_key(|&(k, l)| (k + l, k));
    let sections: Vec<_> =
        pairs.into_iter().map(|(k, l)| (format!("{k},{l}"), entries(k, l))).collect();
    layout(&sections.iter().map(|(name, n)| (name.as_str(), *n)).collect::<Vec<_>>())
}

pub(crate) fn stack_spec(stacks: u8, cards: u8) -> TableSpec {
    let (stacks, cards) = (Stacks::try_from(stacks), Cards::try_from(cards));
    TableSpec::Stack(StackSpec {
        stacks: stacks.unwrap(),
        cards: cards.unwrap(),
        rule: Rule::Sorted,
    })
}
