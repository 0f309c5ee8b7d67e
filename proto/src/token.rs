//! The token that proves to a coordinator that a caller may speak to it.

use std::fmt;
use std::path::{Path, PathBuf};

use subtle::ConstantTimeEq;
use tonic::metadata::{Ascii, MetadataValue};

use crate::secret_file::{self, SecretFileError};

/// Fewest bytes of a token: what is shorter can be guessed.
pub const MIN_TOKEN: usize = 16;
/// Most bytes of a token: it has to fit into the headers of a request.
pub const MAX_TOKEN: usize = 4096;
/// Random bytes of a new token.
const RANDOM_BYTES: usize = 32;

/// A secret that the coordinator and everybody who may call it know: 16 to 4096 printable ASCII
/// characters without spaces. It is never shown, and compared in a time that does not depend on
/// how much of a guess is right.
#[derive(Clone)]
pub struct Token(Box<str>);

/// Why there is no token in a file.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be used.
    #[error("no token: {0}")]
    File(#[from] SecretFileError),
    /// What is in it is no token.
    #[error(
        "no token: {}: {fault}; `retrotab token --out FILE` makes a new one", path.display()
    )]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        fault: TokenFault,
    },
}

/// Why bytes are no token. Says nothing of the bytes themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenFault {
    /// Too short or too long.
    #[error("it has {0} characters, where a token has {MIN_TOKEN} to {MAX_TOKEN}")]
    Length(usize),
    /// A space, a line break, or not ASCII.
    #[error("character {0} is not printable ASCII, or a space; a token is one line of one word")]
    Character(usize),
}

impl Token {
    /// Reads a token from a file; white space around it does not count.
    ///
    /// # Errors
    /// [`TokenError`], also if others than owner and group can read the file.
    pub fn read(path: &Path) -> Result<Token, TokenError> {
        // Room for line breaks around the longest token.
        let bytes = secret_file::read(path, MAX_TOKEN as u64 + 64)?;
        let content = |fault| TokenError::Content { path: path.to_owned(), fault };
        Token::parse(bytes.trim_ascii()).map_err(content)
    }

    /// Takes bytes as a token.
    ///
    /// # Errors
    /// [`TokenFault`].
    pub fn parse(bytes: &[u8]) -> Result<Token, TokenFault> {
        if let Some(at) = bytes.iter().position(|byte| !byte.is_ascii_graphic()) {
            return Err(TokenFault::Character(at + 1));
        }
        if !(MIN_TOKEN..=MAX_TOKEN).contains(&bytes.len()) {
            return Err(TokenFault::Length(bytes.len()));
        }
        Ok(Token(bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into()))
    }

    /// A new token: 32 random bytes of the operating system, in hexadecimal.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn random() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; RANDOM_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Token(hex::encode(bytes).into()))
    }

    /// Whether a caller gave this token. The time depends on the length given alone.
    pub fn matches(&self, given: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(given).into()
    }

    /// The token itself, to be written to a file; for nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The value of the metadata `authorization` with which a caller shows the token.
    pub fn bearer(&self) -> MetadataValue<Ascii> {
        let value = MetadataValue::try_from(format!("Bearer {}", self.0));
        let mut value = value.expect("printable ASCII is a metadata value");
        value.set_sensitive(true);
        value
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(not shown)")
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use proptest::prelude::*;

    use super::*;

    const GOOD: &str = "abcdefghijklmn:~";

    fn read(content: &[u8]) -> Result<Token, TokenError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        Token::read(&path)
    }

    #[test]
    fn white_space_around_a_token_does_not_count() {
        for content in [GOOD.to_owned(), format!("{GOOD}\n"), format!(" \t{GOOD}\r\n\n")] {
            assert!(read(content.as_bytes()).unwrap().matches(GOOD.as_bytes()));
        }
        let longest = "x".repeat(MAX_TOKEN) + "\r\n";
        assert_eq!(read(longest.as_bytes()).unwrap().expose().len(), MAX_TOKEN);
    }

    #[test]
    fn what_is_no_token_is_refused_without_showing_it() {
        let long = "x".repeat(MAX_TOKEN + 1);
        for (content, says) in [
            ("", "0 characters"),
            (" \n", "0 characters"),
            ("fifteen-letters", "15 characters"),
            (long.as_str(), "4097 characters"),
            ("two words are no token", "character 4"),
            ("sixteen-letters-\nand-more-of-them", "character 17"),
            ("sixteen-letters-\0", "character 17"),
            ("sixteen-letters-\u{e4}", "character 17"),
        ] {
            let error = read(content.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(says), "{content}: {error}");
            assert!(error.contains("retrotab token"), "{error}");
            assert!(!error.contains("letters") && !error.contains("words are"), "{error}");
        }
        let error = read(&[b'x'; 2 * MAX_TOKEN]).unwrap_err();
        assert!(matches!(error, TokenError::File(SecretFileError::TooLong { .. })), "{error}");
    }

    #[test]
    fn a_token_is_never_shown() {
        let token = Token::parse(GOOD.as_bytes()).unwrap();
        for shown in [format!("{token:?}"), format!("{:?}", token.bearer())] {
            assert!(!shown.contains("abc"), "{shown}");
        }
        assert_eq!(token.bearer().to_str().unwrap(), format!("Bearer {GOOD}"));
    }

    #[test]
    fn new_tokens_are_tokens_and_differ() {
        let (one, two) = (Token::random().unwrap(), Token::random().unwrap());
        assert!(Token::parse(one.expose().as_bytes()).unwrap().matches(one.expose().as_bytes()));
        assert!(!one.matches(two.expose().as_bytes()));
    }

    proptest! {
        #[test]
        fn only_the_same_bytes_match(
            token in "[!-~]{16,40}",
            other in prop::collection::vec(any::<u8>(), 0..50),
            cut in 0..16_usize,
        ) {
            let bytes = token.as_bytes();
            let token = Token::parse(bytes).unwrap();
            prop_assert!(token.matches(bytes));
            prop_assert_eq!(token.matches(&other), bytes == other);
            prop_assert!(!token.matches(&bytes[..cut]));
            let mut flipped = bytes.to_vec();
            flipped[cut] ^= 1;
            prop_assert!(!token.matches(&flipped));
            prop_assert!(!token.matches(&[bytes, b"x"].concat()));
        }
    }
}
