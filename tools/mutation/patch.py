"""Put a mutant in the place of a module that is loaded, and that others have taken names from."""

from __future__ import annotations

import inspect
from types import FunctionType, ModuleType


def put(source: str, module: ModuleType) -> None:
    """Run another source in a module's place: its functions and methods stay the objects they were, with new code.

    What others have taken from the module therefore is the mutant's, too; but for constants that they have taken, and
    what the body of a class or of another module made of them. Whoever needs these must load all anew.

    Args:
        source: The whole module.
        module: The module as it was loaded; changed in place.
    """
    old = dict(vars(module))
    exec(compile(source, str(module.__file__), "exec", dont_inherit=True), vars(module))  # our own source
    for name, was in old.items():
        now = vars(module).get(name)
        if getattr(was, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(was) and inspect.isclass(now):
            for key, part in list(vars(was).items()):
                _become(part, vars(now).get(key))
            setattr(module, name, was)
        elif _become(was, now):
            setattr(module, name, was)


def _become(was: object, now: object) -> bool:
    """Give a function, or what wraps one, the code of another; return False where it is neither."""
    if isinstance(was, FunctionType) and isinstance(now, FunctionType):
        if hasattr(was, "__wrapped__"):
            _become(was.__wrapped__, getattr(now, "__wrapped__", None))
        was.__code__, was.__defaults__, was.__kwdefaults__ = now.__code__, now.__defaults__, now.__kwdefaults__
        return True
    for part in ("__func__", "__wrapped__", "fget", "func"):  # class methods, caches, properties, cached properties
        if isinstance(inner := getattr(was, part, None), FunctionType):
            _become(inner, getattr(now, part, None))
            if hasattr(was, "cache_clear"):
                was.cache_clear()
            return True
    return False
