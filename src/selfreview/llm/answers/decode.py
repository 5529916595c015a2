"""Decoding of an answer's text to drafts of findings, or to judgements.

An answer counts only if it holds exactly one JSON object of the right shape. What cannot be read is never "no issues".
Reasons say what is wrong and never quote the answer: it may repeat the code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from selfreview.llm.answers.schema import (
    COULD_NOT_REVIEW,
    FINDINGS,
    LONGEST_TEXT,
    ClaimVerdict,
    entries_of,
    garbage,
    only_object,
    shortened,
)
from selfreview.llm.transport.fences import Words
from selfreview.model.issue import Category, Severity
from selfreview.text.layout import plural

MAX_ISSUES = 200
"""Maximum number of issues in one answer; an answer with more is not taken for a review."""
MAX_LINE = 10_000_000
"""Maximum line number; no file that is reviewed has more lines."""

_BROKEN = re.compile("[\0\ud800-\udfff]")

Name = TypeVar("Name", Severity, Category, ClaimVerdict)


class DraftFinding(msgspec.Struct, frozen=True, kw_only=True):
    """Draft of a finding as a model words it, checked for types but not yet placed.

    Attributes:
        file: As the model names it; perhaps no file of the change.
        line_start, line_end: Lines from 1 as the model counts, 0 for the whole file; in order.
        evidence: What it quotes; never blank.
        failure: Input or situation, what happens, what should happen; perhaps empty.
        description: What is wrong; empty only where ``failure`` is not.
        suggested_fix: What to do, or None.
        confidence: 0 to 1, or None where it says nothing usable.
    """

    severity: Severity
    category: Category
    file: str
    line_start: int
    line_end: int
    evidence: str
    failure: str
    description: str
    suggested_fix: str | None = None
    confidence: float | None = None


class Decoded(msgspec.Struct, frozen=True, kw_only=True):
    """A finder's answer.

    Attributes:
        drafts: The issues that can be used.
        void: For each that cannot, why, in a line that does not quote it.
        verdict: What the model itself concludes; advisory.
        summary: What it says in a sentence, with what stands besides its object; perhaps empty.
        doubts: Why the answer may say more than was read, and something grave: of an issue that cannot be used, its
            severity is medium or worse, or unknown; or something like issues stands where none belong; or words do.
        missed: Of each issue that is surely said and was not read, how severe it is, at least.
    """

    drafts: list[DraftFinding]
    void: list[str]
    verdict: str | None
    summary: str
    doubts: list[str]
    missed: list[Severity]


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """Verifier's judgement of an issue.

    Attributes:
        answer: A refutation that cites no line is ``UNSURE``.
        reason: Why.
        evidence: The line that it cites, or the empty text.
    """

    answer: ClaimVerdict
    reason: str
    evidence: str = ""


class _VoidError(Exception):
    """Error of an entry that cannot be used, with the reason."""


def decode_findings(text: str, words: Words) -> Decoded:
    """Read a finder's answer.

    Args:
        text: The answer.
        words: What it has to repeat of its prompt; one that does not is doubtful.

    Raises:
        ModelError: ``Fault.GARBAGE`` if it is not exactly one object with a list of at most 200 issues.
    """
    answer, beside = only_object(text)
    entries = entries_of(answer, "issues")
    if len(entries) > MAX_ISSUES:
        raise garbage(f"the answer lists {len(entries)} issues, more than {MAX_ISSUES}")
    drafts: list[DraftFinding] = []
    void: list[str] = []
    missed: list[Severity] = []
    for number, entry in enumerate(entries):
        try:
            drafts.append(_draft(entry))
        except _VoidError as why:
            void.append(f"issues[{number}]: {why}")
            severity = _severity_of(entry)
            missed += [severity] if severity.at_least(Severity.MEDIUM) else []
    doubts = [*_unread(answer, beside, words)]
    doubts += [f"{len(missed)} of the {len(entries)} issues of an answer cannot be read: {void[0]}"] if missed else []
    for doubt, grave in _beside_the_list(answer, beside):
        doubts.append(doubt)
        missed += [Severity.MEDIUM] if grave else []
    verdict, summary = answer.get("verdict"), answer.get("summary")
    return Decoded(
        drafts=drafts,
        void=void,
        verdict=_clean(verdict).strip().lower() if isinstance(verdict, str) else None,
        summary=shortened(_clean(f"{summary if isinstance(summary, str) else ''} {beside}").strip()),
        doubts=doubts,
        missed=missed,
    )


def _unread(answer: dict[str, Any], beside: str, words: Words) -> Iterator[str]:
    """Yield reasons to believe that an answer was given without the change, or without all of it."""
    missing = words.missing(answer)
    if missing is not None:
        yield missing
    verdict, said = answer.get("verdict"), [text for text in (answer.get("summary"), beside) if isinstance(text, str)]
    blocks = any(_severity_of(entry).at_least(Severity.MEDIUM) for entry in answer["issues"])
    if isinstance(verdict, str) and verdict.strip().lower() == COULD_NOT_REVIEW:
        yield "an answer says that the change could not be reviewed"
    elif not answer["issues"] and (verdict is None or (isinstance(verdict, str) and not verdict.strip())):
        yield "an answer lists no issue and gives no verdict"
    elif not answer["issues"] and isinstance(answer.get("summary") or "", str) and not "".join(said).strip():
        yield "an answer lists no issue and says nothing of what it looked at"
    elif not blocks and any(map(says_unread, said)):
        serious = "serious issue" if answer["issues"] else "issue"
        yield f"an answer lists no {serious}, and says in words that the change could not be read"


def _beside_the_list(answer: dict[str, Any], beside: str) -> Iterator[tuple[str, bool]]:
    """Yield reasons to suspect issues outside of an answer's list, and whether something severe is among them."""
    others = {key: value for key, value in answer.items() if key not in FINDINGS["properties"]}
    if any(may_be_issues(key, value) for key, value in others.items()):
        yield "an answer holds something like issues besides its list of issues", True
    elif any(holds_text(value) for value in others.values()):
        yield "an answer holds parts that were not asked for", False
    for key in ("verdict", "summary"):
        value = answer.get(key)
        if value is not None and not isinstance(value, str):
            yield f"the {key} of an answer is not a text", may_be_issues(key, value)
    summary = answer.get("summary")
    if isinstance(summary, str) and is_labelled(summary) and not answer["issues"]:
        yield "an answer lists no issue and names one in its summary", True
    if is_telling(beside):
        yield "an answer holds words besides its object", says_issue(beside)


def _severity_of(entry: Any) -> Severity:
    """Return the severity of an issue that cannot be used; medium, which could block, where it states none clearly."""
    try:
        return _named(entry, "severity", Severity) if isinstance(entry, dict) else Severity.MEDIUM
    except _VoidError:
        return Severity.MEDIUM


def decode_judgements(text: str, count: int, words: Words) -> list[Judgement]:
    """Read a verification's answer.

    Args:
        text: The answer.
        count: How many issues were given, numbered from 1.
        words: What it has to repeat of its prompt.

    Returns:
        One judgement for each issue, in order.

    Raises:
        ModelError: ``Fault.GARBAGE`` if it is not exactly one object with a list, if any issue is not judged or judged
            in two ways, or if any judgement cannot be read or is of no issue: which issue it is about is then a guess;
            if it lacks the words, or says that there was nothing to judge by.
    """
    answer = only_object(text)[0]
    entries = entries_of(answer, "judgements")
    missing = words.missing(answer)
    if missing is not None:
        raise garbage(missing)
    if len(entries) > max(MAX_ISSUES, 2 * count):
        raise garbage(f"the answer lists {len(entries)} judgements of {count} issues")
    found: dict[int, Judgement] = {}
    for entry in entries:
        try:
            index, judgement = _judgement(entry, count)
        except _VoidError as why:
            raise garbage(f"a judgement of the answer cannot be used: {why}") from None
        if index in found and found[index].answer is not judgement.answer:
            raise garbage("the answer judges one issue in two ways")
        found[index] = judgement
    if any(_is_unread(judgement) for judgement in found.values()):
        raise garbage("an answer says that it had nothing to judge by")
    if len(found) < count:
        raise garbage(f"the answer judges {len(found)} of {plural(count, 'issue')}")
    return [found[index] for index in range(1, count + 1)]


def _is_unread(judgement: Judgement) -> bool:
    """Return whether a judgement does not count, because the code that it should be about was not shown."""
    unsure = judgement.answer is ClaimVerdict.UNSURE
    return judgement.answer is ClaimVerdict.COULD_NOT_REVIEW or (unsure and says_unread(judgement.reason))


def _draft(entry: Any) -> DraftFinding:
    if not isinstance(entry, dict):
        raise _VoidError("it is not an object")
    first = _line(entry, "lineStart")
    last = first if entry.get("lineEnd") is None else _line(entry, "lineEnd")
    evidence, file = _string(entry, "evidence")[:LONGEST_TEXT], _string(entry, "file")
    failure, description = shortened(_string(entry, "failure")), shortened(_string(entry, "description"))
    if not evidence.strip():
        raise _VoidError("evidence is missing or empty")
    if not file or len(file) > LONGEST_TEXT:
        raise _VoidError("file is missing or too long")
    if not (failure or description):
        raise _VoidError("description and failure are missing or empty")
    return DraftFinding(
        severity=_named(entry, "severity", Severity),
        category=_named(entry, "category", Category),
        file=file,
        line_start=first,
        line_end=max(first, last),
        evidence=evidence,
        failure=failure,
        description=description,
        suggested_fix=shortened(_string(entry, "suggestedFix")) or None,
        confidence=_share(entry.get("confidence")),
    )


def _judgement(entry: Any, count: int) -> tuple[int, Judgement]:
    if not isinstance(entry, dict):
        raise _VoidError("it is not an object")
    index = entry.get("index")
    if type(index) is not int or not 1 <= index <= count:
        raise _VoidError("no such issue")
    answer = _named(entry, "answer", ClaimVerdict)
    reason, evidence = shortened(_string(entry, "reason")), _string(entry, "evidence")[:LONGEST_TEXT]
    if answer is ClaimVerdict.REFUTED and not evidence.strip():
        return index, Judgement(answer=ClaimVerdict.UNSURE, reason=f"refuted without a line that shows it: {reason}")
    return index, Judgement(answer=answer, reason=reason, evidence=evidence)


def _string(entry: dict[str, Any], key: str) -> str:
    """Return a text; the empty text where it is missing or null."""
    value = entry.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _VoidError(f"{key} is not a text")
    return _clean(value).strip("\r\n" if key == "evidence" else None)


def _clean(text: str) -> str:
    """Return a text with NUL characters and surrogates replaced by U+FFFD."""
    return _BROKEN.sub("\ufffd", text)


def _line(entry: dict[str, Any], key: str) -> int:
    value = entry.get(key)
    if type(value) is not int:  # True is an int, and no line
        raise _VoidError(f"{key} is not a whole number")
    if not 0 <= value <= MAX_LINE:
        raise _VoidError(f"{key} is no line")
    return value


def _named(entry: dict[str, Any], key: str, names: type[Name]) -> Name:
    value = entry.get(key)
    if not isinstance(value, str):
        raise _VoidError(f"{key} is not a text")
    try:
        return names(value.strip().lower())
    except ValueError:
        raise _VoidError(f"{key} is none of {', '.join(names)}") from None


def _share(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value <= 1 else None


_SEVERE = re.compile(
    r"critical|high(?![- ]?(?:level|light|er|est|ly|quality))|severe|severity|blocker|vulnerab|injection|exploit|"
    r"\bxss\b|\brce\b|\bcve-|insecure|data loss",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:no|not|without|any|zero|0)\b[\w ,/-]{0,40}", re.IGNORECASE)
_LABEL = re.compile(r"\W{0,5}(?:critical|high|medium|blocker)\b[\w ]{0,12}[:(\[\u2013\u2014-]", re.IGNORECASE)
_PART = r"(?:(?:a|the)[ ])?(?:parts?|half|portion|piece|first|last|beginning|start|some[ ]of)\b"
_UNREAD = re.compile(
    rf"""
    # Where a sentence begins, after its speaker or without one: what the code under review cannot read has a subject.
    (?:^|[.!?:;\n(]|\b(?:but|as|because|since)\b) \s* (?:(?:unfortunately|sorry|however),? \s)?
    (?:(?:I|we|the[ ](?:reviewer|model|agent)) (?:['\u2019]m|['\u2019]re|[ ]am|[ ]are|[ ]was|[ ]were|[ ]is)? [ ])?
    (?:
        (?:unable[ ]to|not[ ]able[ ]to|could[ ]?n(?:o|['\u2019])t|can[ ]?not|can['\u2019]t|failed[ ]to)
        [ ] (?:\w+ly[ ])?
        (?:
            (?:read|see|access|open|load|view|retrieve|fetch|receive|parse|inspect|examine|analy[sz]e|review)
            [ ] (?:(?:the|this|that|your|any|of|provided|given|whole|full|actual|code|contents?)[ ])*
            (?:diff|patch|changes?|change[ ]?set|material|prompt|(?:pull|merge)[ ]request|files?|code|contents?|input
            |(?:rest|remainder)[ ]of|[\w/-]+\.[a-z]\w*)
            | assist | help | comply | proceed | (?:complete|perform|do)[ ](?:\w+[ ]){{1,3}}review
        )
        | (?:(?:did|have)[ ]?(?:not|n['\u2019]t)|never)[ ](?:actually[ ])?
          (?:read|see|seen|review(?:ed)?|look(?:ed)?[ ]at|inspect(?:ed)?|examined?|analy[sz]ed?)
          [ ](?:all[ ](?:of[ ])?)?(?:the|this|that|your)[ ](?:(?:whole|full|actual)[ ])?
          (?:diff|patch|changes?|change[ ]?set|material|prompt|(?:pull|merge)[ ]request)
        | (?:(?:did|have)[ ]?(?:not|n['\u2019]t)|never)[ ](?:actually[ ])?
          (?:read|review(?:ed)?|look(?:ed)?[ ]at|inspect(?:ed)?|examined?|analy[sz]ed?)
          [ ](?:anything|any[ ](?:of|code|files?)|it|[\w/-]+\.[a-z]\w*)
        | please[ ](?:provide|share|send|paste|attach|supply|upload|include)
        | (?:the|your)[ ](?:\w+[ ])?contents?[ ](?:was|were|is|are)[ ]not[ ](?:provided|given|included|attached|shown)
        | timed[ ]out[ ](?:before|while|during)
        | (?:did[ ]not|didn['\u2019]t)[ ](?:receive|get)[ ](?:\w+[ ])?(?:diff|patch|changes?|material|prompt|code)
        | (?:there[ ](?:is|was|were|are)[ ])? no[ ](?:\w+[ ])?(?:diff|patch|changes?|material|prompt|code|content|input)
          [ ] (?:(?:is|was|were|has[ ]been)[ ])?
          (?:provided|given|supplied|included|attached|shown|received|available|visible|to[ ]review)
        | (?:the|your)[ ](?:\w+[ ])?(?:diff|patch|changes?|material|prompt)[ ]
          (?:
              (?:is|was|were|are|could|can)(?:[ ]?not|n['\u2019]t)[ ](?:be[ ])?
              (?:provided|given|included|attached|shown|read|accessed|opened|loaded|found|reviewed)
              | (?:is|was|were|are|seems|appears)[ ](?:to[ ]be[ ])?
                (?:missing|empty|truncated|cut[ ]off|unreadable|unavailable)
          )
    ) \b
    # The reviewer of itself, where "we" could be the program.
    | \b I[ ](?:was(?:[ ]not|n['\u2019]t)[ ](?:given|shown|sent|provided|handed)|have[ ]no[ ](?:way|means|access)) \b
    | \b I[ ](?:have[ ])?(?:
        (?:only[ ]|just[ ])?(?:skimmed|glanced)
        | (?:only|just)[ ](?:read|saw|seen|reviewed|checked|looked[ ]at)[ ]{_PART}
        | (?:read|saw|seen|reviewed|checked|looked[ ]at)[ ](?:only|just)[ ]{_PART}
    ) \b
    # All of a sentence: with more behind it, it would be about something else.
    | (?:^|[.!?\n]) \s* (?:(?:unfortunately|sorry|however),? \s)?
    (?:
        not[ ]reviewed | nothing[ ](?:was[ ])?reviewed | error:[ ][^.!?]*
        | no[ ](?:diff|patch) | no[ ](?:diff|patch|material|changes?|code|content)[ ]here
        | (?:the[ ]|code[ ])*review[ ](?:(?:was|is|has[ ]been)[ ])?
          (?:skipped|aborted|incomplete|impossible|not[ ](?:done|performed|completed|possible))
          (?:[ ](?:because|due[ ]to|as|since)\b[^.!?]*)?
        | skipp(?:ed|ing)[ ](?:(?:the|this|code)[ ])*(?:review|diff)
        | only[ ](?:one|some|{_PART})(?:[ ](?:\w+[ ]){{0,3}}(?:diff|patch|changes?|files?|hunks?|lines?|code))?[ ]
          (?:was|were|is|are)[ ](?:visible|shown|provided|given|included|readable|reviewed|available)
        | the[ ]rest[ ]of[ ]the[ ](?:diff|patch|changes?|files?|hunks?|code)[ ](?:was|were|is|are)[ ]
          (?:truncated|cut[ ]off|missing|omitted|not[ ](?:visible|shown|provided|given|included|reviewed))
        | (?:(?:the|API)[ ])*(?:(?:rate|usage|token|context)[ ](?:limit|window|length)|quota)[ ]
          (?:(?:was|is|has[ ]been)[ ])?(?:reached|exceeded|hit)
    ) \s* (?:[.!?;]|$)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SHORT = 200
"""Maximum characters of text beside an answer, such as a greeting, that is ignored."""
_ISSUES = re.compile("issue|finding|problem|bug|defect|vulnerab|concern|violation|error|security", re.IGNORECASE)
_OF_ISSUES = frozenset({"severity", "lineStart", "evidence", "failure"})


def says_issue(text: str) -> bool:
    """Return whether words mention something severe, other than to deny it."""
    return _SEVERE.search(_DENIED.sub(" ", text)) is not None


def says_unread(text: str) -> bool:
    """Return whether an answer without issues states, in English, that the change could not be read or was missing."""
    return _UNREAD.search(text) is not None


def is_telling(text: str) -> bool:
    """Return whether the text beside an answer has to be taken seriously: it is long, or mentions something severe."""
    return len(text) >= _SHORT or _SEVERE.search(text) is not None


def is_labelled(text: str) -> bool:
    """Return whether a text begins like an issue: ``CRITICAL: ...``."""
    return _LABEL.match(text) is not None


def holds_text(value: Any) -> bool:
    """Return whether a part of an answer holds any words; numbers and empty parts describe no issue."""
    return any(isinstance(part, str) and part.strip() for part in _parts(value))


def may_be_issues(key: str, value: Any) -> bool:
    """Return whether a part of an answer could be issues.

    It could where it holds objects in a list, an object with a key of issues, words that speak of something grave,
    or anything at all under a name of issues.
    """
    for part in _parts(value):
        if isinstance(part, list) and any(isinstance(item, dict) and item for item in part):
            return True
        if isinstance(part, dict) and _OF_ISSUES.intersection(part):
            return True
        if isinstance(part, str) and says_issue(part):
            return True
    named = _ISSUES.search(key) is not None or _SEVERE.search(key) is not None
    return isinstance(value, (list, dict, str)) and bool(value) and named


def _parts(value: Any) -> list[Any]:
    """Return a value and everything within it; the keys of objects too."""
    found, waiting = [], [value]
    while waiting:
        part = waiting.pop()
        found.append(part)
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            waiting += [*part, *part.values()]
    return found
