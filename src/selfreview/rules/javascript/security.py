"""Injection into queries, commands, paths, pages and code; certificates, tokens and passwords."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.javascript import BUILT_TEXT, CONSTANT
from selfreview.rules.rule import BUILT, HTML, SQL, SQL_HINT, SQL_SAFE, Flow, Rule, call, chosen, node

REQUEST = r"\b(req|request|ctx\.request|ctx)\.(query|params|body|cookies|headers|url|originalUrl|path)\b"
NUMBER = r"^(Number|parseInt|parseFloat|\+|encodeURIComponent)\b"

RULES = (
    Rule(
        id="javascript-sql-injection",
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
    Rule(
        id="javascript-tls-verify-off",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Any certificate is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave verification on; pass the certificate of an authority of your own as ca.",
        needs=("rejectUnauthorized", "NODE_TLS_REJECT_UNAUTHORIZED", "strictSSL"),
        match={
            "any": [
                {"kind": "pair", "regex": r"^['\"]?(rejectUnauthorized|strictSSL)['\"]?\s*:\s*(false|!1)$"},
                {
                    "kind": "assignment_expression",
                    "regex": r"NODE_TLS_REJECT_UNAUTHORIZED['\"\]]*\s*=\s*['\"]?0"
                    r"|\.rejectUnauthorized\s*=\s*(false|!1)$",
                },
            ]
        },
        where="product",
        bad=(
            "const agent = new https.Agent({ rejectUnauthorized: false });",
            "const agent = new https.Agent({ rejectUnauthorized: !1 });",
            "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';",
        ),
        good=(
            "const agent = new https.Agent({ rejectUnauthorized: true });",
            "const off = process.env.NODE_TLS_REJECT_UNAUTHORIZED === '0';",
        ),
    ),
    Rule(
        id="javascript-jwt-unverified",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The token's signature is not checked: anybody can write one that says what they like.",
        suggestion="Verify with the key and the list of algorithms that are expected.",
        needs=("none", "ignoreExpiration"),
        hint=r"algorithms?['\"]?\s*:\s*\[?\s*['\"]none|ignoreExpiration\s*:\s*true",
        match={
            "kind": "pair",
            "regex": r"^['\"]?algorithms?['\"]?\s*:\s*\[?\s*['\"]none['\"]|^ignoreExpiration\s*:\s*true",
        },
        where="product",
        bad=(
            "jwt.verify(token, key, { algorithms: ['none'] });",
            "jwt.verify(token, key, { ignoreExpiration: true });",
        ),
        good=("jwt.verify(token, key, { algorithms: ['HS256'] });", "style({ display: 'none' });"),
    ),
    Rule(
        id="javascript-predictable-secret",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Math.random can be predicted from a few of its values, and so can this secret.",
        suggestion="Use crypto.randomBytes, crypto.randomUUID or crypto.getRandomValues.",
        needs=("Math.random",),
        match={
            "any": [
                node(
                    "variable_declarator",
                    {"not": chosen("value")},
                    name=r"(?i)(token|secret|password|passwd|otp|nonce|csrf|salt|api_?key|sessionid)$",
                    value=r"Math\.random\(\s*\)",
                ),
                node(
                    "assignment_expression",
                    {"not": chosen("right")},
                    left=r"(?i)(token|secret|password|passwd|otp|nonce|csrf|salt|api_?key|sessionid)$",
                    right=r"Math\.random\(\s*\)",
                ),
            ]
        },
        where="product",
        bad=("const token = Math.random().toString(36);", "user.resetToken = String(Math.random());"),
        good=(
            "const token = crypto.randomUUID();",
            "const index = Math.floor(Math.random() * 6);",
            "const token = tokens[Math.floor(Math.random() * tokens.length)];",
            "token = this.tokens[Math.floor(Math.random() * n)];",
        ),
    ),
    Rule(
        id="javascript-weak-password-hash",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A fast digest of a password is guessed at billions of tries a second.",
        suggestion="Use argon2, bcrypt or crypto.scrypt with a salt for each password.",
        needs=("createHash(", "md5(", "sha1("),
        hint=r"(?i)(createHash|md5|sha1)\((?s:.){0,500}passw",
        match={
            "any": [
                call(r"createHash\(\s*['\"](md5|sha1|sha256|sha512)['\"]\s*\)\.update$", {"regex": r"(?i)passw(or)?d"}),
                call(r"^(md5|sha1|sha256)$", {"regex": r"(?i)passw(or)?d"}),
            ]
        },
        where="product",
        bad=("const digest = crypto.createHash('md5').update(password).digest('hex');", "save(md5(user.password));"),
        good=(
            "const digest = crypto.createHash('sha256').update(content).digest('hex');",
            "bcrypt.hash(password, 12);",
        ),
    ),
    Rule(
        id="javascript-cors-any-with-credentials",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Any site may send requests with the visitor's cookies and read the answers.",
        suggestion="List the origins that may.",
        needs=("cors(",),
        match=call(
            r"^cors$",
            {
                "kind": "object",
                "all": [{"regex": r"\borigin\s*:\s*(true|['\"]\*['\"])"}, {"regex": r"\bcredentials\s*:\s*true"}],
            },
        ),
        where="product",
        bad=("app.use(cors({ origin: true, credentials: true }));",),
        good=("app.use(cors());", "app.use(cors({ origin: ORIGINS, credentials: true }));"),
    ),
    Rule(
        id="javascript-eval",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The text is run as code: who controls any part of it controls this page or process.",
        suggestion="Use JSON.parse for data, a table of functions for operations.",
        needs=("eval(", "new Function("),
        match={
            "any": [
                call(r"^((globalThis|window|global|self)\.)?eval$|^\(\s*0\s*,\s*eval\s*\)$", {"not": CONSTANT}),
                call("^Function$", kind="new_expression")
                | {
                    "has": {
                        "field": "arguments",
                        "has": {"nthChild": {"position": 1, "reverse": True}, "not": CONSTANT},
                    }
                },
            ]
        },
        where="product",
        bad=(
            "const value = eval(text);",
            "const f = new Function('a', body);",
            "eval(`run_${name}()`);",
            "window.eval(text);",
            "(0, eval)(text);",
        ),
        good=("const value = eval('1 + 1');", "model.eval(text);", "const f = new Function('return this');"),
    ),
    Rule(
        id="javascript-html-from-text",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Markup is put together from values without escaping: one that holds a tag runs script in the page.",
        suggestion="Set textContent, build elements, or sanitise the value first.",
        needs=("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", ".html("),
        flow=Flow(
            sink=r"\.(innerHTML|outerHTML)=$|\.insertAdjacentHTML$|^document\.write(ln)?$|\.html$",
            text=HTML,
            safe=r"(?i:escape|sanitiz|purify|encode|icon|svg|translat|i18n)|^(\$?t|_[_nx]+)\(|^(Number|parseInt|Math)\b|\.length$"
            r"|^(i|j|k|n|idx|index|count|width|height|size)$|^[A-Z][A-Z0-9_]*$|\.toFixed\(",
        ),
        where="product",
        bad=(
            "list.innerHTML = `<li>${name}</li>`;",
            """
            function show(title) {
              const html = '<b>' + title + '</b>';  <--
              document.write(html);
            }
            """,
            "row.insertAdjacentHTML('beforeend', '<td>' + user.name + '</td>');",
            "$('#list').html(`<li>${name}</li>`);",
        ),
        good=(
            "list.innerHTML = '';",
            "list.innerHTML = '<li>' + '</li>';",
            "list.textContent = `<li>${name}</li>`;",
            "list.innerHTML = `<li>${escapeHtml(name)}</li>`;",
            "list.innerHTML = `<li>${items.length}</li>`;",
            "const html = box.innerHTML;",
            "import logo from './vite.svg';\nbox.innerHTML = `<img src=\"${logo}\" />`;",
        ),
    ),
    Rule(
        id="javascript-timer-text",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="The timer evaluates text as code, built from values.",
        suggestion="Pass a function.",
        needs=("setTimeout(", "setInterval("),
        hint=r"set(Timeout|Interval)\(\s*['\"`]",
        match=call(r"^(window\.|global\.|globalThis\.)?set(Timeout|Interval)$", BUILT_TEXT),
        where="product",
        bad=("setTimeout('show(' + id + ')', 100);", "setInterval(`poll('${url}')`, 1000);"),
        good=("setTimeout(() => show(id), 100);", "setTimeout(show, 100);", "setTimeout('show()', 100);"),
    ),
    Rule(
        id="javascript-react-raw-html",
        languages=("javascript", "tsx"),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="React inserts the text as markup without escaping: a value that holds a tag runs script in the page.",
        suggestion="Render it as children, or sanitise it first (DOMPurify).",
        needs=("dangerouslySetInnerHTML",),
        match=node(
            "pair",
            {
                "has": {
                    "field": "value",
                    "any": [
                        BUILT_TEXT,
                        {"kind": "identifier", "regex": r"^(props|data|content|text|value|body|message|comment|bio)$"},
                        {
                            "kind": "member_expression",
                            "regex": r"(^|\.)(props|data|post|user|comment|message|query|params)\.|location\.",
                        },
                    ],
                }
            },
            {"not": {"regex": r"(?i)sanitiz|purify|escape|highlight|markdown|icon|svg|i18n|translat"}},
            {"inside": {"kind": "jsx_attribute", "regex": "^dangerouslySetInnerHTML", "stopBy": "end"}},
            key="^__html$",
        ),
        where="product",
        bad=(
            "const a = <div dangerouslySetInnerHTML={{ __html: comment.body }} />;",
            "const a = <p dangerouslySetInnerHTML={{ __html: `<b>${name}</b>` }} />;",
        ),
        good=(
            "const a = <div>{comment.body}</div>;",
            "const a = <div dangerouslySetInnerHTML={{ __html: DOMPurify.sanitize(comment.body) }} />;",
            "const a = <style dangerouslySetInnerHTML={{ __html: STYLES }} />;",
            "const a = <div dangerouslySetInnerHTML={{ __html: '<b>x</b>' }} />;",
        ),
    ),
    Rule(
        id="javascript-post-message-anywhere",
        severity=Severity.LOW,
        category=Category.SECURITY,
        message="Whatever page is in that window, of any site, receives the message.",
        suggestion="Name the origin that may receive it.",
        needs=("postMessage(",),
        match=call(r"\.postMessage$", {}, {"kind": "string", "regex": r"^['\"]\*['\"]$"}),
        where="product",
        bad=("frame.contentWindow.postMessage(token, '*');",),
        good=("frame.contentWindow.postMessage(token, 'https://example.org');", "worker.postMessage(data);"),
    ),
    Rule(
        id="javascript-unsafe-unserialize",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Loading this format can run code that the sender chose.",
        suggestion="Use JSON.parse, or a schema of plain values.",
        needs=("unserialize(", "serialize-javascript", "DEFAULT_FULL_SCHEMA", "runInThisContext", "runInNewContext"),
        match={
            "any": [
                call(r"(^|\.)(serialize|nodeSerialize|serializer)\.unserialize$"),
                {"kind": "member_expression", "regex": r"\.DEFAULT_FULL_SCHEMA$"},
                call(r"^vm\.runIn(This|New)Context$", {"any": [BUILT_TEXT, {"regex": r"^(req|request)\."}]}),
            ]
        },
        where="product",
        bad=("const user = serialize.unserialize(cookie);", "vm.runInNewContext(req.body.code);"),
        good=("const user = JSON.parse(cookie);", "vm.runInNewContext(source);", "php.unserialize(text);"),
    ),
)
