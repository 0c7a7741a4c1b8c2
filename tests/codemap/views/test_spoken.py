"""A name counts as said where code says it, and nowhere else."""

import pytest

from zerikai_memory.codemap.views.spoken import names_said


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("a.py", "x = load", True),
        ("a.py", "x.load", True),
        ("a.py", "getattr(x, 'load')", True),
        ("a.py", "HANDLERS = {'load': 1}", True),
        ("a.py", "f'{load} it'", True),
        ("a.py", "f\"it's {load()}\" 'x'", True),
        ("a.py", "y = '# no comment'; load", True),
        ("a.py", 'q = """select load"""', True),  # a template may call it
        ("a.py", "'''We load\nall of it.'''\n", False),
        ("a.py", '    """Load, or load."""\n', False),
        ("a.py", "print('cannot load it')", False),
        ("a.py", "# load it", False),
        ("a.py", "reload = load_all = Load = overload", False),
        ("a.js", "run(load)", True),
        ("a.js", "const u = 'http://x'; load", True),
        ("a.js", "`${load()} it`", True),
        ("a.js", "// load\n/* then\n load */ run('and load it')", False),
        ("a.js", "load$ = $load", False),
        ("a.html", "<button onclick='load()'>", True),
        ("a.md", "You may load the file.", False),
        ("a.md", "You may `load` the file.", True),
        ("a.md", "You may load() the file.", True),
        ("a.md", "```\nload\n```", True),
    ],
)
def test_a_name_is_said_by_code_and_not_by_prose(path, text, said):
    assert names_said(text, path, {"load"}, {}) == ({"load"} if said else set())


def test_what_bears_the_name_does_not_say_it():
    text = "def load():\n    return load()\n\nload\n"
    assert names_said(text, "a.py", {"load"}, {"load": [(1, 2)]}) == {"load"}
    assert names_said(text.removesuffix("load\n"), "a.py", {"load"}, {"load": [(1, 2)]}) == set()
