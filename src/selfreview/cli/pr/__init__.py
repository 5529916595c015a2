"""The commands of a pull request: ``selfreview pr``, which the built-in plugin ``pullrequest`` adds."""
