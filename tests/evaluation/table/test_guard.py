"""Who may ask the table, and what it answers to everybody else."""

import asyncio
import json
import socket

import pytest

from ludarium.evaluation.table import guard
from ludarium.evaluation.table.guard import LARGEST_BODY, Guard, TooLarge


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
    ours = {f"{kind}-src 'self'" for kind in ("script", "style", "img", "connect")}
    nobodys = {f"{what} 'none'" for what in ("default-src", "frame-ancestors", "base-uri", "form-action")}
    assert set(policy) == ours | nobodys
    for name, value in {
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
    }.items():
        assert headers[name] == value


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
    answer = table.send("GET", path)
    assert answer.status == 404
    assert json.loads(answer.body)["error"].startswith("there is no such ")


def test_addresses_and_methods_that_there_are_not(table):
    for method, path in (("GET", "/api/nowhere"), ("POST", "/api/lobby"), ("GET", "/api/tables/x/play")):
        refused(table.send(method, path, {} if method == "POST" else None), 404, "there is no such address")


OURS = {"host": "127.0.0.1:80", "authorization": "Bearer secret"}
POSTED = {**OURS, "content-type": "application/json"}
ELSEWHERE = 403, "this server answers only to 127.0.0.1 and localhost, at its own port"
FOREIGN = 403, "requests from other pages are refused"
NO_TOKEN = 401, "the token is missing or wrong: open the address that `ludarium table` printed"
LARGE = 413, "a request may have at most 262144 bytes"


def answered(method, path, *headers, body=(b"",), kind="http"):
    """The status and the sentence of a request to a guarded application, which reads the body and says `read`."""
    chunks = [{"type": "http.request", "body": one, "more_body": True} for one in body]
    chunks[-1]["more_body"] = False
    sent = []

    async def receive():
        return chunks.pop(0)

    async def send(message):
        sent.append(message)

    async def application(scope, receive, send):
        while kind == "http" and (await receive())["more_body"]:
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b'{"error": ""}'})

    encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    scope = {"type": kind, "method": method, "path": path, "headers": encoded}
    asyncio.run(Guard(application, 80, "secret")(scope, receive, send))
    if kind == "http":
        names = {name for name, _ in sent[0]["headers"]}
        assert {b"content-security-policy", b"x-frame-options", b"cache-control"} < names
    return (sent[0]["status"], json.loads(sent[1]["body"])["error"]) if sent else None


@pytest.mark.parametrize(
    ("method", "headers", "more", "answer"),
    [
        ("GET", OURS, {}, (200, "")),
        ("GET", OURS, {"host": "localhost:80"}, (200, "")),
        ("GET", OURS, {"host": "127.0.0.1:8"}, ELSEWHERE),
        ("GET", OURS, {"origin": "http://127.0.0.1:80", "sec-fetch-site": "same-origin"}, (200, "")),
        ("GET", OURS, {"sec-fetch-site": "none"}, (200, "")),
        ("GET", OURS, {"origin": "http://localhost:80"}, FOREIGN),  # which is another place than the host
        ("GET", OURS, {"sec-fetch-site": "same-site"}, FOREIGN),
        ("GET", OURS, {"authorization": "Bearer secre"}, NO_TOKEN),
        ("GET", OURS, {"upgrade": "websocket"}, (400, "there is nothing but HTTP/1.1 here, no web sockets")),
        ("POST", POSTED, {"content-type": "application/json; charset=utf-8"}, (200, "")),
        ("POST", OURS, {}, (415, "the request must be JSON, of the type application/json")),
        ("POST", POSTED, {"content-length": "262144"}, (200, "")),
        ("POST", POSTED, {"content-length": "262145"}, LARGE),
        ("POST", POSTED, {"content-length": "-1"}, LARGE),
        ("POST", POSTED, {"content-length": "9" * 5000}, LARGE),
    ],
)
def test_each_objection(method, headers, more, answer):
    assert answered(method, "/api/lobby", *{**headers, **more}.items()) == answer


def test_a_header_that_comes_twice_is_not_ours():
    for name in OURS:
        assert answered("GET", "/api/lobby", *OURS.items(), (name.upper(), OURS[name]))[0] in (401, 403)


def test_the_page_itself_needs_no_token():
    assert answered("GET", "/", ("host", OURS["host"])) == (200, "")


def test_the_pieces_of_a_body_are_counted():
    half = b" " * (LARGEST_BODY // 2)
    assert answered("POST", "/api/tables", *POSTED.items(), body=(half, half)) == (200, "")
    with pytest.raises(TooLarge, match=LARGE[1]):
        answered("POST", "/api/tables", *POSTED.items(), body=(half, half, b" "))


def test_what_is_still_being_sent_is_read_before_it_is_refused_but_not_without_end():
    """At most 4 MiB: a client that is still sending might miss the answer."""
    for pieces, unread in ((1, 0), (15, 0), (16, 0), (17, 1)):
        chunks = [{"body": b" " * LARGEST_BODY, "more_body": number < pieces - 1} for number in range(pieces)]

        async def receive(chunks=chunks):
            return chunks.pop(0)

        asyncio.run(guard._drain(receive))
        assert len(chunks) == unread


def test_nothing_but_http_and_the_beginning_of_the_application_gets_through():
    assert answered("GET", "/", *OURS.items(), kind="websocket") is None
    assert answered("GET", "/", kind="lifespan") == (200, "")
