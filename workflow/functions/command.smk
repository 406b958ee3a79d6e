"""How this workflow was started."""


def command():
    """The command that a reader types to make one file again, as this workflow was started."""
    folder = os.path.relpath(".", workflow.basedir)
    overlays = [os.path.relpath(path, workflow.basedir) for path in workflow.overwrite_configfiles]
    values = [
        f"{key}={json.dumps(value)}" for key, value in workflow.config_settings.config.items()
    ]
    words = ["snakemake --cores all"]
    words += [f"--directory {shlex.quote(folder)}"] if folder != "." else []
    words += [f"--configfile {shlex.join(overlays)}"] if overlays else []
    words += [f"--config {shlex.join(values)}"] if values else []
    return " ".join([*words, "--"] if overlays or values else words)
