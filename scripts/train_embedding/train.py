"""Training, step 3: fit the table on (docstring, code) pairs and write it as int8.

1. vocabulary: sub-words seen in several packages, most frequent first, plus short WordPiece pieces so that
   any word maps to something;
2. start: every entry through all-MiniLM-L6-v2, centred, PCA, weighted down by frequency (SIF);
3. contrastive training (InfoNCE): each batch is made of blocks from one package each, so that most negatives
   are neighbours of the right answer; documents are drawn as cards (path, name, signature) with or without
   docstring and body; queries are docstring sentences, some as questions, cut, or without the name's words;
4. distillation: similarities between sentences, and between sentence and document, follow MiniLM's.
"""

import argparse
import collections
import io
import json
import os
import pickle
import random
import re
import time

import numpy as np
import torch
import torch.nn.functional as F
from evaluate import read_lines
from teacher import MiniLM
from validation_split import SPLIT

from zerikai_memory.embed.static import WORD, StaticTable

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


def options():
    """Command line.

    Probabilities: ask (query worded as a question), hide (query without the words of the name), drop and
    ddrop (query and document lose up to half of their words), path, rest, body (parts of the document).
    Weights: title (path and name words), dw and soft (distillation, sentences and sentence to document).
    """
    p = argparse.ArgumentParser()
    p.add_argument("--data", nargs="+")
    p.add_argument("--out")
    p.add_argument("--minilm")
    p.add_argument("--tokenizer")
    p.add_argument("--teach", default="", help="teacher.py output, for the distillation")
    p.add_argument("--cache", default="cache")
    p.add_argument("--start", default="", help="continue from this table")
    p.add_argument("--validate", type=int, default=1, help="1: keep the packages of SPLIT out, for validate.py")
    for k, v in {
        "vocab": 24000,
        "dim": 256,
        "batch": 1024,
        "block": 256,
        "per_pkg": 6000,
        "threads": 2,
        "seed": 0,
        "steps": 2400,
    }.items():
        p.add_argument("--" + k, type=int, default=v)
    for k, v in {
        "seconds": 1e9,
        "lr": 2e-3,
        "temp": 0.06,
        "dw": 0.5,
        "soft": 0.5,
        "ask": 0.3,
        "hide": 0.25,
        "drop": 0.4,
        "title": 2.0,
        "body": 0.5,
        "path": 0.6,
        "rest": 0.35,
        "ddrop": 0.6,
    }.items():
        p.add_argument("--" + k, type=float, default=v)
    return p.parse_args()


def words_of(text):
    """Lower-case sub-words."""
    return [m.lower() for m in WORD.findall(text)]


def read(files, per_pkg, rnd):
    """Records with a usable first sentence; a sentence counts at most twice per package."""
    by = collections.defaultdict(list)
    for f in files:
        for line in read_lines(f):
            r = json.loads(line)
            n = len(r["first"].split())
            if (
                3 <= n <= 60
                and r["first"].isascii()
                and (r["kind"] != "function" or len(r["sig"]) + len(r["body"]) > 60)
            ):
                by[r["pkg"]].append(r)
    out = []
    for _, rs in sorted(by.items()):
        rnd.shuffle(rs)
        seen, keep = collections.Counter(), []
        for r in rs:
            seen[r["first"]] += 1
            if seen[r["first"]] <= 2:
                keep.append(r)
        out += keep[:per_pkg]
    return out


def vocabulary(recs, size, bert):
    """(words, frequencies)."""
    cnt, pk = collections.Counter(), collections.defaultdict(set)
    for r in recs:
        for w in words_of(" ".join((r["path"], r["qual"], r["sig"], r["body"][:1500], r["doc"][:600]))):
            cnt[w] += 1
            pk[w].add(r["pkg"])
    words = [w for w in bert if re.fullmatch(r"##[a-z0-9]{1,4}|[a-z0-9]", w)]
    have = set(words)
    full = [w for w, _ in cnt.most_common() if len(pk[w]) >= 4 and len(w) <= 24 and not (w.isdigit() and len(w) > 2)]
    words += [w for w in full if w not in have][: size - len(words)]
    have = set(words)
    words += [w for w in bert if re.fullmatch(r"[a-z]{3,14}", w) and w not in have][: max(0, size - len(words))]
    return words, np.array([cnt.get(w, 0) + 1 for w in words], np.float64)


def first_table(words, freq, a):
    """MiniLM vectors of the entries, centred, PCA to dim, SIF-weighted."""
    f = os.path.join(a.cache, "words.npz")
    cache = {}
    if os.path.exists(f):
        z = np.load(f)
        cache = dict(zip(z["words"].tobytes().decode().split("\n"), z["vec"].astype(np.float32), strict=True))
    new = [w for w in words if w not in cache]
    if new:
        cache.update(zip(new, MiniLM(a.minilm, a.tokenizer).encode([w.lstrip("#") for w in new]), strict=True))
        np.savez(
            f,
            words=np.frombuffer("\n".join(cache).encode(), np.uint8),
            vec=np.stack(list(cache.values())).astype(np.float16),
        )
    v = np.stack([cache[w] for w in words])
    v = v - v.mean(0)
    if a.dim < v.shape[1]:
        v = v @ np.linalg.eigh(v.T @ v)[1][:, ::-1][:, : a.dim]
    v = v * (1e-3 / (1e-3 + freq / freq.sum()))[:, None]
    return (v / np.abs(v).mean() / 20).astype(np.float32)


def export(path, words, w):
    """Write the table with one scale per row."""
    s = np.abs(w).max(1) / 127 + 1e-12
    np.savez_compressed(
        path,
        words=np.frombuffer("\n".join(words).encode(), np.uint8),
        scale=s.astype(np.float16),
        table=np.round(w / s[:, None]).astype(np.int8),
    )


def tokenised(a):
    """(words, frequencies, records as sub-word ids), cached between runs."""
    key = os.path.join(a.cache, f"tokens-{a.vocab}-{a.per_pkg}-{a.validate}.pkl")
    if os.path.exists(key):
        with open(key, "rb") as f:
            return pickle.load(f)
    recs = read(a.data, a.per_pkg, random.Random(0))
    if a.validate:
        recs = [r for r in recs if r["pkg"] not in SPLIT]
    with open(a.tokenizer, encoding="utf-8") as f:
        bert = list(json.load(f)["model"]["vocab"])
    words, freq = vocabulary(recs, a.vocab, bert)
    ids = id_reader(words)
    slim = []
    for r in recs:
        rest = r["doc"][len(r["first"]) : 600] if r["doc"].startswith(r["first"][:20]) else r["doc"][:600]
        slim.append(
            {
                "pkg": r["pkg"],
                "first": r["first"],
                "q": ids(r["first"])[:64],
                "rest": ids(rest),
                "path": ids(r["path"].rsplit(".", 1)[0]),
                "qual": ids(r["qual"]),
                "sig": ids(r["sig"][:300]),
                "body": ids(r["body"][:1500]),
            }
        )
    with open(key, "wb") as f:
        pickle.dump((words, freq, slim), f)
    return words, freq, slim


def id_reader(words):
    """text -> distinct sub-word ids, by the encoder's own splitter over a table without numbers."""
    file = io.BytesIO()
    empty = np.zeros((len(words), 1))
    export(file, words, empty)
    file.seek(0)
    table = StaticTable(file)

    def ids(text):
        return list(dict.fromkeys(i for w in words_of(text) for i in table.word_rows(w)))

    return ids


class Sampler:
    """Draws batches of records and the many forms of a record as query and as document."""

    def __init__(self, recs, words, a):
        """Group the records by package; `a` holds the probabilities."""
        self.recs, self.a, self.rnd = recs, a, random.Random(a.seed)
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
        return dict.fromkeys(q, 1.0)

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


class Objective:
    """The loss of one batch: contrastive, plus distillation where the teacher knows the sentence."""

    def __init__(self, emb, sampler, a):
        """Number equal sentences and read the teacher's vectors."""
        self.emb, self.sampler, self.a, self.recs = emb, sampler, a, sampler.recs
        sid, teach, self.teacher = {}, {}, None
        if a.teach:
            z = np.load(a.teach)
            teach = {t: i for i, t in enumerate(z["texts"].tobytes().decode().split("\n"))}
            self.teacher = torch.from_numpy(z["vec"].astype(np.float32))
        for r in self.recs:
            r["sid"] = sid.setdefault(r["first"], len(sid))
            r["t"] = teach.get(r["first"], -1)
        self.pool = [i for i, r in enumerate(self.recs) if r["t"] >= 0 and r["q"]]
        print("teacher covers", len(self.pool), flush=True)

    def bag(self, ds):
        """Unit vectors of weighted bags of sub-words."""
        n = np.fromiter((len(d) for d in ds), np.int64)
        idx = np.fromiter((t for d in ds for t in d), np.int64)
        wt = np.fromiter((w for d in ds for w in d.values()), np.float32)
        starts = torch.from_numpy(np.cumsum(n) - n)
        return F.normalize(self.emb(torch.from_numpy(idx), starts, torch.from_numpy(wt)), dim=1)

    def loss(self, ii):
        """Loss of the records `ii`."""
        a, rs = self.a, [self.recs[i] for i in ii]
        q = self.bag([self.sampler.query(r) for r in rs])
        d = self.bag([self.sampler.document(r) for r in rs])
        raw = q @ d.T / a.temp
        same = torch.tensor([r["sid"] for r in rs])
        dup = (same[:, None] == same[None, :]) & ~torch.eye(len(rs), dtype=torch.bool)
        s = raw.masked_fill(dup, -1e4)  # the same sentence elsewhere is no wrong answer
        y = torch.arange(len(rs))
        loss = (F.cross_entropy(s, y) + F.cross_entropy(s.T, y)) / 2
        if self.teacher is not None and a.soft:
            loss = loss + a.soft * self.sentence_to_document(rs, raw)
        if self.teacher is not None and a.dw:
            loss = loss + a.dw * self.sentence_to_sentence()
        return loss

    def sentence_to_document(self, rs, raw):
        """Divergence of the batch's similarities from the teacher's between the sentences."""
        k = [n for n, r in enumerate(rs) if r["t"] >= 0]
        if len(k) <= 32:
            return 0.0
        v = self.teacher[[rs[n]["t"] for n in k]]
        target = F.softmax(v @ v.T / self.a.temp, 1)
        return F.kl_div(F.log_softmax(raw[k][:, k], 1), target, reduction="batchmean")

    def sentence_to_sentence(self):
        """Divergence between own and teacher's similarities of 384 sentences."""
        pi = self.sampler.rnd.sample(self.pool, 384)
        z = self.bag([dict.fromkeys(self.recs[i]["q"], 1.0) for i in pi])
        v = self.teacher[[self.recs[i]["t"] for i in pi]]
        eye = torch.eye(len(pi)) * 1e4
        target = F.softmax(v @ v.T / self.a.temp - eye, 1)
        return F.kl_div(F.log_softmax(z @ z.T / self.a.temp - eye, 1), target, reduction="batchmean")


def fit(emb, sampler, objective, a):
    """Adam with a short warm-up and linear decay; returns the number of steps done."""
    opt = torch.optim.Adam(emb.parameters(), lr=a.lr, fused=True)
    t0, step, losses = time.time(), 0, []

    def done():
        return max((time.time() - t0) / a.seconds, step / a.steps)

    while done() < 1:
        for ii in sampler.batches():
            part = done()
            if part >= 1:
                break
            for g in opt.param_groups:
                g["lr"] = a.lr * min(1, (step + 1) / 30) * max(0.01, 1 - part)
            loss = objective.loss(ii)
            opt.zero_grad()
            loss.backward()
            opt.step()
            step += 1
            losses.append(loss.item())
            if step % 200 == 0:
                mean = round(float(np.mean(losses[-200:])), 3)
                print(step, "loss", mean, round(time.time() - t0), "s", flush=True)
    return step


def continue_from(emb, words, path):
    """Take over the rows of an earlier table."""
    z = np.load(path)
    rows = z["table"].astype(np.float32) * z["scale"].astype(np.float32)[:, None]
    old = dict(zip(z["words"].tobytes().decode().split("\n"), rows, strict=True))
    for i, w in enumerate(words):
        if w in old:
            emb.weight.data[i] = torch.from_numpy(old[w])


def main():
    """Read, tokenise, train, export."""
    a = options()
    torch.manual_seed(a.seed)
    torch.set_num_threads(a.threads)
    os.makedirs(a.cache, exist_ok=True)
    words, freq, recs = tokenised(a)
    print(len(recs), "pairs", len({r["pkg"] for r in recs}), "packages", len(words), "words", flush=True)
    emb = torch.nn.EmbeddingBag(len(words), a.dim, mode="sum")
    emb.weight.data.copy_(torch.from_numpy(first_table(words, freq, a)))
    if a.start:
        continue_from(emb, words, a.start)
    sampler = Sampler(recs, words, a)
    steps = fit(emb, sampler, Objective(emb, sampler, a), a)
    export(a.out, words, emb.weight.detach().numpy())
    print("steps", steps, "wrote", a.out, os.path.getsize(a.out), "bytes", flush=True)


if __name__ == "__main__":
    main()
