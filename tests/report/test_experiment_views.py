"""An experiment's table as the page shows it."""

import pandas as pd

from rungs.report.experiment_views import experiment_views
from tests.report import results_folder as hand


def test_training_is_shown_whichever_length_is_the_trained_one() -> None:
    trained = hand.ladder()
    training = [name for name in trained if name.startswith("training_perplexity")]
    shorter = trained.assign(context_length=64, **dict.fromkeys(training, float("nan")))
    perplexities = experiment_views(pd.concat([shorter, trained]), "ladder.csv")[0]
    assert [column.group for column in perplexities.columns[-2:]] == ["training", "training"]
    assert [row[-2:] for row in perplexities.rows[-2:]] == [
        ["18.4 [17.8, 19.0]", "18.77"],
        ["14.6 [14.1, 15.1]", "14.49"],
    ]
