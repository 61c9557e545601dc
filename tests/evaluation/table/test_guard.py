"""Who may ask the table, and what it answers to everybody else."""

import json
import socket

import pytest

from ludarium.evaluation.table.guard import LARGEST_BODY


def refused(answer, status, sentence):
    assert answer.status == status
    assert sentence in json.loads(answer.body)["error"]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "", "127.0.0.1.evil.example:{port}"])
@pytest.mark.parametrize("path", ["/", "/api/lobby", "/page/main.js"])
def test_another_host_is_refused(table, host, path):
    """A name of another site that leads here, which is how DNS rebinding works."""
    answer = table.send("GET", path, headers={"host": host.format(port=table.port)})
    refused(answer, 403, "this server answers only to 127.0.0.1 and localhost")


ORIGINS, SITES = ("https://evil.example", "null", "http://127.0.0.1:1"), ("cross-site", "same-site")


@pytest.mark.parametrize(
    ("header", "value"), [*(("origin", one) for one in ORIGINS), *(("sec-fetch-site", one) for one in SITES)]
)
@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("GET", "/api/lobby"), ("POST", "/api/tables")])
def test_requests_from_other_pages_are_refused(table, header, value, method, path):
    body = {"game": "hexapawn", "seats": ["me", "random"]} if method == "POST" else None
    refused(table.send(method, path, body, {header: value}), 403, "requests from other pages are refused")


def test_requests_from_the_own_page_and_to_localhost_are_not(table):
    headers = {"origin": f"http://127.0.0.1:{table.port}", "sec-fetch-site": "same-origin"}
    assert table.send("GET", "/api/lobby", headers=headers).status == 200
    assert table.send("GET", "/api/lobby", headers={"host": f"localhost:{table.port}"}).status == 200


def test_the_page_may_be_opened_from_elsewhere_but_only_in_a_window_and_nothing_else(table):
    """As from the file that holds the address; what a page embeds, fetches or sends is another thing."""
    window = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert table.send("GET", "/", headers=window).status == 200
    for method, path, other in (
        ("GET", "/", {"sec-fetch-dest": "iframe"}),
        ("GET", "/", {"sec-fetch-mode": "no-cors"}),
        ("GET", "/", {"origin": "null"}),
        ("POST", "/", {}),
        ("GET", "/page/main.js", {}),
        ("GET", "/api/lobby", {}),
    ):
        refused(table.send(method, path, headers={**window, **other}), 403, "requests from other pages are refused")


@pytest.mark.parametrize("given", [None, "", "Bearer ", "Bearer wrong", "Basic x", "Bearer \xe9"])
@pytest.mark.parametrize("path", ["/api/lobby", "/api/tables/x", "/api/tables/x/events", "/api/nowhere"])
def test_the_api_needs_the_token(table, given, path):
    refused(table.send("GET", path, headers={"authorization": given}), 401, "the token is missing or wrong")


def test_a_body_has_a_largest_size(table):
    largest = json.dumps({"game": "x" * (LARGEST_BODY - 12)})
    assert len(largest) == LARGEST_BODY
    assert table.send("POST", "/api/tables", raw=largest).status == 400
    refused(table.send("POST", "/api/tables", raw=largest + " "), 413, "at most 262144 bytes")
    refused(table.send("POST", "/api/tables", raw=" " * 3 * 2**20), 413, "at most 262144 bytes")


def test_a_body_that_does_not_say_how_long_it_is_has_one_too(table):
    """One byte too many, and no more: the server closes on what it has not read, and the answer could be lost."""
    chunks = 4 * (b"10000\r\n" + b" " * 65536 + b"\r\n") + b"1\r\n \r\n"
    head = (
        f"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\nAuthorization: Bearer {table.token}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", table.port), timeout=30) as connection:
        connection.sendall(head.encode() + chunks)
        assert b" 413 " in connection.recv(4096).split(b"\r\n")[0]


def test_a_length_that_is_no_number_is_refused(table):
    """Nothing follows the head: the server closes at once, and the answer could be lost."""
    assert table.send("POST", "/api/tables", raw="", headers={"content-length": "many"}).status in (400, 413)


def test_what_is_not_json_by_its_type_is_refused(table):
    """A form of another page can be sent without asking, but not with this type."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", None):
        refused(table.send("POST", "/api/tables", raw="{}", headers={"content-type": kind}), 415, "must be JSON")


@pytest.mark.parametrize("path", ["/", "/page/main.js", "/api/lobby", "/api/nowhere", "/nowhere"])
def test_every_answer_binds_the_page(table, path):
    headers = table.send("GET", path).headers
    policy = headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} <= set(policy)
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_the_page_is_small_and_names_no_other_place(table):
    whole = table.send("GET", "/", headers={"authorization": None}).body
    scripts = ["main", "api", "dom", "lobby", "game", "board", "advisers", "graph", "reasons"]
    names = ["style.css", "icon.svg", *(f"{name}.js" for name in scripts)]
    for name in names:
        answer = table.send("GET", f"/page/{name}", headers={"authorization": None})
        assert answer.status == 200
        whole += answer.body
    assert len(whole) <= 150 * 1024
    text = whole.decode().replace("http://www.w3.org/2000/svg", "")
    assert [word for word in ("http:", "https:", "innerHTML", "eval(") if word in text] == []


@pytest.mark.parametrize("path", ["/page/../http.py", "/page/%2e%2e%2fhttp.py", "/page/nothing.js", "/page/"])
def test_only_files_of_the_page_are_served(table, path):
    assert table.send("GET", path).status == 404


def test_addresses_and_methods_that_there_are_not(table):
    for method, path in (("GET", "/api/nowhere"), ("POST", "/api/lobby"), ("GET", "/api/tables/x/play")):
        refused(table.send(method, path, {} if method == "POST" else None), 404, "there is no such address")
