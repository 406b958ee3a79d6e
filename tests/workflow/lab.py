"""A real SLURM cluster of one node on this machine: started for the tests, and stopped after them.

Plain processes on the loopback interface, without systemd. Needs root and Debian's packages
slurmctld, slurmd, slurm-client and munge, which `.ci/run` installs.
"""

import contextlib
import os
import platform
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import psutil

from tests.workflow.processes import descendants

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")
INSTALLED = Path("/etc/slurm/slurm.conf")
"""Where SLURM's programs look: a variable is not enough, since job steps drop all `SLURM_...`."""
SIGNALS = (signal.SIGTERM, signal.SIGINT)

# KillWait is the time between SIGTERM and SIGKILL. Accounting is off, as on many small clusters.
CONFIGURATION = """\
ClusterName=lab
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthInfo=socket={folder}/munge/socket
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
EnforcePartLimits=ALL
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
SlurmdTimeout=8
MinJobAge=3600
KillWait=20
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=8000 State=UNKNOWN
PartitionName=lab Nodes={host} Default=YES PriorityTier=1 DefMemPerCPU=250 MaxTime=600 State=UP
PartitionName=urgent Nodes={host} PriorityTier=2 PreemptMode=OFF DefMemPerCPU=250 State=UP
"""


class NoLab(Exception):  # noqa: N818
    """Why there can be no cluster on this machine."""


class Lab:
    """The running cluster."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def start(self) -> None:
        """Start the daemons and wait until the node is idle."""
        for name in ("munge", "state", "spool"):
            (self.folder / name).mkdir(mode=0o755)
        munge = self.folder / "munge"
        key = munge / "key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))
        text = CONFIGURATION.format(host=platform.node().partition(".")[0], folder=self.folder)
        (self.folder / "slurm.conf").write_text(text)
        INSTALLED.symlink_to(self.folder / "slurm.conf")
        _run(
            "munged", f"--key-file={key}", f"--socket={munge}/socket", f"--log-file={munge}/log",
            f"--pid-file={self.folder}/munged.pid", f"--seed-file={munge}/seed",
        )  # fmt: skip
        _run("slurmctld")
        self.start_node()

    def start_node(self) -> None:
        """Start the node's daemon, and wait until it takes jobs."""
        _run("slurmd")
        until(lambda: self.ask("sinfo", "-h", "-p", "lab", "-o", "%T") in ("idle", "mixed"), 60)

    def kill_node(self) -> None:
        """Let the node's daemon vanish; its jobs go on without it."""
        os.kill(self._process("slurmd"), signal.SIGKILL)

    def steps(self) -> list[psutil.Process]:
        """Return the processes that run parts of jobs; the node's daemon may have left some."""
        return [process for process in psutil.process_iter() if process.name() == "slurmstepd"]

    def start_again(self, number: str) -> None:
        """Let a requeued job start at once; SLURM would have it wait for minutes."""
        until(lambda: self.states()[number] == "PENDING", 120)
        self.ask("scontrol", "update", f"JobId={number}", "StartTime=now")

    def stop(self) -> None:
        """End every job and daemon that was started here."""
        with contextlib.suppress(AssertionError):  # the daemons may not be up
            self.ask("scancel", "--user=root")
            until(lambda: not self.ask("squeue", "--noheader"), 30)
        for name in ("slurmd", "slurmctld", "munged"):
            with contextlib.suppress(FileNotFoundError):
                _end(self._process(name))
        for step in self.steps():
            end_all([*descendants(step.pid), step])
        INSTALLED.unlink(missing_ok=True)

    def ask(self, *words: str) -> str:
        """Return what one of SLURM's commands says."""
        return _run(*words).strip()

    def states(self) -> dict[str, str]:
        """Return the state of every job that SLURM remembers, by its number."""
        lines = self.ask("squeue", "--noheader", "--states=all", "--format=%i|%T").splitlines()
        return dict(line.split("|") for line in lines)

    def _process(self, name: str) -> int:
        return int((self.folder / f"{name}.pid").read_text())


@contextlib.contextmanager
def lab() -> Iterator[Lab]:
    """Run a cluster while the block runs.

    Raises:
        NoLab: this machine cannot be one, or is one.
        KeyboardInterrupt: a SIGTERM or SIGINT came; the cluster is stopped first.
    """
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        packages = "slurmctld, slurmd, slurm-client and munge"
        raise NoLab(f"no {', '.join(missing)} on PATH; install the packages {packages}")
    if os.geteuid() != 0:
        raise NoLab("only root may start SLURM's daemons")
    if INSTALLED.exists() or INSTALLED.is_symlink():
        raise NoLab(f"{INSTALLED} exists: this machine belongs to a cluster")
    with tempfile.TemporaryDirectory(prefix="lab-") as name, _stopped_by_signals():
        Path(name).chmod(0o755)  # munge insists: everybody may ask it
        cluster = Lab(Path(name))
        try:
            cluster.start()
            yield cluster
        finally:
            for number in SIGNALS:
                signal.signal(number, signal.SIG_IGN)
            cluster.stop()


@contextlib.contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Let SIGTERM stop pytest as Ctrl-C does, and SIGINT in the background too."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end_all(processes: Iterable[psutil.Process]) -> None:
    """Kill the processes, whatever they do, and wait for their end."""
    known = list(processes)
    for process in known:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(known, timeout=30)


def until(condition: Callable[[], object], seconds: float) -> None:
    """Wait until the condition holds."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds, "waited for too long"
        time.sleep(0.1)


def _end(number: int) -> None:
    """End a daemon, and wait for it. Nobody may have collected it yet: it is no child of ours."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(number)
        process.terminate()
        until(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE, 60)


def _run(*words: str) -> str:
    answer = subprocess.run(words, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, (words, answer.stdout, answer.stderr)
    return answer.stdout
