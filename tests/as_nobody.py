"""Code for a child process that becomes another user: first everything is loaded, which that user may not read.

The interpreter and its packages may lie in a folder that is closed to others; what is imported late, by the product or
by the standard library, must then be in memory already. One round over a throw-away project imports it all.
"""

PRELOAD_AND_LEAVE_ROOT = """
import encodings.idna, importlib.resources, os, sys, tempfile
import importlib.readers
from pathlib import Path
from zerikai_memory.app import Memory
from zerikai_memory.errors import StoreError
from zerikai_memory.settings import Settings
with tempfile.TemporaryDirectory() as folder:
    project = Path(folder, "project")
    project.mkdir()
    (project / "a.py").write_text("def first(): pass\\n")
    loaded = Memory(Settings(home=Path(folder, "brain"), vector_store="exact"), cwd=Path("/"))
    loaded.scan(str(project))
    loaded.query("first", str(project))
    loaded.query("squeeze the reply so that it travls faster", str(project))
    loaded.save("a note", str(project))
    loaded.query("", str(project), category="fact")
    loaded.brief(str(project))
    loaded.doctor()
    loaded.close()
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
"""
