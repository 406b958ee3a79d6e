"""What a workflow will cost, before anything of it runs."""
