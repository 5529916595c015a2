"""Patterns of functions, tests and permission checks in each language."""

from __future__ import annotations

from typing import NamedTuple


class Words(NamedTuple):
    """Patterns to search for in one language, as Python writes them, in single lines unless noted otherwise.

    Attributes:
        functions: Node kinds of named functions and methods.
        test: A function that is a test, by the lines from its first decorator or annotation to its name.
        skip: A line that turns a test off.
        sometimes: A skip that depends on something, by its line and the two behind it.
        table: A test that is run for each entry of a table, whose names stand there.
    """

    functions: tuple[str, ...]
    test: str
    skip: str
    sometimes: str = r"(?!)"
    table: str | None = None


_SCRIPT = Words(
    functions=("function_declaration", "method_definition", "variable_declarator"),
    test=r"\b(it|test|specify)(\.\w+)*\s*\(\s*['\"`]|\bx(it|test)\(\s*['\"`]",
    skip=r"\b(it|test|specify)\.(skip|todo|fixme)\(|\bx(it|test)\(",
    sometimes=r"\.(skip|fixme)\(\s*[^'\"`\s]",
    table=r"\b(?:it|test|specify)\(\s*[\w.]+\s*,",
)

WORDS = {
    "python": Words(
        functions=("function_definition",),
        test=r"\bdef test",
        skip=r"^\s*@(pytest\.)?mark\.(skip|xfail)\b|^\s*@(unittest\.)?skip\b|^\s*(pytest\.skip|self\.skipTest)\("
        r"|^\s*raise (\w+\.)*SkipTest\b",
        sometimes=r"\bxfail\(\s*[^)\s]",
    ),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "go": Words(
        functions=("function_declaration", "method_declaration"),
        test=r"\bfunc (\([^)]*\) )?Test|\b[FPX]?(It|Specify)\(\s*[\"`]",
        skip=r"\b[tb]\.Skip(f|Now)?\(",
    ),
    "java": Words(
        functions=("method_declaration",),
        test=r"@(Test|ParameterizedTest|RepeatedTest)\b|(?<!private )\bvoid test\w*\s*\(\s*\)",
        skip=r"@(Ignore|Disabled)\b",
    ),
    "kotlin": Words(
        functions=("function_declaration",),
        test=r"@(Test|ParameterizedTest)\b",
        skip=r"@(Ignore|Disabled)\b",
    ),
    "csharp": Words(
        functions=("method_declaration",),
        test=r"\[(Test|Fact|Theory|TestMethod|TestCase)\b",
        skip=r"\[Ignore\b|\bSkip\s*=",
    ),
    "ruby": Words(
        functions=("method", "singleton_method"),
        test=r"\b(it|specify|test|scenario)\s*\(?\s*['\"]|\bdef test_",
        skip=r"^\s*(skip|pending)\b|^\s*x(it|specify|scenario)\b",
    ),
    "php": Words(
        functions=("method_declaration", "function_definition"),
        test=r"function test|@test\b|#\[Test\]",
        skip=r"->markTest(Skipped|Incomplete)\(",
    ),
    "rust": Words(
        functions=("function_item",),
        test=r"#\[(\w+::)*test\b",
        skip=r"#\[ignore\b",
    ),
}
"""Patterns by ast-grep's language name."""

_ACCESS = (
    r"login_required|permissions?_required|user_passes_test|staff_member_required|superuser_required|admin_required|"
    r"auth(entication)?_required|jwt_required|token_required|roles?_required|"
    r"require_(login|auth\w*|admin|permission|user|role)|requires_auth|csrf_protect|authenticate_user!?|authenticate!?|"
    r"authorize!?|PreAuthorize|RolesAllowed|Secured|requireAuth\w*|ensureAuthenticated|ensureLoggedIn|verifyToken|"
    r"checkAuth\w*|has_perms?|has_permission|hasPermission|hasRole|check_permissions?|checkPermissions?|"
    r"PermissionDenied|\[Authorize|UseGuards"
)
_STATE = r"is_authenticated|isAuthenticated|is_superuser|is_staff|is_admin|isAdmin"

GUARD = rf"(?<!\w)(?:{_ACCESS})(?!\w)|^(?=.*\b(?:if|elif|unless|assert|and|or|guard)\b|.*(?:&&|\|\|)).*\b(?:{_STATE})\b"
"""A permission check: a word that means one, or a condition on what somebody is."""

SANITISER = (
    r"\b(compare_digest|verify_signature|verifySignature|check_signature|timingSafeEqual|hash_equals|ConstantTimeCompare|"
    r"secure_filename|safe_join|bleach\.clean|html\.escape|markupsafe\.escape|escapeHtml|htmlspecialchars|EscapeString|sanitize\w*|DOMPurify|"
    r"shlex\.quote|escapeshellarg|Shellwords\.escape|url_has_allowed_host_and_scheme|is_safe_url|check_password|"
    r"verify_password|password_verify|validate_csrf|verify_csrf\w*)\b"
)
"""Words of a call that makes a value harmless or proves where it comes from."""

SANITISER_FUNCTIONS = frozenset(
    {"bleach.clean", "django.utils.html.escape", "html.escape", "markupsafe.escape", "shlex.quote"}
)
"""Those of them that Python may import without their module, which the words above ask for."""
