"""A machine with round numbers."""

from rungs.planning.machine import Calibration, KernelRates, Rates, StartUp

MACHINE = Calibration(
    machine="a machine of round numbers",
    matmul_gflops=100,
    bfloat16=0.5,
    training=Rates(
        linear=1e-11, attention=2e-11, elements=1e-9, logits=1e-9, calls=1e-4, passes=1e-3
    ),
    scoring=Rates(linear=1e-11, attention=2e-11, elements=1e-9, logits=1e-9, calls=0, passes=0),
    kernel=KernelRates(linear=1e-11, naive=1e-9, tiled=1e-10, prediction=0.5),
    start_up=StartUp(plain=0.1, tables=1.0, figures=2.0, torch=3.0),
    processes=2,
    crowding=1.5,
)
