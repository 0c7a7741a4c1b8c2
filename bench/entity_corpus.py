"""The projects of the entity benchmark: fetched from package registries at pinned versions, only unpacked."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

PROJECTS = json.loads((Path(__file__).parent / "entity_projects.json").read_text("utf-8"))


def fetch(project: dict, corpus: Path) -> Path:
    """The folder of a project under `corpus`; downloaded when it is not there."""
    folder = corpus / project["name"]
    if not folder.is_dir():
        with tempfile.TemporaryDirectory() as name:
            archive = _download(project, Path(name))
            unpacked = _unpack(archive, Path(name))
            folder.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(unpacked, folder)
    return folder


def _unpack(archive: Path, into: Path) -> Path:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(into / "wheel")
        return into / "wheel"
    untar(archive, into)
    (unpacked,) = [path for path in into.iterdir() if path.is_dir()]
    return unpacked


def untar(archive: Path, into: Path) -> None:
    """Unpack files and folders of an archive, none outside of `into`; Python before 3.11.4 has no filter for that."""
    with tarfile.open(archive) as packed:
        if hasattr(tarfile, "data_filter"):
            packed.extractall(into, filter="data")
            return
        root = into.resolve()
        plain = [member for member in packed if member.isfile() or member.isdir()]
        packed.extractall(into, [member for member in plain if (root / member.name).resolve().is_relative_to(root)])


def _download(project: dict, into: Path) -> Path:
    if spec := project.get("sdist") or project.get("wheel"):
        form = ["--no-binary", spec.split("==")[0]] if "sdist" in project else ["--only-binary", ":all:"]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *form, spec, "-d", str(into)]
        subprocess.run(command, check=True)
    else:
        command = ["npm", "pack", "--silent", "--ignore-scripts", project["npm"]]
        subprocess.run(command, cwd=into, check=True, stdout=subprocess.DEVNULL)
    return next(path for path in into.iterdir() if path.suffix in (".gz", ".tgz", ".whl"))
