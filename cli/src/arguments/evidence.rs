//! Arguments of the commands about what leaves the store.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use folkmoot::core::ids::WorldName;
use folkmoot::export::ExportFormat;
use folkmoot::spans::Capture;

use super::value::world;

/// `export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The world.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
    /// The form of the export.
    #[arg(long, value_name = "FORM", value_enum)]
    pub(crate) format: ExportForm,
    /// Only the commits that hold these events, e.g. `17,26-28`. Their other events come without
    /// content.
    #[arg(long, value_name = "N,M-K", conflicts_with = "why")]
    pub(crate) events: Option<String>,
    /// Only the commits that explain this event, and the outcome of its calls.
    #[arg(long, value_name = "N")]
    pub(crate) why: Option<String>,
    /// A signed head that somebody keeps, so that the bundle proves that the log has only grown
    /// since.
    #[arg(long, value_name = "FILE")]
    pub(crate) note: Vec<PathBuf>,
    /// With --format otlp: send the spans to a collector, e.g. http://localhost:4318. Without a URL:
    /// where OTEL_EXPORTER_OTLP_ENDPOINT says.
    #[arg(long, value_name = "URL", conflicts_with = "output")]
    pub(crate) endpoint: Option<Option<String>>,
    /// With --format otlp: tell the words as well that people read in the room.
    #[arg(long)]
    pub(crate) content: bool,
    /// The file to write; `-` or nothing: standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file if it exists.
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

impl ExportArgs {
    /// True if something is asked for that only evidence has.
    pub(crate) fn is_about_evidence(&self) -> bool {
        self.events.is_some() || self.why.is_some() || !self.note.is_empty()
    }
}

impl ExportArgs {
    /// True if something is asked for that only spans have.
    pub(crate) const fn is_about_spans(&self) -> bool {
        self.content || self.endpoint.is_some()
    }

    /// The format `format`, with words if they are asked for.
    pub(crate) const fn telling(&self, format: ExportFormat) -> ExportFormat {
        if matches!(format, ExportFormat::Otlp(_)) && self.content {
            ExportFormat::Otlp(Capture::Words)
        } else {
            format
        }
    }
}

/// In which form a world is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportForm {
    /// For people or programs to read.
    Read(ExportFormat),
    /// An evidence bundle, for `check-bundle`.
    Bundle,
}

impl ValueEnum for ExportForm {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Read(ExportFormat::Markdown),
            Self::Read(ExportFormat::Lines),
            Self::Read(ExportFormat::Html),
            Self::Read(ExportFormat::Otlp(Capture::Nothing)),
            Self::Bundle,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Read(format @ ExportFormat::Markdown) => {
                (format.name(), "the transcript, in Markdown")
            }
            Self::Read(format @ ExportFormat::Lines) => {
                (format.name(), "every event, as a line of JSON")
            }
            Self::Read(format @ ExportFormat::Html) => {
                (format.name(), "a report for people, in one file")
            }
            Self::Read(format @ ExportFormat::Otlp(_)) => {
                (format.name(), "spans for OpenTelemetry, as OTLP in JSON")
            }
            Self::Bundle => ("bundle", "evidence, for `check-bundle`"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

/// `check-bundle`.
#[derive(Debug, Args)]
pub(crate) struct CheckBundleArgs {
    /// The bundle.
    #[arg(value_name = "FILE")]
    pub(crate) bundle: PathBuf,
    /// A public key whose signatures count: `name+id+key`, or the file that it stands in.
    #[arg(long, value_name = "KEY")]
    pub(crate) trust: Vec<String>,
    /// Tell of this event only, and of its tool calls.
    #[arg(long, value_name = "N")]
    pub(crate) at: Option<u64>,
    /// Compare with a signed head that was kept elsewhere.
    #[arg(long, value_name = "NOTE")]
    pub(crate) against: Option<PathBuf>,
}
