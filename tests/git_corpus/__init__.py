"""Real repositories, built by script, whose review scope is known by construction.

Every case is a generator in one of the themed modules. It builds a repository with real git, yields what it
expects of one run of `selfreview run --collect-only`, goes on building, yields again. Expectations are written
down by hand next to the commands that make them true: neither selfreview nor `git diff` computes them.

`expect.py` holds the vocabulary and the comparison, `repo.py` the sandbox, `tool.py` the runs, `registry.py` the
list of cases, `test_corpus.py` the test. To see one case: `pytest tests/git_corpus -k names.tab`.
"""
