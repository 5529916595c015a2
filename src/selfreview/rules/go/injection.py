"""Values that become part of a query, a command, a path or a page."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.flow import Flow
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import BUILT, SQL, SQL_HINT, SQL_SAFE

REQUEST = r"\b(r|req|request)\.(URL\.|FormValue|PostFormValue|Form\b|PostForm\b|PathValue|Header\.Get|Cookie)"
CONTEXT = r"\b(c|ctx)\.(Query|Param|QueryParam|FormValue|PostForm|DefaultQuery|GetHeader)\("
SOURCE = rf"{REQUEST}|{CONTEXT}|\bmux\.Vars\("

RULES = (
    Rule(
        id="go-sql-injection",
        languages=("go",),
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
        languages=("go",),
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
        languages=("go",),
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
        languages=("go",),
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
        languages=("go",),
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
)
