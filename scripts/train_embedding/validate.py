"""Score tables on the validation packages (whole packages, kept out of training by train.py --validate 1).

Query: first docstring sentence, or (suffix -h) that sentence as a question without the words of the name.
Document: code (name, signature, body), card (path, name, signature), cardrest (card and the rest of the
docstring), full (cardrest and body).
Printed: MRR@10 of the table / of the table fused with BM25, mean over packages.
"""

import argparse
import collections
import json
import os
import random

import numpy as np
from evaluate import bm25, fuse, ranks, read_lines, stem
from validation_split import SPLIT

from zerikai_memory.embed.static import WORD, StaticTable


def split(s):
    """Identifier words."""
    return " ".join(WORD.findall(s))


def document(r, kind):
    """One form of a record as a document."""
    head = split(r["path"].rsplit(".", 1)[0]) + " " + split(r["qual"])
    rest = r["doc"][len(r["first"]) : 600] if r["doc"].startswith(r["first"][:20]) else r["doc"][:600]
    if kind == "code":
        return "\n".join((r["qual"], r["sig"], r["body"][:1500]))
    parts = [head, r["sig"][:300]] + ([rest] if kind != "card" else []) + ([r["body"][:900]] if kind == "full" else [])
    return "\n".join(parts)


def hide(sentence, r):
    """The sentence as a question, without the words of the function's name."""
    name = {stem(x.lower()) for x in WORD.findall(r["qual"])}
    left = [t for t in sentence.split() if not any(stem(x.lower()) in name for x in WORD.findall(t))]
    return "where is the code that " + " ".join(left) if len(left) >= 3 else None


def sample(data):
    """{package: (records, [(sentence, indexes)])}."""
    by, out, rnd = collections.defaultdict(list), {}, random.Random(5)
    for line in read_lines(data):
        r = json.loads(line)
        if r["pkg"] in SPLIT and r["kind"] != "module":
            by[r["pkg"]].append(r)
    for p, rs in sorted(by.items()):
        rnd.shuffle(rs)
        rs, first = rs[:400], collections.defaultdict(list)
        for i, r in enumerate(rs):
            if len(r["first"].split()) >= 4 and len(r["first"]) < 240 and not r["qual"].split(".")[-1].startswith("__"):
                first[r["first"]].append(i)
        out[p] = rs, [(f, ii) for f, ii in first.items() if len(ii) <= 3][:120]
    return out


def mrr(s, rel):
    """MRR@10."""
    r = ranks(s, rel)
    return np.where(r <= 10, 1 / r, 0).mean()


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", metavar="DATA.jsonl", help="from extract.py")
    parser.add_argument("tables", metavar="TABLE.npz", nargs="+")
    options = parser.parse_args()
    packages = sample(options.records)
    tables = {os.path.basename(path): StaticTable(path) for path in options.tables}
    for kind in ("code", "card", "cardrest", "cardrest-h", "full", "full-h", "code-h"):
        rows = collections.defaultdict(list)
        for rs, sent in packages.values():
            pairs = [(hide(q, rs[ii[0]]) if kind.endswith("-h") else q, ii) for q, ii in sent]
            qs, rel = zip(*[x for x in pairs if x[0]], strict=True)
            docs = [document(r, kind.split("-")[0]) for r in rs]
            lex = bm25(docs, qs)
            rows["BM25"].append((mrr(lex, rel), 0))
            for t, e in tables.items():
                s = e.encode(list(qs)) @ e.encode(docs).T
                rows[t].append((mrr(s, rel), mrr(fuse(s, lex), rel)))
        for t, v in rows.items():
            print(kind, t, " / ".join(f"{x:.3f}" for x in np.mean(v, 0) if x))


if __name__ == "__main__":
    main()
