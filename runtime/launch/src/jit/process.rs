//! Runs a tool in a folder, with a time limit and an environment that leads it to no other toolkit.

use core::ffi::c_int;
use std::ffi::OsString;
use std::fs::{read, File};
use std::io::Error;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Variables that lead NVIDIA's tools, or the loader, elsewhere; as `ferrotile.core.tools` drops them.
const DROPPED: [&str; 9] = [
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_ROOT",
    "CUDA_BIN_PATH",
    "CUDA_LIB_PATH",
    "CUDA_TOOLKIT_PATH",
    "NVVMIR_LIBRARY_DIR",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
];
const KILL: c_int = 9;
/// Waits between two looks at a process: the first, and the longest.
const FIRST_WAIT: Duration = Duration::from_millis(1);
const LONGEST_WAIT: Duration = Duration::from_millis(20);

// From the C library, as `dlopen` in driver.rs.
extern "C" {
    fn kill(process: c_int, signal: c_int) -> c_int;
}

/// What a process that ended by itself left.
pub struct Ran {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// What it complained of, or how it ended.
    pub fn complaint(&self) -> String {
        let lines = self.stderr.lines().map(str::trim);
        let told: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
        if !told.is_empty() {
            return told.join("; ");
        }
        match self.status.signal() {
            Some(signal) => format!("ended by signal {signal}"),
            None => format!("exit code {}", self.status.code().unwrap_or(-1)),
        }
    }
}

/// Runs a tool in a folder, which gets what it prints. Its own folder is first on PATH: tileiras looks for ptxas there.
///
/// # Errors
/// The second half of a sentence that begins with the tool: it does not start, cannot be awaited, or takes too long.
pub fn run(tool: &Path, arguments: &[&str], folder: &Path, limit: Duration) -> Result<Ran, String> {
    let unwritable = |error| format!("cannot write to `{}`: {error}", folder.display());
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    let mut command = Command::new(tool);
    command.args(arguments).current_dir(folder).process_group(0);
    command.stdin(Stdio::null());
    command.stdout(File::create(&out).map_err(unwritable)?);
    command.stderr(File::create(&err).map_err(unwritable)?);
    for name in DROPPED {
        command.env_remove(name);
    }
    command.env("PATH", path_with(tool)).env("LC_ALL", "C");
    command.env("TMPDIR", folder);
    let mut child = command
        .spawn()
        .map_err(|error| format!("does not start: {error}"))?;
    let status = awaited(&mut child, limit)?;
    let text = |path| String::from_utf8_lossy(&read(path).unwrap_or_default()).into_owned();
    Ok(Ran {
        status,
        stdout: text(&out),
        stderr: text(&err),
    })
}

fn path_with(tool: &Path) -> OsString {
    let mut path = OsString::from(tool.parent().unwrap_or(tool));
    if let Some(given) = std::env::var_os("PATH") {
        path.push(":");
        path.push(given);
    }
    path
}

/// The end of a process; one that takes too long is killed, with what it started.
fn awaited(child: &mut Child, limit: Duration) -> Result<ExitStatus, String> {
    let (began, mut wait) = (Instant::now(), FIRST_WAIT);
    let told = |error: Error| format!("cannot be awaited: {error}");
    loop {
        if let Some(status) = child.try_wait().map_err(told)? {
            return Ok(status);
        }
        if began.elapsed() >= limit {
            // SAFETY: the process has not been awaited, so its number, which is that of its group, is its own.
            unsafe { kill(-(child.id() as c_int), KILL) };
            let _ = child.wait();
            return Err(format!("took more than {} s", limit.as_secs_f64()));
        }
        sleep(wait);
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

#[cfg(test)]
mod tests {
    use super::super::scratch::Scratch;
    use super::*;

    fn shell(text: &str, limit: Duration) -> Result<Ran, String> {
        let folder = Scratch::new().unwrap();
        run(Path::new("/bin/sh"), &["-c", text], folder.path(), limit)
    }

    #[test]
    fn what_a_tool_prints_and_how_it_ends_is_known() {
        let long = Duration::from_secs(60);
        let ran = shell("echo out; echo; echo err >&2; echo more >&2; exit 3", long).unwrap();
        assert_eq!(
            (ran.stdout.as_str(), ran.status.code()),
            ("out\n\n", Some(3))
        );
        assert_eq!(ran.complaint(), "err; more");
        assert_eq!(shell("exit 3", long).unwrap().complaint(), "exit code 3");
        assert_eq!(
            shell("kill -9 $$", long).unwrap().complaint(),
            "ended by signal 9"
        );
    }

    #[test]
    fn a_tool_that_hangs_is_killed_with_what_it_started() {
        let began = Instant::now();
        let hung = shell("sleep 60 & sleep 60; wait", Duration::from_millis(50));
        assert_eq!(hung.err().unwrap(), "took more than 0.05 s");
        assert!(began.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_tool_that_is_none_is_told() {
        let folder = Scratch::new().unwrap();
        let ran = run(
            Path::new("/nowhere/tool"),
            &[],
            folder.path(),
            Duration::ZERO,
        );
        assert!(ran.err().unwrap().starts_with("does not start: "));
    }
}
