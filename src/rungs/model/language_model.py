"""The language model: tokens in, a distribution over the next token out."""

import torch
from torch import Tensor, nn

from rungs.model.architecture import Architecture
from rungs.model.attention import Past
from rungs.model.block import Block
from rungs.model.cross_entropy import LinearCrossEntropy
from rungs.model.initialization import initialize_as_gpt2
from rungs.model.positions import encoding_of


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
        self.positions = encoding_of(architecture)
        table = None if self.positions.in_attention() else self.positions.table_shape
        self.position_table = nn.Embedding(*table) if table else None
        self.dropout = nn.Dropout(architecture.dropout)
        self.blocks = nn.ModuleList(Block(architecture) for _ in range(architecture.depth))
        pre = architecture.normalization == "pre"
        self.final_norm = nn.LayerNorm(width) if pre else nn.Identity()
        self.output = nn.Linear(
            architecture.output_width, vocabulary, bias=not architecture.tied_output
        )
        if architecture.tied_output:
            self.output.weight = self.embedding.weight
        if architecture.initialization == "gpt2":
            initialize_as_gpt2(self, architecture.depth)

    def empty_past(self) -> list[Past]:
        """Return what `hidden` fills with what each block keeps of the tokens it reads."""
        return [Past() for _ in self.blocks]

    def hidden(self, tokens: Tensor, past: list[Past] | None = None) -> Tensor:
        """Map token ids (batch, tokens) to what the output layer reads.

        Args:
            tokens: of whole windows; or, with a past, of what follows the tokens read before.
            past: an `empty_past` or one that earlier calls filled; a causal model's only.

        Returns:
            (batch, tokens, output_width).

        Raises:
            IndexError: more tokens than the learned position table has rows.
        """
        start = past[0].tokens if past else 0
        stop = start + tokens.shape[1]
        x = self.embedding(tokens)
        where = torch.arange(start, stop, device=tokens.device)
        added = self.positions.added(self.position_table, where)
        x = self.dropout(x if added is None else x + added)
        for number, block in enumerate(self.blocks):
            x = block(x, past[number] if past else None)
        for of_block in past or ():
            of_block.tokens = stop
        return self.final_norm(x)

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
