"""Passwords and tokens in sentences and tables are masked; words about them are not."""

import pytest

from zerikai_memory.redact import mask_secrets


@pytest.mark.parametrize(
    "text",
    [
        "The password for prod is @",
        'The password for the staging database is "@".',
        "password was rotated to @",
        "the root password was changed to @ yesterday",
        "the new password will be @",
        "use @ as the password",
        "Use `@` as the admin password, please",
        "@ is the root password",
        "user: admin pass @",
        "creds are admin:@",
        "Log in with admin/@",
        "| user | password |\n|---|---|\n| admin | @ |",
        "| password | @ |",
        "Password (prod) = @",
        "password\n@",
        r"net use \\host /user:ann @",
        "şifre: @",
        "пароль @",
        "the api key for stripe is @",
        "my token for gitlab is @",
    ],
)
@pytest.mark.parametrize("value", ["kV16mQ2xL7pRt8Wz", "Tr0ub4dor&3x"])
def test_what_is_told_as_a_password_is_masked_and_the_rest_stays(text: str, value: str) -> None:
    masked = mask_secrets(text.replace("@", value))
    assert value not in masked
    assert "[masked]" in masked
    assert masked.split("[masked]")[0].strip("\"'` ") == text.split("@")[0].strip("\"'` ")


@pytest.mark.parametrize(
    "text",
    [
        "the token for the parser is an identifier",
        "the password is validated by MinimumLengthValidator",
        "user: ann pass Test123 now",
        "| token | type |\n|---|---|\n| Number1 | Literal2 |",
        "sha256 is the default password hasher",
        "use PBKDF2 as the password hasher",
        "the api key for tests is optional",
        "Log in with GitHub/OAuth2",
        "password\nis required",
    ],
)
def test_words_about_passwords_stay(text: str) -> None:
    assert mask_secrets(text) == text
