//! What the sections of a stick table need.
//!
//! Section `n` holds the positions of n sticks. A move strikes one stick or more, up to the
//! longest row, so its values come from the sections just below, as many as that.

use retrotab_tablefmt::layout::{SectionId, SectionSpec, TableLayout};
use retrotab_tablefmt::sticks::SticksSpec;

use super::PlanError;

/// For every section of the layout, the sections it needs.
///
/// # Errors
/// [`PlanError`] if the sections are not named `0`, `1`, `2`, ... in order, or there are more
/// than the rows have sticks.
pub fn needs(spec: SticksSpec, layout: &TableLayout) -> Result<Vec<Vec<SectionId>>, PlanError> {
    let sections = (0..).map(SectionId).zip(&layout.sections);
    sections
        .map(|(section, SectionSpec { name, .. })| {
            let sticks = u8::try_from(section.0).ok();
            let sticks = sticks.filter(|&n| n <= spec.rows.sticks() && *name == n.to_string());
            let sticks =
                sticks.ok_or_else(|| PlanError::BadName { section, name: name.clone() })?;
            let below = spec.sticks_after_a_move(sticks);
            Ok(below.map(|sticks| SectionId(sticks.into())).collect())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use retrotab_tablefmt::sticks::{Ranking, Rows};

    use super::*;
    use crate::plan::test_layouts::layout;

    fn spec(rows: u8) -> SticksSpec {
        SticksSpec { rows: Rows::try_from(rows).unwrap() }
    }

    #[test]
    fn the_levels_that_some_move_leads_to() {
        for rows in 1..=6 {
            let needs = needs(spec(rows), &spec(rows).layout()).unwrap();
            let ranking = Ranking::of(spec(rows));
            let mut expected = vec![BTreeSet::new(); needs.len()];
            for index in 0..ranking.entries() {
                let position = ranking.unrank(index).unwrap();
                let after = position.moves().map(|played| position.after(played).sticks());
                expected[usize::from(position.sticks())].extend(after.map(u32::from));
            }
            for (sticks, (needs, expected)) in needs.iter().zip(&expected).enumerate() {
                let needs: BTreeSet<u32> = needs.iter().map(|section| section.0).collect();
                assert_eq!(needs, *expected, "{rows} rows, {sticks} sticks");
            }
        }
    }

    #[test]
    fn odd_names_are_refused() {
        let too_many = [("0", 1), ("1", 1), ("2", 1)];
        for names in [&[("1", 1)][..], &[("0", 1), ("01", 1)], &[("0", 1), ("", 1)], &too_many] {
            let result = needs(spec(1), &layout(names));
            assert!(matches!(result, Err(PlanError::BadName { .. })), "{names:?}: {result:?}");
        }
        assert!(needs(spec(1), &layout(&too_many[..2])).is_ok());
    }
}
