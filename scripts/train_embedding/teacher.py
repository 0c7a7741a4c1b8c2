"""Training, step 2: all-MiniLM-L6-v2 through onnxruntime as the teacher: vectors of docstring sentences."""

import argparse
import json
import random

import numpy as np


class MiniLM:
    """Sentence encoder: mean pooling, batches sorted by length, unit vectors."""

    def __init__(self, model, tokenizer, max_len=40, threads=2, batch=64):
        """Open the ONNX model and its tokenizer.json."""
        import onnxruntime as ort
        from tokenizers import Tokenizer

        self.tok = Tokenizer.from_file(tokenizer)
        self.tok.no_padding()
        self.tok.enable_truncation(max_len)
        o = ort.SessionOptions()
        o.intra_op_num_threads = threads
        self.session = ort.InferenceSession(model, o, providers=["CPUExecutionProvider"])
        self.inputs, self.batch = [i.name for i in self.session.get_inputs()], batch

    def encode(self, texts):
        """float32 [n, 384]."""
        enc = self.tok.encode_batch(list(texts))
        order = sorted(range(len(enc)), key=lambda i: len(enc[i].ids))
        out = np.zeros((len(enc), 384), np.float32)
        for k in range(0, len(order), self.batch):
            part = order[k : k + self.batch]
            n = len(enc[part[-1]].ids)
            ids, mask = np.zeros((len(part), n), np.int64), np.zeros((len(part), n), np.int64)
            for r, i in enumerate(part):
                m = len(enc[i].ids)
                ids[r, :m], mask[r, :m] = enc[i].ids, 1
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            h = self.session.run(None, {k: feed[k] for k in self.inputs})[0]
            out[part] = h if h.ndim == 2 else (h * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return out / (np.linalg.norm(out, axis=1, keepdims=True) + 1e-12)


def main():
    """Command line: vectors of N sentences of the records, 5 to 30 words long."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", metavar="OUT.npz")
    parser.add_argument("model", metavar="MODEL.onnx")
    parser.add_argument("tokenizer", metavar="TOKENIZER.json")
    parser.add_argument("count", metavar="N", type=int)
    parser.add_argument("records", metavar="DATA.jsonl", nargs="+")
    options = parser.parse_args()
    texts = {}
    for name in options.records:
        with open(name, encoding="utf-8") as f:
            for line in f:
                s = json.loads(line)["first"]
                if 5 <= len(s.split()) <= 30 and s.isascii():
                    texts[s] = None
    texts = sorted(texts)
    random.Random(1).shuffle(texts)
    texts = texts[: options.count]
    vec = MiniLM(options.model, options.tokenizer).encode(texts)
    np.savez(options.out, texts=np.frombuffer("\n".join(texts).encode(), np.uint8), vec=vec.astype(np.float16))


if __name__ == "__main__":
    main()
