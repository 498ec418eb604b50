//! The words of a condition.

use std::ops::Range;

use super::constraint::ConstraintError;

/// A word of a condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    Number(f64),
    Text(String),
    Name(String),
    Symbol(String),
}

const SYMBOLS: [&str; 12] = ["<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "(", ")"];

/// Cuts a condition into words, each with its place.
pub(super) fn words(text: &str) -> Result<Vec<(Word, Range<usize>)>, ConstraintError> {
    let mut words = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let length =
            |is_part: &dyn Fn(char) -> bool| rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if first.is_whitespace() {
            start += first.len_utf8();
            continue;
        }
        let (word, taken) = if first.is_ascii_digit() || first == '.' {
            let taken = number_length(rest);
            match rest[..taken].parse() {
                Ok(number) => (Ok(Word::Number(number)), taken),
                Err(_) => (Err("is not a number"), taken),
            }
        } else if first.is_alphabetic() || first == '_' {
            let taken = length(&|c| c.is_alphanumeric() || c == '_');
            (Ok(Word::Name(rest[..taken].to_owned())), taken)
        } else if first == '\'' || first == '"' {
            match rest[1..].find(first) {
                Some(end) => (Ok(Word::Text(rest[1..=end].to_owned())), end + 2),
                None => (Err("has no end"), rest.len()),
            }
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            (Ok(Word::Symbol((*symbol).to_owned())), symbol.len())
        } else {
            (Err("is not understood"), first.len_utf8())
        };
        let range = start..start + taken;
        match word {
            Ok(word) => words.push((word, range)),
            Err(what) => {
                let message = format!("`{}` {what}", &rest[..taken]);
                return Err(ConstraintError { range, message, help: None });
            }
        }
        start += taken;
    }
    Ok(words)
}

/// Digits, points and an exponent with its sign.
fn number_length(text: &str) -> usize {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let is_sign = "+-".contains(c) && "eE".contains(before);
        if !c.is_ascii_alphanumeric() && c != '.' && !is_sign {
            return at;
        }
        before = c;
    }
    text.len()
}
