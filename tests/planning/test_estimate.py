"""What single jobs are said to cost."""

from pathlib import Path

import pytest

from rungs.config import read_config
from rungs.configuration.schema import Run
from rungs.corpus import generated, referents
from rungs.evaluation import evaluate
from rungs.kernels import measure
from rungs.model import cross_entropy, scoring
from rungs.planning import devices, estimate, reference, work
from rungs.planning.corpora import Size, sizes
from rungs.planning.devices import Gpu
from rungs.planning.estimate import Estimator
from rungs.planning.jobs import Job
from rungs.planning.scenarios import here, on_slurm, with_gpu
from rungs.planning.work import Work
from tests.planning.machines import MACHINE

ROOT = Path(__file__).parents[2]
SHAKESPEARE = Size(1_115_394, 413_784, 45_976)
ONE_BLOCK = Run("shakespeare", "window_128", "one_block", 0)
RUN = {"corpus": "shakespeare", "budget": "window_128", "variant": "one_block", "seed": "0"}


def estimator(*values: str) -> Estimator:
    config = read_config(ROOT / "config.yaml", values=values)
    return Estimator(config, {"shakespeare": SHAKESPEARE}, MACHINE, cores=4)


def test_a_run_is_its_start_its_steps_and_its_validations() -> None:
    e = estimator("budgets={window_128: {steps: 10, validate_every: 4}}")
    a = e.config.variants["one_block"]
    steps = MACHINE.training.seconds(work.training_step(a, 1024, 64, 128).times(10))
    validations = 3 * MACHINE.scoring.seconds(work.scoring(a, 1024, 45_976, 128))
    cost = e.cost(Job("train", RUN, ()))
    assert cost.seconds == pytest.approx(3.0 + steps + validations)
    assert cost.priority == reference.priority(reference.run_flops(e.config, ONE_BLOCK))


def test_bfloat16_has_products_of_its_own_rate() -> None:
    float32 = estimator().cost(Job("train", RUN, ())).seconds
    bfloat16 = estimator("budgets={window_128: {precision: bfloat16}}").cost(Job("train", RUN, ()))
    e = estimator()
    linear = work.training_step(e.config.variants["one_block"], 1024, 64, 128).times(3_000).linear
    saved = 0.5 * MACHINE.training.linear * linear
    assert float32 - bfloat16.seconds == pytest.approx(saved)


def test_work_adds_up() -> None:
    one = Work(1, 2, 3, 4, 5, 6)
    assert one.times(2).plus(one) == one.times(3)


def test_scoring_twice_the_text_is_twice_the_work() -> None:
    a = estimator().config.variants["one_block"]
    once, twice = (work.scoring(a, 1024, n * work.TOKENS_PER_BATCH, 128) for n in (1, 2))
    assert twice[:4] == pytest.approx([2 * quantity for quantity in once[:4]])


def test_what_the_plan_repeats_to_do_without_torch_is_what_the_stages_do() -> None:
    assert estimate.TRAINING_SAMPLE_TOKENS == evaluate.TRAINING_SAMPLE_TOKENS
    assert estimate.SAMPLED_WINDOWS == evaluate.SAMPLED_WINDOWS
    assert estimate.WARM_UPS == measure.WARM_UPS
    assert work.TOKENS_PER_BATCH == scoring.TOKENS_PER_BATCH
    assert devices.TOKENS_PER_LOSS_CHUNK == cross_entropy.ROWS_PER_CHUNK


def test_a_point_that_does_not_fit_is_not_measured() -> None:
    e = estimator()
    cost = e.cost(Job("kernel", {"kernel": "naive", "tokens": "16384"}, ()))
    assert cost.seconds == pytest.approx(3.5)
    assert cost.flops == 0
    fits = e.cost(Job("kernel", {"kernel": "tiled", "tokens": "16384"}, ()))
    assert fits.seconds > 3.5
    assert fits.cores == 4


def test_a_table_starts_a_process_and_a_name_of_targets_none() -> None:
    assert estimator().cost(Job("table", {}, ())).seconds == pytest.approx(1.05)
    assert estimator().cost(Job("gpt", {}, ())).seconds == 0


@pytest.fixture
def some_jobs() -> list[Job]:
    """Four runs with their evaluations, and a table."""
    jobs = []
    for seed in range(4):
        jobs.append(Job("train", {**RUN, "seed": str(seed)}, ()))
        jobs.append(Job("evaluate", {**RUN, "seed": str(seed)}, (2 * seed,)))
    return [*jobs, Job("table", {"experiment": "ladder"}, (1, 3, 5, 7))]


def test_more_cores_are_faster_and_crowded(some_jobs: list[Job]) -> None:
    e = estimator()
    costs = [e.cost(job) for job in some_jobs]
    alone, pair = (here(some_jobs, costs, cores, 1e9, MACHINE) for cores in (1, 2))
    assert alone == pytest.approx(sum(cost.seconds for cost in costs) + 0.1 * len(costs))
    assert pair == pytest.approx(1.5 * alone / 2, rel=0.05)


def test_a_gpu_is_never_faster_than_its_rate(some_jobs: list[Job]) -> None:
    e = estimator()
    costs = [e.cost(job) for job in some_jobs]
    gpu = Gpu(tflops=0.001)
    seconds = with_gpu(some_jobs, costs, e.config, gpu, 4, MACHINE)
    assert seconds >= gpu.busy_seconds(sum(cost.flops for cost in costs))
    assert with_gpu(some_jobs, costs, e.config, Gpu(), 4, MACHINE) < seconds


def test_gradient_norms_stay_on_the_processor() -> None:
    e, jobs = estimator(), [Job("probe", {"probe": "gradient_norms"}, ())]
    costs = [e.cost(job) for job in jobs]
    assert with_gpu(jobs, costs, e.config, Gpu(tflops=1e-6), 4, MACHINE) == costs[0].seconds


def test_short_runs_share_a_cluster_job(some_jobs: list[Job]) -> None:
    submitted = []
    for steps in (30_000, 3_000, 10):
        e = estimator(f"budgets={{window_128: {{steps: {steps}}}}}")
        costs = [e.cost(job) for job in some_jobs]
        seconds, jobs = on_slurm(some_jobs, costs, e.config, at_once=50, wait_seconds=60)
        submitted.append(jobs)
        assert seconds >= 60 + 3 + costs[0].seconds
    assert submitted == [4, 4 // reference.runs_per_group(estimator().config, ONE_BLOCK), 1]


def test_sizes_are_counted_where_the_corpus_is_and_expected_elsewhere(tmp_path: Path) -> None:
    preview = read_config(ROOT / "config.yaml", ROOT / "config/preview.yaml")
    expected = sizes(preview, tmp_path, tmp_path)["stories"]
    count = preview.corpora["stories"].stories
    assert expected.characters == pytest.approx(len(generated.draw(count, 0)), rel=0.01)
    summary = tmp_path / "results/corpus/stories/summary.json"
    summary.parent.mkdir(parents=True)
    summary.write_text('{"characters": 9, "train_tokens": 4, "validation_tokens": 2}')
    assert sizes(preview, tmp_path, tmp_path)["stories"] == Size(9, 4, 2)
    fair = sizes(preview, tmp_path, tmp_path)["referents_fair"]
    assert fair[1:] == (180 * 8 * 18, 60 * 8 * 18)  # pairs, adjectives, words
    (tmp_path / "tinyshakespeare.txt").write_text("x" * 240)
    assert sizes(preview, tmp_path, tmp_path)["shakespeare"] == Size(240, 90, 10)


def test_the_disk_of_a_corpus_of_stories_is_its_files_and_the_text_that_is_read() -> None:
    config = read_config(ROOT / "config.yaml")
    size = Size(180_000_000, 44_000_000, 1_000_000)
    e = Estimator(config, {"tinystories": size}, MACHINE, cores=1)
    corpus = {"corpus": "tinystories"}
    files = [
        e.cost(Job("download_stories", {**corpus, "part": part}, ())).bytes
        for part in ("train", "validation")
    ]
    assert files == pytest.approx([1.92e9, 19.4e6], rel=0.03)  # what the addresses serve
    tokenized = e.cost(Job("tokenize_stories", corpus, ())).bytes
    assert tokenized == pytest.approx(180_000_000 + 2 * 45_000_000, rel=0.01)


def test_a_corpus_from_data_is_copied() -> None:
    placed = estimator().cost(Job("download", {"corpus": "shakespeare"}, ()))
    assert placed.bytes == SHAKESPEARE.characters
    assert placed.seconds < MACHINE.start_up.torch


def test_gradient_norms_are_one_step_of_every_variant_and_seed() -> None:
    e = estimator("probes={draws: {gradient_norms: 5}}")
    a = e.config.variants["pre_norm"]  # and post_norm, which has one LayerNorm fewer
    step = MACHINE.training.seconds(work.training_step(a, 1024, 64, 128))
    cost = e.cost(Job("probe", {"probe": "gradient_norms"}, ()))
    assert cost.seconds == pytest.approx(3.0 + 5 * 2 * step, rel=0.01)


def test_the_referent_language_is_as_large_as_it_is_expected_to_be(tmp_path: Path) -> None:
    config = read_config(ROOT / "config.yaml")
    expected = sizes(config, tmp_path, tmp_path)["referents_fair"]
    assert expected.train_tokens == 180 * 8 * 18
    assert expected.validation_tokens == 60 * 8 * 18
    text = referents.sentences(referents.pairs("fair"))
    assert expected.characters == len("\n".join([*text, ""]))
