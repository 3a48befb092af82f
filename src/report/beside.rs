//! What lies beside a report that is written into a folder.

use super::document::Report;
use crate::model::number;

/// A capture with the frames that prove a report, in the same folder.
#[derive(Clone, Copy, Debug)]
pub struct Beside<'a> {
    /// Its name.
    pub capture: &'a str,
    /// How many frames are in it.
    pub frames: u64,
    /// Ids of the findings that it alone does not show.
    pub not_repeated: &'a [String],
    /// The finding that leads in it, if another does in the report.
    pub leads_instead: Option<&'a str>,
    /// Whether the names of the report are not those of any file.
    pub is_anonymized: bool,
}

impl Beside<'_> {
    /// The commands that show what is in it.
    pub(super) fn commands(&self) -> [String; 2] {
        let capture = self.capture;
        [
            format!("fraglens analyze {capture}"),
            format!(
                "tshark -r {capture} -Y frame.comment -T fields -e frame.number -e frame.comment"
            ),
        ]
    }

    /// What it is, in sentences.
    pub(super) fn words(&self) -> String {
        let frames = number::counted(self.frames, "frame");
        let mut words = format!(
            "{} beside this holds the {frames} that prove it, with a comment on each that shows \
             something.",
            self.capture
        );
        if !self.not_repeated.is_empty() {
            let which = self.not_repeated.join(", ");
            words.push_str(&format!(" Alone it does not show {which}."));
        }
        let leads = self.leads_instead.map(|id| format!(", and {id} leads"));
        words.push_str(&format!(
            " Its figures are those of these frames{}. Frames are numbered here, and in comments, \
             as in the whole capture.",
            leads.unwrap_or_default(),
        ));
        words
    }
}

/// The same of captures along a path, each point of which is an interface of it.
impl Beside<'_> {
    /// The command that shows what is in it.
    pub(super) fn path_command(&self) -> String {
        format!(
            "tshark -r {} -Y frame.comment -T fields -e frame.interface_name -e frame.number -e \
             frame.comment",
            self.capture
        )
    }

    /// What it is, in sentences.
    pub(super) fn path_words(&self) -> String {
        let frames = number::counted(self.frames, "frame");
        let mut words = format!(
            "{} beside this holds {frames} that show what was found: a datagram as each point saw \
             it, one interface a point, with a comment on each.",
            self.capture
        );
        if !self.not_repeated.is_empty() {
            let which = self.not_repeated.join(", ");
            words.push_str(&format!(" It does not show {which}."));
        }
        words.push_str(
            " Frames are numbered here, and in comments, as in the capture of their point.",
        );
        words
    }
}

/// Where the figures are that a page has no room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) struct Elsewhere {
    /// All of the report.
    pub json: &'static str,
    /// All flows that are listed.
    pub csv: &'static str,
}

impl Elsewhere {
    /// Of a page by itself: by commands.
    pub(in crate::report) const COMMANDS: Self = Self {
        json: "--format json",
        csv: "--format csv",
    };

    /// Of a page in a folder: beside it.
    pub(in crate::report) const FOLDER: Self = Self {
        json: "report.json",
        csv: "flows.csv",
    };

    /// Of what is written with this beside it.
    pub(in crate::report) fn of(beside: Option<&Beside<'_>>) -> Self {
        match beside {
            Some(_) => Self::FOLDER,
            None => Self::COMMANDS,
        }
    }

    /// What is there of what is left out here.
    pub(in crate::report) fn rest(self) -> String {
        format!("{} has all that are listed", self.json)
    }
}

/// How many flows there are where more of them are than the ones shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoreFlows {
    /// All.
    All,
    /// As many as were asked for.
    Listed(u64),
}

impl MoreFlows {
    /// `None` if none is listed that is not shown.
    pub(super) fn than(shown: usize, report: &Report) -> Option<Self> {
        let (shown, listed) = (shown as u64, report.flows.len() as u64);
        let has = match listed {
            listed if listed == report.flows_total => Self::All,
            listed => Self::Listed(listed),
        };
        (shown < listed).then_some(has)
    }

    /// `all`, `10,000`.
    pub(super) fn words(self) -> String {
        match self {
            Self::All => "all".to_owned(),
            Self::Listed(flows) => number::count(flows),
        }
    }
}
