"""How long jobs take together: list scheduling, simulated."""

import heapq
from collections.abc import Sequence
from typing import NamedTuple


class Task(NamedTuple):
    """A job as the scheduler sees it."""

    seconds: float
    after: tuple[int, ...] = ()
    """Positions of the tasks that it waits for."""
    cores: int = 1
    mib: float = 0.0
    priority: float = 0.0


def makespan(tasks: Sequence[Task], cores: int, mib: float = float("inf")) -> float:
    """Return the seconds until the last task ends.

    Whenever a task ends, the ready tasks start in the order of their priority, each if the cores
    and the memory that are free suffice for it. One that asks for more than there is gets all
    of it.
    """
    waiting = [len(set(task.after)) for task in tasks]
    followers: list[list[int]] = [[] for _ in tasks]
    for index, task in enumerate(tasks):
        for other in set(task.after):
            followers[other].append(index)
    need_cores = [min(task.cores, cores) for task in tasks]
    need_mib = [min(task.mib, mib) for task in tasks]
    ready = [(-task.priority, i) for i, task in enumerate(tasks) if not waiting[i]]
    heapq.heapify(ready)
    running: list[tuple[float, int]] = []
    now, free_cores, free_mib = 0.0, cores, mib
    while ready or running:
        left_out = []
        while ready and free_cores:
            entry = heapq.heappop(ready)
            index = entry[1]
            if need_cores[index] > free_cores or need_mib[index] > free_mib:
                left_out.append(entry)
                continue
            free_cores -= need_cores[index]
            free_mib -= need_mib[index]
            heapq.heappush(running, (now + tasks[index].seconds, index))
        for entry in left_out:
            heapq.heappush(ready, entry)
        now, index = heapq.heappop(running)
        free_cores += need_cores[index]
        free_mib += need_mib[index]
        for follower in followers[index]:
            waiting[follower] -= 1
            if not waiting[follower]:
                heapq.heappush(ready, (-tasks[follower].priority, follower))
    return now
