"""Every way to name a target finds that very thing."""

import pytest

from tests.codemap.views.sketch import sketch
from zerikai_memory.codemap.views.target import left_out, spelled, subjects
from zerikai_memory.errors import InputError

TABLE = sketch("""
pkg/__init__.py
pkg/auth/session.py
  5-40 class Session
  8-12 method Session.login @property
  14-18 method Session.login @login.setter
  20-30 method Session.refresh
  50-60 function refresh
pkg/auth/tokens.py
  1-9 function refresh
  20-25 class Session
pkg/session.py
  1-3 function helper
  5-6 function many
web/app.js
  1-4 route GET /users
docs/auth.md
  1-9 section Session
busy.py
  1-2 function close
  3-4 method A.close
  5-6 method B.close
  7-8 method C.close
  9-10 method D.close
  11-12 method E.close
vendor/lib.js
  1-2 function open
door.py
  1-2 method A.open
  3-4 method B.open
  5-6 method C.open
  7-8 method D.open
  9-10 method E.open
web/page.html
  1-9 element div#main
  3-4 element p#q
web/page.css
  1-2 rule #main
  3-4 rule .btn.active
  5-6 rule #side .a
many/a.py
  1-2 function run
many/b.py
  1-2 function run
many/c.py
  1-2 function run
many/d.py
  1-2 function run
many/e.py
  1-2 function run
many/f.py
  1-2 function run
""")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Session.refresh", ["Session.refresh #pkg/auth/session.py:20"]),
        ("pkg.auth.session.Session.refresh", ["Session.refresh #pkg/auth/session.py:20"]),
        ("session.Session.refresh", ["Session.refresh #pkg/auth/session.py:20"]),
        ("Session::refresh", ["Session.refresh #pkg/auth/session.py:20"]),
        ("Session.refresh()", ["Session.refresh #pkg/auth/session.py:20"]),
        ("`helper`", ["helper #pkg/session.py:1"]),
        # a property and its setter are one thing
        ("Session.login", ["Session.login #pkg/auth/session.py:8"]),
        # a bare name is that of members too; no document section where code has the name
        (
            "refresh",
            [
                "refresh #pkg/auth/session.py:50",
                "refresh #pkg/auth/tokens.py:1",
                "Session.refresh #pkg/auth/session.py:20",
            ],
        ),
        # ... but of too many things those that the name alone says in full
        ("close", ["close #busy.py:1"]),
        ("Session", ["Session #pkg/auth/session.py:5", "Session #pkg/auth/tokens.py:20"]),
        ("pkg/auth/tokens.py", ["pkg/auth/tokens.py"]),
        ("./pkg/auth/tokens.py", ["pkg/auth/tokens.py"]),
        ("tokens.py", ["pkg/auth/tokens.py"]),
        ("pkg.auth.tokens", ["pkg/auth/tokens.py"]),
        ("auth/tokens", ["pkg/auth/tokens.py"]),
        ("session.py", ["pkg/auth/session.py", "pkg/session.py"]),
        ("pkg", ["pkg/"]),
        ("many", ["many #pkg/session.py:5", "many/"]),  # a function and a folder
        ("many/", ["many/"]),
        ("pkg/auth/", ["pkg/auth/"]),
        ("pkg/auth/session.py:25", ["Session.refresh #pkg/auth/session.py:20"]),
        ("pkg/auth/session.py:45", ["pkg/auth/session.py"]),
        ("auth/session.py:6", ["Session #pkg/auth/session.py:5"]),
        ("Session #pkg/auth/tokens.py:20 (0.42)", ["Session #pkg/auth/tokens.py:20"]),
        ("Session #pkg/auth/tokens.py:3", ["Session #pkg/auth/tokens.py:20"]),  # an older line
        ("pkg/auth/tokens.py::refresh", ["refresh #pkg/auth/tokens.py:1"]),
        ("pkg/auth/tokens.py:refresh", ["refresh #pkg/auth/tokens.py:1"]),
        ("pkg/auth/tokens.py#refresh", ["refresh #pkg/auth/tokens.py:1"]),
        # elements and selectors as answers spell them
        ("div#main", ["div#main #web/page.html:1"]),
        ("div#main #web/page.html:1", ["div#main #web/page.html:1"]),
        ("#main", ["#main #web/page.css:1"]),
        ("#main #web/page.css:1", ["#main #web/page.css:1"]),
        ("#q", ["p#q #web/page.html:3"]),
        (".btn.active", [".btn.active #web/page.css:3"]),
        ("#side .a #web/page.css:5", ["#side .a #web/page.css:5"]),
        ("GET /users", ["GET /users #web/app.js:1"]),
        ("pkg/auth/tokens.py|function|refresh|1", ["refresh #pkg/auth/tokens.py:1"]),  # its id
    ],
)
def test_a_target_is_found_however_it_is_written(text, found):
    assert sorted(spelled(subject.row) for subject in subjects(TABLE, text)) == sorted(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("run", r"names 6 things, give one of them: run #many/a.py:1; .*run #many/f.py:1"),
        ("open", "names 6 things"),  # what is brought along is not what is meant
        ("Refresh", "near names: refresh"),  # another case is another name
        ("Session.nothing", "is no entity"),
        ("pkg/auth/tokens.py:nothing", "is no entity"),
        ("Nothing #pkg/auth/tokens.py:20", "is no entity"),
        ("pkg/none.py:3", "is no entity"),
        ("pkg/auth/tokens.py:1000", "line 1000 is not in the map: pkg/auth/tokens.py has the lines 1 to 999"),
        ("pkg/auth/tokens.py:0", "line 0 is not in the map"),
    ],
)
def test_what_is_unknown_or_names_too_much_is_an_error(text, said):
    with pytest.raises(InputError, match=said):
        subjects(TABLE, text)


def test_what_a_bare_name_leaves_out_is_told():
    told = left_out(TABLE, "close")
    assert "also names 5 things" in told
    assert "A.close #busy.py:3" in told
    assert left_out(TABLE, "refresh") == left_out(TABLE, "run") == ""


def test_each_spelling_that_an_error_offers_is_itself_a_target():
    with pytest.raises(InputError) as raised:
        subjects(TABLE, "run")
    offered = str(raised.value).partition("one of them: ")[2].split("; ")
    assert len(offered) == 6
    assert all(len(subjects(TABLE, spelling)) == 1 for spelling in offered)


def test_a_class_stands_for_its_members_and_a_file_for_all_in_it():
    (session,) = subjects(TABLE, "pkg/auth/session.py:5")
    assert len(session.inside) == 4
    (file,) = subjects(TABLE, "pkg/auth/session.py")
    assert len(file.inside) == 6
    (folder,) = subjects(TABLE, "pkg/auth")
    assert len(folder.inside) == 9
