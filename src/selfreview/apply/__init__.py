"""Apply kept patches to the person's tree, and undo them: all of a patch or nothing."""
