//! The markup of a chart: shapes, words, and a name that screen readers read.

use super::{Room, WIDTH};
use crate::report::html::inert::inert;
use std::fmt::Write;

/// A drawing that is being made.
#[derive(Debug, Default)]
pub(in crate::report) struct Svg {
    body: String,
}

/// Which end of a text stands where it is put.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A rectangle.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Svg {
    /// Fills a rectangle; one without an area is left out.
    pub(in crate::report) fn rect(&mut self, class: &str, rect: Rect) {
        if rect.width > 0.0 && rect.height > 0.0 {
            let (x, y) = (rounded(rect.x), rounded(rect.y));
            let (width, height) = (rounded(rect.width), rounded(rect.height));
            self.put(format_args!(
                r#"<rect class="{class}" x="{x}" y="{y}" width="{width}" height="{height}"/>"#
            ));
        }
    }

    /// Fills many rectangles at once.
    pub(in crate::report) fn rects(&mut self, class: &str, rects: &[Rect]) {
        if rects.is_empty() {
            return;
        }
        self.put(format_args!(r#"<path class="{class}" d=""#));
        for rect in rects {
            let (x, y) = (rounded(rect.x), rounded(rect.y));
            let (right, bottom) = (rounded(rect.x + rect.width), rounded(rect.y + rect.height));
            self.put(format_args!("M{x} {y}H{right}V{bottom}H{x}z"));
        }
        self.put(format_args!(r#""/>"#));
    }

    /// The same with words for who points at it.
    pub(in crate::report) fn named_rect(&mut self, class: &str, rect: Rect, name: &str) {
        self.put(format_args!("<g><title>{}</title>", inert(name)));
        self.rect(class, rect);
        self.put(format_args!("</g>"));
    }

    /// Draws a straight line.
    pub(in crate::report) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let (x1, y1) = (rounded(from.0), rounded(from.1));
        let (x2, y2) = (rounded(to.0), rounded(to.1));
        self.put(format_args!(
            r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#
        ));
    }

    /// Draws through points, in straight lines.
    pub(in crate::report) fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        if points.is_empty() {
            return;
        }
        self.put(format_args!(r#"<path class="{class}" d=""#));
        for (index, (x, y)) in points.iter().enumerate() {
            let command = if index == 0 { 'M' } else { 'L' };
            self.put(format_args!("{command}{} {}", rounded(*x), rounded(*y)));
        }
        self.put(format_args!(r#""/>"#));
    }

    /// Writes words.
    pub(in crate::report) fn text(
        &mut self,
        class: &str,
        anchor: Anchor,
        at: (f64, f64),
        words: &str,
    ) {
        let (x, y) = (rounded(at.0), rounded(at.1));
        let (anchor, words) = (anchor.name(), inert(words));
        self.put(format_args!(
            r#"<text class="{class}" text-anchor="{anchor}" x="{x}" y="{y}">{words}</text>"#
        ));
    }

    /// The drawing as markup, for a page of any width: those that are too narrow scroll it.
    pub(in crate::report) fn finish(
        self,
        id: &str,
        height: f64,
        title: &str,
        description: &str,
    ) -> String {
        self.markup(("", id), (WIDTH, height), title, description)
    }

    /// The drawing as markup for such a room.
    pub(in crate::report) fn finish_for(
        self,
        room: Room,
        id: &str,
        height: f64,
        title: &str,
        description: &str,
    ) -> String {
        let class = room.choose("class=\"wide\" ", "class=\"narrow\" ");
        let id = format!("{id}{}", room.choose("", "-narrow"));
        self.markup((class, &id), (room.width(), height), title, description)
    }

    /// The drawing as markup, of this size. `id` is one of its own in the page;
    /// `description` says in words what is to be seen.
    fn markup(
        self,
        (class, id): (&str, &str),
        (width, height): (f64, f64),
        title: &str,
        description: &str,
    ) -> String {
        let height = rounded(height);
        let (title, description) = (inert(title), inert(description));
        format!(
            "<svg {class}role=\"img\" aria-labelledby=\"{id}-t {id}-d\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\"><title id=\"{id}-t\">{title}</title>\
             <desc id=\"{id}-d\">{description}</desc>{}</svg>",
            self.body
        )
    }

    fn put(&mut self, markup: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = self.body.write_fmt(markup);
    }
}

/// A coordinate with one digit behind the point. What is no number is 0.
fn rounded(coordinate: f64) -> f64 {
    if coordinate.is_finite() {
        // Adding 0 makes a positive zero of a negative one.
        (coordinate * 10.0).round() / 10.0 + 0.0
    } else {
        0.0
    }
}
