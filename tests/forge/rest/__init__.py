"""Endpoints of the REST API, by resource."""

from __future__ import annotations

from tests.forge.rest import (
    checks,
    comments,
    hooks,
    inline,
    labels,
    pulls,
    repositories,
    reviewers,
    reviews,
)

ROUTES = (
    *repositories.ROUTES,
    *pulls.ROUTES,
    *inline.ROUTES,
    *reviews.ROUTES,
    *comments.ROUTES,
    *labels.ROUTES,
    *reviewers.ROUTES,
    *checks.ROUTES,
    *hooks.ROUTES,
)
