"""Secrets are masked, honest text is left alone. The keys below were made up for this test."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerikai_memory.redact import mask_secrets, mask_source

BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n{BODY}\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("id AKIA" + "ABCDEFGHIJKLMNOP.", "id [masked]."),
        ("ghp_" + "a1B2" * 9, "[masked]"),
        ("use sk-" + "proj-" + "abcd1234" * 4 + " now", "use [masked] now"),
        ("sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "[masked]"),
        ("xoxb-" + "123456789012-abcdefghij", "[masked]"),
        ("eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0" + ".dozjgNryP4J3jVmNHl0w5N", "[masked]"),
        (f"before\n{PEM}\nafter", "before\n[masked]\nafter"),
        (PEM.replace("\n", "\\n"), "[masked]"),  # in a JSON string
        (PEM[:150], "[masked]"),  # cut off
        ("postgres://app:s3cret@db:5432/x", "postgres://app:[masked]@db:5432/x"),
        ("redis://:hunter2@cache", "redis://:[masked]@cache"),
        ("Authorization: Bearer abc123def456ghi", "Authorization: Bearer [masked]"),
        ('password = "hunter2"', 'password = "[masked]"'),
        ("password: 'correcthorse'", "password: '[masked]'"),
        ("DB_PASSWORD=s3cr3tvalue", "DB_PASSWORD=[masked]"),
        ('{"api_key": "a1b2c3d4e5f6"}', '{"api_key": "[masked]"}'),
        ('SECRET_KEY = "django-insecure-)f7k"', 'SECRET_KEY = "[masked]"'),
        ('token: str = "9f8e7d6c5b4a"', 'token: str = "[masked]"'),  # behind an annotation
        ("the password is hunter22", "the password is [masked]"),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPx", "AWS_SECRET_ACCESS_KEY=[masked]"),
        ("GET /?access_token=abc123def456&x=1", "GET /?access_token=[masked]&x=1"),
    ],
)
def test_a_secret_is_masked_and_its_surroundings_stay(text, masked):
    assert mask_secrets(text) == masked
    assert mask_secrets(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "password = getpass.getpass()",
        "password: str",
        "def login(user: str, password: str | None = None) -> Token:",
        "token = tokens[index + 1]",
        "token = next(iter(stream))",
        'token = "identifier"',
        "max_tokens = 1200",
        "a token = 4 characters",
        "password=None, secret=False",
        "PASSWORD=${DB_PASSWORD}",
        'api_key = os.environ["API_KEY"]',
        "apiKey: process.env.API_KEY2",
        'label = {"password": "Password"}',
        "OPENAI_API_KEY=your-key-here",
        "DEEPSEEK_API_KEY=",
        "PWD=/home/user/project1",
        "http://localhost:8080/path@2",
        "see https://example.com/a:b@c",
        "git@github.com:owner/repo.git",
        "sha256 80a733b3910af27707500b3a0d630366245447b114c5bed69253ade4c829b80f",
        "id 123e4567-e89b-12d3-a456-426614174000",
        'if text.startswith("-----BEGIN PRIVATE KEY-----"):',
        "The bearer authentication scheme sends a token in a header.",
        "the token is refreshed when it expires",
        "the password is hashed with PBKDF2",
        "sk-learn and risk-averse-people-who-read-long-words",
        "",
    ],
)
def test_honest_text_is_left_alone(text):
    assert mask_secrets(text) == text


@given(st.text(max_size=300))
def test_masking_twice_changes_nothing_more(text):
    once = mask_secrets(text)
    assert mask_secrets(once) == once


def test_long_lines_take_no_long_time():
    for unit in ("password=", "a://b:", "-----BEGIN PRIVATE KEY-----", "eyJ.", "token : x", "sk-a-"):
        mask_secrets(unit * 20_000)


@pytest.mark.parametrize(
    "text",
    [
        f'KEY = """{PEM}"""\nafter = 1\n',  # a key of several lines
        "İ password = 'hunter2' İ\nnext\n",  # a letter whose lower case is longer
        "password =\n    'hunter2'\n",  # the value on the next line
    ],
)
def test_masking_a_source_keeps_every_line_where_it_is(text):
    masked = mask_source(text.encode()).decode()
    assert masked.count("\n") == text.count("\n")
    assert masked != text
    assert BODY not in masked
    assert "hunter2" not in masked
    assert masked.rpartition("\n")[0].rpartition("\n")[2] == text.rpartition("\n")[0].rpartition("\n")[2].replace(
        "'hunter2'", "'[masked]'"
    )


def test_masking_a_source_without_secrets_gives_the_same_bytes():
    data = b"def login(password: str) -> Token: ...\n\xff\xfe\n"
    assert mask_source(data) is data
