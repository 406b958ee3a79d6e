"""The language model: tokens in, a distribution over the next token out."""

import torch
from torch import Tensor, nn

from rungs.model.architecture import Architecture
from rungs.model.block import block
from rungs.model.cross_entropy import LinearCrossEntropy
from rungs.model.initialization import initialize_as_gpt2
from rungs.model.positions import sinusoidal_table


class LanguageModel(nn.Module):
    """Embedding, blocks, output layer, with PyTorch's default initialisation or GPT-2's.

    The random stream starts with the token embedding, so that two architectures built after
    the same ``torch.manual_seed`` begin with the same embedding.
    """

    def __init__(self, architecture: Architecture, vocabulary: int) -> None:
        super().__init__()
        width = architecture.width
        self.architecture = architecture
        self.embedding = nn.Embedding(vocabulary, width)
        self.position_table = (
            nn.Embedding(architecture.position_rows, width) if architecture.position_rows else None
        )
        self.dropout = nn.Dropout(architecture.dropout)
        self.blocks = nn.Sequential(*(block(architecture) for _ in range(architecture.depth)))
        pre = architecture.normalization == "pre"
        self.final_norm = nn.LayerNorm(width) if pre else nn.Identity()
        self.output = nn.Linear(
            architecture.output_width, vocabulary, bias=not architecture.tied_output
        )
        if architecture.tied_output:
            self.output.weight = self.embedding.weight
        if architecture.initialization == "gpt2":
            initialize_as_gpt2(self, architecture.depth)

    def hidden(self, tokens: Tensor) -> Tensor:
        """Map token ids (batch, tokens) to what the output layer reads.

        Returns:
            (batch, tokens, output_width).
        """
        x = self.dropout(self.embedding(tokens) + self._added_positions(tokens))
        return self.final_norm(self.blocks(x))

    def forward(self, tokens: Tensor) -> Tensor:
        """Map token ids (batch, tokens) to logits (batch, tokens, vocabulary).

        Raises:
            IndexError: more tokens than the learned position table has rows.
        """
        return self.output(self.hidden(tokens))

    def loss(self, tokens: Tensor, targets: Tensor) -> Tensor:
        """Return the mean cross entropy of the targets, both (batch, tokens), in nats per token."""
        return LinearCrossEntropy.apply(  # type: ignore[no-untyped-call]
            self.hidden(tokens).flatten(0, 1),
            self.output.weight,
            self.output.bias,
            targets.flatten(),
        )

    def _added_positions(self, tokens: Tensor) -> Tensor | float:
        length = tokens.shape[1]
        if self.position_table is not None:
            return self.position_table(torch.arange(length, device=tokens.device))
        if self.architecture.positions == "sinusoidal":
            return sinusoidal_table(length, self.architecture.width).to(tokens.device)
        return 0.0
