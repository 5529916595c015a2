"""Values that become part of a query, a command, a path or a page on the server."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.flow import Flow
from selfreview.rules.javascript._shapes import JS
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import BUILT, HTML, SQL, SQL_HINT, SQL_SAFE

REQUEST = r"\b(req|request|ctx\.request|ctx)\.(query|params|body|cookies|headers|url|originalUrl|path)\b"
NUMBER = r"^(Number|parseInt|parseFloat|\+|encodeURIComponent)\b"

RULES = (
    Rule(
        id="javascript-sql-injection",
        languages=JS,
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A value is written into the text of a query: one that holds a quote changes what the query does.",
        suggestion="Pass values as parameters, with placeholders in the query.",
        needs=("query", "execute", "raw", "exec(", "prepare", "all(", "get(", "run(", "Unsafe"),
        hint=SQL_HINT,
        flow=Flow(
            sink=r"(?i)(^|\.)(query\w*|execute\w*|\w*raw\w*|exec|prepare|all|get|run|each|one|any|none|many|\w*sql\w*)$",
            text=SQL,
            safe=rf"{SQL_SAFE}|{NUMBER}",
        ),
        where="product",
        bad=(
            "db.query(`SELECT * FROM users WHERE name = '${name}'`);",
            """
            async function find(id) {
              const sql = "SELECT * FROM users WHERE id = " + id;  <--
              return await pool.query(sql);
            }
            """,
        ),
        good=(
            "db.query('SELECT * FROM users WHERE name = ?', [name]);",
            "db.query(`SELECT * FROM ${TABLE} WHERE id = $1`, [id]);",
            "await sql`SELECT * FROM users WHERE name = ${name}`;",
            "console.log(`SELECT * FROM users WHERE name = '${name}'`);",
            "db.query(`SELECT * FROM users LIMIT ${Number(limit)}`);",
        ),
    ),
    Rule(
        id="javascript-shell-injection",
        languages=JS,
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A shell runs a command line put together from values: one that holds a ; runs its own command.",
        suggestion="Use execFile or spawn with a list of arguments.",
        needs=("exec(", "execSync(", "shelljs", "execAsync("),
        hint=r"exec(Sync|Async)?\(",
        flow=Flow(
            sink=r"(?i)^(await)?((child_?process|cp|childproc|shell|shelljs)\.)?exec(Sync|Async)?$",
            text=BUILT,
            argument=0,
            safe=rf"{SQL_SAFE}|{NUMBER}",
        ),
        where="product",
        bad=(
            "exec(`git log ${branch}`, done);",
            """
            function remove(folder) {
              const command = 'rm -rf ' + folder;  <--
              child_process.execSync(command);
            }
            """,
        ),
        good=(
            "execSync('git status');",
            "pattern.exec(`a${b}`);",
            "db.exec('PRAGMA ' + name);",
            "execFile('git', ['log', branch]);",
        ),
    ),
    Rule(
        id="javascript-path-from-request",
        languages=JS,
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A path is taken from the request: one that holds .. reaches any file of the server.",
        suggestion="Look names up in a list of what may be read, or check that the resolved path is inside the folder.",
        needs=("req.", "request.", "ctx."),
        hint=REQUEST,
        flow=Flow(
            sink=r"(^|\.)(readFile|readFileSync|createReadStream|writeFile|writeFileSync|unlink|unlinkSync|readdir|"
            r"sendFile|sendfile|download|rm|rmSync|createWriteStream)$",
            text=r"\0",
            argument=0,
            source=REQUEST,
            safe=rf"basename|(?i:sanitiz)|{NUMBER}",
            unless=r"basename|startsWith|normalize|resolve\(|includes\(['\"]\.\.|(?i:valid|allowed|whitelist|sanitiz)|root:",
        ),
        where="product",
        bad=(
            "app.get('/file', (req, res) => res.sendFile(req.query.name));",
            """
            function show(req, res) {
              const file = path.join(FOLDER, req.params.name);
              fs.readFile(file, done);  <--
            }
            """,
        ),
        good=(
            "app.get('/file', (req, res) => res.sendFile(req.query.name, { root: FOLDER }));",
            "fs.readFile(path.join(FOLDER, path.basename(req.params.name)), done);",
            "fs.readFile(name, done);",
        ),
    ),
    Rule(
        id="javascript-html-from-request",
        languages=JS,
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A page holds a value of the request as it came: one that holds a tag runs script in the browser.",
        suggestion="Render a template that escapes, or escape the value.",
        needs=("req.", "request.", "ctx."),
        hint=REQUEST,
        flow=Flow(
            sink=r"\.(send|write|end)$",
            text=HTML,
            argument=0,
            source=REQUEST,
            safe=rf"(?i)escape|sanitiz|encode|{NUMBER}|JSON\.stringify",
        ),
        where="product",
        bad=(
            "app.get('/', (req, res) => res.send('<h1>Hello ' + req.query.name + '</h1>'));",
            """
            function hello(req, res) {
              const name = req.query.name;
              res.send(`<h1>${name}</h1>`);  <--
            }
            """,
        ),
        good=(
            "app.get('/', (req, res) => res.send(`<h1>${escapeHtml(req.query.name)}</h1>`));",
            "app.get('/', (req, res) => res.send({ name: req.query.name }));",
            "app.get('/', (req, res) => res.render('hello', { name: req.query.name }));",
        ),
    ),
    Rule(
        id="javascript-open-redirect",
        languages=JS,
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="A link to this site can send visitors to any other, which looks like this one.",
        suggestion="Redirect to paths of this site only, or to a list of known addresses.",
        needs=("redirect(",),
        hint=REQUEST,
        flow=Flow(
            sink=r"\.redirect$",
            text=r"^\0",
            source=r"\b(req|request)\.(query|body)\b",
            safe=r"(?i)encodeURI|sanitiz|safe|session",
            unless=r"startsWith|(?i:valid|allowed|whitelist|isSafe|isLocal|sameOrigin|new URL)",
        ),
        where="product",
        bad=("app.get('/go', (req, res) => res.redirect(req.query.url));",),
        good=(
            "app.get('/go', (req, res) => res.redirect('/home?from=' + req.query.url));",
            "app.get('/go', (req, res) => res.redirect(req.originalUrl));",
        ),
    ),
)
