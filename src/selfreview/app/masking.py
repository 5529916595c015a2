"""Masking of the credentials of forges and notifiers in all later output."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from selfreview.api import ConfigView, Forge, KeepsSecrets, Notifier, Registry
from selfreview.errors import SelfreviewError
from selfreview.plugins.manager import PluginManager
from selfreview.text.masking import masking


def mask_values(
    manager: PluginManager, config: ConfigView, environ: Mapping[str, str], warn: Callable[[str], None]
) -> None:
    """Mask the secrets of all forges and notifiers, with a warning for each that cannot name its own."""
    forges: Registry[Forge] = Registry("forge")
    notifiers: Registry[Notifier] = Registry("channel")
    for hook, registry in (("selfreview_register_forges", forges), ("selfreview_register_notifiers", notifiers)):
        try:
            manager.call(hook, registry=registry, config=config)
        except SelfreviewError as error:
            warn(f"secrets may be shown: {error.message}")
    for holder in (*forges, *notifiers):
        if isinstance(holder, KeepsSecrets):
            mask_values_of(holder, config, environ, warn)


def mask_values_of(
    holder: KeepsSecrets, config: ConfigView, environ: Mapping[str, str], warn: Callable[[str], None]
) -> None:
    """Mask the secrets of one forge or notifier."""
    try:
        found = [str(value) for value in holder.secrets(environ, config)]
    except Exception as error:  # noqa: BLE001 - a plugin's defect, whose words may quote what they must not
        name = getattr(holder, "name", type(holder).__name__)
        warn(f"secrets of {name} may be shown: it does not say what they are ({type(error).__name__})")
        return
    masking().add(found)
