//! What keys do.
#![allow(clippy::unwrap_used)]

use super::*;
use ratatui::crossterm::event::KeyEventKind;

/// The names of the flows that are shown, from the first.
fn flows(screen: &Screen) -> Vec<String> {
    let view = screen.view.as_ref().unwrap();
    let flows = (0..view.flow_count()).filter_map(|line| view.flow(line));
    flows
        .map(|flow| crate::report::label::flow(&flow.key))
        .collect()
}

fn chosen(screen: &Screen) -> String {
    flows(screen)[screen.flow_cursor.at()].clone()
}

#[test]
fn q_and_control_c_end_it_wherever_one_is() {
    let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    let mut screen = after(1, &states::faulty());
    assert_eq!(press(&mut screen, KeyCode::Char('q')), Some(Command::Quit));
    press(&mut screen, KeyCode::Enter);
    assert_eq!(press(&mut screen, KeyCode::Char('q')), Some(Command::Quit));
    press(&mut screen, KeyCode::Esc);
    press(&mut screen, KeyCode::Char('/'));
    assert_eq!(press(&mut screen, KeyCode::Char('q')), None);
    assert_eq!(screen.press(control_c), Some(Command::Quit));
}

#[test]
fn a_key_that_is_let_go_does_nothing() {
    let mut screen = after(1, &states::faulty());
    let mut released = key(KeyCode::Char('q'));
    released.kind = KeyEventKind::Release;
    assert_eq!(screen.press(released), None);
}

#[test]
fn s_saves_where_there_is_something_to_save() {
    let mut screen = after(1, &states::faulty());
    assert_eq!(press(&mut screen, KeyCode::Char('s')), Some(Command::Save));
    screen.say("saved to /var/tmp/fraglens-1.pcapng".to_owned());
    assert!(text(&mut screen, 80, 24).ends_with("saved to /var/tmp/fraglens-1.pcapng"));
    press(&mut screen, KeyCode::Down);
    assert!(!text(&mut screen, 80, 24).contains("saved to"));

    screen.look.can_save = false;
    assert_eq!(press(&mut screen, KeyCode::Char('s')), None);
    assert!(text(&mut screen, 80, 24).contains("nothing to save to"));
}

#[test]
fn a_message_goes_away_by_itself() {
    let mut screen = after(1, &states::faulty());
    screen.say("saved".to_owned());
    for second in 0..=10 {
        assert!(text(&mut screen, 80, 24).ends_with("saved"), "{second}");
        screen.take(states::faulty());
    }
    assert!(!text(&mut screen, 80, 24).ends_with("saved"));
}

#[test]
fn while_paused_what_is_shown_stands_still() {
    let first = states::faulty();
    let mut screen = after(3, &first);
    let before = text(&mut screen, 80, 24);
    press(&mut screen, KeyCode::Char('p'));
    for second in 1..=12 {
        let mut next = states::later(&first, second);
        next.findings.clear();
        screen.take(next);
    }
    let paused = text(&mut screen, 80, 24);
    let lines = |text: &str| text.lines().skip(1).take(20).collect::<Vec<_>>().join("\n");
    assert_eq!(lines(&before), lines(&paused));
    assert!(paused.contains("PAUSED, 12 s ago"), "{paused}");
    assert!(paused.contains("p go on"), "{paused}");
    assert_eq!(screen.past.latest(0, 100).count(), 15);

    press(&mut screen, KeyCode::Char('p'));
    let after = text(&mut screen, 80, 24);
    assert!(!after.contains("PAUSED"));
    assert!(after.contains("3 cleared"), "{after}");
}

#[test]
fn findings_that_clear_stay_for_a_minute() {
    let first = states::faulty();
    let mut screen = after(1, &first);
    let mut without = states::later(&first, 1);
    let gone = without.findings.remove(0);
    screen.take(without.clone());
    let seen = text(&mut screen, 80, 24);
    assert!(seen.contains("cleared D09"), "{seen}");
    screen.take(states::later(&without, 59));
    assert!(text(&mut screen, 80, 24).contains("59 s ago"));
    screen.take(states::later(&without, 60));
    assert!(!text(&mut screen, 80, 24).contains("cleared"));

    // What comes back is no longer gone.
    let mut back = states::later(&first, 62);
    screen.take(states::later(&without, 61));
    back.findings = vec![gone];
    screen.take(back);
    let view = screen.view.as_ref().unwrap();
    assert!(
        view.cleared
            .iter()
            .all(|cleared| cleared.active.finding.id != "D09")
    );
}

#[test]
fn flows_are_sorted_by_each_column_and_back() {
    let mut screen = after(1, &states::many());
    let first = |screen: &Screen| flows(screen)[0].clone();
    assert!(
        first(&screen).starts_with("[2001:db8"),
        "{}",
        first(&screen)
    );
    // To "offered", and the mildest first.
    press(&mut screen, KeyCode::Char('o'));
    press(&mut screen, KeyCode::Char('r'));
    assert!(
        first(&screen).starts_with("10.0.0.1:51820"),
        "{}",
        first(&screen)
    );
    press(&mut screen, KeyCode::Char('r'));
    press(&mut screen, KeyCode::Char('<'));
    assert_eq!(screen.wish.sort, columns::Column::Missing);
    press(&mut screen, KeyCode::Char('<'));
    assert!(first(&screen).starts_with("10.0.0.1"), "{}", first(&screen));
    let mut seen = Vec::new();
    for _ in 0..=columns::Column::FIGURES.len() {
        seen.push(screen.wish.sort);
        press(&mut screen, KeyCode::Char('>'));
        assert!(!text(&mut screen, 80, 24).is_empty());
    }
    assert_eq!(screen.wish.sort, columns::Column::Flow);
    assert_eq!(seen.len(), 9);
}

#[test]
fn the_filter_knows_addresses_ports_protocols_and_tunnels() {
    let mut screen = after(1, &states::many());
    let all = flows(&screen).len();
    for (filter, left) in [
        ("10.244.1.33:", 1),
        (":5033 ", 1),
        ("TCP", 1),
        ("vxlan 4242", 1),
        ("2001:db8", 1),
        ("no such", 0),
    ] {
        press(&mut screen, KeyCode::Char('/'));
        typed(&mut screen, filter);
        assert_eq!(flows(&screen).len(), left, "{filter}");
        let seen = text(&mut screen, 80, 24);
        assert!(
            seen.contains(&format!("/{}_", filter.to_lowercase())),
            "{seen}"
        );
        // What is typed is kept by Enter, and taken away by Esc.
        press(&mut screen, KeyCode::Enter);
        assert_eq!(flows(&screen).len(), left, "{filter}");
        press(&mut screen, KeyCode::Esc);
        assert_eq!(flows(&screen).len(), all, "{filter}");
    }
    press(&mut screen, KeyCode::Char('/'));
    typed(&mut screen, "udp");
    press(&mut screen, KeyCode::Esc);
    assert_eq!(flows(&screen).len(), all);
    press(&mut screen, KeyCode::Char('/'));
    typed(&mut screen, &"x".repeat(1_000));
    assert_eq!(screen.wish.filter.len(), 64);
}

#[test]
fn what_is_chosen_stays_chosen_where_the_order_changes() {
    let mut screen = after(1, &states::many());
    frame(&mut screen, 80, 24);
    let worst = chosen(&screen);
    for _ in 0..5 {
        press(&mut screen, KeyCode::Down);
    }
    let fifth = chosen(&screen);
    press(&mut screen, KeyCode::Char('o'));
    assert_eq!(chosen(&screen), fifth);
    let mut next = states::many();
    next.window.flows.reverse();
    screen.take(next);
    assert_eq!(chosen(&screen), fifth);
    // On the first line one follows the worst.
    press(&mut screen, KeyCode::Char('<'));
    press(&mut screen, KeyCode::Home);
    assert_eq!(chosen(&screen), worst);
    press(&mut screen, KeyCode::Char('r'));
    assert_ne!(chosen(&screen), worst);
    assert_eq!(screen.flow_cursor.at(), 0);
}

#[test]
fn lists_are_scrolled_to_what_is_chosen() {
    let mut screen = after(1, &states::many());
    for code in [
        KeyCode::End,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Up,
    ] {
        frame(&mut screen, 80, 24);
        press(&mut screen, code);
        let seen = text(&mut screen, 80, 24);
        assert!(seen.contains("\n> "), "{code:?}\n{seen}");
    }
    // The screen becomes smaller and larger.
    for height in [10, 50, 12] {
        assert!(text(&mut screen, 80, height).contains("\n> "), "{height}");
    }
}

#[test]
fn a_flow_that_is_gone_is_shown_as_it_was() {
    let mut screen = after(1, &states::faulty());
    press(&mut screen, KeyCode::Enter);
    assert!(text(&mut screen, 80, 24).contains("The last 8 s:"));
    let mut next = states::faulty();
    next.window = states::silent();
    screen.take(next);
    let seen = text(&mut screen, 80, 24);
    assert!(seen.contains("Nothing of it in the last 8 s"), "{seen}");
    assert!(seen.contains("10.16.0.5:37311"), "{seen}");
}

#[test]
fn from_a_flow_to_its_finding_and_back() {
    let mut screen = after(1, &states::faulty());
    press(&mut screen, KeyCode::Enter);
    press(&mut screen, KeyCode::Enter);
    let seen = text(&mut screen, 80, 24);
    assert!(seen.starts_with("D09  reassembly memory ran out"), "{seen}");
    press(&mut screen, KeyCode::Esc);
    assert!(text(&mut screen, 80, 24).starts_with("10.16.0.5:37311"));
    press(&mut screen, KeyCode::Esc);
    assert!(text(&mut screen, 80, 24).starts_with("fraglens watch"));
}

#[test]
fn pages_are_scrolled_no_further_than_their_end() {
    let mut screen = after(1, &states::faulty());
    press(&mut screen, KeyCode::Char('?'));
    frame(&mut screen, 80, 10);
    press(&mut screen, KeyCode::End);
    let end = text(&mut screen, 80, 10);
    assert!(end.contains("cleared"), "{end}");
    press(&mut screen, KeyCode::Down);
    assert_eq!(text(&mut screen, 80, 10), end);
    press(&mut screen, KeyCode::Home);
    assert!(text(&mut screen, 80, 10).starts_with("Keys"));
    press(&mut screen, KeyCode::Char('?'));
    assert!(text(&mut screen, 80, 10).starts_with("fraglens watch"));
}
