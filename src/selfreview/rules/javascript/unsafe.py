"""Text that becomes code or markup."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.flow import Flow
from selfreview.rules.javascript._shapes import BUILT, CONSTANT, JS
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import HTML, call

RULES = (
    Rule(
        id="javascript-eval",
        languages=JS,
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
        languages=JS,
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
        languages=JS,
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="The timer evaluates text as code, built from values.",
        suggestion="Pass a function.",
        needs=("setTimeout(", "setInterval("),
        hint=r"set(Timeout|Interval)\(\s*['\"`]",
        match=call(r"^(window\.|global\.|globalThis\.)?set(Timeout|Interval)$", BUILT),
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
        match={
            "kind": "pair",
            "all": [
                {"has": {"field": "key", "regex": "^__html$"}},
                {
                    "has": {
                        "field": "value",
                        "any": [
                            BUILT,
                            {
                                "kind": "identifier",
                                "regex": r"^(props|data|content|text|value|body|message|comment|bio)$",
                            },
                            {
                                "kind": "member_expression",
                                "regex": r"(^|\.)(props|data|post|user|comment|message|query|params)\.|location\.",
                            },
                        ],
                    }
                },
                {"not": {"regex": r"(?i)sanitiz|purify|escape|highlight|markdown|icon|svg|i18n|translat"}},
                {"inside": {"kind": "jsx_attribute", "regex": "^dangerouslySetInnerHTML", "stopBy": "end"}},
            ],
        },
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
        languages=JS,
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
        languages=JS,
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Loading this format can run code that the sender chose.",
        suggestion="Use JSON.parse, or a schema of plain values.",
        needs=("unserialize(", "serialize-javascript", "DEFAULT_FULL_SCHEMA", "runInThisContext", "runInNewContext"),
        match={
            "any": [
                call(r"(^|\.)(serialize|nodeSerialize|serializer)\.unserialize$"),
                {"kind": "member_expression", "regex": r"\.DEFAULT_FULL_SCHEMA$"},
                call(r"^vm\.runIn(This|New)Context$", {"any": [BUILT, {"regex": r"^(req|request)\."}]}),
            ]
        },
        where="product",
        bad=("const user = serialize.unserialize(cookie);", "vm.runInNewContext(req.body.code);"),
        good=("const user = JSON.parse(cookie);", "vm.runInNewContext(source);", "php.unserialize(text);"),
    ),
)
