//! Names of stored shards.

use std::fmt;

use crate::shard::UnitId;

const SUFFIX: &str = ".shard.zst";

/// Name of a stored shard: `00000012.shard.zst`, or `00000012.<BLAKE3>.shard.zst`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShardName {
    /// The unit.
    pub unit: UnitId,
    /// BLAKE3 of the shard's bytes, where names tell it.
    pub blake3: Option<blake3::Hash>,
}

/// What names of shards say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// The unit alone: one writer, one shard for each unit.
    ByUnit,
    /// The unit and the digest of the bytes: many writers, and none overwrites another's.
    ByContent,
}

impl Naming {
    /// The name of a unit's shard with this digest.
    pub fn name(self, unit: UnitId, blake3: blake3::Hash) -> ShardName {
        let blake3 = (self == Naming::ByContent).then_some(blake3);
        ShardName { unit, blake3 }
    }
}

impl ShardName {
    /// Reads a name; `None` if it is none, to the letter. The text may be anybody's.
    pub fn parse(text: &str) -> Option<ShardName> {
        let stem = text.strip_suffix(SUFFIX)?;
        let (unit, digest) = match stem.split_once('.') {
            Some((unit, digest)) => (unit, Some(digest)),
            None => (stem, None),
        };
        let unit = UnitId(unit.parse().ok()?);
        let blake3 = digest.map(blake3::Hash::from_hex).transpose().ok()?;
        let name = ShardName { unit, blake3 };
        // One shard, one name: other spellings of the same numbers are no names.
        (name.to_string() == text).then_some(name)
    }

    /// What it says.
    pub fn naming(&self) -> Naming {
        if self.blake3.is_some() { Naming::ByContent } else { Naming::ByUnit }
    }
}

impl fmt::Display for ShardName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08}", self.unit.0)?;
        if let Some(digest) = &self.blake3 {
            write!(f, ".{}", digest.to_hex())?;
        }
        f.write_str(SUFFIX)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_exact_names_are_read() {
        let digest = blake3::hash(b"x");
        let hex = digest.to_hex();
        let name = Naming::ByContent.name(UnitId(12), digest);
        assert_eq!(name.to_string(), format!("00000012.{hex}.shard.zst"));
        assert_eq!(ShardName::parse(&name.to_string()), Some(name));
        let plain = Naming::ByUnit.name(UnitId(u32::MAX), digest);
        assert_eq!(plain.to_string(), "4294967295.shard.zst");
        assert_eq!(ShardName::parse("4294967295.shard.zst"), Some(plain));
        let others = [
            format!("12.{hex}.shard.zst"),
            format!("000000012.{hex}.shard.zst"),
            format!("+0000012.{hex}.shard.zst"),
            format!("00000012.{}.shard.zst", hex.to_uppercase()),
            format!("00000012.{}.shard.zst", &hex[1..]),
            format!("00000012.{hex}.shard.zst.part"),
            format!("00000012.{hex}.{hex}.shard.zst"),
            format!("../00000012.{hex}.shard.zst"),
            "00000012..shard.zst".to_owned(),
            "4294967296.shard.zst".to_owned(),
            ".shard.zst".to_owned(),
            String::new(),
        ];
        for other in others {
            assert_eq!(ShardName::parse(&other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn names_come_back(unit: u32, bytes: [u8; 32], by_unit: bool) {
            let naming = if by_unit { Naming::ByUnit } else { Naming::ByContent };
            let name = naming.name(UnitId(unit), blake3::Hash::from_bytes(bytes));
            prop_assert_eq!(ShardName::parse(&name.to_string()), Some(name));
        }

        #[test]
        fn any_text_is_parsed_without_harm(text in ".{0,90}") {
            if let Some(name) = ShardName::parse(&text) {
                prop_assert_eq!(name.to_string(), text);
            }
        }
    }
}
