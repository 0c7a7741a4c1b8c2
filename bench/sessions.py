"""Past sessions: index throughput, re-index, search times, tokens per hit, planted decisions found, proposals.

Run: python bench/sessions.py [SESSIONS] [MESSAGES] (500 and 400: 200,000 messages). Corpus and questions are made by
rule (`tests/sessions/generator.py`). Throughput is a ratio to `json.loads` over the same lines, by CPU time of the
same run. 50 decisions are planted among 20 near messages each that name the same things, and asked in other words.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.sessions.archives import open_archive
from tests.sessions.generator import MAKERS, Talk, talks, vocabulary, write
from zerikai_memory.render_sessions import recall as rendered
from zerikai_memory.sessions.gathering import gather

SUBJECTS = """
    invoice numbers|login cookies|image thumbnails|price rounding|search ranking|job queue|email templates|audit log
    feature flags|session store|rate limits|file uploads|map tiles|stock counts|tax tables|user avatars|date parsing
    coupon codes|error pages|health checks|address forms|order history|chat bubbles|video previews|cache keys
    table sorting|csv exports|dark theme|push alerts|gift cards|delivery slots|menu icons|query builder|test fixtures
    build pipeline|release notes|payment retries|font loading|backup rotation|schema changes|webhook signing|tag cloud
    label printing|barcode scans|seat plans|playlist order|weather feed|currency list|password reset|review stars
""".replace("\n", "|")
CHOICES = """
    sequences uuids|signatures jwt|webp jpeg|cents floats|bm25 cosine|postgres redis|mjml handlebars|append triggers
    yaml launchdarkly|sqlite memcached|buckets counters|chunks multipart|vector raster|ledger column|csvs api
    initials gravatar|iso locale|checksums hashes|static react|tcp http|autocomplete dropdowns|snapshots joins
    flexbox grid|hls mp4|blake md5|stable quicksort|streaming buffering|variables sass|apns polling|vouchers balances
    intervals cron|sprites svg|builder strings|factories dumps|ninja make|towncrier commitizen|backoff loops
    swap preload|restic rsync|alembic liquibase|ed25519 hmac|canvas d3|zpl pdf|zxing quagga|polygons tables
    fractions integers|grib json|minor major|magic links|halves tenths
""".replace("\n", "|")
REASONS = "it lost data|it was too slow|it broke on Windows|nobody could debug it|the licence forbids it".split("|")
QUESTIONS = (
    "why did we pick {choice} for the {subject}?",
    "what was wrong with {rejected} in the {subject}",
    "reasons against using {rejected} for {subject}",
    "{subject}: {choice} or {rejected}",
)
# Half of them without a word such as "decided" or "because", which the ranking favours.
DECISIONS = (
    "Decided: the {subject} use {choice} instead of {rejected}, because {rejected} meant that {reason}.",
    "OK, {choice} for the {subject} then. With {rejected} {reason}.",
    "Let us keep {choice}: {rejected} in the {subject} was no good, {reason}.",
    "The {subject} go with {choice} rather than {rejected}; {reason}.",
)
NEAR = (
    "The {subject} test fails again, look at {choice}.",
    "Please rename the {subject} helper.",
    "{rejected} came up once more in the standup.",
    "I have updated the documentation of {subject}.",
)


def plant(made: list[Talk], rng: random.Random) -> list[tuple[str, str, str]]:
    """Put decisions and near messages into sessions; returns (question, session, text of the decision)."""
    subjects = [part.strip() for part in SUBJECTS.split("|") if part.strip()]
    pairs = [part.split() for part in CHOICES.split("|") if part.strip()]
    asked = []
    for number, (subject, (choice, rejected)) in enumerate(zip(subjects, pairs, strict=True)):
        names = {"subject": subject, "choice": choice, "rejected": rejected}
        reason = REASONS[number % len(REASONS)]
        text = DECISIONS[number // 4 % len(DECISIONS)].format(**names, reason=reason)
        talk = rng.choice(made)
        talk.said[rng.randrange(1, len(talk.said), 4)] = ("assistant", text)
        for near in range(20):
            other = rng.choice(made)
            place = rng.randrange(3, len(other.said), 4)
            other.said[place] = ("assistant", NEAR[near % len(NEAR)].format(**names))
        asked.append((QUESTIONS[number % len(QUESTIONS)].format(**names), talk.session, text))
    # A later near message may have taken a decision's place.
    return [one for one in asked if any(one[2] == text for talk in made for _, text in talk.said)]


def write_all(home: Path, made: list[Talk]) -> list[Path]:
    agents = list(MAKERS)
    return [write(home, agents[number % len(agents)], talk) for number, talk in enumerate(made)]


def loads_seconds(paths: list[Path]) -> float:
    """CPU time of json.loads over every line."""
    started = time.process_time()
    for path in paths:
        with path.open("rb") as file:
            for line in file:
                json.loads(line)
    return time.process_time() - started


def percentile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def main() -> int:
    sessions, messages = (int(text) for text in (*sys.argv[1:], "500", "400")[:2])
    rng = random.Random(11)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        made = talks(3, sessions, messages)
        planted = plant(made, rng)
        paths = write_all(home, made)
        size = sum(path.stat().st_size for path in paths)
        yardstick = loads_seconds(paths)
        archive = open_archive(home, brain=Path(folder) / "brain")
        started = time.process_time()
        report = archive.index()
        indexing = time.process_time() - started
        print(
            f"first index: {report.messages} messages, {size / 1e6:.0f} MB in {indexing:.1f} s CPU, "
            f"{size / 1e6 / indexing:.1f} MB/s, {yardstick / indexing:.3f} of json.loads "
            f"({size / 1e6 / yardstick:.0f} MB/s)"
        )
        again = min(_timed(archive.index) for _ in range(5))
        print(f"re-index with nothing new: {again * 1000:.1f} ms")

        words = vocabulary(3)
        common = [" ".join(rng.choices(words[:3_000], k=rng.randint(1, 5))) for _ in range(150)]
        questions = [question for question, _, _ in planted] + common
        times, tokens = [], []
        for question in questions:
            times.append(sorted(_timed(lambda question=question: archive.recall(question)) for _ in range(3))[1])
            found = archive.recall(question)
            if found.hits:
                tokens.append(len(rendered(found)) / 4 / len(found.hits))
        p50, p95 = percentile(times, 0.5) * 1000, percentile(times, 0.95) * 1000
        print(f"search, survey included: p50 {p50:.1f} ms, p95 {p95:.1f} ms, {len(times)} questions")
        print(f"tokens a hit: median {percentile(tokens, 0.5):.0f}, most {max(tokens):.0f}")
        found_first = 0
        for question, session, text in planted:
            hits = archive.recall(question, limit=3).hits
            mine = [hit.step for hit in hits if hit.session == session]
            found = any(text in archive.show(session, step, step)[0].text for step in mine)
            found_first += found
            if not found:
                print(f"  not in the first 3: {question!r} ({text!r})")
        print(f"planted decisions in the first 3: {found_first} of {len(planted)}")
        started = time.perf_counter()
        looked = gather(archive, None, None)
        rate = looked.messages / (time.perf_counter() - started)
        print(f"proposals: {looked.added} from {looked.messages} messages, {rate:.0f} messages/s")
        print(
            f"sessions.db: {sum(p.stat().st_size for p in (Path(folder) / 'brain').glob('sessions.db*')) / 1e6:.0f} MB"
        )
        archive.close()
    return 0 if found_first >= 0.9 * len(planted) else 1


def _timed(work: object) -> float:
    started = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
