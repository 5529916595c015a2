"""Review your own change before anyone else has to.

Nothing is imported here: ``selfreview --version`` costs what Python itself costs.
"""

__version__ = "0.1.0"
