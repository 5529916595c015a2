"""Sanitising calls that a change removes."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.common._words import WORDS
from selfreview.rules.rule import Removal, Rule

LANGUAGES = tuple(WORDS)

RULES = (
    Rule(
        id="removed-safety-call",
        languages=LANGUAGES,
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="{name} no longer makes its value harmless or checks where it comes from, as this line did.",
        suggestion="Keep the call, or show where it is done now.",
        needs=(),
        coded=True,
        where="product",
        bad=(
            Removal(
                "python",
                """
                def accept(body, signature):
                    if not hmac.compare_digest(sign(body), signature):  <--
                        raise ValueError(signature)
                    store(body)
                """,
                """
                def accept(body, signature):
                    store(body)
                """,
            ),
            Removal(
                "python",
                """
                import html

                def show(name):
                    return f"<b>{html.escape(name)}</b>"  <--
                """,
                """
                from html import escape

                def show(name):
                    return f"<b>{name}</b>"
                """,
            ),
            Removal(
                "javascript",
                """
                function show(text) {
                  node.textContent = sanitizeHtml(text);  <--
                }
                """,
                """
                function show(text) {
                  node.textContent = text;
                }
                """,
            ),
            Removal(
                "php",
                """
                function show($name) {
                    return render(htmlspecialchars($name));  <--
                }
                """,
                """
                function show($name) {
                    return render($name);
                }
                """,
            ),
            Removal(
                "go",
                """
                func accept(body, signature []byte) {
                    if subtle.ConstantTimeCompare(sign(body), signature) != 1 {  <--
                        return
                    }
                    store(body)
                }
                """,
                """
                func accept(body, signature []byte) {
                    store(body)
                }
                """,
            ),
        ),
        good=(
            Removal(
                "python",
                """
                import html

                def show(name):
                    return f"<b>{html.escape(name)}</b>"
                """,
                """
                from markupsafe import escape

                def show(name):
                    return f"<b>{escape(name)}</b>"
                """,
            ),
            Removal(
                "python",
                """
                def save(upload):
                    name = secure_filename(upload.filename)
                    upload.save(FOLDER / name)
                """,
                """
                def save(upload):
                    upload.save(target(upload))


                def target(upload):
                    return FOLDER / secure_filename(upload.filename)
                """,
            ),
            Removal(
                "python",
                """
                def save(upload):
                    upload.save(FOLDER / secure_filename(upload.filename))


                def load(name):
                    return read(name)
                """,
                """
                def load(name):
                    return read(name)
                """,
            ),
        ),
    ),
)
