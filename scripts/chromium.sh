#!/bin/sh
# See that a Chromium is there, in which the tests open the pages; install Debian's where that is allowed.
set -eu

for name in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" >/dev/null && exit 0
done

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "no Chromium was found; installing chromium" >&2
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null
    exit 0
fi
cat >&2 <<'TEXT'
error: no Chromium was found, in which the tests open the report. Install it, then run make again:
  Debian, Ubuntu   apt-get install chromium
  Fedora           dnf install chromium
  macOS            brew install --cask chromium, then put its folder on the PATH
TEXT
exit 2
