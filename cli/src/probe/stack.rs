//! What a table says of a position of the stack game, for people.

use retrotab_tablefmt::lookup::FoundStack;

pub fn describe(found: &FoundStack) -> String {
    let FoundStack { position, entry, value } = found;
    format!("{position}  {:.6}  ({value}/65535, entry {entry})\n", found.share())
}
