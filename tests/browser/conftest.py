"""A browser for all tests, and pages that must not complain."""

import os
import shutil

import pytest

CHROMIUM = shutil.which("chromium")
# Machines without a graphics card draw WebGL on the processor.
ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("no chromium; continuous integration must have it")
        pytest.skip("no chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def is_about_the_page():
    """Tell whether a message is; what the driver and plotly tell of themselves is not.

    The driver and plotly's canvas speak about speed, and the oldest plotly warns of each selection that it
    has drawn itself.
    """
    others = (
        "GPU stall due to ReadPixels",
        "Canvas2D: Multiple readback operations",
        "unrecognized GUI edit: selections",
    )
    return lambda text: not any(hint in text for hint in others)


@pytest.fixture
def open_page(browser, is_about_the_page):
    """Open a report and wait until its maps are drawn; errors, dialogs and requests fail the test."""
    pages, complaints = [], []

    def open_report(path, timeout=30):
        page = browser.new_page(viewport={"width": 1200, "height": 900}, color_scheme="light")
        pages.append(page)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.on(
            "request",
            lambda request: (
                None
                if request.url == path.as_uri() or request.url.startswith(("data:", "blob:"))
                else complaints.append(request.url)
            ),
        )
        page.set_default_timeout(1000 * timeout)
        page.goto(path.as_uri())
        page.wait_for_function(
            "document.documentElement.dataset.ready === 'yes'", timeout=1000 * timeout
        )
        return page

    yield open_report
    for page in pages:
        page.close()
    assert list(filter(is_about_the_page, complaints)) == []
