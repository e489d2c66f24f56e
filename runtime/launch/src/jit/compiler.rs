//! tileiras: where it is looked for, and how it is run.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use super::place::{own_folder, variable};
use super::process::run;
use super::scratch::Scratch;
use super::{is_whole, Failure};
use crate::codes::Code;

const NAME: &str = "tileiras";
/// A folder: if it is set, the compiler is looked for there and nowhere else.
const FOLDER: &str = "FERROTILE_TOOLS";
/// How long one compilation may take. Units: seconds.
const LIMIT: &str = "FERROTILE_COMPILE_LIMIT_S";
const DEFAULT_LIMIT: Duration = Duration::from_secs(600);
const VERSION_LIMIT: Duration = Duration::from_secs(60);
/// How much is optimized; part of a cached file's name.
pub const LEVEL: u32 = 3;

/// The compiler that was found, and what it calls its version.
pub struct Compiler {
    path: PathBuf,
    pub version: String,
}

/// The compiler, looked for once.
pub fn compiler() -> Result<&'static Compiler, Failure> {
    static COMPILER: OnceLock<Result<Compiler, Failure>> = OnceLock::new();
    COMPILER.get_or_init(found).as_ref().map_err(Clone::clone)
}

fn found() -> Result<Compiler, Failure> {
    let lacking = |text| Failure::new(Code::NoCompiler, text);
    let places = Places::of_process();
    let path = places.find().ok_or_else(|| lacking(places.complaint()))?;
    let told = |why: &str| {
        lacking(format!(
            "`{}` does not tell its version: {why}",
            path.display()
        ))
    };
    let folder = Scratch::new().map_err(|why| Failure::new(Code::Compile, why))?;
    let ran = run(&path, &["--version"], folder.path(), VERSION_LIMIT).map_err(|why| told(&why))?;
    let version = version_in(&ran.stdout).ok_or_else(|| told(&ran.complaint()))?;
    Ok(Compiler { path, version })
}

impl Compiler {
    /// The machine code of a program for an architecture.
    pub fn compile(&self, bytecode: &[u8], target: u32) -> Result<Vec<u8>, Failure> {
        let name = format!("sm_{target}");
        let told = |why: &str| {
            let text = format!("{NAME} {} does not compile for {name}: {why}", self.version);
            Failure::new(Code::Compile, text)
        };
        let limit = limit().map_err(|why| told(&why))?;
        let folder = Scratch::new().map_err(|why| told(&why))?;
        let written = std::fs::write(folder.path().join("kernel.tileirbc"), bytecode);
        written.map_err(|error| told(&format!("it cannot be given the program: {error}")))?;
        let level = format!("--opt-level={LEVEL}");
        let arguments = [
            "--gpu-name",
            &name,
            &level,
            "kernel.tileirbc",
            "-o",
            "kernel.cubin",
        ];
        let ran = run(&self.path, &arguments, folder.path(), limit).map_err(|why| told(&why))?;
        if !ran.status.success() {
            return Err(told(&ran.complaint()));
        }
        let cubin = std::fs::read(folder.path().join("kernel.cubin"));
        let cubin = cubin.map_err(|error| told(&format!("it wrote nothing: {error}")))?;
        if !is_whole(&cubin) {
            return Err(told("what it wrote is no whole machine code"));
        }
        Ok(cubin)
    }
}

fn limit() -> Result<Duration, String> {
    let Some(given) = variable(LIMIT) else {
        return Ok(DEFAULT_LIMIT);
    };
    let text = given.to_string_lossy();
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0);
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    limit.ok_or_else(|| format!("{LIMIT} is `{text}`, no number of seconds"))
}

/// The folders in which the compiler is looked for, in this order.
struct Places {
    only: Option<PathBuf>,
    own: Option<PathBuf>,
    path: Vec<PathBuf>,
}

impl Places {
    fn of_process() -> Places {
        let parts = variable("PATH").unwrap_or_default();
        let parts = std::env::split_paths(&parts).filter(|part| !part.as_os_str().is_empty());
        Places {
            only: variable(FOLDER).map(PathBuf::from),
            own: own_folder(),
            path: parts.collect(),
        }
    }

    /// The first file that can be run, by its whole path: it is run in another folder.
    fn find(&self) -> Option<PathBuf> {
        let folders: Vec<&PathBuf> = match &self.only {
            Some(only) => vec![only],
            None => self.own.iter().chain(&self.path).collect(),
        };
        let mut files = folders.iter().map(|folder| folder.join(NAME));
        std::path::absolute(files.find(|file| is_program(file))?).ok()
    }

    fn complaint(&self) -> String {
        match (&self.only, &self.own) {
            (Some(only), _) => format!(
                "there is no `{NAME}` in `{}`, which {FOLDER} names",
                only.display()
            ),
            (None, Some(own)) => format!(
                "there is no `{NAME}`: {FOLDER} is not set, and it is neither on PATH nor in the library's folder `{}`",
                own.display()
            ),
            (None, None) => format!("there is no `{NAME}`: {FOLDER} is not set, and it is not on PATH"),
        }
    }
}

fn is_program(path: &Path) -> bool {
    let known = path.metadata();
    known.is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// The number behind a `V`, as in `V13.5.37`.
fn version_in(text: &str) -> Option<String> {
    text.split('V').skip(1).find_map(|rest| {
        let end = rest.find(|one: char| one != '.' && !one.is_ascii_digit());
        let number = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
        (number.split('.').filter(|part| !part.is_empty()).count() >= 3).then(|| number.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_number_behind_a_v() {
        let text = "tileiras: NVIDIA (R)\nVery well, release 13.5, V13.5.37\nBuild local";
        assert_eq!(version_in(text).as_deref(), Some("13.5.37"));
        assert_eq!(version_in("V13.5\n13.5.37"), None);
    }

    #[test]
    fn a_folder_that_is_named_is_the_only_one() {
        let folder = Scratch::new().unwrap();
        let file = folder.path().join(NAME);
        let places = |only: Option<&Path>| Places {
            only: only.map(Path::to_owned),
            own: Some("/nowhere".into()),
            path: vec!["/nor/here".into(), folder.path().to_owned()],
        };
        assert_eq!(places(None).find(), None);
        std::fs::write(&file, b"#!/bin/sh\n").unwrap();
        assert_eq!(places(None).find(), None, "it cannot be run");
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
        assert_eq!(places(None).find(), Some(file));
        let other = places(Some(Path::new("/other")));
        assert_eq!(other.find(), None);
        assert!(other
            .complaint()
            .contains("no `tileiras` in `/other`, which FERROTILE_TOOLS names"));
        assert!(places(None)
            .complaint()
            .contains("neither on PATH nor in the library's folder `/nowhere`"));
    }
}
