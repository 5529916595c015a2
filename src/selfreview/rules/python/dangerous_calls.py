"""Calls that run or trust what they are given."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule, node

RULES = (
    Rule(
        id="python-eval",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The text is run as Python: who controls any part of it controls this process.",
        suggestion="Use ast.literal_eval or json.loads for data, a table of functions for operations.",
        needs=("eval(", "exec("),
        match={"any": [{"pattern": f"{head}{name}($CODE)"} for head in ("", "builtins.") for name in ("eval", "exec")]},
        constraints={
            "CODE": {
                "not": {
                    "any": [
                        {"kind": "string", "not": {"has": {"kind": "interpolation"}}},
                        {"pattern": "compile($$$)"},
                        {"kind": "concatenated_string", "not": {"has": {"kind": "interpolation", "stopBy": "end"}}},
                    ]
                }
            }
        },
        where="product",
        bad=(
            """
            def load(text):
                return eval(text)  <--
            """,
            'exec(f"import {name}")',
            "builtins.eval(text)",
        ),
        good=("eval('1 + 1')", "model.eval()", "cursor.exec(query)", "exec(compile(source, path, 'exec'))"),
    ),
    Rule(
        id="python-yaml-load",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="yaml.load with this loader builds any Python object that the document names, which runs code.",
        suggestion="Use yaml.safe_load.",
        needs=("yaml.load",),
        match={
            "any": [
                {"pattern": "yaml.load($DOCUMENT)"},
                {"pattern": "yaml.load_all($DOCUMENT)"},
                {"pattern": "yaml.load($DOCUMENT, Loader=$LOADER)"},
                {"pattern": "yaml.load($DOCUMENT, $LOADER)"},
            ]
        },
        constraints={"LOADER": {"regex": r"^(yaml\.(Unsafe)?|Unsafe)Loader$"}},
        bad=("data = yaml.load(stream)", "data = yaml.load(stream, Loader=yaml.Loader)"),
        good=(
            "data = yaml.safe_load(stream)",
            "data = yaml.load(stream, Loader=yaml.SafeLoader)",
            "data = yaml.load(stream, Loader=yaml.CSafeLoader)",
            "data = yaml.load(stream, SafeLoader)",
            "data = yaml.load(stream, Loader)",
        ),
    ),
    Rule(
        id="python-unpickle-network",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Unpickling runs code that the sender chose, and these bytes come from outside.",
        suggestion="Exchange JSON or another format that holds data only.",
        needs=("pickle.", "marshal.", "dill."),
        hint=r"(pickle|marshal|dill)\.loads?\(",
        match=node(
            "call",
            function=r"^(c?[pP]ickle|marshal|dill|cloudpickle)\.loads?$",
            arguments=r"\brequest\.|\.recv\(|\.get_data\(|b64decode\(|\bresponse\.|\bmessage\.|\.cookies",
        ),
        where="product",
        bad=("pickle.loads(request.data)", "state = pickle.loads(base64.b64decode(cookie))"),
        good=("pickle.load(file)", "pickle.loads(pickle.dumps(value))", "json.loads(request.data)"),
    ),
    Rule(
        id="python-unpickle-argument",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Unpickling runs code that the bytes choose, and any caller may pass them here.",
        suggestion="Exchange JSON or another format that holds data only, or check a signature before.",
        needs=("pickle.loads(", "dill.loads(", "marshal.loads("),
        match=node(
            "call",
            {"has": {"field": "arguments", "has": {"kind": "identifier", "nthChild": 1, "pattern": "$RAW"}}},
            {
                "inside": {
                    "kind": "function_definition",
                    "stopBy": {"kind": "function_definition"},
                    "has": {
                        "field": "parameters",
                        "has": {
                            "any": [
                                {"pattern": "$RAW"},
                                {
                                    "any": [
                                        {"kind": "typed_parameter"},
                                        {"kind": "typed_default_parameter"},
                                        {"kind": "default_parameter"},
                                    ],
                                    "has": {"kind": "identifier", "nthChild": 1, "pattern": "$RAW"},
                                },
                            ]
                        },
                    },
                    "not": {"regex": r"(?s)\b(hmac|compare_digest|verify\w*|unsign|signature|fernet|decrypt)\b"},
                }
            },
            function=r"^(c?[pP]ickle|marshal|dill|cloudpickle)\.loads$",
        ),
        where="product",
        bad=(
            """
            def restore(raw):
                return pickle.loads(raw)  <--
            """,
            """
            def restore(self, raw: bytes, *, strict: bool = True) -> State:
                state = pickle.loads(raw)  <--
                return state
            """,
        ),
        good=(
            """
            def restore(raw, key):
                if not hmac.compare_digest(raw[:32], sign(raw[32:], key)):
                    raise ValueError
                return pickle.loads(raw)
            """,
            """
            def copy(value):
                raw = pickle.dumps(value)
                return pickle.loads(raw)
            """,
            """
            def restore(raw):
                return json.loads(raw)
            """,
        ),
    ),
    Rule(
        id="python-template-from-values",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The text becomes a template: a value that holds {{ }} runs expressions on the server.",
        suggestion="Keep the template constant and pass values as variables.",
        needs=("render_template_string",),
        match={
            "any": [{"pattern": "render_template_string($TEXT)"}, {"pattern": "render_template_string($TEXT, $$$)"}]
        },
        constraints={
            "TEXT": {
                "any": [
                    {"kind": "binary_operator"},
                    {"kind": "call", "regex": r"\.format\("},
                    {"kind": "string", "has": {"kind": "interpolation"}},
                ]
            }
        },
        where="product",
        bad=("return render_template_string('<p>%s</p>' % name)", 'return render_template_string(f"Hi {name}", x=1)'),
        good=("return render_template_string('<p>{{ name }}</p>', name=name)", "return render_template_string(PAGE)"),
    ),
    Rule(
        id="python-mktemp",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Between choosing the name and opening the file somebody else can put a link there.",
        suggestion="Use tempfile.mkstemp, NamedTemporaryFile or TemporaryDirectory.",
        needs=("mktemp(",),
        match={"pattern": "tempfile.mktemp($$$)"},
        where="product",
        bad=("path = tempfile.mktemp(suffix='.txt')",),
        good=("handle, path = tempfile.mkstemp()", "folder = tmp_path_factory.mktemp('data')"),
    ),
    Rule(
        id="python-world-writable",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Every user of the machine may change this file.",
        suggestion="Give only the rights that are needed, such as 0o755 or 0o600.",
        needs=("chmod(",),
        hint=r"chmod\((?s:.){0,500}0o?[0-7]*[2367]\b",
        match=node(
            "call",
            {"has": {"field": "arguments", "has": {"kind": "integer", "regex": r"^0o?[0-7]?[0-7][0-7][2367]$"}}},
            function=r"(^|\.)chmod$",
        ),
        where="product",
        bad=("os.chmod(path, 0o777)", "path.chmod(0o666)"),
        good=("os.chmod(path, 0o755)", "path.chmod(0o600)", "os.chmod(path, mode)"),
    ),
    Rule(
        id="python-extract-unfiltered",
        severity=Severity.LOW,
        category=Category.SECURITY,
        message="Before Python 3.14 an archive with .. in a name, or with links, writes outside of the folder.",
        suggestion="Pass filter='data'.",
        needs=("extractall(",),
        match=node(
            "call",
            {"not": {"has": {"field": "arguments", "regex": r"\b(filter|members)\s*="}}},
            function=r"(?i)(^|\.)(tar|tf|tarball|archive)\w*\.extractall$",
        ),
        where="product",
        bad=("tar.extractall(folder)",),
        good=("tar.extractall(folder, filter='data')", "zip.extractall(folder)"),
    ),
    Rule(
        id="python-xml-entities",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="The parser follows entities and external documents: a document can read files and reach the network.",
        suggestion="Leave resolve_entities and load_dtd off, and no_network on.",
        needs=("XMLParser(",),
        hint=r"resolve_entities|load_dtd|no_network",
        match=node(
            "call",
            function=r"(^|\.)XMLParser$",
            arguments=r"\b(resolve_entities\s*=\s*True|load_dtd\s*=\s*True|no_network\s*=\s*False)",
        ),
        where="product",
        bad=("parser = etree.XMLParser(resolve_entities=True)", "parser = etree.XMLParser(no_network=False)"),
        good=("parser = etree.XMLParser(resolve_entities=False)", "parser = etree.XMLParser()"),
    ),
)
