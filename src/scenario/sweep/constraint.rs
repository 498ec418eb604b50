//! `where`: which points of a design are wanted.
//!
//! ```text
//! any        = all ("or" all)*
//! all        = one ("and" one)*
//! one        = "not" one | comparison
//! comparison = sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)*
//! sum        = product (("+" | "-") product)*
//! product    = atom (("*" | "/") atom)*
//! atom       = NUMBER | 'TEXT' | AXIS | "-" atom | "(" any ")"
//! ```

use std::ops::Range;

use super::axis::{Axis, Levels};
use super::expression::{Comparison, Expression, Kind};
use super::words::{Word, words};
use crate::scenario::error::suggest;

/// A condition on the axes of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Constraint(Expression);

/// What is wrong with a condition, and where in its text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ConstraintError {
    pub(super) range: Range<usize>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Constraint {
    /// Reads a condition.
    pub(super) fn parse(text: &str, axes: &[Axis]) -> Result<Self, ConstraintError> {
        let mut parser = Parser { text, words: words(text)?, next: 0, depth: 0, axes };
        let (expression, range) = parser.any()?;
        parser.expect(&expression, &range, Kind::Truth)?;
        match parser.peek() {
            None => Ok(Self(expression)),
            Some(_) => {
                Err(parser.fault(parser.range(), "is left over", "join conditions with and, or"))
            }
        }
    }

    /// Whether a point is wanted.
    pub(super) fn admits(&self, axes: &[Axis], coordinates: &[f64]) -> bool {
        self.0.truth(axes, coordinates)
    }
}

struct Parser<'a> {
    text: &'a str,
    words: Vec<(Word, Range<usize>)>,
    next: usize,
    depth: usize,
    axes: &'a [Axis],
}

/// An expression and where it stands.
type Parsed = Result<(Expression, Range<usize>), ConstraintError>;

/// Parentheses deeper than this are a mistake.
const DEEPEST: usize = 64;

impl Parser<'_> {
    fn peek(&self) -> Option<&Word> {
        self.words.get(self.next).map(|(word, _)| word)
    }

    /// Where the next word stands, or the end of the text.
    fn range(&self) -> Range<usize> {
        let end = self.text.len();
        self.words.get(self.next).map_or(end..end, |(_, range)| range.clone())
    }

    fn fault(&self, range: Range<usize>, what: &str, help: &str) -> ConstraintError {
        let message = match self.text.get(range.clone()).filter(|text| !text.is_empty()) {
            Some(text) => format!("`{text}` {what}"),
            None => format!("the end of the condition {what}"),
        };
        let help = (!help.is_empty()).then(|| help.to_owned());
        ConstraintError { range, message, help }
    }

    fn expect(
        &self,
        expression: &Expression,
        range: &Range<usize>,
        kind: Kind,
    ) -> Result<(), ConstraintError> {
        let found = expression.kind();
        if found == kind {
            return Ok(());
        }
        let what = format!("is {}, where {} is needed", found.name(), kind.name());
        Err(self.fault(range.clone(), &what, ""))
    }

    /// Takes the next word if it is this one.
    fn take(&mut self, word: &str) -> bool {
        let is_it =
            matches!(self.peek(), Some(Word::Symbol(next) | Word::Name(next)) if next == word);
        self.next += usize::from(is_it);
        is_it
    }

    fn any(&mut self) -> Parsed {
        self.joined("or", Expression::Any, |parser| {
            parser.joined("and", Expression::All, Self::one)
        })
    }

    /// Conditions joined by a word.
    fn joined(
        &mut self,
        by: &str,
        join: fn(Vec<Expression>) -> Expression,
        part: impl Fn(&mut Self) -> Parsed,
    ) -> Parsed {
        let (first, mut range) = part(self)?;
        let mut parts = vec![first];
        while self.take(by) {
            if let [only] = &parts[..] {
                self.expect(only, &range, Kind::Truth)?;
            }
            let (next, at) = part(self)?;
            self.expect(&next, &at, Kind::Truth)?;
            parts.push(next);
            range.end = at.end;
        }
        match <[Expression; 1]>::try_from(parts) {
            Ok([only]) => Ok((only, range)),
            Err(parts) => Ok((join(parts), range)),
        }
    }

    fn one(&mut self) -> Parsed {
        let start = self.range().start;
        if !self.take("not") {
            return self.comparison();
        }
        self.deeper(|parser| {
            let (part, range) = parser.one()?;
            parser.expect(&part, &range, Kind::Truth)?;
            Ok((Expression::Not(Box::new(part)), start..range.end))
        })
    }

    fn comparison(&mut self) -> Parsed {
        let (first, mut range) = self.sum()?;
        let (mut parts, mut comparisons) = (vec![first], Vec::new());
        while let Some(Word::Symbol(symbol)) = self.peek() {
            let Some(comparison) = Comparison::of(symbol) else { break };
            let at = self.range();
            self.next += 1;
            let (part, part_range) = self.sum()?;
            let left = &parts[parts.len() - 1];
            if left.kind() == Kind::Truth {
                self.expect(left, &range, Kind::Number)?;
            }
            self.expect(&part, &part_range, left.kind())?;
            let is_order = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
            if part.kind() == Kind::Text && is_order {
                return Err(self.fault(at, "cannot compare texts", "use == or !="));
            }
            self.check_word(left, &part, &part_range)?;
            self.check_word(&part, left, &range)?;
            parts.push(part);
            comparisons.push(comparison);
            range.end = part_range.end;
        }
        match <[Expression; 1]>::try_from(parts) {
            Ok([only]) => Ok((only, range)),
            Err(parts) => Ok((Expression::Chain(parts, comparisons), range)),
        }
    }

    /// A text that is compared with an axis must be one of its values.
    fn check_word(
        &self,
        axis: &Expression,
        text: &Expression,
        range: &Range<usize>,
    ) -> Result<(), ConstraintError> {
        let (Expression::Word(axis), Expression::Text(text)) = (axis, text) else { return Ok(()) };
        let axis = &self.axes[*axis];
        let Levels::List(levels) = &axis.levels else { return Ok(()) };
        let known: Vec<&str> = levels.iter().map(|level| level.label.as_str()).collect();
        if known.contains(&text.as_str()) {
            return Ok(());
        }
        let what = format!("is no value of axis `{}`", axis.name);
        let help = suggest(text, &known);
        Err(ConstraintError { help, ..self.fault(range.clone(), &what, "") })
    }

    fn sum(&mut self) -> Parsed {
        self.arithmetic(&['+', '-'], |parser| parser.arithmetic(&['*', '/'], Self::atom))
    }

    fn arithmetic(&mut self, operators: &[char], part: impl Fn(&mut Self) -> Parsed) -> Parsed {
        let (mut left, mut range) = part(self)?;
        while let Some(operator) =
            operators.iter().copied().find(|operator| self.take(operator.encode_utf8(&mut [0; 4])))
        {
            self.expect(&left, &range, Kind::Number)?;
            let (right, at) = part(self)?;
            self.expect(&right, &at, Kind::Number)?;
            left = Expression::Arithmetic(Box::new(left), operator, Box::new(right));
            range.end = at.end;
        }
        Ok((left, range))
    }

    fn atom(&mut self) -> Parsed {
        let range = self.range();
        let word = self.peek().cloned();
        self.next += 1;
        match word {
            Some(Word::Number(number)) => Ok((Expression::Number(number), range)),
            Some(Word::Text(text)) => Ok((Expression::Text(text), range)),
            Some(Word::Name(name)) if !["and", "or", "not"].contains(&name.as_str()) => {
                let Some(axis) = self.axes.iter().position(|axis| axis.name == name) else {
                    let known: Vec<&str> =
                        self.axes.iter().map(|axis| axis.name.as_str()).collect();
                    let help = suggest(&name, &known);
                    return Err(ConstraintError { help, ..self.fault(range, "is no axis", "") });
                };
                let is_numeric = self.axes[axis].is_numeric();
                let expression =
                    if is_numeric { Expression::Axis(axis) } else { Expression::Word(axis) };
                Ok((expression, range))
            }
            Some(Word::Symbol(symbol)) if symbol == "-" => self.deeper(|parser| {
                let (of, at) = parser.atom()?;
                parser.expect(&of, &at, Kind::Number)?;
                Ok((Expression::Minus(Box::new(of)), range.start..at.end))
            }),
            Some(Word::Symbol(symbol)) if symbol == "(" => self.deeper(|parser| {
                let (inside, _) = parser.any()?;
                let end = parser.range();
                match parser.take(")") {
                    true => Ok((inside, range.start..end.end)),
                    false => Err(parser.fault(end, "stands where a `)` is needed", "")),
                }
            }),
            _ => Err(self.fault(range, "stands where a number, a text or an axis is needed", "")),
        }
    }

    fn deeper(&mut self, part: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        if self.depth == DEEPEST {
            return Err(self.fault(self.range(), "lies too deep", ""));
        }
        self.depth += 1;
        let parsed = part(self);
        self.depth -= 1;
        parsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::sweep::axis::Level;

    fn axes() -> Vec<Axis> {
        let level = |label: &str, number| Level { label: label.into(), number, changes: vec![] };
        let numbers = [1.0, 2.0, 3.0].map(|n: f64| level(&n.to_string(), Some(n)));
        vec![
            Axis { name: "low".into(), levels: Levels::List(numbers.to_vec()) },
            Axis { name: "high".into(), levels: Levels::List(numbers.to_vec()) },
            Axis {
                name: "kind".into(),
                levels: Levels::List(vec![level("tight", None), level("loose", None)]),
            },
        ]
    }

    fn holds(text: &str, at: [f64; 3]) -> bool {
        Constraint::parse(text, &axes()).unwrap().admits(&axes(), &at)
    }

    #[test]
    fn conditions_hold_or_not() {
        // low = 1, high = 3, kind = loose.
        let at = [0.0, 2.0, 1.0];
        for text in [
            "low < high",
            "low <= 1 and high >= 3",
            "low > 1 or high == 3",
            "not low == high",
            "0 < low < high <= 3",
            "low + 2 * high == 7",
            "(low + 2) * high == 9",
            "-low < 0",
            "high / low != 2",
            "high - low - 1 == 1",
            "kind == 'loose' and low == 1",
            "kind != \"tight\"",
            "not (low > high or kind == 'tight')",
            "low > 1 and high > 9 or low == 1",
            "1e0 == low and 0.5 < low",
        ] {
            assert!(holds(text, at), "{text}");
            assert!(!holds(&format!("not ({text})"), at), "{text}");
        }
        // A quotient of zeros compares with nothing.
        assert!(!holds("0 / (low - low) < 1", at));
    }

    #[test]
    fn faults_have_their_place() {
        for (text, at, message) in [
            ("", "", "the end of the condition stands where a number, a text or an axis is needed"),
            ("low <", "", "the end of the condition stands where"),
            ("low", "low", "`low` is a number, where a condition is needed"),
            ("lwo < high", "lwo", "`lwo` is no axis"),
            ("low < high high", "high", "`high` is left over"),
            ("kind < 'loose'", "<", "`<` cannot compare texts"),
            ("kind == 'lose'", "'lose'", "`'lose'` is no value of axis `kind`"),
            ("'lose' == kind", "'lose'", "`'lose'` is no value of axis `kind`"),
            ("kind == low", "low", "`low` is a number, where a text is needed"),
            ("(low < high", "", "the end of the condition stands where a `)` is needed"),
            ("low & high", "&", "`&` is not understood"),
            ("kind == 'x", "'x", "`'x` has no end"),
            ("low < 1.2.3", "1.2.3", "`1.2.3` is not a number"),
            (
                "(low < high) + 1 == 2",
                "(low < high)",
                "`(low < high)` is a condition, where a number",
            ),
            ("low and high", "low", "`low` is a number, where a condition is needed"),
            ("low == high == kind", "kind", "`kind` is a text, where a number is needed"),
            ("and", "and", "`and` stands where"),
        ] {
            let error = Constraint::parse(text, &axes()).unwrap_err();
            assert!(error.message.starts_with(message), "{text}: {}", error.message);
            assert_eq!(&text[error.range], at, "{text}");
        }
        let deep = "(".repeat(1000);
        assert!(Constraint::parse(&deep, &axes()).unwrap_err().message.contains("too deep"));
        let error = Constraint::parse("lwo < high", &axes()).unwrap_err();
        assert_eq!(error.help.as_deref(), Some("did you mean `low`?"));
    }
}
