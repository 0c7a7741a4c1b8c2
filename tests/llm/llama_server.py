"""A real llama.cpp server on loopback with a small model of random weights: noise as text, true counts and cache.

Run as a program: `python -m tests.llm.llama_server FOLDER PORT N_CTX [embed]`. Needs the packages xllamacpp and gguf.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

WIDTH, LAYERS, HEADS, HIDDEN, CONTEXT = 64, 2, 4, 128, 32_768
SPECIAL = (b"<unk>", b"<s>", b"</s>")
TEMPLATE = "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}\n{% endfor %}<|assistant|>"


def write_model(path: Path) -> None:
    """Write the model: llama architecture, a vocabulary of bytes and letters, seeded weights."""
    import gguf
    import numpy

    rng = numpy.random.default_rng(7)
    tokens = [*SPECIAL, *(f"<0x{byte:02X}>".encode() for byte in range(256))]
    letters = [chr(code).encode() for code in range(33, 127)] + ["\u2581".encode()]
    kinds = [2, 3, 3] + [6] * 256 + [1] * len(letters)
    tokens += letters
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template(TEMPLATE)

    def drawn(*shape: int) -> numpy.ndarray:
        return (rng.standard_normal(shape) * 0.2).astype(numpy.float32)

    def weights(name: str, *shape: int) -> None:
        writer.add_tensor(name, drawn(*shape))

    weights("token_embd.weight", len(tokens), WIDTH)
    output = drawn(len(tokens), WIDTH)
    # Some letter always scores far above 0, so the model never ends its text by chance: only a limit or a stop does.
    output[: len(SPECIAL)] = 0.0
    writer.add_tensor("output.weight", output)
    writer.add_tensor("output_norm.weight", numpy.ones(WIDTH, numpy.float32))
    for layer in range(LAYERS):
        for part in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{part}.weight", numpy.ones(WIDTH, numpy.float32))
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            weights(f"blk.{layer}.{part}.weight", WIDTH, WIDTH)
        weights(f"blk.{layer}.ffn_gate.weight", HIDDEN, WIDTH)
        weights(f"blk.{layer}.ffn_up.weight", HIDDEN, WIDTH)
        weights(f"blk.{layer}.ffn_down.weight", WIDTH, HIDDEN)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def serve(model: Path, port: int, n_ctx: int, *, embed: bool) -> None:
    """Serve until the process is ended: the server has no clean stop inside one. `embed`: vectors, 512 tokens each."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx = n_ctx
    params.n_parallel = 1
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.cpuparams.n_threads = 1
    params.warmup = False
    if embed:
        params.embedding = True
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
        params.n_batch = params.n_ubatch = 512
    server = xllamacpp.Server(params)
    while server:
        time.sleep(1)


if __name__ == "__main__":
    file = Path(sys.argv[1]) / "tiny.gguf"
    write_model(file)
    serve(file, int(sys.argv[2]), int(sys.argv[3]), embed="embed" in sys.argv)
