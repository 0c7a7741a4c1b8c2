"""Training, step 3: a sentence encoder through onnxruntime as a teacher: vectors of sentences.

Serves all-MiniLM-L6-v2 and all-mpnet-base-v2; the model's output may be token states or sentence vectors.
"""

import argparse
import json

import numpy as np


class Encoder:
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
        """float32 [n, numbers of the model]."""
        enc = self.tok.encode_batch(list(texts))
        order = sorted(range(len(enc)), key=lambda i: len(enc[i].ids))
        out = None
        for k in range(0, len(order), self.batch):
            part = order[k : k + self.batch]
            n = len(enc[part[-1]].ids)
            # 1 is the padding of one model and a word of the other; the mask hides it from both.
            ids, mask = np.ones((len(part), n), np.int64), np.zeros((len(part), n), np.int64)
            for r, i in enumerate(part):
                m = len(enc[i].ids)
                ids[r, :m], mask[r, :m] = enc[i].ids, 1
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            h = self.session.run(None, {k: feed[k] for k in self.inputs})[0]
            v = h if h.ndim == 2 else (h * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
            if out is None:
                out = np.zeros((len(enc), v.shape[1]), np.float32)
            out[part] = v
        return out / (np.linalg.norm(out, axis=1, keepdims=True) + 1e-12)


def together(files):
    """(texts, vectors) of several teachers of the same sentences, each with the same weight."""
    opened = [np.load(name) for name in files]
    texts = [z["texts"].tobytes().decode().split("\n") for z in opened]
    n = min(map(len, texts))
    if any(t[:n] != texts[0][:n] for t in texts):
        raise SystemExit(f"{files}: not vectors of the same sentences")
    vectors = [z["vec"][:n].astype(np.float32) for z in opened]
    return texts[0][:n], np.hstack(vectors) / len(vectors) ** 0.5


def main():
    """Command line: vectors of the first N sentences of a list."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", metavar="OUT.npz")
    parser.add_argument("model", metavar="MODEL.onnx")
    parser.add_argument("tokenizer", metavar="TOKENIZER.json")
    parser.add_argument("count", metavar="N", type=int)
    parser.add_argument("sentences", metavar="SENTENCES.json")
    options = parser.parse_args()
    with open(options.sentences, encoding="utf-8") as file:
        texts = json.load(file)[: options.count]
    vec = Encoder(options.model, options.tokenizer).encode(texts)
    np.savez(options.out, texts=np.frombuffer("\n".join(texts).encode(), np.uint8), vec=vec.astype(np.float16))


if __name__ == "__main__":
    main()
