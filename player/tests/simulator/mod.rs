//! The rules of Calculation once more, from their description and sharing no code with the
//! crate: letters, strings and the published foundations.

/// The published foundations.
pub const FOUNDATIONS: [&str; 4] =
    ["A23456789TJQK", "2468TQA3579JK", "369Q258JA47TK", "48Q37J26TA59K"];

/// A game under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simulator {
    pub built: [String; 4],
    pub stacks: Vec<String>,
    pub hand: Option<char>,
}

impl Simulator {
    pub fn new(stacks: usize) -> Self {
        Self { built: Default::default(), stacks: vec![String::new(); stacks], hand: None }
    }

    fn grow(&mut self, foundation: usize, card: char) -> bool {
        let built = &mut self.built[foundation];
        built.push(card);
        let right = FOUNDATIONS[foundation].starts_with(built.as_str());
        if !right {
            built.pop();
        }
        right
    }

    /// Obeys a command if the rules allow it, and says whether they do: `b2` builds the hand on
    /// foundation 2, `p1` puts it on stack 1, `m03` moves the top of stack 0 to foundation 3.
    pub fn obey(&mut self, command: &str) -> bool {
        let digits: Vec<usize> =
            command.chars().skip(1).map(|c| c.to_digit(10).unwrap() as usize).collect();
        match (command.chars().next().unwrap(), self.hand) {
            ('b', Some(card)) if self.grow(digits[0], card) => {
                self.hand = None;
                true
            }
            ('p', Some(card)) => {
                self.stacks[digits[0]].push(card);
                self.hand = None;
                true
            }
            ('m', _) => match self.stacks[digits[0]].chars().last() {
                Some(top) if self.grow(digits[1], top) => {
                    self.stacks[digits[0]].pop();
                    true
                }
                _ => false,
            },
            _ => false,
        }
    }

    pub fn is_won(&self) -> bool {
        self.built.iter().all(|built| built.len() == 13)
    }
}
