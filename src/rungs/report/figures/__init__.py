"""One figure a module, each a stage of its own: tables in, SVG and PNG out."""
