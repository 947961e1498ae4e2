"""Passwords, keys and the numbers of cards and documents, which are never remembered."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

__all__ = ["holds_secret"]

_NAMED = re.compile(
    r"\b(?:pass\s?(?:word|code|phrase)|passwd|pwd|pin(?:\s?code)?|api[\s_-]?keys?|secret(?:\skey)?|access[\s_-]?(?:key|token)|"
    r"auth(?:entication)?\stoken|bearer|private\skey|seed\sphrase|recovery\s(?:code|phrase)|cvv|cvc|"
    r"(?:credit|debit|bank)?\s?card\snumber|account\snumber|iban|routing\snumber|sort\scode|ssn|social\ssecurity|"
    r"passport\s(?:number|no)|login|credentials?|otp|2fa|verification\scode|licen[cs]e\snumber)\b|"
    r"密码|口令|密钥|私钥|秘钥|验证码|助记词|卡号|银行卡|信用卡|储蓄卡|账号是|身份证|护照号|社保号|令牌|token",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"(?=[^\s,，。]*\d)[^\s,，。]{4,}|\d[\d\s-]{3,}|(?:\bis|:|：|=|是|为)\s*[^\s,，。]{3,}",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"\b(?:sk|pk|ghp|gho|xox[abp]|AKIA|AIza|eyJ)[-_A-Za-z0-9]{12,}|-----BEGIN|\b[0-9a-fA-F]{32,}\b"
)
_DIGITS = re.compile(r"(?<!\d)(?:\d[ -]?){12,18}\d(?!\d)")
_IDENTITY_CARD = re.compile(r"(?<!\d)\d{17}[\dXx](?!\d)")


def holds_secret(text: str) -> bool:
    """Whether a sentence gives away a secret."""
    if _KEY.search(text) or _IDENTITY_CARD.search(text):
        return True
    if any(_is_card(found.group()) for found in _DIGITS.finditer(text)):
        return True
    named = _NAMED.search(text)
    return named is not None and _VALUE.search(text, named.end()) is not None


def _is_card(written: str) -> bool:
    """Luhn's check, which the numbers of payment cards pass."""
    digits = [int(one) for one in written if one.isdigit()]
    total = sum(digits[-1::-2]) + sum(sum(divmod(2 * one, 10)) for one in digits[-2::-2])
    return len(digits) >= 13 and total % 10 == 0
