"""Values of a request that become a path or part of a page."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.flow import Flow
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import BUILT, HTML

REQUEST = (
    r"\brequest\.(args|form|values|GET|POST|FILES|files|data|json|params|query_params|cookies|headers|query|path_params|"
    r"match_info|matchdict|get_json|get_data|path|url|full_path|body|stream)\b|\bself\.get_(query_|body_)?arguments?\("
)

RULES = (
    Rule(
        id="python-path-from-request",
        languages=("python",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A path is taken from the request: one that holds .. or starts with / reaches any file of the server.",
        suggestion="Look names up in a list of what may be read, or use secure_filename or safe_join.",
        needs=("request", "get_argument"),
        hint=REQUEST,
        flow=Flow(
            sink=r"(^|\.)(open|send_file|FileResponse|remove|unlink|rmtree|listdir|copy|copyfile|move|rename|makedirs|"
            r"ZipFile|read_text|read_bytes|write_text|write_bytes|file)$",
            text=r"\0",
            argument=0,
            source=REQUEST,
            safe=r"secure_filename|safe_join|basename|^(int|float|len|bool|uuid\.UUID|UUID|hash\w*)\(|\.filename$",
            unless=r"secure_filename|safe_join|basename|is_relative_to|commonpath|realpath|abspath|\.resolve\(|normpath|"
            r"['\"]\.\.|startswith|valid|allowed|isalnum|re\.(full)?match",
        ),
        where="product",
        bad=(
            """
            def download():
                return send_file(request.args["name"])  <--
            """,
            """
            def download(request):
                name = request.GET.get("name")
                path = os.path.join(FOLDER, name)
                with open(path) as file:  <--
                    return file.read()
            """,
        ),
        good=(
            """
            def download():
                name = secure_filename(request.args["name"])
                return send_file(name)
            """,
            """
            def download():
                number = int(request.args["number"])
                return send_file(f"report-{number}.pdf")
            """,
            """
            def download(request):
                path = os.path.join(FOLDER, request.GET["name"])
                if not os.path.realpath(path).startswith(FOLDER):
                    raise Forbidden
                return open(path).read()
            """,
            """
            def download(path):
                return open(path).read()
            """,
        ),
    ),
    Rule(
        id="python-html-from-request",
        languages=("python",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A page holds a value of the request as it came: one that holds a tag runs script in the browser.",
        suggestion="Render a template that escapes, or escape the value.",
        needs=("request", "get_argument"),
        hint=REQUEST,
        flow=Flow(
            sink=r"^return$|(^|\.)(HttpResponse|Response|make_response|HTMLResponse|Markup|mark_safe|render_template_string|"
            r"write)$",
            text=HTML,
            source=REQUEST,
            safe=r"(?i)escape|bleach|clean|sanitize|quote|^(int|float|len|bool)\(|dumps|urlencode",
        ),
        where="product",
        bad=(
            """
            @app.route("/hello")
            def hello():
                return "<h1>Hello " + request.args["name"] + "</h1>"  <--
            """,
            """
            def hello(request):
                name = request.GET.get("name", "")
                page = f"<h1>Hello {name}</h1>"  <--
                return HttpResponse(page)
            """,
        ),
        good=(
            """
            def hello():
                return f"<h1>Hello {escape(request.args['name'])}</h1>"
            """,
            """
            def hello():
                return render_template("hello.html", name=request.args["name"])
            """,
            """
            def hello(request):
                count = int(request.GET["count"])
                return HttpResponse("<b>%s</b>" % count)
            """,
        ),
    ),
    Rule(
        id="python-mark-safe-built",
        languages=("python",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Markup put together from values is declared safe: a value that holds a tag runs script in the page.",
        suggestion="Use format_html, or escape each value.",
        needs=("mark_safe", "Markup", "SafeString", "SafeText"),
        flow=Flow(
            sink=r"(^|\.)(mark_safe|Markup|SafeString|SafeText|SafeUnicode)$",
            text=BUILT,
            argument=0,
            safe=r"(?i:escape|bleach|clean|sanitize|quote|dumps|urlencode|_html\b|render)|^(int|float|len|bool|reverse|url_for)\("
            r"|^[A-Z][A-Z0-9_]*$",
        ),
        where="product",
        bad=(
            "return mark_safe('<b>%s</b>' % name)",
            """
            def badge(user):
                html = f"<b>{user.name}</b>"  <--
                return Markup(html)
            """,
        ),
        good=(
            "return mark_safe('<b>new</b>')",
            "return format_html('<b>{}</b>', name)",
            "return mark_safe('<b>%s</b>' % escape(name))",
            "return Markup('<b>%s</b>') % name",
        ),
    ),
    Rule(
        id="python-json-declared-safe",
        languages=("python",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="JSON may hold </script>, which ends the script that it stands in: the rest is markup of the page.",
        suggestion="Use json_script, or escape <, > and & in the text.",
        needs=("mark_safe", "Markup"),
        hint=r"dumps\(|serialize\(",
        flow=Flow(
            sink=r"(^|\.)(mark_safe|Markup|SafeString|SafeText)$",
            text=r"^\0$",
            argument=0,
            source=r"\b(json\.dumps|dumps|serialize)\($",
            safe=r"(?i)escape|translate|replace|html",
        ),
        where="product",
        bad=(
            "return mark_safe(json.dumps(value))",
            """
            def to_json(value):
                result = json.dumps(value)
                return mark_safe(result)  <--
            """,
        ),
        good=(
            "return json.dumps(value)",
            "return mark_safe(json.dumps(value).replace('<', '\\u003c'))",
            "return mark_safe(json.dumps(value, cls=JSONEncoderForHTML))",
        ),
    ),
)
