"""The explorer's server: a token in every address, no other host or origin, and nothing of a store is markup."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.pages import serving
from tests.unit.store.test_tables import make_store
from tla2py.analysis.view import open_view
from tla2py.view.explorer import store_data
from tla2py.view.server import ExplorerServer, PageAnswers


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    data = store_data(open_view(make_store(tmp_path_factory.mktemp("served") / "store").path))
    with serving(ExplorerServer(data, PageAnswers(data))) as address:
        yield address


def ask(
    address: str, name: str, method: str = "GET", body: str | None = None, **headers: str
) -> tuple[int, Any, http.client.HTTPMessage]:
    """The status, the body and the headers of an answer; ``name`` that begins with / is a path of its own."""
    at = urlsplit(address)
    connection = http.client.HTTPConnection(at.hostname or "", at.port or 0, timeout=60)
    path = name if name.startswith("/") else at.path + name
    connection.request(method, path, body, {key.capitalize(): value for key, value in headers.items()})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    found = json.loads(text) if answer.headers.get_content_type() == "application/json" else text
    return answer.status, found, answer.headers


def test_the_page_and_its_data(address: str) -> None:
    status, page, headers = ask(address, "")
    assert (status, headers.get_content_type()) == (200, "text/html")
    assert "data-served" in page
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "unsafe" not in policy
    status, overview, headers = ask(address, "overview")
    assert (status, overview["name"], headers["Cache-Control"]) == (200, "cases", "no-store")
    status, chunk, _ = ask(address, "chunk-0")
    assert (status, len(chunk["traces"])) == (200, len(overview["traces"]))


def test_other_names_are_not_found_and_a_request_without_the_token_is_refused(address: str) -> None:
    for name in ("chunk-99", "chunk--1", "chunk-x", "nothing", "../overview", "chunk-%D9%A3"):
        assert ask(address, urlsplit(address).path + name)[0] == 404, name
    for path in ("/", "/overview", "/wrong/", "/wrong/overview", "//overview", "/%2e/overview"):
        assert [ask(address, path, method)[0] for method in ("GET", "POST")] == [403, 403], path


def test_another_host_or_origin_is_refused(address: str) -> None:
    own = f"http://{urlsplit(address).netloc}"
    assert ask(address, "overview", host="tla2py.example")[0] == 403
    assert ask(address, "overview", origin="https://tla2py.example")[0] == 403
    assert ask(address, "overview", origin="null")[0] == 403
    assert ask(address, "overview", origin=own)[0] == 200


@pytest.mark.parametrize(
    ("body", "length"), [("{", None), ("[" * 100_000, None), ("{}", "999999999"), ("{}", "-1"), ("{}", "x")]
)
def test_a_body_that_is_not_a_question_is_refused(address: str, body: str, length: str | None) -> None:
    headers = {} if length is None else {"content-length": length}
    assert ask(address, "ask", "POST", body, **headers)[0] == 400


def test_a_question_that_is_not_understood_has_no_answer(address: str) -> None:
    unknown = ({"ask": "values", "number": "0"}, {"ask": "confirm", "number": 99})
    questions: tuple[object, ...] = ({}, [], 3, *unknown)
    for question in questions:
        status, answer, _ = ask(address, "ask", "POST", json.dumps(question))
        assert status == 200
        assert "reload the page" in answer["hint"]
    # An answer that fails says why.
    status, answer, _ = ask(address, "ask", "POST", json.dumps({"ask": "conjuncts", "number": 1}))
    assert status == 200
    assert answer["error"]


def test_the_name_of_a_store_is_not_markup(tmp_path: Path) -> None:
    data = store_data(open_view(make_store(tmp_path / "store", ("invariant",)).path))
    hostile = "</title><script>alert(1)</script>&amp;"
    fields = {name: getattr(data, name) for name in data.__slots__}
    named = type(data)(**fields | {"overview": {**data.overview, "name": hostile}})
    with serving(ExplorerServer(named, PageAnswers(data))) as address:
        page = ask(address, "")[1]
    assert page.count("<script") == 1
    assert "&lt;/title&gt;" in page
