"""Store of a repository: results, issues, events, cached findings and answers, in one SQLite file.

>>> from selfreview.store import ReviewStore, Store
>>> with Store.open(common_git_directory / "selfreview") as store:
...     kept = ReviewStore(store)  # what the engine is given: never fails, warns once
...     store.results(20)  # what the commands use: raises StoreError
"""

from __future__ import annotations

from selfreview.store.runs import History, IssueRecord
from selfreview.store.store import ReviewStore, Store

__all__ = ["History", "IssueRecord", "ReviewStore", "Store"]
