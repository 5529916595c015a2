"""Values that become part of a query, a command, a path or a page."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.flow import Flow
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import SQL, SQL_SAFE

SOURCE = r"\b(params|cookies|request\.(headers|query_string|path))\b"
NUMBER = r"\.(to_i|to_f|id|size|length|count)$|^(Integer|Float)\("
QUOTED = r"(?i:shellescape|escape|quote|sanitize)"

RULES = (
    Rule(
        id="ruby-sql-injection",
        languages=("ruby",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A value is written into the text of a query: one that holds a quote changes what the query does.",
        suggestion="Pass values as arguments: where('name = ?', name) or where(name: name).",
        needs=("where", "find_by_sql", "execute", "query", "exec", "having", "select_all", "update_all", "delete_all"),
        flow=Flow(
            sink=r"(^|\.)(where|find_by_sql|execute|exec_query|exec|query|having|select_(all|one|rows|values?)|joins|"
            r"update_all|delete_all|count_by_sql|not)$",
            text=rf"{SQL}|\A\s*[\w.\"`]+\s*(?:=|<|>|<>|!=|\b(?:like|in)\b)\s*['\"(%]*\0|(?i:\band\b|\bor\b)[^=]{{0,80}}=\s*['\"]?\0",
            argument=0,
            safe=rf"{SQL_SAFE}|{NUMBER}|(?i:table_name|column_name|sanitize)",
        ),
        where="product",
        bad=(
            "User.where(\"name = '#{params[:name]}'\")",
            """
            def find(name)
              sql = "SELECT * FROM users WHERE name = '" + name + "'"  <--
              connection.execute(sql)
            end
            """,
        ),
        good=(
            "User.where('name = ?', params[:name])",
            "User.where(name: params[:name])",
            'User.where("id = #{params[:id].to_i}")',
            'connection.execute("SELECT * FROM #{quoted_table}")',
            'connection.execute("EXPLAIN #{statement}")',
            'logger.info("SELECT * FROM users WHERE name = #{name}")',
        ),
    ),
    Rule(
        id="ruby-shell-injection",
        languages=("ruby",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A shell runs a command line put together from values: one that holds a ; runs its own command.",
        suggestion="Pass the program and its arguments one by one, or use Shellwords.escape.",
        needs=("system", "exec", "spawn", "popen", "Open3", "capture"),
        flow=Flow(
            sink=r"^(Kernel\.)?(system|exec|spawn)$|^(IO\.popen|Open3\.(capture\w*|popen\w*|pipeline\w*))$",
            text=r"^[^\0]*[\w./-]+\s[^\0]*\0",
            argument=0,
            safe=rf"{QUOTED}|{NUMBER}|^[A-Z][A-Z0-9_]*$",
        ),
        where="product",
        bad=(
            'system("git log #{branch}")',
            """
            def remove(folder)
              command = "rm -rf " + folder  <--
              Open3.capture2(command)
            end
            """,
        ),
        good=(
            "system('git', 'log', branch)",
            "system('git log')",
            'system("git log #{Shellwords.escape(branch)}")',
        ),
    ),
    Rule(
        id="ruby-backticks-from-values",
        languages=("ruby",),
        severity=Severity.LOW,
        category=Category.SECURITY,
        message="A shell runs a command line put together from values: one that holds a ; runs its own command.",
        suggestion="Use Open3.capture2 with the program and its arguments one by one, or Shellwords.escape.",
        needs=("`", "%x"),
        hint=r"(`|%x.)[^`\n]*#\{",
        match={
            "kind": "subshell",
            "has": {
                "kind": "interpolation",
                "not": {"regex": r"(?i:escape|quote)|^#\{\s*[A-Z][A-Z0-9_]*\s*\}$|\.to_i|__dir__|__FILE__|Dir\.pwd"},
            },
        },
        where="product",
        bad=("log = `git log #{branch}`",),
        good=("log = `git log`", "log = `git log #{branch.shellescape}`", "text = `#{RUBY} -v`"),
    ),
    Rule(
        id="ruby-path-from-request",
        languages=("ruby",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A path is taken from the request: one that holds .. reaches any file of the server.",
        suggestion="Look names up in a list of what may be read, or use File.basename.",
        needs=("params", "cookies"),
        flow=Flow(
            sink=r"^(send_file|open)$|^(File|IO)\.(open|read|readlines|new|write|delete|binread)$|^FileUtils\.\w+$",
            text=r"\0",
            argument=0,
            source=SOURCE,
            safe=rf"File\.basename|{NUMBER}|(?i:sanitize)",
            unless=r"File\.basename|start_with|expand_path|(?i:valid|allowed|whitelist|sanitiz)|include\?",
        ),
        where="product",
        bad=(
            "send_file(params[:name])",
            """
            def show
              path = File.join(FOLDER, params[:name])
              render plain: File.read(path)  <--
            end
            """,
        ),
        good=("send_file(File.join(FOLDER, File.basename(params[:name])))", "File.read(path)"),
    ),
    Rule(
        id="ruby-markup-from-values",
        languages=("ruby",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Markup put together from values is declared safe: a value that holds a tag runs script in the page.",
        suggestion="Use content_tag or tag, which escape, or escape each value.",
        needs=("html_safe", "raw"),
        hint=r"#\{.*html_safe|html_safe|raw[\s(]",
        match={
            "any": [
                {
                    "kind": "call",
                    "all": [
                        {"has": {"field": "method", "regex": "^html_safe$"}},
                        {"has": {"field": "receiver", "kind": "string", "has": {"kind": "interpolation"}}},
                        {
                            "not": {
                                "has": {
                                    "field": "receiver",
                                    "regex": r"(?i)#\{[^}]*(escape|sanitize|\bh\b|_path|_url|tag|t\(|I18n)",
                                }
                            }
                        },
                    ],
                },
                {
                    "kind": "call",
                    "all": [
                        {"has": {"field": "method", "regex": "^raw$"}},
                        {"has": {"field": "arguments", "has": {"kind": "string", "has": {"kind": "interpolation"}}}},
                        {"not": {"has": {"field": "receiver", "regex": "."}}},
                        {"not": {"regex": r"(?i)escape|sanitize|\bh\("}},
                    ],
                },
            ]
        },
        where="product",
        bad=('"<b>#{user.name}</b>".html_safe', 'raw("<b>#{user.name}</b>")'),
        good=("'<b>new</b>'.html_safe", '"<b>#{h(user.name)}</b>".html_safe', "content_tag(:b, user.name)"),
    ),
    Rule(
        id="ruby-redirect-from-request",
        languages=("ruby",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="A link to this site can send visitors to any other, which looks like this one.",
        suggestion="Redirect to paths of this site only, or pass allow_other_host: false.",
        needs=("redirect_to",),
        hint=r"redirect_to[\s(]+params",
        match={
            "kind": "call",
            "all": [
                {"has": {"field": "method", "regex": "^redirect_to$"}},
                {"has": {"field": "arguments", "has": {"nthChild": 1, "regex": r"^params(\[|\.(fetch|require)\()"}}},
                {"not": {"regex": r"allow_other_host:\s*false"}},
            ],
        },
        where="product",
        bad=("redirect_to params[:return_to]",),
        good=("redirect_to user_path(params[:id])", "redirect_to params[:to], allow_other_host: false"),
    ),
)
