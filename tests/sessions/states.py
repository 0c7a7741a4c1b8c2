"""What an archive shows, to compare two of them, and small transcripts to make them of."""

import json
from dataclasses import replace

UUID = "0bb0c0de-0000-4000-8000-00000000000{}"


def state(tape):
    """Everything a person can see: sessions with titles, folders and messages in their steps; and the figures."""
    shown = {}
    for info in tape.recall(limit=1000).sessions:
        steps = tape.show(f"{info.agent}:{info.session}")
        assert [step.step for step in steps] == list(range(1, len(steps) + 1))
        said = [(step.role, step.at, step.text, step.off_branch) for step in steps]
        shown[info.agent, info.session] = (info.title, info.project, said)
    sums = sorted(
        (replace(one, sessions=tuple(range(len(one.sessions)))) for one in tape.spent().sums),
        key=lambda one: (one.agent, one.project, one.model, one.at or 0, one.booked),
    )
    return shown, sums


def live(shown):
    return {key: [one for one in said if not one[3]] for key, (_, _, said) in shown.items()}


def put(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def claude_line(session, number, role, text, **more):
    message = {"role": role, "content": text}
    if role == "assistant":
        usage = {"input_tokens": 10 * number, "output_tokens": number}
        message = {"id": f"m{number}", "role": role, "model": "m", "usage": usage}
        message["content"] = [{"type": "text", "text": text}]
    at = f"2026-11-01T08:{number:02d}:00Z"
    line = {"type": role, "uuid": f"{session}{number}", "sessionId": session, "cwd": f"/p/{session}", "timestamp": at}
    return line | {"message": message, "requestId": f"r{number}"} | more


def claude_talk(session, *numbers, **more):
    return [
        claude_line(session, number, "assistant" if number % 2 == 0 else "user", f"words {number}", **more)
        for number in numbers
    ]


def steps(tape, session):
    return [(step.text, step.off_branch) for step in tape.show(session)]
