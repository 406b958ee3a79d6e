"""`settle`: which undecided claims more seeds would decide, what they cost, and how to run them."""

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from rungs.archive.archived import address
from rungs.claims.settling import COLUMNS, Proposal, proposals
from rungs.config import Config, read_config
from rungs.durations import duration
from rungs.errors import UserError
from rungs.planning.corpora import sizes
from rungs.planning.estimate import Estimator
from rungs.planning.jobs import (
    ConfigFiles,
    ConfigValues,
    Directory,
    jobs_to_run,
    snakemake_words,
    workflow_folder,
)
from rungs.planning.measure import CalibrationFile, calibrated
from rungs.tables.numbers import counted
from rungs.tables.reading import read_table

CLAIMS = Path("results/claims.csv")


def run(
    *,
    configfile: ConfigFiles = (),
    config: ConfigValues = (),
    directory: Directory = Path(),
    calibration: CalibrationFile = None,
) -> str:
    """Print what would decide, cheapest first, and return what it comes to.

    Raises:
        UserError: this is not the workflow's folder, the claims are not judged yet, Snakemake
            refuses the configuration, or the calibration cannot be read.
    """
    root = workflow_folder()
    path = directory / CLAIMS
    if not path.exists():
        words = " ".join(snakemake_words([str(CLAIMS)], directory, configfile, config))
        raise UserError(f"{path}: is missing; run snakemake --cores all {words}")
    configured = read_config(root / "config.yaml", *configfile, values=config)
    claims = read_table(path, COLUMNS)
    asked = claims[claims["seeds_to_decide"].notna()]
    never = asked[asked["seeds_to_decide"] == float("inf")]["id"]
    found = list(proposals(asked))
    estimator = Estimator(
        configured, sizes(configured, directory, root / "data"), calibrated(calibration, 1), 1
    )
    costs: list[tuple[float, int, Proposal]] = []
    for proposal in found:
        key, _, value = proposal.setting(configured).partition(": ")
        settings = [*config, f"{key}={value}"]
        asking = snakemake_words(_targets(proposal, configured), directory, configfile, settings)
        jobs = jobs_to_run([*asking, "--cores", "1"], directory)
        trained = sum(job.rule == "train" for job in jobs)
        costs.append((sum(estimator.cost(job).seconds for job in jobs), trained, proposal))
    console = Console(highlight=False)
    for seconds, trained, proposal in sorted(costs, key=lambda cost: cost[0]):
        for line in _lines(seconds, trained, proposal, configured):
            console.print(line, soft_wrap=True, markup=False)
    if len(never):
        which = "is" if len(never) == 1 else "are"
        what = f"{counted(len(never), 'claim')} {which} decided by no number of seeds:"
        console.print(f"{what} {', '.join(never)}\n", soft_wrap=True)
    settled = sum(1 for value in asked["seeds_to_decide"] if value != float("inf"))
    if not costs:
        return "No claim is undecided that more seeds would decide"
    return (
        f"{counted(settled, 'claim')} would be decided; put the lines of a choice into a file and "
        "add it: --configfile FILE"
    )


def _targets(proposal: Proposal, config: Config) -> list[str]:
    """Return what the further seeds make: a probe's result, or the evaluations of their runs."""
    if proposal.is_probe:
        return [f"results/probes/{proposal.source}.json"]
    runs = {run._replace(seed=0) for run in config.runs(proposal.source)}
    return [
        f"results/evaluations/{address(run._replace(seed=seed))}.json"
        for run in sorted(runs)
        for seed in proposal.new_seeds(config)
    ]


def _lines(seconds: float, trained: int, proposal: Proposal, config: Config) -> Iterator[str]:
    runs = f"{counted(trained, 'run')}, " if trained else ""
    yield f"{proposal.source} to {proposal.seeds} seeds: {runs}{duration(seconds)} of work"
    yield f"  decides {', '.join(proposal.claims)}"
    yield f"  {proposal.setting(config)}"
    yield ""
