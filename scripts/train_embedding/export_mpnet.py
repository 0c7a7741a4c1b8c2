"""Training, once: all-mpnet-base-v2 from its safetensors to ONNX (sentence vectors), weights as int8.

Needs torch, transformers, onnx and onnxruntime; int8 because the teacher is asked for tens of thousands of sentences.
"""

import argparse


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="config.json, model.safetensors and tokenizer.json of the model")
    parser.add_argument("out", metavar="OUT.onnx")
    options = parser.parse_args()

    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from transformers import AutoModel

    class Pooled(torch.nn.Module):
        """Mean of the token states."""

        def __init__(self, model):
            super().__init__()
            self.model = model

        def forward(self, ids, mask):
            """[n, 768]."""
            states = self.model(input_ids=ids, attention_mask=mask)[0]
            weights = mask.unsqueeze(-1).float()
            return (states * weights).sum(1) / weights.sum(1).clamp(min=1e-9)

    model = Pooled(AutoModel.from_pretrained(options.folder, attn_implementation="eager").eval())
    example = torch.ones(2, 16, dtype=torch.long)
    axes = {0: "texts", 1: "tokens"}
    torch.onnx.export(
        model,
        (example, example),
        options.out + ".fp32",
        input_names=["input_ids", "attention_mask"],
        output_names=["vectors"],
        dynamic_axes={"input_ids": axes, "attention_mask": axes, "vectors": {0: "texts"}},
        opset_version=17,
        dynamo=False,
    )
    quantize_dynamic(options.out + ".fp32", options.out, weight_type=QuantType.QInt8, per_channel=True)


if __name__ == "__main__":
    main()
