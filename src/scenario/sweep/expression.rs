//! Conditions on the axes of a sweep, and their values at a point.

use super::axis::Axis;

/// A part of a condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Number(f64),
    Text(String),
    /// An axis of numbers.
    Axis(usize),
    /// An axis of words.
    Word(usize),
    Minus(Box<Expression>),
    Arithmetic(Box<Expression>, char, Box<Expression>),
    /// Each compares with its neighbour.
    Chain(Vec<Expression>, Vec<Comparison>),
    Not(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    AtMost,
    More,
    AtLeast,
    Equal,
    Unequal,
}

impl Comparison {
    pub(super) fn of(symbol: &str) -> Option<Self> {
        Some(match symbol {
            "<" => Self::Less,
            "<=" => Self::AtMost,
            ">" => Self::More,
            ">=" => Self::AtLeast,
            "==" => Self::Equal,
            "!=" => Self::Unequal,
            _ => return None,
        })
    }

    fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Self::Less => a < b,
            Self::AtMost => a <= b,
            Self::More => a > b,
            Self::AtLeast => a >= b,
            Self::Equal => a == b,
            Self::Unequal => a != b,
        }
    }
}

/// What an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Text,
    Truth,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Truth => "a condition",
        }
    }
}

impl Expression {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Number(_) | Self::Axis(_) | Self::Minus(_) | Self::Arithmetic(..) => Kind::Number,
            Self::Text(_) | Self::Word(_) => Kind::Text,
            Self::Chain(..) | Self::Not(_) | Self::All(_) | Self::Any(_) => Kind::Truth,
        }
    }

    fn number(&self, axes: &[Axis], at: &[f64]) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Axis(axis) => axes[*axis].number(at[*axis]),
            Self::Minus(of) => -of.number(axes, at),
            Self::Arithmetic(left, operator, right) => {
                let (left, right) = (left.number(axes, at), right.number(axes, at));
                match operator {
                    '+' => left + right,
                    '-' => left - right,
                    '*' => left * right,
                    _ => left / right,
                }
            }
            // Kinds were checked.
            _ => f64::NAN,
        }
    }

    fn text<'a>(&'a self, axes: &'a [Axis], at: &[f64]) -> &'a str {
        match self {
            Self::Text(text) => text,
            Self::Word(axis) => axes[*axis].label(at[*axis]),
            // Kinds were checked.
            _ => "",
        }
    }

    /// Whether a condition holds at a point.
    pub(super) fn truth(&self, axes: &[Axis], at: &[f64]) -> bool {
        match self {
            Self::Chain(parts, comparisons) => {
                parts.windows(2).zip(comparisons).all(|(pair, comparison)| match pair[0].kind() {
                    Kind::Text => comparison.holds(pair[0].text(axes, at), pair[1].text(axes, at)),
                    _ => comparison.holds(pair[0].number(axes, at), pair[1].number(axes, at)),
                })
            }
            Self::Not(part) => !part.truth(axes, at),
            Self::All(parts) => parts.iter().all(|part| part.truth(axes, at)),
            Self::Any(parts) => parts.iter().any(|part| part.truth(axes, at)),
            // Kinds were checked.
            _ => false,
        }
    }
}
