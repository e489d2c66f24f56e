"""PEP 517 build backend: maturin, with the CUDA headers and libclang taken from wheels.

`pip install .` builds in a fresh environment; the wheels that `extension.build_environment` looks for are
requested for it here. An editable install only links the source folder and builds the extension in place.
"""

from __future__ import annotations

import base64
import hashlib
import os
import sys
import zipfile
from pathlib import Path
from typing import Any

import extension
import maturin

HEADERS = ["nvidia-cuda-runtime==13.5.37", "nvidia-cuda-crt==13.5.37", "nvidia-curand==10.4.5.25", "libclang==18.1.1"]

# maturin's module starts the program of the same name; without build isolation it stands beside the interpreter.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])

Settings = dict[str, Any] | None

build_sdist = maturin.build_sdist
get_requires_for_build_sdist = maturin.get_requires_for_build_sdist
prepare_metadata_for_build_wheel = maturin.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = maturin.prepare_metadata_for_build_editable


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """What the build environment must hold beside maturin."""
    return [*maturin.get_requires_for_build_wheel(config_settings), *HEADERS]


get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """A wheel with the compiled extension inside."""
    environment = extension.build_environment()
    for name in set(os.environ) - set(environment):
        del os.environ[name]
    # maturin names the interpreter itself.
    os.environ.update({name: value for name, value in environment.items() if name != "PYO3_NO_PYTHON"})
    with extension.alone_in_target(environment):
        return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """A wheel that holds the metadata and the path of `src`; the extension is built into the tree."""
    extension.build_extension()
    target = Path(wheel_directory)
    if metadata_directory is None:
        metadata_directory = str(target / maturin.prepare_metadata_for_build_editable(wheel_directory, config_settings))
    metadata = Path(metadata_directory)
    stem = metadata.name.removesuffix(".dist-info")
    files = {f"{metadata.name}/{file.name}": file.read_bytes() for file in metadata.iterdir() if file.is_file()}
    files = {name: data for name, data in files.items() if not name.endswith("/RECORD")}
    files["ferrotile.pth"] = f"{extension.ROOT / 'src'}\n".encode()
    wheel = f"{stem}-0.editable-py3-none-any.whl"
    record = f"{metadata.name}/RECORD"
    with zipfile.ZipFile(target / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        archive.writestr(record, "".join(_record_row(name, data) for name, data in files.items()) + f"{record},,\n")
    return wheel


def _record_row(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"
