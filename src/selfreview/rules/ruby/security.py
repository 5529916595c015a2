"""Injection into queries, commands, paths and pages; calls that trust what they are given; checks that are off."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import SQL, SQL_SAFE, Flow, Rule, chosen, node

SOURCE = r"\b(params|cookies|request\.(headers|query_string|path))\b"
NUMBER = r"\.(to_i|to_f|id|size|length|count)$|^(Integer|Float)\("
QUOTED = r"(?i:shellescape|escape|quote|sanitize)"

RULES = (
    Rule(
        id="ruby-sql-injection",
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
        good=("system('git', 'log', branch)", "system('git log')", 'system("git log #{Shellwords.escape(branch)}")'),
    ),
    Rule(
        id="ruby-backticks-from-values",
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
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Markup put together from values is declared safe: a value that holds a tag runs script in the page.",
        suggestion="Use content_tag or tag, which escape, or escape each value.",
        needs=("html_safe", "raw"),
        hint=r"#\{.*html_safe|html_safe|raw[\s(]",
        match={
            "any": [
                node(
                    "call",
                    {"has": {"field": "receiver", "kind": "string", "has": {"kind": "interpolation"}}},
                    {
                        "not": {
                            "has": {
                                "field": "receiver",
                                "regex": r"(?i)#\{[^}]*(escape|sanitize|\bh\b|_path|_url|tag|t\(|I18n)",
                            }
                        }
                    },
                    method="^html_safe$",
                ),
                node(
                    "call",
                    {"has": {"field": "arguments", "has": {"kind": "string", "has": {"kind": "interpolation"}}}},
                    {"not": {"has": {"field": "receiver", "regex": "."}}},
                    {"not": {"regex": r"(?i)escape|sanitize|\bh\("}},
                    method="^raw$",
                ),
            ]
        },
        where="product",
        bad=('"<b>#{user.name}</b>".html_safe', 'raw("<b>#{user.name}</b>")'),
        good=("'<b>new</b>'.html_safe", '"<b>#{h(user.name)}</b>".html_safe', "content_tag(:b, user.name)"),
    ),
    Rule(
        id="ruby-redirect-from-request",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="A link to this site can send visitors to any other, which looks like this one.",
        suggestion="Redirect to paths of this site only, or pass allow_other_host: false.",
        needs=("redirect_to",),
        hint=r"redirect_to[\s(]+params",
        match=node(
            "call",
            {"has": {"field": "arguments", "has": {"nthChild": 1, "regex": r"^params(\[|\.(fetch|require)\()"}}},
            {"not": {"regex": r"allow_other_host:\s*false"}},
            method="^redirect_to$",
        ),
        where="product",
        bad=("redirect_to params[:return_to]",),
        good=("redirect_to user_path(params[:id])", "redirect_to params[:to], allow_other_host: false"),
    ),
    Rule(
        id="ruby-eval",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The text is run as Ruby: who controls any part of it controls this process.",
        suggestion="Use a table of operations, public_send with a checked name, or define_method.",
        needs=("eval", "send(params", "send params", "constantize"),
        hint=r"\beval[\s(]|(send|_eval)[\s(]\s*params|params(?s:.){0,500}constantize",
        match={
            "any": [
                node(
                    "call",
                    {
                        "has": {
                            "field": "arguments",
                            "has": {
                                "nthChild": 1,
                                "not": {"kind": "string", "not": {"has": {"kind": "interpolation"}}},
                            },
                        }
                    },
                    {"not": {"has": {"field": "receiver", "not": {"regex": "^(Kernel|binding)$"}}}},
                    method="^eval$",
                ),
                node(
                    "call",
                    {"has": {"field": "arguments", "has": {"nthChild": 1, "regex": r"^params\b"}}},
                    method="^((public_)?send|(instance|class|module)_eval)$",
                ),
                {"kind": "call", "regex": r"^params[\[.].*\.(safe_)?constantize$"},
            ]
        },
        where="product",
        bad=(
            "value = eval(text)",
            "user.send(params[:field])",
            "user.instance_eval(params[:q])",
            "params[:kind].constantize",
        ),
        good=(
            "value = eval('1 + 1')",
            "user.public_send(:name)",
            "redis.eval(script)",
            "user.instance_eval(code)",
            "'User'.constantize",
        ),
    ),
    Rule(
        id="ruby-unsafe-load",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Loading this builds any object that the sender names, which runs code.",
        suggestion="Use JSON.parse or YAML.safe_load.",
        needs=("unsafe_load", "Marshal.load", "YAML.load"),
        match={
            "any": [
                {"kind": "call", "regex": r"^(YAML|Psych)\.unsafe_load(_file)?[\s(]"},
                {
                    "kind": "call",
                    "regex": r"(?s)^(Marshal|YAML|Psych)\.load[\s(].*"
                    r"(\bparams\b|\bcookies\b|request\.|Base64\.|decode64)",
                },
            ]
        },
        where="product",
        bad=("data = YAML.unsafe_load(text)", "data = Marshal.load(Base64.decode64(cookies[:state]))"),
        good=(
            "data = YAML.safe_load(text)",
            "data = Marshal.load(Marshal.dump(value))",
            "data = YAML.load(File.read(path))",
        ),
    ),
    Rule(
        id="ruby-tls-verify-off",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Any certificate is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave verification on; set ca_file for an authority of your own.",
        needs=("VERIFY_NONE", "verify: false", "verify_ssl: false", "ssl_verify"),
        match={
            "any": [
                {"kind": "scope_resolution", "regex": r"SSL::VERIFY_NONE$"},
                {"kind": "pair", "regex": r"^(verify_ssl|ssl_verify):\s*false$"},
                {
                    "kind": "pair",
                    "regex": r"^verify:\s*false$",
                    "inside": {
                        "kind": "argument_list",
                        "inside": {"kind": "call", "regex": r"^(HTTParty|Faraday|Excon)\b"},
                    },
                },
                {
                    "kind": "pair",
                    "regex": r"^verify:\s*false$",
                    "inside": {"kind": "hash", "inside": {"kind": "pair", "regex": r"^ssl:"}},
                },
            ]
        },
        where="product",
        bad=("http.verify_mode = OpenSSL::SSL::VERIFY_NONE", "HTTParty.get(url, verify: false)"),
        good=("http.verify_mode = OpenSSL::SSL::VERIFY_PEER", "form.check(name, verify: false)"),
    ),
    Rule(
        id="ruby-csrf-off",
        severity=Severity.LOW,
        category=Category.SECURITY,
        message="Another site can make a visitor's browser send these requests with the visitor's rights.",
        suggestion="Keep the check, or authenticate the caller by a token.",
        needs=("verify_authenticity_token",),
        match={"kind": "call", "regex": r"^skip_before_(action|filter)[ (]+:verify_authenticity_token"},
        where="product",
        bad=("skip_before_action :verify_authenticity_token",),
        good=("before_action :verify_authenticity_token",),
    ),
    Rule(
        id="ruby-permit-everything",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Every attribute that the sender names is set, such as admin.",
        suggestion="Permit the attributes by name.",
        needs=("permit!",),
        match={"kind": "call", "regex": r"(?s)^params\b.*\.permit!$"},
        where="product",
        bad=("User.new(params.require(:user).permit!)",),
        good=("User.new(params.require(:user).permit(:name))",),
    ),
    Rule(
        id="ruby-weak-password-hash",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A fast digest of a password is guessed at billions of tries a second.",
        suggestion="Use bcrypt or Argon2.",
        needs=("Digest::",),
        hint=r"(?i)digest\b(?s:.){0,500}passw",
        match={
            "kind": "call",
            "regex": r"(?is)^(OpenSSL::)?Digest::(MD5|SHA\d*)\.(hex|base64)?digest[\s(].*passw(or)?d",
        },
        where="product",
        bad=("digest = Digest::MD5.hexdigest(password)",),
        good=("digest = Digest::SHA256.hexdigest(content)", "digest = BCrypt::Password.create(password)"),
    ),
    Rule(
        id="ruby-predictable-secret",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="rand can be predicted from a few of its values, and so can this secret.",
        suggestion="Use SecureRandom.",
        needs=("rand", "sample"),
        hint=r"(?i)(token|secret|passw|otp|nonce|salt|api_?key)\w*\s*=(?s:.){0,500}\b(rand|sample|shuffle)\b",
        match=node(
            "assignment",
            {"not": {"has": {"field": "right", "regex": r"SecureRandom"}}},
            {"not": chosen("right")},
            left=r"(?i)(^|[._@])(token|secret|password|otp|nonce|salt|api_?key|\w+_token)$",
            right=r"(^|[^.\w])rand\(|\brand\b$|\.(sample|shuffle)\b",
        ),
        where="product",
        bad=("token = rand(10**10).to_s", "user.reset_token = LETTERS.sample"),
        good=("token = SecureRandom.hex(16)", "dice = rand(6)", "token = @tokens.sample"),
    ),
)
