"""Issues in the prose of an answer, or in parts where none belongs; and that there was nothing to read."""

from __future__ import annotations

import re
from typing import Any

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
            (?:diff|patch|changes?|change[ ]?set|material|prompt|(?:pull|merge)[ ]request|files?|code|contents?|input)
            | assist | help | comply | proceed | (?:complete|perform|do)[ ](?:\w+[ ]){1, 2}?review
        )
        | (?:(?:did|have)[ ]?(?:not|n['\u2019]t)|never)[ ](?:actually[ ])?
          (?:read|see|seen|review(?:ed)?|look(?:ed)?[ ]at|inspect(?:ed)?|examined?|analy[sz]ed?)
          [ ](?:all[ ](?:of[ ])?)?(?:the|this|that|your)[ ](?:(?:whole|full|actual)[ ])?
          (?:diff|patch|changes?|change[ ]?set|material|prompt|(?:pull|merge)[ ]request)
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
    | \b I[ ](?:have[ ])?(?:
        (?:only[ ]|just[ ])?(?:skimmed|glanced)
        | (?:only|just)[ ](?:read|saw|seen|reviewed|checked|looked[ ]at)[ ]{_PART}
        | (?:read|saw|seen|reviewed|checked|looked[ ]at)[ ](?:only|just)[ ]{_PART}
    ) \b
    # All of a sentence: with more behind it, it would be about something else.
    | (?:^|[.!?\n]) \s* (?:(?:unfortunately|sorry|however),? \s)?
    (?:
        no[ ](?:diff|patch) | no[ ](?:diff|patch|material|changes?|code|content)[ ]here
        | (?:the[ ]|code[ ])*review[ ](?:(?:was|is|has[ ]been)[ ])?
          (?:skipped|aborted|incomplete|impossible|not[ ](?:done|performed|completed|possible))
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
