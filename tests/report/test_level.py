"""The level of intervals is one number: whoever changes it finds the old one nowhere."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
# The number is changed before anything has read it; then all words of a full report are printed.
SCRIPT = """
import sys
from pathlib import Path
from rungs.tables import intervals

intervals.CONFIDENCE = 0.90

from matplotlib.text import Text
from rungs.config import read_config
from rungs.report import style
from rungs.report.figures import answers, lengths, rows, seed_noise
from rungs.report.seed_noise_view import measured_noise
from rungs.report.sections import plan_sections
from tests.report import referent_results
from tests.report import results_folder as hand

results = Path(sys.argv[1])
hand.write_everything(results)
hand.write_table(results / "referents.csv", referent_results.answers())
sections = plan_sections(read_config(Path("config.yaml")), results, [])
for section in sections:
    print(*section.lead, *(caption for _, caption in section.figures))
    print(*(view.caption for view in section.tables))
with style.styled():
    for figure in (
        answers.draw(referent_results.answers()),
        lengths.draw(hand.positions(), 64),
        rows.draw(hand.ladder(), None),
        seed_noise.draw(measured_noise(results)),
    ):
        print("figure", *(text.get_text() for text in figure.findobj(Text)))
"""


def test_words_of_every_interval_follow_its_level(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False, encoding="utf-8",
    )  # fmt: skip
    assert not done.returncode, done.stderr
    assert re.findall(r"95\s%|19 times in 20|5\s%\)", done.stdout) == []
    figures = [line for line in done.stdout.splitlines() if line.startswith("figure")]
    assert len(figures) == 4
    assert all("90\N{NO-BREAK SPACE}%" in line for line in figures)
    for words in ("90\N{NO-BREAK SPACE}% of cases", "its 90\N{NO-BREAK SPACE}% t"):
        assert words in done.stdout
