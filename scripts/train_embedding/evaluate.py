"""Held-out test of a table: does the right function come first among its package's own functions?

Corpus: up to 400 functions of each of ten packages that no training pair comes from.
A: first docstring sentence -> name, signature and body (docstring removed)
B: hand-written question (questions.tsv) -> the same with the docstring
C: hand-written question -> docstring removed
Printed: MRR@10 and recall@5, mean over packages: BM25, the table, both fused by reciprocal rank (k 60).

Records come from `extract.py --all`; see README.md for the packages.
"""

import argparse
import collections
import json
import math
import os
import random
import re

import numpy as np

from zerikai_memory.embed.static import WORD, StaticTable

HERE = os.path.dirname(os.path.abspath(__file__))

IDENT = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*|[0-9]+")
_STOP_WORDS = """
the a an of to in for is and or if be with on by this that it as from are
self def return function const let var cls none true false null
"""
STOP = frozenset(_STOP_WORDS.split())
SKLEARN = re.compile(r"sklearn/(metrics|preprocessing|model_selection|utils|feature_extraction|pipeline|compose)")
TASKS = (("A", "sentences", False), ("B", "questions", True), ("C", "questions", False))


def stem(t):
    """Cut common English endings."""
    for s in ("ings", "ing", "ied", "ies", "ed", "es", "s"):
        if t.endswith(s) and len(t) - len(s) >= 3:
            return t[: -len(s)] + ("y" if s in ("ied", "ies") else "")
    return t[:-1] if t.endswith("e") and len(t) > 4 else t


def terms(text):
    """Whole identifiers and their parts, stemmed, without stop words."""
    out = []
    for w in IDENT.findall(text):
        parts = [p.lower() for p in WORD.findall(w)]
        out += ([w.lower()] if len(parts) > 1 else []) + parts
    return [stem(t) for t in out if t not in STOP]


def bm25(docs, queries, k1=1.2, b=0.75):
    """Scores [queries, docs]."""
    post, length = collections.defaultdict(dict), np.zeros(len(docs))
    for i, d in enumerate(docs):
        for t, n in collections.Counter(terms(d)).items():
            post[t][i] = n
            length[i] += n
    norm = k1 * (1 - b + b * length / length.mean())
    out = np.zeros((len(queries), len(docs)))
    for r, q in enumerate(queries):
        for t in set(terms(q)):
            idf = math.log(1 + (len(docs) - len(post[t]) + 0.5) / (len(post[t]) + 0.5)) if t in post else 0
            for i, n in post.get(t, {}).items():
                out[r, i] += idf * n * (k1 + 1) / (n + norm[i])
    return out


def fuse(a, b, k=60):
    """Reciprocal rank fusion."""
    rank = [(-x).argsort(1, kind="stable").argsort(1, kind="stable") for x in (a, b)]
    return sum(1 / (k + r + 1) for r in rank)


def ranks(s, relevant):
    """Rank of the best relevant document of every query."""
    return np.array([1 + int((row > max(row[i] for i in ids)).sum()) for row, ids in zip(s, relevant, strict=True)])


def document(d, with_doc):
    """Text of a function as it is searched."""
    return "\n".join([d["qual"], d["sig"]] + ([d["doc"][:600]] if with_doc else []) + [d["body"][:1500]])


def read_lines(path):
    """Lines of a text file."""
    with open(path, encoding="utf-8") as f:
        return f.readlines()


def last_name(r):
    """Name of a record without what encloses it."""
    return r["qual"].rsplit(".", 1)[-1]


def distinct(rs):
    """Records without near copies; the first of equals stays."""
    by_key = {}
    for r in reversed(rs):
        first, body = r["first"], r["body"]
        by_key[(last_name(r), first, len(body) // 50) if first else (last_name(r), body[:200])] = r
    return list(by_key.values())[::-1]


def sentences(docs):
    """[(docstring sentence, indexes of the functions that it describes)]; none names its function."""
    first = collections.defaultdict(list)
    for i, d in enumerate(docs):
        f = d["first"]
        dull = f.lower().startswith(("deprecated", ".. ", "base implementation"))
        if len(f.split()) >= 4 and not last_name(d).startswith("__") and not dull:
            first[f].append(i)

    def named(f, i):
        name = last_name(docs[i])
        return len(name) > 3 and re.search(rf"\b{re.escape(name)}\b", f)

    return [
        (f, ids) for f, ids in first.items() if len(ids) <= 3 and len(f) <= 240 and not any(named(f, i) for i in ids)
    ]


def build(records):
    """{package: docs, sentences, questions}: a fixed sample of the records."""
    rnd, by, questions = random.Random(7), collections.defaultdict(list), collections.defaultdict(list)
    for line in read_lines(os.path.join(HERE, "questions.tsv")):
        if line.strip() and not line.startswith("#"):
            pkg, qual, text = line.rstrip("\n").split("\t")
            questions[pkg].append((qual, text))
    for line in read_lines(records):
        r = json.loads(line)
        wanted = r["pkg"] in questions and (r["pkg"] != "scikit_learn" or SKLEARN.search(r["path"]))
        if wanted and len(r["sig"]) + len(r["body"]) >= 40:
            by[r["pkg"]].append(r)
    out = {}
    for pkg, rs in sorted(by.items()):
        docs = distinct(rs)
        want = {q for q, _ in questions[pkg]}
        keep, rest = [d for d in docs if d["qual"] in want], [d for d in docs if d["qual"] not in want]
        rnd.shuffle(rest)
        docs = keep + rest[: max(0, 400 - len(keep))]
        sent = sentences(docs)
        rnd.shuffle(sent)
        asked = [(t, [i for i, d in enumerate(docs) if d["qual"] == q]) for q, t in questions[pkg]]
        out[pkg] = {"docs": docs, "sentences": sent[:120], "questions": [a for a in asked if a[1]]}
    return out


def score(data, kind, with_doc, tables):
    """{ranker: ranks per package} of one task."""
    rows = collections.defaultdict(list)
    for d in data.values():
        docs = [document(x, with_doc) for x in d["docs"]]
        queries, relevant = [q for q, _ in d[kind]], [i for _, i in d[kind]]
        lexical = bm25(docs, queries)
        rows["BM25"].append(ranks(lexical, relevant))
        for name, table in tables.items():
            vectors = table.encode(queries) @ table.encode(docs).T
            rows[name].append(ranks(vectors, relevant))
            rows[name + " + BM25"].append(ranks(fuse(vectors, lexical), relevant))
    return rows


def main():
    """Command line: score every table on A, B and C."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", metavar="RECORDS.jsonl", help="from extract.py --all")
    parser.add_argument("tables", metavar="TABLE.npz", nargs="+")
    options = parser.parse_args()
    data = build(options.records)
    print({p: (len(d["docs"]), len(d["sentences"]), len(d["questions"])) for p, d in data.items()})
    tables = {os.path.basename(path): StaticTable(path) for path in options.tables}
    for task, kind, with_doc in TASKS:
        for name, per_package in score(data, kind, with_doc, tables).items():
            mrr = np.mean([np.where(r <= 10, 1 / r, 0).mean() for r in per_package])
            recall = np.mean([(r <= 5).mean() for r in per_package])
            print(f"{task} {name:32s} MRR@10 {mrr:.3f}  recall@5 {recall:.3f}")


if __name__ == "__main__":
    main()
