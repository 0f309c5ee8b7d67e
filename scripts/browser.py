"""Headless Chromium for the tests of pages.

Needs chromium and chromedriver (Debian: chromium-driver) and nothing from PyPI: chromedriver
speaks JSON over HTTP (https://www.w3.org/TR/webdriver2/).
"""

import base64
import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request

PATIENCE = 240
NARROW, WIDE = 400, 1400


class Browser:
    """A page in headless Chromium."""

    def __init__(self):
        command = ["chromedriver", "--port=0"]
        self.driver = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.base = f"http://127.0.0.1:{line.split()[-1].rstrip('.')}"
                break
        arguments = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += f"/session/{session['sessionId']}"

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {error.read().decode()}") from None

    def devtools(self, command, **parameters):
        body = {"cmd": command, "params": parameters}
        return self.call("POST", "/goog/cdp/execute", body)

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, what, script, *arguments):
        """Waits until a script returns something true, and gives it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if found := self.run(script, *arguments):
                return found
            time.sleep(0.1)
        raise AssertionError(f"waited in vain: {what}\n{self.run('return document.body.innerText')}")

    def wait_for_text(self, selector, text):
        script = "return [...document.querySelectorAll(arguments[0])]" \
            ".some((node) => node.textContent.includes(arguments[1]))"
        self.wait(f"{text!r} in {selector}", script, selector, text)

    def resize(self, width, scheme="light"):
        # A narrow window is a phone: two device pixels to a CSS pixel.
        scale = 2 if width == NARROW else 1
        metrics = {"width": width, "height": 900, "deviceScaleFactor": scale, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", **metrics)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.devtools("Emulation.setEmulatedMedia", features=features)

    def screenshot(self, path):
        size = self.devtools("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        taken = self.devtools("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(taken["data"]))

    def console(self):
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]

    def requested(self):
        """URLs that were asked for since the last time."""
        log = self.call("POST", "/se/log", {"type": "performance"})
        events = [json.loads(entry["message"])["message"] for entry in log]
        sent = [e for e in events if e["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            os.killpg(self.driver.pid, signal.SIGTERM)
            self.driver.wait()


# What is wider than its box or sticks out of the window.
CUT = """
const cut = [];
for (const node of document.body.querySelectorAll("*")) {
  const style = getComputedStyle(node);
  if (style.display === "none" || node.closest("thead, svg, .scroll")) continue;
  const box = node.getBoundingClientRect();
  if (box.width === 0 || box.height === 0) continue;
  const name = node.tagName + "." + node.className + ": " + node.textContent.slice(0, 40);
  if (box.right > innerWidth + 0.5 || box.left < -0.5) cut.push("outside: " + name);
  if (node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0) cut.push("cut: " + name);
}
return cut;
"""


def check_layout(browser):
    wide = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1], f"scrolls sideways: {wide}"
    cut = browser.run(CUT)
    assert not cut, cut
