"""What models were sent and cost."""

from __future__ import annotations

import msgspec


class Usage(msgspec.Struct, kw_only=True, rename="camel"):
    """What models were sent and cost."""

    requests: int = 0
    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    def add(self, other: Usage) -> None:
        """Add what something else cost."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
