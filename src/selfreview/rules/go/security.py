"""Injection into queries, commands, paths and pages; checks that are off, and secrets that can be guessed."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import BUILT, SQL, SQL_HINT, SQL_SAFE, Flow, Rule, call, chosen, node

REQUEST = r"\b(r|req|request)\.(URL\.|FormValue|PostFormValue|Form\b|PostForm\b|PathValue|Header\.Get|Cookie)"
CONTEXT = r"\b(c|ctx)\.(Query|Param|QueryParam|FormValue|PostForm|DefaultQuery|GetHeader)\("
SOURCE = rf"{REQUEST}|{CONTEXT}|\bmux\.Vars\("

RULES = (
    Rule(
        id="go-sql-injection",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A value is written into the text of a query: one that holds a quote changes what the query does.",
        suggestion="Pass values as arguments, with placeholders in the query.",
        needs=(".Query", ".Exec", ".Raw(", ".Prepare", ".Get(", ".Select(", ".QueryRow"),
        hint=SQL_HINT,
        flow=Flow(
            sink=r"\.(Query\w*|Exec\w*|Raw|Prepare\w*|MustExec|NamedExec|Get|Select|Where)$",
            text=SQL,
            safe=rf"{SQL_SAFE}|^(strconv|int|int64|uint|len)\b",
        ),
        where="product",
        bad=(
            'rows, err := db.Query("SELECT * FROM users WHERE name = \'" + name + "\'")',
            """
            func find(db *sql.DB, name string) {
                query := fmt.Sprintf("SELECT * FROM users WHERE name = '%s'", name)  <--
                db.QueryRow(query)
            }
            """,
        ),
        good=(
            'rows, err := db.Query("SELECT * FROM users WHERE name = ?", name)',
            'rows, err := db.Query(fmt.Sprintf("SELECT * FROM %s WHERE id = ?", table), id)',
            "log.Printf(\"SELECT * FROM users WHERE name = '%s'\", name)",
            'rows, err := db.Query("SELECT * FROM users LIMIT " + strconv.Itoa(limit))',
        ),
    ),
    Rule(
        id="go-shell-injection",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A shell runs a command line put together from values: one that holds a ; runs its own command.",
        suggestion="Run the program itself with exec.Command and its arguments.",
        needs=('"-c"', '"/c"', '"/C"'),
        flow=Flow(
            sink=r"\bexec\.Command(Context)?$",
            text=BUILT,
            safe=r"(?i:quote|escape)|^strconv\.|^[A-Z][A-Z0-9_]*$",
            when=r"\"(-c|/c|/C)\"",
        ),
        where="product",
        bad=(
            'cmd := exec.Command("sh", "-c", "git log " + branch)',
            """
            func clone(url string) error {
                line := fmt.Sprintf("git clone %s", url)  <--
                return exec.Command("bash", "-c", line).Run()
            }
            """,
        ),
        good=(
            'cmd := exec.Command("git", "log", branch)',
            'cmd := exec.Command("sh", "-c", "ls | wc -l")',
            'cmd := exec.Command("git", "log", name+".txt")',
        ),
    ),
    Rule(
        id="go-path-from-request",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A path is taken from the request: one that holds .. reaches any file of the server.",
        suggestion="Open it through os.Root, or accept only filepath.IsLocal names.",
        needs=("os.Open", "os.ReadFile", "os.Create", "os.Remove", "ReadFile(", "ServeFile("),
        hint=SOURCE,
        flow=Flow(
            sink=r"^(os\.(Open|OpenFile|ReadFile|Create|Remove|RemoveAll|WriteFile)|ioutil\.ReadFile)$|\.(File|SendFile)$",
            text=r"\0",
            argument=0,
            source=SOURCE,
            safe=r"filepath\.Base|path\.Base|strconv\.|uuid\.",
            unless=r"HasPrefix|IsLocal|filepath\.Clean|path\.Clean|filepath\.Base|path\.Base|SecureJoin|\"\.\.\"|(?i:valid|allowed)",
        ),
        where="product",
        bad=(
            """
            func show(w http.ResponseWriter, r *http.Request) {
                name := r.URL.Query().Get("name")
                data, err := os.ReadFile(filepath.Join(folder, name))  <--
                serve(w, data, err)
            }
            """,
        ),
        good=(
            """
            func show(w http.ResponseWriter, r *http.Request) {
                name := filepath.Base(r.URL.Query().Get("name"))
                data, err := os.ReadFile(filepath.Join(folder, name))
                serve(w, data, err)
            }
            """,
            """
            func load(name string) ([]byte, error) {
                return os.ReadFile(name)
            }
            """,
        ),
    ),
    Rule(
        id="go-html-from-request",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A page holds a value of the request as it came: one that holds a tag runs script in the browser.",
        suggestion="Use html/template, or html.EscapeString.",
        needs=("Fprint", ".Write(", "WriteString("),
        hint=SOURCE,
        flow=Flow(
            sink=r"\.(Fprintf?|Fprintln|Write|WriteString)$",
            text=r"(?s)<\w[^>]*>?.*\0|\0.*</\w|^\0$",
            source=SOURCE,
            safe=r"EscapeString|QueryEscape|PathEscape|strconv\.|json\.|^w$",
            when=r"^fmt\.|<",
            unless=r"text/plain|application/json|EscapeString",
        ),
        where="product",
        bad=(
            """
            func hello(w http.ResponseWriter, r *http.Request) {
                fmt.Fprint(w, "<h1>Hello "+r.FormValue("name")+"</h1>")  <--
            }
            """,
        ),
        good=(
            """
            func hello(w http.ResponseWriter, r *http.Request) {
                fmt.Fprint(w, "<h1>Hello "+html.EscapeString(r.FormValue("name"))+"</h1>")
            }
            """,
            """
            func hello(w http.ResponseWriter, r *http.Request) {
                fmt.Fprint(os.Stderr, "asked for", r.Method)
            }
            """,
        ),
    ),
    Rule(
        id="go-template-html-cast",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Markup put together from values is declared safe: a value that holds a tag runs script in the page.",
        suggestion="Let the template build the markup and escape the values.",
        needs=("template.HTML(", "template.JS("),
        flow=Flow(
            sink=r"^template\.(HTML|JS|HTMLAttr)$",
            text=BUILT,
            safe=r"(?i:escape|sanitiz|policy|marshal)|^(strconv|len)\b|^[A-Z][A-Z0-9_]*$",
        ),
        where="product",
        bad=('page.Title = template.HTML("<b>" + name + "</b>")',),
        good=(
            'page.Title = template.HTML("<b>new</b>")',
            'page.Title = template.HTML("<b>" + template.HTMLEscapeString(name) + "</b>")',
            "page.Body = template.HTML(rendered)",
        ),
    ),
    Rule(
        id="go-tls-verify-off",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Any certificate is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave verification on; set RootCAs for an authority of your own.",
        needs=("InsecureSkipVerify",),
        match={
            "any": [
                {"kind": "keyed_element", "regex": r"^InsecureSkipVerify:\s*true$"},
                {"kind": "assignment_statement", "regex": r"\.InsecureSkipVerify\s*=\s*true$"},
            ]
        },
        where="product",
        bad=("config := &tls.Config{InsecureSkipVerify: true}", "config.InsecureSkipVerify = true"),
        good=("config := &tls.Config{InsecureSkipVerify: false}", "config.InsecureSkipVerify = options.Insecure"),
    ),
    Rule(
        id="go-ssh-any-host-key",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="An unknown server is trusted without question, so that one in the middle is never noticed.",
        suggestion="Use knownhosts.New or ssh.FixedHostKey.",
        needs=("InsecureIgnoreHostKey",),
        match=call(r"^ssh\.InsecureIgnoreHostKey$"),
        where="product",
        bad=("config.HostKeyCallback = ssh.InsecureIgnoreHostKey()",),
        good=("config.HostKeyCallback = ssh.FixedHostKey(key)",),
    ),
    Rule(
        id="go-jwt-unverified",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The token's signature is not checked: anybody can write one that says what they like.",
        suggestion="Use Parse with a key function that checks the algorithm.",
        needs=("ParseUnverified", "UnsafeAllowNoneSignatureType"),
        match={
            "any": [
                call(r"\.ParseUnverified$"),
                {"kind": "selector_expression", "regex": r"\.UnsafeAllowNoneSignatureType$"},
            ]
        },
        where="product",
        bad=("token, _, err := parser.ParseUnverified(text, claims)", "key := jwt.UnsafeAllowNoneSignatureType"),
        good=("token, err := parser.Parse(text, keyFunc)",),
    ),
    Rule(
        id="go-weak-password-hash",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A fast digest of a password is guessed at billions of tries a second.",
        suggestion="Use argon2, bcrypt or scrypt with a salt for each password.",
        needs=("md5.", "sha1.", "sha256.", "sha512."),
        hint=r"(?i)(md5|sha\d+)\.Sum\w*\((?s:.){0,500}passw",
        match=call(r"^(md5|sha1|sha256|sha512)\.Sum\w*$", {"regex": r"(?i)passw(or)?d"}),
        where="product",
        bad=("digest := md5.Sum([]byte(password))",),
        good=("digest := sha256.Sum256(content)", "digest, err := bcrypt.GenerateFromPassword([]byte(password), 12)"),
    ),
    Rule(
        id="go-predictable-secret",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="math/rand can be predicted, and so can this secret.",
        suggestion="Use crypto/rand.",
        needs=("math/rand",),
        match=node(
            "short_var_declaration",
            {"not": chosen("right")},
            left=r"(?i)(token|secret|password|otp|nonce|salt|apikey|sessionid)$",
            right=r"\brand\.(Int|Read|Perm|Uint|Float)",
        ),
        where="product",
        bad=(
            """
            import "math/rand"
            func f() {
                token := rand.Int63()  <--
                use(token)
            }
            """,
        ),
        good=(
            """
            import "crypto/rand"
            func f() {
                token := rand.Int(rand.Reader, limit)
                use(token)
            }
            """,
            """
            import "math/rand"
            func f(tokens []string) {
                token := tokens[rand.Intn(len(tokens))]
                use(token)
            }
            """,
        ),
    ),
    Rule(
        id="go-world-writable",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Every user of the machine may change this file.",
        suggestion="Give only the rights that are needed, such as 0o755 or 0o600.",
        needs=("0777", "0o777", "0666", "0o666"),
        match=node(
            "call_expression",
            {"has": {"field": "arguments", "has": {"kind": "int_literal", "regex": r"^0o?(777|666)$"}}},
            function=r"^(os|ioutil)\.(WriteFile|Chmod)$",
        ),
        where="product",
        bad=("os.Chmod(path, 0777)", "os.WriteFile(path, data, 0o666)"),
        good=("os.WriteFile(path, data, 0o644)", "os.MkdirAll(path, 0o777)"),
    ),
)
