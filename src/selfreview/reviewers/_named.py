"""Classification of file names as text or binary, whatever git says of the content."""

from __future__ import annotations

import posixpath
import re

from selfreview.reviewers._kinds import Kind, kind_of

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
