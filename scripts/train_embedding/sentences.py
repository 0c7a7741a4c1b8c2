"""Training, step 2: sentences for the teachers: of docstrings, and of everyday English from WordNet.

Without --wordnet: first docstring sentences of the records, at most 700 of a package first, then the rest. With it: the
definitions and examples of WordNet's words that are in a list of common ones. Output: a JSON list.
"""

import argparse
import collections
import json
import os
import random
import re

PER_PACKAGE = 700


def of_docstrings(files):
    """First sentences of 5 to 30 words, packages mixed."""
    from evaluate import read_lines

    package = {}
    for name in files:
        for line in read_lines(name):
            record = json.loads(line)
            sentence = record["first"]
            if 5 <= len(sentence.split()) <= 30 and sentence.isascii():
                package.setdefault(sentence, record["pkg"])
    items = sorted(package.items())
    random.Random(1).shuffle(items)
    taken, first, rest = collections.Counter(), [], []
    for sentence, name in items:
        taken[name] += 1
        (first if taken[name] <= PER_PACKAGE else rest).append(sentence)
    return first + rest


def of_wordnet(folder, common):
    """`word, synonym: definition` and examples, from data.noun, data.verb, data.adj and data.adv."""
    out = {}
    for part in ("noun", "verb", "adj", "adv"):
        with open(os.path.join(folder, f"data.{part}"), encoding="latin-1") as lines:
            for line in lines:
                if line.startswith("  "):
                    continue
                head, _, gloss = line.partition(" | ")
                fields = head.split()
                if any(letter.isupper() for letter in fields[4]):
                    continue  # names of people and places
                names = [fields[4 + 2 * i].split("(")[0].replace("_", " ") for i in range(int(fields[3], 16))]
                names = [name.lower() for name in names]
                if common.isdisjoint(names):
                    continue
                definition = re.split(r';\s*"', gloss.strip())[0].strip().rstrip(";")
                out[f"{', '.join(names[:4])}: {definition[:160]}"] = None
                out.update(dict.fromkeys(re.findall(r'"([^"]{10,120})"', gloss)))
    sentences = [sentence for sentence in out if sentence.isascii()]
    random.Random(3).shuffle(sentences)
    return sentences


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", metavar="OUT.json")
    parser.add_argument("records", metavar="DATA.jsonl", nargs="*")
    parser.add_argument("--wordnet", help="folder with data.noun, data.verb, data.adj, data.adv")
    parser.add_argument("--common", help="list of common words, one a line, for --wordnet")
    options = parser.parse_args()
    if options.wordnet:
        with open(options.common, encoding="utf-8") as file:
            found = of_wordnet(options.wordnet, set(file.read().split()))
    else:
        found = of_docstrings(options.records)
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(found, file)
    print(len(found), "sentences")


if __name__ == "__main__":
    main()
