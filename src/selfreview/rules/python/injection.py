"""Values that become part of a query, a command, a path or a page."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import BUILT, COMMAND, HTML, SQL, SQL_HINT, SQL_NUMBER, Flow, Rule

SQL_SINK = (
    r"(?i)(exec\w*|\w*quer\w*|\w*sql\w*|raw|extra|fetch\w*|select\w*|insert\w*|update\w*|delete\w*|run|cursor\w*|get_\w+)$"
    r"|(^|[._])(db|database|conn|connection|cur|cursor)\.\w+$"
)
SHELL = r"(^|\.)(os\.system|os\.popen|popen2?|getoutput|getstatusoutput|create_subprocess_shell)$"
SUBPROCESS = r"(^|\.)(Popen|call|check_call|check_output|run)$"
COMMAND_SINK = (
    r"(?i)(^|[._])\w*(ssh|cli|cmd|command|shell|adb)(_?(run|exec\w*|call|cmd|command|output))?(['\"]\])?$|"
    r"(^|[._])(run|exec\w*|call|check_output|check_call|spawn|getoutput|popen|async_run)_?(ssh|cli|cmd|command|shell|adb)\w*$"
    r"|['\"]cmd\.(run\w*|exec\w*)['\"]\]$"
)
COMMAND_HINT = (
    r"(?:ssh|cli|cmd|command|shell|adb)(?:_?(?:run|exec\w*|call|cmd|command|output))?\w?['\"\]]*\(|cmd\.\w+['\"]"
)
HELPER_SINK = r"(^|[._])_?(run|execute|call|check_output|check_call|popen|Popen|local|sudo|spawn|async_run)$"
QUOTED = r"(?i)\bquote|escape|^(int|float|len|bool|id|round)\("

REQUEST = (
    r"\brequest\.(args|form|values|GET|POST|FILES|files|data|json|params|query_params|cookies|headers|query|path_params|"
    r"match_info|matchdict|get_json|get_data|path|url|full_path|body|stream)\b|\bself\.get_(query_|body_)?arguments?\("
)

RULES = (
    Rule(
        id="python-sql-injection",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A value is written into the text of a query: one that holds a quote changes what the query does.",
        suggestion="Pass values as parameters of the call, with placeholders in the query.",
        needs=("execute", "exec", "quer", "sql", "raw", "SQL", "fetch"),
        hint=SQL_HINT,
        flow=Flow(
            sink=SQL_SINK,
            text=SQL,
            safe=r"^(int|float|len|bool|id|round)\(|^[A-Z][A-Z0-9_]*$|(?i:quote|escape|placeholder)|\bjoin\(.*['\"][?%]|['\"](\?|%s)['\"]\s*\*",
        ),
        where="product",
        bad=(
            """
            def find(cursor, name):
                cursor.execute("SELECT * FROM users WHERE name = '%s'" % name)  <--
            """,
            """
            def find(self, name):
                query = f"SELECT * FROM users WHERE name = '{name}'"  <--
                return self.db.execute(query)
            """,
            """
            def find(cursor, name):
                query = "SELECT * FROM users"
                query += " WHERE name = '{}'".format(name)  <--
                cursor.execute(query)
            """,
        ),
        good=(
            """
            def find(cursor, name):
                cursor.execute("SELECT * FROM users WHERE name = %s", (name,))
            """,
            """
            def count(cursor, table):
                cursor.execute(f"SELECT COUNT(*) FROM {table} WHERE id = %s", (1,))
            """,
            """
            def find(cursor, ids):
                marks = ",".join(["%s"] * len(ids))
                cursor.execute(f"SELECT * FROM users WHERE id IN ({marks})", ids)
            """,
            """
            def page(cursor, number):
                number = int(number)
                cursor.execute("SELECT * FROM users LIMIT %s" % number)
            """,
            """
            def log(name):
                logger.info("SELECT * FROM users WHERE name = '%s'" % name)
            """,
        ),
    ),
    Rule(
        id="python-sql-number-in-text",
        severity=Severity.LOW,
        category=Category.SECURITY,
        message="A number is written into the text of a query; the next edit that makes it text opens an injection.",
        suggestion="Pass values as parameters of the call, with placeholders in the query.",
        needs=("%d", "%i"),
        hint=SQL_HINT,
        flow=Flow(sink=SQL_SINK, text=SQL_NUMBER),
        where="product",
        bad=("cursor.execute('SELECT * FROM games WHERE id = %d' % number)",),
        good=("cursor.execute('SELECT * FROM games WHERE id = %s', (number,))", "print('select %d from it' % number)"),
    ),
    Rule(
        id="python-shell-injection",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A shell runs a command line put together from values: one that holds a ; runs its own command.",
        suggestion="Run the program with a list of arguments without a shell, or quote each value with shlex.quote.",
        needs=("os.system", "popen", "Popen", "shell=True", "getoutput", "getstatusoutput", "create_subprocess_shell"),
        flow=Flow(sink=SHELL, text=BUILT, argument=0, safe=QUOTED),
        where="product",
        bad=(
            "os.system('convert %s out.png' % name)",
            """
            def clone(url):
                command = f"git clone {url}"  <--
                return os.popen(command).read()
            """,
        ),
        good=(
            "os.system('convert in.png out.png')",
            "os.system('convert ' + shlex.quote(name))",
            "os.system(f'exit {int(code)}')",
            "subprocess.run(['convert', name])",
        ),
    ),
    Rule(
        id="python-subprocess-shell-injection",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A shell runs a command line put together from values: one that holds a ; runs its own command.",
        suggestion="Give a list of arguments without shell=True, or quote each value with shlex.quote.",
        needs=("shell=True", "shell = True"),
        flow=Flow(sink=SUBPROCESS, text=BUILT, argument=0, safe=QUOTED, when=r"\bshell\s*=\s*(True|1)\b"),
        where="product",
        bad=(
            "subprocess.run('convert %s out.png' % name, shell=True)",
            """
            def clone(url):
                command = "git clone {}".format(url)  <--
                subprocess.check_call(command, shell=True)
            """,
        ),
        good=(
            "subprocess.run('ls | wc -l', shell=True)",
            "subprocess.run(['convert', f'{name}.png'])",
            "subprocess.run(f'convert {shlex.quote(name)}', shell=True)",
            """
            command = f"git clone {url}"
            print(command)
            subprocess.run(["git", "clone", url], shell=False)
            """,
        ),
    ),
    Rule(
        id="python-shell-variable",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="A shell runs whatever text this variable holds, not one program with arguments.",
        suggestion="Take a list of arguments and run it without a shell.",
        needs=("shell=True", "shell = True"),
        flow=Flow(sink=SUBPROCESS, text=r"^\0$", argument=0, safe=QUOTED, when=r"\bshell\s*=\s*(True|1)\b"),
        where="product",
        bad=(
            """
            def run(command):
                return subprocess.check_output(command, shell=True)  <--
            """,
        ),
        good=(
            """
            def run(arguments):
                return subprocess.check_output(arguments)
            """,
            """
            COMMAND = "ls | wc -l"
            def run():
                return subprocess.check_output(COMMAND, shell=True)
            """,
        ),
    ),
    Rule(
        id="python-command-line-from-values",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="A command line is put together from values as one text: a value with a space or a ; changes it.",
        suggestion="Pass a list of arguments, or quote each value with shlex.quote.",
        needs=("ssh", "cli", "cmd", "command", "shell", "adb"),
        hint=COMMAND_HINT,
        flow=Flow(sink=COMMAND_SINK, text=rf"{COMMAND}\s.*\0", argument=0, safe=QUOTED),
        where="product",
        bad=(
            """
            def remove(self, volume):
                command = "rmvdisk -force %s" % volume  <--
                return self._run_ssh(command)
            """,
            "self.run_command(f'docker rm {name}')",
        ),
        good=(
            """
            def remove(self, volume):
                return self._run_ssh(["rmvdisk", "-force", volume])
            """,
            "self.run_command('docker ps')",
            "self.shell.write(f'hello {name}')",
            "connection.run_query(f'select {name}')",
        ),
    ),
    Rule(
        id="python-options-from-values",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="A command line is put together from values as one text: a value with a space or a ; changes it.",
        suggestion="Pass a list of arguments, or quote each value with shlex.quote.",
        needs=("run(", "execute(", "call(", "check_output(", "open(", "local(", "sudo(", "spawn("),
        hint=r"['\"]\s*[\w./~$][\w./-]*\s(.*\s)?--?[a-z]",
        flow=Flow(
            sink=HELPER_SINK, text=rf"{COMMAND}\s(?:(?:.*\s)?--?[a-z].*\0|.*\0.*\s--?[a-z])", argument=0, safe=QUOTED
        ),
        where="product",
        bad=(
            """
            def pods(host, name):
                command = "kubectl exec -ti {0} sh".format(name)  <--
                return host.run(command)
            """,
        ),
        good=(
            "host.run('kubectl exec -ti %s sh', name)",
            "model.run(f'step {name}')",
            "jobs.call('report - %s' % name)",
        ),
    ),
    Rule(
        id="python-path-from-request",
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
