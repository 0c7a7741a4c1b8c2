"""What a person had forgotten never comes back: not from copies, forks, another order of reading or a new index."""

import itertools
import json
import re
import shutil
from datetime import datetime, timedelta

import pytest

from tests.sessions.archives import all_steps, open_archive
from tests.sessions.generator import MAKERS, START, Talk, write
from zerikai_memory.errors import InputError, StoreError

SECRET = "the blue heron nests under the third bridge and nobody is to know of it" + " for ever" * 20


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def opened(home, tmp_path):
    made = []

    def open_one():
        for one in made:
            one.close()
        made.append(open_archive(home, brain=tmp_path / "brain"))
        return made[-1]

    yield open_one
    for one in made:
        one.close()


def talk(session, *said, started=START):
    return Talk(
        session, "/home/dev/p", started, [("user" if n % 2 == 0 else "assistant", text) for n, text in enumerate(said)]
    )


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def put(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def left_of(tape, tmp_path):
    """Where the forgotten words still stand: hits, steps, files."""
    steps = [step for step in all_steps(tape) if "heron" in step.text]
    files = [file.name for file in (tmp_path / "brain").glob("sessions.*") if b"heron" in file.read_bytes()]
    return [*tape.recall("heron bridge").hits, *steps, *files]


def claude_fork(home):
    """A resumed session copies the lines of the first one under its own id, then goes on."""
    old = lines_of(write(home, "claude-code", talk("a1", SECRET, "noted")))
    new = lines_of(write(home, "claude-code", talk("b2", SECRET, "noted", "other things", "fine")))
    copied = [record | {"sessionId": "b2", "uuid": f"c{n}"} for n, record in enumerate(old)]
    put(home / "claude/projects/-p/b2.jsonl", copied + new[2:])
    return "a1", "b2", home / "claude/projects/-p/b2.jsonl"


def codex_fork(home):
    """A fork says everything anew, at times of its own."""
    first, second = "0bb0c0de-0000-4000-8000-00000000000a", "0bb0c0de-0000-4000-8000-00000000000b"
    write(home, "codex", talk(first, SECRET, "noted"))
    path = write(home, "codex", talk(second, SECRET, "noted", "other things", "fine", started=START + 500))
    records = lines_of(path)
    records[0]["payload"]["forked_from_id"] = first
    put(path, records)
    return first, second, path


def pi_fork(home):
    path = write(home, "pi", talk("p1", SECRET, "noted"))
    records = lines_of(path)
    more = lines_of(write(home, "pi", talk("p9", SECRET, "noted", "other things", "fine")))[3:]
    (home / "pi/agent/sessions/--p--/2026-02-02T09-00-00-000Z_p9.jsonl").unlink()
    fork = home / "pi/agent/sessions/--p--/z_p2.jsonl"
    put(fork, [records[0] | {"id": "p2", "parentSession": str(path)}, *records[1:], *more])
    return "p1", "p2", fork


def folder_copy(home):
    """The folder of a session, copied under another name: nothing in the file tells."""
    path = write(home, "antigravity", talk("a1", SECRET, "noted"))
    longer = write(home, "antigravity", talk("b2", SECRET, "noted", "other things", "fine"))
    assert path != longer
    return "a1", "b2", longer


FORKS = {"claude-code": claude_fork, "codex": codex_fork, "pi": pi_fork, "antigravity": folder_copy}


ORDERS = ["together", "fork later", "fork first", "index made anew", "index made anew without the original"]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("agent", FORKS)
def test_what_a_session_said_does_not_come_back_from_a_fork_or_copy(agent, order, home, opened, tmp_path):
    original, fork, path = FORKS[agent](home)
    aside = tmp_path / "aside"
    tape = opened()
    if order == "fork later":
        shutil.move(path, aside)
    if order == "fork first":
        (first,) = [one for one in home.rglob("*.jsonl") if one != path]
        first.rename(aside)
        tape.index()
        aside.rename(first)
    tape.index()
    tape.forget(original)
    if order == "fork later":
        shutil.move(aside, path)
    if order.endswith("without the original"):
        (first,) = [one for one in home.rglob("*.jsonl") if one != path]
        first.unlink()
    if order.startswith("index made anew"):
        tape.close()
        for file in (tmp_path / "brain").glob("sessions.db*"):
            file.unlink()
        tape = opened()
    tape.index()
    assert left_of(tape, tmp_path) == []
    assert [step.text for step in tape.show(fork)] == ["other things", "fine"]
    assert {info.session for info in tape.recall().sessions} == {fork}


@pytest.mark.parametrize("agent", ["claude-code", "codex", "pi"])
def test_a_fork_that_was_forgotten_before_its_original_was_read_leaves_nothing_to_it(agent, home, opened, tmp_path):
    _, fork, path = FORKS[agent](home)
    (first,) = [one for one in home.rglob("*.jsonl") if one != path]
    first.rename(tmp_path / "aside")
    tape = opened()
    tape.index()
    tape.forget(fork)
    (tmp_path / "aside").rename(first)
    tape.index()
    assert left_of(tape, tmp_path) == []


@pytest.mark.parametrize("agent", ["claude-code", "codex", "pi"])
def test_forgetting_a_fork_leaves_the_original_whole(agent, home, opened, tmp_path):
    original, fork, _ = FORKS[agent](home)
    tape = opened()
    tape.index()
    tape.forget(fork)
    assert [step.text for step in tape.show(original)] == [SECRET, "noted"]
    tape.index()
    assert {info.session for info in tape.recall().sessions} == {original}


def test_a_fork_of_a_forgotten_fork_gives_nothing_of_either(home, opened, tmp_path):
    names = [f"0bb0c0de-0000-4000-8000-00000000000{letter}" for letter in "abc"]
    said = ["first words", "noted", SECRET, "noted too", "third talk", "fine"]
    for number, name in enumerate(names):
        path = write(home, "codex", talk(name, *said[: 2 * number + 2], started=START + 500 * number))
        if number:
            records = lines_of(path)
            records[0]["payload"]["forked_from_id"] = names[number - 1]
            put(path, records)
    tape = opened()
    tape.index()
    tape.forget(names[1])
    tape.close()
    for file in (tmp_path / "brain").glob("sessions.db*"):
        file.unlink()
    tape = opened()
    tape.index()
    assert left_of(tape, tmp_path) == []
    assert [step.text for step in tape.show(names[2])] == ["third talk", "fine"]
    assert [step.text for step in tape.show(names[0])] == ["first words", "noted"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_fork_that_was_forgotten_before_any_of_its_origins_was_read_leaves_nothing_to_them(
    order, home, opened, tmp_path
):
    paths = [
        write(home, "codex", talk(f"0bb0c0de-0000-4000-8000-00000000000{letter}", SECRET, "noted", started=START + at))
        for letter, at in (("a", 0), ("b", 500), ("c", 900), ("d", 1_300))
    ]
    for path, before in zip(paths[1:], "aba", strict=True):  # the last one is another fork of the first
        records = lines_of(path)
        records[0]["payload"]["forked_from_id"] = f"0bb0c0de-0000-4000-8000-00000000000{before}"
        put(path, records)
    contents = [path.read_bytes() for path in paths]
    for path in (paths[0], paths[1], paths[3]):
        path.unlink()
    tape = opened()
    tape.index()
    tape.forget("0bb0c0de-0000-4000-8000-00000000000c")
    for number in (*order, 3):
        paths[number].write_bytes(contents[number])
        tape.index()
        assert left_of(tape, tmp_path) == []


def shifted(records, seconds=77):
    """Records at later times, and other steps."""
    text = json.dumps(records)
    for stamp in set(re.findall(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?", text)):
        text = text.replace(stamp, (datetime.fromisoformat(stamp) + timedelta(seconds=seconds)).isoformat())
    return [
        record | ({"step_index": record["step_index"] + seconds} if "step_index" in record else {})
        for record in json.loads(text)
    ]


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("order", ["fork later", "fork in the same run", "fork first"])
@pytest.mark.parametrize("agent", FORKS)
def test_what_is_added_to_a_forgotten_session_does_not_come_back_from_a_fork(
    agent, order, anew, home, opened, tmp_path
):
    original, fork, path = FORKS[agent](home)
    (first,) = [one for one in home.rglob("*.jsonl") if one != path]
    whole = lines_of(path)
    added = json.loads(json.dumps(whole[-2:]).replace("other things", f"added: {SECRET}").replace("fine", "fine too"))
    if agent == "claude-code":
        added = [record | {"sessionId": original, "uuid": f"added-{n}"} for n, record in enumerate(added)]
    later = shifted([record | {"sessionId": fork} if agent == "claude-code" else record for record in whole[-2:]])
    copied = [record | {"sessionId": fork} for record in added] if agent == "claude-code" else added
    path.unlink()
    tape = opened()
    tape.index()
    tape.forget(original)
    put(first, [*lines_of(first), *added])
    if order == "fork later":
        tape.index()
    elif order == "fork first":
        aside = first.rename(tmp_path / "aside")
    put(path, [*whole[:-2], *copied, *later])
    tape.index()
    if order == "fork first":
        aside.rename(first)
        tape.index()
    for _ in range(2):
        assert left_of(tape, tmp_path) == []
        assert [step.text for step in tape.show(fork)] == ["other things", "fine"]
        if anew:
            first.unlink(missing_ok=True)
            tape.close()
            for file in (tmp_path / "brain").glob("sessions.db*"):
                file.unlink()
            tape = opened()
            tape.index()


def test_undated_words_that_were_forgotten_do_not_come_back_and_short_ones_are_anybodys(home, opened, tmp_path):
    def lines(session):
        return [
            {"session": session, "role": role, "content": text} for role, text in (("user", SECRET), ("user", "yes"))
        ]

    put(home / "other/a.jsonl", lines("a"))
    put(home / "other/b.jsonl", lines("b"))
    tape = opened()
    tape.index()
    tape.forget("a")
    tape.index()
    assert left_of(tape, tmp_path) == []
    assert [step.text for step in tape.show("b")] == ["yes"]


@pytest.mark.parametrize("order", ["together", "fork later", "index made anew"])
def test_a_copy_of_a_line_at_another_time_does_not_come_back(order, home, opened, tmp_path):
    original, fork, path = claude_fork(home)
    (first,) = [one for one in home.rglob("*.jsonl") if one != path]
    lines = [record | {"uuid": f"0bb0c0de-000{n}"} for n, record in enumerate(lines_of(first))]
    put(first, lines)
    moved = shifted([record | {"sessionId": fork} for record in lines], 400)
    put(path, [*moved, *shifted(lines_of(path)[2:], 500)])
    aside = tmp_path / "aside"
    tape = opened()
    if order == "fork later":
        path.rename(aside)
    tape.index()
    tape.forget(original)
    if order == "fork later":
        aside.rename(path)
    if order == "index made anew":
        tape.close()
        for file in (tmp_path / "brain").glob("sessions.db*"):
            file.unlink()
        tape = opened()
    tape.index()
    assert left_of(tape, tmp_path) == []
    assert [step.text for step in tape.show(fork)] == ["other things", "fine"]


def unnamed_fork(home):
    """A rollout that says anew what another one said, without its name; the same question asked again is none."""
    names = [f"0bb0c0de-0000-4000-8000-00000000000{letter}" for letter in "abc"]
    write(home, "codex", talk(names[0], SECRET, "noted, and kept", "go on"))
    copy = talk(names[1], SECRET, "noted, and kept", "go on", "fine", started=START + 500)
    path = write(home, "codex", copy)
    write(home, "codex", talk(names[2], "go on", "with other things", started=START + 900))
    return names, path


@pytest.mark.parametrize("order", ["together", "copy later"])
def test_a_copy_without_the_name_of_its_origin_is_known_by_how_it_opens(order, home, opened, tmp_path):
    (original, copy, other), path = unnamed_fork(home)
    if order == "copy later":
        path.rename(tmp_path / "aside")
    tape = opened()
    tape.index()
    tape.forget(original)
    if order == "copy later":
        (tmp_path / "aside").rename(path)
    tape.index()
    assert left_of(tape, tmp_path) == []
    assert [step.text for step in tape.show(copy)] == ["fine"]
    assert [step.text for step in tape.show(other)] == ["go on", "with other things"]


def test_forgetting_such_a_copy_leaves_the_original_whole(home, opened):
    (original, copy, _), _ = unnamed_fork(home)
    tape = opened()
    tape.index()
    tape.forget(copy)
    tape.index()
    assert [step.text for step in tape.show(original)] == [SECRET, "noted, and kept", "go on"]


@pytest.mark.parametrize("anew", [False, True])
def test_forgetting_a_copy_at_other_times_leaves_the_original_whole(anew, home, opened, tmp_path):
    original, fork, path = claude_fork(home)
    (first,) = [one for one in home.rglob("*.jsonl") if one != path]
    lines = [record | {"uuid": f"0bb0c0de-000{n}"} for n, record in enumerate(lines_of(first))]
    put(first, lines)
    put(path, shifted([record | {"sessionId": fork} for record in lines], 400))
    tape = opened()
    tape.index()
    tape.forget(fork)
    if anew:
        tape.close()
        for file in (tmp_path / "brain").glob("sessions.db*"):
            file.unlink()
        tape = opened()
    tape.index()
    assert [step.text for step in tape.show(original)] == [SECRET, "noted"]


def test_a_title_goes_with_its_session(home, opened, tmp_path):
    title = {"type": "custom-title", "customTitle": "About the heron"}
    for name in ("a1", "b2"):
        path = write(home, "claude-code", talk(name, f"words of {name}", "ok", started=START + (name == "b2")))
        put(path, [*lines_of(path), title | {"sessionId": name}])
    tape = opened()
    tape.index()
    tape.forget("a1")
    tape.index()
    assert left_of(tape, tmp_path) == []
    assert [info.title for info in tape.recall().sessions] == ["words of b2"]


def test_a_forgetting_that_was_interrupted_is_completed_by_the_next_index_run(home, opened, tmp_path):
    write(home, "claude-code", talk("a1", SECRET, "noted"))
    tape = opened()
    tape.index()
    tape.close()
    before = {file: file.read_bytes() for file in (tmp_path / "brain").glob("sessions.db*")}
    tape = opened()
    tape.forget("a1")
    tape.close()
    for file, content in before.items():  # as if the process had ended after the marks, before the removal
        file.write_bytes(content)
    tape = opened()
    tape.index()
    assert not tape.recall("heron").hits


def test_marks_after_a_torn_end_of_their_file_count(home, opened, tmp_path):
    write(home, "claude-code", talk("a1", SECRET, "noted"))
    (tmp_path / "brain").mkdir()
    (tmp_path / "brain" / "sessions.forgotten").write_text("0123456789abcd")
    tape = opened()
    tape.index()
    tape.forget("a1")
    tape.close()
    for file in (tmp_path / "brain").glob("sessions.db*"):
        file.unlink()
    assert opened().index().messages == 0


def test_marks_that_cannot_be_read_stop_the_index_run(home, opened, tmp_path):
    write(home, "claude-code", talk("a1", SECRET, "noted"))
    (tmp_path / "brain" / "sessions.forgotten").mkdir(parents=True)
    with pytest.raises(StoreError, match="must not come back"):
        opened().index()


def test_two_agents_with_one_session_id_are_told_apart(home, opened):
    for agent, text in (("claude-code", "words for claude"), ("generic", "words for another")):
        write(home, agent, talk("same-id", text, "ok"))
    tape = opened()
    tape.index()
    for wrong in ("same-id", "same"):
        with pytest.raises(InputError, match="claude-code:same-id, generic:same-id"):
            tape.forget(wrong)
    assert [step.text for step in tape.show("generic:same-id")] == ["words for another", "ok"]
    assert tape.recall(session="same-id", agent="claude-code").steps[0].text == "words for claude"
    assert tape.forget("claude-code:same").messages == 2
    assert [step.text for step in tape.show("same-id")] == ["words for another", "ok"]
    assert tape.index().messages == 0


def test_a_session_id_may_hold_a_colon(home, opened):
    write(home, "generic", talk("generic-x", "one", "two"))
    path = home / "other/colon.jsonl"
    put(path, [{"session": "urn:session:1", "role": "user", "content": "words under a colon"}])
    tape = opened()
    tape.index()
    assert [step.text for step in tape.show("urn:session")] == ["words under a colon"]
    assert [step.text for step in tape.show("generic:urn:session:1")] == ["words under a colon"]


@pytest.mark.parametrize("agent", MAKERS)
def test_a_forgotten_session_of_any_format_stays_out(agent, home, opened, tmp_path):
    write(home, agent, talk("a1", SECRET, "noted"))
    write(home, agent, talk("b2", "other words", "noted otherwise", started=START + 900))
    tape = opened()
    tape.index()
    tape.forget("a1")
    for database, _ in itertools.product((False, True), range(2)):
        if database:
            tape.close()
            for file in (tmp_path / "brain").glob("sessions.db*"):
                file.unlink()
            tape = opened()
        tape.index()
        assert left_of(tape, tmp_path) == []
        assert [info.session for info in tape.recall().sessions] == ["b2"]


@pytest.mark.parametrize("agent", FORKS)
def test_another_bound_on_the_length_of_messages_brings_nothing_back(agent, home, tmp_path):
    original, _, _ = FORKS[agent](home)
    for number, max_chars in enumerate((200, 10_000, 300)):
        tape = open_archive(home, brain=tmp_path / "brain", max_chars=max_chars)
        tape.index()
        if number == 0:
            tape.forget(original)
        assert left_of(tape, tmp_path) == []
        tape.close()
        for file in (tmp_path / "brain").glob("sessions.db*"):
            file.unlink()
