"""Permission for a repository's code and commands to run: asked once per repository and content, like ``direnv allow``.

A repository's own configuration can make code run: ``selfreview_conf.py`` is a plugin, and some tables name commands.
None of it runs before the person has said so. What they agreed to is one digest over that code and those tables; other
keys can change without another question. Table order and spelling (dotted keys, inline tables, comments) do not count,
because the digest is taken over the parsed values.

A limit: what those commands and that code run in turn (a script of the repository, a tool that loads the repository's
own configuration) is not covered, as with a target of a Makefile.

The other thing that a person is asked once, whether code may be sent to a model, is kept in
:class:`~selfreview.trust.store.ConsentStore`.
"""
