"""Durations as a person says them."""


def duration(seconds: float) -> str:
    """Return ``45 s``, ``12 min``, ``1 h 05 min`` or ``2 d 03 h``."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes:02} min"
    days, hours = divmod(round(seconds / 3600), 24)
    return f"{days} d {hours:02} h"
