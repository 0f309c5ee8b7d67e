//! What the sections of a hand table need: nothing. Cells do not depend on each other.

use retrotab_tablefmt::layout::{SectionId, TableLayout};

/// For every section of the layout, no sections.
pub fn needs(layout: &TableLayout) -> Vec<Vec<SectionId>> {
    vec![Vec::new(); layout.sections.len()]
}

#[cfg(test)]
mod tests {
    use retrotab_tablefmt::hands::{Game, HandsSpec};
    use retrotab_tablefmt::spec::TableSpec;

    use crate::plan::{Plan, UnitSize};

    #[test]
    fn whole_sections_are_units_that_need_nothing() {
        for (game, sections) in [(Game::Holdem, 1), (Game::Omaha, 100)] {
            let plan = Plan::new(TableSpec::Hands(HandsSpec { game }), UnitSize::Automatic);
            let plan = plan.unwrap();
            let graph = plan.graph();
            assert!(graph.section_count() >= sections);
            assert_eq!(graph.unit_count(), graph.section_count());
            assert!(graph.sections().all(|section| graph.section(section).needs.is_empty()));
        }
    }
}
