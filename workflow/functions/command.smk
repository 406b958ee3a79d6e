"""How this workflow was started."""

BASE = os.path.normpath(workflow.basedir)


def command():
    """The command that a reader types to make one file again, as this workflow was started."""
    folder = as_typed(results_folder())
    overlays = [as_typed(path) for path in workflow.overwrite_configfiles]
    values = [
        f"{key}={json.dumps(value)}" for key, value in workflow.config_settings.config.items()
    ]
    words = ["snakemake --cores all"]
    words += [f"--directory {shlex.quote(folder)}"] if folder != "." else []
    words += [f"--configfile {shlex.join(overlays)}"] if overlays else []
    words += [f"--config {shlex.join(values)}"] if values else []
    return " ".join([*words, "--"] if overlays or values else words)


def results_folder():
    """Where results/ is, links not followed; Snakemake may have been started elsewhere."""
    typed = Path(BASE, workflow.overwrite_workdir or "")
    return typed if typed.is_dir() and typed.samefile(".") else Path.cwd()


def as_typed(path):
    """A path as it is typed in the workflow's folder, so that results do not say where the clone lies.

    Snakemake has made every path absolute, and left the dots of those that were relative.
    """
    return (
        os.path.relpath(path, BASE) if Path(path).is_relative_to(BASE) else os.path.normpath(path)
    )
