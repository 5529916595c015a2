"""Apply kept patches to the person's tree, and undo them: all of a patch or nothing."""

JOURNAL = "journal.json"
"""Name of the journal that an interrupted apply leaves in ``selfreview`` below the git directory."""
CYCLE = "cycle.json"
"""Name of the record, in the same folder, of a fix that is to be committed on a pull request's branch."""
