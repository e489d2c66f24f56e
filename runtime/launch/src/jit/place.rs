//! Where things are: the folder of this library, and folders that variables name.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A variable that is set, and not to nothing.
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The folder of the library, or of the program, that this code is in: asked of the system, so that it stays right when
/// the process has changed its folder.
pub fn own_folder() -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let file = holder(&maps, own_folder as fn() -> Option<PathBuf> as usize)?;
    Some(Path::new(file).parent()?.to_owned())
}

/// The file that is mapped at an address; lines are `start-end mode offset device inode file`.
fn holder(maps: &str, address: usize) -> Option<&str> {
    maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        let is_there = (number(start)?..number(end)?).contains(&address);
        let file = &rest[rest.find('/')?..];
        is_there.then_some(file)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_is_in_the_folder_of_its_program() {
        let program = std::env::current_exe().unwrap();
        assert_eq!(own_folder().as_deref(), program.parent());
    }

    #[test]
    fn a_file_with_spaces_is_found_and_other_memory_is_no_file() {
        let maps =
            "10-20 r-xp 00000000 00:00 0 [heap]\n20-30 r-xp 00000000 08:01 77      /a b/lib.so\n";
        assert_eq!(holder(maps, 0x2f), Some("/a b/lib.so"));
        assert_eq!((holder(maps, 0x10), holder(maps, 0x30)), (None, None));
    }
}
