"""One file to send: tables, figures, report, configuration and provenance."""
