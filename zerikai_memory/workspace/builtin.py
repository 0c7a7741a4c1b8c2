"""Built-in ignore rules: a floor that nothing lifts, and defaults that a `.memignore` negation lifts."""

from __future__ import annotations

import re
from functools import cache

from zerikai_memory.workspace.gitglob import RuleList

# Compared in lower case: `.GIT` and `.Env` are the same thing on some file systems.
_FLOOR_FOLDERS = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", "cvs", ".brain", ".ssh", ".gnupg", ".aws"})
_FLOOR_FILES = frozenset(
    {
        ".git",  # in a worktree or submodule it is a file
        ".netrc",
        "_netrc",
        ".npmrc",
        ".pypirc",
        ".pgpass",
        ".my.cnf",
        ".htpasswd",
        ".git-credentials",
        ".dockercfg",
        ".vault_pass",
        "credentials",
        "credentials.json",
        "credentials.yml",
        "credentials.yaml",
        "secrets.json",
        "secrets.yml",
        "secrets.yaml",
        "secrets.toml",
    }
)
_SECRET_SUFFIXES = (
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".p8",
    ".pk8",
    ".jks",
    ".keystore",
    ".ppk",
    ".kdbx",
    ".gpg",
    ".tfstate",
    ".tfvars",
    ".env",
)
_SECRET_NAME = re.compile(
    r"\.env(?!.*[._-](?:example|sample|template)$).*"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[._-].*)?"
    r"|(?:service[._-]?account|client[._-]?secret|gcp[._-]?key|firebase-adminsdk).*\.json"
    r"|.*\.tfstate\..*",
    re.DOTALL,
)

_FOLDERS = """
    node_modules bower_components jspm_packages .yarn .pnpm-store .npm
    venv .venv virtualenv .virtualenv .env site-packages dist-packages __pypackages__ .pixi .conda
    __pycache__ .tox .nox .eggs *.egg-info *.dist-info .mypy_cache .pytest_cache .ruff_cache .pytype .hypothesis
    .ipynb_checkpoints .cache htmlcov .nyc_output .next .nuxt .svelte-kit .angular .astro .docusaurus .turbo .vite
    .parcel-cache .webpack .vercel .netlify .serverless .aws-sam .terraform .gradle .dart_tool .idea .vs Pods
    DerivedData storybook-static _site
""".split()
# Names that projects also give to real source: a Python package of that name (it holds `__init__.py`) is kept.
_OUTPUT_FOLDERS = ["build", "dist", "target", "coverage"]
_FILES = """
    *.min.js *.min.mjs *.min.cjs *.min.css *.bundle.js *.chunk.js *.chunk.css *.map
    package-lock.json npm-shrinkwrap.json pnpm-lock.yaml go.sum *.lock *.lockb *.lock.json
    *_pb2.py *_pb2.pyi *_pb2_grpc.py *_pb.js *_pb.d.ts *_pb.ts *.pb.js *.pb.ts *.pb.go
    *.generated.* *.g.dart *.designer.cs
""".split()

OUTPUT_RULES = frozenset(f"built-in {name}/" for name in _OUTPUT_FOLDERS)
# A folder with one of these files in it is a virtual environment or a cache (https://bford.info/cachedir/).
FOLDER_MARKERS = ("pyvenv.cfg", "CACHEDIR.TAG")


def floor_rule(name: str, is_folder: bool) -> str | None:
    """Why a file or folder of this name is never indexed, or None."""
    name = name.lower()
    if is_folder:
        return "never indexed: version control, brain and key folders" if name in _FLOOR_FOLDERS else None
    secret = name in _FLOOR_FILES or name.endswith(_SECRET_SUFFIXES) or _SECRET_NAME.fullmatch(name)
    return "never indexed: secret files" if secret else None


@cache
def default_rules() -> RuleList:
    """Dependency, build and cache folders, minified and generated files, lock files."""
    patterns = [f"{name}/" for name in [*_FOLDERS, *_OUTPUT_FOLDERS]] + _FILES
    return RuleList((f"built-in {pattern}", pattern.encode()) for pattern in patterns)
