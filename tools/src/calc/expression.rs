//! Reading and working out expressions, in one pass.

use folkmoot_core::tool::ToolErrorCode;

use super::number::Fraction;

/// The greatest depth to which parentheses, signs and powers may nest. Each level is a call of the
/// parser, and the stack ends.
const DEPTH_MAX: usize = 50;

/// A reason why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum CalcError {
    #[error("at byte {at}: expected {expected}")]
    Syntax { at: usize, expected: &'static str },
    #[error("there is no function {0:?}")]
    NoFunction(String),
    #[error("division by zero")]
    DivisionByZero,
    #[error("the exponent is not a whole number")]
    BrokenExponent,
    #[error("a number is too large, or too fine")]
    TooLarge,
    #[error("more than {DEPTH_MAX} levels deep")]
    TooDeep,
}

impl CalcError {
    pub(super) const fn code(&self) -> ToolErrorCode {
        match self {
            Self::TooLarge | Self::TooDeep => ToolErrorCode::TooLarge,
            Self::Syntax { .. }
            | Self::NoFunction(_)
            | Self::DivisionByZero
            | Self::BrokenExponent => ToolErrorCode::BadArguments,
        }
    }
}

/// The value of `text`.
pub(super) fn evaluate(text: &str) -> Result<Fraction, CalcError> {
    let mut reader = ExpressionReader {
        text,
        at: 0,
        depth: 0,
    };
    let value = reader.sum()?;
    if reader.peek().is_some() {
        Err(reader.expected("an operator or the end"))
    } else {
        Ok(value)
    }
}

struct ExpressionReader<'t> {
    /// The whole expression.
    text: &'t str,
    /// The byte at which the rest begins, always on the border of a character.
    at: usize,
    /// The number of parentheses, signs and powers that are open.
    depth: usize,
}

impl ExpressionReader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&mut self) -> Option<char> {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.at += wanted.len_utf8();
        }
        is_there
    }

    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> String {
        let taken: String = self.rest().chars().take_while(|c| fits(*c)).collect();
        self.at += taken.len();
        taken
    }

    const fn expected(&self, expected: &'static str) -> CalcError {
        CalcError::Syntax {
            at: self.at,
            expected,
        }
    }

    fn sum(&mut self) -> Result<Fraction, CalcError> {
        let mut value = self.product()?;
        loop {
            let next = match self.peek() {
                Some('+') if self.take('+') => self.product()?,
                Some('-') if self.take('-') => fits(self.product()?.negate())?,
                _ => return Ok(value),
            };
            value = fits(value.add(next))?;
        }
    }

    fn product(&mut self) -> Result<Fraction, CalcError> {
        let mut value = self.signed()?;
        loop {
            value = match self.peek() {
                Some('*') if self.take('*') => fits(value.multiply(self.signed()?))?,
                Some('/') if self.take('/') => fits(value.divide(not_zero(self.signed()?)?))?,
                Some('%') if self.take('%') => fits(value.modulo(not_zero(self.signed()?)?))?,
                _ => return Ok(value),
            };
        }
    }

    /// A sign binds looser than a power: `-2^2` is -4.
    fn signed(&mut self) -> Result<Fraction, CalcError> {
        self.deeper(|reader| match reader.peek() {
            Some('-') if reader.take('-') => fits(reader.signed()?.negate()),
            Some('+') if reader.take('+') => reader.signed(),
            _ => reader.power(),
        })
    }

    /// Powers bind to the right: `2^3^2` is 512.
    fn power(&mut self) -> Result<Fraction, CalcError> {
        let base = self.atom()?;
        if !self.take('^') {
            return Ok(base);
        }
        let exponent = self.signed()?;
        match exponent.as_whole() {
            None => Err(CalcError::BrokenExponent),
            Some(exponent) if exponent < 0 && base.is_zero() => Err(CalcError::DivisionByZero),
            Some(_) => fits(base.power(exponent)),
        }
    }

    fn atom(&mut self) -> Result<Fraction, CalcError> {
        match self.peek() {
            Some('(') if self.take('(') => {
                let value = self.sum()?;
                if self.take(')') {
                    Ok(value)
                } else {
                    Err(self.expected("`)`"))
                }
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.function(),
            _ => Err(self.expected("a number")),
        }
    }

    fn number(&mut self) -> Result<Fraction, CalcError> {
        let whole = self.take_while(|c| c.is_ascii_digit());
        let is_decimal = self.rest().starts_with('.');
        self.at += usize::from(is_decimal);
        let decimals = if is_decimal {
            self.take_while(|c| c.is_ascii_digit())
        } else {
            String::new()
        };
        let digits = whole + &decimals;
        if digits.is_empty() {
            return Err(self.expected("a digit"));
        }
        let scale = u32::try_from(decimals.len())
            .ok()
            .and_then(|places| 10_i128.checked_pow(places));
        fits(
            digits
                .parse()
                .ok()
                .zip(scale)
                .and_then(|(digits, scale)| Fraction::new(digits, scale)),
        )
    }

    fn function(&mut self) -> Result<Fraction, CalcError> {
        let name = self.take_while(|c| c.is_ascii_alphanumeric());
        if !self.take('(') {
            return Err(self.expected("`(` behind a function's name"));
        }
        let mut values = vec![self.sum()?];
        while self.take(',') {
            values.push(self.sum()?);
        }
        if !self.take(')') {
            return Err(self.expected("`,` or `)`"));
        }
        call(&name, &values)
    }

    fn deeper(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Fraction, CalcError>,
    ) -> Result<Fraction, CalcError> {
        if self.depth >= DEPTH_MAX {
            return Err(CalcError::TooDeep);
        }
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }
}

fn call(name: &str, values: &[Fraction]) -> Result<Fraction, CalcError> {
    let (first, others) = values.split_first().ok_or(CalcError::TooLarge)?;
    let extreme = |wanted| {
        fits(others.iter().try_fold(*first, |best, next| {
            Some(if next.order(best)? == wanted {
                *next
            } else {
                best
            })
        }))
    };
    match (name, others) {
        ("min", _) => extreme(std::cmp::Ordering::Less),
        ("max", _) => extreme(std::cmp::Ordering::Greater),
        ("abs", []) => fits(
            if first
                .order(Fraction::whole(0))
                .is_some_and(std::cmp::Ordering::is_lt)
            {
                first.negate()
            } else {
                Some(*first)
            },
        ),
        ("floor", []) => Ok(first.floor()),
        ("ceil", []) => fits(first.negate().and_then(|number| number.floor().negate())),
        ("round", []) => fits(first.round()),
        _ => Err(CalcError::NoFunction(format!(
            "{name}, with {} values",
            values.len()
        ))),
    }
}

const fn not_zero(number: Fraction) -> Result<Fraction, CalcError> {
    if number.is_zero() {
        Err(CalcError::DivisionByZero)
    } else {
        Ok(number)
    }
}

fn fits(number: Option<Fraction>) -> Result<Fraction, CalcError> {
    number.ok_or(CalcError::TooLarge)
}
