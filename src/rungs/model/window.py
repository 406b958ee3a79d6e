"""What came before attention: a hidden layer over a window of the last few tokens."""

import torch.nn.functional as F
from torch import Tensor, nn

from rungs.model.architecture import Architecture


class Window(nn.Module):
    """The last tokens, laid side by side and read by a hidden layer (Bengio et al. 2003, eq. 1).

    Every place in the window has its own weights, so that the layer grows with the window.
    Places before the first token are zero.
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        assert architecture.window is not None
        self.window = architecture.window
        self.hidden = nn.Linear(self.window * architecture.width, architecture.output_width)

    def forward(self, x: Tensor) -> Tensor:
        """Map (batch, tokens, width) to (batch, tokens, output_width)."""
        padded = F.pad(x, (0, 0, self.window - 1, 0))
        return self.hidden(padded.unfold(1, self.window, 1).flatten(2)).tanh()
