"""Settings that make a shell script stop at a failure."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Removal, Rule

RULES = (
    Rule(
        id="bash-strict-mode-removed",
        languages=("bash",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The script no longer stops where a command fails: what follows runs all the same.",
        suggestion="Keep the line, or handle each failure.",
        needs=(),
        coded=True,
        bad=(
            Removal(
                "bash",
                """
                #!/bin/bash
                set -euo pipefail  <--
                cd "$1"
                make
                """,
                """
                #!/bin/bash
                cd "$1"
                make
                """,
            ),
            Removal(
                "bash",
                """
                #!/bin/bash
                set -o errexit  <--
                make
                """,
                """
                #!/bin/bash
                set -u
                make
                """,
            ),
        ),
        good=(
            Removal(
                "bash",
                """
                #!/bin/bash
                set -euo pipefail
                make
                """,
                """
                #!/bin/bash
                set -o errexit -o nounset
                set -o pipefail
                make
                """,
            ),
            Removal(
                "bash",
                """
                #!/bin/bash
                set -e
                make
                """,
                """
                #!/bin/bash -e
                make
                """,
            ),
            Removal(
                "bash",
                """
                set -e
                make
                """,
                """
                . ./common.sh
                make
                """,
            ),
        ),
    ),
)
