"""The projects of the entity benchmark: fetched from package registries at pinned versions, only unpacked."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PROJECTS = json.loads((Path(__file__).parent / "entity_projects.json").read_text("utf-8"))


def fetch(project: dict, corpus: Path) -> Path:
    """The folder of a project under `corpus`; downloaded when it is not there."""
    folder = corpus / project["name"]
    if not folder.is_dir():
        with tempfile.TemporaryDirectory() as name:
            archive = _download(project, Path(name))
            with tarfile.open(archive) as packed:
                packed.extractall(name, filter="data")
            (unpacked,) = [path for path in Path(name).iterdir() if path.is_dir()]
            folder.parent.mkdir(parents=True, exist_ok=True)
            unpacked.rename(folder)
    return folder


def _download(project: dict, into: Path) -> Path:
    if spec := project.get("sdist"):
        package = spec.split("==")[0]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", package, spec]
        subprocess.run([*command, "-d", str(into)], check=True)
    else:
        command = ["npm", "pack", "--silent", "--ignore-scripts", project["npm"]]
        subprocess.run(command, cwd=into, check=True, stdout=subprocess.DEVNULL)
    return next(path for path in into.iterdir() if path.name.endswith(("gz", "tgz")))
