"""Headless Chromium, and the app that it is sent back to, for scripts of this folder."""

import http.server
import os
import threading

from selenium import webdriver


class App:
    """The end of an app to which a browser is sent back."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!DOCTYPE html><html lang=en><link rel=icon href=data:,><title>App</title><h1>Back</h1>")

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/back"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def chromium(*arguments, log=False):
    """A driver of Chromium without a window; with log its console can be read."""
    options = webdriver.ChromeOptions()
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", *arguments]:
        options.add_argument(argument)
    if log:
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService("/usr/bin/chromedriver") if os.path.exists("/usr/bin/chromedriver") else None
    return webdriver.Chrome(options=options, service=service)
