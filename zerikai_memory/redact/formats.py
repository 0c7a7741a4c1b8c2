"""Mask keys and tokens that their issuers made recognisable: AWS, GitHub, GitLab, Slack, Stripe, OpenAI, JWT ...

They are masked wherever they stand, also glued to a name (`x_AKIA...`), behind an escape (`\\nghp_...`) or in a URL.
Nearly all hold a digit in a run of 16 or more key characters, so only the surroundings of such runs are looked at.
"""

from __future__ import annotations

import re

MASK = "[masked]"

# No possessive groups here: Python before 3.11.5 matches them wrongly (gh-106052).
_RUN = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{16,}")
_TELLING = re.compile(r"\d|A[KS]IA[A-Z]{16}")
_BEFORE = 16  # characters; what stands before the run may belong to the key: "SG.", "110201543:"
_START = re.compile(r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))(?=[A-Za-z0-9])")
# Each branch begins with a literal as far as possible: the engine rejects such a branch by one comparison.
_KEY = re.compile(
    r"""(?x)
    (?: AKIA[0-9A-Z]{16} | ASIA[0-9A-Z]{16} | ABIA[0-9A-Z]{16} | ACCA[0-9A-Z]{16}      # AWS access key id
      | ABSK[A-Za-z0-9+/]{100,}={0,2} | bedrock-api-key-[A-Za-z0-9+/=_-]{40,}
      | gh[pousr]_[A-Za-z0-9_]{36,} | github_pat_[A-Za-z0-9_]{22,}
      | gl(?:pat|dt|rt|rtr|ptt|ft|cbt|imt|agent|oas|soat|ffct|wt)-[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9._-]+)?
      | GR1348941[A-Za-z0-9_-]{20,}
      | xox[a-z](?:\.xox[bp])?-[A-Za-z0-9%/+=-]{10,} | xapp-[0-9]-[A-Za-z0-9-]{20,}                 # Slack
      | sk-(?:[a-z0-9]{1,12}-){0,3}                                                         # OpenAI, Anthropic
          (?=[A-Za-z_-]*\d)(?=[a-z0-9_-]*(?:[A-Z]|[a-z0-9]{12}))[A-Za-z0-9_-]{20,}
      | sk_(?=[A-Za-z_]*\d)(?:live_|test_|org_)?[A-Za-z0-9]{24,} | rk_(?:live_|test_)?[A-Za-z0-9]{24,}
      | whsec_[A-Za-z0-9+/=]{24,}
      | csk-[a-z0-9]{40,} | gsk_[A-Za-z0-9]{40,} | xai-[A-Za-z0-9]{60,} | pplx-[A-Za-z0-9]{40,} | r8_[A-Za-z0-9]{37}
      | nvapi-[A-Za-z0-9_-]{60,} | tvly-(?:dev-|prod-)?[A-Za-z0-9-]{20,} | lsv2_[a-z]{2}_[a-f0-9_]{32,}
      | pcsk_[A-Za-z0-9_]{40,} | tgp_v1_[A-Za-z0-9_-]{40,} | jina_[A-Za-z0-9_-]{40,} | fw_[A-Za-z0-9]{22,}
      | hf_[A-Za-z0-9]{30,} | api_org_[A-Za-z0-9]{30,}
      | AIza[0-9A-Za-z_-]{35} | ya29\.[0-9A-Za-z_-]{20,} | GOCSPX-[A-Za-z0-9_-]{20,} | 1//0[A-Za-z0-9_-]{30,}  # Google
      | npm_[A-Za-z0-9]{36} | pypi-AgE[A-Za-z0-9_-]{50,} | rubygems_[a-f0-9]{48} | cio[A-Za-z0-9]{32}
      | oy2[a-z0-9]{43} | dckr_[po]at_[A-Za-z0-9_-]{24,} | dop_v1_[a-f0-9]{64} | do[or]_v1_[a-f0-9]{64}
      | hv[sbr]\.[A-Za-z0-9_-]{20,} | [A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}                 # HashiCorp
      | lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,} | ntn_[A-Za-z0-9]{40,} | secret_[A-Za-z0-9]{43} | figd_[A-Za-z0-9_-]{40,}
      | ATATT3[A-Za-z0-9_=-]{100,} | ATCTT3[A-Za-z0-9_=-]{100,} | ATBB[A-Za-z0-9_=-]{24,} | ATTA[a-f0-9]{64}
      | pat[A-Za-z0-9]{14}\.[a-f0-9]{64} | PMAK-[a-f0-9]{24}-[a-f0-9]{34} | dp\.[a-z]{2,6}\.[A-Za-z0-9._-]{40,}
      | NR(?:AK|JS|II)-[A-Za-z0-9_-]{19,} | glc_[A-Za-z0-9+/=]{32,} | glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}
      | sntry[su]_[A-Za-z0-9+/=_-]{40,} | dt0[a-z]\d\d\.[A-Z0-9]{8,24}\.[A-Z0-9]{64} | sq[pua]_[a-f0-9]{40}
      | shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32} | sq0[a-z]{3}-[A-Za-z0-9_-]{22,} | EAAA[A-Za-z0-9_-]{60}
      | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,} | key-[0-9a-f]{32} | SK[0-9a-f]{32} | xkeysib-[a-f0-9]{64}-\w{16}
      | re_(?=[A-Za-z]*\d)[A-Za-z0-9]{8}_[A-Za-z0-9]{24} | [0-9a-f]{32}-us\d{1,2}
      | \d{8,10}:AA[A-Za-z0-9_-]{30,36}                                                             # Telegram
      | [MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{27,45}       # Discord
      | [A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,36} | [A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}             # Azure
      | [A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{10,30}
      | sbp_[a-f0-9]{40} | sb_secret_[A-Za-z0-9_-]{20,} | napi_[a-z0-9]{40,} | pscale_[a-z]{2,6}_[A-Za-z0-9_.=-]{32,}
      | dapi[a-f0-9]{32} | dose_[A-Za-z0-9]{30,} | nfp_[A-Za-z0-9]{36,} | vc[kpair]_[A-Za-z0-9]{24,}
      | cf(?:k|ut|at)_[A-Za-z0-9]{40,} | rnd_[A-Za-z0-9]{28,} | HRKU-[A-Za-z0-9_-]{36,}
      | FlyV1\sfm\d_[A-Za-z0-9+/=,_]{80,}
      | tskey-[a-z]{2,8}-[A-Za-z0-9-]{20,} | CCIPAT_[A-Za-z0-9_]{40,} | bkua_[a-z0-9]{40} | pul-[a-f0-9]{40}
      | LTAI[A-Za-z0-9]{16,24} | AKID[A-Za-z0-9]{32} | ops_eyJ[A-Za-z0-9_=-]{100,} | CFPAT-[A-Za-z0-9_-]{40,}
      | AGE-SECRET-KEY-1[A-Z0-9]{20,} | AGE-PLUGIN-[A-Z0-9-]{20,} | access_token\$production\$[a-z0-9$]{40,}
      | eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}                            # JSON web token
      | eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]{10,}){3}                         # encrypted JWT
      | sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}                                               # Mapbox
    )(?![A-Za-z0-9])
    """
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?!-----)[A-Za-z0-9+/=\s\\:,.\-]){40,20000}(?:-----END [A-Z0-9 ]{0,40}(?:-----)?)?"
)
_PUTTY_KEY = re.compile(r"(?P<head>\bPrivate-Lines: \d{1,3}\r?\n)(?P<value>(?:[A-Za-z0-9+/=]{20,80}\r?\n?){1,99})")


def mask_private_keys(text: str, *, keep_lines: bool) -> str:
    """Replace PEM, OpenSSH, PGP and PuTTY private keys by `[masked]`, with `keep_lines` plus the newlines they had."""
    if "PRIVATE KEY" in text:
        text = _PRIVATE_KEY.sub(lambda found: MASK + "\n" * (found[0].count("\n") if keep_lines else 0), text)
    if "Private-Lines: " in text:
        text = _PUTTY_KEY.sub(lambda found: found["head"] + MASK + "\n" * found["value"].count("\n"), text)
    return text


def mask_known_formats(text: str) -> str:
    """Replace keys and tokens of a known format by `[masked]`."""
    parts: list[str] = []
    done = at = 0
    for run in _RUN.finditer(text):
        if not _TELLING.search(run[0]):
            continue
        at = run.end()
        for start in _START.finditer(text, max(done, run.start() - _BEFORE), at):
            if start.start() >= done and (key := _KEY.match(text, start.start())):
                parts += (text[done : key.start()], MASK)
                done = key.end()
    return "".join((*parts, text[done:])) if parts else text
