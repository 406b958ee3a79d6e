"""What a probe depends on, and nothing else of the configuration."""


def probe_options(wildcards):
    """What a probe depends on, and nothing else of the configuration."""
    probes = CONFIG.probes
    budget = CONFIG.budgets[probes.language_models.budget]
    models = f"--variants {shlex.quote(architectures(probes.language_models.variants))}"
    length = f"--context-length {budget.context_length}"
    seeds = f"--seeds {probes.repetitions(wildcards.probe)}"
    widths = f"--widths {' '.join(map(str, probes.widths))}"
    return {
        "averaging": seeds,
        "equivalence": seeds,
        "variance": f"{seeds} {widths} --pairs {probes.pairs}",
        "saturation": f"{seeds} {widths} --rows {probes.rows}",
        "untrained_attention": f"{models} {seeds}",
        "contexts": f"{models} --batch-size {budget.batch_size} {length}",
        "cached_generation": f"{models} {length} {seeds}",
    }.get(wildcards.probe, "")


def architectures(variants):
    """The variants' architectures, as JSON."""
    return keep(
        canonical_json(
            [
                {
                    "variant": variant,
                    "architecture": json.loads(CONFIG.variants[variant].architecture()),
                }
                for variant in variants
            ]
        )
    )


def gradient_norm_variants(_wildcards):
    return architectures(CONFIG.probes.gradient_norms.variants)
