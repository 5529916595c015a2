"""Detection of what a change removes: tests and their assertions, permission checks, a shell's strict mode."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from selfreview.api import ChangedFile, Finding
from selfreview.model.change import HunkSpan, LineRange, overlaps
from selfreview.model.issue import Side
from selfreview.reviewers.evidence import kept_lines, tied
from selfreview.reviewers.rules.weakened_tests import Loss, Version, version, weakened_tests
from selfreview.rules import Rule
from selfreview.syntax.file_kinds import is_test
from selfreview.syntax.parsing import live_lines, parse
from selfreview.syntax.pytext import with_modules
from selfreview.syntax.testcode import TESTS

_ACCESS = (
    r"login_required|permissions?_required|user_passes_test|staff_member_required|superuser_required|admin_required|"
    r"auth(entication)?_required|jwt_required|token_required|roles?_required|"
    r"require_(login|auth\w*|admin|permission|user|role)|requires_auth|csrf_protect|authenticate_user!?|authenticate!?|"
    r"authorize!?|PreAuthorize|RolesAllowed|Secured|requireAuth\w*|ensureAuthenticated|ensureLoggedIn|verifyToken|"
    r"checkAuth\w*|has_perms?|has_permission|hasPermission|hasRole|check_permissions?|checkPermissions?|"
    r"PermissionDenied|\[Authorize|UseGuards"
)
_STATE = r"is_authenticated|isAuthenticated|is_superuser|is_staff|is_admin|isAdmin"

_GUARD = (
    rf"(?<!\w)(?:{_ACCESS})(?!\w)|^(?=.*\b(?:if|elif|unless|assert|and|or|guard)\b|.*(?:&&|\|\|)).*\b(?:{_STATE})\b"
)
"""A permission check: a word that means one, or a condition on what somebody is."""

_SANITISER = (
    r"\b(compare_digest|verify_signature|verifySignature|check_signature|timingSafeEqual|hash_equals|ConstantTimeCompare|"
    r"secure_filename|safe_join|bleach\.clean|html\.escape|markupsafe\.escape|escapeHtml|htmlspecialchars|EscapeString|sanitize\w*|DOMPurify|"
    r"shlex\.quote|escapeshellarg|Shellwords\.escape|url_has_allowed_host_and_scheme|is_safe_url|check_password|"
    r"verify_password|password_verify|validate_csrf|verify_csrf\w*)\b"
)
"""Words of a call that makes a value harmless or proves where it comes from."""

_SANITISER_FUNCTIONS = frozenset(
    {"bleach.clean", "django.utils.html.escape", "html.escape", "markupsafe.escape", "shlex.quote"}
)
"""Those of them that Python may import without their module, which the words above ask for."""


def removed(
    file: ChangedFile, language: str, old: list[str], new: list[str], rules: Mapping[str, Rule]
) -> Iterator[Finding]:
    """Yield findings of what a change removes from a file.

    Args:
        file: The file.
        language: Its language.
        old, new: Its lines on both sides, as the parser takes them.
        rules: The rules that compare both sides, by id.
    """
    if language not in TESTS or not file.spans:
        return
    testing = is_test(file.path) or language == "rust"
    wanted = TESTS[language].test if testing else f"{_GUARD}|{_SANITISER}"
    if re.search(wanted, "\n".join(old), re.MULTILINE) is None:
        return
    before, after = (version(lines, language, testing=testing) for lines in (old, new))
    gone, come = differing(before.lines, after.lines, file.spans)
    before, after = before._replace(changed=gone), after._replace(changed=come)
    if language == "python" and not testing:
        after = after._replace(lines=with_modules(after.lines, _SANITISER_FUNCTIONS))
    for rule_id, line, side, name in (weakened_tests if testing else _removed_checks)(before, after):
        if rule := rules.get(rule_id):
            yield _finding(rule, file, line, side, name)


def _removed_checks(before: Version, after: Version) -> Iterator[Loss]:
    kept = {function.name: function for function in after.functions}
    for rule_id, pattern in (("removed-access-check", _GUARD), ("removed-safety-call", _SANITISER)):
        if after.changed_lines(pattern):
            continue
        for line in before.changed_lines(pattern):
            if re.match(r"\s*(import|from|#|//|\*|use|using|require)\b", before.lines[line - 1]):
                continue
            inner = [f for f in before.functions if f.first <= line <= f.last]
            if not inner or (now := kept.get(inner[-1].name)) is None:
                continue
            if not any(re.search(pattern, text) for text in after.body(now)):
                yield rule_id, line, Side.OLD, inner[-1].name
                break


def _finding(rule: Rule, file: ChangedFile, line: int, side: Side, name: str = "") -> Finding:
    """Return the finding of a rule on a line, tied to the change; of the old side, name the file as it was."""
    renamed = side is Side.OLD and file.path_at_base != file.path
    message = rule.message.replace("{name}", name) + (f" It stood in {file.path_at_base}." if renamed else "")
    return tied(rule.finding(file.path, line, side=side, description=message), file)


def differing(
    old: Sequence[str], new: Sequence[str], spans: Sequence[HunkSpan]
) -> tuple[tuple[LineRange, ...], tuple[LineRange, ...]]:
    """Return the lines of both sides that a change touches, or that are code on one side only.

    Args:
        old, new: Lines of both sides, with what is no code blank.
        spans: The lines that the change touches.
    """
    gone, come = [], []
    for span in spans:
        if span.old_count:
            gone.append(LineRange(span.old_start, span.old_start + span.old_count - 1))
        if span.new_count:
            come.append(LineRange(span.new_start, span.new_start + span.new_count - 1))
    for at, now, count in kept_lines(spans, len(old)):
        if old[at - 1 : at - 1 + count] != new[now - 1 : now - 1 + count]:
            for here, there in zip(range(at, at + count), range(now, now + count), strict=True):
                if old[here - 1 : here] != new[there - 1 : there]:
                    gone.append(LineRange(here, here))
                    come.append(LineRange(there, there))
    return tuple(sorted(gone)), tuple(sorted(come))


_SET = re.compile(r"^\s*set\s+(?P<options>-[^#;|]*)")
_SHEBANG = re.compile(r"^#!\S*\b(?:ba|da|k|z)?sh\s+(?P<options>-.*)")
_SOURCED = re.compile(r"^\s*(?:source|\.)\s+\S")
_LETTERS = {"e": "errexit", "u": "nounset"}


def no_longer_strict(
    file: ChangedFile, old: Sequence[str], new: Sequence[str], rules: Mapping[str, Rule]
) -> Iterator[Finding]:
    """Yield the removed line that made a script stop, where no other line does so now.

    Args:
        file: The file.
        old, new: Its lines on both sides.
        rules: The rules that code finds, by id.
    """
    rule = rules.get("bash-strict-mode-removed")
    if rule is None or not any(map(_options, old)):
        return
    was, now = _live(old), _live(new)
    if any(map(_SOURCED.match, now)):
        return
    gone, _ = differing(was, now, file.spans)
    kept = {option for line in now for option in _options(line)}
    for number, line in enumerate(was, 1):
        if "errexit" in _options(line) - kept and overlaps(gone, number, number):
            yield _finding(rule, file, number, Side.OLD)
            return


def _live(lines: Sequence[str]) -> list[str]:
    """Return lines without comments and texts; the line that names the shell is none."""
    return [*lines[:1], *live_lines(parse("\n".join(lines), "bash"), "bash", lines)[1:]]


def _options(line: str) -> set[str]:
    """Return the names of the options that a line turns on."""
    match = _SET.match(line) or _SHEBANG.match(line)
    if match is None:
        return set()
    found: set[str] = set()
    for word in match["options"].split():
        if re.fullmatch(r"-[A-Za-z]+", word):
            found |= {_LETTERS[letter] for letter in word[1:] if letter in _LETTERS}
        elif re.fullmatch(r"[a-z]+", word):
            found.add(word)
    return found
