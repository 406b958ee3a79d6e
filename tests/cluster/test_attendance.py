"""What is said while Snakemake waits, and when waiting ends."""

from dataclasses import dataclass, field

from rungs.cluster.attendance import LOST_SECONDS, REPEAT_SECONDS, Attendance
from rungs.cluster.slurm import ClusterJob
from rungs.errors import UserError


@dataclass
class Head:
    """A head with a queue, a clock and ears of our own."""

    queue: list[ClusterJob] = field(default_factory=list)
    submitted: int = 0
    now: float = 0.0
    down: bool = False
    heard: list[str] = field(default_factory=list)
    requeued: list[str] = field(default_factory=list)
    ended: int = 0

    def __post_init__(self) -> None:
        self.attendance = Attendance(
            look=self.look,
            expected=lambda: self.submitted,
            say=self.heard.append,
            requeue=lambda job: self.requeued.append(job.number),
            give_up=self.give_up,
            clock=lambda: self.now,
        )

    def look(self) -> list[ClusterJob]:
        if self.down:
            raise UserError("squeue: no answer within a minute")
        return self.queue

    def give_up(self) -> None:
        self.ended += 1

    def after(self, seconds: float) -> list[str]:
        """Look again after some time; return what was said."""
        self.now += seconds
        self.heard.clear()
        self.attendance.once()
        return list(self.heard)


def job(number: int, state: str, reason: str = "None") -> ClusterJob:
    return ClusterJob(str(number), state, reason, "rungs_0a")


def test_waiting_is_said_with_its_reason_once() -> None:
    head = Head([job(1, "PENDING", "QOSMaxJobsPerUserLimit"), job(2, "RUNNING")], submitted=2)
    said = head.after(1)
    assert said == ["SLURM: waiting in the queue: 1 (QOSMaxJobsPerUserLimit 1); running: 1"]
    assert head.after(30) == []
    assert head.after(REPEAT_SECONDS + 1) == said
    head.queue[0] = job(1, "PENDING", "PartitionTimeLimit")
    assert "PartitionTimeLimit 1" in head.after(30)[0]
    head.queue[0] = job(1, "RUNNING")
    assert head.after(30) == []


def test_jobs_that_were_just_submitted_are_no_news() -> None:
    assert Head([job(1, "PENDING")], submitted=1).after(1) == []


def test_a_silent_slurm_is_said_once_and_so_is_its_return() -> None:
    head = Head([job(1, "RUNNING")], submitted=1, down=True)
    assert head.after(1) == [
        "SLURM does not answer; asking again (squeue: no answer within a minute)"
    ]
    assert head.after(30) == []
    head.down = False
    assert head.after(LOST_SECONDS) == ["SLURM answers again"]
    assert not head.ended


def test_a_preempted_job_goes_back_into_the_queue() -> None:
    head = Head([job(1, "PREEMPTED")], submitted=1)
    assert head.after(1) == ["SLURM: job 1 was preempted; put back into the queue"]
    assert head.requeued == ["1"]


def test_a_lost_job_is_said_and_the_others_go_on() -> None:
    head = Head([job(1, "RUNNING")], submitted=2)
    assert head.after(LOST_SECONDS) == []
    assert "jobs that are gone for 10 min without a word of their end: 1." in head.after(1)[0]
    assert not head.ended


def test_when_every_job_is_lost_waiting_ends() -> None:
    head = Head([job(1, "COMPLETED")], submitted=1)
    head.after(LOST_SECONDS + 1)
    assert head.ended == 1


def test_a_job_whose_end_is_noticed_in_time_is_not_lost() -> None:
    head = Head([job(1, "COMPLETED")], submitted=1)
    head.after(LOST_SECONDS - 1)
    head.submitted = 0
    head.after(30)
    head.submitted = 1
    assert head.after(LOST_SECONDS - 1) == []
    assert not head.ended
