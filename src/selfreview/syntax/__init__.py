"""Knowledge of languages: which one a file is in, its syntax tree, its definitions, and its tests."""
