//! What the sections of a stack table need.
//!
//! Section `k,l` holds the positions whose longer lane has `k` stock cards and whose shorter
//! one has `l`. A draw takes one stock card from either lane, so its values come from the
//! sections `k-1,l` and `k,l-1`, each named with the larger number first.

use std::collections::HashMap;

use retrotab_tablefmt::layout::{SectionId, TableLayout};

use super::PlanError;

/// For every section of the layout, the sections it needs.
///
/// # Errors
/// [`PlanError`] if a section is not named `k,l` with `k >= l`, or a needed one is missing.
pub fn needs(layout: &TableLayout) -> Result<Vec<Vec<SectionId>>, PlanError> {
    let names = layout.sections.iter().map(|s| s.name.as_str());
    let by_name: HashMap<&str, SectionId> = names.clone().zip((0..).map(SectionId)).collect();
    let find = |section, (a, b): (u32, u32)| {
        let need = format!("{},{}", a.max(b), a.min(b));
        let found = by_name.get(need.as_str()).copied();
        found.ok_or(PlanError::NeedMissing { section, need })
    };
    (0..)
        .map(SectionId)
        .zip(names)
        .map(|(section, name)| {
            let (k, l) = stock_cards(name)
                .ok_or_else(|| PlanError::BadName { section, name: name.to_owned() })?;
            let mut needs = Vec::with_capacity(2);
            if k >= 1 {
                needs.push(find(section, (k - 1, l))?);
            }
            // For k = l both draws lead to the same section.
            if l >= 1 && k != l {
                needs.push(find(section, (k, l - 1))?);
            }
            Ok(needs)
        })
        .collect()
}

/// The two numbers in a section's name, the larger one first.
fn stock_cards(name: &str) -> Option<(u32, u32)> {
    let (k, l) = name.split_once(',')?;
    let (k, l) = (k.parse().ok()?, l.parse().ok()?);
    (k >= l && format!("{k},{l}") == name).then_some((k, l))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::test_layouts::{layout, stack_layout};

    fn needed_names(layout: &TableLayout, section: &str) -> Vec<String> {
        let index = layout.sections.iter().position(|s| s.name == section).unwrap();
        let needs = needs(layout).unwrap();
        let name = |s: &SectionId| layout.sections[s.0 as usize].name.clone();
        needs[index].iter().map(name).collect()
    }

    #[test]
    fn draws_lead_to_the_two_neighbours_below() {
        let layout = stack_layout(4, |_, _| 1);
        assert!(needed_names(&layout, "0,0").is_empty());
        assert_eq!(needed_names(&layout, "1,0"), ["0,0"]);
        assert_eq!(needed_names(&layout, "1,1"), ["1,0"]);
        assert_eq!(needed_names(&layout, "3,0"), ["2,0"]);
        assert_eq!(needed_names(&layout, "2,1"), ["1,1", "2,0"]);
        assert_eq!(needed_names(&layout, "4,3"), ["3,3", "4,2"]);
        assert_eq!(needed_names(&layout, "4,4"), ["4,3"]);
    }

    #[test]
    fn odd_names_and_missing_sections_are_refused() {
        for name in ["", "1", "1,2", "2,-1", "02,1", "2, 1", "a,b", "2,1,0"] {
            let result = needs(&layout(&[(name, 1)]));
            assert!(matches!(result, Err(PlanError::BadName { .. })), "{name}: {result:?}");
        }
        let result = needs(&layout(&[("0,0", 1), ("2,0", 1)]));
        let missing = PlanError::NeedMissing { section: SectionId(1), need: "1,0".to_owned() };
        assert_eq!(result, Err(missing));
    }
}
