"""Secrets in text: found, masked and redacted, with two thresholds.

:mod:`~selfreview.secrets.scanner` finds what is reported, :mod:`~selfreview.secrets.redactor` what is hidden before a
model is sent it: all of that, and whatever else could be a secret.
"""
