"""Java: errors that vanish, tests that do not test, injection, calls that trust what they are given."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import HTML, SQL, SQL_HINT, SQL_SAFE, Flow, Rule, chosen, node, repeated

SOURCE = r"\b(request|req|httpRequest)\.(getParameter\w*|getHeader|getQueryString|getPathInfo|getCookies)\("
NUMBER = r"^(Integer|Long|Double|Short|Boolean|UUID)\.|\.(ordinal|length|size)\(\s*\)$"

LANGUAGES = ("java",)

RULES = (
    Rule(
        id="java-empty-catch",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The exception is dropped here without a trace.",
        suggestion="Handle or log it, or say in a comment why nothing has to be done and name it `ignored`.",
        needs=("catch",),
        hint=r"catch\s*\([^)]{0,500}\)\s*\{\s*\}",
        match=node(
            "catch_clause",
            {"not": {"has": {"kind": "catch_formal_parameter", "regex": r"\s(ignored?|expected|unused|_)$"}}},
            {
                "not": {
                    "has": {"kind": "catch_formal_parameter", "regex": r"InterruptedException|NumberFormatException"}
                }
            },
            body=r"^\{\s*\}$",
        ),
        where="product",
        bad=("try { save(); } catch (IOException e) {\n}",),
        good=(
            "try { save(); } catch (IOException e) { log.warn(e); }",
            "try { save(); } catch (IOException ignored) {}",
            "try { save(); } catch (IOException e) { /* the cache is only a help */ }",
        ),
    ),
    Rule(
        id="java-interrupt-dropped",
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="The request to stop is dropped: the thread cannot be ended any more.",
        suggestion="Call Thread.currentThread().interrupt(), or let the exception pass.",
        needs=("InterruptedException",),
        hint=r"catch\s*\([^)]{0,500}InterruptedException[^)]{0,500}\)\s*\{\s*\}",
        match=node(
            "catch_clause",
            {"has": {"kind": "catch_formal_parameter", "regex": r"InterruptedException"}},
            body=r"^\{\s*\}$",
        ),
        where="product",
        bad=("try { Thread.sleep(10); } catch (InterruptedException e) {}",),
        good=("try { Thread.sleep(10); } catch (InterruptedException e) { Thread.currentThread().interrupt(); }",),
    ),
    Rule(
        id="java-string-identity",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="== compares the objects, not their text: equal texts from different places are unequal.",
        suggestion="Use equals.",
        needs=('== "', '!= "', '" ==', '" !='),
        match=node(
            "binary_expression",
            {"has": {"kind": "string_literal"}},
            {"not": {"regex": r"\bnull\b"}},
            operator="^[!=]=$",
        ),
        bad=('if (name == "root") stop();', 'boolean other = "root" != name;'),
        good=('if ("root".equals(name)) stop();', "if (letter == 'x') stop();", "if (name == null) stop();"),
    ),
    Rule(
        id="java-compare-same",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A value is compared with itself, so the outcome never changes.",
        suggestion="Compare with what was meant.",
        needs=("==", ".equals(", " < ", " > ", "<=", ">="),
        hint=r"(?<![\w.\]])([\w.]+)\s*(==|<|>|<=|>=)\s*\1(?![\w.\[(])|(?<![\w.])(\w+)\.equals\(\s*\3\s*\)",
        match=repeated(
            "$VALUE == $VALUE",
            "$VALUE < $VALUE",
            "$VALUE > $VALUE",
            "$VALUE <= $VALUE",
            "$VALUE >= $VALUE",
            "$VALUE.equals($VALUE)",
        ),
        constraints={"VALUE": {"any": [{"kind": "identifier"}, {"kind": "field_access"}]}},
        where="product",
        bad=("if (first == first) merge();", "return name.equals(name);"),
        good=("if (first == second) merge();", "return name.equals(other);", "return value != value;"),
    ),
    Rule(
        id="java-assign-same",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The value is assigned to itself, which does nothing.",
        suggestion="Assign what was meant.",
        needs=(" = ",),
        hint=r"(?<![\w.])((this\.)?\w+)\s*=\s*\1\s*;",
        match=repeated("$VALUE = $VALUE") | {"inside": {"kind": "expression_statement"}},
        constraints={"VALUE": {"any": [{"kind": "identifier"}, {"kind": "field_access"}]}},
        where="product",
        bad=("class A { A(int width) { width = width; } }",),
        good=("class A { A(int width) { this.width = width; } }",),
    ),
    Rule(
        id="java-exception-not-thrown",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The exception is made and dropped: without throw the program goes on.",
        suggestion="Write throw before it.",
        needs=("Exception(", "Error("),
        hint=r"(?m)^[ \t]*(\w.*\)\s*\{?\s*)?new\s+\w+(Exception|Error)\(",
        match={
            "kind": "object_creation_expression",
            "regex": r"^new\s+\w+(Exception|Error)\(",
            "inside": {"kind": "expression_statement"},
        },
        where="product",
        fix="throw $MATCH",
        bad=('if (value < 0) new IllegalArgumentException("negative");',),
        good=('if (value < 0) throw new IllegalArgumentException("negative");', "fail(new IllegalStateException());"),
    ),
    Rule(
        id="java-disabled-test",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The test is off and nobody will know why, or when it may be on again.",
        suggestion="Mend the test, remove it, or give the reason.",
        needs=("@Disabled", "@Ignore"),
        match={
            "any": [{"kind": "marker_annotation"}, {"kind": "annotation"}],
            "regex": r"^@(Disabled|Ignore)(\(\s*(\"\")?\s*\))?$",
        },
        where="tests",
        bad=(
            """
            class SumTest {
                @Disabled  <--
                @Test
                void adds() {}
            }
            """,
        ),
        good=(
            'class SumTest { @Disabled("needs a printer") @Test void adds() {} }',
            """
            class SumTest {
                // off because it takes too much memory
                @Test
                @Disabled
                void adds() {}
            }
            """,
        ),
    ),
    Rule(
        id="java-assert-constant",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The assertion holds whatever the code does.",
        suggestion="Assert what the code has to do.",
        needs=("assertTrue(true", "assertFalse(false", "assertEquals(true, true"),
        match={
            "kind": "method_invocation",
            "regex": r"^(Assert(ions)?\.)?assert(True\(\s*true\b|False\(\s*false\b|Equals\(\s*true,\s*true)",
        },
        where="tests",
        bad=("assertTrue(true);",),
        good=("assertTrue(total(1) == 1);",),
    ),
    Rule(
        id="java-print-left",
        severity=Severity.SUGGESTION,
        category=Category.STYLE,
        message="This looks like output for finding a bug.",
        suggestion="Remove it, or use the logger.",
        needs=("System.out.print", ".printStackTrace()"),
        match={"kind": "method_invocation", "regex": r"^System\.out\.print(ln|f)?\(|^\w+\.printStackTrace\(\s*\)$"},
        where="product",
        bad=("System.out.println(user);", "error.printStackTrace();"),
        good=("log.info(user);", "error.printStackTrace(writer);"),
    ),
    Rule(
        id="java-sql-injection",
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
    Rule(
        id="java-native-deserialisation",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Reading serialised objects runs code of any class on the path, as the sender chooses.",
        suggestion="Exchange JSON or another format that holds data only, or set an ObjectInputFilter.",
        needs=("ObjectInputStream(", "XMLDecoder("),
        match={
            "kind": "method_invocation",
            "all": [
                {"regex": r"^new\s+(ObjectInputStream|XMLDecoder)\("},
                {"has": {"field": "name", "regex": r"^readObject$"}},
            ],
        },
        where="product",
        bad=("Object state = new ObjectInputStream(request.getInputStream()).readObject();",),
        good=("State state = mapper.readValue(stream, State.class);", "Object o = input.readObject();"),
    ),
    Rule(
        id="java-trust-all",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Any certificate or host name is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave the checks on; load the certificate of an authority of your own into a trust store.",
        needs=("checkServerTrusted", "ostnameVerifier", "ALLOW_ALL_HOSTNAME", "TrustAllStrategy"),
        match={
            "any": [
                node("method_declaration", name="^checkServerTrusted$", body=r"^\{\s*(//[^\n]*\s*)*\}$"),
                node(
                    "method_invocation",
                    name=r"^(set\w*)?(hostnameVerifier|HostnameVerifier)$",
                    arguments=r"->\s*(true|\{\s*return true;\s*\})\s*\)$",
                ),
                {
                    "kind": "field_access",
                    "regex": r"(NoopHostnameVerifier|TrustAllStrategy)\.INSTANCE$|\.ALLOW_ALL_HOSTNAME_VERIFIER$",
                },
            ]
        },
        where="product",
        bad=(
            "class T { public void checkServerTrusted(X509Certificate[] chain, String type) {} }",
            "connection.setHostnameVerifier((name, session) -> true);",
            "builder.setSSLHostnameVerifier(NoopHostnameVerifier.INSTANCE);",
        ),
        good=(
            "class T { void checkServerTrusted(Certificate[] c, String t) { inner.checkServerTrusted(c, t); } }",
            "connection.setHostnameVerifier(verifier);",
        ),
    ),
    Rule(
        id="java-csrf-off",
        severity=Severity.LOW,
        category=Category.SECURITY,
        message="Another site can make a visitor's browser send requests with the visitor's rights.",
        suggestion="Leave the protection on unless every caller authenticates by a token.",
        needs=("csrf",),
        hint=r"csrf\((?s:.){0,500}disable",
        match={
            "kind": "method_invocation",
            "regex": r"csrf\(\s*\)\s*\.disable\(\s*\)$|"
            r"csrf\(\s*(\w+\s*->\s*\w+\.disable\(\s*\)|AbstractHttpConfigurer::disable)\s*\)$",
        },
        where="product",
        bad=("http.csrf().disable();", "http.csrf(AbstractHttpConfigurer::disable);"),
        good=("http.csrf(withDefaults());",),
    ),
    Rule(
        id="java-weak-password-hash",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A fast digest of a password is guessed at billions of tries a second.",
        suggestion="Use Argon2, bcrypt or PBKDF2 with a salt for each password.",
        needs=("md5", "sha1", "sha256", "Md5PasswordEncoder", "NoOpPasswordEncoder", "StandardPasswordEncoder"),
        match={
            "any": [
                node("method_invocation", name=r"(?i)^(md5|sha1|sha256|sha512)(hex)?$", arguments=r"(?i)passw(or)?d"),
                {"kind": "object_creation_expression", "regex": r"^new\s+(Md5|NoOp|Standard)PasswordEncoder\("},
                {"kind": "method_invocation", "regex": r"^NoOpPasswordEncoder\.getInstance\("},
            ]
        },
        where="product",
        bad=("String digest = DigestUtils.md5Hex(password);", "PasswordEncoder e = NoOpPasswordEncoder.getInstance();"),
        good=("String digest = DigestUtils.sha256Hex(content);", "PasswordEncoder e = new BCryptPasswordEncoder();"),
    ),
    Rule(
        id="java-predictable-secret",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Random can be predicted from a few of its values, and so can this secret.",
        suggestion="Use SecureRandom.",
        needs=("Random", "Math.random"),
        hint=r"(?i)(token|secret|passw|otp|nonce|csrf|salt|apikey|sessionid)\w*\s*=(?s:.){0,500}(Random\w*\(|Math\.random|nextInt)",
        match=node(
            "variable_declarator",
            {"not": chosen("value")},
            name=r"(?i)(token|secret|password|otp|nonce|csrf|salt|apikey|sessionid)$",
            value=r"(?i)\bnew\s+Random\(|Math\.random\(|RandomStringUtils\.random",
        ),
        where="product",
        bad=("String token = Long.toHexString(new Random().nextLong());", "int otp = (int) (Math.random() * 1000000);"),
        good=(
            "String token = hex(new SecureRandom());",
            "int dice = new Random().nextInt(6);",
            "String token = tokens.get(new Random().nextInt(tokens.size()));",
        ),
    ),
    Rule(
        id="java-xml-entities",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="The parser follows external entities: a document can read files and reach the network.",
        suggestion="Leave disallow-doctype-decl on and external entities off.",
        needs=("general-entities", "disallow-doctype", "SECURE_PROCESSING", "SUPPORT_DTD", "ENTITIES"),
        match={
            "kind": "method_invocation",
            "regex": r"(?s)\.set(Feature|Property)\(.*(general-entities\"|SUPPORT_DTD|\w+ENTITIES)\s*,\s*true\s*\)$|"
            r"\.setFeature\(.*(disallow-doctype-decl\"|FEATURE_SECURE_PROCESSING)\s*,\s*false\s*\)$",
        },
        where="product",
        bad=('factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", false);',),
        good=('factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);',),
    ),
)
