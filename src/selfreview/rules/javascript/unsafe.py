"""Text that becomes code, markup or a command."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.javascript._shapes import BUILT, CONSTANT, JS, call
from selfreview.rules.rule import Rule

RULES = (
    Rule(
        id="javascript-eval",
        languages=JS,
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The text is run as code: who controls any part of it controls this page or process.",
        suggestion="Use JSON.parse for data, a table of functions for operations.",
        needs=("eval(", "Function("),
        match={
            "any": [
                call("^eval$", {"not": CONSTANT}),
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
        bad=("const value = eval(text);", "const f = new Function('a', body);", "eval(`run_${name}()`);"),
        good=("const value = eval('1 + 1');", "model.eval(text);", "const f = new Function('return this');"),
    ),
    Rule(
        id="javascript-html-from-text",
        languages=JS,
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Markup is put together from values without escaping: one that holds a tag runs script in the page.",
        suggestion="Set textContent, build elements, or sanitise the value first.",
        needs=("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"),
        match={
            "any": [
                {"pattern": "$ELEMENT.innerHTML = $HTML"},
                {"pattern": "$ELEMENT.innerHTML += $HTML"},
                {"pattern": "$ELEMENT.outerHTML = $HTML"},
                {"pattern": "$ELEMENT.insertAdjacentHTML($WHERE, $HTML)"},
                {"pattern": "document.write($HTML)"},
                {"pattern": "document.writeln($HTML)"},
            ]
        },
        constraints={"HTML": {**BUILT, "not": {"regex": r"(?i)escape|sanitize|purify|encode"}}},
        where="product",
        bad=(
            "list.innerHTML = `<li>${name}</li>`;",
            "document.write('<b>' + title + '</b>');",
            "row.insertAdjacentHTML('beforeend', '<td>' + user.name + '</td>');",
        ),
        good=(
            "list.innerHTML = '';",
            "list.innerHTML = '<li>' + '</li>';",
            "list.textContent = `<li>${name}</li>`;",
            "list.innerHTML = `<li>${escapeHtml(name)}</li>`;",
        ),
    ),
    Rule(
        id="javascript-exec-template",
        languages=JS,
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A shell runs a command line put together from values: one that holds a ; runs its own command.",
        suggestion="Use execFile or spawn with a list of arguments.",
        needs=("exec(", "execSync("),
        match=call(r"^((?i:child_?process|cp|childproc)\.)?exec(Sync)?$", BUILT),
        where="product",
        bad=("exec(`git log ${branch}`, done);", "child_process.execSync('rm -rf ' + folder);"),
        good=(
            "execSync('git status');",
            "pattern.exec(`a${b}`);",
            "db.exec('PRAGMA ' + name);",
            "execFile('git', ['log', branch]);",
        ),
    ),
)
