//! The program within a terminal of its own, which `script` of util-linux makes.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(240);
/// Size of the terminal.
const ROWS: u16 = 40;
const COLUMNS: u16 = 120;

/// A terminal in which the program runs.
pub struct Terminal {
    process: Child,
    keys: ChildStdin,
    screen: Arc<Mutex<vt100::Parser>>,
}

impl Terminal {
    /// Starts the program with arguments, which a shell reads, and with variables of the
    /// environment.
    pub fn open(arguments: &str, environment: &[(&str, &str)]) -> Terminal {
        let program = env!("CARGO_BIN_EXE_retrotab");
        let line = format!("stty cols {COLUMNS} rows {ROWS}; exec {program} {arguments}");
        let mut command = Command::new("script");
        command.args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"]);
        command.env("TERM", "xterm-256color").envs(environment.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("`script` is there (Debian: bsdutils)");
        let (keys, mut out) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let screen = Arc::new(Mutex::new(vt100::Parser::new(ROWS, COLUMNS, 0)));
        let drawn = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = out.read(&mut bytes) {
                drawn.lock().unwrap().process(&bytes[..count]);
            }
        });
        Terminal { process, keys, screen }
    }

    /// Types keys.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until all the texts stand on the screen.
    pub fn wait_for(&self, texts: &[&str]) {
        self.wait_until(&format!("{texts:?} are there"), |screen| {
            texts.iter().all(|text| screen.contains(text))
        });
    }

    /// Waits until what stands on the screen is as it should be.
    pub fn wait_until(&self, what: &str, is_so: impl Fn(&str) -> bool) {
        let begin = Instant::now();
        loop {
            let screen = self.screen.lock().unwrap().screen().contents();
            if is_so(&screen) {
                return;
            }
            assert!(begin.elapsed() < PATIENCE, "not so: {what}:\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until the program ends.
    pub fn end(&mut self) -> ExitStatus {
        self.process.wait().unwrap()
    }
}
