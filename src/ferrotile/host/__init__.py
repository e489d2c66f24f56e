"""Translated kernels put to use in Rust: for now, all of them in one crate that cargo can check.

Non-goals: no C ABI and no launcher yet; starts no process (`make check-rust` runs cargo).
"""

from ferrotile.host.crate import CheckCrate, write_check_crate

__all__ = ["CheckCrate", "write_check_crate"]
