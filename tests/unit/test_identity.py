"""Who is asking comes from the trusted runtime, and from nothing that a caller or model writes."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.errors import IdentityError, InvalidInputError
from langgraph_memory.identity import Identification, Identity, decode_label, encode_label


@dataclass
class Run:
    """What a node is handed: the context, and what the server says."""

    context: Any = None
    server_info: Any = None


def served(user: str | None) -> SimpleNamespace:
    return SimpleNamespace(user=None if user is None else SimpleNamespace(identity=user))


WHO = Identification("chat")


def test_the_authenticated_user_comes_first():
    run = Run(context={"user_id": "mallory"}, server_info=served("anna"))
    resolving = Identification("chat", resolver=lambda run: "oscar", trust_context=True)
    assert resolving.identify(run).user == "anna"


def test_then_the_resolver_of_the_application():
    resolving = Identification("chat", resolver=lambda run: run.context["session"])
    assert resolving.identify(Run({"session": "s-1", "user_id": "mallory"})).user == "s-1"


def test_a_resolver_that_does_not_know_leaves_it_to_the_context():
    resolving = Identification("chat", resolver=lambda run: None)
    assert resolving.identify(Run({"user_id": "anna"})).user == "anna"


@pytest.mark.parametrize("context", [{"user_id": 42}, SimpleNamespace(user_id="42")])
def test_then_the_context_of_a_trusted_host(context):
    identity = WHO.identify(Run(context))
    assert identity.memories == ("agent:chat", "user:42", "memories")


def test_clients_of_a_server_write_the_context_so_it_is_not_believed_there():
    run = Run({"user_id": "victim"}, served(None))
    with pytest.raises(IdentityError, match="trust_context=True"):
        WHO.identify(run)
    assert Identification("chat", trust_context=True).identify(run).user == "victim"


@pytest.mark.parametrize("context", [None, {}, {"user_id": None}, SimpleNamespace()])
def test_nobody_is_an_error_and_not_a_common_user(context):
    with pytest.raises(IdentityError, match="context="):
        WHO.identify(Run(context))


@pytest.mark.parametrize("user", ["", "  ", True, 1.5, ["anna"], b"anna"])
def test_what_is_no_name_is_an_error(user):
    with pytest.raises(IdentityError, match="user_id"):
        WHO.identify(Run({"user_id": user}))


def test_a_thread_without_context_belongs_to_the_owner_it_has_kept():
    owner = WHO.identify(Run({"user_id": "anna", "environment_id": "home"})).to_state()
    assert WHO.identify(Run(), owner) == Identity("chat", "anna", "home")
    assert WHO.identify(Run({"user_id": "anna"}), owner) == Identity("chat", "anna", "home")


def test_an_owner_that_a_servers_client_may_have_written_vouches_for_nobody():
    forged = {"agent": "chat", "user": "anna", "environment": "annas-home"}
    nobody_authenticated = Run({"user_id": "anna"}, SimpleNamespace(user=None))
    with pytest.raises(IdentityError, match="not believed"):
        WHO.identify(nobody_authenticated, forged)
    mine = {**forged, "user": "oscar"}
    assert WHO.identify(Run(None, served("oscar")), mine) == Identity("chat", "oscar", None)


def test_a_resolver_tells_the_environment_where_the_context_is_not_believed():
    who = Identification("chat", environment_resolver=lambda run: "home-12")
    run = Run({"environment_id": "another"}, served("anna"))
    assert who.identify(run) == Identity("chat", "anna", "home-12")


@pytest.mark.parametrize(
    ("context", "expected"),
    [({"incognito": True}, True), ({"user_id": "anna"}, False), (None, False)],
)
def test_incognito_is_asked_for_by_anybody(context, expected):
    assert WHO.caller(Run(context)).incognito is expected
    assert WHO.caller(Run(SimpleNamespace(**(context or {})))).incognito is expected


def test_another_caller_of_a_thread_is_refused():
    owner = WHO.identify(Run({"user_id": "anna"})).to_state()
    for run in (Run({"user_id": "oscar"}), Run({"user_id": "anna"}, served("oscar"))):
        with pytest.raises(IdentityError, match="another user"):
            WHO.identify(run, owner)


def test_the_three_namespaces():
    identity = Identity("chat", "anna.b@example.com", "home-12")
    assert identity.memories == ("agent:chat", "user:anna%2Eb@example%2Ecom", "memories")
    assert identity.knowledge == ("agent:chat", "knowledge")
    assert identity.surroundings == ("agent:chat", "env:home-12", "memories")
    assert Identity("chat", "anna").surroundings is None


@given(st.text(min_size=1), st.text(min_size=1))
def test_labels_are_legal_and_tell_any_two_texts_apart(one, other):
    label = encode_label(one)
    assert label
    assert "." not in label
    assert "\0" not in label
    assert decode_label(label) == one
    assert (label == encode_label(other)) == (one == other)


def test_lone_surrogates_have_a_label_too():
    assert decode_label(encode_label("a\udc80.b")) == "a\udc80.b"


@pytest.mark.parametrize("label", ["", "a.b", "100%", "%41", "%zz", "%u12", "%2e"])
def test_what_is_no_such_label_is_refused(label):
    with pytest.raises(InvalidInputError, match="encode_label"):
        decode_label(label)


def test_a_name_that_no_database_indexes_is_refused_at_once():
    assert WHO.identify(Run({"user_id": "a" * 1_000})).user == "a" * 1_000
    for name in ("a" * 1_001, "." * 400, "小" * 400):
        with pytest.raises(IdentityError, match="longer than 1,000 bytes"):
            WHO.identify(Run({"user_id": name}))
