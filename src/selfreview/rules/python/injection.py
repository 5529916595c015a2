"""Values that become part of a query or a command."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.flow import Flow
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import BUILT, COMMAND, SQL, SQL_HINT, SQL_NUMBER

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

RULES = (
    Rule(
        id="python-sql-injection",
        languages=("python",),
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
        languages=("python",),
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
        languages=("python",),
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
        languages=("python",),
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
        languages=("python",),
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
        languages=("python",),
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
        languages=("python",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="A command line is put together from values as one text: a value with a space or a ; changes it.",
        suggestion="Pass a list of arguments, or quote each value with shlex.quote.",
        needs=("run(", "execute(", "call(", "check_output(", "open(", "local(", "sudo(", "spawn("),
        hint=r"['\"]\s*[\w./~$][\w./-]*\s(.*\s)?--?[a-z]",
        flow=Flow(
            sink=HELPER_SINK,
            text=rf"{COMMAND}\s(?:(?:.*\s)?--?[a-z].*\0|.*\0.*\s--?[a-z])",
            argument=0,
            safe=QUOTED,
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
)
