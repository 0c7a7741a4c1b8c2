"""Training, inside step 4: which records a batch holds, and the forms they take as query and as document."""

import collections
import random

from evaluate import stem

ASK = (
    "how does",
    "how do i",
    "how to",
    "how is",
    "where is",
    "where do we",
    "where is the code that",
    "what",
    "which function",
    "which class",
    "why does",
    "what happens when",
    "find the function that",
    "show me where",
    "how does it",
    "how can i",
    "where does it",
    "what is used to",
    "function to",
    "code that",
)


class Sampler:
    """Draws batches of records and the many forms of a record as query and as document."""

    def __init__(self, recs, words, near, a):
        """Group the records by package; `near` [words, n] are near words or -1, `a` holds the probabilities."""
        self.recs, self.a, self.rnd = recs, a, random.Random(a.seed)
        self.near = [[j for j in row if j >= 0] for row in near.tolist()]
        self.stem = [stem(w) for w in words]
        row = {w: i for i, w in enumerate(words)}
        self.ask = [[row[w] for w in t.split() if w in row] for t in ASK]
        self.by_package = collections.defaultdict(list)
        for i, r in enumerate(recs):
            if r["q"] and (r["qual"] or r["body"]):
                self.by_package[r["pkg"]].append(i)

    def batches(self):
        """Lists of record indexes, each made of blocks of one package."""
        a, blocks = self.a, []
        for members in self.by_package.values():
            ii = members[:]
            self.rnd.shuffle(ii)
            blocks += [ii[k : k + a.block] for k in range(0, max(1, len(ii) - a.block // 2), a.block)]
        self.rnd.shuffle(blocks)
        out = []
        for b in blocks:
            out += b
            if len(out) >= a.batch:
                yield out[: a.batch]
                out = []

    def query(self, r):
        """{id: weight} of a docstring sentence, sometimes shortened, as a question or without the name."""
        a, rnd, q = self.a, self.rnd, r["q"]
        u = rnd.random()
        if u < a.hide:
            hide = set(r["qual"])
            q = [t for t in q if t not in hide] or q
        elif u < a.hide + 0.1:
            q = q + r["rest"][:40]
        if rnd.random() < a.drop:
            p = rnd.random() * 0.5
            q = [t for t in q if rnd.random() > p] or q
        if rnd.random() < a.ask:
            q = rnd.choice(self.ask) + q
        return dict.fromkeys(self.in_other_words(q), 1.0)

    def in_other_words(self, q):
        """Ids of a query, some exchanged for near ones."""
        rnd, near = self.rnd, self.near
        return [rnd.choice(near[t]) if rnd.random() < self.a.syn and near[t] else t for t in q]

    def pair(self, r):
        """(query, document) of one record, sometimes without a word in common."""
        q, d = self.query(r), self.document(r)
        if self.rnd.random() < self.a.over:
            shared = {self.stem[t] for t in d}
            left = {t: w for t, w in q.items() if self.stem[t] not in shared}
            q = left if len(left) >= 3 else q
        return q, d

    def document(self, r):
        """{id: weight} of a card, with or without path, signature, docstring and body."""
        a, rnd, d = self.a, self.rnd, {}
        if rnd.random() < a.path:
            d = dict.fromkeys(r["path"], a.title)
        d.update(dict.fromkeys(r["qual"], a.title))
        parts = []
        if rnd.random() < 0.85 or not d:
            parts.append(r["sig"])
        if rnd.random() < a.rest:
            parts.append(r["rest"])
        if rnd.random() < a.body or (not d and not r["sig"]):
            parts.append(r["body"])
        for p in parts:
            for t in p:
                d.setdefault(t, 1.0)
        if rnd.random() < a.ddrop:
            p = rnd.random() * 0.5
            d = {t: w for t, w in d.items() if rnd.random() > p} or d
        return d if d else dict.fromkeys(r["path"] + r["body"], 1.0)
