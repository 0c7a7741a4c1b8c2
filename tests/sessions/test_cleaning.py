"""What of a message is kept."""

import json

import pytest

from tests.sessions.archives import open_archive, texts
from zerikai_memory.model_sessions import Recall
from zerikai_memory.render import json_line
from zerikai_memory.sessions.cleaning import clean, clean_label
from zerikai_memory.sessions.formats.base import Said, tool_text

SECRETS = {
    "key": "sk-proj-Zk3v9QmT7xLw2BnRd8YcHs5JfGp1VaXe",
    "token": "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8",
    "password": "Tr0ub4dor-and-3-more",
}
TELLING = f"export KEY={SECRETS['key']}\nuse token {SECRETS['token']} and password={SECRETS['password']} please"


@pytest.mark.parametrize(
    ("role", "text", "kept"),
    [
        ("user", "a <private>b</private> c", "a  c"),
        ("user", "a <private>b <private>c</private> d</private> e", "a  e"),  # nested
        ("user", "a <PRIVATE reason='x'>b</ private > c", "a  c"),
        ("user", "a <private>b, never closed", "a"),
        ("user", "a </private> b", "a </private> b"),  # nothing was opened
        ("user", "use `<private>` to hide it, ok?", "use `<private>` to hide it, ok?"),  # talk about the tag
        ("user", "wrap it in `<private>` and `</private>`!", "wrap it in `<private>` and `</private>`!"),
        ("user", 'write "<private>" before it', 'write "<private>" before it'),
        ("user", "Paste <private key> here.", "Paste <private key> here."),  # a placeholder
        ("user", "a <private note>b</private> c", "a  c"),
        ("user", "a `<private>b</private>` c", "a `` c"),  # whole, so it is meant
        ("user", "a\n```\n<private>\nb\n```\nc", "a\n```\n```\nc"),  # open in a fence: to its end
        ("user", "```\n<private>\n```\na <private>b</private> c", "```\n```\na  c"),
        ("user", "`a <private>b` c </private> d", "`a  d"),  # in doubt it is private
        ("user", "<private>a `</private>` b</private> c", "c"),
        ("user", "<private>all</private>", None),
        ("assistant", "you said <private>b</private>", "you said"),
        ("tool", "Bash: echo <private>b</private> c", "Bash: echo c"),
        ("user", "<system-reminder>x\ny</system-reminder>\nask", "ask"),
        ("user", "<environment_context>\n <cwd>/</cwd>\n</environment_context>", None),
        ("user", "look at <div>this</div>", "look at <div>this</div>"),  # a person's own markup
        ("user", "<command-name>/review</command-name>", "/review"),
        ("user", "pic " + "QUJD" * 200 + " end", "pic [data, 800 characters] end"),
        ("assistant", "so:\n```diff\n- a\n+ b\n```\ndone", "so:\n[diff, 2 lines]\ndone"),
        ("assistant", "\x1b[31mred\x1b[0m alert", "red alert"),  # a terminal's colours
        ("assistant", "lone \ud83d and \0 nul", "lone \ufffd and  nul"),
        ("assistant", "   ", None),
        ("thinking", "hidden", None),
        ("tool", "Bash:  a\n  b", "Bash: a b"),  # one line
    ],
)
def test_only_discourse_is_kept(role, text, kept):
    cleaned = clean(Said(role, text), 10_000)
    assert (cleaned and cleaned.text) == kept


def test_a_long_message_is_cut_to_the_limit_with_a_mark():
    text = clean(Said("user", "word " * 5_000), 10_000).text
    assert len(text) == 10_000
    assert text.endswith("(14999 more characters)")


def test_a_secret_at_the_cut_is_masked_before_it_is_cut():
    text = clean(Said("user", "x" * 960 + " " + SECRETS["key"] + " tail" * 100), 1_000).text
    assert "sk-proj" not in text


def test_labels_are_one_masked_line():
    assert clean_label(f"a\n b {SECRETS['token']}") == "a b [masked]"


def test_planted_secrets_are_in_no_byte_of_index_reply_or_log(tmp_path, caplog):
    caplog.set_level("DEBUG")
    home = tmp_path / "home"
    path = home / "claude" / "projects" / "-p" / "s.jsonl"
    path.parent.mkdir(parents=True)
    lines = [
        {"type": "summary", "summary": TELLING},
        {"type": "user", "uuid": "1", "sessionId": "s", "cwd": "/p", "message": {"role": "user", "content": TELLING}},
        {
            "type": "assistant",
            "uuid": "2",
            "sessionId": "s",
            "message": {
                "id": "m",
                "content": [
                    {"type": "text", "text": f"I set it: {TELLING}"},
                    {"type": "thinking", "thinking": TELLING},
                    {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": f"curl -H {TELLING}"}},
                ],
            },
        },
        {
            "type": "user",
            "uuid": "3",
            "sessionId": "s",
            "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": TELLING}]},
        },
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + json.dumps(lines[1])[:-20] + "\n")
    archive = open_archive(home, brain=tmp_path / "brain")
    replies = [archive.recall("please use token password"), Recall(steps=tuple(archive.show("s")))]
    replies += [archive.recall(), archive.recall(session="s"), archive.recall(SECRETS["key"]), archive.index()]
    assert replies[0].hits
    assert len(texts(archive, "assistant")) == 1
    archive.close()
    stored = b"".join(file.read_bytes() for file in (tmp_path / "brain").rglob("*") if file.is_file())
    said = json_line(replies) + caplog.text
    for secret in SECRETS.values():
        for part in (secret, secret[:20], secret.lower()):
            assert part.encode() not in stored
            assert part not in said


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59.999-14:00", "0001-01-01T00:00:00+14:00", "2100-01-01", 1e300])
def test_a_line_of_an_impossible_date_has_no_date_and_hides_no_session(tmp_path, moment):
    (tmp_path / "other").mkdir()
    lines = [{"session": "t", "role": "user", "content": "wolverine", "timestamp": moment}]
    lines.append({"session": "u", "role": "user", "content": "badger", "timestamp": "2026-05-01T10:00:00Z"})
    (tmp_path / "other" / "x.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    archive = open_archive(tmp_path)
    archive.index()
    assert {(info.session, info.started_at is None) for info in archive.recall().sessions} == {
        ("t", True),
        ("u", False),
    }
    assert archive.recall("wolverine").hits[0].at is None
    archive.close()


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        (
            "apply_patch",
            "*** Begin Patch\n*** Update File: src/a.py\n-old\n+new\n*** End Patch",
            "apply_patch: src/a.py",
        ),
        (
            "shell",
            {
                "command": [
                    "apply_patch",
                    "*** Begin Patch\n*** Add File: b.py\n+x\n*** Delete File: c.py\n*** End Patch",
                ]
            },
            "shell: b.py c.py",
        ),
        ("Bash", {"command": "cat > a.txt <<'EOF'\nsecret body\nEOF"}, "Bash: cat > a.txt <<'EOF'"),
        ("Bash", {"command": "pytest -q"}, "Bash: pytest -q"),
    ],
)
def test_a_tool_is_told_by_its_target_and_not_by_what_it_writes(name, arguments, told):
    assert tool_text(name, arguments) == told
