"""Values that become part of a query, a command, a path or a page."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.flow import Flow
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import HTML, SQL, SQL_HINT, SQL_SAFE

SOURCE = r"\b(request|req|httpRequest)\.(getParameter\w*|getHeader|getQueryString|getPathInfo|getCookies)\("
NUMBER = r"^(Integer|Long|Double|Short|Boolean|UUID)\.|\.(ordinal|length|size)\(\s*\)$"

RULES = (
    Rule(
        id="java-sql-injection",
        languages=("java",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A value is written into the text of a query: one that holds a quote changes what the query does.",
        suggestion="Use a PreparedStatement with placeholders, or named parameters.",
        needs=("execute", "Query", "prepareStatement", "query", "update("),
        hint=SQL_HINT,
        flow=Flow(
            sink=r"\.(execute\w*|prepare\w*|create\w*Query|createSQLQuery|query\w*|update|rawQuery|execSQL|addBatch)$",
            text=SQL,
            safe=rf"{SQL_SAFE}|{NUMBER}",
        ),
        where="product",
        bad=(
            'ResultSet rows = statement.executeQuery("SELECT * FROM users WHERE name = \'" + name + "\'");',
            """
            class Store {
                void find(String name) {
                    String sql = String.format("SELECT * FROM users WHERE name = '%s'", name);  <--
                    connection.createStatement().execute(sql);
                }
            }
            """,
        ),
        good=(
            'PreparedStatement s = connection.prepareStatement("SELECT * FROM users WHERE name = ?");',
            'statement.executeQuery("SELECT * FROM " + TABLE + " WHERE active");',
            'statement.executeQuery("SELECT * FROM users WHERE id = " + Integer.parseInt(id));',
            'log.info("SELECT * FROM users WHERE name = \'" + name + "\'");',
        ),
    ),
    Rule(
        id="java-command-injection",
        languages=("java",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A command line is put together from values as one text: a value with a space adds arguments.",
        suggestion="Use ProcessBuilder with a list of arguments.",
        needs=(".exec(", "ProcessBuilder("),
        flow=Flow(
            sink=r"(?i)(runtime\(\s*\)|runtime|rt)\.exec$|^newProcessBuilder$",
            text=r"^[^\0]*\s[^\0]*\0|\0[^\0]*\s",
            safe=rf"(?i:quote|escape)|{NUMBER}|^[A-Z][A-Z0-9_]*$",
        ),
        where="product",
        bad=(
            'Runtime.getRuntime().exec("git log " + branch);',
            'new ProcessBuilder("sh", "-c", "git log " + branch).start();',
        ),
        good=(
            'new ProcessBuilder("git", "log", branch).start();',
            'Runtime.getRuntime().exec(new String[] {"git", "log", branch});',
            'Runtime.getRuntime().exec("git log");',
        ),
    ),
    Rule(
        id="java-path-from-request",
        languages=("java",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A path is taken from the request: one that holds .. reaches any file of the server.",
        suggestion="Normalise the path and check that it starts with the folder, or look names up in a list.",
        needs=("getParameter", "getHeader", "getPathInfo"),
        flow=Flow(
            sink=r"^new(java\.io\.)?(File|FileInputStream|FileReader|FileOutputStream|FileWriter)$|^(Paths\.get|Path\.of)$",
            text=r"\0",
            source=SOURCE,
            safe=rf"getName\(|{NUMBER}",
            unless=r"normalize\(|getCanonicalPath|startsWith|contains\(\"\.\.\"|FilenameUtils|(?i:valid|allowed|sanitiz)",
        ),
        where="product",
        bad=(
            """
            class Show {
                void doGet(HttpServletRequest request, HttpServletResponse response) {
                    String name = request.getParameter("name");
                    File file = new File(FOLDER, name);  <--
                    copy(file, response);
                }
            }
            """,
        ),
        good=(
            """
            class Show {
                void doGet(HttpServletRequest request, HttpServletResponse response) {
                    String name = FilenameUtils.getName(request.getParameter("name"));
                    copy(new File(FOLDER, name), response);
                }
            }
            """,
            "File file = new File(folder, name);",
        ),
    ),
    Rule(
        id="java-html-from-request",
        languages=("java",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A page holds a value of the request as it came: one that holds a tag runs script in the browser.",
        suggestion="Render a template that escapes, or encode the value.",
        needs=("getParameter", "getHeader", "getQueryString"),
        flow=Flow(
            sink=r"\.(println|print|write|append)$",
            text=HTML,
            source=SOURCE,
            safe=rf"(?i:escape|encode|sanitiz)|{NUMBER}",
            when=r"(?i)writer|response|^out\.",
        ),
        where="product",
        bad=('response.getWriter().println("<h1>Hello " + request.getParameter("name") + "</h1>");',),
        good=(
            'response.getWriter().println("<h1>" + Encode.forHtml(request.getParameter("name")) + "</h1>");',
            'response.getWriter().println("<h1>Hello</h1>");',
        ),
    ),
)
