"""A module whose operator, by a Java class beside it, tries what a module of a stranger might try."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from pathlib import Path

from tests.command import Ended

MODULE = """---- MODULE Spy ----
Try(what, with) == ""
====
"""

# public class Spy {
#   public static Value Try(Value what, Value with) {
#     String op = ((StringValue) what).val.toString(), a = ((StringValue) with).val.toString(), r = "done";
#     try {
#       if (op.equals("env")) r = String.valueOf(System.getenv(a));
#       else if (op.equals("read")) r = new String(Files.readAllBytes(Paths.get(a)));
#       else if (op.equals("write")) Files.write(Paths.get(a), a.getBytes());
#       else if (op.equals("link")) Files.createSymbolicLink(Paths.get("link"), Paths.get(a));
#       else if (op.equals("run")) r = "exit " + Runtime.getRuntime().exec(a).waitFor();
#       else if (op.equals("tcp")) new Socket("127.0.0.1", Integer.parseInt(a)).close();
#       else new DatagramSocket().send(...one byte to 127.0.0.1, port a...);
#     } catch (Exception e) { r = "refused"; }
#     return new StringValue(r);
#   }
# }
CLASS = gzip.decompress(
    base64.b64decode("""
H4sIAAAAAAACA41V6VdbRRT/TRN4SXyV8lqgCy1FSptAaApWUVKrQKFGw2Kh1DRuj2RIH328hJcJi6Kt+75vrctnv+o5npAj
1eNn/wb/lLrceUnoSUi0kPPmzszv3vu7987c+ePvX34DcBrf+7ALLgVuFQ1oZNizqK/oIVO3UqGp+UWeEAyNZwzLEGcZXP7A
nAIPwyFhJgZCK7qZ4yFjKWOGZoRtWKk5ueCFAp+Ke6CSAkEY9kZzwjBDFy1jOceLyLAP96JJwR4VzdAYmncgGDwiXRb3+QPR
O7xKJjzYRx64teJDK9oU7FdxAAcrIijrN/LlnG5mGVr80er4woHLPrTjsIIjKjpwtNLAelbwJTKQ4oI8MRz37yRSg5ukdJ+K
LhxjUJw8TS1UKZe91wrsOIPb5nrSBz8CCnpU9CJIiXSglpEOLRgmD03r4grF5CJuDOEaxOJ1uVbYILYnEVJwSkU/Bna4GacP
uVEloWHTHFkXcrrfX8tSID4iQz8tD9MDDA3++EhgzoNBEldtQ3C5+bCKIYSpvsS7ZMztJ0UFj5DZSqNTGW5NZYSRtiTHR1UM
4jGG8zV9x0fi0XrateP2YIR8J9MW9+AcSaZhXVUwztBdCdYFJW8+J4q5GC7PJKXHVUTwBIOWoPQIPrO+NJ82jUSULDEs1ORZ
k3v0rjzWCyNKp8DOWQomGdqqaz6SM8wkt32YgMuDp6gUfM0QR+V8RsUsLtLx1jOUqiRD310d75JFOjeX8LSCmIrLiNMlvoO7
kLOEscQZfFTk7UlLxTUuLTtWnlXxHJ6nEvA1nmA48T80pu10gmezpKpjXkFCRRK8gkAJQbdvVTfEeNp2uldEBp2SQV9haPdH
/iu0CTR5QEV0iURGAfWApmLquQjNpBNXufAgzeDtHxg8eYr++31Yhq0gq0IgV8ElYgme4sTAk9HtLKdpVSMqR0j0TKzKu7PG
0FoDEQnMSciLKl6SvbohYaazXMHL5apLcud0oadsfalI0ocN2d2v10JM60XEa3hdwRsq3sRb1Gq3YRH6DCeTtpNGr3NZJ3VZ
xp761anSozRewzsyoHcZDlMziNSGOXFt4H0VH+BDOgVZ5zC2+6N1OIflO/RxuVM5PMbWEty56h58SlW3+UIuy6mBKvhc+v+i
TsrJzldU45nMOrkdTScpPNesve70mOpHznnewnWWA3XWGXbPCCI9oWdm9XmTqvUdUamJRSe+pMdY/u0Ck88xfb+mWTONjMaG
nk2wnxyAFzdws7jNEhRkI41tPb9D+RnePHZP9G6Lk0Ftbx4tN9HUV8ChAjqH3D/gz6DW7Swe3EJrrM/1K1oLOFFA3ybul/u3
gtqDzv6R8l5fHg+ReKaAs5e0YYm5EdRGHUyXNloGlUYaxgo4XwKmg9qTDvDYFiZim5jSpvO4UMAc2XwmjxfyWMjDkMixoLZY
pmXGNIsYZzaxksd60VL3FjbIwCtbuBZz3/K4NauAV4ugt/N4rwjyDjVonwy5t6DEDrg38dmPlKZW5mYKPiLpG0reALx/oVdB
K/06uvyBjtvoJPEfSrtbwbfOT+5B6txGgxTxL06PdXQyCQAA
""")
)


def write_spy(folder: Path, tries: Mapping[str, tuple[str, str]]) -> Path:
    """A module whose only state says what became of each try, and a folder ``spy`` with the class; the module."""
    (folder / "spy").mkdir()
    (folder / "spy/Spy.tla").write_text(MODULE)
    (folder / "spy/Spy.class").write_bytes(CLASS)
    fields = ", ".join(f'{name} |-> Try("{what}", {json.dumps(on)})' for name, (what, on) in tries.items())
    (folder / "Use.tla").write_text(
        "---- MODULE Use ----\nEXTENDS Spy\nVARIABLE found\n"
        f"Init == found = [{fields}]\nNext == UNCHANGED found\nSpec == Init /\\ [][Next]_found\n"
        "Told == FALSE /\\ found = found\n====\n"
    )
    return folder / "Use.tla"


def found_by(ended: Ended) -> dict[str, str]:
    """What became of each try, from what check printed as JSON."""
    found: dict[str, str] = ended.json["traces"][0]["states"][0]["state"]["found"]
    return found
