"""Reading Snakemake's drawing of its jobs."""

from rungs.planning.jobs import Job, parse

DRAWING = r"""
digraph snakemake_dag {
    graph[bgcolor=white, margin=0];
    node[shape=box, style=rounded, fontname=sans,     fontsize=10, penwidth=2];
    edge[penwidth=2, color=grey];
	0[label = "table\nexperiment: ladder", color = "0.13 0.6 0.85", style="rounded"];
	1[label = "evaluate", color = "0.25 0.6 0.85", style="rounded"];
	2[label = "train\nbudget: window_128\nseed: 0\nvariant: one_head", color = "0.56 0.6 0.85", style="rounded"];
	3[label = "tokenize", color = "0.50 0.6 0.85", style="rounded,dashed"];
	4[label = "download\ncorpus: shakespeare", color = "0.31 0.6 0.85", style="rounded,dashed"];
	5[label = "evaluate", color = "0.25 0.6 0.85", style="rounded"];
	6[label = "train\nbudget: window_128\nseed: 1\nvariant: one_head", color = "0.56 0.6 0.85", style="rounded,dashed"];
	1 -> 0
	5 -> 0
	2 -> 1
	3 -> 1
	3 -> 2
	4 -> 3
	3 -> 5
	6 -> 5
	3 -> 6
}
"""  # noqa: E501 - as Snakemake writes it

RUN = {"corpus": "shakespeare", "budget": "window_128", "variant": "one_head"}


def test_finished_jobs_are_left_out_and_the_others_wait_for_each_other() -> None:
    jobs = parse(DRAWING)
    train = Job("train", {**RUN, "seed": "0"}, ())
    assert train in jobs
    evaluations = {job.wildcards["seed"]: job.after for job in jobs if job.rule == "evaluate"}
    assert evaluations == {"0": (jobs.index(train),), "1": ()}
    assert [job.rule for job in jobs].count("train") == 1
    assert not {"tokenize", "download"} & {job.rule for job in jobs}


def test_a_collector_has_only_the_wildcards_that_its_inputs_share() -> None:
    table = parse(DRAWING)[-1]
    assert table.rule == "table"
    assert table.wildcards == {**RUN, "experiment": "ladder"}


def test_every_job_follows_those_it_waits_for() -> None:
    jobs = parse(DRAWING)
    assert all(other < index for index, job in enumerate(jobs) for other in job.after)


def test_a_finished_workflow_has_no_jobs() -> None:
    finished = DRAWING.replace('style="rounded"]', 'style="rounded,dashed"]')
    assert parse(finished) == []
