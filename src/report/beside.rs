//! What lies beside a report that is written into a folder.

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
        let frames = crate::model::number::counted(self.frames, "frame");
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
