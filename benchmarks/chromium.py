"""A Chromium for benchmarks, pictures and tests: the one of the system, or the one that `make browser` installs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def launched() -> Iterator[Any]:
    """The browser, until it is no longer needed. playwright's Error if there is none."""
    from playwright.sync_api import sync_playwright

    # Downloads are not possible everywhere.
    installed = os.environ.get("LEARNAC_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=installed, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()
