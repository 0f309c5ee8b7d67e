//! A plan as a message, and back.

use retrotab_proto::v1::JobDescription;
use retrotab_tablefmt::spec::TableSpec;

use super::{Difference, Plan, PlanError, UnitSize};

/// A description that is no job of this program's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadDescription {
    /// The table is not one this program knows.
    #[error("the job's table is not known to this version of retrotab: {0}")]
    Table(String),
    /// The job cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The sender plans the job differently, so its shards would differ too.
    #[error("the job is planned by another version of retrotab ({})", list(.0))]
    OtherPlan(Vec<Difference>),
}

fn list(differences: &[Difference]) -> String {
    differences.iter().map(Difference::to_string).collect::<Vec<_>>().join("; ")
}

impl Plan {
    /// What a worker, or a later run, needs to know to make the same plan.
    pub fn description(&self) -> JobDescription {
        JobDescription {
            job_digest: self.digest().0.to_vec(),
            table: serde_json::to_string(self.spec()).expect("a specification is plain data"),
            unit_entries: self.unit_entries(),
            identity_text: self.identity().text().to_owned(),
        }
    }

    /// The plan that a description is of.
    ///
    /// # Errors
    /// [`BadDescription`] if this program would not make the same shards.
    pub fn of_description(description: &JobDescription) -> Result<Plan, BadDescription> {
        let spec: TableSpec = serde_json::from_str(&description.table)
            .map_err(|error| BadDescription::Table(error.to_string()))?;
        let plan = Plan::new(spec, UnitSize::Entries(description.unit_entries))?;
        let differences = plan.identity().differences(&description.identity_text);
        if !differences.is_empty() || description.job_digest != plan.digest().0 {
            return Err(BadDescription::OtherPlan(differences));
        }
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::test_layouts::stack_spec;

    #[test]
    fn a_plan_survives_being_described() {
        let plan = Plan::new(stack_spec(3, 4), UnitSize::Entries(200_000)).unwrap();
        let described = plan.description();
        assert_eq!(Plan::of_description(&described).unwrap().identity(), plan.identity());
        assert!(described.table.contains("\"stack\""), "{}", described.table);
    }

    #[test]
    fn what_would_give_other_shards_is_refused() {
        let sound = Plan::new(stack_spec(3, 4), UnitSize::Automatic).unwrap().description();
        let table = |table: &str| JobDescription { table: table.to_owned(), ..sound.clone() };
        for unknown in ["", "{}", r#"{"family":"chess"}"#, r#"{"family":"stack","stacks":9}"#] {
            let result = Plan::of_description(&table(unknown));
            assert!(matches!(result, Err(BadDescription::Table(_))), "{unknown}: {result:?}");
        }
        let mut other = sound.clone();
        other.identity_text = other.identity_text.replace("job-format 1", "job-format 7");
        let text = Plan::of_description(&other).unwrap_err().to_string();
        assert!(text.contains("job-format: 7 there, 1 asked for"), "{text}");
        let mut other = sound;
        other.unit_entries = 0;
        assert!(matches!(Plan::of_description(&other), Err(BadDescription::OtherPlan(_))));
    }
}
