//! Dates and times. They are kept as SQLite writes them, so that its functions work and texts are in the order of time.

use jiff::civil::DateTime;
use jiff::tz::Offset;

use super::{Mark, Read, Readings};

/// The order of day, month and year, and the sign between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::data) enum DateForm {
    /// `2024-12-31`
    IsoDash,
    /// `2024/12/31`
    IsoSlash,
    /// `31.12.2024`
    DayDot,
    /// `31/12/2024`
    DaySlash,
    /// `31-12-2024`
    DayDash,
    /// `12.31.2024`
    MonthDot,
    /// `12/31/2024`
    MonthSlash,
    /// `12-31-2024`
    MonthDash,
}

impl DateForm {
    pub(super) const ALL: [Self; 8] = [
        Self::IsoDash,
        Self::IsoSlash,
        Self::DayDot,
        Self::DaySlash,
        Self::DayDash,
        Self::MonthDot,
        Self::MonthSlash,
        Self::MonthDash,
    ];

    const fn sign(self) -> char {
        match self {
            Self::IsoDash | Self::DayDash | Self::MonthDash => '-',
            Self::IsoSlash | Self::DaySlash | Self::MonthSlash => '/',
            Self::DayDot | Self::MonthDot => '.',
        }
    }

    /// The form in letters, for people.
    pub(in crate::data) const fn pattern(self) -> &'static str {
        match self {
            Self::IsoDash => "yyyy-mm-dd",
            Self::IsoSlash => "yyyy/mm/dd",
            Self::DayDot => "dd.mm.yyyy",
            Self::DaySlash => "dd/mm/yyyy",
            Self::DayDash => "dd-mm-yyyy",
            Self::MonthDot => "mm.dd.yyyy",
            Self::MonthSlash => "mm/dd/yyyy",
            Self::MonthDash => "mm-dd-yyyy",
        }
    }

    fn day(self, text: &str) -> Option<Day> {
        let mut parts = text.split(self.sign());
        let [first, second, third] = [parts.next()?, parts.next()?, parts.next()?];
        if parts.next().is_some() {
            return None;
        }
        let (year, month, day) = match self {
            Self::IsoDash | Self::IsoSlash => (first, second, third),
            Self::DayDot | Self::DaySlash | Self::DayDash => (third, second, first),
            Self::MonthDot | Self::MonthSlash | Self::MonthDash => (third, first, second),
        };
        let year = digits(year, 4..=4)?;
        // Years before are in another calendar, or wrong.
        let is_known = (1000..=9999).contains(&year);
        let day = Day {
            year,
            month: digits(month, 1..=2)?,
            day: digits(day, 1..=2)?,
        };
        (is_known && day.exists()).then_some(day)
    }
}

#[derive(Debug, Clone, Copy)]
struct Day {
    year: u32,
    month: u32,
    day: u32,
}

impl Day {
    fn exists(self) -> bool {
        let is_leap = self.year.is_multiple_of(4)
            && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        let last = match self.month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            _ => 0,
        };
        (1..=last).contains(&self.day)
    }
}

fn digits(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<u32> {
    let are_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    (are_digits && length.contains(&text.len()))
        .then(|| text.parse().ok())
        .flatten()
}

/// A time of day, checked: the text of it without a zone, and the zone's minutes east of UTC.
struct Clock<'t> {
    text: &'t str,
    zone: Option<i32>,
}

fn clock(text: &str) -> Option<Clock<'_>> {
    let (time, zone) = match text.find(['Z', 'z', '+', '-', ' ']) {
        Some(place) => text.split_at_checked(place)?,
        None => (text, ""),
    };
    let zone = match zone.trim_start() {
        "" => None,
        "Z" | "z" | "UTC" => Some(0),
        zone => Some(offset(zone)?),
    };
    let (whole, fraction) = match time.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (time, None),
    };
    let mut parts = whole.split(':');
    let hour = digits(parts.next()?, 2..=2)?;
    let minute = digits(parts.next()?, 2..=2)?;
    let second = match parts.next() {
        Some(second) => digits(second, 2..=2)?,
        None if fraction.is_none() => 0,
        None => return None,
    };
    let is_fraction = fraction.is_none_or(|digits| {
        (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    let is_time = hour < 24 && minute < 60 && second < 60 && parts.next().is_none();
    (is_time && is_fraction).then_some(Clock { text: time, zone })
}

/// The minutes of `+01:00`, `+0100` or `+01`.
fn offset(text: &str) -> Option<i32> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = match rest.len() {
        2 => (rest, "00"),
        4 => rest.split_at_checked(2)?,
        5 => rest.split_once(':')?,
        _ => return None,
    };
    let hours = i32::try_from(digits(hours, 2..=2)?).ok()?;
    let minutes = i32::try_from(digits(minutes, 2..=2)?).ok()?;
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

fn halves(text: &str) -> (&str, Option<&str>) {
    match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time.trim_start())),
        None => (text, None),
    }
}

/// Reads a date with or without a time; `None`: it is none.
pub(super) fn read(text: &str) -> Option<Read> {
    let text = text.trim();
    if !(8..=super::LENGTH_MAX).contains(&text.len())
        || !text.starts_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    let (date, time) = halves(text);
    let mut forms = Readings::NONE;
    for form in DateForm::ALL {
        if form.day(date).is_some() {
            forms = forms | Readings::date(form);
        }
    }
    if forms.is_none() {
        return None;
    }
    let Some(time) = time else {
        return Some(Read::value(forms | Readings::LOCAL, Mark::None));
    };
    let zone = match clock(time)?.zone {
        Some(_) => Readings::ZONED,
        None => Readings::LOCAL,
    };
    Some(Read::value(forms | zone, Mark::Time))
}

/// A date as `2024-12-31`, and a time as `2024-12-31 23:59:59`, with as many decimals as there are. One with a zone becomes
/// a time of UTC. `has_time` says that the column has times.
pub(in crate::data) fn timestamp(text: &str, form: DateForm, has_time: bool) -> Option<String> {
    let (date, time) = halves(text.trim());
    let Day { year, month, day } = form.day(date)?;
    let date = format!("{year:04}-{month:02}-{day:02}");
    let clock = time.map(clock);
    match (clock, has_time) {
        (None, false) => Some(date),
        (None, true) => Some(format!("{date} 00:00:00")),
        (Some(None), _) => None,
        (Some(Some(Clock { text, zone })), _) => {
            let seconds = if text.len() == 5 { ":00" } else { "" };
            let local = format!("{date} {text}{seconds}");
            match zone {
                None | Some(0) => Some(local),
                Some(minutes) => utc(&local, minutes),
            }
        }
    }
}

fn utc(local: &str, minutes: i32) -> Option<String> {
    let (whole, fraction) = match local.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (local, None),
    };
    let there: DateTime = whole.parse().ok()?;
    let offset = Offset::from_seconds(minutes * 60).ok()?;
    let here = Offset::UTC.to_datetime(offset.to_timestamp(there).ok()?);
    let here = here.strftime("%Y-%m-%d %H:%M:%S");
    Some(match fraction {
        Some(fraction) => format!("{here}.{fraction}"),
        None => here.to_string(),
    })
}
