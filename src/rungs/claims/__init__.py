"""Every published claim, judged by what was reproduced."""
