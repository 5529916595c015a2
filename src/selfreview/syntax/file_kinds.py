"""Kinds of files by their paths: code, data or prose, documentation, text or binary, tests and their data."""

from __future__ import annotations

import enum
import posixpath
import re

from selfreview.syntax.languages import language_of


class Kind(enum.Enum):
    """Kinds of text, by who reads them."""

    CODE = "code"
    """A machine runs it, or is configured by it."""
    DATA = "data"
    """A machine reads it."""
    PROSE = "prose"
    """A person reads it, in any language."""


_SOURCE = frozenset(
    """
    py pyi pyx pyw js mjs cjs jsx ts mts cts tsx vue svelte go rs java kt kts scala groovy c h cc cpp cxx hpp hh m
    mm cs fs vb swift rb php pl pm lua r jl ex exs erl elm ml clj dart zig nim sol
    """.split()  # noqa: SIM905
)
"""Extensions of source code in a language in which text without quotes is a name."""
_CODE = _SOURCE | frozenset(
    """
    astro sc gradle hxx inl fsx rake gemspec hrl hs mli cljs cljc d pas ada adb v sv vhd vhdl asm s cu move sh bash
    zsh fish ksh ps1 psm1 bat cmd awk sed sql tf tfvars hcl yaml yml toml ini cfg conf env proto thrift graphql gql
    cmake mk bazel bzl nix css scss sass less
    """.split()  # noqa: SIM905
)
_PROSE = frozenset(
    """
    md markdown mdx rst adoc asciidoc txt text tex org html htm xhtml po pot arb ftl strings stringsdict xlf xliff resx
    properties ts_translation srt vtt ass ssa sub ics eml mbox
    """.split()  # noqa: SIM905
)
_CODE_TEXTS = re.compile(r"(?:requirements|constraints)[^/]*\.(?:txt|in)|cmakelists\.txt")
_CODE_NAMES = frozenset({"makefile", "gnumakefile", "dockerfile", "containerfile", "jenkinsfile", "rakefile", "gemfile",
                         "justfile", "vagrantfile", "procfile", "codeowners", "build", "workspace"})  # fmt: skip
_PROSE_NAMES = frozenset(
    {"readme", "license", "licence", "copying", "changelog", "changes", "news", "authors", "notice"}
)
_TRANSLATIONS = re.compile(
    r"(?:^|/)(?:locales?|i18n|l10n|translations?|langs?|languages?|lproj|values-[a-z]{2}[^/]*)/", re.I
)

_DOCS = re.compile(r"\.(?:md|mdx|markdown|rst|adoc|asciidoc)$|(?:^|/)(?:docs?|documentation)/", re.I)


def is_docs(path: str) -> bool:
    """Return whether a path belongs to documentation."""
    return _DOCS.search(path) is not None


def is_source(path: str) -> bool:
    """Return whether a path holds source code in a language in which text without quotes is a name."""
    return path.rpartition(".")[2].lower() in _SOURCE


def kind_of(path: str) -> Kind:
    """Return the kind of text that a path holds; unknown kinds are data."""
    name = posixpath.basename(path).lower()
    stem, dot, extension = name.rpartition(".")
    if _TRANSLATIONS.search(path):
        return Kind.PROSE
    if _CODE_TEXTS.fullmatch(name):
        return Kind.CODE
    if (dot and extension in _PROSE) or (stem if dot else name) in _PROSE_NAMES:
        return Kind.PROSE
    if (dot and extension in _CODE) or name in _CODE_NAMES or name.split(".")[0] in _CODE_NAMES:
        return Kind.CODE
    return Kind.DATA


_MORE_TEXTS = frozenset(
    """
    json jsonc json5 ipynb xml xsl xslt html htm xhtml svg md mdx markdown rst lock pth jsp asp aspx erb ejs j2 jinja
    twig hbs tpl tmpl phtml php3 php4 php5 php7 phps vbs wsf hta applescript tcl coffee less styl ebuild service
    editorconfig dockerfile makefile mak properties pem plist xsd wsdl csproj vbproj fsproj sln props targets podspec
    gradle nuspec desktop conf jenkinsfile
    """.split()  # noqa: SIM905 - a table to read
)
"""Extensions of text that a program obeys or a person reads as such, besides those of code."""
_BINARIES = frozenset(
    """
    png jpg jpeg gif webp ico icns cur bmp tif tiff avif heic psd pdf zip gz tgz bz2 xz zst lz4 br 7z rar tar jar war
    ear whl egg class pyc pyo pyd so dylib dll exe lib obj o a wasm woff woff2 ttf otf eot mp3 mp4 m4a ogg oga ogv wav
    webm mov avi flac mkv sqlite sqlite3 db npy npz pkl pickle parquet arrow onnx pt safetensors h5 hdf5 doc docx xls
    xlsx ppt pptx odt ods odp glb fbx blend mo keystore jks p12 pfx der gpg
    """.split()  # noqa: SIM905
)
"""Extensions of files that are never text."""
_HIDDEN_BINARIES = frozenset({".ds_store", ".coverage", ".localized", ".eslintcache", ".stylelintcache"})
"""Names that begin with a dot and are no settings."""
_RECIPE = re.compile(r"[A-Z][A-Za-z]*file|SCons(?:truct|cript)|wscript|[A-Za-z]*rc")
"""Names without an extension of files that a tool runs or obeys: ``Brewfile``, ``Podfile``, ``bashrc``."""


def is_named_as_text(path: str) -> bool:
    """Return whether a name, in any folder, is that of code, of settings or of another text that a program obeys.

    A name that begins with a dot is that of settings: ``.npmrc``, ``.envrc``, ``.gitattributes``.
    """
    name = posixpath.basename(path)
    if kind_of(name) is Kind.CODE or _extension(name) in _MORE_TEXTS or _RECIPE.fullmatch(name):
        return True
    return name.startswith(".") and name.lower() not in _HIDDEN_BINARIES and "." not in name[1:]


def is_named_as_binary(path: str) -> bool:
    """Return whether a name is that of an image, an archive, a program or the like."""
    return "." in posixpath.basename(path)[1:] and _extension(path) in _BINARIES


def _extension(path: str) -> str:
    return posixpath.basename(path).rpartition(".")[2].lower()


def is_test(path: str) -> bool:
    """Return whether a path looks like a test, a fixture or test support, by the conventions of all languages."""
    folders, _, name = path.lower().rpartition("/")
    folders = f"/{folders}/".partition("/src/main/")[0]  # what is below it is the product, whatever it is called
    return (
        any(part in _TEST_FOLDERS for part in folders.split("/"))
        or name.partition(".")[0] == "conftest"
        or is_named_test(path)
    )


def is_named_test(path: str) -> bool:
    """Return whether a file's own name is that of a test, in any folder, by the conventions of all languages."""
    name = path.rpartition("/")[2]
    stem = name.lower().partition(".")[0]
    return (
        stem.startswith("test_")
        or stem.endswith(("_test", "_tests", "_spec", "-test", "-spec"))
        or ".test." in name.lower()
        or ".spec." in name.lower()
        or name.lower().endswith((".bats", ".feature"))
        or name.partition(".")[0].endswith(("Test", "Tests", "Spec", "TestCase"))
    )


def is_run_as_test(path: str) -> bool:
    """Return whether the usual runner of a file's language looks for tests in it, by its path alone."""
    language = language_of(path)
    if language in _RUN_BY_NAME:
        return _RUN_BY_NAME[language].search(path.rpartition("/")[2]) is not None
    return language in ("csharp", "rust") or (language is not None and is_test(path))  # these two look everywhere


def is_test_data(path: str) -> bool:
    """Return whether a path looks like that of test data or of a template: both may be broken on purpose."""
    folders, _, name = path.rpartition("/")
    parts = folders.lower().split("/")
    return not _DATA_FOLDERS.isdisjoint(parts) or (not _TEST_FOLDERS.isdisjoint(parts) and not is_test(name))


def is_sample(path: str) -> bool:
    """Return whether the values in a file are made up: it is a test, test data, an example, a mock or a recording."""
    return is_test(path) or not _SAMPLE_FOLDERS.isdisjoint(path.lower().split("/")[:-1])


def is_snapshot(path: str) -> bool:
    """Return whether a file holds expected output of a test, by its name."""
    return bool(_SNAPSHOT.search(path) or (is_test(path) and _EXPECTED.search(path)))


def is_loaded_by_runner(path: str) -> bool:
    """Return whether a test runner loads a file by itself, before any test."""
    return _LOADED.search(path) is not None


_SNAPSHOT = re.compile(r"\.(?:snap|ambr|golden|approved\.\w+)$|(?:^|/)(?:__snapshots__|snapshots)/", re.IGNORECASE)
_EXPECTED = re.compile(
    r"(?:^|/)(?:goldens?|expected|approvals)/|(?:^|[/._-])(?:expected|golden)(?:[._-][^/]*)?$", re.IGNORECASE
)
_LOADED = re.compile(
    r"(?:^|/)(?:conftest\.py|(?:jest|vitest|mocha|karma|cypress|test|tests)[.-]?setup(?:[.-][^/]*)?\.[cm]?[jt]sx?"
    r"|setup[.-]?(?:tests?|jest|vitest|env)(?:[.-][^/]*)?\.[cm]?[jt]sx?|(?:spec|rails|test)_helper\.rb|__mocks__/.*"
    r"|tests?/__init__\.py|tests?/(?:bootstrap|pest)\.php|junit-platform\.properties|META-INF/services/org\.junit\..*"
    r"|babel\.config\.[^/]*|\.babelrc(?:\.[^/]*)?|cypress/support/.*|support/e2e\.[jt]s|setup_suite\.bash)$",
    re.IGNORECASE,
)
_RUN_BY_NAME = {
    "python": re.compile(r"^test|_tests?\.py$"),
    "go": re.compile(r"_test\.go$"),
    "ruby": re.compile(r"^test_|_(?:test|spec)\.rb$"),
}
_DATA_FOLDERS = frozenset(
    """
    fixture fixtures __fixtures__ testdata test-data test_data testcases snapshots __snapshots__
    template templates stubs skeleton boilerplate
    """.split()  # noqa: SIM905 - a table to read
)
_TEST_FOLDERS = frozenset(
    {"test", "tests", "testing", "__tests__", "__mocks__", "spec", "specs", "e2e", "testdata", "fixtures", "cypress"}
)
_SAMPLE_FOLDERS = frozenset(
    """
    example examples sample samples mock mocks __fixtures__ fixture testdata test-data test_data cassettes snapshot
    snapshots __snapshots__
    """.split()  # noqa: SIM905 - a table to read
)
