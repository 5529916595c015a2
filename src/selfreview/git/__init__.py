"""Git, exactly: bytes and ``-z`` everywhere, and no setting that can change what is seen."""
