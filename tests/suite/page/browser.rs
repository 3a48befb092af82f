//! A browser that looks at a page from a file, without a network.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use headless_chrome::protocol::cdp::types::{Event, Method};
use headless_chrome::{Browser, LaunchOptions, Tab};
use serde::Serialize;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Longest wait for a page: it is there in a fraction of a second.
const PATIENCE: Duration = Duration::from_secs(30);

/// Longest time without news of windows: the crate stops to listen for them then, and closes
/// the connection when the next comes.
///
/// A page that is only asked and typed into makes none, and eighty keys take half a minute.
const LONGEST_VISIT: Duration = Duration::from_secs(300);

/// Methods of the browser, with their parameters as its documentation has them.
macro_rules! methods {
    ($($name:ident: $method:literal),+ $(,)?) => {
        $(#[derive(Debug, Serialize)]
        struct $name(Value);

        impl Method for $name {
            const NAME: &'static str = $method;
            type ReturnObject = Value;
        })+
    };
}

methods! {
    Evaluate: "Runtime.evaluate",
    GoOffline: "Network.emulateNetworkConditions",
    ListenToNetwork: "Network.enable",
    NoScripts: "Emulation.setScriptExecutionDisabled",
    Prefer: "Emulation.setEmulatedMedia",
    Print: "Page.printToPDF",
    ReadOut: "Accessibility.getFullAXTree",
    Resize: "Emulation.setDeviceMetricsOverride",
    Shoot: "Page.captureScreenshot",
}

/// What a browser had to say while it showed a page.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// What it asked for, the page itself included.
    pub requests: Vec<String>,
    /// Messages on the console, violations of the policy, exceptions and dialogs.
    pub complaints: Vec<String>,
}

/// Whether the page may run its script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scripts {
    On,
    Off,
}

/// Somebody who looks at a page. The browser ends with it, also when a test fails.
pub struct Visitor {
    tab: Arc<Tab>,
    heard: Arc<Mutex<Heard>>,
    _browser: Browser,
}

impl Visitor {
    /// Starts a browser and opens the page.
    pub fn of(page: &Path, scripts: Scripts) -> Self {
        let args = ["--disable-component-update", "--hide-scrollbars"];
        let options = LaunchOptions {
            // Root has no sandbox to offer; nothing but pages of ours is looked at.
            sandbox: false,
            args: args.iter().map(OsStr::new).collect(),
            window_size: Some((1100, 900)),
            idle_browser_timeout: LONGEST_VISIT,
            ..LaunchOptions::default()
        };
        let browser = Browser::new(options).expect("chromium starts: scripts/setup test");
        let tab = browser.new_tab().expect("a tab opens");
        tab.set_default_timeout(PATIENCE);
        let visitor = Self {
            heard: listen(&tab),
            tab,
            _browser: browser,
        };
        visitor.call(GoOffline(json!({
            "offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0,
        })));
        if scripts == Scripts::Off {
            visitor.call(NoScripts(json!({ "value": true })));
        }
        let opened = visitor.tab.navigate_to(&address(page));
        opened
            .and_then(Tab::wait_until_navigated)
            .expect("the page opens");
        visitor
    }

    fn call(&self, method: impl Method<ReturnObject = Value> + Serialize) -> Value {
        self.tab.call_method(method).expect("the browser answers")
    }

    /// What was heard until now.
    pub fn heard(&self) -> Heard {
        self.heard.lock().unwrap().clone()
    }

    /// The value of an expression in the page.
    pub fn ask(&self, expression: &str) -> Value {
        let answer = self.call(Evaluate(json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true,
        })));
        assert!(
            answer.get("exceptionDetails").is_none(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    /// The same, where it is a list of words.
    pub fn words(&self, expression: &str) -> Vec<String> {
        let list = self.ask(expression);
        serde_json::from_value(list).expect("a list of words")
    }

    /// The page as the browser understood it, whether scripts run or not.
    pub fn markup(&self) -> String {
        self.tab.get_content().expect("the page has content")
    }

    /// Presses a key.
    pub fn press(&self, key: &str) {
        self.tab.press_key(key).expect("the key is pressed");
    }

    /// Types words where the cursor is.
    pub fn type_words(&self, words: &str) {
        self.tab.type_str(words).expect("the words are typed");
    }

    /// Gives the window another size.
    pub fn resize(&self, width: u32, height: u32) {
        self.call(Resize(json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        })));
    }

    /// Prefers light or dark.
    pub fn prefer(&self, scheme: &str) {
        self.call(Prefer(json!({
            "features": [{ "name": "prefers-color-scheme", "value": scheme }],
        })));
    }

    /// The whole page as a picture.
    pub fn picture(&self) -> Vec<u8> {
        let size = "[innerWidth, Math.min(document.documentElement.scrollHeight, 12000)]";
        let size = self.ask(size);
        let clip = json!({ "x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1 });
        let shot = json!({ "format": "png", "clip": clip, "captureBeyondViewport": true });
        data(&self.call(Shoot(shot)))
    }

    /// The page on paper.
    pub fn paper(&self) -> Vec<u8> {
        data(&self.call(Print(json!({ "printBackground": true }))))
    }

    /// What a screen reader says of images; empty where there is no name.
    pub fn image_names(&self) -> Vec<String> {
        let tree = self.call(ReadOut(json!({})));
        let nodes = tree["nodes"].as_array().expect("the page can be read out");
        let text =
            |node: &Value, of: &str| node[of]["value"].as_str().unwrap_or_default().to_owned();
        let images = nodes.iter().filter(|node| {
            node["ignored"] == false && ["image", "img"].contains(&text(node, "role").as_str())
        });
        images.map(|node| text(node, "name")).collect()
    }
}

/// Writes down what the browser says from now on.
fn listen(tab: &Tab) -> Arc<Mutex<Heard>> {
    let heard = Arc::new(Mutex::new(Heard::default()));
    let notes = Arc::clone(&heard);
    tab.enable_log().expect("the log is read");
    tab.enable_runtime().expect("the console is read");
    tab.call_method(ListenToNetwork(json!({})))
        .expect("requests are seen");
    let write_down = move |event: &Event| {
        let mut notes = notes.lock().unwrap();
        match event {
            Event::NetworkRequestWillBeSent(event) => {
                notes.requests.push(event.params.request.url.clone());
            }
            Event::LogEntryAdded(event) => {
                notes.complaints.push(event.params.entry.text.clone());
            }
            Event::RuntimeConsoleAPICalled(event) => {
                notes.complaints.push(format!("{:?}", event.params.args));
            }
            Event::RuntimeExceptionThrown(event) => {
                notes
                    .complaints
                    .push(format!("{:?}", event.params.exception_details));
            }
            Event::PageJavascriptDialogOpening(event) => {
                notes.complaints.push(event.params.message.clone());
            }
            _ => {}
        }
    };
    tab.add_event_listener(Arc::new(write_down))
        .expect("events are heard");
    heard
}

/// The bytes of an answer.
fn data(answer: &Value) -> Vec<u8> {
    let text = answer["data"].as_str().expect("there is data");
    STANDARD.decode(text).expect("the data is in base64")
}

/// A path as an address: what is not a letter, a digit or a separator is encoded.
pub fn address(path: &Path) -> String {
    let mut address = "file://".to_owned();
    for byte in path.to_str().expect("the path is text").bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
            address.push(char::from(byte));
        } else {
            address.push_str(&format!("%{byte:02X}"));
        }
    }
    address
}
