"""Simulated list scheduling against closed forms and known bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rungs.planning.schedule import Task, makespan


def test_nothing_takes_no_time() -> None:
    assert makespan([], 4) == 0.0


def test_equal_tasks_fill_the_cores_evenly() -> None:
    assert makespan([Task(3.0)] * 12, 4) == 9.0
    assert makespan([Task(3.0)] * 13, 4) == 12.0


def test_a_chain_takes_its_sum_whatever_the_cores() -> None:
    chain = [Task(2.0), Task(3.0, (0,)), Task(4.0, (1,))]
    assert makespan(chain, 1) == makespan(chain, 8) == 9.0


def test_the_longest_first_leaves_no_tail() -> None:
    seconds = [1.0] * 6 + [6.0]
    assert makespan([Task(s, priority=s) for s in seconds], 2) == 6.0
    assert makespan([Task(s) for s in seconds], 2) == 9.0


def test_a_task_that_wants_the_machine_waits_for_it() -> None:
    alone = Task(1.0, cores=4, priority=9)
    assert makespan([alone, Task(2.0), Task(2.0)], 4) == 3.0
    assert makespan([alone], 2) == 1.0


def test_memory_keeps_tasks_apart() -> None:
    assert makespan([Task(2.0, mib=700.0)] * 2, 2, mib=1_000) == 4.0
    assert makespan([Task(2.0, mib=700.0)] * 2, 2, mib=1_400) == 2.0


@st.composite
def graphs(draw: st.DrawFn) -> list[Task]:
    tasks: list[Task] = []
    for index in range(draw(st.integers(1, 20))):
        before = st.lists(st.integers(0, index - 1), max_size=3) if index else st.just([])
        seconds = draw(st.integers(1, 50))
        tasks.append(Task(float(seconds), tuple(draw(before)), priority=draw(st.integers(0, 9))))
    return tasks


@given(graphs(), st.integers(1, 6))
def test_graham_s_bounds(tasks: list[Task], cores: int) -> None:
    """Between the two lower bounds and what no list schedule exceeds (Graham 1969)."""
    ends: list[float] = []
    for task in tasks:
        ends.append(task.seconds + max((ends[i] for i in task.after), default=0.0))
    work, longest_chain = sum(task.seconds for task in tasks), max(ends)
    result = makespan(tasks, cores)
    assert result >= max(work / cores, longest_chain) - 1e-9
    assert result <= work / cores + longest_chain * (1 - 1 / cores) + 1e-9


@given(graphs())
def test_one_core_does_everything_one_by_one(tasks: list[Task]) -> None:
    assert makespan(tasks, 1) == pytest.approx(sum(task.seconds for task in tasks))
