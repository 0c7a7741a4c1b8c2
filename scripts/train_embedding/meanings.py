"""Training, inside step 4: everyday words and descriptions, and the words of code for them.

`concepts.txt` has lines `code words | description | description ...`, `everyday.txt` `word_or_phrase: code words`; both
are in scripts/concepts.
"""

import torch
import torch.nn.functional as F
from evaluate import read_lines

# So many of each kind in a batch.
DRAWN = 512
# Two of a batch that share so many words of code are no wrong answers to each other.
ALIKE_CONCEPTS, ALIKE_WORDS = 3, 2


def read_concepts(file, ids):
    """[(sub-word ids of each word of code, ids of each description)]."""
    out = []
    for line in read_lines(file):
        codes, *plains = line.strip().split(" | ")
        codes = [c for c in ([*ids(word)] for word in codes.split()) if c]
        plains = [p for p in map(ids, plains) if len(p) > 1]
        if codes and plains:
            out.append((codes, plains))
    return out


def read_words(file, ids):
    """[(ids of a word or phrase, ids of each word of code)]."""
    out = []
    for line in read_lines(file):
        word, _, codes = line.strip().partition(":")
        said, codes = ids(word.replace("_", " ")), [c for c in ([*ids(code)] for code in codes.split()) if c]
        if said and codes:
            out.append((said, codes))
    return out


class Meanings:
    """Losses that draw what people say near to the words of code for it; `bag` makes vectors of {id: weight}."""

    def __init__(self, bag, sampler, ids, a):
        """Read both files."""
        self.bag, self.sampler, self.temp = bag, sampler, a.temp
        self.concepts, self.words = read_concepts(a.concepts, ids), read_words(a.everyday, ids)
        print("concepts", len(self.concepts), "everyday words", len(self.words), flush=True)

    def of_descriptions(self):
        """A description, or two, against a part of the words of code."""
        rnd = self.sampler.rnd
        drawn = rnd.sample(self.concepts, min(DRAWN, len(self.concepts)))
        return self.contrast([self.said(plains) for _, plains in drawn], [codes for codes, _ in drawn], ALIKE_CONCEPTS)

    def of_words(self):
        """An everyday word against a part of the words of code, sooner the first ones."""
        drawn = self.sampler.rnd.sample(self.words, min(DRAWN, len(self.words)))
        return self.contrast([said for said, _ in drawn], [codes for _, codes in drawn], ALIKE_WORDS)

    def said(self, plains):
        """Ids of a description, of which some are exchanged for near words or left out."""
        rnd, said = self.sampler.rnd, self.sampler.rnd.choice(plains)
        if rnd.random() < 0.3:
            said = said + rnd.choice(plains)
        return [t for t in self.sampler.in_other_words(said) if rnd.random() > 0.15] or said

    def part(self, codes, alike):
        """Ids of some of the words of code."""
        rnd = self.sampler.rnd
        if alike == ALIKE_WORDS:
            kept = [c for n, c in enumerate(codes) if rnd.random() < 1 / (1 + 0.15 * n)] or codes[:1]
        elif rnd.random() < 0.8:
            kept = [c for n, c in enumerate(codes) if n == 0 or rnd.random() < 0.7]
        else:
            kept = codes[1:] or codes
        return [t for c in kept for t in c]

    def contrast(self, said, codes, alike):
        """InfoNCE in both directions."""
        q = self.bag([dict.fromkeys(ids, 1.0) for ids in said])
        d = self.bag([dict.fromkeys(self.part(c, alike), 1.0) for c in codes])
        numbers = {}
        pairs = [(i, numbers.setdefault(tuple(c), len(numbers))) for i, each in enumerate(codes) for c in each]
        has = torch.zeros(len(said), len(numbers))
        has[[i for i, _ in pairs], [j for _, j in pairs]] = 1
        same = torch.eye(len(said), dtype=torch.bool)
        s = (q @ d.T / self.temp).masked_fill((has @ has.T >= alike) & ~same, -1e4)
        y = torch.arange(len(said))
        return (F.cross_entropy(s, y) + F.cross_entropy(s.T, y)) / 2
