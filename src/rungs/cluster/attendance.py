"""What Snakemake waits for on the cluster, said while it waits."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence

from rungs.cluster.slurm import ClusterJob
from rungs.durations import duration
from rungs.errors import UserError

LOOK_SECONDS = 30.0
REPEAT_SECONDS = 600.0
"""A sentence that is still true is said again after so long."""
LOST_SECONDS = 600.0
"""Longer than Snakemake takes to notice the end of a job: the time between two looks, and what it
gives a shared file system to show the files."""


class Attendance:
    """Looks at the queue now and then, and says what nobody else would.

    Args:
        look: returns our jobs of this folder; raises a `UserError` where SLURM does not answer.
        expected: returns how many cluster jobs Snakemake believes to be submitted and unfinished.
        say: told in sentences.
        requeue: asked to put a preempted job back into the queue.
        give_up: called when none of the expected jobs exists any more.
        clock: returns seconds.
    """

    def __init__(
        self,
        look: Callable[[], Sequence[ClusterJob]],
        expected: Callable[[], int],
        say: Callable[[str], None],
        requeue: Callable[[ClusterJob], None],
        give_up: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.look, self.expected, self.say = look, expected, say
        self.requeue, self.give_up, self.clock = requeue, give_up, clock
        self.said: dict[str, tuple[str, float]] = {}
        self.complete = clock()

    def start(self) -> None:
        """Look every `LOOK_SECONDS`, in a thread that ends with the process."""
        threading.Thread(target=self._forever, daemon=True).start()

    def once(self) -> None:
        """Look, and say what is new."""
        try:
            jobs = self.look()
            for job in jobs:
                if job.state == "PREEMPTED":
                    # With PreemptMode=CANCEL this is the end of a job, which nobody reports.
                    self.requeue(job)
                    self.say(f"SLURM: job {job.number} was preempted; put back into the queue")
        except UserError as error:
            self._say_once("answer", f"SLURM does not answer; asking again ({error})")
            self.complete = self.clock()
            return
        if self.said.pop("answer", None):
            self.say("SLURM answers again")
        self._say_what_waits([job for job in jobs if job.live])
        self._miss(sum(job.live for job in jobs))

    def _say_what_waits(self, live: Sequence[ClusterJob]) -> None:
        reasons = Counter(job.reason for job in live if job.state == "PENDING")
        if not reasons.keys() - {"None"}:
            self.said.pop("waiting", None)
            return
        listed = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
        others = len(live) - reasons.total()
        self._say_once(
            "waiting",
            f"SLURM: waiting in the queue: {reasons.total()} ({listed}); running: {others}",
            about=" ".join(sorted(reasons)),
        )

    def _miss(self, live: int) -> None:
        missing = self.expected() - live
        if missing <= 0:
            self.complete = self.clock()
        elif self.clock() - self.complete > LOST_SECONDS:
            self._say_once(
                "missing",
                f"SLURM: jobs that are gone for {duration(self.clock() - self.complete)} without a "
                f"word of their end: {missing}. Their work is kept: stop this with Ctrl-C and run "
                "the same command again",
            )
            if not live:
                self.give_up()

    def _say_once(self, topic: str, sentence: str, about: str = "") -> None:
        """Say the sentence unless one about the same thing was said lately."""
        known, when = self.said.get(topic, ("", 0.0))
        if topic not in self.said or known != about or self.clock() - when > REPEAT_SECONDS:
            self.said[topic] = (about, self.clock())
            self.say(sentence)

    def _forever(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            self.once()
